"""Whether scores can be cut off: `python -m bench.calibration --data DIR`."""
