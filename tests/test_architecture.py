"""The dependency rules of ARCHITECTURE.md, checked on every import in the source, lazy ones included."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"

# Lowest first: the folders are the tiers. A module imports from rows above its own, or from its own folder.
TIERS = [
    {"core"},
    {"language"},
    {"policy"},
    {"workspace"},
    {"stores", "embedders", "models", "rerankers"},
    {"jobs", "recall"},
    {"learning"},
    {"prompting", "privacy", "transfer"},
    {"plugins", "bot_state"},
    {"settings"},
    {"app", "inputs"},
    {"engine", "arguments"},
    {"view", "transfers"},
    {"lifecycle", "sync_view"},
    {"upkeep"},
    {"memory"},
    {"admin", "items", "sync"},
    {"faces", "adapters", "client", "testing"},
    {"compat", "__main__", "__init__"},  # compat behaves like an outsider's package: imported by nobody
]
RANK = {name: rank for rank, tier in enumerate(TIERS) for name in tier}

# Found by name through `plugins`, imported by nobody: not by a sibling kind, not by a flow.
PLUGINS = (
    *("stores", "embedders", "models", "rerankers", "compat"),
    *("prompting.layers", "prompting.layouts", "transfer.formats"),
)

# Inside `faces`, lowest first; `adapters` and `client` are at the top level because outsiders import them.
FACES = "wording outcome_text client tool commands assistant adapters http mcp discord cli chat".split()

# Which folder owns which libraries; one that is not named here may be used above `policy`.
LIBRARIES = {
    "apsw": "stores",
    "psycopg": "stores",
    "Stemmer": "stores",
    "fastembed": "embedders rerankers",
    "tokenizers": "embedders rerankers",
    "huggingface_hub": "embedders",
    "onnxruntime": "rerankers",
    "pydantic_ai": "models faces.assistant adapters",
    "langgraph": "adapters",
    "langchain_core": "adapters",
    "anthropic": "adapters",
    "langchain": "adapters",
    "llama_index": "adapters",
    "agents": "adapters",
    "detect_secrets": "policy.redaction",
    "fastapi": "faces.http compat.routes",
    "starlette": "faces.http",
    "jinja2": "faces.http",
    "multipart": "faces.http",
    "prometheus_client": "faces.http",
    "uvicorn": "faces.http faces.mcp",
    "mcp": "faces.mcp",
    "mcp_types": "faces.mcp",
    "discord": "faces.discord",
    "typer": "faces.cli faces.chat",
    "click": "faces.cli faces.chat",
    "rich": "faces.cli faces.chat",
    "prompt_toolkit": "faces.cli faces.chat",
}
STANDARD_LIBRARY_ONLY = ("core", "language", "policy")
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
REASONS = {"reason", "refusal", "why", "warning"}
SEARCHES = {"startswith", "endswith", "split", "partition", "rpartition", "replace", "find", "index", "count", "lower"}
MAX_MODULE_LINES = 400


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for path in sorted((SRC / "recollect").rglob("*.py"))}
PACKAGES = frozenset(module for module, path in FILES.items() if path.stem == "__init__")


def imports(module: str, source: str, *, is_package: bool = False) -> Iterator[str]:
    """Dotted names of what is imported; `from a import b` gives `a.b`, be `b` a module or not."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)
            case ast.ImportFrom(module=base, names=aliases, level=level):
                parents = module.split(".")
                package = parents[: len(parents) - level + is_package] if level else []
                yield from (".".join([*package, *filter(None, [base]), alias.name]) for alias in aliases)
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
            case ast.ImportFrom(module="os", names=aliases) if any(alias.name in ENVIRONMENT for alias in aliases):
                return True
            case ast.Import(names=aliases) if any(alias.name == "os" and alias.asname for alias in aliases):
                return True  # there is no honest reason to rename `os`
            case ast.keyword(arg="envvar"):  # typer reads the variable itself
                return True
            case _:
                pass
    return False


def reads_prose(source: str) -> bool:
    """Whether a decision depends on the words of a reason or a warning, or the spelling of an event's kind."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Compare(left=left, comparators=others):
                operands = [left, *others]
                if any(map(_is_reason, operands)) and any(text for part in operands for text in _literals(part)):
                    return True
                if any(map(_is_detail, operands)) and any(text for part in operands for text in _literals(part)):
                    return True
                if any(map(_is_kind, operands)) and any("." in text for part in operands for text in _literals(part)):
                    return True
                if any(map(_is_level, operands)) and any(text for part in operands for text in _literals(part)):
                    return True
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if name in SEARCHES and _is_reason(value):
                return True
            case ast.MatchClass(kwd_attrs=names, kwd_patterns=patterns) if "reason" in names:
                if isinstance(patterns[names.index("reason")], ast.MatchValue | ast.MatchOr):
                    values = ast.walk(patterns[names.index("reason")])
                    if any(isinstance(value, ast.Constant) for value in values):
                        return True
            case _:
                pass
    return False


def _is_reason(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in REASONS
        case _:
            return False


def _is_kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "kind"


def _is_detail(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "detail"


def _is_level(node: ast.AST) -> bool:
    """The level of an audience."""
    return isinstance(node, ast.Attribute) and node.attr == "level"


def _literals(node: ast.AST) -> Iterator[str]:
    """The strings that an operand consists of, itself or in a tuple, list or set."""
    for part in [node, *getattr(node, "elts", [])]:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def stores_touched(source: str) -> list[str]:
    """Where a source takes hold of a store: `….store`, unless that is the setting or the option of this name."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
        and node.attr == "store"
        and ast.unparse(node.value).rpartition(".")[2] not in ("settings", "options")
    ]


def is_within(name: str, folder: str) -> bool:
    return name == folder or name.startswith(folder + ".")


def plugin_kind(name: str) -> str | None:
    """The kind of plug-in that a module of ours belongs to; `name` is without `recollect.`."""
    return next((kind for kind in PLUGINS if is_within(name, kind)), None)


def face(name: str) -> int | None:
    """The place of a module in the order of faces."""
    first, *rest = name.split(".")
    stem = rest[0] if first == "faces" and rest else first
    return FACES.index(stem) if stem in FACES and (first == "faces" or first in ("adapters", "client")) else None


def inside_problem(importer: str, imported: str) -> str | None:
    """Why one module of ours may not import another, if so; both without `recollect.`."""
    here, there = importer.partition(".")[0], imported.partition(".")[0]
    if there not in RANK:
        return f"imports {imported!r} from recollect: name the module it lives in, or add its folder to TIERS"
    kind = plugin_kind(imported)
    if kind is not None and kind != plugin_kind(importer):
        return f"imports {imported}: plug-ins are found by name through `plugins`, never imported"
    if here == there == "faces" or (here != there and face(importer) is not None and face(imported) is not None):
        order = face(importer), face(imported)
        if None not in order and order[1] > order[0]:  # pyright: ignore[reportOperatorIssue] - both are there
            return f"imports {imported}: against the order of FACES"
        return None
    if here != there and RANK[there] > RANK[here]:
        return f"imports {imported}: upwards, {here} to {there}"
    if here != there and RANK[there] == RANK[here]:
        return f"imports {imported}: sideways, {here} to {there}"
    return None


def outside_problem(importer: str, library: str) -> str | None:
    """Why a module of ours may not import a library, if so."""
    if library in sys.stdlib_module_names:
        return None
    owners = LIBRARIES.get(library, "").split()
    if any(is_within(importer, owner) for owner in owners):
        return None
    if owners and not is_within(importer, "testing"):
        return f"imports {library}: it belongs to {' and '.join(owners)}"
    if importer.partition(".")[0] in STANDARD_LIBRARY_ONLY:
        return f"imports {library}: {importer.partition('.')[0]} uses the standard library only"
    return None


def violations(module: str, source: str, *, is_package: bool = False) -> list[str]:
    """Every rule that the source of a module breaks, in words."""
    importer = module.partition(".")[2] or "__init__"
    if importer.partition(".")[0] not in RANK:
        folder = importer.partition(".")[0]
        return [f"{module} is in no tier: add {folder!r} to a row of TIERS in tests/test_architecture.py"]
    problems: list[str | None] = []
    for name in imports(module, source, is_package=is_package):
        top, _, rest = name.partition(".")
        problems.append(inside_problem(importer, rest or "*") if top == "recollect" else outside_problem(importer, top))
    if not is_within(importer, "settings") and reads_environment(source):
        problems.append("reads the environment: only settings does")
    if reads_prose(source):
        problems.append("decides by the words of a reason: compare members of `Reason`, `EventKind` or `AudienceLevel`")
    if len(source.splitlines()) > MAX_MODULE_LINES:
        problems.append(f"has more than {MAX_MODULE_LINES} lines: it probably holds two ideas")
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
def test_a_module_keeps_the_rules(module: str):
    assert violations(module, FILES[module].read_text("utf-8"), is_package=module in PACKAGES) == []


@pytest.mark.parametrize("module", [name for name in FILES if is_within(name, "recollect.faces")])
def test_a_face_never_touches_the_store(module: str):
    assert stores_touched(FILES[module].read_text("utf-8")) == [], "add a verb to View, or a method to Timeline"


def test_a_store_that_is_read_by_a_face_is_found():
    assert stores_touched("await bot.memory.store.read(work)") == ["bot.memory.store"]
    assert stores_touched("x = load().settings.store + call.options.store") == []


def test_modules_have_no_import_cycle():
    loop = cycle({module: path.read_text("utf-8") for module, path in FILES.items()}, PACKAGES)
    assert not loop, " imports ".join(loop)


IN_ONE_THREAD = ("core", "settings", "admin", "items", "faces", "compat")
"""What is imported by `import recollect` itself or by a program's main thread, before there are others."""


def loads(source: str) -> Iterator[str]:
    """Modules of ours that are imported when a module is, without what waits in a function or is for types only."""
    for node in ast.parse(source).body:
        match node:
            case ast.Import() | ast.ImportFrom():
                yield from imports("", ast.unparse(node))
            case _:
                pass


def deadlocks(sources: Mapping[str, str], packages: frozenset[str]) -> set[tuple[str, str, str]]:
    """Packages that two threads can't import at once. One thread enters by a module of theirs (third), which loads the
    package first, and with it another module (second); the other thread is importing that one, which needs the third.
    Python then gives one of them a half-initialized module, and it fails with an ImportError.
    """

    def own(names: Iterable[str]) -> set[str]:
        return {name if name in sources else name.rpartition(".")[0] for name in names} & sources.keys()

    graph = {module: own(loads(source)) for module, source in sources.items()}
    entered = {module: own(imports(module, source)) for module, source in sources.items()}

    def reached(module: str, seen: set[str]) -> set[str]:
        for name in graph[module] - seen:
            seen.add(name)
            reached(name, seen)
        return seen

    closures = {module: reached(module, set()) for module in sources}
    return {
        (package, between, entry)
        for package in packages
        for entry in {name for module, names in entered.items() if not is_within(module, package) for name in names}
        if is_within(entry, package) and entry != package
        for between in closures[package] - {entry}
        if entry in closures[between]
    }


def test_two_threads_may_import_any_two_modules_at_once():
    sources = {module: path.read_text("utf-8") for module, path in FILES.items()}
    late = {name for name in PACKAGES if name.count(".") and name.split(".")[1] not in IN_ONE_THREAD}
    assert deadlocks(sources, frozenset(late)) == set(), "leave the package's __init__ empty"


def test_the_checker_sees_imports_that_deadlock():
    sources = {
        "recollect.guard": "from recollect.guard.case import Case",
        "recollect.guard.case": "from recollect.guard.words import words",
        "recollect.guard.words": "",
        "recollect.learner": "from recollect.guard.words import words",
    }
    guard = frozenset({"recollect.guard"})
    assert deadlocks(sources, guard) == {("recollect.guard", "recollect.guard.case", "recollect.guard.words")}
    assert deadlocks(sources | {"recollect.guard": ""}, guard) == set()


STORELESS = ("faces.http", "compat", "adapters", "client")
"""They translate and render: what they read and change is a verb of `Admin`, `AsyncMemory` or `Items`."""


def store_calls(source: str) -> list[str]:
    """Where a module runs units of work itself, as in `memory.store.read(work)`; and whether it knows transactions."""
    calls: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(
                value=ast.Attribute(attr="store" | "_store") | ast.Name(id="store"), attr="read" | "write" as verb
            ):
                calls.append(f"line {node.lineno}: store.{verb}")
            case ast.ImportFrom(module=str(module), names=names) if module.startswith("recollect.core.ports"):
                calls += [f"line {node.lineno}: imports Tx" for name in names if name.name == "Tx"]
            case _:
                pass
    return calls


@pytest.mark.parametrize(
    "module", [module for module in FILES if any(is_within(module, f"recollect.{folder}") for folder in STORELESS)]
)
def test_a_face_of_the_operator_calls_no_store(module: str):
    assert store_calls(FILES[module].read_text("utf-8")) == []


def test_the_checker_sees_a_store_call():
    assert store_calls("page.state.memory.store.read(lambda tx: tx.jobs.counts())") == ["line 1: store.read"]
    assert store_calls("from recollect.core.ports import Filters, Tx") == ["line 1: imports Tx"]
    assert store_calls("store = memory.store\nstore.write(work)") == ["line 2: store.write"]
    assert store_calls("from recollect.core.ports import Filters\nsys.stdout.write('')") == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("recollect.core.types", "import recollect.policy.merge", "upwards, core to policy"),
        ("recollect.policy.budget", "from recollect.recall.search import search", "upwards, policy to recall"),
        ("recollect.recall.search", "def f():\n    from recollect.faces import cli", "upwards, recall to faces"),
        ("recollect.app", "if TYPE_CHECKING:\n    from .memory import AsyncMemory", "upwards, app to memory"),
        ("recollect.recall.search", "from recollect.jobs.worker import Worker", "sideways, recall to jobs"),
        ("recollect.privacy.erase", "import recollect.transfer.copying", "sideways, privacy to transfer"),
        ("recollect.faces.discord.client", "from ..cli import main", "against the order of FACES"),
        ("recollect.faces.http.app", "import recollect.faces.discord", "against the order of FACES"),
        ("recollect.adapters.langgraph", "import recollect.faces.http.app", "against the order of FACES"),
        ("recollect.memory", "from recollect.stores.sqlite import SQLiteStore", "plug-ins are found by name"),
        ("recollect.prompting.layers.lore", "from recollect.stores import sqlite", "plug-ins are found by name"),
        ("recollect.prompting.compose", "from recollect.prompting.layers import lore", "plug-ins are found by name"),
        ("recollect.app", "import_module('recollect.models.local')", "plug-ins are found by name"),
        ("recollect.faces.cli.main", "from recollect.compat.formats import clanker", "plug-ins are found by name"),
        ("recollect.faces.discord.client", "from recollect import Memory", "name the module it lives in"),
        ("recollect.faces.discord.client", "import recollect", "name the module it lives in"),
        ("recollect.faces.discord.client", "from recollect.helpers import tidy", "add its folder to TIERS"),
        ("recollect.helpers", "", "is in no tier: add 'helpers'"),
        ("recollect.core.types", "from pydantic import BaseModel", "core uses the standard library only"),
        ("recollect.policy.merge", "import numpy as np", "policy uses the standard library only"),
        ("recollect.policy.merge", "import detect_secrets", "it belongs to policy.redaction"),
        ("recollect.memory", "import apsw", "it belongs to stores"),
        ("recollect.faces.chat.command", "from discord.ext import commands", "it belongs to faces.discord"),
        ("recollect.faces.discord.client", "from pydantic_ai import Agent", "it belongs to models and faces.assistant"),
        ("recollect.stores.sqlite", "import os\nos.environ['HOME']", "reads the environment"),
        ("recollect.app", "from os import getenv", "reads the environment"),
        ("recollect.faces.cli.main", "import typer\ntyper.Option(envvar='X')", "reads the environment"),
        ("recollect.policy.merge", "reason == 'stated again'", "decides by the words of a reason"),
        ("recollect.learning.extract", "'secret' in verdict.reason", "decides by the words of a reason"),
        ("recollect.learning.undo", "event.reason in ('stated again', LATER)", "decides by the words of a reason"),
        ("recollect.learning.undo", "outcome.reason.split('; ')", "decides by the words of a reason"),
        ("recollect.learning.undo", "why.replace('its', 'a')", "decides by the words of a reason"),
        ("recollect.faces.cli.doctor", "warning.endswith(' is not set.')", "decides by the words of a reason"),
        ("recollect.faces.cli.doctor", "'rebuild-index' in check.detail", "decides by the words of a reason"),
        ("recollect.faces.cli.show", "match x:\n    case Skip(reason='empty'):\n        pass", "decides by the words"),
        ("recollect.faces.cli.show", "event.kind == 'memo.added'", "decides by the words of a reason"),
        ("recollect.faces.cli.show", "memo.audience.level == 'guild'", "decides by the words of a reason"),
        ("recollect.app", "\n" * 401, "more than 400 lines"),
    ],
)
def test_the_checker_sees_a_violation(module: str, source: str, complaint: str):
    (problem,) = violations(module, source)
    assert problem.startswith(module)
    assert complaint in problem


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("recollect", "from recollect.memory import Memory\nfrom recollect.core.version import __version__"),
        ("recollect.core.text", "import re\nfrom recollect.core.errors import RecollectError"),
        ("recollect.policy.merge", "from recollect.language.dates import parse"),
        ("recollect.policy.redaction.known_formats", "import detect_secrets"),
        ("recollect.stores.sqlite.memos", "import apsw\nfrom recollect.stores.sqlite import schema"),
        ("recollect.models.pydantic_ai", "from pydantic_ai import Agent\nfrom recollect.core.types import Memo"),
        ("recollect.settings", "import os, yaml\nos.environ.get('X')"),
        ("recollect.faces.chat.command", "import rich\nfrom recollect.faces.cli import output\nfrom . import demo"),
        ("recollect.faces.mcp.server", "from recollect.faces.tool.schema import schema"),
        ("recollect.compat.routes.dashboard", "from recollect.faces.http.api.common import ROOT"),
        ("recollect.app", "import os\nos.fsync(1)"),
        ("recollect.__main__", "from recollect.faces.cli.main import main"),
        ("recollect.policy.merge", "reason is Reason.STATED_AGAIN and event.kind in KINDS and memo.kind == 'fact'"),
        ("recollect.faces.cli.show", "match x:\n    case Skip(reason=Reason.EMPTY):\n        pass"),
        ("recollect.faces.cli.show", "print(f'not learned: {event.reason}')"),
        ("recollect.app", "\n" * 400),
    ],
)
def test_the_checker_lets_the_rest_pass(module: str, source: str):
    assert violations(module, source) == []


def test_the_checker_sees_a_cycle_of_lazy_and_relative_imports():
    sources = {
        "recollect.stores": "",
        "recollect.stores.a": "from recollect.stores.b import x",
        "recollect.stores.b": "def f():\n    from . import c",
        "recollect.stores.c": "from .a import y",
    }
    loop = cycle(sources, frozenset({"recollect.stores"}))
    assert {name.rpartition(".")[2] for name in loop} == {"a", "b", "c"}
    assert cycle(sources | {"recollect.stores.c": "from . import missing"}) == []


def test_relative_imports_are_resolved_from_modules_and_packages():
    source = "from . import a\nfrom .b import c\nfrom .. import d"
    in_module = ["recollect.recall.a", "recollect.recall.b.c", "recollect.d"]
    assert list(imports("recollect.recall.search", source)) == in_module
    assert list(imports("recollect.recall", source.rsplit("\n", 1)[0], is_package=True)) == in_module[:2]
