"""What a language model does for memory: learn from what was said, and condense it.

A model proposes; `guard` and `merge` decide. Every method raises ModelUnavailable when asking again later may help,
and ModelError when it won't.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from recollect.core.errors import ModelError
from recollect.core.ports.embedder import no_secret
from recollect.core.types import Memo, Message


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a model may need beside its specification: its `create` gets both."""

    base_url: str = ""
    """Address of an OpenAI-compatible server, when it is not the provider's own."""
    secret: Callable[[str], str | None] = field(default=no_secret, repr=False)
    """Finds a key by the name of its variable, when it is needed."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call cost."""

    requests: int = 0
    input: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What may be learned from: one speaker's own messages, with what is known about the speaker."""

    messages: Sequence[Message]
    """Oldest first, all by the same author; relative dates count from each message's time."""
    known_memos: Sequence[Memo] = ()
    context: Sequence[Message] = ()
    """What was said just before, by anyone: helps to understand, is never a source."""
    max_proposals: int | None = None
    """Proposals that are wanted at most."""
    objection: str = ""
    """What was wrong with the last answer to this hearing, when it is asked about once more."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One thing that a model thinks worth remembering about the speaker, with the words it rests on."""

    text: str
    kind: str
    evidence: str
    """A verbatim quote of one of the speaker's messages."""
    message: str = ""
    """Id of the quoted message; empty when whoever proposes doesn't know it."""
    id: str | None = None
    """The known memo that it says anew."""
    replaces: tuple[str, ...] = ()
    """Known memos that are no longer true because of it."""
    about: str | None = None
    """Another person whom it is about: then it is the speaker's note on that person."""
    tags: tuple[str, ...] = ()
    confidence: float = 0.7
    happened: datetime | None = None


@dataclass(frozen=True, slots=True)
class Retraction:
    """A known memo that the speaker said is no longer so: by id, else by its text."""

    reason: str
    id: str | None = None
    match: str | None = None


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """All that came of one hearing; `problems` says what the model got wrong, in words without the content."""

    proposals: tuple[Proposal, ...] = ()
    retractions: tuple[Retraction, ...] = ()
    problems: tuple[str, ...] = ()
    usage: Usage = Usage()
    flaw: str = ""
    """Why the answer as a whole can't be used, or ends too early: asking once more may help. Empty for a usable
    answer, also for one that says there is nothing to learn.
    """


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text that a model wrote; empty when it had nothing to say."""

    text: str
    usage: Usage = Usage()


class Model(Protocol):
    """Learns and condenses. Its name is the specification that makes it again."""

    @property
    def name(self) -> str: ...

    async def extract(self, extraction_input: ExtractionInput, /) -> ExtractionResult:
        """What the speaker stated about themselves that is worth remembering for months."""
        ...

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        """A summary, of about `limit` characters at the most, that takes the place of the previous one."""
        ...

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        """The same summary within its limit."""
        ...

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        """What memos of one subject come to: several that say one thing become one, contradicted ones go.

        A proposal's evidence is the text of a memo; `id` or `replaces` name the memos that it makes needless.
        """
        ...

    async def close(self) -> None: ...


@runtime_checkable
class HasNotice(Protocol):
    """A model with something to tell the operator at startup, such as its limits."""

    @property
    def notice(self) -> str: ...


@runtime_checkable
class ChatModel(Protocol):
    """A model that can also hold a conversation, through its pydantic-ai client."""

    @property
    def name(self) -> str: ...

    async def client(self) -> Any: ...

    def explained(self, error: Exception) -> ModelError:
        """The error in words without the conversation; re-raises what is not the model's fault."""
        ...
