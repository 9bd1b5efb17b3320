"""`local`: a deterministic extractor and extractive summariser for English; offline, free, and plainly the simple one.

It learns what is said in plain forms ("I live in Berlin", "my sister is a nurse") and nothing that needs understanding.
"""

from collections.abc import Sequence

from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, ModelOptions
from recollect.core.types import Memo
from recollect.models.local.consolidate import consolidate
from recollect.models.local.extract import extract
from recollect.models.local.summary import shorten, summarize

NOTICE = (
    "The model is `local`: it learns only plain English statements and condenses by picking sentences. "
    "Name a language model for better memory, for instance RECOLLECT_MODEL=haiku."
)
"""Said once at the start, so that nobody takes the simple model for a good one."""


class LocalModel:
    name = "local"
    notice = NOTICE

    async def extract(self, hearing: ExtractionInput) -> ExtractionResult:
        return extract(hearing)

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        return GeneratedText(summarize(previous, exchange, limit))

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        return GeneratedText(shorten(summary, limit))

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        return consolidate(memos)

    async def close(self) -> None:
        pass


def create(spec: str, options: ModelOptions) -> LocalModel:  # noqa: ARG001 - it needs neither
    return LocalModel()
