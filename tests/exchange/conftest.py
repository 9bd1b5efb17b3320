"""The command line to call, in an empty working directory."""

from tests.cli.conftest import cli, folder

__all__ = ["cli", "folder"]
