"""Older messages of this channel that match the current one.

They change with every message. Under a stable-first layout they are few and clearly relevant: the less follows the
stable part, the more of the prompt a provider's cache can keep.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from recollect.core.ports import PromptRequest, Tx, WordHit
from recollect.core.ports.layer import Block, Line
from recollect.core.ports.ranker import content_words
from recollect.core.text import clip
from recollect.core.types import Message
from recollect.policy import rendering
from recollect.policy.visibility import is_forgotten
from recollect.recall.rankers.unified import asks_assistant
from recollect.recall.withheld import question

MAX_MESSAGE_CHARS, STABLE_MAX_MESSAGE_CHARS = 300, 160
"""Characters of each message, in other layouts and in a stable-first one."""
MAX_OWN_TURNS, OWN_TURN_CHARS = 2, 380
"""Turns of the assistant that are shown when someone asks for them, and characters of each."""
EXTRA_HITS = 20
"""Hits beyond the limit, as some may be private or shown already."""


class PastSettings(Protocol):
    @property
    def max_messages(self) -> int: ...
    @property
    def inject_max_chars(self) -> int | None: ...


class LayerSettings(Protocol):
    @property
    def past(self) -> PastSettings: ...


class PastLayer:
    def __init__(self, settings: LayerSettings) -> None:
        self._max_messages = settings.past.max_messages
        self._max_chars = settings.past.inject_max_chars

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        terms = content_words(request.query)
        if not self._max_messages or not terms:
            return []
        is_stable_first = request.layout.stable_first
        if is_stable_first and asks_assistant(request.text):
            return await self._own_turns(request)
        message_chars = STABLE_MAX_MESSAGE_CHARS if is_stable_first else MAX_MESSAGE_CHARS
        rows = await request.store.read(
            lambda tx: self._read(tx, request, terms, min(2, len(terms)) if is_stable_first else 1)
        )
        lines = tuple(
            Line(_line(message, message_chars), f"shares words with what is said: {words}") for message, words in rows
        )
        return [Block("past", lines, chars=self._max_chars, noun="messages")] if lines else []

    async def _own_turns(self, request: PromptRequest) -> Sequence[Block]:
        """The assistant's own turns, for a question about them: they need not share a word with it."""
        hits = await request.search(request.query, over="messages", limit=self._max_messages + EXTRA_HITS)
        seen = {message.id for message in request.recent} | {request.message}

        def work(tx: Tx) -> Sequence[Message]:
            turns = (hit.item for hit in hits if hit.item.bot and hit.item.id not in seen)
            shown = (turn for turn in turns if not _is_forgotten(tx, request, turn))
            return request.with_unique_names(tx, [*islice(shown, MAX_OWN_TURNS)])

        turns: Sequence[Message] = await request.store.read(work) if hits else ()
        lines = tuple(
            Line(_line(turn, OWN_TURN_CHARS), "the assistant's own words, which are asked for") for turn in turns
        )
        return [Block("past", lines, chars=self._max_chars, noun="messages")] if lines else []

    def _read(self, tx: Tx, request: PromptRequest, terms: Sequence[str], min_shared: int) -> list[tuple[Message, str]]:
        """Messages of the channel with the words they share, best first, except those in history."""
        hits = tx.index.words(
            "messages", [request.place.stream], terms, self._max_messages + len(request.recent) + EXTRA_HITS
        )
        seen = {message.id for message in request.recent} | {request.message}
        matches = (
            (message, ", ".join(hit.parts))
            for message, hit in _fetch(tx, [hit for hit in hits if len(hit.parts) >= min_shared])
            if message.id not in seen and request.is_visible(message) and not _is_forgotten(tx, request, message)
        )
        rows = [*islice(matches, self._max_messages)]
        messages = request.with_unique_names(tx, [message for message, _ in rows])
        return list(zip(messages, (words for _, words in rows), strict=True))


def _line(message: Message, max_chars: int) -> str:
    return f"- {message.at.date()} {clip(rendering.render_message(message).replace(chr(10), ' '), max_chars)}"


def _fetch(tx: Tx, hits: Sequence[WordHit]) -> Iterator[tuple[Message, WordHit]]:
    """The messages of these hits, read lazily in batches."""
    for start in range(0, len(hits), EXTRA_HITS):
        batch = hits[start : start + EXTRA_HITS]
        rows = tx.messages.fetch([hit.key for hit in batch])
        yield from ((rows[hit.key], hit) for hit in batch if hit.key in rows)


def _is_forgotten(tx: Tx, request: PromptRequest, message: Message) -> bool:
    """Whether a message is the source of something forgotten, or a reply that repeats it."""
    if request.withheld is not None and request.withheld.hides(message, question(tx, message)):
        return True
    return is_forgotten(tx.memos.from_message(message.place.platform, message.id))


def create(spec: str, settings: Any) -> PastLayer:  # noqa: ARG001 - every layer is made from its name
    return PastLayer(settings)
