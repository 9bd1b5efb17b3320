"""What the separate tools return, as types: the schemas of structured output are generated from them."""

from typing import Any

from pydantic import BaseModel, Field


class MemoryOut(BaseModel):
    """A memory."""

    id: str
    category: str = Field(description="fact, preference, event or summary")
    content: str
    keywords: list[str]
    created: str = Field(description="When it was first stated, in ISO 8601.")
    updated: str
    version: int = Field(description="Grows with every change; pass it to update_memory and forget_memory.")
    metadata: dict[str, Any] = {}


class MatchOut(MemoryOut):
    score: float = Field(description="How well it fits, the best first.")


class Matches(BaseModel):
    close: bool = Field(description="False when nothing fits closely, and these are only the nearest.")
    results: list[MatchOut]


class Saved(BaseModel):
    outcome: str = Field(description="Whether it is new, was known, or changed what was known.")
    memory: MemoryOut
    audience: str = Field(description="Where it may be recalled.")
    replaced: list[MemoryOut] = Field(description="Older memories whose place it takes.")


class Updated(BaseModel):
    memory: MemoryOut
    audience: str


class Forgot(BaseModel):
    outcome: str = Field(description="forgotten, or unchanged if it was not in use any more.")
    memory: MemoryOut


class Restored(BaseModel):
    memory: MemoryOut
    replaced: list[MemoryOut]


class Listed(BaseModel):
    total: int
    offset: int
    next_offset: int | None = Field(description="Pass it as offset to see the next ones; null at the end.")
    memories: list[MemoryOut]


class Change(BaseModel):
    at: str
    what: str
    by: str
    reason: str | None = None
    content_before: str | None = None


class Reasons(BaseModel):
    said_by: str
    origin: str
    where: str
    message: str | None = Field(description="The id of the message that said so.")
    evidence: str | None = Field(description="The words that it rests on.")
    status: str
    confidence: float
    supersedes: str | None
    superseded_by: str | None
    history: list[Change]


class ExplainedOut(MemoryOut):
    why: Reasons


class Explained(BaseModel):
    memory: ExplainedOut
