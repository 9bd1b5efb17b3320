"""The port of language models, which extract memos and summarize.

A model proposes; `guard` and `merge` decide. Every method raises ModelUnavailable when a retry may help, and
ModelError when it won't.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from recollect.core.errors import ModelError
from recollect.core.ports.embedder import no_secret
from recollect.core.types import Memo, Message


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What a model may need besides its specification: its `create` gets both."""

    base_url: str = ""
    """Address of an OpenAI-compatible server, unless it is the provider's own."""
    secret: Callable[[str], str | None] = field(default=no_secret, repr=False)
    """Looks up a key by the name of its variable, on demand."""
    assistant: str = ""
    """Name of the assistant whose conversations it summarizes."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests and tokens of a call."""

    requests: int = 0
    input: int = 0
    output: int = 0
    seconds: float = field(default=0.0, compare=False)
    """How long the answers took."""


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """One speaker's own messages, with what is known about the speaker."""

    messages: Sequence[Message]
    """Oldest first, all by the same author; relative dates refer to each message's time."""
    known_memos: Sequence[Memo] = ()
    context: Sequence[Message] = ()
    """What anyone said just before: helps to understand, but is never a source."""
    max_proposals: int | None = None
    """Proposals to return at most."""
    objection: str = ""
    """What was wrong with the previous answer, on a retry."""
    real_ids: bool = False
    """The prompt lists memos and messages with their own ids rather than short aliases, as some designs specify."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact about the speaker that a model proposes, with its evidence."""

    text: str
    kind: str
    evidence: str
    """A verbatim quote of one of the speaker's messages."""
    message: str = ""
    """Id of the quoted message; empty when the model doesn't say."""
    id: str | None = None
    """The known memo that it restates."""
    replaces: tuple[str, ...] = ()
    """Known memos that are no longer true because of it."""
    about: str | None = None
    """Another person whom it is about, which makes it the speaker's note on that person."""
    tags: tuple[str, ...] = ()
    confidence: float = 0.7
    happened: datetime | None = None


@dataclass(frozen=True, slots=True)
class Retraction:
    """A known memo that the speaker said no longer holds, by id or else by its text."""

    reason: str
    id: str | None = None
    match: str | None = None
    evidence: str = ""
    """The speaker's words that say so, if the model quotes them."""


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The answer to one extraction; `problems` says what the model got wrong, without quoting content."""

    proposals: tuple[Proposal, ...] = ()
    retractions: tuple[Retraction, ...] = ()
    problems: tuple[str, ...] = ()
    usage: Usage = Usage()
    flaw: str = ""
    """Why the whole answer can't be used, or ends too early: a retry may help. Empty for a usable answer, including one
    that says there is nothing to learn.
    """


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """A text that a model wrote; empty when it had nothing to say."""

    text: str
    usage: Usage = Usage()


class Model(Protocol):
    """A language model. Its name is the specification from which `create` builds it."""

    @property
    def name(self) -> str: ...

    async def extract(self, extraction_input: ExtractionInput, /) -> ExtractionResult:
        """What the speaker stated about themselves that is worth remembering for months."""
        ...

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        """A summary of at most about `limit` characters that replaces the previous one."""
        ...

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        """The same summary within the limit."""
        ...

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        """Tidy the memos of one subject: duplicates are merged, contradicted ones retracted.

        A proposal's evidence is the text of a memo; `id` or `replaces` name the memos that it replaces.
        """
        ...

    async def close(self) -> None: ...


@runtime_checkable
class HasNotice(Protocol):
    """A model with something to tell the operator at startup, such as its limits."""

    @property
    def notice(self) -> str: ...


@runtime_checkable
class KnowsLanguages(Protocol):
    """A model that reads only some languages."""

    @property
    def name(self) -> str: ...

    @property
    def languages(self) -> Sequence[str]:
        """Their names, in English."""
        ...

    def unread_language(self, text: str) -> str:
        """The name of the language of a text, if it can't read that; empty where it can, or can't tell."""
        ...


@runtime_checkable
class ChatModel(Protocol):
    """A model that can also hold a conversation, through its pydantic-ai client."""

    @property
    def name(self) -> str: ...

    @property
    def privacy_settings(self) -> Mapping[str, Any]:
        """Settings of every request that keep the provider from storing it."""
        ...

    async def client(self) -> Any: ...

    def explain_error(self, error: Exception) -> ModelError:
        """The error in words without the conversation; re-raises what is not the model's fault."""
        ...
