"""The last step of a search where a reranker is set: it reads the question with each of the first hits.

    rank = score ÷ the best score + WEIGHT × logit

It changes the order only: the n-th hit keeps the n-th score of the ranker, since scores say how sure the search is that
anything was found. What a reranker doesn't rate in time, or at all, keeps its order.
"""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import replace

from recollect.core.ports.reranker import Reranker
from recollect.recall.diversity import diversify
from recollect.recall.query import Hit

log = logging.getLogger("recollect.recall")

RERANKED_HITS = 30
WEIGHT = 0.1
"""Weight of a logit, relative to a share of the best score."""
MAX_TEXT_CHARS = 4_000
MAX_PREVIOUS_CHARS = 160


class Reranking:
    def __init__(self, reranker: Reranker, timeout: float) -> None:
        self._reranker, self._timeout = reranker, timeout
        self._is_failing = False

    async def order(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits, the first of them in the reranker's order."""
        # What held at the time asked about comes first, and a reranker reads no dates.
        if any("as_of" in hit.parts for hit in hits):
            return list(hits)
        first, others = hits[:RERANKED_HITS], hits[RERANKED_HITS:]
        logits = await self._rate(question, first) if len(first) > 1 else None
        if logits is None:
            return list(hits)
        best = max(hit.score for hit in first)
        shares = (hit.score / best if best > 0 else 0.0 for hit in first)
        rated = [(share + WEIGHT * logit, hit, logit) for share, hit, logit in zip(shares, first, logits, strict=True)]
        rated.sort(key=lambda one: -one[0])
        ordered = diversify([replace(hit, parts=hit.parts | {"rerank": logit}) for _, hit, logit in rated], len(rated))
        slots = sorted(((hit.score, hit.relevant) for hit in first), reverse=True)
        placed = zip(ordered, slots, strict=True)
        return [*(replace(hit, score=score, relevant=relevant) for hit, (score, relevant) in placed), *others]

    async def _rate(self, question: str, hits: Sequence[Hit]) -> list[float] | None:
        try:
            async with asyncio.timeout(self._timeout):
                rated = await self._reranker.score(question, [text_of(hit) for hit in hits])
            logits = [float(logit) for logit in rated]
        except TimeoutError:
            self._note(f"{self._reranker.name} takes more than {self._timeout:g} s")
            return None
        except Exception as error:  # noqa: BLE001 - a plug-in of others: no search fails for it
            self._note(str(error) or type(error).__name__)
            return None
        if len(logits) != len(hits):
            self._note(f"{self._reranker.name} rated {len(logits)} of {len(hits)} texts")
            return None
        if not all(map(math.isfinite, logits)):  # of a damaged model: such ratings have no order
            self._note(f"{self._reranker.name} gave ratings that are no numbers")
            return None
        self._is_failing = False
        return logits

    def _note(self, reason: str) -> None:
        """Log one warning until it works again."""
        log.log(logging.DEBUG if self._is_failing else logging.WARNING, "results keep their order: %s", reason)
        self._is_failing = True


def text_of(hit: Hit) -> str:
    """A message with its speaker, whom a question often names, and the end of the one before, which it may answer."""
    text, message, previous = hit.text[:MAX_TEXT_CHARS], hit.message, hit.previous
    if message is None:
        return text
    text = f"{message.name or message.author}: {text}"
    return text if previous is None else with_previous(text, previous.name or previous.author, previous.text)


def with_previous(text: str, speaker: str, previous: str) -> str:
    """What a reranker reads; a long text leaves no room for the line before it."""
    return f"{text} (after {speaker}: {previous[-MAX_PREVIOUS_CHARS:]})"
