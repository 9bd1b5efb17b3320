"""The assistant behind the terminal chat and the Discord bot."""
