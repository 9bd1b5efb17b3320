"""The port of rerankers."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Reads a question together with each candidate, and says how well the candidate answers it."""

    @property
    def name(self) -> str:
        """The specification from which `create` builds this reranker."""
        ...

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        """A logit for each text, in order: above 0 for an answer, mostly between -10 and 10. Raises RerankerError.

        Cancelled when the search stops waiting.
        """
        ...

    async def close(self) -> None: ...
