"""What a program loads, and when: start-up must not wait for parts that nobody has asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "wordllama", "tokenizers", "pydantic", "pydantic_ai", "fastapi", "discord", "mcp", "typer", "rich"}
FLOWS = {
    "recollect.app",
    "recollect.settings",
    "recollect.policy.guard",
    "recollect.policy.redaction.scan",
    "recollect.learning.extract",
    "recollect.learning.apply",
    "recollect.learning.consolidate",
    "recollect.models.local",
    "recollect.privacy.erase",
}


def loaded(program: str, folder: Path, *arguments: str) -> set[str]:
    """The modules that a new process has at its end."""
    code = f"import atexit, sys\natexit.register(lambda: print('\\n', *sys.modules, file=sys.stderr))\n{program}"
    own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    env = own | {"RECOLLECT_DATA_DIR": str(folder)}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, check=True)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.sqlite
def test_importing_recollect_and_its_names_loads_neither_libraries_nor_flows(tmp_path: Path):
    assert not loaded("import recollect", tmp_path) & {*HEAVY, *FLOWS, "yaml", "asyncio", "recollect.core.types"}
    names = loaded("from recollect import Memory, AsyncMemory, Message, Place, Remembered", tmp_path)
    assert not names & {*HEAVY, *FLOWS, "yaml", "recollect.core.ports"}


@pytest.mark.sqlite
def test_every_public_name_is_there_and_no_other(tmp_path: Path):
    program = """
import recollect
assert all(getattr(recollect, name) is not None for name in recollect.__all__)
assert dir(recollect) == sorted(recollect.__all__)
assert not hasattr(recollect, "remember")
"""
    loaded(program, tmp_path)


@pytest.mark.sqlite
def test_a_command_that_looks_loads_no_part_that_learns_or_embeds(tmp_path: Path):
    command_line = "from recollect.faces.cli.main import main\nmain()"
    loaded(command_line, tmp_path, "remember", "I like green tea")
    shown = loaded(command_line, tmp_path, "show")
    unneeded = FLOWS - {"recollect.app", "recollect.settings"}
    assert "recollect.app" in shown
    assert not shown & {*unneeded, "numpy", "pydantic", "fastapi", "rich", "recollect.faces.chat"}
    # With which other packages' plug-ins are looked up: ours are found without.
    assert not shown & {"importlib.metadata", "email"}
    version = loaded(command_line, tmp_path, "version")
    assert not version & {*FLOWS, *HEAVY - {"typer"}, "yaml", "apsw"}


@pytest.mark.sqlite
def test_opening_a_memory_and_searching_it_by_words_loads_no_model(tmp_path: Path):
    program = "from recollect import Memory\nwith Memory('m.db', embedder='null') as m: m.search('tea', user='ada')"
    parts = loaded(program, tmp_path)
    assert "recollect.recall.search" in parts
    assert not parts & {*FLOWS - {"recollect.app", "recollect.settings"}, *HEAVY}
