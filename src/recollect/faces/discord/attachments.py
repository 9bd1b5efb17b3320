"""What a message carries besides its text: pictures, files, polls, stickers and forwards, which are named in the text.

Small text files and descriptions of pictures are the sender's words, and are read. Forwarded words are not: they are
someone else's, who may not have got the privacy notice. The text says what was not read.
"""

import asyncio
import logging
from collections.abc import Iterator, Mapping

import aiohttp
import discord

from recollect.core.text import clip, collapse_spaces
from recollect.faces.wording import say

log = logging.getLogger("recollect.discord")

MAX_FILES, MAX_FILE_BYTES, MAX_FILE_CHARS = 3, 64 * 1024, 4000
"""Text files that are read per message, their size, and how much of one is kept."""
MAX_NAME_CHARS = 80
READ_TIMEOUT_SECONDS = 5.0
TEXT_SUFFIXES = (".txt", ".md", ".csv", ".log", ".json", ".yaml", ".yml", ".rst")
NOT_READ = "I can't look into {}."
VERBS = {"video": "not watched", "audio": "not heard"}

Files = Mapping[int, str]
"""The text of each attachment that was read."""


async def read_files(message: discord.Message) -> dict[int, str]:
    """The small text files of a message; one that can't be read is left out."""
    texts: dict[int, str] = {}
    for attachment in _readable(message):
        try:
            async with asyncio.timeout(READ_TIMEOUT_SECONDS):
                content = await attachment.read()
            texts[attachment.id] = clip(content.decode("utf-8-sig").strip(), MAX_FILE_CHARS)
        except (discord.DiscordException, aiohttp.ClientError, OSError, UnicodeDecodeError) as error:
            log.info("the file %s of message %s is not read: %s", attachment.id, message.id, error)
    return texts


def attached_texts(message: discord.Message, files: Files) -> list[str]:
    """The sender's words besides the text: captions of pictures, and text files."""
    captions = [_caption(attachment) for attachment in message.attachments if _kind(attachment) == "image"]
    return [*filter(None, captions), *filter(None, files.values())]


def unread_attachments(message: discord.Message, files: Files) -> list[str]:
    """Attachments that are named but were not read, for people to whom no model replies."""
    names = [_name(attachment.filename) for attachment in message.attachments if attachment.id not in files]
    names = [] if message.flags.voice else names
    return [*names, *([say("the forwarded message")] if message.message_snapshots else [])]


def describe(message: discord.Message, files: Files) -> Iterator[str]:
    """A line for each thing that a message carries."""
    for attachment in () if message.flags.voice else message.attachments:  # the listener reports those
        yield _describe_attachment(attachment, files.get(attachment.id))
    for sticker in message.stickers:
        yield f"[sticker: {_name(sticker.name)}]"
    if message.poll is not None:
        answers = ", ".join(_name(answer.text) for answer in message.poll.answers)
        yield f"[poll: {_name(message.poll.question)} ({answers})]"
    for _ in message.message_snapshots:
        yield "[forwarded message, not read]"


def _describe_attachment(attachment: discord.Attachment, text: str | None) -> str:
    name, kind = _name(attachment.filename), _kind(attachment)
    if text is not None:
        return f"[file: {name}]\n{text}"
    if kind == "image":
        return f"[picture: {name}] {_caption(attachment)}".rstrip()
    label = kind if kind in VERBS else "file"
    return f"[{label}: {name}, {VERBS.get(kind, 'not read')}]"


def _kind(attachment: discord.Attachment) -> str:
    return (attachment.content_type or "").partition("/")[0]


def _caption(attachment: discord.Attachment) -> str:
    return clip(collapse_spaces(attachment.description or ""), MAX_FILE_CHARS)


def _readable(message: discord.Message) -> list[discord.Attachment]:
    return [attachment for attachment in message.attachments if _is_text(attachment)][:MAX_FILES]


def _is_text(attachment: discord.Attachment) -> bool:
    is_named_so = attachment.filename.casefold().endswith(TEXT_SUFFIXES)
    kind = attachment.content_type or ""
    return attachment.size <= MAX_FILE_BYTES and (is_named_so or kind.startswith("text/"))


def _name(text: str | None) -> str:
    """A name inside brackets, which it can't close."""
    return clip(collapse_spaces((text or "").replace("[", "(").replace("]", ")")), MAX_NAME_CHARS)
