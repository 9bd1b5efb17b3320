"""Sentences whose pronoun points at the one before: "I have a daughter. She's three" as "my daughter is three"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from recollect.language import lexicon
from recollect.models.local import rejections
from recollect.models.local.clauses import MAX_SENTENCE_CHARS, MAX_SENTENCES, Clause, normalize_spelling, strip_lead
from recollect.models.local.grammar import expressions
from recollect.models.local.introductions import is_person_name

_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…)]*")
_EXPRESSIONS = expressions("pronouns")
_WHO = {"he": "he", "his": "he", "him": "he", "she": "she", "her": "she", "it": "it", "its": "it"}


@dataclass(frozen=True, slots=True)
class _Antecedent:
    """Who or what the speaker said they have, and where the sentence that says so begins."""

    noun: str
    name: str
    start: int

    def fits(self, pronoun: str) -> bool:
        who = _WHO[pronoun.lower()]
        if _EXPRESSIONS.thing.fullmatch(self.noun):
            return who == "it"
        if who == "it":
            return _EXPRESSIONS.animal.fullmatch(self.noun) is not None
        return may_be(self.noun, who)


def may_be(noun: str, pronoun: str) -> bool:
    """Whether "he" or "she" may stand for a noun: "son" is no "she", and "cat" may be either."""
    other = _EXPRESSIONS.female if pronoun == "he" else _EXPRESSIONS.male
    return other.fullmatch(noun) is None


def resolved_clauses(said: str, said_at: datetime, message_id: str) -> Iterator[Clause]:
    """Each such sentence with the noun in the place of its pronoun; the evidence begins where the noun is named."""
    antecedent: _Antecedent | None = None
    for match in list(_SENTENCE.finditer(said))[:MAX_SENTENCES]:
        sentence = strip_lead(normalize_spelling(match[0]))
        opening = _EXPRESSIONS.opening.match(sentence) or _EXPRESSIONS.naming.match(sentence)
        if opening is None:
            antecedent = _antecedent(sentence, match.start())
            continue
        is_asked = match[0].rstrip(" )").endswith("?")
        if antecedent is None or is_asked or not antecedent.fits(opening["who"]):
            antecedent = None
            continue
        evidence = said[antecedent.start : match.end()].strip()
        if len(evidence) <= MAX_SENTENCE_CHARS:
            for text in _with_noun(sentence, antecedent):
                yield Clause(text, evidence, said_at, message_id, lacks_capitals=evidence == evidence.lower())


def _antecedent(sentence: str, start: int) -> _Antecedent | None:
    """The one of the speaker's own that a sentence names; None if there is somebody else to be meant."""
    owned = _EXPRESSIONS.owned.search(sentence) or _EXPRESSIONS.had.search(sentence)
    if owned is None or sentence.endswith("?") or rejections.is_supposed(sentence) or rejections.is_hedged(sentence):
        return None
    noun, name = owned["noun"].lower(), owned["name"] or ""
    beside = sentence[: owned.start("noun")] + " " + sentence[owned.end("noun") :]
    names = {
        word for word in re.findall(r"(?<=\w )[A-Z][a-z]+", beside) if word.lower() in lexicon.words("given_names")
    }
    if _EXPRESSIONS.somebody.search(beside) or names - {name}:
        return None
    return _Antecedent(noun, name if name and is_person_name(name) else "", start)


def _with_noun(sentence: str, antecedent: _Antecedent) -> Iterator[str]:
    """The statements of a sentence, each with the noun as its subject."""
    subject = f"my {antecedent.noun}"
    named = _EXPRESSIONS.naming.match(sentence)
    if named is not None:
        yield f"{subject} is called {named['n']}"
        return
    for part in _EXPRESSIONS.joint.split(sentence.rstrip(" .!…)")):
        opening = _EXPRESSIONS.opening.match(part)
        rest = part[opening.end() :].strip() if opening else part
        if opening is not None and opening["who"].lower() in ("his", "her", "its"):
            yield f"{subject}'s {rest}"
            continue
        person = f"{subject} {antecedent.name}" if antecedent.name else subject
        verb = "" if opening is None or not opening["is"] else "has " if re.match(r"(?:got|been)\b", rest) else "is "
        yield f"{person} {verb}{re.sub(r'^(?:also|now|still|really|just|already) ', '', rest)}"
