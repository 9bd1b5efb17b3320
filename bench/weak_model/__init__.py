"""Learning with a real language model that is far too small for the task."""
