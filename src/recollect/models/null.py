"""No model: nothing is learned and nothing is summarized."""

from collections.abc import Sequence

from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, ModelOptions
from recollect.core.types import Memo


class NullModel:
    """Answers everything with nothing."""

    name = "null"

    async def extract(self, extraction_input: ExtractionInput) -> ExtractionResult:  # noqa: ARG002 - it learns nothing from it
        return ExtractionResult()

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:  # noqa: ARG002 - likewise
        return GeneratedText("")

    async def shorten(self, summary: str, limit: int) -> GeneratedText:  # noqa: ARG002 - likewise
        return GeneratedText("")

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:  # noqa: ARG002 - likewise
        return ExtractionResult()

    async def close(self) -> None:
        pass


def create(spec: str, options: ModelOptions) -> NullModel:  # noqa: ARG001 - it needs neither
    return NullModel()
