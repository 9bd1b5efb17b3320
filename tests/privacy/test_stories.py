"""Whatever people did before: of the one who is erased nothing is left, and the others are as they were."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Place
from recollect.privacy.target import ErasureTarget
from tests.privacy.telling import HERE, THERE, bytes_with, dm, opened
from tests.scenes import Stage

PEOPLE = ("ann", "ben", "cy")
DEEDS = ("say", "ask", "remember", "revise", "forget", "undo", "edit", "delete", "lore")

Step = tuple[str, str, int, int]
steps = st.tuples(st.sampled_from(DEEDS), st.sampled_from(PEOPLE), st.integers(0, 2), st.integers(0, 5))


def words(user: str, number: int) -> str:
    """A text of words that nobody else uses."""
    return f"I {user}like {user}thing{number} and {user}more{number % 3} of it"


async def do(stage: Stage, step: Step) -> None:
    deed, user, where, number = step
    place: Place = (HERE, THERE, dm(user))[where]
    memory, text = stage.memory, words(user, number)
    match deed:
        case "say":
            await stage.tell(text, user, place)
        case "ask":
            said = await stage.tell(text, user, place)
            await stage.reply(f"So you said: {text}", said)
        case "remember":
            await stage.remember(text, user=user, place=place)
        case "revise":
            shown = await memory.show(user=user, place=dm(user))
            for memo in shown.memos[:1]:
                await memory.update(memo.id, f"{text} now", user=user, place=dm(user))
        case "forget":
            await memory.forget(f"{user}thing{number}", user=user, place=dm(user), every=True)
        case "undo":
            await memory.undo(user=user, place=dm(user))
        case "edit" | "delete":
            rows = await memory.store.read(
                lambda tx: [message for _, message in tx.messages.written_by(f"discord:{user}")]
            )
            for message in [message for message in rows if message.author == user][:1]:
                if deed == "edit":
                    await memory.message_edited("discord", message.id, f"{text} after all")
                else:
                    await memory.message_deleted("discord", message.id)
        case _:
            if place.guild is not None:
                await stage.remember(f"The guild of {number} meets", user=user, place=place, lore=True)
    await stage.settle()


async def everything_of(stage: Stage, user: str) -> str:
    return json.dumps(await stage.memory.privacy.export(ErasureTarget(f"discord:{user}")), sort_keys=True)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(story=st.lists(steps, min_size=4, max_size=14), erased=st.sampled_from(PEOPLE))
async def test_an_erased_person_leaves_nothing_and_takes_nothing_along(story: list[Step], erased: str):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with opened(folder) as stage:
            for step in story:
                await do(stage, step)
            await stage.memory.mirror.catch_up()
            others = [user for user in PEOPLE if user != erased]
            before = [await everything_of(stage, user) for user in others]
            receipt = await stage.memory.privacy.erase(ErasureTarget(f"discord:{erased}"), asked_by=erased)
            assert receipt.clean
            assert bytes_with(folder, f"{erased}like", f"{erased}thing", f"{erased}more") == {}
            assert [await everything_of(stage, user) for user in others] == before
            assert all(finding.ok for finding in await stage.memory.store.check_health())
            await stage.settle()
        assert bytes_with(folder, f"{erased}like", f"{erased}thing", f"{erased}more") == {}
