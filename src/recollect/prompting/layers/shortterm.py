"""What went on in the guild's other public channels in the last hours."""

from collections.abc import Sequence
from typing import Protocol

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.policy import rendering


class ExchangeSettings(Protocol):
    @property
    def enabled(self) -> bool: ...
    @property
    def max_entries(self) -> int: ...
    @property
    def inject_max_chars(self) -> int | None: ...


class LayerSettings(Protocol):
    @property
    def exchanges(self) -> ExchangeSettings: ...


class ShortTermLayer:
    def __init__(self, settings: LayerSettings) -> None:
        self._shortterm = settings.exchanges

    async def blocks(self, scene: PromptRequest) -> Sequence[Block]:
        guild = scene.place.guild_key
        if not self._shortterm.enabled or guild is None:
            return []
        found = await scene.store.read(lambda tx: tx.exchanges.recent(guild, scene.now, self._shortterm.max_entries))
        here = scene.place.thread or scene.place.channel
        held = scene.withheld
        elsewhere = [one for one in found if one.channel != here]
        elsewhere = [one for one in elsewhere if held is None or not held.quotes(one.text, one.author)]
        shown = tuple(Line(rendering.recent(one), "recent in another public channel", one.expires) for one in elsewhere)
        return [Block("shortterm", shown, chars=self._shortterm.inject_max_chars, overflow="stop")] if shown else []


def create(spec: str, settings: LayerSettings) -> ShortTermLayer:  # noqa: ARG001 - every layer is made from its name
    return ShortTermLayer(settings)
