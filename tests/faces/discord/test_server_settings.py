"""What those who manage a server set inside Discord: it holds at once and after a restart, and is in the log."""

import asyncio
import re
from datetime import timedelta

import discord
import pytest
from simcord import InteractionResult, MemberActor
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType
from simcord.results import ResponseMessage

from recollect.bot_state import welcomed
from recollect.faces.discord import ephemeral, server_commands, setup_panel
from recollect.faces.discord.localization import translated
from recollect.faces.discord.member_translations import MEMBER_PANELS
from recollect.faces.discord.onboarding import Onboarding
from recollect.faces.discord.panel_translations import SERVER_PANELS
from recollect.faces.discord.quotas import refusal
from recollect.faces.discord.server_settings import OPTIONS
from recollect.faces.discord.server_translations import SERVER_COMMANDS, SETTINGS
from recollect.faces.discord.status_panel import SWITCHES
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import TICK
from tests.faces.discord.wire import WAIT, wired


def shown(result: InteractionResult) -> ResponseMessage:
    message = result.response or result.followups[-1]
    assert message is not None
    assert message.ephemeral
    return message


def fields(message: ResponseMessage) -> dict[str, str]:
    return {str(field.name): str(field.value) for field in message.embeds[0].fields}


async def open_panel(scene: Scene, eve: MemberActor) -> ResponseMessage:
    return shown(await eve.slash(scene.dev, "memory-server setup"))


async def set_number(eve: MemberActor, panel: ResponseMessage, name: str, number: str) -> InteractionResult:
    form = await eve.select(panel, [name])
    assert form.modal is not None
    field = form.modal["components"][0]["components"][0]
    return await eve.submit_modal(form, {field["custom_id"]: number})


async def test_channels_roles_values_and_numbers_are_set_in_a_panel_and_every_change_is_audited() -> None:
    async with acting() as scene:
        eve = scene.manager()
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["channels"])
        await eve.select(panel, [scene.general])
        await eve.select(panel, ["excluded_channels"])
        await eve.select(panel, [scene.dev])
        await eve.select(panel, ["excluded_roles"])
        await eve.select(panel, [scene.staff_role])
        await eve.select(panel, ["consent"])
        await eve.select(panel, ["opt_in"])
        await set_number(eve, panel, "retention_days", "30")
        held = fields(panel)
        assert held["Answering channels"].startswith(f"<#{scene.general.id}>")
        assert held["Consent"].startswith("only who agreed")
        assert held["Retention"].startswith("30")
        refused = await set_number(eve, panel, "retention_days", "many")
        assert "not a number" in shown(refused).content
        await scene.restart()
        assert (await scene.ask("hello")).startswith("Memory is switched off here"), "#dev is excluded"
        assert "Do you agree?" in await scene.order("hello", scene.bob, scene.general), "#general is answered"
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["excluded_channels"])
        await eve.click(panel, label="Clear")
        assert fields(panel)["Excluded channels"].startswith("none")
        audit = shown(await eve.slash(scene.dev, "memory-server audit")).content.splitlines()
        assert len(audit) == 6
        assert f"<@{eve.id}> set Excluded channels: <#{scene.dev.id}> → nothing" in audit[0]
        assert f"<@{eve.id}> set Retention: nothing → 30" in audit[1]
        assert "set Consent: after the notice → only who agreed, by a button or the role" in audit[2]


async def test_what_two_managers_change_at_once_holds_both() -> None:
    async with acting() as scene:
        settings, guild = scene.client.bot.server_settings, scene.guild.id
        chosen = {"language": "de", "consent": "opt_in", "replies_per_minute": 7, "log_channel": str(scene.dev.id)}
        await asyncio.gather(*(settings.change(guild, *option, scene.ann.id) for option in chosen.items()))
        assert {name: await settings.value(guild, name) for name in chosen} == chosen
        await scene.restart()
        settings = scene.client.bot.server_settings
        assert {name: await settings.value(guild, name) for name in chosen} == chosen


async def test_who_does_not_manage_the_server_neither_sees_nor_changes_anything() -> None:
    async with acting() as scene:
        assert "memory-server" not in scene.ann.available_commands(scene.dev)
        eve = scene.manager()
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["learned_notices"])
        role = next(role for role in scene.guild.roles.values() if role.name == "managers")
        scene.env.backend.remove_member_role(scene.guild.id, eve.id, role.id)
        await scene.env.settle()
        await eve.select(panel, ["here"])
        assert await scene.client.bot.server_settings.value(scene.guild.id, "learned_notices") == "off"


async def test_the_operators_settings_override_the_servers() -> None:
    async with acting(discord={"learned_notices": "off", "replies_per_minute": 5, "consent": "notice"}) as scene:
        eve = scene.manager()
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["learned_notices"])
        assert panel.content == "Learned lines: (set by my operator)."
        assert "(set by my operator)" in fields(panel)["Replies per minute"]
        assert "(set by my operator)" not in fields(panel)["Retention"]
        await eve.select(panel, ["consent"])
        await eve.select(panel, ["opt_in"])
        assert fields(panel)["Consent"].startswith("only who agreed"), "a server may be stricter"


async def test_the_status_tells_what_holds_and_what_is_missing() -> None:
    async with acting() as scene:
        eve = scene.manager()
        closed = {scene.env.bot.user: discord.PermissionOverwrite(send_messages=False)}
        mute = scene.guild.create_text_channel("mute", overwrites=closed)
        await scene.client.bot.server_settings.change(scene.guild.id, "log_channel", str(mute.id), eve.id)
        await scene.client.bot.server_settings.change(scene.guild.id, "daily_replies", 9, eve.id)
        await scene.ask("hello")
        status = shown(await eve.slash(scene.dev, "memory-server status"))
        text = status.embeds[0].description or ""
        assert "Memory is **on** here" in text
        assert "Answers by a model: yes." in text
        assert "Replies today: 1 of 9." in text
        assert f"I can't write in the log channel <#{mute.id}>" in text
        assert shown(await eve.slash(scene.dev, "memory-server off")).content == SWITCHES["off"][1]
        status = shown(await eve.slash(scene.dev, "memory-server status"))
        assert "Memory is **off** here" in (status.embeds[0].description or "")


async def test_the_status_has_buttons_to_look_again_to_open_the_settings_and_to_switch() -> None:
    async with acting() as scene:
        eve = scene.manager()
        status = shown(await eve.slash(scene.dev, "memory-server status"))
        await eve.click(status, label="Switch off")
        assert "Memory is **off** here" in (status.embeds[0].description or "")
        assert (await scene.ask("hello")).startswith("Memory is switched off here")
        await eve.click(status, label="Switch on")
        await scene.client.bot.server_settings.change(scene.guild.id, "daily_replies", 9, eve.id)
        await scene.ask("hello")
        await eve.click(status, label="Refresh")
        assert "Replies today: 1 of 9." in (status.embeds[0].description or "")
        await eve.click(status, label="Settings")
        await eve.select(status, ["consent"])
        await eve.select(status, ["opt_in"])
        assert fields(status)["Consent"].startswith("only who agreed")
        audit = shown(await eve.slash(scene.dev, "memory-server audit")).content
        assert f"<@{eve.id}> switched memory: on → off" in audit
        assert f"<@{eve.id}> switched memory: off → on" in audit


async def test_learned_lines_and_the_panel_of_the_memory_channel_follow_the_settings() -> None:
    async with acting(discord={"memory_channel_style": "panel"}) as scene:
        eve = scene.manager()
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["memory_channel"])
        await eve.select(panel, [scene.general])
        await eve.select(panel, ["learned_notices"])
        await eve.select(panel, ["here"])
        await scene.env.advance_time(TICK)
        (message,) = scene.general.history()
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        assert scene.general.history()[-1].id == message.id, "one message, however much is learned"
        assert any(one.content.startswith("Learned:") for one in scene.dev.history())
        mine = shown(await scene.ann.click(message, label="Show mine"))
        assert "I like green tea" in (mine.embeds[0].description or "")
        theirs = shown(await scene.bob.click(message, label="Show mine"))
        assert "green tea" not in (theirs.embeds[0].description or "")
        await eve.select(panel, ["memory_channel"])
        await eve.select(panel, [scene.dev])
        assert scene.general.history() == []


async def test_moderators_edit_and_delete_lore_purge_places_and_forget_what_is_said_about_someone() -> None:
    async with acting(summary={"enabled": False}) as scene:
        eve = scene.manager()
        settings, place = scene.client.bot.server_settings, scene.place(scene.dev)
        await settings.change(scene.guild.id, "log_channel", str(scene.staff.id), eve.id)
        for text in ("The guild meets on Fridays", "Bob is always late"):
            await scene.memory.remember(text, user=str(scene.ann.id), place=place, lore=True)
        lore = shown(await eve.slash(scene.dev, "memory-server lore"))
        assert "The guild meets on Fridays" in (lore.embeds[0].description or "")
        found = shown(await eve.slash(scene.dev, "memory-server lore", words="Fridays"))
        assert "late" not in (found.embeds[0].description or "")
        value = found.components[0]["components"][0]["options"][0]["value"]
        await eve.select(found, [value])
        await eve.click(found, label="Forget")
        asked = shown(await eve.slash(scene.dev, "memory-server forget-about", member=scene.bob))
        await eve.click(asked, label="Forget")
        left = shown(await eve.slash(scene.dev, "memory-server lore"))
        assert "Fridays" not in (left.embeds[0].description or "")
        assert "late" not in (left.embeds[0].description or "")

        await scene.ann.send(scene.dev, "I like green tea")
        await scene.bob.send(scene.dev, "I play chess")
        await scene.ann.send(scene.general, "I live in Ghent")
        await scene.settle()
        asked = shown(await eve.slash(scene.dev, "memory-server purge", channel=scene.dev, member=scene.ann))
        await eve.click(asked, label="Delete")
        assert "1 message, 1 memory." in asked.content
        assert await scene.known() == ["I live in Ghent"]
        assert await scene.known(scene.bob) == ["I play chess"]
        assert "Say what to purge" in shown(await eve.slash(scene.dev, "memory-server purge")).content
        logged = [one.content for one in scene.staff.history()]
        assert len(logged) == 4
        assert all(line.startswith(f"<@{eve.id}>") for line in logged)
        assert "purged what was said in #dev by" in logged[-1]


async def test_who_chooses_a_channel_in_which_the_bot_can_not_write_is_told_at_once() -> None:
    async with acting() as scene:
        eve = scene.manager()
        shut = Overwrite(scene.client.user.id, OverwriteType.MEMBER, 0, discord.Permissions(send_messages=True).value)
        scene.env.backend.set_overwrite(scene.general.id, shut)
        await scene.env.settle()
        panel = await open_panel(scene, eve)
        for name in ("memory_channel", "log_channel"):
            await eve.select(panel, [name])
            await eve.select(panel, [scene.general])
            assert f"I can't write in the {name.replace('_', ' ')} <#{scene.general.id}>" in panel.content
            await eve.select(panel, [name])
            await eve.select(panel, [scene.dev])
            assert panel.content.endswith(": changed.")


async def test_stage_channels_can_be_chosen_and_purged_like_others() -> None:
    async with acting() as scene:
        eve, stage = scene.manager(), scene.guild.create_stage_channel("stage")
        await scene.env.settle()
        asked = shown(await eve.slash(scene.dev, "memory-server purge", channel=stage))
        assert "what was said in #stage" in asked.content
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["excluded_channels"])
        menu = panel.components[0]["components"][0]
        assert {2, 13, 15, 16} <= set(menu["channel_types"])


async def test_the_log_quotes_nothing_that_was_said_behind_closed_doors() -> None:
    async with acting() as scene:
        eve, zoe = scene.manager(), scene.manager()
        scene.env.backend.add_member_role(scene.guild.id, eve.id, scene.staff_role.id)
        settings = scene.client.bot.server_settings
        await settings.change(scene.guild.id, "log_channel", str(scene.general.id), eve.id)
        for text, channel in {"The layoffs are in June": scene.staff, "The guild meets on Fridays": scene.dev}.items():
            await scene.memory.remember(text, user=str(scene.ann.id), place=scene.place(channel), lore=True)
            lore = shown(await eve.slash(channel, "memory-server lore", words=text))
            await eve.select(lore, [lore.components[0]["components"][0]["options"][0]["value"]])
            await eve.click(lore, label="Forget")
        audit = shown(await zoe.slash(scene.dev, "memory-server audit")).content
        for told in (audit, "\n".join(one.content for one in scene.general.history())):
            assert told.count("forgot a memory of the server") == 2
            assert "The guild meets on Fridays → nothing" in told
            assert "June" not in told


async def test_whoever_invited_the_bot_is_welcomed_else_the_owner() -> None:
    async with wired(discord={"operator": "Acme Ltd"}) as wire, wire.online():
        world, inviter = wire.lab.world, wire.lab.world.user("olga")
        for may, expected in (("view_audit_log", inviter), ("", world.owner)):
            club = world.guild("Chess club", inviter, bot_inside=False)
            world.invite(club, f"view_channel send_messages {may}", by=inviter)
            welcome = await wire.lab.next_message(world.dm(expected), WAIT)
            assert "Thank you for inviting me to **Chess club**" in welcome.content
            assert "/memory-server setup" in welcome.content
            assert "I am run by Acme Ltd." in welcome.content


async def test_an_invitation_while_the_bot_was_offline_is_welcomed_once_when_it_is_back() -> None:
    async with wired() as wire:
        world, inviter = wire.lab.world, wire.lab.world.user("olga")
        club = world.guild("Chess club", inviter, bot_inside=False)
        world.invite(club, "view_channel send_messages view_audit_log", by=inviter)
        async with wire.online():
            welcome = await wire.lab.next_message(world.dm(inviter), WAIT)
            assert "Thank you for inviting me to **Chess club**" in welcome.content
        async with wire.online() as client:
            cog = client.get_cog(Onboarding.__name__)
            assert isinstance(cog, Onboarding)
            await cog.on_ready()
            assert len(wire.lab.said(world.dm(inviter))) == 1
            wire.clock.advance(days=2)
            await client.bot.state.drop(welcomed(club.id))  # as of an earlier version, which did not note it
            await cog.on_ready()
            assert len(wire.lab.said(world.dm(inviter))) == 1, "no old server is welcomed"


async def test_a_server_that_is_not_allowed_is_told_whom_to_ask() -> None:
    options = {"allowed_users": [], "allowed_guilds": ["1"], "operator": "Acme Ltd"}
    async with wired(discord=options) as wire, wire.online():
        club = wire.lab.world.guild("Chess club", wire.lab.ada)
        hint = await wire.lab.next_message(wire.lab.world.dm(wire.lab.world.owner), WAIT)
        assert f"the server {club.id} is not on my operator's list. Acme Ltd can add it" in hint.content
        refused = await wire.lab.slash(wire.lab.ada, wire.lab.dev, "memory list", {})
        assert f"the server {wire.lab.lab.id} is not on my operator's list" in refused.content
        assert refused.ephemeral
        await wire.lab.say(wire.lab.ada, wire.lab.dev, "good morning everyone")
        for _ in range(2):
            await wire.lab.say(wire.lab.ada, wire.lab.dev, f"{wire.lab.bot.mention} are you there?")
        told = await wire.lab.next_message(wire.lab.dev, WAIT)
        assert f"the server {wire.lab.lab.id} is not on my operator's list" in told.content
        await wire.lab.slash(wire.lab.ada, wire.lab.dev, "memory list", {})  # by then, all of it was read
        assert len(wire.lab.said(wire.lab.dev)) == 1, "it is said once, and only to a mention"


async def test_who_floods_is_asked_for_a_minute_once_and_others_are_served() -> None:
    async with acting(discord={"replies_per_minute": 2}, summary={"enabled": False}) as scene:
        assert [await scene.ask("hello") for _ in range(2)] == ["I see."] * 2
        assert "give me a minute" in await scene.ask("hello")
        assert await scene.ask("hello") == "", "told once"
        assert await scene.ask("hello", scene.bob) == "I see."
        for _ in range(3):
            await scene.order("!memory list")
        last = await scene.ann.slash(scene.dev, "memory list")
        assert last.ephemeral
        refused = await scene.ann.slash(scene.dev, "memory list")
        assert "give me a minute" in shown(refused).content
        clicked = await scene.ann.click(shown(last), label="Forgotten…")
        assert "give me a minute" in shown(clicked).content
        await scene.env.advance_time(timedelta(minutes=1).total_seconds())
        assert await scene.ask("hello") == "I see."
        for number in range(10):
            await scene.ann.send(scene.general, f"My number is {number}")
        await scene.settle()
        assert len([text for text in await scene.known() if "number" in text]) == 6


@pytest.mark.slow
async def test_who_floods_while_the_bot_catches_up_is_no_better_off() -> None:
    async with acting(discord={"replies_per_minute": 1}) as scene:
        guild = scene.client.get_guild(scene.guild.id)
        assert guild is not None
        ann, bot = await guild.fetch_member(scene.ann.id), scene.client.bot
        now, yesterday = scene.env.now(), scene.env.now() - timedelta(days=1)
        times = (now, now, now, yesterday, now)
        refusals = [await refusal(bot, "learn", ann, scene.dev.id, guild, at) for at in times]
        assert refusals == [None, None, None, None, "too_fast"]


async def test_a_server_has_a_daily_budget_that_a_restart_does_not_reset() -> None:
    async with acting(discord={"daily_replies": 2}, summary={"enabled": False}) as scene:
        assert [await scene.ask("hello") for _ in range(2)] == ["I see."] * 2
        await scene.restart()
        assert "My answers for today are used up here" in await scene.ask("hello", scene.bob)
        assert (await scene.order("!memory list")).startswith("What I remember")
        assert await scene.whisper("hello") == "I see."
        await scene.env.advance_time(timedelta(days=1).total_seconds())
        assert await scene.ask("hello") == "I see."


@pytest.mark.slow
async def test_a_server_has_a_budget_in_tokens_for_learning_and_replies_and_the_status_says_when_it_is_spent() -> None:
    async with acting(summary={"enabled": False}) as scene:
        eve, settings = scene.manager(), scene.client.bot.server_settings
        assert await scene.ask("hello") == "I see."

        async def status() -> str:
            return shown(await eve.slash(scene.general, "memory-server status")).embeds[0].description or ""

        use = await scene.memory.engine.reply_budget.use(f"discord:{scene.guild.id}")
        assert use.replies > 0
        assert f"Tokens today: {use.replies + use.learning:,} (" in await status()
        await settings.change(scene.guild.id, "daily_tokens", use.replies + use.learning + 1, eve.id)
        assert await scene.ask("hello") == "I see.", "there was something left"
        await scene.restart()
        assert "My answers for today are used up here" in await scene.ask("I like green tea", scene.bob)
        assert "**Paused: budget** (replies and learning by a model)" in await status()
        assert await scene.whisper("hello") == "I see."
        await scene.settle()
        assert await scene.known(scene.bob) == ["Likes green tea"], "what is said beyond the budget is not lost"
        await scene.env.advance_time(timedelta(days=1).total_seconds())
        assert "Paused" not in await status()
        assert await scene.ask("hello") == "I see."


async def test_the_operators_tokens_are_an_upper_limit_and_hold_in_direct_messages_too() -> None:
    async with acting(discord={"daily_tokens": 1}, summary={"enabled": False}) as scene:
        await scene.client.bot.server_settings.change(scene.guild.id, "daily_tokens", 10_000, scene.ann.id)
        assert await scene.client.bot.server_settings.value(scene.guild.id, "daily_tokens") == 1
        for say in (scene.ask, scene.whisper):
            assert await say("hello") == "I see."
            assert "My answers for today are used up here" in await say("hello")


async def test_everything_about_a_server_is_in_the_language_that_was_chosen_for_it() -> None:
    async with acting(discord={"learned_notices": "here"}) as scene:
        eve, general = scene.manager(), scene.general
        panel = await open_panel(scene, eve)
        await eve.select(panel, ["language"])
        await eve.select(panel, ["de"])
        assert (panel.content, panel.embeds[0].title) == ("Sprache: geändert.", "Wie ich auf diesem Server arbeite")
        assert fields(panel)["Aufbewahrung"].startswith("unbegrenzt\n-# Tage, nach denen ich vergesse")
        await eve.select(panel, ["consent"])
        assert panel.embeds[0].description == (
            "ob ich mir Leute merke, sobald sie Bescheid wissen, oder sobald sie zugestimmt haben\n"
            "Jetzt: nach dem Hinweis"
        )
        await eve.click(panel, label="Zurück")
        await eve.select(panel, ["memory_channel"])
        await eve.select(panel, [general])
        await scene.restart()
        await scene.env.advance_time(TICK)
        status = shown(await eve.slash(scene.dev, "memory-server status"))
        assert (status.embeds[0].description or "").startswith("Das Gedächtnis ist hier **an**")
        await eve.click(status, label="Ausschalten")
        await eve.click(status, label="Einschalten")
        audit = shown(await eve.slash(scene.dev, "memory-server audit")).content
        assert "Gedächtnis umgeschaltet: off → on" in audit
        assert "Sprache gesetzt: nichts → Deutsch" in audit
        asked = shown(await eve.slash(scene.dev, "memory-server purge", days=3))
        assert asked.content.startswith(
            "Endgültig aus meinem Gedächtnis löschen: was gesagt wurde in den letzten 3 Tagen?"
        )
        await eve.click(asked, label="Behalten")
        assert asked.content == "Nichts wurde geändert."
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        line = scene.dev.last_message
        assert line is not None
        assert line.content.startswith("Gelernt: [Tatsache] I like green tea")
        await scene.ann.click(line, label="Vergessen")
        assert scene.dev.last_message.content == "Vergessen."
        privacy = shown(await scene.ann.slash(scene.dev, "memory privacy"))
        await scene.ann.click(privacy, label="Lernen pausieren")
        assert "Lernen: pausiert\nWas du anderen sagst: " in (privacy.embeds[0].description or "")
        assert "Aufbewahrt: bis du es löschst" in (privacy.embeds[0].description or "")


def test_every_text_of_the_servers_panels_is_translated_and_takes_the_same_values() -> None:
    texts = {text for option in OPTIONS.values() for text in (option.label, option.meaning)}
    texts |= {meaning for name, option in OPTIONS.items() if name != "language" for _, meaning in option.choices}
    texts |= {setup_panel.TITLE, setup_panel.LOCKED, ephemeral.NOT_A_MANAGER, setup_panel.NOT_A_NUMBER}
    texts |= {server_commands.LORE_TITLE, server_commands.NO_CHANGES, server_commands.SAY_WHAT}
    texts |= {text for switch in SWITCHES.values() for text in switch}
    assert [text for text in sorted(texts) if translated(text, "ja") == text] == []
    for text, others in {**SERVER_COMMANDS, **SETTINGS, **SERVER_PANELS, **MEMBER_PANELS}.items():
        for other in others:
            assert other.strip()
            assert len(re.findall(r"{[^}]*}", other)) == len(re.findall(r"{[^}]*}", text)), other


async def test_the_commands_for_a_server_have_names_descriptions_and_options_in_other_languages() -> None:
    async with acting() as scene:
        tree = scene.client.tree
        assert tree.translator is not None
        (group,) = [one for one in tree.get_commands() if one.name == "memory-server"]
        payload = await group.get_translated_payload(tree, tree.translator)
        languages = {"de", "fr", "es-ES", "es-419", "pt-BR", "ja"}
        for command in [payload, *payload["options"]]:
            parts = [command, *(command.get("options", []) if command is not payload else [])]
            for part in parts:
                assert set(part["name_localizations"]) == set(part["description_localizations"]) == languages, part
                assert all(len(text) <= 100 for text in part["description_localizations"].values())
                assert all(re.fullmatch(r"[-\w]{1,32}", name) for name in part["name_localizations"].values())
        for language in languages:
            for command in payload["options"]:
                names = [part["name_localizations"][language] for part in command.get("options", [])]
                assert len(names) == len(set(names))
            names = [command["name_localizations"][language] for command in payload["options"]]
            assert len(names) == len(set(names))
