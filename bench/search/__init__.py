"""How search grows: `python -m bench.search`."""
