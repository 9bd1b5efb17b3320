"""Where memory lives; each file or folder here is one backend, found by its name."""
