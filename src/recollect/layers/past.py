"""Older messages of this channel that fit what is being said."""

from collections.abc import Sequence
from typing import Any, Protocol

from recollect import lines
from recollect.ports import Scene
from recollect.text import clip
from recollect.types import Block, Line, Message

CHARS = 1200
LONGEST = 300


class HistorySettings(Protocol):
    @property
    def relevant_messages(self) -> int: ...
    @property
    def max_messages(self) -> int: ...


class Uses(Protocol):
    @property
    def history(self) -> HistorySettings: ...


class PastLayer:
    def __init__(self, settings: Uses) -> None:
        self._history = settings.history

    async def offer(self, scene: Scene) -> Sequence[Block]:
        wanted = self._history.relevant_messages
        if not wanted:
            return []
        found = await scene.search(scene.text, over="messages", limit=wanted + self._history.max_messages)
        recent = await scene.store.read(
            lambda tx: tx.journal.recent(scene.place, self._history.max_messages, before=scene.now)
        )
        known = {message.id for message in recent} | {scene.message}
        older = [one for one in found if one.what.id not in known and one.score > 0][:wanted]
        shown = tuple(Line(_line(one.what), f"fits what is said, score {one.score:.2f}") for one in older)
        return [Block("past", shown, chars=CHARS, what="messages")] if shown else []


def _line(message: Message) -> str:
    return f"- {message.at:%Y-%m-%d} {clip(lines.said(message).replace(chr(10), ' '), LONGEST)}"


def create(spec: str, settings: Any) -> PastLayer:  # noqa: ARG001 - every layer is made from its name
    return PastLayer(settings)
