"""The opened parts of a memory, wired together. `View` implements the verbs on an engine."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, TypeVar

from recollect import learning
from recollect.app import Parts, close_if_unreachable
from recollect.bot_state import BotState
from recollect.core.clock import Clock
from recollect.core.errors import BadInput, RecollectError
from recollect.core.ports import Corpus, Filters, Tx
from recollect.core.state import StateKind
from recollect.core.types import Message, Place, Status, person_key
from recollect.inputs import LEARN_TIMEOUT_SECONDS, UserId, Words, messages_of
from recollect.jobs.worker import Worker
from recollect.learning.recently_removed import RecentlyRemoved
from recollect.policy.viewer import Viewer, session_name
from recollect.policy.visibility import VisibilityPolicy
from recollect.recall.timeline import Timeline
from recollect.recall.usage import UsageCounter
from recollect.settings import wiring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recollect.core.outcomes import Added, RelearnOutcome
    from recollect.core.ports import UnitOfWork
    from recollect.core.ports.jobs import Job
    from recollect.learning.apply import ChangeContext
    from recollect.learning.budget import ReplyBudget
    from recollect.learning.consolidate import Consolidator
    from recollect.learning.ingest import ExchangeLimits, LearnedOutcome
    from recollect.learning.relearn import Relearner, Selection
    from recollect.privacy.erase import PrivacyService
    from recollect.prompting.compose import Composer
    from recollect.recall.query import Hit, MemoSet
    from recollect.recall.search import Searcher

T = TypeVar("T")

log = logging.getLogger("recollect")

MAX_QUERY_CHARS = 4_000
"""Of a longer query, only the beginning and the end are searched."""
MAX_SPEAKERS = 10_000
"""People whose batches close when they address the assistant, or at shutdown; other people's batches close on time."""


class Engine:
    def __init__(self, parts: Parts, clock: Clock, prompt_timeout: float | None = None) -> None:
        self.parts, self._prompt_timeout = parts, prompt_timeout
        settings, store = parts.settings, parts.store
        self.store, self.vectors, self.settings, self.clock = store, parts.vectors, settings, clock
        self.write_monitor = parts.write_monitor
        self.names, self.mirror = parts.names, parts.mirror
        self.policy, self.schedule = VisibilityPolicy(settings.visibility), wiring.schedule(settings, parts.learner)
        self.removed = RecentlyRemoved(clock)
        self.usage, self.timeline = UsageCounter(store, clock), Timeline(store, self.names)
        self.bot_state = BotState(store)
        self.worker = parts.worker or Worker(store, {}, clock)
        self.runs_worker = parts.worker is not None
        """Whether this process learns, or leaves it to another."""
        self._speakers: set[str] = set()
        self._closing: set[asyncio.Task[None]] = set()

    @cached_property
    def composer(self) -> Composer:
        """Composes prompts. Created on first use, like the searcher: most commands need neither."""
        from recollect.prompting.compose import LAYERS_TIMEOUT_SECONDS, Composer

        options, lifetime = wiring.composer_options(self.settings), self.settings.search.cache_ttl
        timeout = LAYERS_TIMEOUT_SECONDS if self._prompt_timeout is None else self._prompt_timeout
        return Composer(self.parts.layers, self.parts.layout, options, lifetime, self.clock, timeout)

    @cached_property
    def _searcher(self) -> Searcher:
        from recollect.recall.reranking import Reranking
        from recollect.recall.search import Searcher

        reranker = self.parts.reranker
        reranking = None if reranker is None else Reranking(reranker, self.settings.rerank_timeout)
        return Searcher(self.store, self.vectors, self.usage, wiring.ranker, self.clock, reranking)

    @cached_property
    def exchange_limits(self) -> ExchangeLimits | None:
        return wiring.exchange_limits(self.settings, self.names)

    @cached_property
    def reply_budget(self) -> ReplyBudget:
        """The budget of replies to the people of a tenant."""
        return learning.budget.ReplyBudget(self.store, wiring.budget(self.settings), self.clock)

    @cached_property
    def privacy(self) -> PrivacyService:
        """Erases and exports."""
        hooks = self.search, self.mirror.catch_up, self.composer.clear, self.removed
        return wiring.privacy_service(self.store, self.settings, self.clock, *hooks)

    @property
    def consolidator(self) -> Consolidator:
        return self.parts.consolidator()

    @property
    def relearner(self) -> Relearner:
        return self.parts.relearner()

    def start(self) -> None:
        """Start background work, unless it is left to other processes."""
        if not self.runs_worker:
            return
        from recollect.privacy.planned_erasures import ERASE
        from recollect.privacy.retention import RETAIN

        async def erase(job: Job) -> UnitOfWork:
            return await self.privacy.erasures(job)

        async def retain(job: Job) -> UnitOfWork:
            return await self.privacy.retention(job)

        self.worker.add_handler(ERASE, erase)
        self.worker.add_handler(RETAIN, retain)
        self.worker.start()
        self.mirror.start()

    async def stop(self) -> None:
        # First: everything below writes, and would wait for the store one after the other.
        await close_if_unreachable(self.store)
        await asyncio.gather(*self._closing)
        # Before the worker stops, so that what was said in this session is learned.
        await self._close_batches(*self._speakers)
        await self.mirror.flush()
        await self.worker.close()
        if "composer" in self.__dict__:
            await self.composer.close()
        await self.usage.close()

    async def write(self, work: Callable[[Tx], T], *, is_complete: bool = False) -> T:
        """Commit, then wake the worker and the embedder, unless the work is complete: it has its vectors, and no jobs.
        Cached prompts need no invalidation: their key holds the generation.
        """
        outcome = await self.store.write(work)
        if not is_complete:
            self.wake()
        return outcome

    async def add(self, messages: Sequence[Message]) -> int:
        """Add messages in one transaction; returns how many are new: none where memory is switched off."""
        if not self.settings.enabled:
            return 0
        if any(not message.id.strip() for message in messages):
            raise BadInput("id= of a message is empty: its id is how it is known when it comes again")
        sanitized = [learning.ingest.sanitize(message) for message in messages]
        for message in sanitized:
            self.note_speaker(message)
        add = partial(
            learning.ingest.add_message,
            now=self.clock(),
            exchange_limits=self.exchange_limits,
            schedule=self.schedule,
            removed=self.removed,
        )
        replies = [(message.place.platform, message.id) for message in sanitized if message.bot]
        return await self.write_replies(lambda tx: sum(add(tx, message) for message in sanitized), replies)

    async def write_replies(self, work: Callable[[Tx], T], replies: Sequence[tuple[str, str]]) -> T:
        """Write messages of this platform and id; the assistant's go without what is removed meanwhile."""
        # Something may be removed while this transaction runs; neither sees the other.
        before = self.removed.count
        outcome = await self.write(work)
        if replies and self.removed.count != before:
            await self._rescreen_replies(replies)
        return outcome

    async def _rescreen_replies(self, written: Sequence[tuple[str, str]]) -> None:
        def replies(tx: Tx) -> list[Message]:
            return [row for name in written if (row := tx.messages.get(*name)) is not None and row.bot]

        def work(tx: Tx) -> None:
            for reply in replies(tx):
                learning.message_changes.rescreen_reply(tx, reply, self.clock(), self.schedule, self.removed)

        if await self.store.read(replies):
            await self.write(work)

    async def with_learned(self, added: Added, timeout: float) -> Added:
        """The outcome of `add` with what was learned, if that is known in time."""
        deadline, own_messages = time.monotonic() + timeout, [message for message in added.messages if not message.bot]
        places = dict.fromkeys(message.place for message in added.messages)
        await self.write(lambda tx: [learning.schedule.flush(tx, place, self.clock()) for place in places])
        outcomes = [await self.wait_learned(message, max(0.0, deadline - time.monotonic())) for message in own_messages]
        memos = {memo.id: memo for outcome in outcomes for memo in outcome.memos.values() if memo.active}
        return replace(added, learned=tuple(memos.values()), done=all(outcome.done for outcome in outcomes))

    async def wait_learned(
        self, message: Message, timeout: float | None = None, *, closes_batch: bool = True
    ) -> LearnedOutcome:
        """See `AsyncMemory.wait_learned`."""
        finished = await self.worker.wait_for(learning.schedule.extraction_key(message), timeout)
        if closes_batch and finished and self.schedule.learn == "batch":
            closed = await self.write(lambda tx: learning.batches.close_message(tx, message, self.clock()))
            finished = closed is None or await self.worker.wait_for(closed, timeout)
        viewer = self.viewer(message.author, message.place)
        outcome = await self.store.read(lambda tx: learning.ingest.learned_from(tx, message, viewer))
        return replace(outcome, done=outcome.done and finished)

    async def flush(self, place: Place | None, timeout: float | None = LEARN_TIMEOUT_SECONDS) -> int:
        """See `AsyncMemory.flush`."""
        if place is not None:
            return await self.write(lambda tx: learning.schedule.flush(tx, place, self.clock()))
        count = await self.write(lambda tx: learning.schedule.flush_all(tx, self.clock()))
        await self.worker.wait_idle(timeout)
        return count

    async def message_to_answer(
        self, words: Words | Iterable[Words], user: UserId | None, place: Place | None
    ) -> Message:
        """The message to answer, a person's last one: as it is stored, if it was added before; raises BadInput."""
        messages = messages_of(words, user=user, place=place, name="", at=self.clock())
        last = next((message for message in reversed(messages) if not message.bot), None)
        if last is None:
            raise BadInput("there is no message of a person to answer")
        stored = [] if isinstance(words, Message) else await self.timeline.recent(last.place, 1)
        return next((known for known in stored if (known.author, known.text) == (last.author, last.text)), last)

    def note_speaker(self, message: Message) -> None:
        """Someone spoke: their messages wait for a model until they address the assistant, or until shutdown."""
        if self.schedule.learn == "batch" and len(self._speakers) < MAX_SPEAKERS:
            self._speakers.add(message.person)

    def close_batches_of(self, message: Message) -> None:
        """Someone addresses the assistant: learn from their earlier messages, without delaying the reply."""
        if message.person in self._speakers:
            here = learning.batches.key_of(message.place, message.author)
            task = asyncio.create_task(self._close_batches(message.person, here=here))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _close_batches(self, *people: str, here: str | None = None) -> None:
        def work(tx: Tx) -> None:
            for person in people:
                learning.batches.close_all(tx, person, self.clock(), here)

        try:
            if await self.store.read(lambda tx: any(tx.state.count(StateKind.OPEN_BATCHES, name) for name in people)):
                await self.write(work)
        except RecollectError as error:
            log.info("batches stay open until their time: %s", error)

    def wake(self) -> None:
        """Something was written: check for missing vectors and due jobs."""
        self.vectors.wake()
        self.worker.wake()

    async def relearn(self, selection: Selection, actor: str, *, dry_run: bool) -> RelearnOutcome:
        """Preview a run of learning again, or start it; raises BadInput where learning is switched off."""
        wiring.require_durable(self.settings)
        if not self.settings.extraction.enabled:
            raise BadInput("learning is switched off (extraction.enabled), so nothing is learned again")
        if dry_run:
            return await self.relearner.preview(selection)
        outcome = await self.relearner.start(selection, actor)
        self.wake()
        return outcome

    def change_context(self, user: str) -> ChangeContext:
        return learning.apply.ChangeContext(user, self.clock(), secrets.token_hex(8))

    def session(self, user: str, place: Place) -> str:
        return session_name(place, user if self.schedule.per_user_sessions else None)

    def viewer(self, user: str, place: Place | None, include_expired: bool = False) -> Viewer:
        """A viewer in this place, by default the user's DM."""
        place = place or Place(dm=user)
        person = person_key(place.platform, user)
        return Viewer(person, place, self.policy, None if include_expired else self.clock())

    async def search(
        self,
        query: str,
        *,
        user: str,
        place: Place | None = None,
        over: Corpus = "memos",
        subject: Literal["mine", "lore", "both"] = "both",
        filters: Filters | None = None,
        status: Status = Status.ACTIVE,
        limit: int | None = None,
        ranker: str | None = None,
        strict: bool = False,
        min_score: float | None = None,
        count_use: bool = True,
        include_expired: bool = False,
        among: MemoSet | None = None,
    ) -> list[Hit]:
        """See `AsyncMemory.search`; with `among`, of these memos, whatever the user could see."""
        options = self.settings.search
        if limit is not None and limit < 0 and self.settings.profile != "clanker":  # which clamps every limit
            raise BadInput(f"limit={limit} is negative: leave it out for the usual number")
        if not self.settings.enabled or (limit == 0 and self.settings.profile != "clanker"):
            return []
        if len(query) > MAX_QUERY_CHARS:
            # A pasted text has its question at the start or at the end.
            query = f"{query[: MAX_QUERY_CHARS // 2]} {query[-MAX_QUERY_CHARS // 2 :]}"
        # Background jobs pause: someone waits for this.
        with self.worker.priority.foreground():
            return await self._searcher.search(
                query,
                self.viewer(user, place, include_expired),
                over=over,
                subject=subject,
                filters=filters or Filters(),
                status=status,
                limit=max(1, min(options.default_limit if limit is None else limit, options.max_limit)),
                ranker=ranker or self.settings.memos.ranker,
                strict=strict,
                min_score=min_score,
                count_use=count_use,
                among=among,
            )
