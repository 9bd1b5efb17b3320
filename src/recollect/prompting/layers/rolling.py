"""The rolling summary of this conversation; `unified` adds its date, in words that change only with the summary."""

from collections.abc import Sequence
from typing import Protocol

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.core.text import clip
from recollect.policy.headers import HEADERS
from recollect.policy.rendering import neutralize

NOTE = "(As of {:%Y-%m-%d %H:%M}; what was said since is not in it, and is right where they differ.)"


class SummarySettings(Protocol):
    @property
    def enabled(self) -> bool: ...
    @property
    def max_chars(self) -> int: ...


class LayerSettings(Protocol):
    @property
    def summary(self) -> SummarySettings: ...


class RollingLayer:
    def __init__(self, settings: LayerSettings) -> None:
        self._summary = settings.summary

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        summary = request.summary
        if not self._summary.enabled or summary is None:
            return []
        text = clip(neutralize(summary.text, HEADERS), self._summary.max_chars)
        if not text:
            return []
        lines = [Line(text, f"summary {summary.sequence} of this session, of {summary.updated:%Y-%m-%d %H:%M}")]
        if request.layout.stable_first:
            note = NOTE.format(summary.through or summary.updated)
            lines.append(Line(note, "newer turns are not in it"))
        max_chars = self._summary.max_chars + sum(len(line.text) + 1 for line in lines[1:])
        return [Block("rolling", tuple(lines), chars=max_chars)]


def create(spec: str, settings: LayerSettings) -> RollingLayer:  # noqa: ARG001 - every layer is made from its name
    return RollingLayer(settings)
