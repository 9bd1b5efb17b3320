"""Import and export formats, found by name."""
