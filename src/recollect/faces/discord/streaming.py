"""A reply as it is written: sent once there is something to read, edited as it grows, cut where it gets too long."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import discord

from recollect.faces.discord.splitting import split

log = logging.getLogger("recollect.discord")

EVERY = 1.5
"""Seconds between two edits: Discord allows about five in five seconds to a channel."""


class StreamedReply:
    """The messages of one reply. What can't be sent meanwhile is sent in the end."""

    def __init__(self, to: discord.Message, every: float = EVERY) -> None:
        self._to = to
        self._every = every
        self._text = ""
        self._sent: list[tuple[discord.Message, str]] = []
        self._pushing: asyncio.Task[None] | None = None
        self._waiting: asyncio.TimerHandle | None = None
        self._last = asyncio.get_running_loop().time()

    def append(self, piece: str) -> None:
        """Some more of it; shown at once, or as soon as what was shown last stood for a moment."""
        self._text += piece
        if self._text.strip() and self._waiting is None and (self._pushing is None or self._pushing.done()):
            self._show_soon()

    def _show_soon(self) -> None:
        loop = asyncio.get_running_loop()
        wait = self._last + self._every - loop.time()
        if wait > 0:
            self._waiting = loop.call_later(wait, self._show)
        else:
            self._show()

    def _show(self) -> None:
        self._waiting = None
        self._pushing = asyncio.create_task(self._push_quietly())

    async def finish(self, text: str) -> list[discord.Message]:
        """The whole of it, as it shall stand; the messages that hold it."""
        await self.is_complete()
        if self._waiting is not None:
            self._waiting.cancel()
        pages = split(text)
        await self._push(pages)
        for message, _ in self._sent[len(pages) :]:
            await message.delete()
        return [message for message, _ in self._sent[: len(pages)]]

    async def is_complete(self) -> None:
        """Wait until what is being shown is shown."""
        if self._pushing is not None:
            await asyncio.wait([self._pushing])

    async def _push_quietly(self) -> None:
        shown = self._text
        try:
            await self._push(split(shown))
        except (discord.HTTPException, OSError, RuntimeError) as error:  # the last when the connection was closed
            log.info("a reply can't be shown while it is written: %s", error)
        self._last = asyncio.get_running_loop().time()
        if self._text != shown and self._every > 0:  # more came meanwhile, and perhaps nothing comes for a while
            self._show_soon()

    async def _push(self, pages: list[str]) -> None:
        for number, page in enumerate(pages):
            if number >= len(self._sent):
                self._sent.append((await self._send(page), page))
            elif self._sent[number][1] != page:
                message = await self._sent[number][0].edit(content=page)
                self._sent[number] = (message, page)

    async def _send(self, page: str) -> discord.Message:
        return await send(self._to, page, follows=bool(self._sent))


async def send(
    to: discord.Message, page: str, *, follows: bool = False, file: discord.File | None = None
) -> discord.Message:
    """Say a page in answer to a message; the first one points at it, unless it is gone."""
    files = [] if file is None else [file]
    if follows:
        return await to.channel.send(page, files=files)
    return await to.channel.send(
        page, files=files, reference=to.to_reference(fail_if_not_exists=False), mention_author=False
    )


@asynccontextmanager
async def typing(channel: discord.abc.Messageable) -> AsyncGenerator[None]:
    """Show that an answer is on its way, where that is allowed."""
    indicator = channel.typing()
    try:
        await indicator.__aenter__()
    except (discord.HTTPException, OSError) as error:
        log.info("typing can't be shown: %s", error)
        yield
        return
    try:
        yield
    finally:
        await indicator.__aexit__(None, None, None)
