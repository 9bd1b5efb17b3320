"""The sides of a run: a contender, the Python that runs it and the source it is taken from, in a child process."""

import ast
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.public.vectors import register

ROOT = Path(__file__).parents[2]
CONTENDERS = Path(__file__).parent / "contenders"


class Ended(Exception):
    """The child's process ended before it answered."""


@dataclass
class Side:
    """One column of the table."""

    name: str
    contender: str
    python: str = sys.executable
    source: Path | None = None
    """A folder with another version of `recollect`."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What it said of itself when it was opened."""
    _process: "subprocess.Popen[str] | None" = None

    def environment(self, folder: Path) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        path = [*([str(self.source)] if self.source else []), str(ROOT), str(folder / "plug-ins")]
        python = {"PYTHONPATH": os.pathsep.join(path), "PYTHONHASHSEED": "0"}
        return own | python | {"HOME": str(folder), "PYTHONDONTWRITEBYTECODE": ""}  # compiled once

    def start(self, folder: Path) -> None:
        """Start the child on this folder, which may hold what an earlier one has saved."""
        register(folder / "plug-ins")
        program = [self.python, "-m", "bench.public.child", self.contender]
        self._process = subprocess.Popen(
            program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder, env=self.environment(folder)
        )
        self.facts = self.ask("open", folder=str(folder))

    def tell(self, task: str, **details: Any) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": task, **details}) + "\n")
        self._process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise Ended(f"{self.name} ended before it answered")
        return json.loads(line)

    def ask(self, task: str, **details: Any) -> dict[str, Any]:
        self.tell(task, **details)
        return self.answer()

    def kill(self) -> None:
        """End it as a power cut would end the process: nothing of it runs any more."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                assert stream is not None
                with suppress(BrokenPipeError):
                    stream.close()
            self._process = None

    def close(self) -> None:
        """Close the store; what it has on disk stays."""
        self.ask("close")
        self.kill()

    def run(self, program: str, folder: Path) -> float:
        """Seconds that a small program takes in a new process, from its start to its end."""
        command = [self.python, "-c", program, str(folder)]
        start = time.perf_counter()
        subprocess.run(command, check=True, cwd=folder, env=self.environment(folder), stderr=subprocess.DEVNULL)
        return time.perf_counter() - start

    def program(self, name: str) -> str:
        """A constant of the contender's module, read from its text: the module may not be importable here."""
        tree = ast.parse((CONTENDERS / f"{self.contender}.py").read_text("utf-8"))
        assigned = (node for node in tree.body if isinstance(node, ast.Assign))
        return next(ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == name)

    def missing(self) -> str | None:
        """Why it can't take part here: the last line of what its first program says when it fails."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.python, "-c", self.program("START"), folder]
            environment = self.environment(Path(folder))
            check = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
        return check.stderr.strip().rpartition("\n")[2] or "it fails" if check.returncode else None


@contextmanager
def started(sides: list[Side], folder: Path) -> Iterator[list[Side]]:
    """All of them, each in a folder of its own; ended afterwards whatever happens."""
    try:
        for side in sides:
            (folder / side.name).mkdir(parents=True, exist_ok=True)
            side.start(folder / side.name)
        yield sides
    finally:
        for side in sides:
            side.kill()
