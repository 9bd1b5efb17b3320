"""Links from a reply to the messages that its memories come from.

The model names a memory by its words, never by a link or an id; it is looked up in the place of the reply.
"""

from collections.abc import Sequence

from recollect.core.errors import UnknownMemo
from recollect.core.ports.ranker import content_words
from recollect.core.types import Memo
from recollect.faces import outcome_text
from recollect.view import View

MAX_CANDIDATES = 5
MIN_SHARE = 0.5
"""Share of a memory's words that its name has to have."""


async def citations(view: View, named: Sequence[str]) -> str:
    """A line for each message, `#dev ↗ https://…`; none for what is not remembered or can't be read here."""
    lines = [await _citation(view, words) for words in named]
    return "\n".join(dict.fromkeys(filter(None, lines)))


async def _citation(view: View, words: str) -> str:
    named = set(content_words(words))
    for hit in await view.search(words, subject="mine", limit=MAX_CANDIDATES, count_use=False):
        memo = hit.item
        known = set(content_words(memo.text))
        if isinstance(memo, Memo) and len(named & known) >= MIN_SHARE * len(known):
            try:
                return outcome_text.citation(await view.why(memo.id))
            except UnknownMemo:  # forgotten a moment ago
                continue
    return ""
