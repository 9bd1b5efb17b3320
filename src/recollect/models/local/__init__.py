"""`local`: a deterministic extractor and extractive summariser for English; offline, free, and plainly the simple one.

It learns what is said in plain forms ("I live in Berlin", "my sister is a nurse") and nothing that needs understanding.
"""

from collections.abc import Sequence

from recollect.core.ports import Hearing, ModelOptions, Proposed, Written
from recollect.core.types import Memo
from recollect.models.local.consolidate import reflect
from recollect.models.local.extract import extract
from recollect.models.local.summary import shorten, summarise

NOTICE = (
    "The model is `local`: it learns only plain English statements and condenses by picking sentences. "
    "Name a language model for better memory, for instance RECOLLECT_MODEL=haiku."
)
"""Said once at the start, so that nobody takes the simple model for a good one."""


class LocalModel:
    name = "local"
    notice = NOTICE

    async def extract(self, hearing: Hearing) -> Proposed:
        return extract(hearing)

    async def summarise(self, previous: str | None, exchange: str, limit: int) -> Written:
        return Written(summarise(previous, exchange, limit))

    async def shorten(self, summary: str, limit: int) -> Written:
        return Written(shorten(summary, limit))

    async def reflect(self, memos: Sequence[Memo]) -> Proposed:
        return reflect(memos)

    async def close(self) -> None:
        pass


def create(spec: str, options: ModelOptions) -> LocalModel:  # noqa: ARG001 - it needs neither
    return LocalModel()
