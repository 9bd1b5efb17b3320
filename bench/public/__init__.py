"""The public object beside a strong script and other libraries, in one run: `python -m bench.public`."""
