"""A pytest plug-in for `bench.mutants`: each test runs as it is, and then, in a fork, with each mutant that it
reached and that no test has noticed yet.

A fork needs no import and no collection, so most mutants cost the tests that reach them and nothing else.
"""

import builtins
import functools
import gc
import json
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from bench.planting import ACTIVE, JOB, QUESTION, Change, plant

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "recollect"
NOBODY = -1
MIN_SECONDS, SLOWER = 60.0, 20.0
"""How long a test may take with a mutant, and how many times as long as without; a mutant may be a loop without end."""
MAX_HANGS = 2
"""After as many a mutant is not tried with further tests."""
OWN_CACHES = ("recollect.policy", "recollect.learning", "recollect.recall", "recollect.privacy", "recollect.settings")
"""Where every cache is emptied before a test; elsewhere those of a limited size, as others hold what files say."""


class Loader(SourceFileLoader):
    """Compiles a module with its mutants."""

    def __init__(self, name: str, path: str, changes: Sequence[Change]) -> None:
        super().__init__(name, path)
        self._changes = changes

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.get_filename(fullname))
        return compile(plant(path.read_text("utf-8"), self._changes), str(path), "exec", dont_inherit=True)


class Finder:
    """Finds the modules that have mutants."""

    def __init__(self, mutants: Sequence[tuple[str, int, int, str]]) -> None:
        self._changes: defaultdict[str, list[Change]] = defaultdict(list)
        for number, (module, start, end, new) in enumerate(mutants):
            self._changes[str(PACKAGE / module)].append(Change(number, start, end, new))

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith("recollect") else None
        if spec is None or spec.origin not in self._changes:
            return None
        loader = Loader(name, spec.origin, self._changes[spec.origin])
        folders = spec.submodule_search_locations
        return spec_from_file_location(name, spec.origin, loader=loader, submodule_search_locations=folders)


class Trials:
    """Runs tests with and without mutants, and notes what they notice."""

    def __init__(self, notes: Path, active: int) -> None:
        self.notes, self.active = notes, active
        self.hits: set[int] = set()
        self.reached: set[int] = set()
        self.caches: list[Any] | None = None
        self.hangs: defaultdict[int, int] = defaultdict(int)

    def is_active(self, number: int) -> bool:
        """What the code asks."""
        self.hits.add(number)
        return number == self.active

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if self.active != NOBODY:
            return None
        if self.caches is None:
            self.caches = _caches()
            self._note(imported=sorted(self.hits))
        passed, seconds = self._run(item, nextitem)
        if passed:
            self._try_mutants(item, max(MIN_SECONDS, SLOWER * seconds))
        return True

    def _run(self, item: pytest.Item, nextitem: pytest.Item | None) -> tuple[bool, float]:
        """Run a test as it is; whether it passed, and its seconds."""
        self._empty_caches()
        self.hits.clear()
        began = time.monotonic()
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = runtestprotocol(item, nextitem=nextitem)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if new := self.hits - self.reached:
            self.reached |= new
            self._note(reached=sorted(new))
        return all(report.passed for report in reports), time.monotonic() - began

    def _try_mutants(self, item: pytest.Item, limit: float) -> None:
        noticed = {line.get("noticed") for line in map(json.loads, self.notes.read_text("utf-8").splitlines())}
        for number in sorted(self.hits - noticed):
            if self.hangs[number] >= MAX_HANGS or self._passes(item, number, limit):
                continue
            # a test that fails without the mutant, or not each time with it, has noticed nothing
            if self._passes(item, NOBODY, limit) and not self._passes(item, number, limit):
                self._note(noticed=number, test=item.nodeid)

    def _passes(self, item: pytest.Item, number: int, limit: float) -> bool:
        """Whether a test passes with a mutant, in a fork."""
        pid = os.fork()
        if pid == 0:
            self._run_in_fork(item, number)
        end, pause = time.monotonic() + limit, 0.002
        while time.monotonic() < end:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return status == 0
            time.sleep(pause)
            pause = min(pause * 1.5, 0.1)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self.hangs[number] += 1
        return False

    def _run_in_fork(self, item: pytest.Item, number: int) -> None:
        code = 1
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            self._empty_caches()
            self.active = number
            # as if the same test came next: what it shares with other tests is the parent's to close
            code = int(any(report.failed for report in runtestprotocol(item, log=False, nextitem=item)))
        finally:
            os._exit(code)

    def _empty_caches(self) -> None:
        for cache in self.caches or ():
            cache.cache_clear()

    def _note(self, **line: Any) -> None:
        with self.notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _caches() -> list[Any]:
    """Caches of the package: a value that is known already would hide a mutant."""
    kind = type(functools.cache(len))
    caches: list[Any] = [each for each in gc.get_objects() if isinstance(each, kind)]
    own = [cache for cache in caches if str(cache.__module__).startswith("recollect")]
    return [cache for cache in own if cache.__module__.startswith(OWN_CACHES) or cache.cache_parameters()["maxsize"]]


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_TRIALS)


_job = json.loads(Path(os.environ[JOB]).read_text("utf-8"))
_TRIALS = Trials(Path(_job["notes"]), int(os.environ.get(ACTIVE, NOBODY)))
setattr(builtins, QUESTION, _TRIALS.is_active)
sys.meta_path.insert(0, Finder(_job["mutants"]))  # before anything imports the package
