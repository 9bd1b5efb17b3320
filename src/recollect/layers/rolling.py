"""The rolling summary of this conversation, with a word when newer turns are not in it yet."""

from collections.abc import Sequence
from typing import Protocol

from recollect.lines import inert
from recollect.ports import Scene, Tx
from recollect.text import clip
from recollect.types import Block, Line, Summary


class SummarySettings(Protocol):
    @property
    def enabled(self) -> bool: ...
    @property
    def max_chars(self) -> int: ...


class Uses(Protocol):
    @property
    def summary(self) -> SummarySettings: ...
    @property
    def layout(self) -> str: ...


class RollingLayer:
    def __init__(self, settings: Uses) -> None:
        self._summary = settings.summary
        self._says_age = settings.layout == "unified"

    async def offer(self, scene: Scene) -> Sequence[Block]:
        if not self._summary.enabled:
            return []
        found, behind = await scene.store.read(lambda tx: _look(tx, scene))
        if found is None or not found.text.strip():
            return []
        text = clip(inert(found.text), self._summary.max_chars)
        lines = [Line(text, f"summary {found.sequence} of this session, of {found.updated:%Y-%m-%d %H:%M}")]
        if behind and self._says_age:
            note = "(The messages below are newer than this summary; where they differ, they are right.)"
            lines.append(Line(note, "newer turns are not summarised yet"))
        return [Block("rolling", tuple(lines), chars=self._summary.max_chars + 100)]


def _look(tx: Tx, scene: Scene) -> tuple[Summary | None, bool]:
    found = tx.summaries.get(scene.place.session)
    if found is None:
        return None, False
    newest = tx.journal.recent(scene.place, 1, before=scene.now)
    return found, bool(newest) and newest[-1].at > (found.through or found.updated)


def create(spec: str, settings: Uses) -> RollingLayer:  # noqa: ARG001 - every layer is made from its name
    return RollingLayer(settings)
