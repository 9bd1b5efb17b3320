"""Items, pools and questions for the tests of the rankers."""

from collections.abc import Sequence
from datetime import timedelta

from recollect.core.ports.ranker import Ranked, RankItem, RankPool, RankQuery
from recollect.testing.clock import START as NOW


def item(key: int, text: str = "", days_old: float = 0.0, **rest: object) -> RankItem:
    return RankItem(key, text or f"text {key}", NOW - timedelta(days=days_old), **rest)  # type: ignore[arg-type]


def asking(text: str, channel: str | None = None) -> RankQuery:
    return RankQuery(text, NOW, channel)


def pool(*items: RankItem, size: int = 0, lengths: Sequence[int] = ()) -> RankPool:
    return RankPool(items, size or len(items), lengths)


def hit(frequency: int) -> dict[str, int]:
    return {"word": frequency}


def keys(ranked: Sequence[Ranked]) -> list[int]:
    return [one.item.key for one in ranked]
