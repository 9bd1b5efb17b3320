"""What an embedder promises."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from recollect.core.ports.search import Vector


def no_secret(name: str) -> str | None:  # noqa: ARG001 - the shape of a function that finds secrets
    """There is no key of any name."""
    return None


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What an embedder may need beside its specification: its `create` gets both."""

    base_url: str = ""
    """Address of the server, when it is not the provider's own."""
    secret: Callable[[str], str | None] = field(default=no_secret, repr=False)
    """Finds a key by the name of its variable, when it is needed."""


class Embedder(Protocol):
    """Turns texts into vectors; its name marks the vectors it made."""

    @property
    def name(self) -> str:
        """The specification that makes this embedder again."""
        ...

    @property
    def local(self) -> bool:
        """Whether it embeds in this process, in a moment."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order. Raises EmbedderError."""
        ...

    async def close(self) -> None: ...
