"""One search for everything; and what a person in a place would find, by each ranker, or get as a prompt."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.people import Asker
from recollect.core.types import Message, Status, Subject, bare_id
from recollect.faces.assistant.request import ChatRequest, chat_request
from recollect.faces.http.pages.context import PageContext, PageDep
from recollect.faces.http.pages.format import memo_url
from recollect.recall.query import Hit
from recollect.recall.rankers import DesignRanker

router = APIRouter(include_in_schema=False)

RANKERS: dict[DesignRanker, str] = {
    "unified": "ours: words, meaning, time and use together",
    "recency": "newest first, whatever was asked",
    "overlap": "words in common, with small boosts",
    "hybrid": "a weighted sum behind a gate",
    "rrf": "ranks by words and by meaning, fused",
}
MEMO_SECTIONS = ("durable", "lore")
MULTIPLIERS = ("speaker", "date", "statement", "standing")
"""Parts of a `unified` score that multiply the others."""
MAX_HITS = 8
MAX_FOUND = 12
"""Results of a group."""

Text = Annotated[str, Query(max_length=4_000)]
Name = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    value: float
    share: float
    """Relative to the largest in its column, for a bar."""
    is_multiplier: bool

    @property
    def has_no_effect(self) -> bool:
        """Whether it leaves the score unchanged."""
        return self.value == (1.0 if self.is_multiplier else 0.0)


@dataclass(frozen=True, slots=True)
class HitRow:
    hit: Hit
    parts: Sequence[Part]


@router.get("/search")
async def search(request: Request, page: PageDep, q: Text = "") -> HTMLResponse:
    typed = q.strip()
    results = await page.state.admin.search_everything(typed, MAX_FOUND) if typed else None
    return page.render(request, "search.html", part="search_results.html", q=q, found=results)


@router.get("/search/rankers")
async def compare_rankers(
    request: Request, page: PageDep, q: Text = "", user: Name = "", place: Name = "", over: Name = "", strict: Name = ""
) -> HTMLResponse:
    asker = await page.state.admin.asker(user, place)
    columns: Mapping[str, Sequence[HitRow]] = {}
    if q.strip() and asker.user:
        corpus = "messages" if over == "messages" else "memos"
        results = await asyncio.gather(
            *(
                page.state.memory.search(
                    q,
                    user=asker.user,
                    place=asker.place,
                    over=corpus,
                    limit=MAX_HITS,
                    ranker=ranker,
                    strict=bool(strict),
                    count_use=False,
                )
                for ranker in RANKERS
            )
        )
        columns = {ranker: _hit_rows(hits) for ranker, hits in zip(RANKERS, results, strict=True)}
    return page.render(
        request, "rankers.html", q=q, asker=asker, over=over, strict=strict, columns=columns, rankers=RANKERS
    )


def _hit_rows(hits: Sequence[Hit]) -> list[HitRow]:
    names = list(dict.fromkeys(name for hit in hits for name in hit.parts))
    largest = {name: max(abs(hit.parts.get(name, 0.0)) for hit in hits) for name in names}
    return [HitRow(hit, [_part(name, value, largest[name]) for name, value in hit.parts.items()]) for hit in hits]


def _part(name: str, value: float, largest: float) -> Part:
    return Part(name, value, abs(value) / largest if largest else 0.0, name in MULTIPLIERS)


@router.get("/prompt")
async def prompt(request: Request, page: PageDep, q: Text = "", user: Name = "", place: Name = "") -> HTMLResponse:
    asker = await page.state.admin.asker(user, place)
    preview: ChatRequest | None = None
    if q.strip() and asker.user:
        author = bare_id(asker.place.platform, asker.user)
        message = Message(uuid4().hex, author, asker.place, q, page.state.clock(), name=author)
        preview = await chat_request(page.state.memory, message, count_use=False)
    links = await _memo_links(page, asker, preview) if preview else {}
    total = sum(part.tokens for part in preview.parts()) if preview else 0
    return page.render(request, "prompt.html", q=q, asker=asker, sent=preview, tokens=total, links=links)


async def _memo_links(page: PageContext, asker: Asker, sent: ChatRequest) -> dict[str, str]:
    """For each line of a prompt that quotes a memo, the page of the memo."""
    subjects = [Subject(asker.user), *([Subject.lore(key)] if (key := asker.place.guild_key) else [])]
    listings = [await page.state.admin.memos(subject, statuses=[Status.ACTIVE], limit=500) for subject in subjects]
    memos = sorted((memo for listing in listings for memo in listing.memos), key=lambda memo: -len(memo.text))
    lines = {line.text for section in sent.prompt.sections if section.name in MEMO_SECTIONS for line in section.lines}
    quoted = {line: next((memo for memo in memos if memo.text in line), None) for line in lines}
    return {line: memo_url(memo.subject, memo.id) for line, memo in quoted.items() if memo is not None}
