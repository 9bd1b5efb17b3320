"""Builders for what people say after "I": each judges one kind of statement and phrases it."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration, trim_object
from recollect.models.local.rule import (
    LIKELY,
    SURE,
    Finding,
    Reading,
    capitalize_name,
    make_finding,
    template,
)

_EXPRESSIONS = expressions("statements")
_HANDIWORK = {"restoring", "renovating", "composing", "recording", "training for", "writing"}
_TENS: list[str] = [*"twenty thirty forty fifty sixty seventy eighty ninety".split()]
_DIRECTIONS = {"downtown", "central", "northern", "southern"}


def is_tool(word: str) -> bool:
    return word.lower().strip(",.!/") in lexicon.words("tools")


def is_named(phrase: str) -> bool:
    """A known tool or a name: not "tea", not "decaf"."""
    return any(is_tool(word) or not word.islower() for word in phrase.split())


def is_trade(phrase: str) -> bool:
    """A trade with what describes it: "senior backend engineer at Acme"."""
    return _EXPRESSIONS.trade.match(phrase) is not None


def _is_place(word: str) -> bool:
    return word.lower().strip(",") in lexicon.words("places")


def _lasting_object(reading: Reading) -> str | None:
    return object_phrase(strip_duration(reading["o"]))


def place_name(text: str, clause: Clause) -> str | None:
    """The name of a place, or None if it may be something else."""
    place = _EXPRESSIONS.after_place.sub("", strip_duration(trim_object(text))).strip(" ,")
    parts = place.split()
    if not parts or len(parts) > 6 or (is_tool(parts[0]) and not _is_place(parts[0])):
        return None
    if (_EXPRESSIONS.article.match(place) and not is_country(place)) or _EXPRESSIONS.not_a_place.search(place):
        return None
    if is_country(place):
        return place if place[4].isupper() else f"the {place[4:].upper() if len(parts[1]) < 4 else place[4:].title()}"
    if clause.lacks_capitals:
        return capitalize_name(place, clause) if _is_place(parts[0]) or len(parts) <= 2 else None
    return place if parts[0][0].isupper() or parts[0].lower() in _DIRECTIONS else None


def is_country(place: str) -> bool:
    """ "The UK", "the Netherlands", "the Bay Area"; not "the office"."""
    return bool(_EXPRESSIONS.country.match(place) or re.match(r"the [A-Z][\w.]+(?: [A-Z]\w+)*$", place))


def lives(reading: Reading) -> Finding | None:
    place = place_name(reading["o"], reading.clause) or _dwelling(reading["o"])
    return make_finding(f"lives in {place}", Kind.FACT) if place else None


def _dwelling(text: str) -> str | None:
    """A small flat, the countryside: a home, if not a place on the map."""
    phrase = object_phrase(strip_duration(text))
    if phrase is None or not re.match(r"(?:an?|the) ", phrase) or _EXPRESSIONS.not_a_place.search(phrase):
        return None
    return phrase if _EXPRESSIONS.dwelling.search(phrase) else None


def always_lived(reading: Reading) -> Finding | None:
    place = place_name(reading["o"], reading.clause)
    return make_finding(f"has lived in {place} all their life", Kind.FACT) if place else None


def comes_from(reading: Reading) -> Finding | None:
    text = reading["o"] or reading["p"]
    place = place_name(text, reading.clause) or _dwelling(text)
    return make_finding(f"is from {place}", Kind.FACT) if place else None


def grew_up(reading: Reading) -> Finding | None:
    place = place_name(reading["o"], reading.clause) or _dwelling(reading["o"])
    return make_finding(f"{reading['how'].lower()} {reading['in'].lower()} {place}", Kind.FACT) if place else None


def moved(reading: Reading) -> Finding | None:
    is_new_tool = is_tool(reading["o"].split()[0]) and not _is_place(reading["o"].split()[0])
    if is_new_tool or (is_tool(reading["old"] or "") and not _is_place(reading["old"])):
        return switched(reading)
    place = place_name(reading["o"], reading.clause)
    if place is None or (reading.clause.lacks_capitals and not _is_place(place.split()[0])):
        return None
    return make_finding(f"lives in {place}", Kind.FACT)


def switched(reading: Reading) -> Finding | None:
    new = strip_duration(trim_object(reading["o"]))
    old = reading["old"] or (re.search(r" from (.+)$", new) or [None, None])[1]
    phrase = object_phrase(_EXPRESSIONS.after_tool.sub("", new))
    if phrase and _EXPRESSIONS.branded.match(phrase):
        finding = make_finding(f"has {phrase}", Kind.FACT)
        former = re.sub(r"^(?:the|my|an?|our) (?:old )?", "", old or "")
        return finding and Finding(finding.text, finding.kind, replaces=f"Has a {former}" if former else None)
    if phrase is None or _EXPRESSIONS.article.match(phrase) or len(phrase.split()) > 5 or not is_named(phrase):
        return None
    if old and _EXPRESSIONS.refers_back.match(old):
        return None
    finding = make_finding(f"uses {phrase}", Kind.TOOL)
    old_phrase = object_phrase(old) if old else None
    return finding and Finding(finding.text, finding.kind, replaces=f"Uses {old_phrase}" if old_phrase else None)


def works(reading: Reading) -> Finding | None:
    phrase, how = _lasting_object(reading), reading["how"].lower()
    if phrase is None or _EXPRESSIONS.not_an_employer.match(phrase) or len(phrase.split()) > 12:
        return None
    if not _is_work(how, phrase):
        return None
    if how != "as" and not _EXPRESSIONS.article.match(phrase):
        phrase = capitalize_name(phrase, reading.clause)
    return make_finding(f"works {how} {phrase}", Kind.FACT)


def _is_work(how: str, phrase: str) -> bool:
    """ "As a nurse", "in finance", "at Acme"; not "as hard as", "in bursts", "at their own pace"."""
    if how == "as":
        return bool(re.match(r"(?i)(?:an? |the )", phrase)) or is_trade(phrase)
    if how == "in":
        return bool(_EXPRESSIONS.field.match(phrase)) or phrase[:1].isupper()
    return not re.match(r"their (?:own|best|desk|convenience)\b", phrase)


def works_with(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if phrase is None:
        return None
    if is_tool(phrase.split()[0]):
        return make_finding(f"works with {phrase}", Kind.TOOL)
    return make_finding(f"works with {phrase}", Kind.FACT) if _EXPRESSIONS.occupation.match(phrase) else None


def leads(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"{conjugate(reading.verb())} {phrase}", Kind.FACT) if phrase else None


def uses(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if phrase is None or _EXPRESSIONS.no_tool.match(phrase) or reading["o"].startswith("-"):
        return None
    if reading.clause.text.lower().startswith("we ") and not _EXPRESSIONS.own_workplace.search(reading.clause.evidence):
        return None  # "we use X to know how long": how a program works, or what a whole community does
    phrase = _EXPRESSIONS.purpose.sub("", phrase)
    if not (re.match(r"(?i)(?:use|have been using|am .*using)\b", reading[0]) or is_tool(reading["o"].split()[0])):
        return None  # "am on", "run": only of a tool
    if _EXPRESSIONS.class_name.match(phrase) or (reading[0].lower().startswith("run") and len(phrase.split()) > 4):
        return None
    head = re.split(r" (?:in|with|for|on|to|at|as|via|over) ", phrase)[0]
    is_known_tool = any(map(is_tool, head.split()))
    is_tool_like = _EXPRESSIONS.unlisted_tool.match(phrase) or _EXPRESSIONS.gadget.search(head)
    if not (is_known_tool or is_tool_like or re.search(r"\b(?![AP]M\b)\w*[A-Z]", head)):
        return None
    return make_finding(f"uses {phrase}", Kind.TOOL, SURE if is_known_tool else LIKELY)


def codes(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if phrase is None or not any(map(is_tool, phrase.split())) or phrase.lower().startswith("poetry"):
        return None
    return make_finding(f"{conjugate(reading.verb())} {'in ' if reading['in'] else ''}{phrase}", Kind.TOOL)


def is_a(reading: Reading) -> Finding | None:
    phrase = trim_object(strip_duration(reading["o"]))
    trade = _EXPRESSIONS.trade.match(phrase)
    if (
        trade is None
        or _EXPRESSIONS.bare_trade.match(phrase)
        or _EXPRESSIONS.no_trade.search(trade[0])
        or re.match(r"[\w ]+\bof (?:my|all|war)\b", phrase)
    ):
        return None
    rephrased = object_phrase(phrase)
    return make_finding(f"is {reading['art']} {rephrased}", Kind.FACT) if rephrased else None


def speaks(reading: Reading) -> Finding | None:
    languages = lexicon.words("languages")
    phrase = object_phrase(reading["o"])
    is_count = re.match(r"(?:two|three|four|five|six|seven|\d) languages\b", phrase or "")
    if phrase is None or not (is_count or any(word.strip(",.").lower() in languages for word in phrase.split())):
        return None
    if reading.clause.lacks_capitals:
        phrase = " ".join(word.capitalize() if word.strip(",.") in languages else word for word in phrase.split())
    return make_finding(f"{conjugate(reading.verb())} {phrase}", Kind.FACT)


def learns(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if phrase is None or _EXPRESSIONS.no_subject.match(phrase) or len(phrase.split()) > 9:
        return None
    return make_finding(f"{reading['verb']} {phrase}", Kind.FACT)


def tries_to_learn(reading: Reading) -> Finding | None:
    """ "Trying to learn Spanish", "trying to learn how to swim"."""
    how = "how " if reading["o"].lower().startswith("how to ") else ""
    phrase = object_phrase(strip_duration(reading["o"][len(how) :]))
    if phrase is None or len(phrase.split()) > 8 or any(word in lexicon.words("code_words") for word in phrase.split()):
        return None
    return make_finding(f"trying to learn {how}{phrase}", Kind.FACT, LIKELY)


def project(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if phrase is None or len(phrase) < 4 or _EXPRESSIONS.minor_task.match(phrase):
        return None
    if reading.verb() not in _HANDIWORK and not _is_undertaking(phrase, reading.verb()):
        return None
    if _EXPRESSIONS.figurative.search(phrase) or (
        reading.verb() == "writing" and not _EXPRESSIONS.written.search(phrase)
    ):
        return None
    return make_finding(f"{reading['verb']} {phrase}", Kind.PROJECT)


def _is_undertaking(phrase: str, verb: str) -> bool:
    """A game, a thesis, a shed, something with a name: not the task of the day, such as a ring buffer."""
    if _EXPRESSIONS.compiled.search(phrase):
        return False
    if _EXPRESSIONS.undertaking.search(phrase):
        return True
    plain_words = [word.strip(",.").lower() for word in phrase.split()]
    if any(word in lexicon.words("code_words") for word in plain_words) or "own" in plain_words[1:2]:
        return False
    is_named = re.match(r"(?:the )?[A-Z][a-z]\w+(?: [A-Z]\w+)*(?:$| (?:in|with|for) )", phrase)
    is_port = verb in ("rewriting", "migrating", "porting") and any(map(is_tool, plain_words))
    is_named = is_named and verb != "building"
    return bool(is_named or is_port or re.match(r"(?:an?|my|their|the \w+) \w", phrase))


def plays(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if not phrase or not (_EXPRESSIONS.played.search(phrase) or re.search(r"\b[A-Z]", phrase)):
        return None
    return make_finding(f"plays {phrase}", Kind.FACT)


def keeps(reading: Reading) -> Finding | None:
    """What is driven, collected, grown."""
    phrase = _lasting_object(reading)
    if not phrase or re.search(r"\b(?:hard bargain|eye|crazy|mind|secret|note)\b|^up\b|\bup$", phrase):
        return None
    verb, *particles = reading["verb"].split()
    return make_finding(" ".join([conjugate(verb), *particles, phrase]), Kind.FACT)


def has(reading: Reading) -> Finding | None:
    phrase = _lasting_object(reading)
    if phrase is None or _EXPRESSIONS.no_possession.search(phrase):
        return None
    return make_finding(f"{'owns' if reading.verb() == 'own' else 'has'} {phrase}", Kind.FACT)


def allergic(reading: Reading) -> Finding | None:
    """An allergy that a cook or a doctor would write down."""
    return None if _EXPRESSIONS.joke.search(object_phrase(reading["o"]) or "") else template(reading)


def an_allergy(reading: Reading) -> Finding | None:
    allergy = reading["o"].lower()
    return make_finding(f"has {'an' if allergy[0] in 'aeiou' else 'a'} {allergy}", Kind.CONSTRAINT)


def avoids(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    refusal = "can't" if reading["not"].lower() == "cannot" else "doesn't"
    return make_finding(f"{refusal} {reading.verb()} {phrase}", Kind.CONSTRAINT) if phrase else None


def aged(reading: Reading) -> Finding | None:
    years = _years(reading["age"])
    return make_finding(f"is {years} years old", Kind.FACT) if 10 <= years <= 105 else None


def _years(text: str) -> int:
    """ "34", "fifty-two"."""
    if text.isdigit():
        return int(text)
    tens, _, ones = text.lower().replace("-", " ").partition(" ")
    cardinals = lexicon.ordered_words("cardinals")
    return 10 * (_TENS.index(tens) + 2) + (cardinals.index(ones) if ones in cardinals else 0)


def timezone(reading: Reading) -> Finding | None:
    return make_finding(f"timezone is {reading['o'].upper()}", Kind.FACT)


def goes_by(reading: Reading) -> Finding | None:
    name = reading["o"]
    if not (name[0].isupper() or reading.clause.lacks_capitals):
        return None
    return make_finding(f"goes by {capitalize_name(name, reading.clause)}", Kind.FACT)
