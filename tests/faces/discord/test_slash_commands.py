"""Slash commands, menus, buttons and forms: the same memory, and only its owner sees the answers."""

import pytest
from simcord import InteractionResult
from simcord.results import ResponseMessage

from recollect.core.state import Owner, StateKind
from recollect.core.types import Memo, Subject
from recollect.faces.discord.privacy_notice import NOTICE
from recollect.faces.discord.slash_commands import EXPORT_ATTACHED, render_help
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import TICK


async def slash(scene: Scene, name: str, **options: object) -> InteractionResult:
    result = await scene.ann.slash(scene.dev, name, **options)
    assert result.ephemeral
    return result


def shown(result: InteractionResult) -> ResponseMessage:
    """What it answered."""
    message = result.response or result.followups[-1]
    assert message is not None
    return message


def text(result: InteractionResult) -> str:
    message = result.response or (result.followups[-1] if result.followups else None)
    assert message is not None
    return message.content or "\n".join(embed.description or "" for embed in message.embeds)


async def test_what_is_remembered_by_a_command_is_shown_by_the_other_to_its_owner_alone() -> None:
    async with acting() as scene:
        assert (
            text(await slash(scene, "memory remember", words="I like green tea")).partition("\n")[0]
            == 'Remembered: "I like green tea"'
        )
        assert text(await slash(scene, "memory list")) == "1. I like green tea"
        assert "1. I like green tea" in await scene.order("!memory show")
        assert scene.dev.history(viewer=scene.bob)[-1].content.startswith("What I remember")
        assert len(scene.dev.history(viewer=scene.bob)) == 2, "the order and its answer, nothing of the commands"


async def test_forgetting_is_asked_for_first() -> None:
    async with acting() as scene:
        await scene.memory.remember("Works at Acme Corp", user=str(scene.ann.id), place=scene.place(scene.dev))
        asked = await slash(scene, "memory forget", which="Acme")
        assert text(asked).startswith("Forget 1 memory?")
        await scene.ann.click(asked.response or asked.followups[-1], label="Keep")
        assert await scene.known() == ["Works at Acme Corp"]
        asked = await slash(scene, "memory forget", which="Acme")
        await scene.ann.click(asked.response or asked.followups[-1], label="Forget")
        assert await scene.known() == []
        assert 'Restored: "Works at Acme Corp"' in text(await slash(scene, "memory undo"))


async def test_what_was_forgotten_is_offered_to_restore_as_far_as_it_may_be_heard_here() -> None:
    async with acting() as scene:
        ann = f"discord:{scene.ann.id}"
        for words in ("Works at Acme Corp", "Likes green tea"):
            await scene.memory.remember(words, user=ann, place=scene.place(scene.dev))
        secret = (await scene.memory.remember("Collects stamps in secret", user=ann)).memo
        await scene.memory.forget("Acme", user=ann)
        await scene.memory.forget(secret.id, user=ann)
        listed = await slash(scene, "memory list")
        opened = await scene.ann.click(shown(listed), label="Forgotten…")
        assert (text(opened), opened.ephemeral) == ("- Works at Acme Corp", True)
        menu = shown(opened).components[0]["components"][0]
        await scene.ann.select(shown(opened), [menu["options"][0]["value"]])
        assert text(opened) == 'Restored: "Works at Acme Corp"'
        assert sorted(await scene.known()) == ["Likes green tea", "Works at Acme Corp"]


async def test_undo_refuses_after_a_deleted_message_and_says_so_in_words_and_as_a_command() -> None:
    async with acting() as scene:
        await scene.ann.send(scene.dev, "I live in Ghent")
        await scene.settle()
        moved = await scene.ann.send(scene.dev, "I live in Bruges now")
        await scene.settle()
        await scene.ann.delete(moved)
        await scene.settle()
        assert await scene.known() == ["I live in Ghent"]
        told = text(await slash(scene, "memory undo"))
        assert told == "That change can't be undone: it came with a message that was deleted or edited"
        assert await scene.order("!memory undo") == told
        assert await scene.known() == ["I live in Ghent"]


async def test_one_is_offered_ones_own_items_as_far_as_they_may_be_heard_here() -> None:
    async with acting() as scene:
        ann, bob = str(scene.ann.id), str(scene.bob.id)
        await scene.memory.remember("I like green tea", user=ann, place=scene.place(scene.dev))
        await scene.memory.remember("Bob likes tea too", user=bob, place=scene.place(scene.dev))
        await scene.whisper("I take a tea ceremony class in secret")
        await scene.settle()
        choices = await scene.ann.autocomplete(scene.dev, "memory why", "which", "tea")
        assert [one["name"] for one in choices] == ["I like green tea"]
        result = await slash(scene, "memory why", which=choices[0]["value"])
        assert "I like green tea" in text(result)
        assert "secret" not in text(await slash(scene, "memory list"))
        in_dm = await scene.ann.user.slash("memory list")
        assert "secret" in text(in_dm)


async def test_a_long_list_is_leafed_through() -> None:
    async with acting() as scene:
        for number in range(40):
            await scene.memory.remember(
                f"Fact {number}: " + f"detail{number} " * 12, user=str(scene.ann.id), place=scene.place(scene.dev)
            )
        listed = await slash(scene, "memory list")
        first = text(listed)
        assert shown(listed).embeds[0].footer.text == "page 1 of 4, 40 memories"
        await scene.ann.click(shown(listed), label="Next")
        assert text(listed).startswith("11. ")
        await scene.ann.click(shown(listed), label="Back")
        assert text(listed) == first


async def test_a_memory_is_chosen_from_the_list_and_pinned_shared_explained_edited_and_forgotten() -> None:
    async with acting() as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        listed = await slash(scene, "memory list")
        (memo,) = await scene.memos()
        assert (
            text(listed)
            == f"1. I like green tea [#dev ↗](https://discord.com/channels/{scene.guild.id}/{scene.dev.id}/{memo.source.message})"
        )
        await scene.ann.select(shown(listed), [memo.id])
        assert text(listed) == "I like green tea"
        await scene.ann.click(shown(listed), label="Always keep in mind")
        await scene.ann.click(shown(listed), label="Share")
        (memo,) = await scene.memos()
        assert (memo.pinned, memo.audience.level) == (True, "everywhere")
        why = await scene.ann.click(shown(listed), label="Why")
        assert why.ephemeral
        assert "Said by you in #dev" in text(why)
        form = await scene.ann.click(shown(listed), label="Edit")
        assert form.modal is not None
        field = form.modal["components"][0]["components"][0]
        await scene.ann.submit_modal(form, {field["custom_id"]: "I like black tea"})
        assert await scene.known() == ["I like black tea"]
        await scene.ann.click(shown(listed), label="Forget")
        assert text(listed).startswith("Nothing yet")
        assert await scene.known() == []


async def test_an_item_gets_other_words_in_a_form() -> None:
    async with acting() as scene:
        await scene.memory.remember("Works at Acme Corp", user=str(scene.ann.id), place=scene.place(scene.dev))
        form = await scene.ann.slash(scene.dev, "memory edit", which="Acme")
        assert form.modal is not None
        field = form.modal["components"][0]["components"][0]
        assert field["value"] == "Works at Acme Corp"
        done = await scene.ann.submit_modal(form, {field["custom_id"]: "Works at Umbrella"})
        assert text(done).partition("\n")[0] == 'Changed: "Works at Umbrella"'
        assert await scene.known() == ["Works at Umbrella"]


async def _form(scene: Scene, way: str, memo: Memo) -> InteractionResult:
    """The form to edit a memo, opened in one of three ways."""
    if way == "command":
        return await scene.ann.slash(scene.dev, "memory edit", which=memo.id)
    if way == "card":
        listed = await slash(scene, "memory list")
        await scene.ann.select(shown(listed), [memo.id])
        return await scene.ann.click(shown(listed), label="Edit")
    return await scene.ann.click(scene.dev.history()[-1], label="Edit")


@pytest.mark.parametrize("way", ["command", "card", "notice"])
async def test_what_was_changed_while_a_form_was_open_is_not_overwritten(way: str) -> None:
    async with acting(discord={"learned_notices": "here"}) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        await scene.env.advance_time(TICK)
        (memo,) = await scene.memos()
        form = await _form(scene, way, memo)
        assert form.modal is not None
        field = form.modal["components"][0]["components"][0]
        await scene.memory.update(memo, "Likes white tea", user=memo.subject.id, place=scene.place(scene.dev))
        late = await scene.ann.submit_modal(form, {field["custom_id"]: "I like black tea"})
        assert text(late) == 'It was changed meanwhile, and now says: "Likes white tea". Nothing was done.'
        assert await scene.known() == ["Likes white tea"]


async def test_several_are_forgotten_as_one_change_and_none_that_was_changed_since_the_question() -> None:
    async with acting() as scene:
        ann, dev = f"discord:{scene.ann.id}", scene.place(scene.dev)
        for words in ("Likes green tea", "Has a tea shop in Ghent"):
            await scene.memory.remember(words, user=ann, place=dev)
        asked = await slash(scene, "memory forget", which="tea")
        (memo,) = await scene.memory.view(ann, dev).find("Ghent")
        await scene.memory.update(memo, "Has a tea shop in Bruges", user=ann, place=dev)
        late = await scene.ann.click(shown(asked), label="Forget")
        assert "Nothing was done" in text(late)
        assert len(await scene.known()) == 2
        asked = await slash(scene, "memory forget", which="tea")
        await scene.ann.click(shown(asked), label="Forget")
        assert await scene.known() == []
        await slash(scene, "memory undo")
        assert sorted(await scene.known()) == ["Has a tea shop in Bruges", "Likes green tea"]


async def test_every_command_answers() -> None:
    async with acting() as scene:
        await scene.memory.remember("I like green tea", user=str(scene.ann.id), place=scene.place(scene.dev))
        assert "green tea" in text(await scene.ann.user.slash("memory why", which="green"))
        for verb in ("pause", "resume", "help"):
            assert text(await slash(scene, f"memory {verb}"))
        assert "green tea" in text(await scene.ann.user.slash("memory search", words="tea"))
        assert 'Removed: "I like green tea"' in text(await slash(scene, "memory undo"))


async def test_an_export_is_everything_as_a_file_for_the_asker_alone_wherever_it_is_asked_for() -> None:
    async with acting() as scene:
        await scene.whisper("!memory remember I like green tea")
        for json in (False, True):
            exported = await slash(scene, "memory export", json=json)
            assert exported.ephemeral
            (file,) = shown(exported).attachments
            assert file.filename == "memory.json"
            assert ("green tea" in text(exported)) is not json
        for number in range(50):
            await scene.memory.remember(f"{number} is a number that I like very much", user=f"discord:{scene.ann.id}")
        assert text(await slash(scene, "memory export")) == EXPORT_ATTACHED


async def test_help_lists_the_commands_and_menus_in_the_language_of_the_asker() -> None:
    async with acting() as scene:
        lines = text(await slash(scene, "memory help")).splitlines()
        assert lines[0] == "- **/memory list** – What I remember about you, page by page"
        assert "**Forget this**" in lines[-1]
    german = render_help("de")
    assert "- **/gedächtnis vergessen** – Eine Erinnerung" in german
    assert "**Das vergessen**" in german


async def test_commands_have_names_and_descriptions_in_other_languages() -> None:
    async with acting() as scene:
        (request,) = [call for call in scene.env.http_requests if call.path.endswith("/commands")][-1:]
        group = next(command for command in request.json if command["name"] == "memory")
        assert group["name_localizations"]["de"] == "gedächtnis"
        names = [command["name"] for command in group["options"]]
        assert names[:10] == "list search remember edit forget undo why export privacy pause".split()
        for command in (group, *group["options"]):
            for texts in (command["name_localizations"], command["description_localizations"]):
                assert set(texts) == {"de", "fr", "es-ES", "es-419", "pt-BR", "ja"}, command["name"]
        for option in (option for command in group["options"] for option in command.get("options", ())):
            assert len(option["description_localizations"]) == 6, option["description"]
        for locale in ("de", "ja"):
            localized = [command["name_localizations"][locale] for command in group["options"]]
            assert len(set(localized)) == len(localized)


async def test_a_message_of_ones_own_is_remembered_as_a_fact_and_anothers_as_a_note_that_stays_here() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        mine = await scene.ann.send(scene.staff, "I am on holiday in May")
        kept = await scene.ann.context_menu(scene.staff, "Remember this", mine)
        assert text(kept) == NOTICE
        assert kept.followups[-1].content.partition("\n")[0] == 'Remembered: "I am on holiday in May"'
        theirs = await scene.bob.send(scene.dev, "I love old maps")
        await scene.bob.slash(scene.dev, "memory help")  # so that he is told
        await scene.ann.context_menu(scene.dev, "Remember this", theirs)
        note, fact = await scene.memos()
        assert (note.text, note.kind, note.audience.level) == ("Bob said: I love old maps", "person", "channel")
        assert (fact.source.message, fact.audience.level) == (str(mine.id), "channel")
        assert note.text not in await scene.known(scene.bob)


async def test_a_note_of_what_another_said_goes_when_they_delete_or_change_it() -> None:
    async with acting() as scene:
        said = [await scene.bob.send(scene.dev, words) for words in ("I love old maps", "I sing", "I have a boat")]
        for message in said:
            await scene.ann.context_menu(scene.dev, "Remember this", message)
        await scene.bob.delete(said[0])
        await scene.bob.edit(said[1], "I dance")
        await scene.settle()
        assert [memo.text for memo in await scene.memos()] == ["Bob said: I have a boat"]
        assert "maps" not in (await scene.order("!memory undo"))
        kept = [
            memo.text
            for memo in await scene.memory.store.read(lambda tx: tx.memos.list(Subject(f"discord:{scene.ann.id}")))
        ]
        assert not any("maps" in words or "sing" in words for words in kept)


async def test_why_do_you_know_this_tells_what_came_from_a_message_and_what_an_answer_was_given() -> None:
    async with acting() as scene:
        sent = await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        why = await scene.ann.context_menu(scene.dev, "Why do you know this?", sent)
        assert "Said by you in #dev" in text(why)
        await scene.ask("what tea do I like?")
        answer = scene.dev.last_message
        assert answer is not None
        why = await scene.ann.context_menu(scene.dev, "Why do you know this?", answer)
        assert "I like green tea" in text(why)
        other = await scene.bob.context_menu(scene.dev, "Why do you know this?", answer)
        assert text(other) == "That was said to somebody else; only they may ask."


async def test_a_user_who_is_not_allowed_gets_no_command_and_no_choices() -> None:
    async with acting() as scene:
        ann = str(scene.ann.id)
    async with acting(discord={"allowed_users": [ann]}) as scene:
        refused = await scene.bob.slash(scene.dev, "memory remember", words="I like tea")
        assert "not allowed" in text(refused)
        assert await scene.known(scene.bob) == []
        assert await scene.bob.autocomplete(scene.dev, "memory why", "which", "") == []


async def test_the_commands_are_registered_only_when_they_changed() -> None:
    async with acting() as scene:

        def synced() -> int:
            calls = scene.env.http_requests
            return sum(one.method == "PUT" and one.path.endswith("/commands") for one in calls)

        assert synced() == 1
        await scene.restart()
        assert synced() == 1
        await scene.client.bot.state.put((StateKind.COMMANDS, ""), "as in an older version", Owner.nobody())
        await scene.restart()
        assert synced() == 2


async def test_where_orders_are_switched_off_there_are_no_commands() -> None:
    async with acting(chat_commands={"enabled": False}) as scene:
        assert scene.ann.available_commands(scene.dev) == ()


async def test_administrators_switch_memory_off_for_a_whole_server() -> None:
    async with acting() as scene:
        eve = scene.manager()
        assert "memory-server" not in scene.ann.available_commands(scene.dev)
        await eve.slash(scene.dev, "memory-server off")
        await scene.restart()
        await scene.ann.send(scene.dev, "I like green tea")
        assert (await scene.ask("I like black tea")).startswith("Memory is switched off here")
        await scene.settle()
        assert await scene.known() == []
        assert "Memory commands" in await scene.order("!memory help")
        await eve.slash(scene.dev, "memory-server on")
        assert await scene.ask("I like black tea") == "I see."
