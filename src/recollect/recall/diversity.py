"""Not three wordings of one thing: what repeats the better results moves behind the rest. Nothing is dropped."""

from collections.abc import Sequence

from recollect.core.ports.ranker import STOP_WORDS, Ranked, tokens

ALIKE = 0.6
TWICE = 2
LOOK = 400
"""Characters of each text that are compared."""


def diversify(ranked: Sequence[Ranked], limit: int) -> list[Ranked]:
    """The first `limit` results, of which at most two have mostly the same words."""
    kept: list[Ranked] = []
    behind: list[Ranked] = []
    told: list[set[str]] = []
    for one in ranked:
        if len(kept) == limit:
            break
        own = tokens(one.item.text[:LOOK]) - STOP_WORDS
        if own and _repeats(own, told):
            behind.append(one)
        else:
            kept.append(one)
            told.append(own)
    return kept + behind[: limit - len(kept)]


def _repeats(own: set[str], told: Sequence[set[str]]) -> bool:
    """Whether two of these have mostly the same words."""
    count, alike = len(own), 0
    for other in told:
        shared = len(own & other)
        alike += shared >= ALIKE * (count + len(other) - shared)
        if alike == TWICE:
            return True
    return False
