"""Search and prompt: what memory would find, and what a model would be given, for someone in some place."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.names import NameMatch, Names, match_name
from recollect.core.ports import Tx
from recollect.core.types import Message, Place
from recollect.faces.http.pages import places
from recollect.faces.http.pages.context import At, PageContext
from recollect.policy.budget import tokens
from recollect.prompting.assemble import Prompt
from recollect.recall.query import Hit

router = APIRouter(include_in_schema=False)

RANKERS = {
    "unified": "ours: words, meaning, time and use together",
    "recency": "newest first, whatever was asked",
    "overlap": "words in common, with small boosts",
    "hybrid": "a weighted sum behind a gate",
    "rrf": "ranks by words and by meaning, fused",
}
MULTIPLIED = ("speaker", "date", "statement", "standing")
"""Parts of a score of `unified` by which the others are multiplied."""
SHOWN = 8
_PEOPLE = 100

Text = Annotated[str, Query(max_length=4_000)]
Name = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    value: float
    share: float
    """Of the largest in its column, for a bar; 0 where there is none to compare with."""
    multiplied: bool

    @property
    def idle(self) -> bool:
        """Whether it leaves the score as it is."""
        return self.value == (1.0 if self.multiplied else 0.0)


@dataclass(frozen=True, slots=True)
class HitRow:
    found: Hit
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks where, and what there is to choose from."""

    meant: NameMatch | None
    place: Place
    people: Mapping[str, str]
    """Those who can be chosen, and what they are called, if that is known."""
    places: Sequence[Place]

    @property
    def user(self) -> str:
        """The id of who asks; empty as long as that is not clear."""
        return self.meant.id if self.meant else ""

    @property
    def typed(self) -> str:
        return self.meant.typed if self.meant else ""

    @property
    def name(self) -> str:
        return self.people.get(self.user) or self.user


@router.get("/search")
async def search(
    request: Request, desk: At, q: Text = "", user: Name = "", place: Name = "", over: Name = "", strict: Name = ""
) -> HTMLResponse:
    asked = await _asked(desk, user, place)
    columns: Mapping[str, Sequence[HitRow]] = {}
    if q.strip() and asked.user:
        corpus = "messages" if over == "messages" else "memos"
        found = await asyncio.gather(
            *(
                desk.house.memory.search(
                    q,
                    user=asked.user,
                    place=asked.place,
                    over=corpus,
                    limit=SHOWN,
                    ranker=ranker,
                    strict=bool(strict),
                    count_use=False,
                )
                for ranker in RANKERS
            )
        )
        columns = {ranker: _hits(hits) for ranker, hits in zip(RANKERS, found, strict=True)}
    return desk.page(
        request, "search.html", q=q, asked=asked, over=over, strict=strict, columns=columns, rankers=RANKERS
    )


def _hits(found: Sequence[Hit]) -> list[HitRow]:
    names = list(dict.fromkeys(name for one in found for name in one.parts))
    largest = {name: max(abs(one.parts.get(name, 0.0)) for one in found) for name in names}
    return [HitRow(one, [_part(name, value, largest[name]) for name, value in one.parts.items()]) for one in found]


def _part(name: str, value: float, largest: float) -> Part:
    return Part(name, value, abs(value) / largest if largest else 0.0, name in MULTIPLIED)


@router.get("/prompt")
async def prompt(request: Request, desk: At, q: Text = "", user: Name = "", place: Name = "") -> HTMLResponse:
    asked = await _asked(desk, user, place)
    made: Prompt | None = None
    if q.strip() and asked.user:
        said = Message(uuid4().hex, asked.user, asked.place, q, desk.house.clock(), name=asked.user)
        made = await desk.house.memory.context(said, count_use=False)
    size = len(made.text) if made else 0
    return desk.page(request, "prompt.html", q=q, asked=asked, prompt=made, size=size, tokens=tokens(size))


async def _asked(desk: PageContext, user: str, place: str) -> Asked:
    def look(tx: Tx) -> Asked:
        names = Names(tx)
        whom = match_name(tx, user) if user else None
        who = whom.id if whom else ""
        people = {subject.id: names(subject.id) for subject, _ in tx.memos.owners(limit=_PEOPLE)}
        people |= {who: names(who)} if who else {}
        known = places.known(tx, who)
        named = places.parsed(place) if place else None
        where = places.resolved(tx, named) if named else next(iter(known), Place(dm=who))
        if where.session not in {one.session for one in known}:
            known.append(where)
        return Asked(whom, where, people, known if who else [])

    return await desk.house.memory.store.read(look)
