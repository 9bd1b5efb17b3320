"""How fast and how small the store is, beside a script by hand: `python -m bench.store`."""
