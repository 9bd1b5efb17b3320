"""`make mutants`: change one thing at a time in the source, and see whether a test near it notices.

A seeded sample of mutants of the modules below is tried, one after the other, in a copy of the source: first against
the tests that call the function, the nearest and the quickest first, then against all that are near, those of the
folder and the stories over the wire. What survives is printed, and by which test each other one is noticed: a test that
fails without the mutant as well does not count.
Mutants that change nothing anyone could observe are listed in `mutants-equivalent.txt` with a reason, and not counted.
"""

import argparse
import ast
import compileall
import hashlib
import json
import os
import py_compile
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.called import FILE

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
TEST_TIMEOUT_SECONDS = 1800
"""Generous, as it counts as noticed: a single test that hangs is ended much earlier."""
MAX_CALLERS = 250
"""Tests that are tried before whole files."""
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
    """Every mutant of a module; annotations, docstrings, decorators, log lines and `strict=` are left out."""
    encoded = source.encode()
    offsets = [0]
    for line in encoded.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    for node in _interesting(ast.parse(source)):
        if isinstance(node, ast.expr | ast.stmt):
            start = offsets[node.lineno - 1] + node.col_offset
            end = offsets[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            for new in _changes(node):
                yield Mutant(module, node.lineno, start, end, encoded[start:end].decode(), new)


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
    return isinstance(node, ast.Import | ast.ImportFrom | ast.JoinedStr | ast.Raise)


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
    """A copy of the source in which mutants are tried, and what is known of the tests."""

    folder: Path
    calls_file: Path
    broken: set[str] = field(default_factory=set[str])
    """Tests that fail without a mutant, or with one at times; left out from then on."""
    calls: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])
    """By test file, as it is now: its tests, and the functions that each of them calls."""

    def __post_init__(self) -> None:
        self.copy = self.folder / "src"
        shutil.copytree(PACKAGE, self.copy / "recollect", ignore=shutil.ignore_patterns("__pycache__"))
        # by hash: a mutant and what it replaces may well be of the same second and size
        compileall.compile_dir(self.copy, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)

        if self.calls_file.exists():
            self.calls = json.loads(self.calls_file.read_text("utf-8"))

    def killer(self, mutant: Mutant, whole: bool) -> str | None:
        """The first test that fails with the mutant, twice, and passes without; None if the mutant survives."""
        path = self.copy / "recollect" / mutant.module
        source = path.read_bytes()
        changed = source[: mutant.start] + mutant.new.encode() + source[mutant.end :]

        def fails(tests: list[str], content: bytes) -> str | None:
            path.write_bytes(content)
            try:
                return self._first_failure(tests)
            finally:
                path.write_bytes(source)

        for stage in self.stages(mutant, source.decode(), whole):
            while stage and (failed := fails(stage, changed)) is not None:
                if "::" not in failed:  # no test could be run at all
                    return failed
                if fails([failed], source) is None and fails([failed], changed) is not None:
                    return failed
                self.broken.add(failed)
                print(f"fails without the mutant, or passes with it at times; left out: {failed}", flush=True)
        return None

    def stages(self, mutant: Mutant, source: str, whole: bool) -> Iterator[list[str]]:
        """Tests to try, one stage after the other: those that call the function, near and far, then `whole` files."""
        files = nearest_tests(mutant.module)
        for stage in files:
            yield self.callers(mutant, source, stage)
        if whole:
            yield from files

    def callers(self, mutant: Mutant, source: str, files: list[str]) -> list[str]:
        """Tests of the files that call the mutant's function, quickest first; any of its module's, outside of one."""
        missing = [file for file in files if _version(file) not in self.calls]
        if missing:
            self._record(missing)
        # what a cached function calls is called once per process, whoever needs it
        line = 0 if "cache" in source else mutant.line
        first, last = function_lines(source, line)
        known = [test for file in files for test in self.calls[_version(file)]]
        self.broken |= {test["id"] for test in known if not test["passed"]}
        lines = {f"{mutant.module}:{line}" for line in range(first, last + 1)}
        tests = [test for test in known if lines & set(test["called"])]
        tests.sort(key=lambda test: test["seconds"])
        return [test["id"] for test in tests if test["id"] not in self.broken][:MAX_CALLERS]

    def _record(self, files: list[str]) -> None:
        """Run tests without a mutant, and note what they call."""
        self.calls |= {_version(file): [] for file in files}
        notes = self.folder / "called.jsonl"
        notes.write_text("")
        self._run(["-p", "bench.called", *files], {FILE: str(notes)})
        for test in map(json.loads, notes.read_text("utf-8").splitlines()):
            self.calls[_version(test["id"].partition("::")[0])].append(test)
        self.calls_file.write_text(json.dumps(self.calls))

    def _first_failure(self, tests: list[str]) -> str | None:
        """The first test that fails, or a word for what happened instead; None if all pass."""
        deselected = [f"--deselect={test}" for test in sorted(self.broken)]
        try:
            done = self._run(["-x", *deselected, *tests], {})
        except subprocess.TimeoutExpired:
            return "no end in time"
        if done.returncode in (0, 5):  # 5: no test was selected
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (tests/\S+::.*?)(?: - |$)", done.stdout, re.MULTILINE)
        return failed[1] if failed else "an error"

    def _run(self, arguments: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        options = ["-q", "--tb=no", "-p", "no:cacheprovider", "-m", "not slow and not postgres"]
        uses_faces = any("tests/faces/" in argument for argument in arguments)
        plugins = [f"-p{name}" for name in (*PLUGINS, *(FACES_PLUGINS if uses_faces else ()))]
        return subprocess.run(
            [sys.executable, "-m", "pytest", *plugins, *options, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(self.copy), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **env},
            capture_output=True,
            text=True,
            timeout=TEST_TIMEOUT_SECONDS,
        )


def _version(file: str) -> str:
    """A test file and what is in it."""
    return f"{file} {hashlib.sha256((ROOT / file).read_bytes()).hexdigest()[:16]}"


def function_lines(source: str, line: int) -> tuple[int, int]:
    """First and last line of the outermost function that a line is in; of the module, if in none."""
    tree = ast.parse(source)
    classes = [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]
    for node in (node for scope in classes for node in scope.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= node.end_lineno:
                return first, node.end_lineno
    return 1, len(source.splitlines())


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
    parser.add_argument("--near", action="store_true", help="only tests that call the function")
    parser.add_argument("--calls", type=Path, help="a file that keeps which test calls what, for further runs")
    options = parser.parse_args()
    equivalent, survivors, tried = reviewed(), list[Mutant](), 0
    end = time.monotonic() + 60 * options.minutes
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), options.calls or Path(folder) / "calls.json")
        chosen = [mutant for mutant in sample(options.count, options.seed) if mutant.key not in equivalent]
        random.Random(options.seed).shuffle(chosen)  # if time runs out, the rest is a sample too
        for mutant in chosen:
            if time.monotonic() > end:
                print(f"time is up: {len(chosen) - tried} mutants were not tried")
                break
            tried += 1
            print(f"{tried}: {mutant.key}", flush=True)
            test = trial.killer(mutant, not options.near)
            print(f"   {test or f'SURVIVED, line {mutant.line}'}", flush=True)
            if test is None:
                survivors.append(mutant)
    for mutant in survivors:
        print(f"survived: {mutant.key} (line {mutant.line})")
    share = len(survivors) / max(1, tried)
    print(f"{len(survivors)} of {tried} mutants survived ({share:.0%}); at most {MAX_SURVIVING_SHARE:.0%} may")
    return int(share > MAX_SURVIVING_SHARE)


if __name__ == "__main__":
    sys.exit(main())
