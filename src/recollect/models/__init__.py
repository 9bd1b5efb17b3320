"""What learns and condenses; each file or folder here is one model, found by its name."""
