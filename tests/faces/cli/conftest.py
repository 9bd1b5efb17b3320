"""A command line to call: in this process with a store of its own, or as a process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect.faces.cli.main import build
from tests import ground

ENVIRONMENT = {"RECOLLECT_EMBEDDER": "null", "RECOLLECT_DATA_DIR": "data", "PATH": os.environ["PATH"], "COLUMNS": "80"}
if "PYTHONPATH" in os.environ:  # the source that is tested, where that is not the installed one
    ENVIRONMENT["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and no settings from outside."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("RECOLLECT_", "DISCOCLAW_", "DEVCLAW_"))]:
        monkeypatch.delenv(name)
    return tmp_path


def _environment(said: dict[str, str]) -> dict[str, str]:
    env = ENVIRONMENT | said
    return ground.environment(env["RECOLLECT_DATA_DIR"]) | env


@pytest.fixture
def cli() -> Run:
    """Call a command in this process; `code` is what it has to end with."""

    def run(*args: str, code: int = 0, stdin: str | bytes = "", **env: str) -> Outcome:
        result = CliRunner(env=_environment(env)).invoke(build(colors=False), list(args), input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        outcome = Outcome(result.exit_code, result.stdout, result.stderr)
        assert outcome.code == code, outcome
        assert "Traceback" not in outcome.err
        return outcome

    return run


@pytest.fixture
def process() -> Run:
    """Call a command as a process of its own, with these variables and no others."""

    def run(*args: str, code: int = 0, stdin: bytes = b"", **env: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *args],
            input=stdin,
            capture_output=True,
            env=_environment(env),
            check=False,
        )
        outcome = Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert outcome.code == code, outcome
        return outcome

    return run
