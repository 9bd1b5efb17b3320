"""`Orders`: a chat message in, the answer out, in pages. A user's orders are done one by one, as they came."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from weakref import WeakValueDictionary

from recollect import replies
from recollect.clock import Clock, now
from recollect.errors import BadInput, RecollectError
from recollect.memory import Memory
from recollect.orders import changing, erasing, looking, origins
from recollect.orders.ask import Ask, File, Reply
from recollect.orders.guide import guide, unknown
from recollect.orders.order import parse
from recollect.orders.pages import pages
from recollect.types import Place

log = logging.getLogger("recollect.orders")

PAGE = 2000
"""Characters of a page: Discord's limit."""

_VERBS: dict[str, Callable[[Ask], Awaitable[str | Reply]]] = {
    "show": looking.show,
    "list": looking.list_,
    "search": looking.search,
    "why": origins.why,
    "remember": changing.remember,
    "forget": changing.forget,
    "undo": changing.undo,
    "pin": changing.pin,
    "unpin": changing.unpin,
    "share": changing.share,
    "private": changing.private,
    "pause": changing.pause,
    "resume": changing.resume,
    "reset": changing.reset,
    "erase": erasing.erase,
    "export": looking.export,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain text in pages, none too long for where it is shown; an export also comes as one file."""

    pages: tuple[str, ...]
    file: File | None = None


class Orders:
    """Carries out `!memory …` for any face. `escape` makes text harmless where it is shown, before pages are cut."""

    def __init__(
        self, memory: Memory, limit: int = PAGE, *, escape: Callable[[str], str] = str, clock: Clock = now
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
        if order is None or not self._memory.settings.commands.enabled:
            return None
        ask = Ask(self._memory, user, place, order.words, self._clock(), message_id, self._limit)
        turn = self._turns.setdefault(user, asyncio.Lock())
        async with turn:
            reply = await self._reply(order.verb, ask)
        return Answer(pages(self._escape(reply.text), self._limit), reply.file)

    async def _reply(self, verb: str, ask: Ask) -> Reply:
        try:
            reply = await self._carry_out(verb, ask)
        except BadInput as error:
            return Reply(replies.problem(error))
        except RecollectError as error:
            log.warning("!memory %s failed: %s", verb, error, exc_info=error)
            return Reply(replies.OUT_OF_REACH)
        return Reply(reply) if isinstance(reply, str) else reply

    async def _carry_out(self, verb: str, ask: Ask) -> str | Reply:
        injected = self._memory.settings.commands.show == "injected"
        if verb == "help":
            return guide(injected)
        work = _VERBS.get(verb)
        return await work(ask) if work is not None else unknown(verb, injected)
