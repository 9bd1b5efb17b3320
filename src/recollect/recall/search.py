"""Find what fits a question: lanes, audience, ranking, diversity. One read of the store, no model call."""

from collections.abc import Sequence

from recollect.core.ports import Corpus, Texture, Tx
from recollect.core.ports.ranker import Pool
from recollect.core.types import Status
from recollect.recall import memos, messages
from recollect.recall.diversity import diversify
from recollect.recall.query import NO_TEXTURE, Audible, Found, Gathered, Search
from recollect.recall.rankers.unified import is_assistant

__all__ = ["NO_TEXTURE", "Found", "Search", "search", "texture"]

SAMPLE = 300


def texture(tx: Tx, corpus: Corpus, scopes: Sequence[str]) -> Texture:
    """What kind of texts there are, and who speaks: known before a question can be understood."""
    return tx.lanes.texture(corpus, scopes, SAMPLE)


def search(tx: Tx, ask: Search, audible: Audible) -> list[Found]:
    """The best results that may be heard here, best first."""
    found = _gather(tx, ask, audible)
    pool = Pool(found.items, found.size, found.lengths, _people(ask.texture), found.before)
    ranked = ask.ranker.rank(ask.question, pool)
    passing = [one for one in ranked if one.relevant]
    if ask.strict or (ask.ranker.gated and passing):
        ranked = passing
    best = diversify(ranked, ask.limit)
    return [Found(found.rows[one.item.key], one.score, dict(one.parts)) for one in best]


def _gather(tx: Tx, ask: Search, audible: Audible) -> Gathered:
    if ask.corpus == "messages":
        return messages.gather(tx, ask, audible)
    return (memos.gather if ask.status is Status.ACTIVE else memos.gather_retired)(tx, ask, audible)


def _people(kind: Texture) -> int:
    return sum(not is_assistant(name or author) for author, name in kind.speakers.items())
