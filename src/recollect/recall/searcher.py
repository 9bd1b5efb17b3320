"""Search for a viewer: parse the query, embed it, read the store once, and count the results as used."""

from collections.abc import Callable
from typing import Literal

from recollect.core.clock import Clock
from recollect.core.ports import Corpus, Filters, Store
from recollect.core.ports.ranker import Ranker, RankQuery
from recollect.core.types import Memo, Status
from recollect.policy.viewer import Viewer, search_scopes
from recollect.recall import search as recall
from recollect.recall import withheld
from recollect.recall.query import EMPTY_SAMPLE, Hit, Query
from recollect.recall.rankers.unified import parse_query
from recollect.recall.usage import UsageCounter
from recollect.recall.vectors.index import VectorIndexer

USED_RESULTS = 5
"""Results of a search, best first, that count as used."""


class Searcher:
    def __init__(
        self, store: Store, vectors: VectorIndexer, usage: UsageCounter, ranker: Callable[[str], Ranker], clock: Clock
    ) -> None:
        self._store, self._vectors, self._usage, self._ranker, self._clock = store, vectors, usage, ranker, clock

    async def search(
        self,
        text: str,
        viewer: Viewer,
        *,
        over: Corpus,
        subject: Literal["mine", "lore", "both"],
        filters: Filters,
        status: Status,
        limit: int,
        ranker: str,
        strict: bool,
        count_use: bool,
    ) -> list[Hit]:
        """The best matches that the viewer may see, best first; see `AsyncMemory.search`."""
        user, place = viewer.user, viewer.place
        scopes, question = (
            search_scopes(user, place, over, subject),
            RankQuery(text, self._clock(), place.channel, user),
        )
        sample = EMPTY_SAMPLE
        if over == "messages":
            sample = await self._store.read(lambda tx: recall.corpus_sample(tx, over, scopes))
        topic = parse_query(question, sample.speakers.values()).topic
        query = Query(
            question=question,
            corpus=over,
            scopes=scopes,
            sample=sample,
            ranker=self._ranker(ranker),
            limit=limit,
            strict=strict,
            filters=filters,
            status=status,
            vector=await self._vectors.embed_query(topic, over),
        )
        hits = await self._store.read(lambda tx: recall.search(tx, query, withheld.search_filter(tx, viewer, over)))
        if count_use:
            used = (hit for hit in hits[:USED_RESULTS] if hit.score > 0)
            self._usage.add(hit.item.key for hit in used if isinstance(hit.item, Memo))
        return hits
