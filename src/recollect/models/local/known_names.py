"""Clauses about somebody by name, whom known memos introduce: "Maya is 4 now" as "my daughter Maya is 4 now"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from recollect.core.text import fold
from recollect.core.types import Memo
from recollect.language import kinship
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions

_EXPRESSIONS = expressions("known_names")


def clauses_by_name(clause: Clause, known_memos: Sequence[Memo]) -> Iterator[tuple[Clause, str]]:
    """The clause with the noun before the name, and that noun, if its subject is somebody of the speaker's."""
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
