"""Whether a message can hold anything durable, decided by its words alone: other messages cost no model call.

It errs on the side of passing: a message in a supported language passes if a word refers to the speaker, asks to
remember something, or corrects. A message in any other language passes unless it is too short to say anything.
The words are data, in `language/durable.toml`.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from recollect.language import foreign_amendments, lexicon

DATA = Path(lexicon.__file__).parent / "durable.toml"
MIN_KNOWN_SHARE = 0.4
"""Share of a message's words that a lexicon must contain for the message to count as written in its language."""
MAX_JUDGED_CHARS = 4_000
"""A longer text always passes: it is bound to mention its author."""

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLAUSE_START = re.compile(
    r"(?:^|[.!?;:,\n()\"“”…–—*>-]+|\b(?:and|but|so|cause|because|und|aber|et|mais|y|pero|e|mas)\b)\W*([\w'-]+)"
)
_LINK = re.compile(r"<[@#:a][^>\s]*>|\bhttps?://\S+|`[^`]*`")
_LATIN = re.compile(r"[a-zà-öø-ɏ]", re.IGNORECASE)
_KANA = re.compile(r"[\u3040-\u30ff]")
_PAST = re.compile(r"\w{2,}(?:é|í|ei)$")
"""Verb endings of the first person in the past, in Spanish and Portuguese, which omit "I"."""
_PLURAL = re.compile(r"[^\W\d_]+[aeiéo]mos$")
"""Verb ending of the first person plural in both."""
_NO_PLURAL = frozenset("demos memos promos cosmos".split())
_PRESENT = re.compile(r"[^\W\d_]{3,}o$")
"""Verb ending of the first person in the present in both, at the start of a clause."""


def may_contain_facts(text: str) -> bool:
    """Whether a message may tell something durable about its speaker, or ask for something that lasts."""
    if len(text) > MAX_JUDGED_CHARS:
        return True
    text = _LINK.sub(" ", _plain(text))
    words: list[str] = _WORD.findall(text)
    # Links, pictures and emoji alone state nothing.
    if not words:
        return False
    # Without spaces there are no words to look up, so only known small talk is left out.
    if _KANA.search(text):
        return _chatter().fullmatch("".join(words)) is None
    if any(_LATIN.match(word) is None for word in words):
        return True  # an unsupported script
    return not _marks()[0].isdisjoint(words) or _is_marked(text, words) or not _is_understood(words)


def is_urgent(text: str) -> bool:
    """Whether a message asks to remember something, or corrects something."""
    if len(text) > MAX_JUDGED_CHARS:
        return False
    correction = foreign_amendments.read(text)
    if correction is not None and (correction.is_strong or correction.value[:1].isdigit()):
        return True
    return _expression("urgent").search(_plain(text)) is not None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).lower().replace("’", "'")


def _is_marked(text: str, words: list[str]) -> bool:
    marks, beginnings = _marks()
    starts: list[str] = _CLAUSE_START.findall(text)
    return (
        not _openings().isdisjoint(starts)
        or any(word.startswith(beginnings) or not marks.isdisjoint(_heads(word)) for word in words)
        or any(_PRESENT.match(word) and not any(word in common for common in _common()) for word in starts)
        or any(map(_PAST.match, words))
        or any(_PLURAL.match(word) and word not in _NO_PLURAL for word in words)
        or _expression("phrases").search(text) is not None
    )


def _heads(word: str) -> tuple[str, ...]:
    """The part before an apostrophe, with and without it: "my's", "j'étudie"."""
    head, apostrophe, _ = word.partition("'")
    return (head, head + apostrophe) if apostrophe else ()


def _is_understood(words: list[str]) -> bool:
    """Whether the words belong to a supported language; a single word of any language says nothing durable."""
    if len(words) == 1 and words[0].isascii():
        return True
    return any(sum(word in common for word in words) >= MIN_KNOWN_SHARE * len(words) for common in _common())


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return lexicon.read_tables(DATA)


@cache
def _marks() -> tuple[frozenset[str], tuple[str, ...]]:
    """Whole words, and beginnings of words."""
    words = [word for table in _tables().values() for word in table.get("marks", "").split()]
    beginnings = tuple(word.removesuffix("*") for word in words if word.endswith("*"))
    return frozenset(word for word in words if not word.endswith("*")), beginnings


@cache
def _openings() -> frozenset[str]:
    return frozenset(word for table in _tables().values() for word in table.get("opens", "").split())


@cache
def _common() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(table["common"].split()) for table in _tables().values() if "common" in table)


@cache
def _expression(name: str) -> re.Pattern[str]:
    expressions = [lexicon.join_lines(table[name]) for table in _tables().values() if name in table]
    return re.compile("|".join(expressions))


@cache
def _chatter() -> re.Pattern[str]:
    return re.compile(lexicon.join_lines(_tables()["ja"]["chatter"]))
