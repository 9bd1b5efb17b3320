"""What a layer of the prompt promises, and what it is given."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol, TypeVar

from recollect.core.ports.layout import Layout
from recollect.core.ports.search import Corpus
from recollect.core.ports.store import Tx
from recollect.core.types import Message, Place, Summary


@dataclass(frozen=True, slots=True)
class Line:
    """One line offered to the prompt, and why it is there."""

    text: str
    reason: str = ""
    until: datetime | None = None
    """When it stops being true, if that is known."""


@dataclass(frozen=True, slots=True)
class Block:
    """One section offered to the prompt, best line first, with its budget: the least of the limits wins."""

    name: str
    lines: tuple[Line, ...]
    chars: int | None = None
    tokens: int | None = None
    items: int | None = None
    overflow: str = "skip"
    """At a line that doesn't fit: `stop`, `skip` it, or skip it and give `notice`."""
    noun: str = "memories"
    header: str = ""
    """Of a section that the layout doesn't know; none for lines that explain themselves."""
    omitted: int = 0
    """Further ones that there was no point in offering."""


T = TypeVar("T")


class ReadOnlyStore(Protocol):
    """A store, as far as it is read."""

    async def read(self, work: Callable[[Tx], T]) -> T: ...


class SearchFunction(Protocol):
    """`Memory.search`, bound to who speaks where."""

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
    """What was forgotten or taken back, as far as it concerns a place: what says it again is not told."""

    def hides(self, message: Message, asked: Message | None = None) -> bool:
        """Whether a message, which answers `asked`, is not to be told."""
        ...

    def repeats(self, text: str) -> bool:
        """Whether something that the assistant said is not to be told."""
        ...

    def quotes(self, excerpt: str, author: str) -> bool:
        """Whether a question of this author and its answer, in one line, are not to be told."""
        ...


NO_LAYOUT = Layout((), {})


def _as_they_are(tx: Tx, messages: Sequence[Message]) -> Sequence[Message]:
    del tx
    return messages


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """What a prompt is made for: who says what, where and when, and the ways to look things up."""

    user: str
    place: Place
    text: str
    now: datetime
    store: ReadOnlyStore
    search: SearchFunction
    is_visible: Callable[[Any], bool]
    """Whether something may be heard here."""
    is_visible_to: Callable[[Any, Collection[str]], bool]
    """The same where these people take part too."""
    layout: Layout = NO_LAYOUT
    """Of the prompt."""
    message: str | None = None
    """The id of the message being answered."""
    session: str = ""
    """The conversation, where it is not the place's: one user's share of it."""
    recent: Sequence[Message] = ()
    """The last messages of this conversation before it, oldest first."""
    summary: Summary | None = None
    """Of this conversation, when there is one."""
    with_unique_names: Callable[[Tx, Sequence[Message]], Sequence[Message]] = _as_they_are
    """Messages as they are shown: nobody has the name of somebody else. Those of `recent` are so already."""
    withheld: Screen | None = None
    """What is not to be told although it is in the store, if anything; `recent` and `summary` are without it."""


class Layer(Protocol):
    """One kind of memory that a prompt may draw on."""

    async def blocks(self, scene: PromptRequest) -> Sequence[Block]:
        """The sections that this layer has for the scene; none when it has nothing."""
        ...
