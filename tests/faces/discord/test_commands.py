"""`!memory …` on Discord, as the documents show it."""

import pytest

from recollect.core.types import Status, Summary
from recollect.faces.discord.listener import NO_PUBLIC_EXPORT
from recollect.testing.model_server import Says
from tests.faces.discord.scene import acting


@pytest.mark.acceptance("A15", "A16", "A17", "A18", "A19", "A20", "B46")
async def test_the_example_of_the_documents() -> None:
    async with acting(chat_commands={"wording": "document"}) as scene:
        assert (await scene.order("!memory remember Works at Acme Corp")).partition("\n")[
            0
        ] == 'Remembered: "Works at Acme Corp"'
        await scene.order("!memory remember Prefers Rust over Go")
        summary = Summary(scene.place(scene.dev).session, "They plan a release.", 1, scene.env.now())
        await scene.memory.store.write(lambda tx: tx.summaries.save(summary))
        shown = await scene.order("!memory show")
        assert shown.split("\n") == [
            "Durable memory (2 items):",
            "- [preference] Prefers Rust over Go (src: manual)",
            "- [fact] Works at Acme Corp (src: manual)",
            "",
            "Rolling summary:",
            "They plan a release.",
        ]
        assert await scene.order("!memory forget Acme") == 'Deprecated 1 item matching "Acme"'
        assert "Acme" not in await scene.order("!memory show")
        everything = (await scene.memory.list(user=str(scene.ann.id), statuses="any")).memos
        assert [memo.status for memo in everything if "Acme" in memo.text] == [Status.DEPRECATED]
        assert scene.server.requests == []


@pytest.mark.acceptance("A51", "A52", "A54")
@pytest.mark.parametrize("profile", ["unified", "discoclaw"])
async def test_a_remembered_memo_records_its_place(profile: str) -> None:
    async with acting(profile=profile) as scene:
        sent = await scene.ann.send(scene.dev, "!memory remember I like tea")
        whispered = await scene.ann.send_dm("!memory remember I like coffee")
        coffee, tea = (memo.source for memo in await scene.memos())
        dm = str(scene.ann.user.dm_channel.id)
        assert (tea.origin, tea.guild, tea.channel, tea.channel_name, tea.message) == (
            "manual",
            str(scene.guild.id),
            str(scene.dev.id),
            "dev",
            str(sent.id),
        )
        assert (coffee.guild, coffee.channel_name, coffee.channel) == (None, None, dm)
        assert coffee.message == str(whispered.id)


async def test_marks_and_mentions_in_what_is_repeated_do_nothing() -> None:
    async with acting() as scene:
        await scene.order("!memory remember I like *stars* and `code` and @everyone")
        shown = await scene.order("!memory show")
    assert r"\*stars\* and \`code\`" in shown
    assert "@everyone" not in shown


async def test_a_long_list_comes_in_pages_that_discord_takes() -> None:
    async with acting() as scene:
        for number in range(40):
            user = str(scene.ann.id)
            await scene.memory.remember(
                f"Fact number {number}: " + f"detail{number} " * 12, user=user, place=scene.place(scene.dev)
            )
        sent = await scene.ann.send(scene.dev, "!memory show")
        pages = scene.said_since(scene.dev, sent)
    assert len(pages) > 1
    assert all(len(page) <= 2000 for page in pages)
    assert all(f"Fact number {number}:" in "\n".join(pages) for number in range(40))


async def test_an_export_in_a_dm_comes_as_a_file() -> None:
    async with acting() as scene:
        await scene.whisper("!memory remember I like tea")
        await scene.ann.send_dm("!memory export")
        last = scene.ann.user.dm_channel.last_message
        assert [one.filename for one in last.attachments] == ["memory.json"]


async def test_an_export_is_not_posted_where_others_read() -> None:
    async with acting() as scene:
        await scene.order("!memory remember I like tea")
        assert await scene.order("!memory export") == NO_PUBLIC_EXPORT
        assert await scene.order("!memory export json") == NO_PUBLIC_EXPORT
        own = await scene.ann.slash(scene.dev, "memory export")
        assert own.ephemeral


@pytest.mark.acceptance("B52")
@pytest.mark.parametrize("profile", ["unified", "dnam"])
async def test_orders_can_be_switched_off(profile: str) -> None:
    async with acting([Says("just talk")], profile=profile, chat_commands={"enabled": False}) as scene:
        assert await scene.order("!memory show") == ""
        assert await scene.ask("!memory show") == "just talk"


@pytest.mark.acceptance("A7", "A8", "A21", "B50")
async def test_the_summary_is_shown_and_reset_for_this_channel_only() -> None:
    async with acting(summary={"every_n_turns": 1}) as scene:
        await scene.ask("we talk about the release plan")
        await scene.ask("we talk about lunch", where=scene.general)
        await scene.settle()
        assert "Summary of this conversation:" in await scene.order("!memory show")
        assert (await scene.order("!memory reset rolling")).startswith("Cleared")
        assert "Summary of this conversation:" not in await scene.order("!memory show")
        assert "lunch" in await scene.order("!memory show", where=scene.general)


@pytest.mark.acceptance("A55")
async def test_what_is_remembered_in_a_thread_has_the_threads_own_name() -> None:
    async with acting() as scene:
        await scene.order("!memory remember I like tea", where=scene.thread(scene.dev, "release"))
        (memo,) = await scene.memos()
    assert memo.source.channel_name == "release"
    assert memo.source.channel == str(scene.dev.id)


async def test_where_durable_memory_is_switched_off_every_way_to_remember_says_so() -> None:
    async with acting(memos={"enabled": False}) as scene:
        off = "Durable memory is switched off; switch it on with RECOLLECT\\_MEMOS\\_ENABLED=true"
        assert await scene.order("!memory remember Works at Acme Corp") == off
        slash = await scene.ann.slash(scene.dev, "memory remember", words="I like green tea")
        answered = slash.response or slash.followups[-1]
        assert "Durable memory is switched off" in answered.content
        assert not await scene.memos()
        assert "Durable memory is switched off" in await scene.order("!memory show")
