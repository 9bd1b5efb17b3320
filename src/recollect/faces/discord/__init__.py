"""The Discord assistant: events in, replies out. It translates; what is remembered is decided by `Memory`."""
