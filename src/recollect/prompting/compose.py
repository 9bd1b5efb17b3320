"""Compose the prompt for a request: one read of the store for what all layers need, then all layers concurrently.

A layer that fails or is late is left out and logged: memory never breaks a reply.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.core.events import EventKind
from recollect.core.ports import Layer, PromptRequest, Tx
from recollect.core.ports.layer import Block, Line
from recollect.core.ports.layout import Layout
from recollect.core.state import StateKind
from recollect.core.text import clip
from recollect.core.types import Message, Place, Summary
from recollect.jobs.read_batcher import ReadBatcher
from recollect.language.context_dependence import depends_on_context, refers_back
from recollect.policy.rendering import window
from recollect.prompting.assemble import Prompt, assemble, completed, headers_of, quoted
from recollect.prompting.cache import Cache
from recollect.prompting.instructions import INSTRUCTIONS
from recollect.recall import withheld
from recollect.recall.summaries import latest_for, may_be_shown
from recollect.recall.withheld import Withheld

log = logging.getLogger("recollect.prompting")

LAYERS_TIMEOUT_SECONDS = 1.5
"""How long the layers of a prompt may take; a late one is left out."""

MAX_SUBJECT_MESSAGES, MAX_SUBJECT_CHARS = 6, 300
"""How many of the last messages may help to find memories for one that leans on them, and how much of each."""
MOMENT = timedelta(milliseconds=1)
"""Times are stored in milliseconds: what was said at the same moment is part of the history too."""

_REMOVALS = (
    EventKind.MESSAGE_DELETED,
    EventKind.MESSAGE_EDITED,
    EventKind.MEMO_ERASED,
    EventKind.ERASURE_CHECKED,
)
_MAX_REMOVALS = 100

_Key = tuple[str, Place, str, str | None, str, int, bool, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _StoreSnapshot:
    """What is read before any layer is asked."""

    generation: int
    recent: Sequence[Message]
    unstored: Sequence[Message]
    summary: Summary | None
    is_stored: bool
    """Whether the message being answered is in the journal."""
    withheld: Withheld


@dataclass(frozen=True, slots=True)
class ComposerOptions:
    max_messages: int
    """Recent messages that are read for the layers."""
    history_chars: int | None
    """Budget of the history where the composer adds it itself."""
    queries_recent: bool
    """Whether the last messages help to find memories for one that says little by itself."""


class Composer:
    """Composes prompts in one layout, and caches each until something is written."""

    def __init__(
        self,
        layers: Mapping[str, Layer],
        layout: Layout,
        options: ComposerOptions,
        lifetime: float,
        clock: Clock,
        timeout: float = LAYERS_TIMEOUT_SECONDS,
    ) -> None:
        self._layers = layers
        self._layout = layout
        self._options = options
        self._timeout = timeout
        self._cache: Cache[_Key, Prompt] = Cache(lifetime, clock, Prompt.is_valid_at)

    async def prompt(
        self, request: PromptRequest, actions: str = "", *, whole: bool = False, unstored: Sequence[Message] = ()
    ) -> Prompt:
        """The prompt for a request; see `View.context`."""
        request = replace(request, layout=self._layout)
        unstored = [message for message in unstored if request.is_visible(message)]
        snapshot = await self._read(request, unstored)
        if snapshot is None:  # layers that need the store would fail too, and much time has passed
            request = replace(request, recent=unstored)
            return await self._compose(request, actions, whole, unstored, self._timeout / 5)
        message_id = request.message if snapshot.is_stored else None
        unstored = snapshot.unstored
        ids = tuple(message.id for message in unstored)
        # The generation changes with every write of any process, so a cached prompt is never older than the store.
        key = request.user, request.place, request.text, message_id, actions, snapshot.generation, whole, ids
        recent = [*snapshot.recent, *unstored][-self._options.max_messages :]
        prepared = replace(
            request,
            # Layers start together, so their first reads share a transaction.
            store=ReadBatcher(request.store),
            recent=recent,
            summary=snapshot.summary,
            subject_matter=self._query_context(request.text, recent),
            withheld=snapshot.withheld if snapshot.withheld.items else None,
        )
        return await self._cache.get(key, lambda: self._compose(prepared, actions, whole, unstored, self._timeout))

    @property
    def cache_counts(self) -> tuple[int, int]:
        """How many prompts were requested, and how many came from the cache."""
        return self._cache.requests, self._cache.hits

    def clear(self) -> None:
        """Drop all cached prompts and those in progress: they may contain what was erased."""
        self._cache.clear()

    async def close(self) -> None:
        await self._cache.close()

    async def _read(self, request: PromptRequest, unstored: Sequence[Message]) -> _StoreSnapshot | None:
        try:
            async with asyncio.timeout(self._timeout):
                return await request.store.read(self._snapshot(request, unstored))
        except (RecollectError, TimeoutError) as error:
            log.warning("the store can't be read, the prompt does without it: %s", str(error) or "no answer in time")
            return None

    def _snapshot(self, request: PromptRequest, unstored: Sequence[Message]) -> Callable[[Tx], _StoreSnapshot]:
        def work(tx: Tx) -> _StoreSnapshot:
            stored = tx.messages.get(request.place.platform, request.message) if request.message else None
            said = max(request.now, stored.at) if stored else request.now  # a platform's clock may be ahead of ours
            # One more than is used, as the message itself is among the newest.
            newest = tx.messages.recent(request.place, self._options.max_messages + 1, before=said + MOMENT)
            visible = [message for message in newest if message.id != request.message and request.is_visible(message)]
            recent = request.with_unique_names(tx, visible[-self._options.max_messages :])
            screen = withheld.collect(tx, request.place, [request.user], recent)
            summary = _summary_before(tx, request.session or request.place.session, request.place, stored)
            return _StoreSnapshot(
                tx.generation(),
                withheld.visible_messages(tx, screen, recent),
                withheld.visible_messages(tx, screen, _without_removed(tx, unstored)),
                summary and withheld.screen_summary(summary, screen),
                stored is not None,
                screen,
            )

        return work

    async def _compose(
        self, request: PromptRequest, actions: str, whole: bool, unstored: Sequence[Message], timeout: float
    ) -> Prompt:
        layer_blocks, missing = await collect_blocks(self._layers, request, timeout)
        if whole:
            layer_blocks += self._history(request, unstored)
        layout = completed(self._layout) if whole else self._layout
        # Known only now: layers of plug-ins bring headers of their own, which no line may forge either.
        headers = headers_of(layer_blocks, layout)
        blocks = [quoted(block, headers) for block in layer_blocks]
        own_texts = {"actions": actions.strip()}
        if whole or any(block.lines for block in blocks):
            own_texts["instructions"] = INSTRUCTIONS
        blocks += [Block(name, (Line(text, "always"),)) for name, text in own_texts.items() if text]
        if request.text.strip():
            message = Block("message", (Line(request.text.strip(), "what is being answered"),))
            blocks.append(quoted(message, headers))
        return replace(assemble(blocks, layout), missing=missing)

    def _history(self, request: PromptRequest, unstored: Sequence[Message]) -> list[Block]:
        """The history of a layout that is meant as one layer of a larger prompt; what is not stored, where memory is
        switched off.
        """
        if "history" in self._layers:
            return []
        is_layer = "message" not in self._layout.order and bool(self._layers)
        budget = self._options.history_chars
        lines = window(request.recent if is_layer else unstored, budget)
        return [Block("history", tuple(Line(line, "said in this conversation") for line in lines), chars=budget)]

    def _query_context(self, text: str, recent: Sequence[Message]) -> str:
        """The context of "and the other one?": the last exchange, and those before it that it depends on."""
        if not self._options.queries_recent or not depends_on_context(text):
            return ""
        exchange: list[Message] = []
        for message in reversed(recent[-MAX_SUBJECT_MESSAGES:]):
            exchange.append(message)
            # The first question that stands by itself ends the chain of references.
            if not message.bot and not refers_back(message.text):
                break
        return "\n".join(clip(message.text, MAX_SUBJECT_CHARS) for message in reversed(exchange))


def _without_removed(tx: Tx, unstored: Sequence[Message]) -> list[Message]:
    """What is not stored, unless something was removed since it was asked for: it may have been in the request, and
    no word of it is kept to compare with.
    """
    removals = list(tx.events.list(limit=_MAX_REMOVALS, kinds=_REMOVALS)) if unstored else []
    ids = {event.data["message"] for event in removals if "message" in event.data}
    ids |= {one.id for one in unstored if tx.state.items(StateKind.UNSEEN_DELETION, f"{one.place.platform}/{one.id}")}
    times = [event.at for event in removals]
    asked = [(message, withheld.question(tx, message) or message) for message in unstored]
    return [
        message
        for message, first in asked
        if ids.isdisjoint((message.id, message.reply_to)) and all(at < first.at for at in times)
    ]


def _summary_before(tx: Tx, session: str, place: Place, message: Message | None) -> Summary | None:
    """The summary of what was said before a message: one that was made since would say it a second time."""
    summary = latest_for(tx, session, place)
    if summary is None or message is None or not _covers(summary, message):
        return summary
    earlier = tx.summaries.history(summary.session)
    return next((past for past in earlier if not _covers(past, message) and may_be_shown(past, place)), None)


def _covers(summary: Summary, message: Message) -> bool:
    if summary.through is None or summary.through < message.at:
        return False
    # One with the time of the message itself may cover another message of the same time.
    return summary.updated > message.at or message.text in summary.text


async def collect_blocks(
    layers: Mapping[str, Layer], request: PromptRequest, timeout: float
) -> tuple[list[Block], tuple[str, ...]]:
    """The blocks of all layers that answer in time, and the names of the others."""
    tasks = {
        name: asyncio.create_task(_read_layer(layer, request), name=f"recollect-{name}")
        for name, layer in layers.items()
    }
    try:
        if tasks:
            # Not `gather`: whatever is ready in time is used, and one that fails fails alone.
            await asyncio.wait(tasks.values(), timeout=timeout)
        blocks: list[Block] = []
        missing: list[str] = []
        for name, task in tasks.items():
            problem = _problem(task, timeout)
            if problem is None:
                blocks += task.result()
            else:
                missing.append(name)
                failure = task.exception() if task.done() and not task.cancelled() else None
                log.warning("the layer %s %s and was left out", name, problem, exc_info=failure)
        return blocks, tuple(missing)
    finally:
        for task in tasks.values():
            task.cancel()


async def _read_layer(layer: Layer, request: PromptRequest) -> Sequence[Block]:
    return await layer.blocks(request)


def _problem(task: "asyncio.Task[Sequence[Block]]", timeout: float) -> str | None:
    if not task.done():
        return f"took longer than {timeout:.2f} s"
    if task.cancelled():
        return "was cancelled"
    return None if task.exception() is None else "failed"
