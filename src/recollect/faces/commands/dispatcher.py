"""`ChatCommands`: a chat message in, the answer out, in pages. Commands of one user run one at a time, in order."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from weakref import WeakValueDictionary

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError, VersionConflict
from recollect.core.types import Place
from recollect.faces import outcome_text
from recollect.faces.commands import change, erase, relearn, show, why
from recollect.faces.commands.help import help_text, unknown
from recollect.faces.commands.parse import parse
from recollect.faces.commands.request import CommandRequest, File, Reply
from recollect.faces.wording import say
from recollect.memory import AsyncMemory

log = logging.getLogger("recollect.commands")

PAGE_CHARS = 2000
"""Discord's limit."""


def pages(text: str, limit: int) -> tuple[str, ...]:
    """The text in pages of at most `limit` characters; empty pages are left out."""
    complete: list[str] = []
    page = ""
    for line in text.splitlines():
        for piece in _pieces(line, limit):
            longer = f"{page}\n{piece}" if page else piece
            if len(longer) > limit:
                complete.append(page)
                longer = piece
            page = longer
    return tuple(stripped for part in (*complete, page) if (stripped := part.strip("\n")))


def _pieces(line: str, limit: int) -> Iterator[str]:
    """The line in pieces, split between words where possible."""
    while len(line) > limit:
        space = line.rfind(" ", limit // 2, limit + 1)
        end = space if space > 0 else limit
        yield line[:end].rstrip()
        line = line[end:].lstrip()
    yield line


_HANDLERS: dict[str, Callable[[CommandRequest], Awaitable[str | Reply]]] = {
    "show": show.show,
    "list": show.list_,
    "search": show.search,
    "why": why.why,
    "remember": change.remember,
    "edit": change.edit,
    "forget": change.forget,
    "restore": change.restore,
    "forgotten": show.forgotten,
    "undo": change.undo,
    "redo": change.redo,
    "pin": change.pin,
    "unpin": change.unpin,
    "share": change.share,
    "private": change.private,
    "pause": change.pause,
    "resume": change.resume,
    "relearn": relearn.relearn,
    "reset": change.reset,
    "erase": erase.erase,
    "export": show.export,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain text in pages that fit where they are shown; an export also comes as one file."""

    pages: tuple[str, ...]
    file: File | None = None


class ChatCommands:
    """Runs `!memory …` for any face. `escape` disables markup in the text before it is split into pages."""

    def __init__(
        self,
        memory: AsyncMemory,
        limit: int = PAGE_CHARS,
        *,
        escape: Callable[[str], str] = str,
        clock: Clock = now,
        prefix: str = outcome_text.PREFIX,
    ) -> None:
        """`prefix` is how commands begin in the face; `!memory …` works in all of them."""
        if limit < 1:
            raise BadInput(f"a page of {limit} characters holds nothing")
        self._memory = memory
        self._limit = limit
        self._escape = escape
        self._clock = clock
        self.prefix = prefix
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def answer(self, text: str, *, user: str, place: Place, message_id: str | None = None) -> Answer | None:
        """The answer to a command; None when the text is none, or commands are switched off."""
        command = parse(text)
        if command is None or not self._memory.settings.chat_commands.enabled:
            return None
        request = CommandRequest(
            self._memory, user, place, command.words, self._clock(), message_id, self._limit, self.prefix
        )
        lock = self._locks.setdefault(user, asyncio.Lock())
        async with lock:
            reply = await self._reply(command.verb, request)
        return Answer(pages(self._escape(reply.text), self._limit), reply.file)

    async def _reply(self, verb: str, request: CommandRequest) -> Reply:
        try:
            reply = await self._run(verb, request)
        except (BadInput, VersionConflict) as error:
            return Reply(outcome_text.problem(error))
        except RecollectError as error:
            log.warning("!memory %s failed: %s", verb, error, exc_info=error)
            return Reply(say(outcome_text.OUT_OF_REACH))
        return Reply(reply) if isinstance(reply, str) else reply

    async def _run(self, verb: str, request: CommandRequest) -> str | Reply:
        injected = self._memory.settings.chat_commands.show == "injected"
        if verb == "help":
            return help_text(injected, request.prefix)
        handler = _HANDLERS.get(verb)
        return await handler(request) if handler is not None else unknown(verb, injected, request.prefix)
