"""The rolling summary of this conversation; ours says how old it is, in words that stay the same as long as it does."""

from collections.abc import Sequence
from typing import Protocol

from recollect.core.ports import Scene
from recollect.core.ports.layer import Block, Line
from recollect.core.text import clip
from recollect.policy.headers import HEADERS
from recollect.policy.rendering import inert

NOTE = "(As of {:%Y-%m-%d %H:%M}; what was said since is not in it, and is right where they differ.)"


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
        found = scene.summary
        if not self._summary.enabled or found is None or not found.text.strip():
            return []
        text = clip(inert(found.text, HEADERS), self._summary.max_chars)
        lines = [Line(text, f"summary {found.sequence} of this session, of {found.updated:%Y-%m-%d %H:%M}")]
        if self._says_age:
            note = NOTE.format(found.through or found.updated)
            lines.append(Line(note, "newer turns are not in it"))
        room = self._summary.max_chars + sum(len(line.text) + 1 for line in lines[1:])
        return [Block("rolling", tuple(lines), chars=room)]


def create(spec: str, settings: Uses) -> RollingLayer:  # noqa: ARG001 - every layer is made from its name
    return RollingLayer(settings)
