"""No model at all: nothing is learned and nothing is written."""

from collections.abc import Sequence

from recollect.core.ports import Hearing, ModelOptions, Proposed, Written
from recollect.core.types import Memo


class NullModel:
    name = "null"

    async def extract(self, hearing: Hearing) -> Proposed:  # noqa: ARG002 - it learns nothing from it
        return Proposed()

    async def summarise(self, previous: str | None, exchange: str, limit: int) -> Written:  # noqa: ARG002 - likewise
        return Written("")

    async def shorten(self, summary: str, limit: int) -> Written:  # noqa: ARG002 - likewise
        return Written("")

    async def reflect(self, memos: Sequence[Memo]) -> Proposed:  # noqa: ARG002 - likewise
        return Proposed()

    async def close(self) -> None:
        pass


def create(spec: str, options: ModelOptions) -> NullModel:  # noqa: ARG001 - it needs neither
    return NullModel()
