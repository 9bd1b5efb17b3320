"""Builders for facts of life: origin, faith, health, schooling, experience, possessions."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration
from recollect.models.local.rule import Finding, Reading, make_finding
from recollect.models.local.statements import is_named, is_tool

_EXPRESSIONS = expressions("statements")


def raised(reading: Reading) -> Finding | None:
    """ "Was raised Catholic"."""
    return make_finding(f"{reading['o'].lower()} {_proper(reading['more'])}", Kind.FACT)


def origin(reading: Reading) -> Finding | None:
    """ "Is half Japanese"; not "is German at heart"."""
    return make_finding(f"is {_proper(reading['o'])}", Kind.FACT)


def _proper(text: str) -> str:
    """With capitals for nations and faiths."""
    names = lexicon.words("nationalities") | lexicon.words("faiths") - lexicon.words("uncapitalized")
    return " ".join(word[:1].upper() + word[1:] if word.strip(",.") in names else word for word in text.split())


def has_condition(reading: Reading) -> Finding | None:
    article = "a " if re.match(r"(?i).* an? (?:bad|heart|severe|mild|chronic) ", f" {reading[0]}") else ""
    verb = "gets" if reading[0].lower().startswith("get ") else "has"
    return make_finding(f"{verb} {article}{reading['o']}", Kind.FACT)


def diagnosed(reading: Reading) -> Finding | None:
    phrase = object_phrase(_EXPRESSIONS.after_diagnosis.sub("", strip_duration(reading["o"])))
    return make_finding(f"was diagnosed with {phrase}", Kind.FACT) if phrase and len(phrase.split()) <= 6 else None


def novice(reading: Reading) -> Finding | None:
    """ "Is new to Clojure", "is a complete beginner in Go"; not "is new to this"."""
    phrase = object_phrase(reading["o"])
    has_topic = reading.match.groupdict().get("topic") is not None
    is_about = has_topic or re.search(r" (?:to|in|with|at) ", phrase or "")
    if phrase is None or _EXPRESSIONS.not_a_subject.search(phrase) or not is_about:
        return None
    return make_finding(f"is {phrase}", Kind.FACT)


def started_learning(reading: Reading) -> Finding | None:
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or not (is_named(phrase.split()[0]) or phrase.split()[0].lower() in lexicon.words("languages")):
        return None
    return make_finding(f"started learning {phrase}", Kind.FACT)


def knows(reading: Reading) -> Finding | None:
    """ "Knows Python, Go and some Rust"."""
    phrase = object_phrase(reading["o"])
    known_things = lexicon.words("languages") | lexicon.words("tools")
    first = phrase.split()[0].strip(",.").lower() if phrase else ""
    if not phrase or first not in known_things or _EXPRESSIONS.finite.search(phrase):
        return None
    verb = "is fluent in" if reading[0].lower().startswith(("am", "fluent")) else "knows"
    return make_finding(f"{verb} {phrase}", Kind.FACT)


def background(reading: Reading) -> Finding | None:
    """ "Comes from a Java background"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"comes from {phrase}", Kind.FACT) if phrase else None


def degree(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    article = "an" if phrase and phrase[0].lower() in "aeiou" else "a"
    return make_finding(f"has {article} {phrase}", Kind.FACT) if phrase and len(phrase.split()) <= 12 else None


def never(reading: Reading) -> Finding | None:
    """ "Has never used Docker"; not "has never seen that error"."""
    phrase = object_phrase(reading["o"])
    if not phrase or len(phrase.split()) > 4:
        return None
    known = lexicon.words("tools") | lexicon.words("languages")
    if phrase.split()[0].lower() not in known and not (reading.verb() == "been to" and phrase[0].isupper()):
        return None
    return make_finding(f"has never {reading.verb()} {phrase}", Kind.FACT)


def has_been_doing(reading: Reading) -> Finding | None:
    """ "Has been writing Python for 10 years"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or _EXPRESSIONS.not_a_subject.search(phrase) or phrase.startswith("code in the"):
        return None
    return make_finding(f"has been {reading.verb()} {phrase} {reading['for']}", Kind.FACT)


def possesses(reading: Reading) -> Finding | None:
    phrase = object_phrase(strip_duration(reading["o"]))
    return make_finding(f"has {phrase}", Kind.FACT) if phrase and len(phrase.split()) <= 10 else None


def lacks(reading: Reading) -> Finding | None:
    """ "Has no siblings", "doesn't own a car"."""
    denial = reading["not"].lower()
    if denial.startswith("have no"):
        return make_finding(f"has no {reading['o']}", Kind.FACT)
    if denial.startswith("have never"):
        return make_finding(f"has{denial.removeprefix('have')} {reading['o']}", Kind.FACT)
    return make_finding(f"doesn't{denial.removeprefix('do not')} {reading['o']}", Kind.FACT)


def tall(reading: Reading) -> Finding | None:
    return make_finding(f"is {reading['o'].strip(' .,!')}", Kind.FACT)


def wears(reading: Reading) -> Finding | None:
    """ "Wears size 10 shoes"; what one is, is a size too: "am a medium"."""
    verb = "wears" if reading[0].lower().startswith(("wear", "take")) else "is"
    is_size = verb == "wears" or " in " in reading["o"]
    return make_finding(f"{verb} {reading['o']}", Kind.FACT) if is_size else None


def had_removed(reading: Reading) -> Finding | None:
    return make_finding(f"had their {reading['o']}", Kind.FACT)


def does_not_speak(reading: Reading) -> Finding | None:
    language = reading["o"].lower()
    if language not in lexicon.words("languages"):
        return None
    return make_finding(f"doesn't speak {language.capitalize()}", Kind.FACT)


def service(reading: Reading) -> Finding | None:
    """ "Was in the army"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    verb = {"am": "is in", "was": "was in", "retired": "retired from"}.get(reading["was"].lower(), "served in")
    return make_finding(f"{verb} {phrase}", Kind.FACT) if phrase else None


def studied(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"studied {phrase}", Kind.FACT) if phrase and len(phrase.split()) <= 10 else None


def learns_degree(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"{reading.verb()} {phrase}", Kind.FACT) if phrase else None


def schooled(reading: Reading) -> Finding | None:
    """ "Goes to school for accounting", "attended Duke University"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or len(phrase.split()) > 9:
        return None
    verb, *particles = reading["how"].lower().removeprefix("am ").split()
    third = verb if verb.endswith(("ed", "ing")) or verb in ("went", "got") else conjugate(verb)
    if phrase == "school" and not verb.startswith("drop"):
        return None
    return make_finding(" ".join([third, *particles, phrase]), Kind.FACT)


def has_worked(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    how, _, what = (phrase or "").partition(" ")
    if phrase is None or len(phrase.split()) > 10:
        return None
    if how == "with" and not is_tool(what.split()[0]):
        return None
    if how == "in" and not _EXPRESSIONS.field.match(what):
        return None
    return make_finding(f"has worked {phrase}", Kind.FACT)


def owns(reading: Reading) -> Finding | None:
    """ "Has a Tesla", "drives an old Volvo"."""
    phrase = object_phrase(reading["o"])
    verb = conjugate(reading.verb()) if reading.verb() in ("drive", "ride", "own") else "has"
    return make_finding(f"{verb} {phrase}", Kind.FACT) if phrase else None


def has_done(reading: Reading) -> Finding | None:
    """ "Has run 12 marathons"."""
    participle = {"ran": "run"}.get(reading.verb(), reading.verb())
    return make_finding(f"has {participle} {reading['o']}", Kind.FACT)


def did(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"did {phrase}", Kind.FACT) if phrase else None


def had(reading: Reading) -> Finding | None:
    """An illness or operation that stays of importance."""
    return make_finding(f"had {reading[0].partition(' ')[2].strip(' .!')}", Kind.FACT)
