"""Habits: "usually", "every morning", "on Tuesdays"."""

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding

_EXPRESSIONS = expressions("habits")
_NEEDS_DETAIL = frozenset("run draw box dive fence row stream hunt cycle swim climb sing dance".split())
"""Verbs that say little alone: "I swim" may be about today."""
_JOINT = frozenset("sell raise breed grow foster farm brew bake rescue roast cater repair restore".split())
"""Crafts that "we" may name of a family or a shop; "we build packages" is about a program."""
_TRANSITIVE = frozenset("watch do take have use make keep grab order host visit call check track log get post".split())


def usual_action(reading: Reading) -> Finding | None:
    """ "I usually drink tea"."""
    target = reading["o"].strip()
    if _EXPRESSIONS.not_a_habit.search(reading["verb"]) or _EXPRESSIONS.not_a_habit.match(target):
        return None
    if reading.verb() in _TRANSITIVE and _EXPRESSIONS.when.match(target):
        return None
    if (
        reading.verb() == "use"
        and reading["how"].lower() in ("never", "rarely")
        and target.split()[:1]
        and target.split()[0].lower() not in lexicon.words("tools")
    ):
        return None
    phrase = object_phrase(target)
    if phrase is None or len(phrase) < 3:
        return None
    if _EXPRESSIONS.empty.search(phrase) or _EXPRESSIONS.second_verb.search(phrase):
        return None
    return make_finding(f"{reading['how']} {_conjugate(reading['verb'])} {phrase}", Kind.WORKFLOW, LIKELY)


def regular_action(reading: Reading) -> Finding | None:
    """ "I run every morning"."""
    if not reading["o"] and reading["verb"].split()[0] in _TRANSITIVE:
        return None
    phrase = object_phrase(f"{reading['o'] or ''} {reading['often']}{reading['more'] or ''}".strip())
    if not phrase or _EXPRESSIONS.empty.search(phrase.removeprefix("to ") if reading.verb() == "go" else phrase):
        return None
    return make_finding(f"{_conjugate(reading['verb'])} {phrase}", Kind.WORKFLOW)


def frequency_first(reading: Reading) -> Finding | None:
    """ "Every morning I run"."""
    phrase = object_phrase(reading["o"]) if reading["o"].strip(" .!,") else ""
    if phrase is None:
        return None
    return make_finding(f"{_conjugate(reading['verb'])} {phrase} {reading['often'].lower()}", Kind.WORKFLOW)


def _conjugate(verb: str) -> str:
    """The third person of a verb with its particles: "gets up"."""
    first, *particles = verb.split()
    return " ".join([conjugate(first), *particles])


def livelihood(reading: Reading) -> Finding | None:
    """ "I sell cars for a living"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"{_conjugate(reading['verb'])} {phrase} for a living", Kind.FACT) if phrase else None


def hobby(reading: Reading) -> Finding | None:
    """ "I knit"."""
    if reading.verb() in _NEEDS_DETAIL and not reading["o"]:
        return None
    return make_finding(f"{_conjugate(reading['verb'])} {object_phrase(reading['o']) or ''}", Kind.FACT, LIKELY)


def craft(reading: Reading) -> Finding | None:
    """ "I fix old radios"."""
    phrase = object_phrase(reading["o"])
    if reading.clause.text.lower().startswith("we ") and reading.verb() not in _JOINT:
        return None
    if phrase is None or any(word in lexicon.words("code_words") for word in phrase.split()):
        return None
    return make_finding(f"{_conjugate(reading['verb'])} {phrase}", Kind.FACT, LIKELY)


def ability(reading: Reading) -> Finding | None:
    """ "Can speak three languages"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"can {reading.verb()} {phrase}", Kind.FACT, LIKELY) if phrase else None


def inability(reading: Reading) -> Finding | None:
    return make_finding(f"can't {reading['o'].lower()}", Kind.FACT, LIKELY)


def timed(reading: Reading) -> Finding | None:
    """ "Goes to bed at 9", "bikes to work", "drinks five cups of tea a day"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"{_conjugate(reading['verb'])} {phrase}", Kind.WORKFLOW) if phrase else None


def competes(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > 5:
        return None
    return make_finding(f"{_conjugate(reading['verb'])} in {phrase}", Kind.FACT, LIKELY)


def livelihood_at(reading: Reading) -> Finding | None:
    """ "I do payroll for a trucking company": whatever one does at such a place is one's work."""
    phrase = object_phrase(reading["o"])
    if phrase is None or reading.clause.text.lower().startswith("we "):
        return None
    return make_finding(f"{_conjugate(reading['verb'])} {phrase}", Kind.FACT, LIKELY)


def refrains(reading: Reading) -> Finding | None:
    """ "Doesn't smoke", "never drives"."""
    denial = "never" if reading["not"].lower() == "never" else "doesn't"
    verb, _, rest = reading["o"].partition(" ")
    phrase = f"{_conjugate(verb) if denial == 'never' else verb.lower()} {rest}"
    return make_finding(f"{denial} {phrase}", Kind.FACT, LIKELY)


def exclusively(reading: Reading) -> Finding | None:
    """ "Only drinks decaf"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > 6:
        return None
    return make_finding(f"only {_conjugate(reading['verb'])} {phrase}", Kind.PREFERENCE, LIKELY)
