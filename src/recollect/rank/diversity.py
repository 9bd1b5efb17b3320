"""Not three wordings of one thing: what repeats the better results moves behind the rest. Nothing is dropped."""

from collections.abc import Sequence

from recollect.rank.base import STOP_WORDS, Ranked, tokens

ALIKE = 0.6
TWICE = 2
LOOK = 400
"""Characters of each text that are compared."""


def diversify(ranked: Sequence[Ranked], limit: int) -> list[Ranked]:
    """The first `limit` results, of which at most two have mostly the same words."""
    kept: list[tuple[Ranked, set[str]]] = []
    behind: list[Ranked] = []
    for one in ranked:
        if len(kept) == limit:
            break
        own = tokens(one.item.text[:LOOK]) - STOP_WORDS
        if sum(_alike(own, other) for _, other in kept) >= TWICE:
            behind.append(one)
        else:
            kept.append((one, own))
    return [one for one, _ in kept] + behind[: limit - len(kept)]


def _alike(own: set[str], other: set[str]) -> bool:
    return bool(own) and len(own & other) >= ALIKE * len(own | other)
