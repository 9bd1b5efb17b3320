"""From a message to the prompt for answering it."""
