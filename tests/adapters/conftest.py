"""The tests in `frameworks` need packages that are not here: `make test-adapters` runs them."""

collect_ignore = ["frameworks"]
