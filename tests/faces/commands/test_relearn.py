"""`!memory relearn`: what would change is shown first, and then learned in the background."""

from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal
from recollect.testing.models import FakeModel
from tests.faces.commands.talk import talking
from tests.scenes import DM


def learns_where_one_lives(hearing: ExtractionInput) -> ExtractionResult:
    message = hearing.messages[0]
    return ExtractionResult((Proposal("Lives in Porto", "fact", "I live in Porto", message.id),))


async def test_relearn_shows_what_would_change_and_changes_it_when_told_to_go_on():
    async with talking() as talk:
        await talk.memory.add(talk.stage.message("I live in Porto", place=DM))
        before = await talk("!memory relearn", place=DM)
        assert "message to learn from again with null: no change" in before
        assert before.endswith('To go on, say "!memory relearn yes".')


async def test_relearn_learns_what_was_missed_and_undo_takes_it_back():
    async with talking(model=FakeModel(learns_where_one_lives), extraction={"trigger": "off"}) as talk:
        await talk.memory.add(talk.stage.message("I live in Porto", place=DM))
        assert "learned: [fact] Lives in Porto" in await talk("!memory relearn", place=DM)
        assert "Lives in Porto" not in await talk("!memory show", place=DM)
        underway = await talk("!memory relearn yes", place=DM)
        assert underway == "Learning again from 1 message, in the background. Take it back later: !memory undo"
        await talk.stage.settle()
        assert "Lives in Porto" in await talk("!memory show", place=DM)
        await talk("!memory undo", place=DM)
        assert "Lives in Porto" not in await talk("!memory show", place=DM)


async def test_relearn_does_nothing_where_nothing_was_said():
    async with talking() as talk:
        assert await talk("!memory relearn yes", place=DM) != ""
        assert (await talk("!memory relearn maybe", place=DM)).startswith("Usage: !memory relearn [yes]")
