"""What every test shares."""

pytest_plugins = ["tests.acceptance"]
