"""The command line to call, in an empty working directory; and which tests run on one store alone."""

import inspect

import pytest

from tests.faces.cli.conftest import cli, folder

__all__ = ["cli", "folder"]


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """What opens no store, as it neither waits for one nor calls a command, says the same on each."""
    if not inspect.iscoroutinefunction(metafunc.function) and "cli" not in metafunc.fixturenames:
        metafunc.definition.add_marker("sqlite")
