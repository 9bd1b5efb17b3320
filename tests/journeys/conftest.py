"""For journeys through the command line: a folder to be in, and programs to call."""

from pathlib import Path

import pytest

from tests.faces.cli.conftest import process

__all__ = ["process"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
