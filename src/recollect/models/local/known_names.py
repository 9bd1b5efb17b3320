"""Clauses about somebody by name, whom known memos introduce: "Maya is 4 now" as "my daughter Maya is 4 now"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from recollect.core.text import fold, words
from recollect.core.types import Memo
from recollect.language import kinship
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.pronouns import may_be

_EXPRESSIONS = expressions("known_names")
WINDOW = timedelta(minutes=15)
"""How long after a statement "he" may point at whom it is about."""


def mentions_known(text: str, known_memos: Sequence[Memo]) -> bool:
    """Whether a text has the name of somebody whom a memo introduces, or a word like "mum"."""
    text_words = set(words(text))
    if any(map(kinship.is_bare, text_words)) or not text_words.isdisjoint(("he", "she")):
        return True
    introduced = (_EXPRESSIONS.introduced.match(memo.text) for memo in known_memos if memo.active)
    return any(fold(known["name"] or known["pet_name"]) in text_words for known in introduced if known)


def clauses_by_name(clause: Clause, known_memos: Sequence[Memo]) -> Iterator[tuple[Clause, str]]:
    """The clause with the noun before the name, and that noun, if its subject is somebody of the speaker's."""
    if turned := _EXPRESSIONS.turned.match(clause.text):  # "he turned 5": the one whose age is known
        recent = (memo for memo in known_memos if memo.active and clause.said_at - memo.updated <= WINDOW)
        ages = (_EXPRESSIONS.aged.match(memo.text) for memo in recent)
        meant = {aged["kin"].lower() for aged in ages if aged and may_be(aged["kin"], turned["who"].lower())}
        if len(meant) == 1:
            yield replace(clause, text=f"my {meant.pop()} {turned['rest']}"), ""
        return
    said = _EXPRESSIONS.subject.match(clause.text)
    if said is None:
        return
    verb = "is " if said["is"] else ""
    if kinship.is_bare(fold(said["name"])):  # "mum is 64"
        yield replace(clause, text=f"my {fold(said['name'])} {verb}{clause.text[said.end() :].lstrip()}"), ""
        return
    for memo in known_memos:
        known = _EXPRESSIONS.introduced.match(memo.text) if memo.active else None
        if known and fold(known["name"] or known["pet_name"]) == fold(said["name"]):
            noun, name = (known["kin"] or known["pet"]).lower(), known["name"] or known["pet_name"]
            yield replace(clause, text=f"my {noun} {name} {verb}{clause.text[said.end() :].lstrip()}"), noun
            return
