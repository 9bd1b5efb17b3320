"""Rolling summaries: the previous one and what was said since become the next, in the background.

A summary that was overtaken or reset while its model was asked is thrown away; one that fails leaves the last one.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.core.clock import Clock
from recollect.core.errors import ModelUnavailable
from recollect.core.events import Event
from recollect.core.ports import GeneratedText, Model, StaleResult, Store, Tx, UnitOfWork, Usage
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.text import clip, cut
from recollect.core.types import Message, Place, Summary, message_ref, parse_message_ref
from recollect.learning.schedule import late_messages_key, summary_key
from recollect.policy.redaction import redact
from recollect.policy.rendering import render_message
from recollect.policy.viewer import session_name
from recollect.policy.visibility import is_forgotten
from recollect.recall import withheld
from recollect.recall.display_names import Names

log = logging.getLogger("recollect.learning")

FIRST = 60
"""Messages that the first summary of a session looks back on."""
PAGE = 200
"""Messages that one summary takes in at the most; the rest follows in another."""
ROOM = 6_000
"""Characters of an exchange that a model is given at once."""
_DATA = re.compile(r"(?:```\w*\s*)?(?:\{|\[\s*[\[{\"\]])")
"""How JSON begins, and no summary does: `[Ann] says` is one, `["Ann"]` is not."""


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """How summaries are made: settings, as far as they concern it."""

    limit: int = 2000
    reply_chars: int = 500
    timeout: float = 30.0
    enabled: bool = True
    """Otherwise what waits from before is dropped."""


@dataclass(frozen=True, slots=True)
class _Page:
    """What the next summary rests on."""

    session: str
    previous: Summary | None
    sequence: int
    messages: Sequence[Message]
    through: datetime | None
    """Time of the last message that is covered; what came late moves nothing back."""
    full: bool = False
    """There may be more to follow."""
    late: Sequence[str] = ()
    """Messages that came after the summary of their time, by platform and id, as far as they were looked at."""


class Summarizer:
    """Does the jobs of the kind `summarize`."""

    def __init__(
        self, store: Store, model: Model, form: SummaryOptions, clock: Clock, names: Names | None = None
    ) -> None:
        self._store = store
        self._model = model
        self._form = form
        self._clock = clock
        self._names = names or Names()

    async def __call__(self, job: Job) -> UnitOfWork:
        if not self._form.enabled:
            return _nothing
        page = await self._store.read(lambda tx: self._look(tx, job))
        if not page.messages:
            return _nothing
        text = page.previous.text if page.previous else ""
        usage = Usage()
        for exchange in exchanges(page.messages, self._form.reply_chars):
            written = await self._next(text or None, exchange)
            text, usage = written.text or text, _sum(usage, written.usage)
            if _is_babble(written):
                return partial(self._leave, job=job, page=page, usage=usage)
        return partial(self._complete, job=job, page=page, written=GeneratedText(text, usage))

    def _look(self, tx: Tx, job: Job) -> _Page:
        page = _page(tx, job)
        return replace(page, messages=self._names.tagged(tx, page.messages))

    async def _next(self, previous: str | None, exchange: str) -> GeneratedText:
        """The next summary within its limit: recompressed once when it is over, and cut when it still is."""
        limit = self._form.limit
        first = await self._asked(self._model.summarize(previous, exchange, limit))
        if len(first.text) <= limit:
            return first
        shorter = await self._asked(self._model.shorten(first.text, limit))
        text = first.text if _is_babble(shorter) else shorter.text or first.text
        return GeneratedText(cut(text, limit), _sum(first.usage, shorter.usage))

    async def _asked(self, answer: Awaitable[GeneratedText]) -> GeneratedText:
        try:
            async with asyncio.timeout(self._form.timeout):
                written = await answer
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {self._form.timeout:.0f} s") from error
        return replace(written, text=redact(written.text.strip()).text)

    def _complete(self, tx: Tx, job: Job, page: _Page, written: GeneratedText) -> None:
        for message in page.messages:
            now = tx.messages.get(message.place.platform, message.id)
            if now is None or now.text != message.text:
                raise StaleResult
        moment = self._clock()
        if written.text:
            summary = Summary(page.session, written.text, page.sequence + 1, moment, page.through)
            missed = _missed(tx, job, page)
            if not tx.summaries.save(summary):
                log.info("a newer summary of %s is there, or it was reset; this one is dropped", page.session)
                return
            _keep_late(tx, page, missed)
            tx.events.add(Event("summary.saved", moment, self._model.name, page.session))
        self._log_cost(tx, page, written.usage)
        if page.full or len(page.late) >= PAGE:
            key = summary_key(page.session)
            tx.jobs.add(NewJob(job.kind, job.queue, job.payload, moment, key, job.tenant))

    def _leave(self, tx: Tx, job: Job, page: _Page, usage: Usage) -> None:
        """Keep the last summary and where it ends: what was said since is taken in when the next one is made."""
        reason = "the model wrote no summary; the last one stays"
        log.warning("%s of %s: %s", job.kind, page.session, reason)
        tx.events.add(Event(f"{job.kind}.error", self._clock(), self._model.name, page.session, reason=reason))
        self._log_cost(tx, page, usage)

    def _log_cost(self, tx: Tx, page: _Page, usage: Usage) -> None:
        if usage.requests:
            cost = {"input": usage.input, "output": usage.output, "requests": usage.requests}
            tx.events.add(Event("summary.call", self._clock(), self._model.name, page.session, data=cost))


def _is_babble(written: GeneratedText) -> bool:
    """Whether a model that was really asked wrote nothing, or data instead of a text."""
    return bool(written.usage.requests) and (not written.text or _DATA.match(written.text) is not None)


def _page(tx: Tx, job: Job) -> _Page:
    user = job.payload.get("user")
    place = Place(**job.payload["place"])
    session = session_name(place, user)
    previous = _previous(tx, session)
    waiting = tx.state.items(late_messages_key(session))[:PAGE]
    since = None if previous is None else previous.through or previous.updated
    came_late = [] if since is None else _late(tx, waiting, since)
    page = _Page(session, previous, tx.summaries.sequence(session), (), since, late=waiting)
    while True:
        found = _after(tx, place, page.through if previous else None)
        full, through = len(found) >= PAGE, found[-1].at if found else page.through
        page = replace(page, messages=_told(tx, user, [*came_late, *found]), through=through, full=full)
        if page.messages or not full:
            return page


def _after(tx: Tx, place: Place, since: datetime | None) -> list[Message]:
    return tx.messages.recent(place, FIRST) if since is None else tx.messages.after(place, since, PAGE)


def _told(tx: Tx, user: str | None, messages: Sequence[Message]) -> list[Message]:
    """What a summary is made of: without messages of which all is forgotten, and what was answered to them."""
    own = messages if user is None else _of(user, messages)
    gone = {one.id for one in own if is_forgotten(tx.memos.from_message(one.place.platform, one.id))}
    told = [one for one in own if one.id not in gone and one.reply_to not in gone]
    return withheld.shown(tx, withheld.gather(tx, told[-1].place, (), told), told) if told else []


def _previous(tx: Tx, session: str) -> Summary | None:
    """The last summary, without what was forgotten or taken back since; it stands even when nothing is left of it."""
    found = tx.summaries.get(session)
    return None if found is None else replace(found, text=withheld.of_session(tx, session).without(found.text))


def _late(tx: Tx, waiting: Sequence[str], since: datetime) -> list[Message]:
    """Those that came after the summary of their time, in order; newer ones come by themselves."""
    found = [tx.messages.get(*parse_message_ref(one)) for one in waiting]
    return sorted((one for one in found if one is not None and one.at <= since), key=lambda one: one.at)


def _missed(tx: Tx, job: Job, page: _Page) -> list[Message]:
    """What came while the model was asked and is older than the end of its page: later pages begin after that."""
    last, user = page.messages[-1], job.payload.get("user")
    since = None if page.previous is None else page.previous.through or page.previous.updated
    found = _told(tx, user, _after(tx, last.place, since))
    seen, through = {one.id for one in page.messages}, page.through or last.at
    return [one for one in found if one.id not in seen and one.at <= through]


def _keep_late(tx: Tx, page: _Page, missed: Sequence[Message]) -> None:
    """Late ones that were taken in are no longer; those that came meanwhile are."""
    newer = [one for one in tx.state.clear(late_messages_key(page.session)) if one not in page.late]
    for one in dict.fromkeys((*newer, *map(message_ref, missed))):
        tx.state.append(late_messages_key(page.session), one)


def _of(user: str, messages: Sequence[Message]) -> list[Message]:
    """What one user said, and what was answered to it."""
    own = {message.id for message in messages if message.author == user}
    return [message for message in messages if message.id in own or message.reply_to in own]


def exchanges(messages: Sequence[Message], reply_chars: int) -> list[str]:
    """The messages as lines, `[Name]: text`, in pieces that a model can be given; a reply is cut short."""
    pieces: list[str] = []
    for message in messages:
        line = _line(message, reply_chars)
        if pieces and len(pieces[-1]) + len(line) < ROOM:
            pieces[-1] += f"\n{line}"
        elif line:
            pieces.append(line)
    return pieces


def _line(message: Message, reply_chars: int) -> str:
    if not message.bot:
        return clip(render_message(message), ROOM)
    answer = render_message(replace(message, name="Bot", text=message.text))
    return clip(answer, reply_chars + len("[Bot]: ")) if reply_chars else ""


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(one.requests + other.requests, one.input + other.input, one.output + other.output)


def _nothing(tx: Tx) -> None:
    """There was nothing to summarise."""
    del tx
