"""The port of prompt layers: what they get and what they offer."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeVar

from recollect.core.ports.layout import Layout
from recollect.core.ports.search import Corpus
from recollect.core.ports.store import Tx
from recollect.core.types import Message, Place, Summary


class Overflow(StrEnum):
    """What happens at a line that doesn't fit into the budget."""

    STOP = "stop"
    SKIP = "skip"
    NOTICE = "notice"
    """It is skipped, and a notice says how many were."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line offered to the prompt, and why it is there."""

    text: str
    reason: str = ""
    until: datetime | None = None
    """When it expires, if it does."""
    is_notice: bool = False
    """Whether it only says that lines were left out."""


@dataclass(frozen=True, slots=True)
class Block:
    """One section offered to the prompt, best line first, with its budget: the tightest limit wins."""

    name: str
    lines: tuple[Line, ...]
    chars: int | None = None
    tokens: int | None = None
    items: int | None = None
    overflow: Overflow = Overflow.SKIP
    noun: str = "memories"
    header: str = ""
    """For a section that the layout doesn't know; empty for lines that explain themselves."""
    omitted: int = 0
    """Number of further lines that were not worth offering."""


T = TypeVar("T")


class ReadOnlyStore(Protocol):
    """The reading half of a store."""

    async def read(self, work: Callable[[Tx], T]) -> T: ...


class SearchFunction(Protocol):
    """`Memory.search`, bound to a viewer."""

    async def __call__(
        self,
        query: str,
        *,
        over: Corpus = "memos",
        subject: Literal["mine", "lore", "both"] = "both",
        ranker: str | None = None,
        limit: int | None = None,
    ) -> Sequence[Any]: ...


class Screen(Protocol):
    """What was forgotten or retracted, as seen from a place: text that repeats it is withheld."""

    def hides(self, message: Message, question: Message | None = None) -> bool:
        """Whether to withhold a message, which answers `question`."""
        ...

    def repeats(self, text: str) -> bool:
        """Whether to withhold something that the assistant said."""
        ...

    def quotes(self, excerpt: str, author: str) -> bool:
        """Whether to withhold an excerpt of this author's question and its answer."""
        ...


NO_LAYOUT = Layout((), {})


def _unchanged(tx: Tx, messages: Sequence[Message]) -> Sequence[Message]:
    del tx
    return messages


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """What a prompt is composed for: who says what, where and when, and how to look things up."""

    user: str
    place: Place
    text: str
    now: datetime
    store: ReadOnlyStore
    search: SearchFunction
    is_visible: Callable[[Any], bool]
    """Whether a memo or message is visible here."""
    is_visible_to: Callable[[Any, Collection[str]], bool]
    """The same when these people take part too."""
    layout: Layout = NO_LAYOUT
    """Order and headers of the prompt's sections."""
    message: str | None = None
    """The id of the message being answered."""
    session: str = ""
    """The session, if it is not the place's: one user's share of it."""
    recent: Sequence[Message] = ()
    """The last messages of this session before it, oldest first."""
    summary: Summary | None = None
    """Of this session, if there is one."""
    subject_matter: str = ""
    """What was said just before, where the message says too little to find anything by."""
    with_unique_names: Callable[[Tx, Sequence[Message]], Sequence[Message]] = _unchanged
    """Gives authors of the same name distinct names; `recent` has them already."""
    withheld: Screen | None = None
    """Stored content that must not appear, if any; `recent` and `summary` are already without it."""

    @property
    def query(self) -> str:
        """What memories and older messages are looked up by."""
        return f"{self.text}\n{self.subject_matter}" if self.subject_matter else self.text


class Layer(Protocol):
    """One kind of memory that a prompt may draw on."""

    async def blocks(self, request: PromptRequest, /) -> Sequence[Block]:
        """The sections that this layer offers for the request, if any."""
        ...
