"""The port of embedders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from recollect.core.ports.search import Vector


def no_secret(name: str) -> str | None:  # noqa: ARG001 - the signature of a secret lookup
    """The lookup that finds no key."""
    return None


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What an embedder may need besides its specification: its `create` gets both."""

    base_url: str = ""
    """Address of the server, unless it is the provider's own."""
    secret: Callable[[str], str | None] = field(default=no_secret, repr=False)
    """Looks up a key by the name of its variable, on demand."""


class Embedder(Protocol):
    """Turns texts into vectors, which are stored under its name."""

    @property
    def name(self) -> str:
        """The specification from which `create` builds this embedder."""
        ...

    @property
    def local(self) -> bool:
        """Whether it embeds in this process, within milliseconds."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order. Raises EmbedderError."""
        ...

    async def close(self) -> None: ...
