"""Many guilds with a few people each: who they are, what is known about them, and what they ask."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from bench.material import START, memos, questions, sentence
from recollect import Message, Place
from recollect.core.types import Audience, Kind, Memo, Subject

GUILDS = 10_000
PEOPLE = 4
"""People of one guild."""
LORE = 20
"""One memo in so many belongs to the guild."""


def known(count: int, first: int = 0) -> Iterator[tuple[Memo, bytes]]:
    """`count` memos, spread evenly over all guilds and their people."""
    for number, (memo, vector) in enumerate(memos(count, 1, first=first), first):
        guild = f"g{number % GUILDS}"
        source = replace(memo.source, guild=guild, actor=person(number))
        if number % LORE == 0:
            whole = Audience("guild", guild, guild)
            yield replace(memo, subject=Subject.lore(guild), kind=Kind.LORE, source=source, audience=whole), vector
        else:
            yield replace(memo, subject=Subject(person(number)), source=source), vector


def person(number: int) -> str:
    guild = number % GUILDS
    return f"u{guild}-{number // GUILDS % PEOPLE}"


def place(guild: int) -> Place:
    return Place("discord", f"g{guild}", f"c{guild}", name="general", public=True)


def said(count: int) -> Iterator[Message]:
    """What was said before, a few lines in each guild."""
    rng = random.Random(3)
    for number in range(count):
        at = START + timedelta(seconds=number)
        text = sentence(rng, number)
        yield Message(f"old-{number}", person(number), place(number % GUILDS), text, at, person(number))


def asked(seed: int) -> Iterator[Message]:
    """Endless questions of random people in their guilds."""
    rng, supply = random.Random(seed), questions(seed)
    number = 0
    while True:
        who = rng.randrange(GUILDS * PEOPLE)
        at = START + timedelta(days=400, seconds=number)
        yield Message(f"ask-{seed}-{number}", person(who), place(who % GUILDS), next(supply), at, person(who))
        number += 1


def statements(seed: int) -> Iterator[tuple[str, str]]:
    """Endless things that random people want remembered."""
    rng = random.Random(seed)
    number = seed << 24
    while True:
        yield person(rng.randrange(GUILDS * PEOPLE)), sentence(rng, number)
        number += 1
