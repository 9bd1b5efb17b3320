"""A streamed reply: sent once there is something to read, edited as it grows, split where it gets too long."""

import asyncio
import gzip
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from io import BytesIO

import aiohttp
import discord

from recollect.faces.commands.request import File
from recollect.faces.discord.permissions import own_permissions
from recollect.faces.discord.splitting import split

log = logging.getLogger("recollect.discord")

EDIT_INTERVAL_SECONDS = 1.5
"""Discord allows about five edits in five seconds per channel."""


class StreamedReply:
    """The messages of one reply. A failed update is repeated at the end."""

    def __init__(self, to: discord.Message, interval: float = EDIT_INTERVAL_SECONDS) -> None:
        self._to = to
        self._interval = interval
        self._text = ""
        self._sent: list[tuple[discord.Message, str]] = []
        self._push_task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_push_time = asyncio.get_running_loop().time()

    def append(self, piece: str) -> None:
        """Add a piece of the reply; displayed at once, or when the interval since the last edit has passed."""
        self._text += piece
        if self._text.strip() and self._timer is None and (self._push_task is None or self._push_task.done()):
            self._schedule_push()

    def clear(self) -> None:
        """Begin anew; what was displayed is replaced by what comes."""
        self._text = ""

    def _schedule_push(self) -> None:
        loop = asyncio.get_running_loop()
        wait = self._last_push_time + self._interval - loop.time()
        if wait > 0:
            self._timer = loop.call_later(wait, self._start_push)
        else:
            self._start_push()

    def _start_push(self) -> None:
        self._timer = None
        self._push_task = asyncio.create_task(self._push_in_background())

    async def finish(self, text: str) -> list[discord.Message]:
        """Display the final text; returns its messages."""
        # An edit in progress would overwrite the final text.
        await self.wait_displayed()
        if self._timer is not None:
            self._timer.cancel()
        pages = split(text)
        await self._push(pages)
        # The final text may be shorter than what was streamed.
        for message, _ in self._sent[len(pages) :]:
            await message.delete()
        del self._sent[len(pages) :]
        return [message for message, _ in self._sent]

    async def wait_displayed(self) -> None:
        """Wait until the update in progress is done."""
        if self._push_task is not None:
            await asyncio.wait([self._push_task])

    async def _push_in_background(self) -> None:
        text = self._text
        try:
            await self._push(split(text))
        except (discord.HTTPException, OSError, RuntimeError) as error:  # RuntimeError: the connection is closed
            log.info("cannot update a reply while it is written: %s", error)
        self._last_push_time = asyncio.get_running_loop().time()
        if self._text != text and self._interval > 0:  # more arrived meanwhile; the next piece may take a while
            self._schedule_push()

    async def _push(self, pages: list[str]) -> None:
        for index, page in enumerate(pages):
            if index >= len(self._sent):
                self._sent.append((await self._send(page), page))
            # Unchanged pages cost no request: Discord limits edits.
            elif self._sent[index][1] != page:
                message = await self._sent[index][0].edit(content=page)
                self._sent[index] = (message, page)

    async def _send(self, page: str) -> discord.Message:
        return await send(self._to, page, follows=bool(self._sent))


def attachment(file: File) -> discord.File:
    """A file to send; compressed if it is larger than what Discord takes."""
    data = file.text.encode()
    if len(data) <= discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES:
        return discord.File(BytesIO(data), file.name)
    return discord.File(BytesIO(gzip.compress(data)), f"{file.name}.gz")


async def send(
    to: discord.Message, page: str, *, follows: bool = False, file: discord.File | None = None
) -> discord.Message:
    """Send a page in answer to a message; the first page refers to it, unless it was deleted."""
    files = [] if file is None else [file]
    if follows:
        return await to.channel.send(page, files=files)
    reference = to.to_reference(fail_if_not_exists=False)
    try:
        return await to.channel.send(page, files=files, reference=reference, mention_author=False)
    except discord.HTTPException as error:
        # A reference may be refused (a system message, for one); an answer without it is better than none.
        if error.status != HTTPStatus.BAD_REQUEST or files:
            raise
        log.info("answering %s without a reference to it: %s", to.id, error)
        return await to.channel.send(page)


def may_write(to: discord.Message) -> bool:
    """Whether the bot may answer a message in its channel; where its permissions are unknown, it tries."""
    allowed = own_permissions(to.channel)
    if allowed is None:
        return True
    return allowed.send_messages_in_threads if isinstance(to.channel, discord.Thread) else allowed.send_messages


def is_passing(error: Exception) -> bool:
    """Whether a request may work later: Discord, or the way to it, has trouble. Otherwise Discord refuses it."""
    if isinstance(error, discord.HTTPException):
        return error.status == HTTPStatus.TOO_MANY_REQUESTS or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return isinstance(error, aiohttp.ClientError | OSError | discord.RateLimited)


@asynccontextmanager
async def typing(channel: discord.abc.Messageable) -> AsyncGenerator[None]:
    """Show the typing indicator, where that is allowed."""
    indicator = channel.typing()
    try:
        await indicator.__aenter__()
    except (discord.HTTPException, OSError) as error:
        log.info("cannot show the typing indicator: %s", error)
        yield
        return
    try:
        yield
    finally:
        await indicator.__aexit__(None, None, None)
