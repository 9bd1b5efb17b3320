"""The single statements in a page of notes: each point of a list, each paragraph, with the heading above it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_POINT = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_RULE = re.compile(r"\s*(?:(?:[-*_=]\s*){3,}|\|?[\s:|-]*-[\s:|-]*\|?)$")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_STRESS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Statement:
    line: int
    """Where it begins, from 1."""
    heading: str
    """The nearest one above it, but for the title of the page."""
    text: str


def statements(page: str) -> Iterator[Statement]:
    """What a page says, one by one; code, comments and what stands before the first `---` pair are no statements."""
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), page)
    heading, start, parts = "", 0, list[str]()
    fenced = False
    for number, line in _body(text):
        fence, title, point = _FENCE.match(line), _HEADING.match(line), _POINT.match(line)
        if parts and (fence or title or point or not line.strip() or _RULE.match(line)):
            yield Statement(start, heading, _joined(parts))
            parts = []
        if fence:
            fenced = not fenced
        elif fenced or not line.strip() or (_RULE.match(line) and not title):
            continue
        elif title:
            heading = _plain(title[2]) if len(title[1]) > 1 else ""
        else:
            start = start if parts else number
            parts.append(line[point.end() :] if point else line)
    if parts:
        yield Statement(start, heading, _joined(parts))


def _body(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines after the front matter, if there is one."""
    lines = text.split("\n")
    first = 0
    if lines[0].strip() == "---":
        ends = (number for number, line in enumerate(lines[1:], 1) if line.strip() == "---")
        first = next(ends, -1) + 1
    yield from enumerate(lines[first:], first + 1)


def _joined(parts: list[str]) -> str:
    return _plain(" ".join(part.strip() for part in parts))


def _plain(text: str) -> str:
    """Without the signs of stress."""
    return _STRESS.sub(r"\2", text).strip()
