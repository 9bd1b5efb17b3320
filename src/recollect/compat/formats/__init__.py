"""The file formats of three earlier designs."""
