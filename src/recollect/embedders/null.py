"""No vectors: search uses words only, deterministic and with nothing to install."""

from collections.abc import Sequence

from recollect.core.errors import EmbedderError
from recollect.core.ports import EmbedderOptions, Vector


class NullEmbedder:
    name = "null"
    local = True

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if texts:
            raise EmbedderError("the embedder is null: there are no vectors, search goes by words")
        return []

    async def close(self) -> None:
        pass


def create(spec: str, options: EmbedderOptions) -> NullEmbedder:  # noqa: ARG001 - it needs neither
    return NullEmbedder()
