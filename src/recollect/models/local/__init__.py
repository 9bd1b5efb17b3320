"""`local`: a deterministic extractor and extractive summarizer; offline, free, and simple.

It learns from common phrasings ("I live in Berlin", "my sister is a nurse") and nothing that needs understanding: in
English, and in the languages with a file in `languages/`.
"""

from collections.abc import Sequence

from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, ModelOptions
from recollect.core.types import Memo
from recollect.models.local import foreign
from recollect.models.local.consolidate import consolidate
from recollect.models.local.extract import extract
from recollect.models.local.summary import shorten, summarize

NOTICE = (
    "The model is `local`: it learns only plain statements ({}), and condenses by picking sentences. "
    "Name a language model for better memory, for instance RECOLLECT_MODEL=haiku."
)
"""Logged once at startup, so that no one mistakes the simple model for a good one."""


class LocalModel:
    """Learns by patterns and summarizes by picking sentences."""

    name = "local"

    def __init__(self, assistant: str = "") -> None:
        self._assistant = assistant

    async def extract(self, extraction_input: ExtractionInput) -> ExtractionResult:
        return extract(extraction_input)

    @property
    def languages(self) -> Sequence[str]:
        return foreign.language_names()

    @property
    def notice(self) -> str:
        return NOTICE.format(", ".join(self.languages))

    def unread_language(self, text: str) -> str:
        return foreign.unread_language(text)

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        return GeneratedText(summarize(previous, exchange, limit, self._assistant))

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        return GeneratedText(shorten(summary, limit, self._assistant))

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        return consolidate(memos)

    async def close(self) -> None:
        pass


def create(spec: str, options: ModelOptions) -> LocalModel:  # noqa: ARG001 - there is one local model
    return LocalModel(options.assistant)
