"""Who someone is, and who belongs to them: "I'm Tom, 34", and "my wife Lena" anywhere in a sentence."""

import re
from collections.abc import Iterator

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rule import Finding, make_finding

_EXPRESSIONS = expressions("introductions")
_NOT_NAMES = (
    "no_names", "no_people", "nationalities", "faiths", "languages", "places", "months", "weekdays", "tools", "stop",
    "function", "reporting",
)  # fmt: skip

_AMBIGUOUS = frozenset("rich frank grant drew will joy hope faith grace chase guy bill jolly merry gay major".split())
"""Names that may be said of anyone in lower case."""


def is_person_name(name: str) -> bool:
    """Whether it may be the name of a person or an animal: not a place, a day, a faith, a tool."""
    words = [word for word in re.split(r"[ ,&]+", name) if word and word != "and"]
    return bool(words) and all(_is_name(word) for word in words)


def _is_name(word: str) -> bool:
    lower = word.lower()
    if lower in lexicon.words("given_names"):
        return True
    return len(word) > 1 and not word.isupper() and not any(lower in lexicon.words(group) for group in _NOT_NAMES)


def introduced(predicate: str, clause: Clause) -> tuple[Finding | None, str]:
    """The name in "am Tom, 34", and what else is said of the speaker as a predicate; no name if it may be none."""
    match = _EXPRESSIONS.introduced.match(predicate)
    if match is None or not _is_introduction(match, clause):
        return None, predicate
    name = match["n"] if match["n"][0].isupper() else match["n"].capitalize()
    finding = make_finding(f"name is {name}", Kind.FACT)
    remainder = re.sub(r"^[\s,.!(]*(?:and )?", "", match["rest"])
    if _EXPRESSIONS.trade_beside.match(remainder):
        return finding, f"am {'an' if remainder[0].lower() in 'aeiou' else 'a'} {remainder}"
    return finding, f"am {remainder}" if _EXPRESSIONS.described.match(remainder) else ""


def starts_with_greeting(text: str) -> bool:
    return _EXPRESSIONS.greeting.match(text) is not None


def _is_introduction(match: re.Match[str], clause: Clause) -> bool:
    is_known = match["n"].split()[0].lower() in lexicon.words("given_names")
    if not match["n"][0].isupper():
        is_whole = not match["rest"].strip(" .!") and match["n"] not in _AMBIGUOUS
        return is_known and (is_whole or starts_with_greeting(clause.evidence))
    if not is_person_name(match["n"]) or (match["n"].endswith("ly") and not is_known):
        return False
    if is_known or starts_with_greeting(clause.evidence) or _EXPRESSIONS.follows.match(match["rest"]):
        return True
    return not match["rest"].strip(" .!") and not _EXPRESSIONS.no_introduction.match(match["n"])


def named_others(clause: Clause) -> Iterator[Finding]:
    """Family, pets and the like that are named in passing."""
    for match in _EXPRESSIONS.apposed.finditer(clause.text):
        names = (match["n"] or match["before"]).strip(" ,")
        has_died = match["pet"] and _EXPRESSIONS.dead.search(clause.text)  # nobody has it any more
        if is_person_name(names) and not has_died:
            finding = (
                _pet(match["pet"], names) if match["pet"] else kin_named(match["kin"] or match["kin_after"], names)
            )
            if finding is not None:
                yield finding


def named_later(said: str) -> Iterator[tuple[str, Finding]]:
    """Who is named in a sentence of their own, "his name is Rex", or in a list; each with the words that do."""
    for match in _EXPRESSIONS.named_later.finditer(said) if " name" in said else ():
        finding = _pet(match["pet"], match["n"]) if match["pet"] else kin_named(match["kin"], match["n"])
        if finding is not None and is_person_name(match["n"]):
            yield match[0], finding
    for match in _EXPRESSIONS.listed.finditer(said):
        if is_person_name(match["n"]):
            finding = make_finding(f"has {match['count']} {match['many'].lower()} named {match['n']}", Kind.FACT)
            if finding is not None:
                yield match[0], finding


def _pet(animal: str, names: str) -> Finding | None:
    animal = animal.lower()
    article = "" if animal.endswith("s") else "an " if animal[0] in "aeiou" else "a "
    return make_finding(f"has {article}{animal} named {names}", Kind.FACT)


def kin_named(kin: str, names: str) -> Finding | None:
    """ "Their wife is called Lena", "their kids are called Mia and Jonas"."""
    kin = kin.lower()
    is_plural = kin.endswith(("s", "children")) and kin != "boss"
    if not is_plural and re.search(r" and |,|&", names):
        return None  # "my wife Lena and Tom": not two wives
    first = re.split(r",| and | & ", names)[0]
    return make_finding(f"their {kin} {'are' if is_plural else 'is'} called {names}", Kind.PERSON, about=first)
