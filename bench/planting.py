"""Puts mutants into the code of a module, each behind a question for its number: `new if __mutant__(3) else old`."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

JOB, ACTIVE = "RECOLLECT_MUTANTS", "RECOLLECT_MUTANT"
"""Environment variables: the file that lists the mutants, and the number of one that is active from the start."""
QUESTION = "__mutant__"


class Offsets:
    """Where nodes begin and end in the bytes of a source."""

    def __init__(self, source: str) -> None:
        self._lines = [0]
        for line in source.encode().splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def of(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


@dataclass(frozen=True)
class Change:
    """What takes the place of a piece of a module's source."""

    number: int
    start: int
    end: int
    new: str

    def fits(self, node: ast.AST) -> bool:
        """Whether the piece is this node, and not a statement or expression of the same extent."""
        kinds = {"None": ast.Expr, "return None": ast.Return}
        return isinstance(node, kinds.get(self.new, ast.expr))


def plant(source: str, changes: Iterable[Change]) -> ast.Module:
    """The module with all changes; which is in effect, `__mutant__` answers whenever the code is run."""
    planter = _Planter(source, changes)
    tree = ast.parse(source)
    planter.visit(tree)
    assert not planter.left(), planter.left()
    return ast.fix_missing_locations(tree)


class _Planter(ast.NodeTransformer):
    def __init__(self, source: str, changes: Iterable[Change]) -> None:
        self._offsets = Offsets(source)
        self._changes: defaultdict[tuple[int, int], list[Change]] = defaultdict(list)
        for change in changes:
            self._changes[change.start, change.end].append(change)

    def left(self) -> list[Change]:
        return [change for changes in self._changes.values() for change in changes]

    def visit(self, node: ast.AST) -> ast.AST:
        changes = self._take(node)
        self.generic_visit(node)
        for change in changes:
            node = _behind_question(node, change)
        return node

    def _take(self, node: ast.AST) -> list[Change]:
        if not isinstance(node, ast.expr | ast.stmt):
            return []
        at = self._changes.get(self._offsets.of(node), [])
        fitting = [change for change in at if change.fits(node)]
        for change in fitting:
            at.remove(change)
        return fitting


def _behind_question(node: ast.AST, change: Change) -> ast.AST:
    question = ast.parse(f"{QUESTION}({change.number})", mode="eval").body
    if isinstance(node, ast.Expr | ast.Return):
        assert node.value is not None
        node.value = ast.IfExp(question, ast.Constant(None), node.value)
        return node
    assert isinstance(node, ast.expr)
    return ast.copy_location(ast.IfExp(question, ast.parse(change.new, mode="eval").body, node), node)
