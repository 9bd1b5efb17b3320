"""Recent exchanges in the guild's other public channels, the speaker's own first."""

from collections.abc import Sequence
from typing import Protocol

from recollect.core.ports import PromptRequest, Tx
from recollect.core.ports.layer import Block, Line, Overflow
from recollect.core.types import Exchange, Place
from recollect.policy import rendering
from recollect.policy.visibility import audience_covers_place


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

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        guild = request.place.guild_key
        if not self._shortterm.enabled or guild is None:
            return []
        exchanges = await request.store.read(lambda tx: self._read(tx, guild, request))
        screen = request.withheld
        elsewhere = [exchange for exchange in exchanges if _is_visible(exchange, request.place)]
        elsewhere = [
            exchange for exchange in elsewhere if screen is None or not screen.quotes(exchange.text, exchange.author)
        ]
        lines = tuple(
            Line(rendering.render_exchange(exchange), "recent in another public channel", exchange.expires)
            for exchange in elsewhere
        )
        return (
            [Block("shortterm", lines, chars=self._shortterm.inject_max_chars, overflow=Overflow.STOP)] if lines else []
        )

    def _read(self, tx: Tx, guild: str, request: PromptRequest) -> list[Exchange]:
        """The speaker's own exchanges, which a busy guild would soon displace, then those of others; none of here."""
        limit, here = self._shortterm.max_entries, request.place.thread or request.place.channel
        own = tx.exchanges.recent(guild, request.now, limit, request.user, here)
        newest = tx.exchanges.recent(guild, request.now, limit, besides=here)
        return [*own, *(exchange for exchange in newest if exchange.author != request.user)][:limit]


def _is_visible(exchange: Exchange, place: Place) -> bool:
    return exchange.audience is None or audience_covers_place(exchange.audience, place)


def create(spec: str, settings: LayerSettings) -> ShortTermLayer:  # noqa: ARG001 - every layer is made from its name
    return ShortTermLayer(settings)
