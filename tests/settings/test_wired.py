"""Every setting is read somewhere: one that is parsed and then ignored is a broken promise.

What each does is shown in `test_switches.py` and in the tests of its room; this finds the one that nobody reads at all.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.settings.catalog import ENTRIES
from recollect.settings.model import Settings

SRC = Path(__file__).parents[2] / "src" / "recollect"
FILES = [path for path in sorted(SRC.rglob("*.py")) if path != SRC / "settings" / "model.py"]
GROUPS = frozenset(name.partition(".")[0] for name in ENTRIES if "." in name)


def reads(source: str) -> Iterator[str]:
    """Settings that a module reads: `settings.http.port`, or `options.port` after `options = settings.http`."""
    tree = ast.parse(source)
    aliases = {ast.unparse(target): group for target, group in _aliases(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
            if isinstance(node.value, ast.Attribute) and node.value.attr in GROUPS:
                yield f"{node.value.attr}.{node.attr}"
            elif group := aliases.get(ast.unparse(node.value)):
                yield f"{group}.{node.attr}"


def _aliases(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=ast.Attribute(attr=group)) if group in GROUPS:
                yield from ((target, group) for target in targets)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                yield from ((t, v.attr) for t, v in pairs if isinstance(v, ast.Attribute) and v.attr in GROUPS)
            case _:
                pass


READ = {name for path in FILES for name in reads(path.read_text("utf-8"))}


@pytest.mark.parametrize("name", ENTRIES)
def test_a_setting_is_read_outside_the_model(name: str):
    assert name in READ, f"{name} has no effect: wire it or remove it"


def test_the_check_knows_a_setting_that_nobody_reads():
    source = "options = settings.http\nprint(options.port, settings.memos.enabled)\nsettings.http = 1"
    assert {"http.port", "memos.enabled"} <= set(reads(source))
    assert "http.host" not in set(reads(source))
    assert Settings.__annotations__.keys() >= GROUPS
