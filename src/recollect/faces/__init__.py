"""Where people and programs meet a memory. Faces translate, call it, and render what comes back."""
