"""The dashboard's routes of document D: the facts of one guild, and its snapshot `MEMORY.md`."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import JSONResponse

from recollect.core.types import LORE, Kind, Memo, split_person
from recollect.faces.http.api.common import CHANGING, MAX_INTEGER, MAX_NAME_CHARS, READING, Wire
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.recall.query import Hit

RANKER = "hybrid"
MAX_FACTS = 24
"""Facts per response."""


def clamp_limit(limit: int) -> int:
    return max(1, min(limit, MAX_FACTS))


routes = APIRouter(prefix="/api/memory", tags=["dashboard"])


_TYPES = {
    Kind.PREFERENCE: "preference",
    Kind.PROJECT: "project",
    Kind.LORE: "lore",
    Kind.PERSON: "relationship",
    Kind.FACT: "profile",
}


_LABELS = ("preference", "profile", "relationship", "project", "other", "lore")


_MARKDOWN = {
    200: {
        "description": "The snapshot; as JSON for those who ask for that.",
        "content": {
            "text/markdown": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "object", "properties": {"markdown": {"type": "string"}}}},
        },
    }
}


Accept = Annotated[str, Header(include_in_schema=False)]


Id = Annotated[str, Query(max_length=MAX_NAME_CHARS)]


class FactOut(Wire):
    """A fact as the dashboard knows it."""

    id: str
    created_at: str
    updated_at: str
    guild_id: str | None
    channel_id: str | None
    subject: str
    fact: str
    fact_type: str
    evidence_text: str | None
    source_message_id: str | None
    confidence: float
    score: float
    parts: dict[str, float]


class Facts(Wire):
    results: list[FactOut]
    queryText: str  # noqa: N815 - the document's own name
    guildId: str  # noqa: N815 - the document's own name
    channelId: str | None  # noqa: N815 - the document's own name
    limit: int


@routes.get("", responses=READING | _MARKDOWN, response_class=Response)
async def snapshot(state: AppStateDep, accept: Accept = "") -> Response:
    """The generated MEMORY.md: who is known for what, ongoing lore, what was said lately."""
    return await _snapshot(state, accept)


@routes.post("/refresh", responses=CHANGING | _MARKDOWN, response_class=Response)
async def refresh_snapshot(state: AppStateDep, accept: Accept = "") -> Response:
    """Rebuild the snapshot, and its file if there is one, and return it."""
    return await _snapshot(state, accept)


@routes.get("/search", responses=READING)
async def search_facts(
    state: AppStateDep,
    q: Annotated[str, Query(max_length=8_000)] = "",
    guild: Annotated[Id, Query(alias="guildId")] = "",
    channel: Annotated[Id, Query(alias="channelId", description="A hint, not a filter.")] = "",
    limit: Annotated[int, Query(ge=-MAX_INTEGER, le=MAX_INTEGER, description="Clamped to 1 to 24.")] = 10,
) -> Facts:
    """Relevant active facts of a guild, whomever they are about; nothing when nothing is relevant."""
    query, guild_id, channel_id = q.strip(), guild.strip(), channel.strip() or None
    if not query or not guild_id:
        return Facts(results=[], queryText=query, guildId=guild_id, channelId=channel_id, limit=0)
    hits = await state.admin.search_guild(query, guild_id, RANKER, channel=channel_id, limit=clamp_limit(limit))
    results = [_fact(hit) for hit in hits]
    return Facts(results=results, queryText=query, guildId=guild_id, channelId=channel_id, limit=clamp_limit(limit))


async def _snapshot(state: AppState, accept: str) -> Response:
    text = await state.memory.mirror.rewrite()
    if "application/json" in accept and "text/markdown" not in accept:
        return JSONResponse({"markdown": text})
    return Response(text, media_type="text/markdown; charset=utf-8")


def _fact(hit: Hit) -> FactOut:
    memo = hit.item
    assert isinstance(memo, Memo)  # noqa: S101 - only memos are searched
    source = memo.source
    return FactOut(
        id=memo.id,
        created_at=memo.created.isoformat(),
        updated_at=memo.updated.isoformat(),
        guild_id=source.guild,
        channel_id=source.channel,
        subject=LORE if memo.subject.is_lore else split_person(memo.subject.id)[1],
        fact=memo.text,
        fact_type=memo.label if memo.label in _LABELS else _TYPES.get(memo.kind, "other"),
        evidence_text=source.evidence,
        source_message_id=source.message,
        confidence=memo.confidence,
        score=hit.score,
        parts=hit.parts,
    )


def create(spec: str) -> APIRouter:  # noqa: ARG001 - it has no options
    return routes
