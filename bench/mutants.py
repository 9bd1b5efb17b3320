"""`make mutants`: change one thing at a time in the source, and see whether a test near it notices.

A seeded sample of mutants of the modules below is put into the code at once, each behind a question for its number
(`bench.planting`). Processes share the tests that are near: each test runs as it is, and then once more with each
mutant that it reached and that no test has noticed yet (`bench.planted`). What survives is printed, and by which test
each other one is noticed: a test that fails without the mutant as well does not count.
Mutants that change nothing anyone could observe are listed in `mutants-equivalent.txt` with a reason, and not counted.
"""

import argparse
import ast
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.planting import ACTIVE, JOB, Offsets

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "recollect"
EQUIVALENT = Path(__file__).with_name("mutants-equivalent.txt")
TARGETS = ("policy", "learning", "recall", "privacy", "settings/wiring.py")
STORIES = (
    "tests/wire/test_requests.py",
    "tests/wire/test_items.py",
    "tests/settings/test_effects.py",
    "tests/prompting/test_context.py",
)
"""What most modules take part in; tried last."""
PLUGINS, FACES_PLUGINS = ("asyncio", "timeout", "hypothesispytest"), ("schemathesis", "simcord")
"""Of pytest, loaded by name: to load all that are installed takes longer than most tests."""
MAX_SURVIVING_SHARE = 0.1

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, order=True)
class Mutant:
    """A piece of a module's source, and what takes its place."""

    module: str
    line: int
    start: int
    end: int
    old: str
    new: str

    @property
    def key(self) -> str:
        """Independent of line numbers, so that a reviewed mutant stays reviewed."""
        return f"{self.module}: {' '.join(self.old.split())} -> {' '.join(self.new.split())}"


def mutants_of(module: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a module; left out are annotations, docstrings, decorators, patterns of `case`, log lines and
    `strict=`.
    """
    offsets = Offsets(source)
    for node in _interesting(ast.parse(source)):
        if isinstance(node, ast.expr | ast.stmt):
            start, end = offsets.of(node)
            for new in _changes(node):
                yield Mutant(module, node.lineno, start, end, source.encode()[start:end].decode(), new)


def _interesting(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of the code that runs."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or _is_prose(node) or _is_assertion(node):
                continue
            yield node
            yield from _interesting(node)


def _is_prose(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or ast.unparse(node).startswith("log.")
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise | ast.pattern)


def _is_assertion(node: ast.AST) -> bool:
    """`strict=` of `zip`: what it checks holds."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _changes(node: ast.expr | ast.stmt) -> Iterator[str]:
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
            left = ast.unparse(node.left)
            right = ast.unparse(node.comparators[0])
            yield f"({left} {_COMPARISONS[type(operator)][1]} {right})"
        case ast.BoolOp(op=operator, values=values):
            word = " or " if isinstance(operator, ast.And) else " and "
            yield f"({word.join(f'({ast.unparse(value)})' for value in values)})"
            yield from (f"({ast.unparse(value)})" for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right) if "'" not in ast.unparse(node):
            sign = "-" if isinstance(operator, ast.Add) else "+"
            yield f"({ast.unparse(left)} {sign} {ast.unparse(right)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value)):
            yield str(value + 1)
        case ast.Name(id=name) if name in _NAMES:
            yield _NAMES[name]
        case ast.IfExp(body=body, orelse=orelse):
            yield f"({ast.unparse(body)})"
            yield f"({ast.unparse(orelse)})"
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield "None"
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return None"
        case _:
            pass


def sample(count: int, seed: int) -> list[Mutant]:
    """A seeded sample over all target modules, each mutant with the same chance."""
    files = sorted(
        path
        for target in TARGETS
        for path in ([PACKAGE / target] if target.endswith(".py") else (PACKAGE / target).rglob("*.py"))
    )
    mutants = [
        mutant for path in files for mutant in mutants_of(path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8"))
    ]
    return sorted(random.Random(seed).sample(mutants, min(count, len(mutants))))


def nearest_tests(module: str) -> list[list[str]]:
    """Test files to try: first the module's own and those that import it, or those of its folder; then all others
    that may know of it, and the stories.
    """
    path = Path(module)
    stem = path.parent.name if path.stem == "__init__" else path.stem.lstrip("_")
    dotted = "recollect." + module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    tests = sorted((ROOT / "tests").rglob("test_*.py"))
    folder = [test for test in tests if test.relative_to(ROOT / "tests").parts[0] == path.parts[0]]
    own = [test for test in folder if stem in test.stem or test.parent.name == stem]
    parent, _, name = dotted.rpartition(".")
    users = [test for test in tests if _imports(test.read_text("utf-8"), dotted, parent, name)]
    near = list(dict.fromkeys([*own, *users])) or _in_closest_folder(path, tests)
    far = [test for test in dict.fromkeys([*folder, *(ROOT / story for story in STORIES)]) if test not in near]
    return [[str(test.relative_to(ROOT)) for test in stage] for stage in (near, far) if stage]


def _in_closest_folder(module: Path, tests: list[Path]) -> list[Path]:
    """Tests in the folder of the module, or in the nearest above it that has tests."""
    for folder in module.parents:
        if near := [test for test in tests if (ROOT / "tests" / folder) in test.parents]:
            return near
    return []


def _imports(text: str, dotted: str, parent: str, name: str) -> bool:
    lines = [line for line in text.splitlines() if line.startswith(("from ", "import "))]
    return any(f"{dotted} " in f"{line} " or (f"from {parent} import" in line and name in line) for line in lines)


@dataclass
class Trial:
    """Mutants by number, and notes of what became of them."""

    mutants: Sequence[Mutant]
    folder: Path

    def __post_init__(self) -> None:
        self.job, self.notes = self.folder / "job.json", self.folder / "notes.jsonl"
        planted = [(mutant.module, mutant.start, mutant.end, mutant.new) for mutant in self.mutants]
        self.job.write_text(json.dumps({"mutants": planted, "notes": str(self.notes)}))
        self.notes.touch()

    def noticed(self) -> dict[int, str]:
        """The test that notices a mutant, by its number."""
        return {line["noticed"]: line["test"] for line in self._lines() if "noticed" in line}

    def reached(self) -> set[int]:
        """Numbers of mutants that some test reaches."""
        return {number for line in self._lines() for number in line.get("reached", ())}

    def at_import(self) -> set[int]:
        """Numbers of mutants that take part while a module is imported: a fork of a later moment can't change them."""
        return {number for line in self._lines() for number in line.get("imported", ())}

    def _lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.notes.read_text("utf-8").splitlines()]

    def run(self, files: list[str], processes: int, end: float) -> None:
        """Try all mutants with the tests of these files, until the time is up."""
        shares = [files[number::processes] for number in range(processes)]
        running = [self._start(share) for share in shares if share]
        for process in running:
            try:
                process.wait(max(0.1, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait()

    def run_from_the_start(self, number: int, end: float) -> None:
        """Try a mutant that takes part in an import, in a process of its own, until the first test fails."""
        for stage in nearest_tests(self.mutants[number].module):
            if test := self._first_failure(stage, number, end):
                if "::" not in test or self._first_failure([test], None, end) is None:
                    with self.notes.open("a", encoding="utf-8") as notes:
                        notes.write(json.dumps({"noticed": number, "test": test}) + "\n")
                return

    def _first_failure(self, tests: list[str], number: int | None, end: float) -> str | None:
        """The first test that fails, or a word for what happened instead; None if all pass."""
        process = self._start(["-x", *tests], number)
        try:
            printed, _ = process.communicate(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            return None
        if process.returncode in (0, 5):  # 5: no test was selected
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (tests/\S+::.*?)(?: - |$)", printed, re.MULTILINE)
        return failed[1] if failed else "an error"

    def _start(self, arguments: list[str], number: int | None = None) -> subprocess.Popen[str]:
        options = ["-q", "--tb=no", "-p", "no:cacheprovider", "-m", "not slow and not postgres"]
        options += ["-o", "timeout_func_only=true"]  # the limit is that of one run of a test, not of all its mutants
        uses_faces = any("tests/faces/" in argument for argument in arguments)
        plugins = [f"-p{name}" for name in ("bench.planted", *PLUGINS, *(FACES_PLUGINS if uses_faces else ()))]
        job = {JOB: str(self.job)} | ({} if number is None else {ACTIVE: str(number)})
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *plugins, *options, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **job},
            stdout=subprocess.PIPE if "-x" in arguments else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
        )


def files_near(mutants: Sequence[Mutant], far: bool) -> list[str]:
    """Test files near the mutants, those that are near most of them first; `far` ones behind."""
    stages = [nearest_tests(module) for module in (mutant.module for mutant in mutants)]
    near = Counter(file for stage in stages for file in stage[0])
    rest = Counter(file for stage in stages for file in (stage[1] if len(stage) > 1 else []))
    files = [file for file, _ in near.most_common()]
    return [*files, *(file for file, _ in rest.most_common() if file not in near)] if far else files


def reviewed() -> dict[str, str]:
    """Equivalent mutants and why they are."""
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    entries = (line.partition(" # ") for line in lines if line.strip() and not line.startswith("#"))
    return {key.strip(): reason.strip() for key, _, reason in entries}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--near", action="store_true", help="no tests but the module's own and those that import it")
    options = parser.parse_args()
    equivalent = reviewed()
    chosen = [mutant for mutant in sample(options.count, options.seed) if mutant.key not in equivalent]
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(chosen, Path(folder))
        trial.run(files_near(chosen, not options.near), options.processes, end)
        for number in sorted(trial.at_import() - trial.noticed().keys()):
            trial.run_from_the_start(number, end)
        noticed, reached = trial.noticed(), trial.reached()
    for number, test in sorted(noticed.items()):
        print(f"noticed: {chosen[number].key}\n   by {test}")
    survivors = [number for number in range(len(chosen)) if number not in noticed]
    for number in survivors:
        how = "" if number in reached else ", reached by no test"
        print(f"survived: {chosen[number].key} (line {chosen[number].line}{how})")
    if time.monotonic() > end:
        print("time was up: not every test was tried")
    share = len(survivors) / max(1, len(chosen))
    print(f"{len(survivors)} of {len(chosen)} mutants survived ({share:.0%}); at most {MAX_SURVIVING_SHARE:.0%} may")
    return int(share > MAX_SURVIVING_SHARE)


if __name__ == "__main__":
    sys.exit(main())
