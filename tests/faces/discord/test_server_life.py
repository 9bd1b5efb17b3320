"""What happens on a server that nobody planned for: rights that are lost in between, raids, names that are markup."""

import re

import pytest

from recollect.core.errors import BadInput, RecollectError, StoreUnreachable
from recollect.faces.discord import consent
from recollect.faces.discord.ephemeral import NOT_A_MANAGER, NOT_THE_ASKER, EditForm, run_work
from recollect.faces.discord.localization import translated
from recollect.faces.discord.privacy_notice import NOTICE
from recollect.faces.discord.server_settings import OPTIONS
from recollect.faces.discord.setup_panel import settings_embed
from recollect.faces.discord.slash_commands import render_help
from recollect.faces.outcome_text import OUT_OF_REACH
from recollect.faces.wording import LANGUAGES, in_language
from recollect.testing.model_server import Request, Says
from recollect.testing.models import FakeModel, propose_nothing
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_server_settings import TICK, fields, shown
from tests.faces.discord.wire import WAIT, wired

DAY = 24 * 3600.0


async def lose_rights(scene: Scene, eve: object) -> None:
    role = next(role for role in scene.guild.roles.values() if role.name == "managers")
    scene.env.backend.remove_member_role(scene.guild.id, eve.id, role.id)  # type: ignore[attr-defined]
    await scene.env.settle()


async def learn_lore(scene: Scene) -> None:
    user = str(scene.ann.id)
    await scene.memory.remember("The meetup is on Friday", user=user, place=scene.place(scene.dev), lore=True)


async def test_who_no_longer_manages_the_server_changes_nothing_by_an_open_panel_question_or_form() -> None:
    async with acting() as scene:
        eve = scene.manager()
        await learn_lore(scene)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        question = shown(await eve.slash(scene.dev, "memory-server purge", days=3))
        listed = shown(await eve.slash(scene.dev, "memory-server lore"))
        (lore,) = (await scene.memory.view(str(scene.ann.id), scene.place(scene.dev), lore=True).show()).memos
        await eve.select(listed, [lore.id])
        form = await eve.click(listed, label="Edit")
        status = shown(await eve.slash(scene.dev, "memory-server status"))
        await lose_rights(scene, eve)
        refusals = [
            await eve.click(question, label="Delete"),
            await eve.click(listed, label="Forget"),
            await eve.click(status, label="Switch off"),
        ]
        field = form.modal["components"][0]["components"][0]["custom_id"]
        refusals.append(await eve.submit_modal(form, {field: "The meetup is cancelled"}))
        assert [shown(refused).content for refused in refusals] == [NOT_A_MANAGER] * 4
        assert await scene.known(place=scene.place(scene.dev)) == ["I like green tea"]
        (memo,) = (await scene.memory.view(str(scene.ann.id), scene.place(scene.dev), lore=True).show()).memos
        assert memo.text == "The meetup is on Friday"
        assert not await scene.client.bot.is_off(scene.guild.id)


async def test_nobody_else_can_use_a_panel_that_was_shown_to_someone() -> None:
    """Discord lets only the asker see it; what it shows is theirs all the same."""
    async with wired() as wire, wire.online():
        lab = wire.lab
        bob = lab.world.user("bob")
        lab.world.join(lab.lab, bob)
        await wire.order("!memory remember I like green tea")
        (memo,) = await wire.memos()
        for command, buttons in {
            "memory list": ("Forgotten…",),
            "memory privacy": ("Pause learning", "I agree", "Withdraw my consent", "Leave me out of the channel"),
        }.items():
            panel = (await lab.slash(lab.ada, lab.dev, command, {})).messages[0]
            labels = [part.get("label") for row in panel.components for part in row["components"]]
            for label in filter(labels.__contains__, buttons):
                assert (await lab.press(bob, panel, label)).content == NOT_THE_ASKER
        listed = (await lab.slash(lab.ada, lab.dev, "memory list", {})).messages[0]
        menu = listed.components[0]["components"][0]["custom_id"]
        assert (await lab.press(bob, listed, menu, (memo.id,))).content == NOT_THE_ASKER
        card = (await lab.press(lab.ada, listed, menu, (memo.id,))).original
        assert card is not None
        assert (await lab.press(bob, card, "Forget")).content == NOT_THE_ASKER
        asked = (await lab.slash(lab.ada, lab.dev, "memory forget", {"which": "tea"})).messages[0]
        assert (await lab.press(bob, asked, "Forget")).content == NOT_THE_ASKER
        assert await wire.known() == ["I like green tea"]
        await lab.press(lab.ada, asked, "Forget")
        await wire.learned(0)


async def test_a_button_or_a_form_that_fails_names_no_hosts_and_says_what_was_wrong_with_what_was_given() -> None:
    async def fail(error: RecollectError) -> str:
        raise error

    unreachable = StoreUnreachable("can't reach postgresql://db.example:5432/memory")
    assert await run_work(lambda: fail(unreachable)) == OUT_OF_REACH
    assert await run_work(lambda: fail(BadInput("a memory needs words"))) == "A memory needs words"


async def test_who_refused_on_one_server_and_agreed_on_another_is_known_on_the_other_alone() -> None:
    async with acting(discord={"consent": "opt_in", "privacy_notice": "reply", "learned_notices": "here"}) as scene:
        await scene.restart()
        other = scene.env.create_guild("Other")
        there = other.create_text_channel("there")
        ann = other.add_member(scene.ann.user)
        bot, mention = scene.client.bot, f"<@{scene.client.user.id}>"
        await scene.env.settle()
        await consent.decide(bot, scene.ann.id, scene.guild.id, consent.NO)
        await consent.decide(bot, scene.ann.id, other.id, consent.YES)
        await ann.send(there, f"{mention} I like green tea")
        await scene.ann.send(scene.dev, f"{mention} I play chess")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert await scene.known() == ["I like green tea"]
        lines = [one for one in there.history() if one.content.startswith("Learned")]
        assert len(lines) == 1
        await consent.decide(bot, scene.ann.id, scene.guild.id, consent.NO)
        await scene.env.advance_time(TICK)
        assert lines[0].id in [one.id for one in there.history()], "it is refused elsewhere only"
        await consent.decide(bot, scene.ann.id, other.id, consent.NO)
        for _ in range(5):  # a poll may begin before the refusal is on disk
            await scene.env.advance_time(TICK)
        assert lines[0].id not in [one.id for one in there.history()]


@pytest.mark.parametrize("how", ["delete_message", "bulk_delete_messages"])
async def test_a_panel_that_someone_deletes_is_sent_again(how: str) -> None:
    async with acting(discord={"memory_channel_style": "panel"}) as scene:
        settings, general = scene.client.bot.server_settings, str(scene.general.id)
        await settings.change(scene.guild.id, "memory_channel", general, scene.ann.id)
        await scene.restart()
        await scene.env.advance_time(TICK)
        (panel,) = scene.general.history()
        said = await scene.bob.send(scene.general, "hello")
        ids = panel.id if how == "delete_message" else [panel.id, said.id]
        getattr(scene.env.backend, how)(scene.general.id, ids)
        await scene.env.advance_time(TICK)
        (again,) = [one for one in scene.general.history() if one.author.id == scene.client.user.id]
        assert again.id != panel.id
        assert again.embeds[0].title == "What I remember"


@pytest.mark.parametrize("status", [403, 500])
async def test_a_panel_that_discord_does_not_take_is_posted_later(status: int) -> None:
    async with acting(discord={"memory_channel_style": "panel"}, check_errors=False) as scene:
        settings, general = scene.client.bot.server_settings, str(scene.general.id)
        await settings.change(scene.guild.id, "memory_channel", general, scene.ann.id)
        scene.env.inject_error("POST", f"/channels/{scene.general.id}/messages", status=status, times=2)
        await scene.restart()
        await scene.env.advance_time(TICK)
        assert scene.general.history() == []
        await scene.env.advance_time(90)
        (panel,) = scene.general.history()
        assert panel.embeds[0].title == "What I remember"


async def test_in_a_raid_the_bot_does_not_flood_the_channel_and_members_are_answered() -> None:
    async with acting(discord={"privacy_notice": "reply", "replies_per_minute": 5}) as scene:
        assert NOTICE in await scene.ask("hello", where=scene.general)
        mention = f"<@{scene.client.user.id}>"
        raiders = [scene.guild.add_member(scene.env.create_user(f"raider{number}")) for number in range(200)]
        for raider in raiders:
            scene.env.backend.create_message(scene.dev.id, raider.id, f"{mention} I like spam")
        await scene.env.settle()
        said = [one.content for one in scene.dev.history() if one.author.id == scene.client.user.id]
        assert 5 <= len(said) <= 15, len(said)
        assert await scene.ask("hello again", where=scene.general) == "I see."
        await scene.env.advance_time(61)
        assert NOTICE in await scene.ask("hello", scene.bob)


async def test_who_floods_the_bot_with_lore_leaves_room_for_that_of_others() -> None:
    def note(request: Request) -> Says:
        (*_, event) = re.findall(r"The (\w+) party", str(request.body["messages"][-1]))
        return Says(f"Good to know.\nmemory_line: The {event} party is on Friday")

    async with acting(note, discord={"replies_per_minute": 0}, model=FakeModel(propose_nothing)) as scene:
        for number in range(12):
            await scene.ask(f"The spam{number} party is on Friday", scene.bob)
        await scene.ask("The garden party is on Friday")
        lore = (await scene.memory.view(str(scene.ann.id), scene.place(scene.dev), lore=True).show()).memos
        texts = [memo.text for memo in lore]
        assert texts[0] == "Memory line: The garden party is on Friday."
        assert sum("spam" in text for text in texts) == len(texts) - 1 == 3


async def test_what_was_said_in_threads_is_forgotten_after_the_days_that_the_server_chose() -> None:
    async with acting() as scene:
        thread = scene.thread(scene.dev, "release")
        await scene.client.bot.server_settings.change(scene.guild.id, "retention_days", 1, scene.ann.id)
        await scene.ann.send(thread, "I like green tea")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]
        await scene.env.advance_time(DAY + 2 * 3600)
        await scene.ann.send(thread, "I play chess")
        await scene.settle()
        assert await scene.known() == ["I play chess"]
        stored = await scene.memory.timeline.recent(scene.place(thread), 10)
        assert [message.text for message in stored] == ["I play chess"]


@pytest.mark.parametrize("name", ["@everyone", "<@&123456789012345678>", "**bold**", "[x](http://y.example)", "x" * 90])
async def test_names_that_are_markup_or_mentions_do_nothing(name: str) -> None:
    async with acting() as scene:
        await scene.order(f"!memory remember I like {name}")
        for text in (await scene.order("!memory show"), await scene.order("!memory list")):
            assert name.startswith("x") == (name in text)
    async with wired() as wire, wire.online():
        world, inviter = wire.lab.world, wire.lab.world.user("olga")
        club = world.guild(name, inviter, bot_inside=False)
        world.invite(club, "view_channel send_messages view_audit_log", by=inviter)
        welcome = (await wire.lab.next_message(world.dm(inviter), WAIT)).content
        assert name.startswith("x") == (f"**{name}**" in welcome)


@pytest.mark.parametrize("language", ["", *LANGUAGES])
async def test_panels_forms_and_help_stay_within_discords_limits_in_every_language(language: str) -> None:
    async with acting() as scene:
        settings, guild = scene.client.bot.server_settings, scene.guild.id
        many = tuple(str(10**18 + number) for number in range(25))
        for name in ("channels", "excluded_channels", "excluded_roles"):
            await settings.change(guild, name, many, scene.ann.id)
        embed = await settings_embed(scene.client.bot, guild, language)
        assert len(embed) <= 6000
        assert len(embed.fields) <= 25
        assert all(len(field.name or "") <= 256 and len(field.value or "") <= 1024 for field in embed.fields)
        assert len(render_help(language)) <= 4096
        assert len(OPTIONS) <= 25
        for option in OPTIONS.values():
            assert len(translated(option.label, language)) <= 45
        with in_language(language):
            form = EditForm("words", None)  # type: ignore[arg-type]
        assert len(form.title) <= 45
        assert len(form.words.to_component_dict()["label"]) <= 45


async def test_what_is_forgotten_about_someone_is_in_no_later_prompt_and_what_they_said_themselves_stays() -> None:
    async with acting(lambda request: Says(f"So: {request.body['messages'][-1]}"[-80:])) as scene:
        eve = scene.manager()
        await scene.ann.send(scene.dev, "Bob was fired because of the bicycle")
        await scene.ask("I think Bob drinks too much absinthe")
        await scene.order("!memory remember Bob owes me a gramophone")
        await scene.ask("I play chess, says Bob", scene.bob)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        asked = shown(await eve.slash(scene.dev, "memory-server forget-about", member=scene.bob))
        assert asked.content.endswith("(2 messages, 3 memories)")
        await eve.click(asked, label="Forget")
        assert asked.content == "Forgot 2 messages, 3 memories that others stated about Bob."
        await scene.settle()
        await scene.restart()
        for where in (scene.dev, scene.general):
            await scene.ask("Bob: was he fired because of a bicycle, absinthe or a gramophone?", eve, where)
            prompt = scene.prompts()[-1].replace("a bicycle, absinthe or a gramophone", "")
            assert [word for word in ("bicycle", "absinthe", "gramophone") if word in prompt] == []
        assert await scene.known() == ["I like green tea"]
        assert await scene.known(scene.bob) == ["I play chess, says Bob"]


async def test_what_is_said_about_someone_who_left_can_still_be_forgotten() -> None:
    async with acting(summary={"enabled": False}) as scene:
        eve, place = scene.manager(), scene.place(scene.dev)
        await scene.memory.remember("bob is always late", user=str(scene.ann.id), place=place, lore=True)
        scene.guild.remove_member(scene.bob.user)
        await scene.env.settle()
        asked = shown(await eve.slash(scene.dev, "memory-server forget-about", member=scene.bob.user))
        assert asked.content.endswith("(0 messages, 1 memory)")
        await eve.click(asked, label="Forget")
        assert (await scene.memory.view(str(scene.ann.id), place, lore=True).show()).memos == ()


async def test_the_panel_shows_and_offers_nothing_of_other_servers_nor_what_was_deleted() -> None:
    async with acting(discord={"channels": ["999000111"], "excluded_roles": ["77777"]}) as scene:
        eve, settings = scene.manager(), scene.client.bot.server_settings
        await settings.change(scene.guild.id, "channels", (str(scene.general.id), "123456"), eve.id)
        panel = shown(await eve.slash(scene.dev, "memory-server setup"))
        held = fields(panel)
        assert "999000111" not in held["Answering channels"]
        assert held["Excluded roles"].startswith("none")
        await eve.select(panel, ["channels"])
        menu = panel.components[0]["components"][0]
        assert menu["default_values"] == [{"id": scene.general.id, "type": "channel"}]
        assert "999000111" in (await settings.of(scene.guild.id)).channels, "it holds all the same"


@pytest.mark.parametrize("name", ["\u0301" * 4, "\u200b" * 4, "\u3164" * 4, "...."])
async def test_to_forget_what_is_said_about_someone_without_a_readable_name_forgets_nothing_else(name: str) -> None:
    async with acting(summary={"enabled": False}) as scene:
        eve, place = scene.manager(), scene.place(scene.dev)
        nobody = scene.guild.add_member(scene.env.create_user("zalgo", global_name=name))
        await scene.memory.remember("We meet on Friday, at eight", user=str(scene.ann.id), place=place, lore=True)
        asked = shown(await eve.slash(scene.dev, "memory-server forget-about", member=nobody))
        assert asked.content.endswith("(0 messages, 0 memories)")
        await eve.click(asked, label="Forget")
        (memo,) = (await scene.memory.view(str(scene.ann.id), place, lore=True).show()).memos
        assert memo.text == "We meet on Friday, at eight"
