"""Builders for what people say after "my": names, favorites, dates, gear, pets, and notes on other people."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.introductions import is_person_name, kin_named, starts_with_greeting
from recollect.models.local.rephrase import object_phrase, strip_duration, trim_object
from recollect.models.local.rule import LIKELY, SURE, Finding, Reading, capitalize_name, make_finding
from recollect.models.local.statements import is_named, is_trade, place_name

_EXPRESSIONS = expressions("about_mine")
_MAX_BREED_WORDS = 3
_MILESTONES = ("passed away", "died", "got married", "got engaged", "got promoted", "retired", "graduated")


def _name(reading: Reading, *, lower: bool = True) -> str | None:
    """The name that was given, with a capital; in lower case only where the author writes all names so."""
    name = reading["n"].strip(".-'")
    is_lower = lower and reading.clause.lacks_capitals
    if _EXPRESSIONS.no_name.match(name) or not (name[0].isupper() or is_lower):
        return None
    return capitalize_name(name, reading.clause)


def own_name(reading: Reading) -> Finding | None:
    name = _name(reading)
    return make_finding(f"name is {name}", Kind.FACT) if name else None


def announced(reading: Reading) -> Finding | None:
    """ "Kenji here": a greeting goes before it, or it is a name that is known as one."""
    is_known = reading["n"].lower() in lexicon.words("given_names")
    is_greeted = starts_with_greeting(reading.clause.evidence) and is_person_name(reading["n"])
    return own_name(reading) if is_known or is_greeted else None


def nickname(reading: Reading) -> Finding | None:
    name = _name(reading, lower=reading["ask"] is not None)
    return make_finding(f"prefers to be called {name}", Kind.PREFERENCE) if name else None


def pet(reading: Reading) -> Finding | None:
    name, animal = _name(reading), reading["pet"].lower()
    article = "an" if animal[0] in "aeiou" else "a"
    return make_finding(f"has {article} {animal} named {name}", Kind.FACT) if name else None


def kin_name(reading: Reading) -> Finding | None:
    name = _name(reading)
    return kin_named(reading["kin"], name) if name else None


def kin_is(reading: Reading) -> Finding | None:
    """ "My boss is Priya", "my kids are Mia and Jonas"; not "my boss is German"."""
    names = trim_object(reading["n"])
    return kin_named(reading["kin"], names) if is_person_name(names) else None


def team(reading: Reading) -> Finding | None:
    """ "My team uses Postgres", "our company deploys on Fridays"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or _EXPRESSIONS.empty_object.search(phrase) or (reading["uses"] and not is_named(phrase)):
        return None
    kind = Kind.TOOL if reading["uses"] else Kind.WORKFLOW
    verb = (reading["uses"] or reading["does"]).lower()
    return make_finding(f"their {reading['what'].lower()} {verb} {phrase}", kind)


def ritual(reading: Reading) -> Finding | None:
    """ "Our standup is at 9:30"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"their {reading['what'].lower()} {reading['is']} {phrase}", Kind.WORKFLOW) if phrase else None


def pronouns(reading: Reading) -> Finding | None:
    return make_finding(f"pronouns are {reading['o'].lower()}", Kind.FACT)


def favorite(reading: Reading) -> Finding | None:
    phrase, category = object_phrase(reading["o"]), object_phrase(reading["what"])
    if phrase is None or category is None or re.match(r"(?:when|part|things?|ones?|not)\b", f"{category} {phrase}"):
        return None
    if re.search(r"\b(?:about|so far|from|of (?:this|the))\b", category):
        return None
    if re.match(r"(?:in|on|at|from|the one)\b", phrase):
        return None
    return make_finding(f"{reading['fav']} {category} {reading['is']} {phrase}", Kind.PREFERENCE)


def favorite_first(reading: Reading) -> Finding | None:
    """ "Cooking is my favorite hobby"."""
    phrase = _opening(reading)
    if phrase is None or len(phrase.split()) > 5:
        return None
    return make_finding(f"{reading['fav'].lower()} {reading['what'].lower()} is {phrase}", Kind.PREFERENCE)


def _opening(reading: Reading) -> str | None:
    """What a sentence opens with, without the capital that only its place gives it."""
    phrase = object_phrase(reading["o"])
    first, _, rest = (phrase or "").partition(" ")
    is_name = first.lower() in lexicon.words("languages") | lexicon.words("given_names") or rest[:1].isupper()
    return phrase if phrase is None or is_name else phrase[0].lower() + phrase[1:]


def passion(reading: Reading) -> Finding | None:
    """ "Music is my passion"."""
    phrase = _opening(reading)
    return make_finding(f"{reading['what'].lower()} is {phrase}", Kind.PREFERENCE) if phrase else None


def trait(reading: Reading) -> Finding | None:
    phrase, what, kind = object_phrase(reading["o"]), reading["what"], reading.rule.kind
    is_aim = what.lower() in ("dream", "life goal", "dream job")
    if phrase is None or (_EXPRESSIONS.passing.match(phrase) and not is_aim):
        return None
    if kind is Kind.TOOL and not is_named(phrase):
        return None
    if what.lower().endswith("job") and not re.match(r"\w+ing\b", phrase) and not is_trade(_without_article(phrase)):
        return None
    return make_finding(f"{what} {reading['is']} {phrase}", kind)


def measure(reading: Reading) -> Finding | None:
    """ "My shoe size is 43", "my blood type is O negative"."""
    phrase = trim_object(reading["o"])
    return make_finding(f"{reading['what']} is {phrase}", Kind.FACT) if phrase else None


def called(reading: Reading) -> Finding | None:
    """ "My company is called Bright Fern"."""
    what = reading["what"].lower()
    return make_finding(f"their {what} is called {trim_object(reading['n'])}", Kind.FACT)


def rather(reading: Reading) -> Finding | None:
    """ "Tea over coffee any day"."""
    better, worse = object_phrase(reading["o"]), object_phrase(reading["than"])
    if better is None or worse is None or len(f"{better} {worse}".split()) > 6:
        return None
    return make_finding(f"prefers {better} over {worse}", Kind.PREFERENCE)


def language_level(reading: Reading) -> Finding | None:
    """ "My German is fluent"."""
    language = reading["what"].lower()
    if language not in lexicon.words("languages"):
        return None
    return make_finding(f"their {language.capitalize()} is {reading['o'].lower()}", Kind.FACT)


def affects(reading: Reading) -> Finding | None:
    """ "Horror movies freak me out"."""
    phrase = _opening(reading)
    if phrase is None or len(phrase.split()) > 4:
        return None
    return make_finding(f"{phrase} {reading['does'].lower().replace(' me', ' them')}", Kind.FACT, LIKELY)


def _without_article(phrase: str) -> str:
    return re.sub(r"^(?:an?|as an?) ", "", phrase)


def birthday(reading: Reading) -> Finding | None:
    date = trim_object(reading["o"]).removeprefix("on ").removeprefix("the ")
    if not _EXPRESSIONS.birth_date.search(date):
        return None
    date, relative = _EXPRESSIONS.month.sub(lambda month: month[0].title(), date), reading["kin"]
    if relative:
        return make_finding(f"their {relative.lower()}'s birthday is {date}", Kind.PERSON, about=relative.lower())
    return make_finding(f"birthday is {date}", Kind.FACT)


def note(reading: Reading) -> Finding | None:
    """The speaker's note on someone they know."""
    kin, name = reading["kin"].lower(), reading["name"]
    is_plural = kin in ("children", "folks") or (kin.endswith("s") and kin != "boss")
    does, state = (
        _EXPRESSIONS.does.match(reading["said"]),
        _EXPRESSIONS.states.match(_EXPRESSIONS.contrast.sub("", reading["said"])),
    )
    if does and _EXPRESSIONS.plural_verb.match(does["verb"]) and not is_plural:
        return None  # "me and my wife live": not the wife alone
    if does:
        rephrased = _rephrase_action(does, reading.clause)
    elif state and (state["trade"] is None or is_trade(trim_object(state["trade"])) or _is_breed(kin, state["trade"])):
        phrase = object_phrase(f"{state['age']} years old" if state["age"] else state["o"])
        rephrased = f"{'are' if is_plural else 'is'} {phrase}" if phrase else None
    else:
        return None
    if rephrased is None:
        return None
    person = f"{kin} {name}" if name else kin
    return make_finding(f"their {person} {rephrased}", Kind.PERSON, SURE if name else LIKELY, about=name or kin)


def _is_breed(kin: str, said: str) -> bool:
    """ "Is a golden retriever", of an animal; not "is a good boy"."""
    return (
        _EXPRESSIONS.animal.fullmatch(kin) is not None
        and len(trim_object(said).split()) <= _MAX_BREED_WORDS
        and _EXPRESSIONS.no_breed.search(said) is None
    )


def _rephrase_action(match: re.Match[str], clause: Clause) -> str | None:
    verb = match["verb"].lower().replace("do not", "don't").replace("cannot", "can't")
    verb = re.sub(r"^(?:really |also |now |mostly |still |absolutely )+", "", verb)
    if not match["o"].strip(" .!,"):
        return verb if verb in _MILESTONES else None
    if verb.endswith("turned"):  # "yesterday" is soon wrong
        age = re.match(r" \d+\b", match["o"])
        return f"turned{age[0]}" if age else None
    if verb in ("has", "have") and _EXPRESSIONS.passing_possession.match(match["o"]):
        return None
    if re.fullmatch(r"(?:just )?moved (?:\w+ )?to", verb):
        place = place_name(match["o"], clause)
        return f"lives in {place}" if place else None
    phrase = object_phrase(strip_duration(match["o"]))
    return None if phrase is None or _EXPRESSIONS.empty_object.search(phrase) else f"{verb} {phrase}"
