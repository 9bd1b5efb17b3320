"""Rolling summaries: the previous one and the messages since become the next, in the background.

A result that was overtaken or reset meanwhile is dropped; a failure leaves the last summary in place.
"""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from recollect.core.clock import Clock
from recollect.core.errors import ModelTimeout
from recollect.core.events import Event, EventKind
from recollect.core.ports import GeneratedText, Model, StaleResult, Store, Tx, UnitOfWork, Usage
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.reasons import Reason
from recollect.core.state import Owner, StateKind
from recollect.core.text import clip, cut
from recollect.core.types import Message, Place, Summary, bare_id, message_ref
from recollect.jobs.time_limit import TimeLimit
from recollect.learning.batches import existing_messages
from recollect.learning.budget import NO_LIMIT, TokenBudget
from recollect.learning.schedule import summary_key
from recollect.learning.token_usage import total_usage
from recollect.policy.guard.summaries import MAX_OVERLENGTH, CheckedSummary, check_summary
from recollect.policy.redaction import redact
from recollect.policy.rendering import render_message, speaker
from recollect.policy.viewer import session_name
from recollect.policy.visibility import audience_covers_place, is_forgotten
from recollect.recall import withheld
from recollect.recall.display_names import Names
from recollect.recall.summaries import latest_for

log = logging.getLogger("recollect.learning")

FIRST_SUMMARY_MESSAGES = 60
"""Messages that the first summary of a session covers."""
MAX_MESSAGES_PER_SUMMARY = 200
"""Further messages follow in another summary."""
MAX_EXCHANGE_CHARS = 6_000
"""Characters per model call."""
POLL_INTERVAL_SECONDS = 0.05
"""Interval at which prompts that wait for a summary look for it."""


@dataclass(frozen=True, slots=True)
class SummaryOptions:
    """The settings that concern summaries."""

    limit: int = 2000
    reply_chars: int = 500
    timeout: float = 30.0
    enabled: bool = True
    """When off, jobs that are already queued are dropped."""
    budget: TokenBudget = NO_LIMIT
    assistant: str = "Bot"
    """The assistant's name in summarized conversations."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The input of the next summary."""

    session: str
    place: Place
    """The place as of the last message: only what everyone there could hear is summarized."""
    previous: Summary | None
    sequence: int
    messages: Sequence[Message]
    through: datetime | None
    """Time of the last covered message; late messages don't move it back."""
    full: bool = False
    """Whether more messages may follow."""
    late: Sequence[str] = ()
    """References of the late messages that were read."""


class Summarizer:
    """Handles the jobs that update rolling summaries."""

    def __init__(
        self, store: Store, model: Model, options: SummaryOptions, clock: Clock, names: Names | None = None
    ) -> None:
        self._store = store
        self._model = model
        self._options = options
        self._limit = TimeLimit(options.timeout)
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
        reason: Reason | None = None
        for exchange in exchanges(page.messages, self._options.reply_chars, self._options.assistant):
            generated = await self._next_summary(text or None, exchange)
            checked = self._check(generated, f"{text}\n{exchange}", page)
            usage, reason = total_usage(usage, generated.usage), reason or checked.reason
            # Nothing is saved, so the same messages are read again by the next attempt.
            if not checked.text and generated.usage.requests:
                return partial(self._keep_last, job=job, page=page, usage=usage, reason=reason or Reason.NO_SUMMARY)
            text = checked.text or text
        return partial(self._complete, job=job, page=page, written=GeneratedText(text, usage), reason=reason)

    def _check(self, generated: GeneratedText, said: str, page: _Page) -> CheckedSummary:
        """The grounded part of a summary; one without a model call consists of the messages' own words."""
        if not generated.usage.requests:
            return CheckedSummary(generated.text)
        return check_summary(generated.text, said, page.messages[-1].at.date(), self._options.limit)

    def _read_page(self, tx: Tx, job: Job) -> _Page:
        page = _page(tx, job)
        return replace(page, messages=self._names.tagged(tx, page.messages))

    async def _next_summary(self, previous: str | None, exchange: str) -> GeneratedText:
        """The next summary within its limit: shortened by the model once, and cut if it is still too long."""
        limit = self._options.limit
        first = await self._ask(self._model.summarize(previous, exchange, limit))
        # Far too long is no summary: shortening it would cost a call for nothing.
        if not limit < len(first.text) <= MAX_OVERLENGTH * limit:
            return first
        shorter = await self._ask(self._model.shorten(first.text, limit))
        is_unusable = check_summary(shorter.text, first.text, self._clock().date(), limit).text != shorter.text
        text = first.text if is_unusable else shorter.text or first.text
        return GeneratedText(cut(text, limit), total_usage(first.usage, shorter.usage))

    async def _ask(self, answer: Awaitable[GeneratedText]) -> GeneratedText:
        seconds, started = self._limit.seconds, asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(seconds):
                generated = await answer
        except TimeoutError as error:
            self._limit.add_timeout()
            raise ModelTimeout(f"no answer within {seconds:.0f} s") from error
        usage = replace(generated.usage, seconds=asyncio.get_running_loop().time() - started)
        return replace(generated, text=redact(generated.text.strip()).text, usage=usage)

    def _complete(self, tx: Tx, job: Job, page: _Page, written: GeneratedText, reason: Reason | None) -> None:
        for message in page.messages:
            now = tx.messages.get(message.place.platform, message.id)
            # A summary of words that were edited or deleted during the call would keep them.
            if now is None or now.text != message.text:
                raise StaleResult
        moment = self._clock()
        if written.text:
            summary = Summary(page.session, written.text, page.sequence + 1, moment, page.through, page.place.audience)
            # Before saving: afterwards the summary's own end would hide them.
            missed = _missed_messages(tx, job, page)
            if not tx.summaries.save(summary):
                log.info("a newer summary of %s is there, or it was reset; this one is dropped", page.session)
                return
            _update_late(tx, page, missed)
            tx.events.add(Event(EventKind.SUMMARY_SAVED, moment, self._model.name, page.session))
        if reason is not None:  # the rest is kept
            tx.events.add(Event(EventKind.SUMMARIZE_ERROR, moment, self._model.name, page.session, reason=reason))
        self._log_cost(tx, job, page, written.usage)
        if page.full or len(page.late) >= MAX_MESSAGES_PER_SUMMARY:
            key = summary_key(page.session)
            tx.jobs.add(NewJob(job.kind, job.queue, job.payload, moment, key, job.tenant))

    def _keep_last(self, tx: Tx, job: Job, page: _Page, usage: Usage, reason: Reason) -> None:
        """Leave the last summary in place; the next attempt covers the messages since."""
        error = Event(EventKind.SUMMARIZE_ERROR, self._clock(), self._model.name, page.session, reason=reason)
        log.warning("%s of %s: %s", job.kind, page.session, error.text)
        tx.events.add(error)
        self._log_cost(tx, job, page, usage)

    def _log_cost(self, tx: Tx, job: Job, page: _Page, usage: Usage) -> None:
        self._options.budget.spend(tx, job.tenant, usage, self._clock())
        if usage.requests:
            cost = {"input": usage.input, "output": usage.output, "requests": usage.requests}
            cost |= {"seconds": round(usage.seconds, 2)}
            tx.events.add(Event(EventKind.SUMMARY_CALL, self._clock(), self._model.name, page.session, data=cost))


async def wait_for_summary(store: Store, session: str, clock: Clock, timeout: float) -> None:
    """Wait until no summary of the session is due, for so many seconds at most."""

    def is_due(tx: Tx) -> bool:
        due = tx.jobs.due(summary_key(session))
        return due is not None and due <= clock()

    with suppress(TimeoutError):
        async with asyncio.timeout(timeout):
            while await store.read(is_due):  # noqa: ASYNC110 - another process may write it
                await asyncio.sleep(POLL_INTERVAL_SECONDS)


def _page(tx: Tx, job: Job) -> _Page:
    user = job.payload.get("user")
    place = Place(**job.payload["place"])
    newest = tx.messages.recent(place, 1)
    # The job may be older than the last change of who can read the channel.
    place = newest[-1].place if newest else place
    session = session_name(place, user)
    previous = _previous_summary(tx, session, place)
    waiting = tx.state.items(StateKind.LATE_MESSAGES, session)[:MAX_MESSAGES_PER_SUMMARY]
    since = None if previous is None else previous.through or previous.updated
    came_late = [] if since is None else _late_messages(tx, waiting, since)
    page = _Page(session, place, previous, tx.summaries.sequence(session), (), since, late=waiting)
    while True:
        messages = _messages_after(tx, place, page.through if previous else None)
        full, through = len(messages) >= MAX_MESSAGES_PER_SUMMARY, messages[-1].at if messages else page.through
        visible = _visible_messages(tx, user, place, [*came_late, *messages])
        page = replace(page, messages=visible, through=through, full=full)
        # A page of hidden messages only is skipped, or the summary would never get past it.
        if page.messages or not full:
            return page


def _messages_after(tx: Tx, place: Place, since: datetime | None) -> list[Message]:
    return (
        tx.messages.recent(place, FIRST_SUMMARY_MESSAGES)
        if since is None
        else tx.messages.after(place, since, MAX_MESSAGES_PER_SUMMARY)
    )


def _visible_messages(tx: Tx, user: str | None, place: Place, messages: Sequence[Message]) -> list[Message]:
    """The messages to summarize: those that everyone in the place could hear, without forgotten ones and the replies
    to them.
    """
    messages = [message for message in messages if audience_covers_place(message.place.audience, place)]
    turns = messages if user is None else _turns_of(tx, user, messages)
    forgotten = {
        message.id for message in turns if is_forgotten(tx.memos.from_message(message.place.platform, message.id))
    }
    visible = [message for message in turns if message.id not in forgotten and message.reply_to not in forgotten]
    return (
        withheld.visible_messages(tx, withheld.collect(tx, visible[-1].place, (), visible), visible) if visible else []
    )


def _previous_summary(tx: Tx, session: str, place: Place) -> Summary | None:
    """The last summary that may be told here, without what is withheld; it counts even when no text remains."""
    stored = latest_for(tx, session, place)
    return None if stored is None else replace(stored, text=withheld.of_session(tx, session).without(stored.text))


def _late_messages(tx: Tx, references: Sequence[str], since: datetime) -> list[Message]:
    """The late messages in order; newer ones are read anyway."""
    messages = existing_messages(tx, references)
    return sorted((message for message in messages if message.at <= since), key=lambda message: message.at)


def _missed_messages(tx: Tx, job: Job, page: _Page) -> list[Message]:
    """Messages that arrived during the model call but are older than the end of its page."""
    last, user = page.messages[-1], job.payload.get("user")
    since = None if page.previous is None else page.previous.through or page.previous.updated
    messages = _visible_messages(tx, user, page.place, _messages_after(tx, last.place, since))
    seen, through = {message.id for message in page.messages}, page.through or last.at
    return [message for message in messages if message.id not in seen and message.at <= through]


def _update_late(tx: Tx, page: _Page, missed: Sequence[Message]) -> None:
    """Remove covered messages from the late list, and add those that arrived meanwhile."""
    tx.state.remove(StateKind.LATE_MESSAGES, page.session, page.late)
    for reference in map(message_ref, missed):
        tx.state.append(StateKind.LATE_MESSAGES, page.session, reference, Owner.of_session(page.session))


def _turns_of(tx: Tx, user: str, messages: Sequence[Message]) -> list[Message]:
    """One user's messages and the replies to them; a reply may come after its question was summarized."""

    def is_own(message: Message | None) -> bool:
        return message is not None and message.author == bare_id(message.place.platform, user)

    def answers(message: Message) -> bool:
        return message.reply_to is not None and is_own(tx.messages.get(message.place.platform, message.reply_to))

    return [message for message in messages if is_own(message) or answers(message)]


def exchanges(messages: Sequence[Message], reply_chars: int, assistant: str = "Bot") -> list[str]:
    """The messages as lines, `[Name]: text`, in chunks of one model call each; replies are shortened."""
    pieces: list[str] = []
    for message in messages:
        line = _line(message, reply_chars, assistant)
        if pieces and len(pieces[-1]) + len(line) < MAX_EXCHANGE_CHARS:
            pieces[-1] += f"\n{line}"
        elif line:
            pieces.append(line)
    return pieces


def _line(message: Message, reply_chars: int, assistant: str) -> str:
    if not message.bot:
        return clip(render_message(message), MAX_EXCHANGE_CHARS)
    answer = replace(message, name=assistant)
    return clip(render_message(answer), reply_chars + len(f"[{speaker(answer)}]: ")) if reply_chars else ""


def _no_work(tx: Tx) -> None:
    """There was nothing to summarize."""
    del tx
