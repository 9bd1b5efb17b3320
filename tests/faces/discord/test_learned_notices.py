"""A line for each learned fact, with buttons that only its owner can use."""

import discord
import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal
from recollect.core.state import StateKind
from recollect.core.types import Kind, Status
from recollect.faces.discord import learned_notices
from recollect.faces.discord.client import Client
from recollect.faces.discord.learned_notices import LearnedNotices
from recollect.faces.discord.places import place_of
from recollect.privacy.target import ErasureTarget
from recollect.stores._sql.state import State
from recollect.testing.model_server import Says
from recollect.testing.models import FakeModel, proposal_for, propose_nothing
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import TICK
from tests.faces.discord.wire import WAIT, wired
from tests.waiting import eventually

HERE = {"learned_notices": "here"}


async def learned(scene: Scene, text: str = "I like green tea", **how: object) -> discord.Message:
    await scene.env.advance_time(TICK)
    await scene.ann.send(scene.dev, text)
    await scene.settle()
    await scene.env.advance_time(TICK)
    line = scene.dev.last_message
    assert line is not None
    return line


async def test_a_learned_notice_shows_the_memo_and_its_message_link() -> None:
    async with acting(discord=HERE) as scene:
        line = await learned(scene)
        said = scene.dev.history()[-2]
        assert line.content == f"Learned: [fact] I like green tea – {said.jump_url}"


async def test_only_its_owner_can_forget_it_and_a_restart_changes_nothing() -> None:
    async with acting(discord=HERE) as scene:
        line = await learned(scene)
        await scene.restart()
        refused = await scene.bob.click(line, label="Forget")
        assert refused.ephemeral
        assert await scene.known() == ["I like green tea"]
        await scene.ann.click(line, label="Forget")
        assert await scene.known() == []
        assert scene.dev.last_message.content == "Forgotten."


async def test_undo_takes_back_what_its_own_line_tells_whatever_was_learned_since() -> None:
    async with acting(discord=HERE) as scene:
        first = await learned(scene)
        await learned(scene, "I have two cats")
        await scene.order("!memory remember I play chess", where=scene.general)
        await scene.ann.click(first, label="Undo")
        assert await scene.known() == ["I play chess", "I have two cats"]
        await scene.order("!memory undo", where=scene.general)
        assert await scene.known() == ["I have two cats"], "the last change is still the last"
        await scene.order("!memory undo", where=scene.general)
        assert await scene.known() == []
        again = await scene.order("!memory undo", where=scene.general)
        assert again == "There is nothing to undo", "what was undone by its button is not undone again"


def halves(hearing: ExtractionInput) -> ExtractionResult:
    said = hearing.messages[-1]
    return ExtractionResult(tuple(Proposal(part, "fact", part, said.id) for part in said.text.split(" and ")))


async def test_many_lines_are_looked_through_with_few_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    things = ("green tea", "chess", "two cats", "opera", "old maps", "cellos", "rain", "long trains")
    async with acting(discord=HERE, model=FakeModel(halves)) as scene:
        for start in (0, 4):
            await learned(scene, " and ".join(f"I like {thing}" for thing in things[start : start + 4]))
        notices, store = LearnedNotices(scene.client.bot), type(scene.memory.store)
        reads, read = [0], store.read

        def counted(self: object, *args: object, **how: object) -> object:
            reads[0] += 1
            return read(self, *args, **how)  # type: ignore[arg-type]

        def asked(self: State, *args: object) -> list[str]:
            lists.append(args)
            return items(self, *args)  # type: ignore[arg-type]

        lists, items = list[object](), State.items
        monkeypatch.setattr(store, "read", counted)
        monkeypatch.setattr(State, "items", asked)
        await notices.remove_stale()
        assert reads[0] == 2, "the lines, and their memos"
        reads[0] = 0
        await notices.remove_invisible({scene.dev.id})
        assert reads[0] < len(things), "the lines, their memos, and whether one of their kind may be seen there"
        assert len(lists) < len(things), "where the lines are is one query"
        lines = [line for line in scene.dev.history() if line.content.startswith("Learned: ")]
        assert len(lines) == len(things)


@pytest.mark.parametrize("limit", ["MAX_NOTICES", "MAX_SERVER_NOTICES"])
async def test_the_oldest_lines_of_a_channel_or_a_server_that_has_too_many_go_and_what_they_tell_stays_known(
    monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(learned_notices, limit, 2)
    async with acting(discord=HERE) as scene:
        for thing in ("tea", "chess", "opera", "maps"):
            await learned(scene, f"I like {thing}")
        await scene.restart()  # it looks once a day, and when it starts
        await scene.env.advance_time(TICK)
        lines = [line.content for line in scene.dev.history() if line.content.startswith("Learned: ")]
        assert [line.split()[4] for line in lines] == ["opera", "maps"]
        assert len(await scene.known()) == 4
        assert len(await scene.client.bot.state.keys(StateKind.NOTICE_MESSAGE)) == 2


async def test_lines_are_looked_through_for_erased_memories_only_after_an_erasure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks, look = list[None](), LearnedNotices.remove_stale

    async def noted(self: LearnedNotices) -> None:
        looks.append(None)
        await look(self)

    monkeypatch.setattr(LearnedNotices, "remove_stale", noted)
    async with acting(discord=HERE) as scene:
        await learned(scene)
        looks.clear()
        await scene.restart()
        await scene.env.advance_time(TICK)
        assert not looks
        await scene.memory.privacy.erase(ErasureTarget(f"discord:{scene.ann.id}"), asked_by="operator")
        await scene.env.advance_time(TICK)
        assert len(looks) == 1
        assert not [line for line in scene.dev.history() if line.content.startswith("Learned: ")]


async def test_of_two_facts_in_one_message_undo_takes_back_one() -> None:
    async with acting(discord=HERE, model=FakeModel(halves)) as scene:
        last = await learned(scene, "I like green tea and I have two cats")
        assert "cats" in last.content
        await scene.ann.click(last, label="Undo")
        assert await scene.known() == ["I like green tea"]
        await scene.order("!memory undo", where=scene.general)
        assert await scene.known() == []


async def test_what_its_owner_changed_since_is_not_undone_by_its_line() -> None:
    async with acting(discord=HERE) as scene:
        line = await learned(scene)
        await scene.order("!memory pin tea", where=scene.general)
        late = await scene.ann.click(line, label="Undo")
        assert late.followups[-1].content.startswith("It has changed since")
        assert await scene.known() == ["I like green tea"]


def anew(hearing: ExtractionInput) -> ExtractionResult:
    """Whatever is said gives what was known other words."""
    known = hearing.known_memos[0].id if hearing.known_memos else None
    return ExtractionResult((proposal_for(hearing.messages[-1], id=known),))


async def test_a_line_follows_its_fact_into_other_words_and_back() -> None:
    async with acting(discord=HERE, model=FakeModel(anew)) as scene:
        await learned(scene, "I live in Berlin")
        await learned(scene, "I live in Lisbon")
        assert told_lines(scene) == ["Updated: [fact] I live in Lisbon"]
        await scene.order("!memory undo", where=scene.general)
        await scene.env.advance_time(TICK)
        assert told_lines(scene) == ["Learned: [fact] I live in Berlin"]


async def test_undo_takes_back_nothing_but_what_its_line_still_tells() -> None:
    async with acting(discord=HERE, model=FakeModel(anew)) as scene:
        line = await learned(scene, "I live in Berlin")
        await scene.ann.send(scene.dev, "I live in Lisbon")
        await scene.settle()
        assert told_lines(scene) == ["Learned: [fact] I live in Berlin"], "it has not followed yet"
        late = await scene.ann.click(line, label="Undo")
        assert late.followups[-1].content.startswith("It has changed since")
        assert await scene.known() == ["I live in Lisbon"]
        await scene.env.advance_time(TICK)
        (_, line, *_) = scene.dev.history()
        assert line.content.startswith("Updated: [fact] I live in Lisbon")
        await scene.ann.click(line, label="Undo")
        assert await scene.known() == ["I live in Berlin"]


def told_lines(scene: Scene) -> list[str]:
    own = [one.content for one in scene.dev.history() if one.author.id == scene.client.user.id]
    return [one.partition(" – ")[0] for one in own]


async def test_undo_brings_back_what_had_given_way() -> None:
    async with acting(discord=HERE, model=FakeModel(replacing)) as scene:
        await learned(scene, "I live in Berlin")
        line = await learned(scene, "I live in Lisbon now")
        assert await scene.known() == ["I live in Lisbon now"]
        await scene.ann.click(line, label="Undo")
        assert await scene.known() == ["I live in Berlin"]


def replacing(hearing: ExtractionInput) -> ExtractionResult:
    """Whatever is said takes the place of what was known."""
    said = hearing.messages[-1]
    return ExtractionResult((proposal_for(said, replaces=tuple(memo.id for memo in hearing.known_memos)),))


async def test_it_is_kept_private_and_no_longer_shown_where_it_was_said() -> None:
    async with acting(discord=HERE) as scene:
        line = await learned(scene)
        await scene.ann.click(line, label="Keep private")
        assert scene.dev.last_message.content == "Kept private."
        assert await scene.known(place=scene.place(scene.dev)) == []
        assert await scene.known() == ["I like green tea"]


async def test_a_line_goes_away_with_the_message_it_came_from() -> None:
    async with acting(discord=HERE) as scene:
        await learned(scene)
        (said, line) = scene.dev.history()
        assert "green tea" in line.content
        await scene.restart()
        await scene.ann.delete(said)
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert scene.dev.history() == []


async def test_a_line_goes_away_when_its_fact_is_made_private_elsewhere() -> None:
    async with acting(discord=HERE) as scene:
        await learned(scene)
        await scene.whisper("!memory private tea")
        await scene.env.advance_time(TICK)
        assert [one.author.id for one in scene.dev.history()] == [scene.ann.id]


async def test_a_line_goes_away_when_its_owner_gives_its_fact_other_words_and_stays_when_they_pin_it() -> None:
    async with acting(discord=HERE) as scene:
        line = await learned(scene, "I live in Berlin")
        await scene.order("!memory pin Berlin", where=scene.general)
        await scene.env.advance_time(TICK)
        assert told_lines(scene) == ["Learned: [fact] I live in Berlin"]
        form = await scene.ann.click(line, label="Edit")
        assert form.modal is not None
        field = form.modal["components"][0]["components"][0]["custom_id"]
        await scene.ann.submit_modal(form, {field: "I live in Lisbon"})
        await scene.env.advance_time(TICK)
        assert told_lines(scene) == []
        assert await scene.known() == ["I live in Lisbon"]


@pytest.mark.parametrize("status", [403, 500])
async def test_a_line_that_discord_does_not_let_go_is_removed_later(status: int) -> None:
    async with acting(discord=HERE, check_errors=False) as scene:
        await learned(scene)
        scene.env.inject_error("DELETE", f"/channels/{scene.dev.id}/messages/*", status=status, times=2)
        await scene.order("!memory forget tea", where=scene.general)
        await scene.env.advance_time(TICK)
        assert len(told_lines(scene)) == 1
        await scene.env.advance_time(150)
        assert told_lines(scene) == []


@pytest.mark.parametrize(("status", "restarts"), [(500, False), (503, True), (429, False)])
async def test_a_line_that_discord_can_not_change_for_now_stays_and_is_changed_later(
    status: int, restarts: bool
) -> None:
    async with acting(discord=HERE, model=FakeModel(anew), check_errors=False) as scene:
        line = await learned(scene, "I live in Berlin")
        scene.env.inject_error("PATCH", f"/channels/{scene.dev.id}/messages/*", status=status, times=2)
        await scene.ann.send(scene.dev, "I live in Lisbon")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert told_lines(scene) == ["Learned: [fact] I live in Berlin"]
        if restarts:
            await scene.restart()
        await scene.env.advance_time(90)
        assert told_lines(scene) == ["Updated: [fact] I live in Lisbon"]
        assert scene.dev.history()[1].id == line.id
        assert await scene.client.bot.state.keys(StateKind.MISSED_NOTICE) == []


async def test_a_line_that_discord_refuses_to_change_goes_as_its_words_no_longer_hold() -> None:
    async with acting(discord=HERE, model=FakeModel(anew), check_errors=False) as scene:
        await learned(scene, "I live in Berlin")
        scene.env.inject_error("PATCH", f"/channels/{scene.dev.id}/messages/*", status=403)
        await scene.ann.send(scene.dev, "I live in Lisbon")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert told_lines(scene) == []


async def test_a_line_that_discord_does_not_take_for_now_is_posted_later_unless_its_fact_is_gone() -> None:
    async with acting(discord=HERE, check_errors=False) as scene:
        await scene.env.advance_time(TICK)
        for text in ("I like green tea", "I play chess"):
            scene.env.inject_error("POST", f"/channels/{scene.dev.id}/messages", status=500, times=2)
            await scene.ann.send(scene.dev, text)
            await scene.settle()
            await scene.env.advance_time(TICK)
        assert told_lines(scene) == []
        await scene.order("!memory forget chess", where=scene.general)
        await scene.env.advance_time(300)
        assert told_lines(scene) == ["Learned: [fact] I like green tea"]


async def test_a_line_in_a_thread_that_was_archived_goes_with_its_memory() -> None:
    async with wired(discord=HERE) as wire:
        lab = wire.lab
        lab.world.role(lab.lab, "keepers", lab.bot, permissions="manage_threads")
        thread = lab.world.thread(lab.dev, "tea", lab.ada)
        async with wire.online() as client:
            await eventually(lambda: _has_looked(client), WAIT)
            await lab.say(lab.ada, thread, "I like green tea")
            await eventually(lambda: bool(lab.said(thread)), WAIT)
            assert lab.said(thread)[0].startswith("Learned: [fact] I like green tea")
            lab.world.archive(thread)
            await wire.order("!memory forget tea", lab.world.dm(lab.ada))
            await eventually(lambda: not lab.said(thread), WAIT)
            await eventually(lambda: thread.archived, WAIT)


async def test_a_line_goes_when_its_server_is_no_longer_for_adults_alone() -> None:
    async with wired(discord=HERE) as wire:
        lab = wire.lab
        lab.world.rate(lab.lab, 3)
        async with wire.online() as client:
            await eventually(lambda: _has_looked(client), WAIT)
            await lab.say(lab.ada, lab.dev, "I like green tea")
            await eventually(lambda: bool(lab.said(lab.dev)), WAIT)
            lab.world.rate(lab.lab, 0)
            await eventually(lambda: not lab.said(lab.dev), WAIT)
            place = place_of(client.get_channel(lab.dev.id), lab.ada.id)
            assert (await wire.memory.show(user=str(lab.ada.id), place=place)).memos == ()


async def test_a_line_goes_that_discord_took_while_its_server_stopped_being_for_adults_alone() -> None:
    async with wired(discord=HERE) as wire:
        lab = wire.lab
        lab.world.rate(lab.lab, 3)
        async with wire.online() as client:
            await eventually(lambda: _has_looked(client), WAIT)
            posting = f"POST /channels/{lab.dev.id}/messages"
            taken = lab.hold(posting)
            await lab.say(lab.ada, lab.dev, "I like green tea")
            await eventually(lambda: posting in lab.requests, WAIT)
            lab.world.rate(lab.lab, 0)
            guild = client.get_guild(lab.lab.id)
            await eventually(lambda: guild is not None and guild.nsfw_level is discord.NSFWLevel.default, WAIT)
            taken.set()
            removing = f"DELETE {posting.removeprefix('POST ')}/"
            await eventually(lambda: any(request.startswith(removing) for request in lab.requests), WAIT)
            assert lab.said(lab.dev) == []


async def _has_looked(client: Client) -> bool:
    """Whether it knows where the log ends: what was learned before is not told."""
    return bool(await client.bot.state.keys(StateKind.BOT_POSITION))


async def test_the_memory_channel_shows_no_private_memos() -> None:
    async with acting() as scene:
        general = str(scene.general.id)
    async with acting(
        discord={"learned_notices": "mirror"}, discord__memory_channel=general, summary={"enabled": False}
    ) as scene:
        await scene.env.advance_time(TICK)
        await scene.whisper("I am looking for another job")
        await scene.ask("I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        shown = [one.content for one in scene.general.history()]
        assert any(one.startswith("Learned: [fact] I like green tea") for one in shown)
        assert not any("another job" in one for one in shown)


async def test_a_memo_learned_in_a_dm_is_announced_in_the_dm() -> None:
    async with acting(discord=HERE) as scene:
        await scene.env.advance_time(TICK)
        await scene.whisper("I am looking for another job")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert scene.ann.user.dm_channel.last_message.content.startswith("Learned: [fact] I am looking for another")


async def test_by_default_learning_says_nothing() -> None:
    async with acting() as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert [one.content for one in scene.dev.history()] == ["I like green tea"]


async def test_no_line_tells_what_someone_said_about_somebody_else() -> None:
    async with acting(discord=HERE) as scene:
        await scene.env.advance_time(TICK)
        for text in ("Bob lives in Ghent and has two dogs", "I like green tea"):
            await scene.ann.send(scene.dev, text)
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert [memo.kind for memo in await scene.memos()] == [Kind.FACT, Kind.PERSON]
        lines = [one.content for one in scene.dev.history() if one.author.id == scene.client.user.id]
        assert len(lines) == 1
        assert "green tea" in lines[0]


@pytest.mark.parametrize("button", ["Forget", "Undo"])
async def test_lore_is_told_and_only_those_who_manage_messages_can_take_it_back(button: str) -> None:
    said = Says("Congratulations!\nmemory_line: Ann won the quiz night")
    async with acting([said], discord=HERE, model=FakeModel(propose_nothing)) as scene:
        moderators = scene.guild.create_role("moderators", permissions=discord.Permissions(manage_messages=True))
        eve = scene.guild.add_member(scene.env.create_user("eve"), roles=[moderators])
        await scene.env.advance_time(TICK)
        assert (await scene.ask("I won the quiz night!")).startswith("Congratulations!")
        await scene.settle()
        await scene.env.advance_time(TICK)
        line = scene.dev.last_message
        assert line is not None
        assert line.content.startswith("Learned: [lore] Memory line: Ann won the quiz night.")
        await scene.ann.click(line, label=button)
        place = scene.place(scene.dev)
        assert len((await scene.memory.list(user="x", place=place, lore=True, statuses=[Status.ACTIVE])).memos) == 1
        await eve.click(line, label=button)
        (change,) = await scene.client.bot.server_settings.audit(scene.guild.id)
        assert (change.actor, change.data["setting"]) == (f"discord:{eve.id}", "forgot a memory of the server")
        assert (await scene.memory.list(user="x", place=place, lore=True, statuses=[Status.ACTIVE])).memos == ()
