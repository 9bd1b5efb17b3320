"""Older messages of this channel that fit what is being said.

They change with every message, so under our own layout they are few and only those that plainly have to do with it:
the prompt before them stays the same, and the less comes after it, the more of it a provider's cache can keep.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from recollect.core.ports import Scene, Tx, WordHit
from recollect.core.ports.layer import Block, Line
from recollect.core.ports.ranker import meaningful
from recollect.core.text import clip
from recollect.core.types import Message
from recollect.policy import rendering
from recollect.policy.visibility import is_forgotten
from recollect.recall.withheld import question

CHARS, LONGEST = 1200, 300
FEW_CHARS, SHORTER = 400, 160
SPARE = 20
"""Hits beyond those that are wanted: some may be private, or shown already."""


class HistorySettings(Protocol):
    @property
    def relevant_messages(self) -> int: ...


class Uses(Protocol):
    @property
    def layout(self) -> str: ...
    @property
    def history(self) -> HistorySettings: ...


class PastLayer:
    def __init__(self, settings: Uses) -> None:
        self._wanted = settings.history.relevant_messages
        self._few = settings.layout == "unified"
        self._chars, self._longest = (FEW_CHARS, SHORTER) if self._few else (CHARS, LONGEST)

    async def offer(self, scene: Scene) -> Sequence[Block]:
        asked = meaningful(scene.text)
        if not self._wanted or not asked:
            return []
        found = await scene.store.read(lambda tx: self._look(tx, scene, asked))
        shown = tuple(Line(self._line(message), f"shares words with what is said: {why}") for message, why in found)
        return [Block("past", shown, chars=self._chars, what="messages")] if shown else []

    def _look(self, tx: Tx, scene: Scene, asked: Sequence[str]) -> list[tuple[Message, str]]:
        """Messages of the channel with the words they share, best first; none that history may show."""
        hits = tx.lanes.words("messages", [scene.place.stream], asked, self._wanted + len(scene.recent) + SPARE)
        known = {message.id for message in scene.recent} | {scene.message}
        least = min(2, len(asked)) if self._few else 1
        fitting = (
            (message, ", ".join(hit.parts))
            for message, hit in _read(tx, [hit for hit in hits if len(hit.parts) >= least])
            if message.id not in known and scene.audible(message) and not _is_forgotten(tx, scene, message)
        )
        found = [*islice(fitting, self._wanted)]
        shown = scene.tagged(tx, [message for message, _ in found])
        return list(zip(shown, (why for _, why in found), strict=True))

    def _line(self, message: Message) -> str:
        return f"- {message.at.date()} {clip(rendering.said(message).replace(chr(10), ' '), self._longest)}"


def _read(tx: Tx, hits: Sequence[WordHit]) -> Iterator[tuple[Message, WordHit]]:
    """The messages of these hits, read as far as they are asked for."""
    for start in range(0, len(hits), SPARE):
        some = hits[start : start + SPARE]
        rows = tx.journal.fetch([hit.key for hit in some])
        yield from ((rows[hit.key], hit) for hit in some if hit.key in rows)


def _is_forgotten(tx: Tx, scene: Scene, message: Message) -> bool:
    """What its owner forgot is not brought back by quoting the message that said it, or an answer that repeats it."""
    if scene.withheld is not None and scene.withheld.hides(message, question(tx, message)):
        return True
    return is_forgotten(tx.memos.resting_on(message.place.platform, message.id))


def create(spec: str, settings: Any) -> PastLayer:  # noqa: ARG001 - every layer is made from its name
    return PastLayer(settings)
