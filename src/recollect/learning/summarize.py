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
from recollect.learning.schedule import late_messages_key
from recollect.policy.redaction import redact
from recollect.policy.rendering import render_message
from recollect.policy.viewer import session_name
from recollect.policy.visibility import is_forgotten
from recollect.recall import withheld
from recollect.recall.display_names import Names

log = logging.getLogger("recollect.learning")

FIRST_SUMMARY_MESSAGES = 60
"""Messages that the first summary of a session looks back on."""
MAX_MESSAGES_PER_SUMMARY = 200
"""Messages that one summary takes in at the most; the rest follows in another."""
MAX_EXCHANGE_CHARS = 6_000
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
    """Does the jobs of the kind `summarise`."""

    def __init__(
        self, store: Store, model: Model, options: SummaryOptions, clock: Clock, names: Names | None = None
    ) -> None:
        self._store = store
        self._model = model
        self._options = options
        self._clock = clock
        self._names = names or Names()

    async def __call__(self, job: Job) -> UnitOfWork:
        if not self._options.enabled:
            return _no_work
        page = await self._store.read(lambda tx: self._read_page(tx, job))
        if not page.messages:
            return _no_work
        text = page.previous.text if page.previous else ""
        usage = Usage()
        for exchange in exchanges(page.messages, self._options.reply_chars):
            generated = await self._next_summary(text or None, exchange)
            text, usage = generated.text or text, _sum(usage, generated.usage)
            if _is_unusable(generated):
                return partial(self._keep_last, job=job, page=page, usage=usage)
        return partial(self._complete, job=job, page=page, written=GeneratedText(text, usage))

    def _read_page(self, tx: Tx, job: Job) -> _Page:
        page = _page(tx, job)
        return replace(page, messages=self._names.tagged(tx, page.messages))

    async def _next_summary(self, previous: str | None, exchange: str) -> GeneratedText:
        """The next summary within its limit: recompressed once when it is over, and cut when it still is."""
        limit = self._options.limit
        first = await self._ask(self._model.summarize(previous, exchange, limit))
        if len(first.text) <= limit:
            return first
        shorter = await self._ask(self._model.shorten(first.text, limit))
        text = first.text if _is_unusable(shorter) else shorter.text or first.text
        return GeneratedText(cut(text, limit), _sum(first.usage, shorter.usage))

    async def _ask(self, answer: Awaitable[GeneratedText]) -> GeneratedText:
        try:
            async with asyncio.timeout(self._options.timeout):
                generated = await answer
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {self._options.timeout:.0f} s") from error
        return replace(generated, text=redact(generated.text.strip()).text)

    def _complete(self, tx: Tx, job: Job, page: _Page, written: GeneratedText) -> None:
        for message in page.messages:
            now = tx.messages.get(message.place.platform, message.id)
            if now is None or now.text != message.text:
                raise StaleResult
        moment = self._clock()
        if written.text:
            summary = Summary(page.session, written.text, page.sequence + 1, moment, page.through)
            missed = _missed_messages(tx, job, page)
            if not tx.summaries.save(summary):
                log.info("a newer summary of %s is there, or it was reset; this one is dropped", page.session)
                return
            _update_late(tx, page, missed)
            tx.events.add(Event("summary.saved", moment, self._model.name, page.session))
        self._log_cost(tx, page, written.usage)
        if page.full or len(page.late) >= MAX_MESSAGES_PER_SUMMARY:
            tx.jobs.add(NewJob(job.kind, job.queue, job.payload, moment, f"{job.kind}:{page.session}", job.queue))

    def _keep_last(self, tx: Tx, job: Job, page: _Page, usage: Usage) -> None:
        """Keep the last summary and where it ends: what was said since is taken in when the next one is made."""
        reason = "the model wrote no summary; the last one stays"
        log.warning("%s of %s: %s", job.kind, page.session, reason)
        tx.events.add(Event(f"{job.kind}.error", self._clock(), self._model.name, page.session, reason=reason))
        self._log_cost(tx, page, usage)

    def _log_cost(self, tx: Tx, page: _Page, usage: Usage) -> None:
        if usage.requests:
            cost = {"input": usage.input, "output": usage.output, "requests": usage.requests}
            tx.events.add(Event("summary.call", self._clock(), self._model.name, page.session, data=cost))


def _is_unusable(generated: GeneratedText) -> bool:
    """Whether a model that was really asked wrote nothing, or data instead of a text."""
    return bool(generated.usage.requests) and (not generated.text or _DATA.match(generated.text) is not None)


def _page(tx: Tx, job: Job) -> _Page:
    user = job.payload.get("user")
    place = Place(**job.payload["place"])
    session = session_name(place, user)
    previous = _previous_summary(tx, session)
    waiting = tx.state.items(late_messages_key(session))[:MAX_MESSAGES_PER_SUMMARY]
    since = None if previous is None else previous.through or previous.updated
    came_late = [] if since is None else _late_messages(tx, waiting, since)
    page = _Page(session, previous, tx.summaries.sequence(session), (), since, late=waiting)
    while True:
        messages = _messages_after(tx, place, page.through if previous else None)
        full, through = len(messages) >= MAX_MESSAGES_PER_SUMMARY, messages[-1].at if messages else page.through
        page = replace(page, messages=_visible_messages(tx, user, [*came_late, *messages]), through=through, full=full)
        if page.messages or not full:
            return page


def _messages_after(tx: Tx, place: Place, since: datetime | None) -> list[Message]:
    return (
        tx.messages.recent(place, FIRST_SUMMARY_MESSAGES)
        if since is None
        else tx.messages.after(place, since, MAX_MESSAGES_PER_SUMMARY)
    )


def _visible_messages(tx: Tx, user: str | None, messages: Sequence[Message]) -> list[Message]:
    """What a summary is made of: without messages of which all is forgotten, and what was answered to them."""
    turns = messages if user is None else _turns_of(user, messages)
    forgotten = {
        message.id for message in turns if is_forgotten(tx.memos.from_message(message.place.platform, message.id))
    }
    visible = [message for message in turns if message.id not in forgotten and message.reply_to not in forgotten]
    return withheld.shown(tx, withheld.gather(tx, visible[-1].place, (), visible), visible) if visible else []


def _previous_summary(tx: Tx, session: str) -> Summary | None:
    """The last summary, without what was forgotten or taken back since; it stands even when nothing is left of it."""
    stored = tx.summaries.get(session)
    return None if stored is None else replace(stored, text=withheld.of_session(tx, session).without(stored.text))


def _late_messages(tx: Tx, references: Sequence[str], since: datetime) -> list[Message]:
    """Those that came after the summary of their time, in order; newer ones come by themselves."""
    rows = [tx.messages.get(*parse_message_ref(row)) for row in references]
    return sorted((row for row in rows if row is not None and row.at <= since), key=lambda row: row.at)


def _missed_messages(tx: Tx, job: Job, page: _Page) -> list[Message]:
    """What came while the model was asked and is older than the end of its page: later pages begin after that."""
    last, user = page.messages[-1], job.payload.get("user")
    since = None if page.previous is None else page.previous.through or page.previous.updated
    messages = _visible_messages(tx, user, _messages_after(tx, last.place, since))
    seen, through = {message.id for message in page.messages}, page.through or last.at
    return [message for message in messages if message.id not in seen and message.at <= through]


def _update_late(tx: Tx, page: _Page, missed: Sequence[Message]) -> None:
    """Late ones that were taken in are no longer; those that came meanwhile are."""
    newer = [reference for reference in tx.state.clear(late_messages_key(page.session)) if reference not in page.late]
    for reference in dict.fromkeys((*newer, *map(message_ref, missed))):
        tx.state.append(late_messages_key(page.session), reference)


def _turns_of(user: str, messages: Sequence[Message]) -> list[Message]:
    """What one user said, and what was answered to it."""
    own_ids = {message.id for message in messages if message.author == user}
    return [message for message in messages if message.id in own_ids or message.reply_to in own_ids]


def exchanges(messages: Sequence[Message], reply_chars: int) -> list[str]:
    """The messages as lines, `[Name]: text`, in pieces that a model can be given; a reply is cut short."""
    pieces: list[str] = []
    for message in messages:
        line = _line(message, reply_chars)
        if pieces and len(pieces[-1]) + len(line) < MAX_EXCHANGE_CHARS:
            pieces[-1] += f"\n{line}"
        elif line:
            pieces.append(line)
    return pieces


def _line(message: Message, reply_chars: int) -> str:
    if not message.bot:
        return clip(render_message(message), MAX_EXCHANGE_CHARS)
    answer = render_message(replace(message, name="Bot", text=message.text))
    return clip(answer, reply_chars + len("[Bot]: ")) if reply_chars else ""


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(one.requests + other.requests, one.input + other.input, one.output + other.output)


def _no_work(tx: Tx) -> None:
    """There was nothing to summarise."""
    del tx
