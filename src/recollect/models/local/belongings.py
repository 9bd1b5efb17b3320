"""Builders for what belongs to somebody's life and has one value at a time: a rent, a bank, a doctor, whom they see."""

from recollect.core.types import Kind
from recollect.models.local.rephrase import object_phrase, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding


def owned(reading: Reading) -> Finding | None:
    """ "My rent is 900 a month", "my bank is Monzo"."""
    phrase = object_phrase(reading["o"])
    return make_finding(f"{reading['what']} {reading['is']} {phrase}", Kind.FACT) if phrase else None


def called(reading: Reading) -> Finding | None:
    """ "My dentist is Dr. Osei"."""
    return make_finding(f"their {reading['what'].lower()} is called {reading['n'].strip()}", Kind.FACT)


def kin_place(reading: Reading) -> Finding | None:
    """ "My son is in year 4"."""
    kin, name = reading["kin"].lower(), reading["name"]
    person = f"{kin} {name}" if name else kin
    return make_finding(f"their {person} is {trim_object(reading['o'])}", Kind.PERSON, LIKELY, about=name or kin)


def of_kin(reading: Reading) -> Finding | None:
    """ "My sister's baby is called Otis"."""
    kin, what = reading["kin"].lower(), reading["what"].lower()
    is_called = reading["called"].lower().replace("gonna", "going to")
    return make_finding(f"their {kin}'s {what} is {is_called} {reading['n']}", Kind.PERSON, about=kin)


def seeing(reading: Reading) -> Finding | None:
    """ "I'm seeing a guy called Marcus"."""
    return make_finding(f"is seeing {reading['n']}", Kind.FACT)
