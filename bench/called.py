"""A pytest plug-in for `bench.mutants`: which functions of the package does each test call, and did it pass?

One line of JSON per test, in the file that `RECOLLECT_CALLED` names: its id, whether it passed, its seconds, and the
functions by module and first line.
"""

import json
import os
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

FILE = "RECOLLECT_CALLED"
PACKAGE = "/recollect/"


class Recorder:
    """Notes each function when it is first called in a test."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)
        self.known: dict[CodeType, str | None] = {}
        self.called: set[str] = set()
        self.passed, self.seconds = True, 0.0

    def trace(self, frame: FrameType, event: str, argument: Any) -> None:
        del event, argument
        code = frame.f_code
        if code not in self.known:
            _, package, module = code.co_filename.rpartition(PACKAGE)
            self.known[code] = f"{module}:{code.co_firstlineno}" if package else None
        name = self.known[code]
        if name is not None:
            self.called.add(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.called, self.passed, self.seconds = set(), True, 0.0
        threading.settrace(self.trace)
        sys.settrace(self.trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # pyright: ignore[reportArgumentType]
            line = {"id": item.nodeid, "passed": self.passed, "seconds": self.seconds, "called": sorted(self.called)}
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed = self.passed and not report.failed
        self.seconds += report.duration


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Recorder(os.environ[FILE]))
