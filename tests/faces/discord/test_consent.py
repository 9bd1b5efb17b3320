"""People are told, once, that they are remembered; who was not told is not overheard; what is excluded stays out."""

import discord
import pytest
from simcord import InteractionResult
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect import AsyncMemory
from recollect.faces.discord.consent import NO_CONSENT, SWITCHED_OFF_HERE, is_shown
from recollect.faces.discord.privacy_notice import NOTICE
from tests.faces.discord.scene import acting
from tests.faces.discord.test_memory_channel import channel_id, mirrored
from tests.scenes import content

DAY = 24 * 3600.0


def whispered(scene: object, person: object) -> list[str]:
    return [one.content for one in person.user.dm_channel.history()]  # type: ignore[attr-defined]


async def test_on_first_contact_one_is_told_in_a_dm_once_and_not_again_after_a_restart() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        assert await scene.ask("hello") == "I see."
        assert whispered(scene, scene.ann) == [NOTICE]
        await scene.restart()
        await scene.ask("hello again")
        assert whispered(scene, scene.ann) == [NOTICE]
        assert "!memory pause" in NOTICE
        assert "!memory show" in NOTICE
        assert "\n" not in NOTICE


async def test_messages_are_stored_only_after_the_privacy_notice() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        assert await scene.known() == []
        await scene.ask("hello")
        await scene.ann.send(scene.dev, "I like black tea")
        await scene.settle()
        assert "I like black tea" in await scene.known()
        assert "I like green tea" not in await scene.known()


async def test_where_a_dm_is_refused_or_not_wanted_it_is_said_in_the_channel() -> None:
    async with acting(discord={"privacy_notice": "reply"}) as scene:
        assert await scene.ask("hello") == f"{NOTICE}\nI see."
        assert await scene.ask("hello again") == "I see."
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        scene.env.inject_error("POST", "/users/@me/channels", status=403)
        assert await scene.ask("hello") == f"{NOTICE}\nI see."


async def test_who_meets_the_bot_by_a_command_is_told_where_nobody_else_sees_it() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        first = await scene.ann.slash(scene.dev, "memory list")
        assert (first.followups[-1].content, first.followups[-1].ephemeral) == (NOTICE, True)
        again = await scene.ann.slash(scene.dev, "memory list")
        assert NOTICE not in [one.content for one in again.followups]
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]


async def test_orders_that_keep_nothing_tell_nobody() -> None:
    async with acting(discord={"privacy_notice": "reply"}) as scene:
        assert NOTICE not in await scene.order("!memory show")
        told = await scene.order("!memory remember I like tea")
        assert told.startswith(f'{NOTICE}\nRemembered: "I like tea"\n')


async def test_excluded_channels_categories_and_roles_are_not_heard_but_their_memory_can_be_seen() -> None:
    async with acting() as scene:
        dev, staff = str(scene.dev.id), str(scene.staff_role.id)
    async with acting(discord={"excluded_channels": [dev]}) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.ann.send(scene.thread(scene.dev, "release"), "I like black tea")
        assert (await scene.ask("I like tea")).startswith("Memory is switched off here")
        await scene.settle()
        assert await scene.known() == []
        assert (await scene.order("!memory show")).startswith("What I remember")
        assert await scene.ask("I like tea", where=scene.general) == "I see."
    async with acting(discord={"excluded_roles": [staff]}) as scene:
        assert (await scene.ask("I like tea")).startswith("Memory is switched off here")
        assert await scene.ask("I like tea", scene.bob) == "I see."
        await scene.settle()
        assert await scene.known() == []
        assert await scene.known(scene.bob) == ["I like tea"]


AGREE, DECLINE = "I agree", "No thanks"


async def test_the_notice_names_who_runs_the_bot_and_their_policy_in_the_language_of_the_server() -> None:
    named = {"privacy_notice": "reply", "operator": "Acme Ltd", "privacy_policy": "https://acme.example/privacy"}
    async with acting(discord=named) as scene:
        told = await scene.ask("hello")
        assert told.startswith(f"{NOTICE} I am run by Acme Ltd. Privacy policy: https://acme.example/privacy\n")
        await scene.client.bot.server_settings.change(scene.guild.id, "language", "de", scene.ann.id)
        told = await scene.ask("hello", scene.bob)
        assert told.startswith("Ich merke mir, was man mir sagt")
        assert "Betrieben von Acme Ltd." in told


async def test_where_people_have_to_agree_nobody_is_remembered_before_and_the_question_is_answered_after() -> None:
    async with acting(discord={"consent": "opt_in"}) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        asked = await scene.ask("I like black tea")
        assert "Do you agree?" in asked
        assert "Do you agree?" in await scene.order("!memory remember I like tea", scene.bob)
        menu = await scene.ann.context_menu(scene.dev, "Remember this", scene.dev.history()[0])
        assert "agreed" in (menu.response or menu.followups[-1]).content
        slash = await scene.ann.slash(scene.dev, "memory remember", words="I like tea")
        assert "agreed" in (slash.response or slash.followups[-1]).content
        await scene.settle()
        assert await scene.known() == await scene.known(scene.bob) == []
        question = next(one for one in scene.dev.history() if "Do you agree?" in one.content)
        done = await scene.ann.click(question, label=AGREE)
        assert (done.followups[-1] if done.followups else done.response).ephemeral  # type: ignore[union-attr]
        await scene.settle()
        assert scene.dev.last_message is not None
        assert scene.dev.last_message.content == "I see.", "what was asked before is answered now"
        assert await scene.known() == ["I like black tea"]
        await scene.bob.click(question, label=DECLINE)
        assert "I remember nothing of yours" in await scene.ask("I play chess", scene.bob)
        await scene.settle()
        assert await scene.known(scene.bob) == []
        await scene.restart()
        await scene.ann.send(scene.dev, "I work on the platform team")
        await scene.settle()
        assert "I work on the platform team" in await scene.known()


async def test_every_message_on_which_someone_was_asked_is_answered_once_they_agree() -> None:
    async with acting(discord={"consent": "opt_in"}) as scene:
        assert "Do you agree?" in await scene.ask("I like green tea")
        question = scene.dev.last_message
        assert question is not None
        assert await scene.ask("I play chess", where=scene.general) == "", "asked once a minute"
        assert "Do you agree?" in await scene.ask("I have two cats", scene.bob)
        await scene.ann.click(question, label="I agree")
        await scene.settle()
        assert sorted(await scene.known()) == ["I like green tea", "I play chess"]
        assert scene.general.last_message is not None
        assert scene.general.last_message.content == "I see."
        assert await scene.known(scene.bob) == []


async def test_who_agrees_again_by_the_same_button_is_not_answered_again_nor_after_a_restart() -> None:
    async with acting(discord={"consent": "opt_in"}) as scene:
        await scene.ask("I like green tea")
        question = scene.dev.last_message
        assert question is not None
        for restarts in (False, False, True):
            if restarts:
                await scene.restart()
            await scene.ann.click(question, label=AGREE)
            await scene.settle()
        assert [one.content for one in scene.dev.history()].count("I see.") == 1
        assert "Do you agree?" in await scene.order("!memory remember I play chess", scene.bob)
        question = scene.dev.last_message
        assert question is not None
        for _ in range(2):
            await scene.bob.click(question, label=AGREE)
            await scene.settle()
        assert sum(one.content.startswith("Remembered") for one in scene.dev.history()) == 1


async def test_what_someone_was_asked_on_before_and_did_not_answer_is_not_kept_once_they_agree_to_something_else() -> (
    None
):
    async with acting(discord={"consent": "opt_in"}) as scene:
        await scene.ask("I like green tea")
        await scene.env.advance_time(120)
        await scene.ask("I play chess")
        question = scene.dev.last_message
        assert question is not None
        assert "Do you agree?" in question.content
        await scene.ann.click(question, label="I agree")
        await scene.settle()
        assert await scene.known() == ["I play chess"]


async def test_who_is_asked_by_direct_message_and_agrees_is_remembered_with_what_they_were_asked_on() -> None:
    async with acting(discord={"consent": "opt_in"}) as scene:
        mute = Overwrite(scene.client.user.id, OverwriteType.MEMBER, 0, discord.Permissions(send_messages=True).value)
        scene.env.backend.set_overwrite(scene.dev.id, mute)
        await scene.env.settle()
        await scene.ask("I like green tea")
        question = scene.ann.user.dm_channel.last_message
        assert question is not None
        await scene.ann.user.click(question, label="I agree")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]


async def test_a_role_is_an_agreement_too_while_one_has_it() -> None:
    async with acting(discord={"consent": "opt_in"}) as scene:
        await scene.client.bot.server_settings.change(
            scene.guild.id, "consent_role", str(scene.staff_role.id), scene.ann.id
        )
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.bob.send(scene.dev, "I play chess")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]
        assert await scene.known(scene.bob) == []


async def test_what_someone_says_who_agreed_by_a_role_can_be_remembered_by_others() -> None:
    async with acting(discord={"consent": "opt_in"}) as scene:
        await scene.client.bot.server_settings.change(
            scene.guild.id, "consent_role", str(scene.staff_role.id), scene.ann.id
        )
        said = await scene.ann.send(scene.dev, "I like green tea")
        await scene.ask("hello", scene.bob)
        assert scene.dev.last_message is not None
        await scene.bob.click(scene.dev.last_message, label="I agree")
        done = await scene.bob.context_menu(scene.dev, "Remember this", said)
        answer = done.followups[-1] if done.followups else done.response
        assert answer is not None
        assert answer.content.startswith("Remembered")


@pytest.mark.parametrize("is_told_of_members", [True, False])
async def test_who_loses_the_role_is_not_learned_from_any_more_nor_shown(is_told_of_members: bool) -> None:
    async with acting(discord={"members": is_told_of_members}, extraction={"trigger": "idle"}) as scene:
        backend, guild, role = scene.env.backend, scene.guild.id, scene.staff_role.id

        async def learn() -> None:
            await scene.env.advance_time(3600)
            scene.memory.worker.wake()
            await scene.settle()

        async def is_shown_now() -> bool:
            return await is_shown(scene.client.bot, scene.ann.id, guild)

        async def lose_role_after(text: str) -> None:
            """Said while Ann loses the role, which the bot may see by her next message only."""
            await scene.ann.send(scene.dev, text)
            backend.remove_member_role(guild, scene.ann.id, role)
            await scene.env.settle()
            if not is_told_of_members:
                await scene.ann.send(scene.dev, "hello")

        for name, value in (("consent", "opt_in"), ("consent_role", str(role))):
            await scene.client.bot.server_settings.change(guild, name, value, scene.ann.id)
        await scene.ann.send(scene.dev, "I have two cats")
        await learn()
        assert await is_shown_now()
        await lose_role_after("I like green tea")
        await learn()
        assert await scene.known() == ["I have two cats"]
        assert not await is_shown_now()
        privacy = await scene.ann.slash(scene.dev, "memory privacy")
        panel = privacy.response or privacy.followups[-1]
        assert "not given yet" in (panel.embeds[0].description or "")
        backend.add_member_role(guild, scene.ann.id, role)
        await scene.env.settle()
        await scene.ann.send(scene.dev, "I play chess")
        await learn()
        assert "I play chess" in await scene.known()
        assert await is_shown_now()
        await lose_role_after("I live in Ghent")
        await scene.client.bot.server_settings.change(guild, "consent", "notice", scene.ann.id)
        await scene.ann.send(scene.dev, "I own a zither")
        await learn()
        assert "I own a zither" in await scene.known(), "where nobody is asked, a role is not needed"


async def test_who_declined_or_is_where_memory_is_off_gives_a_memory_no_other_words() -> None:
    async with acting(discord={"learned_notices": "here"}) as scene:
        await scene.env.advance_time(3)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(3)
        line = scene.dev.last_message
        assert line is not None
        listed = await scene.ann.slash(scene.dev, "memory list")
        panel = listed.response or listed.followups[-1]
        await scene.ann.select(panel, [(await scene.memos())[0].id])
        forms = [await scene.ann.click(panel, label="Edit"), await scene.ann.click(line, label="Edit")]

        async def submit(form: InteractionResult) -> str:
            assert form.modal is not None
            field = form.modal["components"][0]["components"][0]["custom_id"]
            done = await scene.ann.submit_modal(form, {field: "I like mate"})
            answer = done.followups[-1] if done.followups else done.response
            return "" if answer is None else answer.content

        settings, excluded = scene.client.bot.server_settings, (str(scene.dev.id),)
        await settings.change(scene.guild.id, "excluded_channels", excluded, scene.ann.id)
        assert [await submit(form) for form in forms] == [SWITCHED_OFF_HERE] * 2
        assert "switched off here" in await scene.order("!memory edit green tea: I like mate")
        await settings.change(scene.guild.id, "excluded_channels", (), scene.ann.id)
        form = await scene.ann.click(panel, label="Edit")
        await scene.order("!memory privacy consent no", where=scene.general)
        assert await submit(form) == NO_CONSENT
        assert "I remember nothing of yours here" in await scene.order("!memory edit green tea: I like mate")
        assert await scene.known() == ["I like green tea"]


async def test_one_may_opt_out_of_being_overheard_by_a_button_or_in_words_and_is_still_answered() -> None:
    async with acting() as scene:
        panel = await scene.ann.slash(scene.dev, "memory privacy")
        message = panel.response or panel.followups[-1]
        assert message.ephemeral
        await scene.ann.click(message, label="Don't overhear me")
        assert "What you say to others: not heard" in (message.embeds[0].description or "")
        assert "What you say to others: not heard" in await scene.order("!memory privacy overhearing off", scene.bob)
        for person in (scene.ann, scene.bob):
            await person.send(scene.dev, "I like green tea")
            assert await scene.ask("I like black tea", person) == "I see."
        await scene.settle()
        assert await scene.known() == await scene.known(scene.bob) == ["I like black tea"]
        await scene.order("!memory privacy overhearing on")
        await scene.ann.send(scene.dev, "I like white tea")
        await scene.settle()
        assert "I like white tea" in await scene.known()
        assert (await scene.order("!memory privacy everything maybe")).startswith("Say `!memory privacy`")


async def test_who_left_the_memory_channel_is_in_neither_it_nor_the_learned_lines() -> None:
    general = await channel_id()
    async with acting(discord={"memory_channel": general, "learned_notices": "here"}) as scene:
        await scene.order("!memory privacy mirror off")
        await mirrored(scene)
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.bob.send(scene.dev, "I play chess")
        shown = "\n".join(one.content for one in (*await mirrored(scene), *scene.dev.history()))
        assert "[fact] I play chess" in shown
        assert "[fact] I like green tea" not in shown
        assert await scene.known() == ["I like green tea"]


@pytest.mark.slow
async def test_a_server_forgets_after_so_many_days_what_was_said_there_but_not_what_one_told_it_to_remember() -> None:
    async with acting(summary={"enabled": False}) as scene:
        await scene.ask("I like green tea")
        await scene.order("!memory remember I live in Ghent")
        await scene.whisper("I collect stamps")
        await scene.settle()
        await scene.env.advance_time(DAY)
        await scene.ask("I play chess")
        await scene.settle()
        await scene.client.bot.server_settings.change(scene.guild.id, "retention_days", 2, scene.ann.id)
        await scene.settle()
        assert len(await scene.known()) == 4
        await scene.env.advance_time(1.5 * DAY)
        scene.memory.worker.wake()
        await scene.settle()
        assert sorted(await scene.known()) == ["I collect stamps", "I live in Ghent", "I play chess"]
        stored = await scene.memory.timeline.recent(scene.place(scene.dev), 50)
        assert [one.text for one in stored if not one.bot and one.text] == ["I play chess"]
        assert not [event for event in await scene.memory.log(limit=1000) if "green tea" in content(event)]
        rows = await scene.memory.store.read(lambda tx: tx.memos.stated_by(guild=str(scene.guild.id)))
        assert not [memo for memo in rows if "green tea" in memo.text], "not even as one that is no longer in use"
        await scene.client.bot.server_settings.change(scene.guild.id, "retention_days", 0, scene.ann.id)
        await scene.env.advance_time(DAY)
        scene.memory.worker.wake()
        await scene.settle()
        assert "I play chess" in await scene.known()


async def test_without_a_choice_people_are_told_in_the_channel_in_reply_to_what_they_said() -> None:
    async with AsyncMemory(":memory:", embedder="null") as memory:
        usual = memory.settings.discord.privacy_notice
    async with acting(discord={"privacy_notice": usual}) as scene:
        sent = await scene.ann.send(scene.dev, f"<@{scene.client.user.id}> hello")
        told = next(message for message in scene.dev.history() if message.content == NOTICE)
        assert told.reference is not None
        assert told.reference.message_id == sent.id
