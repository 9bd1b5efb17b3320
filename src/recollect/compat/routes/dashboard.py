"""The dashboard's routes of document D: the facts of one guild, and its snapshot `MEMORY.md`."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import JSONResponse

from recollect.compat.rankers import hybrid
from recollect.core.ports import Filters, Tx
from recollect.core.ports.ranker import RankQuery
from recollect.core.types import LORE, Kind, Memo, Subject, guild_key
from recollect.faces.http.api.common import CHANGING, MAX_INTEGER, MAX_NAME_CHARS, READING, Wire
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.memory import AsyncMemory
from recollect.recall import search
from recollect.recall.query import Hit
from recollect.recall.query import Query as SearchQuery
from recollect.recall.rankers import unified

MAX_FACTS = 24
"""Facts per response."""


async def facts(
    memory: AsyncMemory, query: str, guild: str, now: datetime, channel: str | None = None, limit: int = 10
) -> list[Hit]:
    """Active facts of a guild that are relevant, best first; the channel is a hint, not a filter."""
    question = RankQuery(query, now, channel)
    vector = await memory.vectors.embed_query(unified.parse_query(question, ()).topic, "memos")

    def work(tx: Tx) -> list[Hit]:
        ask = SearchQuery(
            question=question,
            corpus="memos",
            scopes=_scopes(tx, guild),
            ranker=hybrid.create("hybrid"),
            limit=clamp_limit(limit),
            strict=True,
            filters=Filters(guild=_platform_id(guild)),
            vector=vector,
        )
        return search.search(tx, ask, lambda memo: _is_of(memo, guild, now)) if ask.scopes else []

    return await memory.store.read(work)


def clamp_limit(limit: int) -> int:
    return max(1, min(limit, MAX_FACTS))


def _scopes(tx: Tx, guild: str) -> list[str]:
    """Of everyone of whom something was learned there, and of the guild's lore."""
    scopes = (memo.subject.scope for memo in tx.memos.stated_by(guild=_platform_id(guild)) if memo.active)
    return [*dict.fromkeys([*scopes, Subject.lore(guild).scope])]


def _is_of(memo: Memo, guild: str, now: datetime) -> bool:
    source = memo.source
    if memo.expires is not None and memo.expires <= now:
        return False
    if memo.subject.is_lore:
        return memo.subject.guild == guild
    return source.guild is not None and guild_key(source.platform, source.guild) == guild


def _platform_id(guild: str) -> str:
    """The guild's id on its own platform, as sources have it."""
    return guild.partition("~")[2] or guild


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
    """Make the snapshot anew, the file too where one is kept, and return it."""
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
    hits = await facts(state.memory, query, guild_id, state.clock(), channel_id, limit)
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
        subject=LORE if memo.subject.is_lore else memo.subject.id,
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
