"""What SQLite and PostgreSQL have in common is written once, in `stores/_sql`."""

import ast
import keyword
import re
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import recollect.stores

STORES = Path(recollect.stores.__path__[0])
MAX_COMMON_LINES = 50
MAX_EQUAL_LINES = 150
"""Mostly the headers of methods that both have to have. It may only fall."""
MIN_CHARS = 10
MIN_RUN = 2
"""Lines in a row that count as common; a single one is mostly the header of a method that both have to have."""
_PLACEHOLDER = re.compile(r"(\?\d*|\$\d+|%s|%\(\w+\)s)(::\w+(\[\])?)?")


def _skipped(source: str) -> set[int]:
    """The lines of imports and decorators."""
    skipped: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        parts = [node] if isinstance(node, ast.Import | ast.ImportFrom) else getattr(node, "decorator_list", [])
        for part in parts:
            skipped.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return skipped


def _lines(source: str) -> list[str]:
    """The lines that say something, with one spelling of placeholders."""
    skipped = _skipped(source)
    lines: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        text = _PLACEHOLDER.sub("?", " ".join(line.split()))
        words = re.findall(r"\w+", text)
        if number not in skipped and words and not (len(words) == 1 and keyword.iskeyword(words[0])):
            lines.append(text)
    return lines


def _common_lines(ours: str, theirs: str) -> int:
    blocks = SequenceMatcher(None, _lines(ours), _lines(theirs), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= MIN_RUN)


def _twins() -> dict[str, tuple[str, str]]:
    """The modules of both stores that have the same name."""
    files = [file.relative_to(STORES / "sqlite") for file in sorted((STORES / "sqlite").rglob("*.py"))]
    return {
        str(file): ((STORES / "sqlite" / file).read_text(), (STORES / "postgres" / file).read_text())
        for file in files
        if (STORES / "postgres" / file).exists()
    }


def test_the_two_sql_stores_have_few_lines_in_common() -> None:
    counts = {name: _common_lines(*sources) for name, sources in _twins().items()}
    assert counts
    assert sum(counts.values()) < MAX_COMMON_LINES, counts


def _equal_lines(ours: str, theirs: str) -> int:
    """Lines of more than ten characters that are the same to the letter, wherever they stand; imports aside."""
    counts = [
        Counter(
            text
            for number, line in enumerate(source.splitlines(), 1)
            if number not in skipped and len(text := line.strip()) > MIN_CHARS
        )
        for source in (ours, theirs)
        for skipped in [_skipped(source)]
    ]
    return (counts[0] & counts[1]).total()


def test_the_two_sql_stores_share_few_lines_to_the_letter() -> None:
    counts = {name: _equal_lines(*sources) for name, sources in _twins().items()}
    assert sum(counts.values()) < MAX_EQUAL_LINES, counts


def test_statements_that_differ_only_in_their_placeholders_are_common() -> None:
    ours = 'import json\n\nX = "SELECT a FROM t WHERE b = ?1 AND c = ?"\nY = 1\nZ = 1\n'
    theirs = 'import json\n\nX = "SELECT a FROM t WHERE b = %(b)s AND c = $2::text"\nY = 1\nZ = 2\n'
    assert _common_lines(ours, theirs) == 2
