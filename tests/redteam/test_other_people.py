"""A prompt tells of other people only what they said where everyone present could hear it, or shared."""

from dataclasses import replace

import pytest

from recollect import AsyncMemory, Message, Place
from recollect.core.changes import Add
from recollect.core.outcomes import Remembered
from recollect.core.types import EVERYWHERE
from recollect.faces.outcome_text import render_remembered
from recollect.testing.clock import FakeClock
from tests import ground

GENERAL = Place("discord", "1", "general", public=True, readers="*,-9")
PLACES = {
    "general": GENERAL,
    "dev": replace(GENERAL, channel="dev"),
    "thread": replace(GENERAL, channel="dev", thread="release"),
    "welcome": Place("discord", "1", "welcome", public=True),
    "party": Place("discord", "1", "party", readers="*,-9,-@3"),
    "staff": Place("discord", "1", "staff", readers="+7"),
    "board": Place("discord", "1", "board", readers="+7"),
    "closed": replace(GENERAL, channel="dev", thread="closed", private_thread=True),
    "unknown": Place("discord", "1", "unknown"),
    "abroad": Place("discord", "2", "general", public=True, readers="*,-9"),
    "dm": Place("discord", dm="ann"),
}
ORDINARY = {"general", "dev", "thread", "party", "closed"}
TOLD_IN = {
    "general": ORDINARY,
    "dev": ORDINARY,
    "thread": ORDINARY,
    "welcome": {*PLACES} - {"abroad", "dm"},
    "party": {"party"},
    "staff": {"staff", "board"},
    "board": {"staff", "board"},
    "closed": {"closed"},
    "unknown": {"unknown"},
    "abroad": {"abroad"},
    "dm": set[str](),
}
"""Where what Ann says in a place may be told to others."""


FACTS = {
    "general": "I play the cello",
    "dev": "I write Haskell at work",
    "thread": "My sister lives in Oslo",
    "welcome": "I grew up near Quito",
    "party": "I bake sourdough bread",
    "staff": "I earn 70 thousand",
    "board": "I plan to resign in autumn",
    "closed": "I collect fountain pens",
    "unknown": "I am allergic to hazelnuts",
    "abroad": "I drive a Lada",
    "dm": "I take lithium",
}


@pytest.mark.parametrize("profile", ["unified", "discoclaw", "dnam", "devclaw"])
async def test_what_ann_said_somewhere_is_told_to_bob_only_where_he_and_all_others_could_hear_it(profile: str) -> None:
    clock = FakeClock()
    settings = {"embedder": "null", "run_worker": False, "memos": {"max_items": 200}}
    async with AsyncMemory(ground.new(), clock=clock, profile=profile, **settings) as memory:
        for name, place in PLACES.items():
            clock.advance(minutes=1)
            await memory.remember(FACTS[name], user="ann", place=place)
        for asked, place in PLACES.items():
            if place.dm is not None:
                continue
            clock.advance(minutes=1)
            await memory.add(Message(f"{asked}-hi", "ann", place, "good morning", clock(), name="Ann"))
            clock.advance(minutes=1)
            prompt = await memory.context(Message("", "bob", place, "what do you know of Ann?", clock(), name="Bob"))
            told = {name for name in PLACES if FACTS[name] in prompt.text}
            allowed = {name for name in PLACES if asked in TOLD_IN[name]}
            assert told <= allowed, asked
            if profile == "unified":
                assert bool(told) == bool(allowed), asked
            assert await memory.search("I", user="bob", place=place, limit=50) == [], "her memos are hers"


async def test_what_ann_shared_is_told_where_she_takes_part_and_no_more_after_she_made_it_private() -> None:
    clock = FakeClock()
    async with AsyncMemory(ground.new(), clock=clock, embedder="null", run_worker=False) as memory:
        stated = await memory.remember("I keep a zebra", user="ann", place=PLACES["dm"])
        assert stated.memo.audience != EVERYWHERE
        for name in ("general", "staff"):
            await memory.add(Message(f"{name}-hi", "ann", PLACES[name], "good morning", clock(), name="Ann"))

        async def told() -> set[str]:
            clock.advance(minutes=1)
            prompts = {
                name: await memory.context(Message("", "bob", place, "what does Ann keep?", clock()))
                for name, place in PLACES.items()
                if place.dm is None
            }
            return {name for name, prompt in prompts.items() if "zebra" in prompt.text}

        assert await told() == set()
        await memory.share(stated.memo.id, user="ann", place=PLACES["dm"])
        assert await told() == {"general", "staff"}
        await memory.share(stated.memo.id, user="ann", place=PLACES["dm"], audience=PLACES["dm"].audience)
        assert await told() == set()


@pytest.mark.parametrize("said", ["The merger closes in June", "In June the merger closes"])
async def test_nobody_learns_by_stating_it_that_it_was_said_where_they_could_not_hear_it(said: str) -> None:
    clock = FakeClock()
    async with AsyncMemory(ground.new(), clock=clock, embedder="null", run_worker=False) as memory:
        for lore in (True, False):
            await memory.remember("The merger closes in June", user="ann", place=PLACES["staff"], lore=lore)
            who = "bob" if lore else "ann"
            stated = await memory.remember(said, user=who, place=PLACES["welcome"], lore=lore)
            assert isinstance(stated, Remembered)
            assert stated.verdict == "added"
            assert render_remembered(stated) == f'Remembered: "{said}"'
            assert [change for change in stated.changes if not isinstance(change, Add)] == []
