"""The ground that tests stand on: stores are opened where this module says, on SQLite or on PostgreSQL.

A test in `BOTH` runs once on each: on PostgreSQL as `test_…[postgres]`, with the mark `postgres`, and in `make test`
only where it says `QUICK`. What is about files and SQLite itself is marked `sqlite` and stays there, as what asks for
a server or a `database` is on PostgreSQL anyway.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, chdir, closing
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.stores.postgres import in_database, made_database, run

QUICK, SLOW = "quick", "slow"
BOTH: dict[str, str | None] = {
    "faces/discord/test_journeys.py": QUICK,
    "journeys": QUICK,
    "journeys/test_babbling.py": SLOW,
    "journeys/test_chat.py": SLOW,
    "journeys/test_designs.py": SLOW,
    "journeys/test_documents.py": SLOW,
    "test_arguments.py": QUICK,
    "test_ids.py": SLOW,
    "test_memory.py": SLOW,
    "test_remember_many.py": QUICK,
    "test_memo_versions.py": QUICK,
    "recall/test_audience_migration.py": SLOW,
    "test_regressions.py": SLOW,
    "adapters/test_langgraph.py": SLOW,
    "adapters/test_mem0.py": SLOW,
    "adapters/test_langgraph_contract.py": SLOW,
    "adapters/test_pydantic_ai.py": SLOW,
    "faces/assistant": SLOW,
    "faces/discord": SLOW,
    "faces/cli/test_serve.py": SLOW,
    "embedders/test_through_memory.py": SLOW,
    "transfer/test_importing.py": SLOW,
    "transfer/test_cli.py": SLOW,
    "transfer/test_jsonl.py": SLOW,
    "transfer/test_round_trips.py": SLOW,
    "transfer/mirror": SLOW,
    "journeys/test_write_path_kill.py": SLOW,
    "prompting/layers": SLOW,
    "faces/mcp": SLOW,
    "faces/commands": SLOW,
    "privacy": SLOW,
    "redteam/test_gone_is_gone.py": SLOW,
    "policy/test_visibility.py": SLOW,
    "prompting/test_context.py": SLOW,
    "recall/test_visible_candidates.py": SLOW,
    "compat/test_documents.py": SLOW,
    "learning/test_consolidate.py": SLOW,
    "learning/test_apply.py": SLOW,
    "learning/test_batches.py": SLOW,
    "learning/test_extract.py": SLOW,
    "recall/test_display_names.py": SLOW,
    "admin/test_admin.py": SLOW,
    "admin/test_tokens.py": SLOW,
    "prompting/test_prompt_cache.py": SLOW,
    "learning/test_rollback.py": SLOW,
    "learning/test_summarize.py": SLOW,
    "settings/test_switches.py": SLOW,
    "learning/test_relearn.py": SLOW,
    "learning/test_restore.py": SLOW,
    "learning/test_undo.py": SLOW,
    "recall/test_usage.py": SLOW,
    "recall/test_vectors.py": SLOW,
    "jobs/test_worker.py": SLOW,
    "faces/tool/test_actions.py": SLOW,
    "faces/tool/test_calls.py": SLOW,
    "faces/tool/test_update.py": SLOW,
    "faces/http": SLOW,
    "faces/http/test_browser_pages.py": None,
    "faces/http/test_browser_jobs.py": None,
}
"""Where tests run on both stores: a folder or a file; what is named more closely goes first. None: on SQLite only, as
the store does not matter and a browser is slow.
"""

_SERVERS = {"database", "own_server", "pair"}
"""Fixtures of those who have chosen already."""


class Ground(Protocol):
    def new(self) -> str:
        """The address of an empty store."""
        ...

    def at(self, path: Path) -> str:
        """The address of the store that belongs to a path."""
        ...

    def folder(self, address: str) -> Path | None:
        """The folder of a store that belongs to a path."""
        ...

    def rows(self, address: str, query: str) -> list[tuple[Any, ...]]:
        """What plain SQL finds in a store."""
        ...

    def copy(self, source: Path, target: Path) -> None:
        """Have the store of one path at another as well, when everything else there was copied."""
        ...

    def environment(self, data_dir: str) -> dict[str, str]:
        """What a process has to be told to use the store at its usual path."""
        ...


class Files:
    def new(self) -> str:
        return "sqlite://"

    def at(self, path: Path) -> str:
        return f"sqlite:///{path}"

    def folder(self, address: str) -> Path | None:
        path = address.removeprefix("sqlite://")
        return Path(path[1:]).parent if path else None

    def rows(self, address: str, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as connection:
            return connection.execute(query).fetchall()

    def copy(self, source: Path, target: Path) -> None:
        """It is a file among the others."""

    def environment(self, data_dir: str) -> dict[str, str]:
        return {}


class Databases:
    """A database for each store, dropped when the test is over."""

    def __init__(self, server: str, template: str, ending: ExitStack) -> None:
        self._server = server
        self._template = template
        self._ending = ending
        self._made: dict[Path, str] = {}

    def new(self) -> str:
        return self._new(self._template)

    def _new(self, template: str) -> str:
        return in_database(self._server, self._ending.enter_context(made_database(self._server, template)))

    def at(self, path: Path) -> str:
        path = path.resolve()
        if path not in self._made:
            self._made[path] = self.new()
        return self._made[path]

    def folder(self, address: str) -> Path | None:
        return next((path.parent for path, made in self._made.items() if made == address), None)

    def rows(self, address: str, query: str) -> list[tuple[Any, ...]]:
        return run(address, query)

    def copy(self, source: Path, target: Path) -> None:
        name = self._made[source.resolve()].rpartition("/")[2].partition("?")[0]
        self._made[target.resolve()] = self._new(name)

    def environment(self, data_dir: str) -> dict[str, str]:
        return {"RECOLLECT_STORE": self.at(Path(data_dir, "memory.db"))}


_chosen: Ground = Files()


def new() -> str:
    """The address of an empty store."""
    return _chosen.new()


def at(path: Path) -> str:
    """The address of the store that belongs to a path; the same path, within a test, is the same store."""
    return _chosen.at(path)


def folder(address: str) -> Path | None:
    """The folder of the path that a store belongs to; None when it belongs to none."""
    return _chosen.folder(address)


def rows(address: str, query: str) -> list[tuple[Any, ...]]:
    """What somebody finds who looks into a store with plain SQL."""
    return _chosen.rows(address, query)


def copy(source: Path, target: Path) -> None:
    """Have the store of one path, which nobody has open, at another as well; the folder itself was copied."""
    _chosen.copy(source, target)


def environment(data_dir: str = "data") -> dict[str, str]:
    """What a process in this folder has to be told, so that its store is that of `memory.db` in there."""
    return _chosen.environment(data_dir)


def is_sqlite() -> bool:
    return isinstance(_chosen, Files)


@pytest.fixture(autouse=True)
def _ground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    global _chosen
    if getattr(request, "param", "sqlite") == "sqlite":
        yield
        return
    server, template = request.getfixturevalue("postgres"), request.getfixturevalue("template")
    with ExitStack() as ending:
        _chosen = Databases(server, template, ending)
        # Files are kept beside a database even where a store in memory keeps none; they go where nobody looks.
        ending.enter_context(chdir(tmp_path_factory.mktemp("beside")))
        try:
            yield
        finally:
            _chosen = Files()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "postgres: runs on PostgreSQL what runs on SQLite as well")
    config.addinivalue_line("markers", "sqlite: is about files or SQLite itself, and runs on no other store")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Have a test run on both stores, if it is one of those."""
    speed = _speed(metafunc.definition.path)
    decided = metafunc.definition.get_closest_marker("sqlite") or not _SERVERS.isdisjoint(metafunc.fixturenames)
    if speed is None or decided:
        return
    marks = [pytest.mark.postgres, *([pytest.mark.slow] if speed == SLOW else [])]
    stores = [pytest.param("sqlite", id=pytest.HIDDEN_PARAM), pytest.param("postgres", marks=marks)]
    metafunc.parametrize("_ground", stores, indirect=True)


def _speed(path: Path) -> str | None:
    inside = path.relative_to(Path(__file__).parent)
    named = [str(inside), *(str(parent) for parent in inside.parents)]
    return next((BOTH[name] for name in named if name in BOTH), None)
