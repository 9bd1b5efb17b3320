"""How often the right lines come back: `python -m bench.recall --data DIR`."""
