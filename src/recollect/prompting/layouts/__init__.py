"""Layouts of the prompt, one module each; those of earlier designs are in `compat.layouts`."""
