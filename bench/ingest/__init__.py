"""How fast what is said goes in and is learned from, beside raw writes of the same rows: `python -m bench.ingest`."""
