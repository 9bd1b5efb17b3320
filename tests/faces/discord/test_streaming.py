"""A reply as it is written: shown early, edited, and complete in the end."""

import gzip

import discord
import simcord

from recollect.faces.commands.request import File
from recollect.faces.discord.streaming import StreamedReply, attachment
from tests.faces.discord.scene import acting


class Writer(discord.Client):
    """Writes a reply in pieces, as a model does; `often` or all at once."""

    def __init__(self, pieces: list[str], interval: float) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents)
        self._pieces, self._every = pieces, interval
        self.seen: list[str] = []

    async def on_message(self, message: discord.Message) -> None:
        if message.author == self.user:
            return
        draft = StreamedReply(message, self._every)
        for piece in self._pieces:
            draft.append(piece)
            await draft.wait_displayed()
        said = [one async for one in message.channel.history(oldest_first=True)]
        self.seen = [one.content for one in said if one.author == self.user]
        await draft.finish("".join(self._pieces).strip())


async def written(pieces: list[str], interval: float) -> tuple[list[str], list[str], int]:
    """What was shown before the end, what stands in the end, and how many requests that took."""
    bot = Writer(pieces, interval)
    async with simcord.run(bot) as env:
        guild = env.create_guild()
        channel = guild.create_text_channel("dev")
        ann = guild.add_member(env.create_user("ann"))
        await ann.send(channel, "hello")
        texts = [one.content for one in channel.history()[1:]]
        calls = sum("/messages" in one.path for one in env.http_requests if one.method != "GET")
        return bot.seen, texts, calls


async def test_a_streamed_reply_is_sent_once_and_edited() -> None:
    shown, texts, calls = await written(["Hello ", "there, ", "Ann."], interval=0)
    assert shown == ["Hello there, Ann."]
    assert texts == ["Hello there, Ann."]
    assert calls == 3, "one message and two edits; the end changed nothing"


async def test_a_quick_answer_takes_one_request() -> None:
    shown, texts, calls = await written(["Hello ", "there."], interval=60)
    assert (shown, texts, calls) == ([], ["Hello there."], 1)


async def test_a_long_one_grows_into_further_messages() -> None:
    _, texts, _ = await written(["word " * 300 + "\n\n"] * 4, interval=0)
    assert len(texts) == 4
    assert all(len(text) <= 2000 for text in texts)


async def test_an_answer_to_a_message_that_was_deleted_meanwhile_is_given_all_the_same() -> None:
    async with acting() as scene:
        assert await scene.ask("hello") == "I see."
        (request,) = [one for one in scene.env.http_requests if one.json and "message_reference" in one.json]
    assert request.json["message_reference"]["fail_if_not_exists"] is False


def test_an_export_that_is_larger_than_discord_takes_is_compressed() -> None:
    small, large = File("memory.json", "[]"), File("memory.json", "I like green tea. " * 1_000_000)
    assert (attachment(small).filename, attachment(small).fp.read()) == ("memory.json", b"[]")
    sent = attachment(large)
    data = sent.fp.read()
    assert sent.filename == "memory.json.gz"
    assert len(data) <= discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES
    assert gzip.decompress(data).decode() == large.text
