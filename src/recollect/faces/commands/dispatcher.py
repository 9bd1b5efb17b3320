"""`Orders`: a chat message in, the answer out, in pages. A user's orders are done one by one, as they came."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from weakref import WeakValueDictionary

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError
from recollect.core.types import Place
from recollect.faces import outcome_text
from recollect.faces.commands import change, erase, show, why
from recollect.faces.commands.help import help_text, unknown
from recollect.faces.commands.parse import parse
from recollect.faces.commands.request import CommandRequest, File, Reply
from recollect.memory import AsyncMemory


def pages(text: str, limit: int) -> tuple[str, ...]:
    """The text in pages of at most so many characters each; an empty one is left out."""
    done: list[str] = []
    page = ""
    for line in text.splitlines():
        for piece in _pieces(line, limit):
            longer = f"{page}\n{piece}" if page else piece
            if len(longer) > limit:
                done.append(page)
                longer = piece
            page = longer
    return tuple(stripped for each in (*done, page) if (stripped := each.strip("\n")))


def _pieces(line: str, limit: int) -> Iterator[str]:
    """The line, or its parts, cut between words where that is possible."""
    while len(line) > limit:
        space = line.rfind(" ", limit // 2, limit + 1)
        end = space if space > 0 else limit
        yield line[:end].rstrip()
        line = line[end:].lstrip()
    yield line


log = logging.getLogger("recollect.commands")


PAGE = 2000
"""Characters of a page: Discord's limit."""


_VERBS: dict[str, Callable[[CommandRequest], Awaitable[str | Reply]]] = {
    "show": show.show,
    "list": show.list_,
    "search": show.search,
    "why": why.why,
    "remember": change.remember,
    "forget": change.forget,
    "undo": change.undo,
    "pin": change.pin,
    "unpin": change.unpin,
    "share": change.share,
    "private": change.private,
    "pause": change.pause,
    "resume": change.resume,
    "reset": change.reset,
    "erase": erase.erase,
    "export": show.export,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain text in pages, none too long for where it is shown; an export also comes as one file."""

    pages: tuple[str, ...]
    file: File | None = None


class ChatCommands:
    """Carries out `!memory …` for any face. `escape` makes text harmless where it is shown, before pages are cut."""

    def __init__(
        self, memory: AsyncMemory, limit: int = PAGE, *, escape: Callable[[str], str] = str, clock: Clock = now
    ) -> None:
        if limit < 1:
            raise BadInput(f"a page of {limit} characters holds nothing")
        self._memory = memory
        self._limit = limit
        self._escape = escape
        self._clock = clock
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def answer(self, text: str, *, user: str, place: Place, message_id: str | None = None) -> Answer | None:
        """The answer to an order; None when the text gives none, or orders are switched off."""
        order = parse(text)
        if order is None or not self._memory.settings.chat_commands.enabled:
            return None
        ask = CommandRequest(self._memory, user, place, order.words, self._clock(), message_id, self._limit)
        turn = self._turns.setdefault(user, asyncio.Lock())
        async with turn:
            reply = await self._reply(order.verb, ask)
        return Answer(pages(self._escape(reply.text), self._limit), reply.file)

    async def _reply(self, verb: str, ask: CommandRequest) -> Reply:
        try:
            reply = await self._carry_out(verb, ask)
        except BadInput as error:
            return Reply(outcome_text.problem(error))
        except RecollectError as error:
            log.warning("!memory %s failed: %s", verb, error, exc_info=error)
            return Reply(outcome_text.OUT_OF_REACH)
        return Reply(reply) if isinstance(reply, str) else reply

    async def _carry_out(self, verb: str, ask: CommandRequest) -> str | Reply:
        injected = self._memory.settings.chat_commands.show == "injected"
        if verb == "help":
            return help_text(injected)
        work = _VERBS.get(verb)
        return await work(ask) if work is not None else unknown(verb, injected)
