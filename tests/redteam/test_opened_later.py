"""Opening, closing or moving a channel later never widens what was said before, in whatever form it is kept."""

from dataclasses import replace

import discord
import pytest
from simcord import ChannelHandle
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect import AsyncMemory, Message, Place
from recollect.faces.assistant.offline import offline_answer
from recollect.testing.clock import FakeClock
from recollect.testing.model_server import Request, Says
from recollect.testing.models import FakeModel
from tests import ground
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import channel_id, mirrored
from tests.scenes import AT_ONCE

EVERY_TURN = {"trigger": "every_n_turns", "every_n_turns": 1}
SECRET = "the layoffs are in June"
STAFF = Place("discord", "1", "5", name="staff", readers="+7")
OPENINGS = {
    "to everyone": (Place("local", "home", "staff"), Place("local", "home", "staff", public=True)),
    "of a thread": (
        Place("local", "home", "dev", "offsite", public=True, private_thread=True),
        Place("local", "home", "dev", "offsite", public=True),
    ),
    "to another role": (STAFF, replace(STAFF, readers="+7,+8")),
    "to a member": (STAFF, replace(STAFF, readers="+7,+@9")),
    "to those who were denied": (replace(STAFF, public=True, readers="*,-7"), replace(STAFF, public=True, readers="")),
    "to those who can't read the history": (replace(STAFF, readers="*,-7"), replace(STAFF, readers="*,-7<")),
}
CLOSINGS = {
    "to some": (replace(STAFF, public=True, readers=""), STAFF),
    "to one more": (replace(STAFF, readers="*,-7"), replace(STAFF, readers="*,-7,-@9")),
}


async def _told(memory: AsyncMemory, place: Place, clock: FakeClock) -> set[str]:
    """In which ways Bob is told the secret in a place."""
    clock.advance(minutes=1)
    prompt = await memory.context(Message("", "bob", place, "when are the layoffs?", clock()))
    ways = {section.name for section in prompt.sections if "June" in section.text and section.name != "message"}
    hits = await memory.search("layoffs June", user="bob", place=place, over="messages")
    ways |= {"search" for hit in hits if "June" in hit.text}
    for question in ("when are the layoffs?", "what did Ann say?", "what did we talk about?"):
        answer = await offline_answer(memory, Message("q", "bob", place, question, clock()))
        ways |= {"without a model"} if "June" in answer.text else set()
    shown = [await memory.show(user=user, place=place) for user in ("ann", "bob")]
    ways |= {"show" for page in shown if "June" in f"{page.summary} {page.memos}"}
    return ways


async def _talk(memory: AsyncMemory, place: Place, clock: FakeClock, text: str, number: int) -> None:
    clock.advance(minutes=1)
    await memory.add(Message(f"{number}", "ann", place, text, clock(), name="Ann"))
    reply = f"I see, {text}"
    await memory.add(Message(f"{number}r", "bot", place, reply, clock(), bot=True, reply_to=f"{number}"))
    await memory.remember(text, user="ann", place=place)
    assert await memory.worker.wait_idle(60)


@pytest.mark.parametrize("how", [*OPENINGS, *CLOSINGS])
async def test_what_was_said_in_a_channel_is_told_there_later_only_to_those_who_could_hear_it(how: str) -> None:
    before, after = (OPENINGS | CLOSINGS)[how]
    clock = FakeClock()
    async with AsyncMemory(
        ground.new(), embedder="null", model=FakeModel(), summary=EVERY_TURN, clock=clock, **AT_ONCE
    ) as memory:
        await _talk(memory, before, clock, SECRET, 1)
        ways = {"history", "rolling", "people", "search", "show"}
        assert await _told(memory, before, clock) >= ways, "so that the rest fails for the right reason"
        if how in CLOSINGS:
            assert await _told(memory, after, clock) >= ways
            return
        assert await _told(memory, after, clock) == set()
        await _talk(memory, after, clock, "the picnic is in May", 2)
        assert await _told(memory, after, clock) == set(), "the next summary is made of what was said since"
        prompt = await memory.context(Message("", "bob", after, "when is the picnic?", clock()))
        assert {"history", "rolling"} <= {section.name for section in prompt.sections if "May" in section.text}
        elsewhere = replace(after, channel="6", thread=None)
        assert not {"shortterm", "people"} & await _told(memory, elsewhere, clock)
        assert await _told(memory, before, clock) >= {"history", "people", "search"}, "closed again"


BOTH_TIMES = {
    "closed": (replace(STAFF, public=True, readers=""), STAFF, STAFF),
    "opened": (STAFF, replace(STAFF, public=True, readers=""), STAFF),
    "given to others": (replace(STAFF, readers="+7"), replace(STAFF, readers="+8"), replace(STAFF, readers="+7&+8")),
    "of unknown readers": (replace(STAFF, public=True, readers="*,-7"), replace(STAFF, readers=""), None),
    "a private thread now": (
        Place("local", "home", "dev", "offsite", public=True),
        Place("local", "home", "dev", "offsite", public=True, private_thread=True),
        Place("local", "home", "dev", "offsite", public=True, private_thread=True),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", BOTH_TIMES)
async def test_what_an_edit_says_is_told_only_to_those_who_could_read_the_channel_both_times(how: str) -> None:
    before, after, narrow = BOTH_TIMES[how]
    clock = FakeClock()
    async with AsyncMemory(
        ground.new(), embedder="null", model=FakeModel(), summary=EVERY_TURN, clock=clock, **AT_ONCE
    ) as memory:
        await _talk(memory, before, clock, "something to say", 1)
        clock.advance(minutes=1)
        assert await memory.message_edited(before.platform, "1", SECRET, clock(), after)
        await memory.add(Message("2", "bot", after, "I see", clock(), bot=True, reply_to="1"))
        assert await memory.worker.wait_idle(60)
        elsewhere = Place(before.platform, before.guild, "6", public=True)
        for place in (before, after, elsewhere):
            if place != narrow:
                assert await _told(memory, place, clock) == set()
        if narrow is not None:
            assert await _told(memory, narrow, clock) >= {"history", "search"}
            shown = await memory.show(user="ann", place=narrow)
            assert "June" in str(shown.memos), "it is learned, for those"


BITS = discord.Permissions(view_channel=True).value


def _recall(request: Request) -> Says:
    """Tell the secret if the prompt has it."""
    return Says(f"As I know, {SECRET}" if "June" in str(request.body) else "I don't know")


async def _permit(scene: Scene, channel: ChannelHandle, who: int, *, view: bool) -> None:
    """Let a role, or the bot, see a channel or not."""
    bits = discord.Permissions(view_channel=True).value
    kind = OverwriteType.MEMBER if who == scene.client.user.id else OverwriteType.ROLE
    overwrite = Overwrite(who, kind, bits if view else 0, 0 if view else bits)
    scene.env.backend.set_overwrite(channel.id, overwrite)
    await scene.env.settle()


@pytest.mark.slow
async def test_a_closed_channel_that_is_opened_tells_nothing_of_before_not_even_what_the_bot_itself_said() -> None:
    async with acting(_recall, summary=EVERY_TURN) as scene:
        await scene.order(f"!memory remember {SECRET}", where=scene.staff)
        assert "June" in await scene.ask(f"{SECRET}, right?", where=scene.staff)
        await scene.settle()
        await scene.allow(scene.staff, everyone=True)
        for who in (scene.bob, scene.ann):
            assert await scene.ask("what was that about?", who=who, where=scene.staff) == "I don't know"
            assert "June" not in await scene.order("!memory show", who=who, where=scene.staff)
            await scene.settle()
        await scene.allow(scene.staff, everyone=False)
        assert "June" in await scene.ask("what was that about?", where=scene.staff)


async def test_a_summary_is_shown_in_the_memory_channel_only_if_all_of_it_could_be_heard_there() -> None:
    async with acting(discord__memory_channel=await channel_id(), summary=EVERY_TURN) as scene:
        await mirrored(scene)
        await scene.ask(f"{SECRET}, so be quiet", where=scene.staff)
        await mirrored(scene)
        await scene.allow(scene.staff, everyone=True)
        await scene.order("!memory remember I like green tea")
        (shown,) = [one.content for one in await mirrored(scene) if one.content.startswith("<@")]
        assert "green tea" in shown
        assert "June" not in shown
        await scene.ask("the picnic is in May", where=scene.staff)
        (shown,) = [one.content for one in await mirrored(scene) if one.content.startswith("<@")]
        assert "May" in shown.partition("Rolling summary")[2]
        assert "June" not in shown


@pytest.mark.acceptance("A13")
@pytest.mark.parametrize("server", ["quarantine", "verified"])
async def test_ordinary_channels_share_what_is_said_in_them_and_tell_nobody_else(server: str) -> None:
    """A server with a role that is denied everywhere, and one that only one role can view, but for #welcome."""
    async with acting(_recall) as scene:
        role = scene.guild.create_role(server)
        eve = scene.guild.add_member(scene.env.create_user("eve"), roles=[role] if server == "quarantine" else [])
        cem = scene.guild.add_member(scene.env.create_user("cem"), roles=[] if server == "quarantine" else [role])
        welcome = scene.guild.create_text_channel("welcome")
        lounge = scene.guild.create_text_channel("lounge")
        for channel in (scene.dev, scene.general, lounge):
            if server == "verified":
                await _permit(scene, channel, scene.guild.id, view=False)
                await _permit(scene, channel, scene.client.user.id, view=True)
            await _permit(scene, channel, role.id, view=server == "verified")
        answer = await scene.order(f"!memory remember {SECRET}", who=cem)
        assert "on the server where it was said, in channels that nobody else can read" in answer
        assert "!memory share" in answer
        await scene.ask("the picnic is in May", who=cem)
        await scene.settle()
        assert "June" in await scene.ask("when is it?", who=cem, where=scene.general)
        assert "picnic is in May" in scene.prompts()[-1], "a recent exchange of another channel"
        await scene.ask("hello", who=cem, where=welcome)
        assert await scene.ask("when is it?", who=eve, where=welcome) == "I don't know"
        assert await scene.ask("when is it?", who=cem, where=welcome) == "I don't know"
        assert not any("picnic" in prompt for prompt in scene.prompts()[-2:])


async def test_an_edit_made_while_a_channel_is_closed_is_not_told_when_it_is_open_again() -> None:
    async with acting(_recall, summary=EVERY_TURN) as scene:
        await scene.allow(scene.staff, everyone=True)
        sent = await scene.ann.send(scene.staff, "nothing to see here")
        await scene.settle()
        await scene.allow(scene.staff, everyone=False)
        await scene.ann.edit(sent, SECRET)
        await scene.settle()
        assert "June" in await scene.ask("what was that about?", where=scene.staff)
        await scene.allow(scene.staff, everyone=True)
        for where in (scene.staff, scene.general):
            assert await scene.ask("what was that about?", who=scene.bob, where=where) == "I don't know"


@pytest.mark.slow
async def test_a_reply_under_way_when_a_channel_is_opened_is_written_anew_for_those_who_read_it_now() -> None:
    scenes: list[Scene] = []

    def open_and_tell(request: Request) -> Says:
        if "what was that about?" in str(request.body):
            everyone = Overwrite(scenes[0].guild.id, OverwriteType.ROLE, BITS, 0)
            scenes[0].env.backend.set_overwrite(scenes[0].staff.id, everyone)
        return _recall(request)

    async with acting(open_and_tell) as scene:
        scenes.append(scene)
        await scene.order(f"!memory remember {SECRET}", where=scene.staff)
        assert await scene.ask("what was that about?", where=scene.staff) == "I don't know"
        assert ["June" in prompt for prompt in scene.prompts()] == [True, False]
        said = [one.content for one in scene.staff.history() if one.author.id == scene.client.user.id]
        assert not any("As I know" in one for one in said)
