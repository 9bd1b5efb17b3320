"""What SQLite and PostgreSQL have in common is written once, in `stores/_sql`."""

import ast
import keyword
import re
from collections import Counter
from pathlib import Path

import recollect.stores

STORES = Path(recollect.stores.__path__[0])
MAX_IDENTICAL_LINES = 150
_PLACEHOLDER = re.compile(r"(\?\d*|\$\d+|%s|%\(\w+\)s)(::\w+(\[\])?)?")


def _skipped(source: str) -> set[int]:
    """The lines of imports and decorators."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        parts = [node] if isinstance(node, ast.Import | ast.ImportFrom) else getattr(node, "decorator_list", [])
        for part in parts:
            skipped.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return skipped


def _lines(source: str) -> Counter[str]:
    """The lines that say something, with one spelling of placeholders."""
    skipped = _skipped(source)
    lines: Counter[str] = Counter()
    for number, line in enumerate(source.splitlines(), 1):
        text = _PLACEHOLDER.sub("?", " ".join(line.split()))
        words = re.findall(r"\w+", text)
        if number not in skipped and words and not (len(words) == 1 and keyword.iskeyword(words[0])):
            lines[text] += 1
    return lines


def _identical_lines() -> dict[str, int]:
    counts: dict[str, int] = {}
    for file in sorted((STORES / "sqlite").rglob("*.py")):
        name = file.relative_to(STORES / "sqlite")
        twin = STORES / "postgres" / name
        if twin.exists():
            counts[str(name)] = (_lines(file.read_text()) & _lines(twin.read_text())).total()
    return counts


def test_the_two_sql_stores_have_few_lines_in_common() -> None:
    counts = _identical_lines()
    assert counts
    assert sum(counts.values()) < MAX_IDENTICAL_LINES, counts


def test_a_statement_that_differs_only_in_its_placeholders_counts_as_common() -> None:
    ours = 'import json\n\nX = "SELECT a FROM t WHERE b = ?1 AND c = ?"\ntry:\n    f()\n'
    theirs = 'import json\n\nX = "SELECT a FROM t WHERE b = %(b)s AND c = %s::text"\ntry:\n    g()\n'
    assert (_lines(ours) & _lines(theirs)).total() == 1
