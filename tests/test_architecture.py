"""The dependency rules of the package, checked on every import in the source, lazy ones included."""

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"

# Lowest first. A module imports from steps below its own and from its own folder; inside the tiers
# of SIDEWAYS also from its neighbours on the same step, as long as that makes no cycle.
STEPS = [
    ("words", "errors text clock version"),
    ("words", "types"),
    ("words", "ports plain"),
    (
        "decisions",
        "audience guard reading likeness speaking merge rank budget prompt lines names kinds dates directives",
    ),
    ("decisions", "repeating withheld"),
    ("files", "workspace"),
    ("plug-ins", "stores embedders models layers"),
    ("flows", "pausing copying narrowing"),
    ("flows", "learn cache calls courtesy redact triggers visits"),
    ("flows", "revisit revision"),
    ("flows", "ingest recall commands compose uses worker extraction files summaries privacy exchange dream vectors"),
    ("flows", "undoing"),
    ("assembly", "plugins settings profiles"),
    ("assembly", "rules"),
    ("assembly", "memory"),
    ("assembly", "app office testing"),
    ("faces", "replies client listening"),
    ("faces", "tool orders"),
    ("faces", "assistant adapters"),
    ("faces", "bot web mcp_server anthropic_memory"),
    ("faces", "cli"),
    ("faces", "__main__"),
]
RANK = {name: rank for rank, (_, names) in enumerate(STEPS) for name in names.split()}
TIER = {name: tier for tier, names in STEPS for name in names.split()}
SIDEWAYS = {"words", "decisions"}
STANDARD_LIBRARY_ONLY = {"words", "decisions"}
ROOT_IMPORTS = {
    "app",
    "commands",
    "errors",
    "memory",
    "ports",
    "recall",
    "types",
    "undoing",
    "version",
}  # what recollect/__init__.py hands out

# Which place owns which libraries; one that is not named here may be used above the decisions.
LIBRARIES = {
    "bot": "discord",
    "web": "fastapi starlette uvicorn jinja2 prometheus_client multipart",
    "mcp_server": "mcp mcp_types uvicorn",
    "listening": "uvicorn",
    "anthropic_memory": "anthropic",
    "cli": "typer click rich prompt_toolkit",
    "stores": "apsw Stemmer psycopg",
    "embedders": "wordllama tokenizers safetensors",
    "models": "pydantic_ai",
    "redact": "detect_secrets",
    "assistant": "pydantic_ai",
    "adapters": "pydantic_ai langgraph langchain_core",
    "testing": "discord",
}
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
LONGEST_MODULE = 400


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for path in sorted((SRC / "recollect").rglob("*.py"))}


def imports(module: str, source: str, *, is_package: bool = False) -> Iterator[str]:
    """Dotted names of what is imported; `from a import b` gives `a.b`, be `b` a module or not."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=base, names=aliases, level=level):
                parents = module.split(".")
                here = parents[: len(parents) - level + is_package] if level else []
                yield from (".".join([*here, *filter(None, [base]), alias.name]) for alias in aliases)
            case ast.Call(
                func=ast.Name(id="import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name
            case _:
                pass


def reads_environment(source: str) -> bool:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in ENVIRONMENT:
                return True
            case ast.ImportFrom(module="os", names=aliases) if any(each.name in ENVIRONMENT for each in aliases):
                return True
            case ast.Import(names=aliases) if any(each.name == "os" and each.asname for each in aliases):
                return True  # nobody renames `os` for an honest reason
            case ast.keyword(arg="envvar"):  # typer reads the variable itself
                return True
            case _:
                pass
    return False


def inside_problem(here: str, target: str) -> str | None:
    """Why the part `here` of the package may not import the part `target`, if so."""
    if target == here:
        return None
    if target not in RANK:
        return f"imports {target!r} from recollect: name the module it lives in, or add that to STEPS"
    if here == "__init__":
        return None if target in ROOT_IMPORTS else f"hands out {target}: not among ROOT_IMPORTS"
    if TIER[target] == "plug-ins":
        return f"imports {target}: plug-ins are found by name through `plugins`, never imported"
    if RANK[target] > RANK[here]:
        return f"imports {target}: upwards, {TIER[here]} to {TIER[target]}"
    if RANK[target] == RANK[here] and TIER[here] not in SIDEWAYS:
        return f"imports {target}: sideways among {TIER[here]}"
    return None


def outside_problem(here: str, library: str) -> str | None:
    """Why the part `here` of the package may not import a library, if so."""
    if library in sys.stdlib_module_names:
        return None
    if TIER.get(here) in STANDARD_LIBRARY_ONLY:
        return f"imports {library}: {TIER[here]} use the standard library only"
    owners = [place for place, libraries in LIBRARIES.items() if library in libraries.split()]
    if owners and here not in owners:
        return f"imports {library}: it belongs to {' and '.join(owners)}"
    return None


def violations(module: str, source: str, *, is_package: bool = False) -> list[str]:
    """Every rule that the source of a module breaks, in words."""
    here = [*module.split("."), "__init__"][1]
    if here not in RANK and here != "__init__":
        return [f"{module} is in no tier: add {here!r} to a step of STEPS in tests/test_architecture.py"]
    problems: list[str | None] = []
    for name in imports(module, source, is_package=is_package):
        top, *rest = name.split(".")
        inside = top == "recollect"
        problems.append(inside_problem(here, (rest or ["*"])[0]) if inside else outside_problem(here, top))
    if here != "settings" and reads_environment(source):
        problems.append("reads the environment: only settings does")
    if len(source.splitlines()) > LONGEST_MODULE:
        problems.append(f"has more than {LONGEST_MODULE} lines: it probably holds two ideas")
    return [f"{module} {problem}" for problem in dict.fromkeys(problems) if problem]


def cycle(sources: Mapping[str, str], packages: frozenset[str] = frozenset()) -> list[str]:
    """One import cycle among the modules, or nothing."""

    def module_of(name: str) -> str | None:
        while name and name not in sources:
            name = name.rpartition(".")[0]
        return name or None

    graph: dict[str, set[str | None]] = {}
    for module, source in sources.items():
        names = imports(module, source, is_package=module in packages)
        graph[module] = {module_of(name) for name in names} - {module, None}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1][::-1]  # graphlib names what is imported first
    return []


@pytest.mark.parametrize("module", FILES)
def test_module_keeps_the_rules(module: str):
    path = FILES[module]
    assert violations(module, path.read_text("utf-8"), is_package=path.stem == "__init__") == []


def test_no_import_cycle_anywhere():
    packages = frozenset(module for module, path in FILES.items() if path.stem == "__init__")
    found = cycle({module: path.read_text("utf-8") for module, path in FILES.items()}, packages)
    assert not found, " imports ".join(found)


def test_importing_recollect_loads_nothing_heavy():
    heavy = {"discord", "fastapi", "mcp", "pydantic_ai", "wordllama", "typer", "numpy"}
    program = f"import sys, recollect; print(*sorted({heavy!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("recollect.types", "import recollect.core.ports", "upwards, words to words"),
        ("recollect.rank", "from recollect.recall.search import search", "upwards, decisions to flows"),
        ("recollect.recall", "def f():\n    from recollect.faces.cli import main as cli", "upwards, flows to faces"),
        ("recollect.memory", "if TYPE_CHECKING:\n    from .app import App", "upwards, assembly to assembly"),
        ("recollect.bot.cog", "from ..cli import main", "upwards, faces to faces"),
        ("recollect.recall", "from recollect.learning.ingest import observe", "sideways among flows"),
        ("recollect.web", "import recollect.faces.discord", "sideways among faces"),
        ("recollect.memory", "from recollect.stores.sqlite import SQLiteStore", "plug-ins are found by name"),
        ("recollect.layers.lore", "from recollect.stores import sqlite", "plug-ins are found by name"),
        ("recollect.app", "import_module('recollect.models.local')", "plug-ins are found by name"),
        ("recollect", "from recollect.recall.vectors.index import Vectors", "not among ROOT_IMPORTS"),
        ("recollect.bot", "from recollect import Memory", "name the module it lives in"),
        ("recollect.bot", "import recollect", "name the module it lives in"),
        ("recollect.bot", "from recollect.helpers import tidy", "add that to STEPS"),
        ("recollect.helpers", "", "is in no tier: add 'helpers'"),
        ("recollect.types", "from pydantic import BaseModel", "words use the standard library only"),
        ("recollect.rank", "import numpy as np", "decisions use the standard library only"),
        ("recollect.memory", "import apsw", "it belongs to stores"),
        ("recollect.cli.chat", "from discord.ext import commands", "it belongs to bot"),
        ("recollect.bot", "from pydantic_ai import Agent", "it belongs to models and assistant"),
        ("recollect.stores.sqlite", "import os\nos.environ['HOME']", "reads the environment"),
        ("recollect.app", "from os import getenv", "reads the environment"),
        ("recollect.cli", "import typer\ntyper.Option(envvar='X')", "reads the environment"),
        ("recollect.app", "\n" * 401, "more than 400 lines"),
    ],
)
def test_checker_sees_a_violation(module: str, source: str, complaint: str):
    (found,) = violations(module, source)
    assert found.startswith(module)
    assert complaint in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("recollect", "from recollect.memory import Memory\nfrom recollect.core.version import __version__"),
        ("recollect.text", "import re\nfrom recollect.core.errors import RecollectError"),
        ("recollect.ports", "from recollect.core.types import Memo"),
        ("recollect.merge", "from recollect.language.dates import parse"),
        ("recollect.stores.sqlite.memos", "import apsw\nfrom recollect.stores.sqlite import schema"),
        ("recollect.models.pydantic_ai", "from pydantic_ai import Agent\nfrom recollect.core.types import Memo"),
        ("recollect.settings", "import os, yaml\nos.environ.get('X')"),
        ("recollect.cli.chat", "import rich\nfrom recollect.faces.discord import run\nfrom . import welcome"),
        ("recollect.app", "import os\nos.fsync(1)"),
        ("recollect.__main__", "from recollect.faces.cli.main import main"),
        ("recollect.app", "\n" * 400),
    ],
)
def test_checker_lets_the_rest_pass(module: str, source: str):
    assert violations(module, source) == []


def test_checker_sees_a_cycle_of_lazy_and_relative_imports():
    sources = {
        "recollect.stores": "",
        "recollect.stores.a": "from recollect.stores.b import x",
        "recollect.stores.b": "def f():\n    from . import c",
        "recollect.stores.c": "from .a import y",
    }
    found = cycle(sources, frozenset({"recollect.stores"}))
    assert {name.rpartition(".")[2] for name in found} == {"a", "b", "c"}
    assert cycle(sources | {"recollect.stores.c": "from . import missing"}) == []


def test_relative_imports_are_resolved_from_modules_and_packages():
    source = "from . import a\nfrom .b import c\nfrom .. import d"
    in_module = ["recollect.bot.a", "recollect.bot.b.c", "recollect.d"]
    assert list(imports("recollect.bot.cog", source)) == in_module
    assert list(imports("recollect.bot", source.rsplit("\n", 1)[0], is_package=True)) == in_module[:2]
