"""A model that answers as a test says, and records its inputs."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, Proposal, Usage
from recollect.core.types import Memo, Message


def proposal_for(message: Message, text: str | None = None, kind: str = "fact", **more: Any) -> Proposal:
    """The proposal to remember a message, or this text because of it."""
    return Proposal(text or message.text, kind, message.text, message.id, **more)


def propose_everything(extraction_input: ExtractionInput) -> ExtractionResult:
    """Propose each message as a fact, word for word."""
    return ExtractionResult(tuple(map(proposal_for, extraction_input.messages)), usage=Usage(1, 10, 5))


def propose_nothing(extraction_input: ExtractionInput) -> ExtractionResult:
    """Learn nothing."""
    del extraction_input
    return ExtractionResult()


def first_characters(previous: str | None, exchange: str, limit: int) -> str:
    """Summarize by the first characters of the exchange."""
    del previous
    return exchange[:limit]


def no_change(memos: Sequence[Memo]) -> ExtractionResult:
    """Leave memos as they are."""
    del memos
    return ExtractionResult()


@dataclass
class FakeModel:
    """`learns` answers an extraction and `condenses` an exchange; either may raise, or wait for something."""

    learns: Callable[[ExtractionInput], ExtractionResult | Awaitable[ExtractionResult]] = propose_everything
    condenses: Callable[[str | None, str, int], str | Awaitable[str]] = first_characters
    shortens: Callable[[str, int], str] = lambda summary, limit: summary[:limit]
    consolidates: Callable[[Sequence[Memo]], ExtractionResult] = no_change
    name: str = "fake"
    inputs: list[ExtractionInput] = field(default_factory=list[ExtractionInput])
    exchanges: list[tuple[str | None, str, int]] = field(default_factory=list[tuple[str | None, str, int]])

    async def extract(self, extraction_input: ExtractionInput) -> ExtractionResult:
        self.inputs.append(extraction_input)
        answer = self.learns(extraction_input)
        return await answer if isinstance(answer, Awaitable) else answer

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        self.exchanges.append((previous, exchange, limit))
        answer = self.condenses(previous, exchange, limit)
        return GeneratedText(await answer if isinstance(answer, Awaitable) else answer, Usage(1, 100, 50))

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        return GeneratedText(self.shortens(summary, limit), Usage(1, 50, 20))

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        return self.consolidates(memos)

    async def close(self) -> None:
        """Nothing is open."""


class BlockingModel(FakeModel):
    """A model that waits: `asked` is set by a request, and `answer`, set by the test, lets it propose everything."""

    def __init__(self) -> None:
        super().__init__(self._learns)
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    async def _learns(self, extraction_input: ExtractionInput) -> ExtractionResult:
        self.asked.set()
        await self.answer.wait()
        return propose_everything(extraction_input)
