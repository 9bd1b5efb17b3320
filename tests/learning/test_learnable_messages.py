"""Which messages are learned from, for every trigger."""

import pytest

from recollect.admin import Admin
from recollect.core.types import Place, Subject
from recollect.learning.consent import is_place_paused, pause_place, resume_place
from recollect.testing.models import FakeModel, propose_nothing
from tests.scenes import DEV, DM, GENERAL, Stage, opened


async def edit(stage: Stage, message_id: str, text: str) -> None:
    await stage.memory.message_edited("discord", message_id, text)
    await stage.settle()


async def test_an_edited_message_is_learned_from_and_an_edited_reply_is_not() -> None:
    model = FakeModel(propose_nothing)
    async with opened(model=model) as stage:
        said = await stage.say("hm, well, I see")
        reply = await stage.reply("You live in Rome, don't you?", said)
        await stage.settle()
        model.inputs.clear()
        await edit(stage, reply.id, "You live in Lisbon, don't you?")
        assert model.inputs == []
        await edit(stage, said.id, "I live in Lisbon")
        assert [one.text for given in model.inputs for one in given.messages] == ["I live in Lisbon"]


async def test_where_nothing_is_learned_an_edited_message_is_not_either() -> None:
    model = FakeModel(propose_nothing)
    async with opened("discoclaw", model=model) as stage:
        said = await stage.say("I live in Rome")
        await edit(stage, said.id, "I live in Lisbon")
        assert model.inputs == []


@pytest.mark.parametrize("place", [DEV, DM])
async def test_a_place_is_paused_once_and_resumed_once(place: Place) -> None:
    async with opened() as stage:
        store, now = stage.memory.store, stage.clock()
        changes = [
            await store.write(lambda tx, change=change: change(tx, place, now, "discord:ann"))
            for change in (resume_place, pause_place, pause_place, resume_place, resume_place, pause_place)
        ]
        assert changes == [False, True, False, True, False, True]
        assert await store.read(lambda tx: is_place_paused(tx, place))
        assert not await store.read(lambda tx: is_place_paused(tx, GENERAL))
        kinds = [(await stage.events(kind)) for kind in ("learning.paused", "learning.resumed")]
        assert [len(events) for events in kinds] == [2, 1]


async def test_the_log_says_of_a_pause_who_made_it_and_of_whom_or_where() -> None:
    async with opened() as stage:
        view, admin = stage.memory.view("ann", DEV), Admin(stage.memory, stage.clock)
        for change in (view.pause_learning(), view.resume_learning(), admin.pause_place(Place("discord", "g1"))):
            assert await change
            stage.clock.advance(minutes=1)
        assert await admin.resume_place(Place("discord", "g1"))
        log = [(event.actor, event.scope) for event in await stage.memory.log() if event.kind.startswith("learning.")]
    assert log == [(admin.name, Subject.lore("g1").scope)] * 2 + [("discord:ann", Subject("discord:ann").scope)] * 2
