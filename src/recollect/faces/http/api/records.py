"""What the API tells: records of the domain as documents whose fields are always there."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import Field

from recollect.admin import MemoDetails
from recollect.admin.overview import Overview
from recollect.core.events import Event
from recollect.core.ports.jobs import Job, JobState
from recollect.core.types import Kind, Memo, Message, Origin, Place, Status, Subject, Summary
from recollect.faces.http.api.common import Wire
from recollect.recall.query import Hit


class SourceOut(Wire):
    """Where a memo came from."""

    origin: Origin
    actor: str = Field(description="Who said it, or wrote it down.")
    platform: str
    guild: str | None
    channel: str | None
    channel_name: str | None
    thread: str | None
    message: str | None = Field(description="The id of the message that said it.")
    evidence: str | None = Field(description="The words that it rests on.")
    heard: str | None = Field(description="Who could hear it there.")
    metadata: dict[str, Any]


class MemoOut(Wire):
    """One thing that is remembered."""

    id: str
    user: str | None = Field(description="Whom it is about; null for lore.")
    guild: str | None = Field(description="The guild that the lore belongs to; null for a person's memo.")
    kind: Kind
    text: str
    tags: list[str]
    status: Status
    confidence: float
    pinned: bool
    audience: str = Field(description="Who may hear it: everywhere, guild:…, channel:…/… or dm:….")
    label: str | None
    source: SourceOut
    created: datetime
    updated: datetime
    happened: datetime | None
    expires: datetime | None
    supersedes: str | None
    superseded_by: str | None
    hits: int = Field(description="How often it was of use.")


class MemoPage(Wire):
    memos: list[MemoOut]
    total: int = Field(description="How many there are in all.")
    limit: int
    offset: int


class PlaceOut(Wire):
    platform: str
    guild: str | None
    channel: str | None
    thread: str | None
    dm: str | None
    name: str | None
    public: bool
    private_thread: bool
    session: str = Field(description="The conversation that it belongs to.")


class MessageOut(Wire):
    id: str
    author: str
    name: str
    place: PlaceOut
    text: str
    at: datetime
    bot: bool
    source: str
    reply_to: str | None


class EventOut(Wire):
    """One line of the log."""

    id: int
    kind: str
    at: datetime
    actor: str
    scope: str
    memo: str | None
    reason: str
    data: dict[str, Any]


class EventPage(Wire):
    events: list[EventOut]
    before: int | None = Field(description="Ask with this for what came before; null at the beginning.")


class History(Wire):
    events: list[EventOut]


class WhyOut(Wire):
    """Why a memo is what it is."""

    memo: MemoOut
    events: list[EventOut] = Field(description="What happened to it, newest first.")
    message: MessageOut | None = Field(description="The message that its words come from, if it is still there.")


class Holder(Wire):
    id: str
    memos: int


class Owners(Wire):
    found: list[Holder]
    after: str | None = Field(description="Ask with this for those that follow; null at the end.")


class SummaryOut(Wire):
    session: str
    text: str
    sequence: int
    updated: datetime
    through: datetime | None


class SummaryHistory(Wire):
    current: SummaryOut | None
    earlier: list[SummaryOut] = Field(description="Those before it, newest first.")


class FoundOut(Wire):
    """A result with its score taken apart."""

    score: float
    parts: dict[str, float] = Field(description="What the score is made of.")
    memo: MemoOut | None
    message: MessageOut | None


class JobOut(Wire):
    id: int
    kind: str
    queue: str = Field(description="Jobs of one queue run in order.")
    lane: str = Field(description="The same as `queue`, by its former name.")
    state: str
    attempts: int
    due: datetime
    error: str | None


class DayOut(Wire):
    day: str
    learned: int
    revised: int
    retired: int
    refused: int


class CostOut(Wire):
    calls: int
    input: int
    output: int


class Stats(Wire):
    memos: int
    messages: int
    days: list[DayOut]
    jobs: dict[str, int]
    problems: list[EventOut]
    cost: CostOut = Field(description="Calls and tokens of models within the last day.")
    prompts: int = Field(description="Prompts that were asked for since the start.")
    reused: int = Field(description="How many of them were at hand.")


def memo(one: Memo) -> MemoOut:
    source = one.source
    return MemoOut(
        id=one.id,
        user=None if one.subject.is_lore else one.subject.id,
        guild=one.subject.guild,
        kind=one.kind,
        text=one.text,
        tags=list(one.tags),
        status=one.status,
        confidence=one.confidence,
        pinned=one.pinned,
        audience=str(one.audience),
        label=one.label,
        source=SourceOut(
            origin=source.origin,
            actor=source.actor,
            platform=source.platform,
            guild=source.guild,
            channel=source.channel,
            channel_name=source.channel_name,
            thread=source.thread,
            message=source.message,
            evidence=source.evidence,
            heard=str(source.heard) if source.heard else None,
            metadata=dict(source.metadata),
        ),
        created=one.created,
        updated=one.updated,
        happened=one.happened,
        expires=one.expires,
        supersedes=one.supersedes,
        superseded_by=one.superseded_by,
        hits=one.hits,
    )


def place(one: Place) -> PlaceOut:
    return PlaceOut(
        platform=one.platform,
        guild=one.guild,
        channel=one.channel,
        thread=one.thread,
        dm=one.dm,
        name=one.name,
        public=one.public,
        private_thread=one.private_thread,
        session=one.session,
    )


def message(one: Message) -> MessageOut:
    return MessageOut(
        id=one.id,
        author=one.author,
        name=one.name,
        place=place(one.place),
        text=one.text,
        at=one.at,
        bot=one.bot,
        source=one.source,
        reply_to=one.reply_to,
    )


def event(one: Event) -> EventOut:
    return EventOut(
        id=one.id,
        kind=one.kind,
        at=one.at,
        actor=one.actor,
        scope=one.scope,
        memo=one.memo,
        reason=one.reason,
        data=dict(one.data),
    )


def why(one: MemoDetails) -> WhyOut:
    return WhyOut(
        memo=memo(one.memo),
        events=[event(each) for each in one.events],
        message=None if one.message is None else message(one.message),
    )


def owners(found: Sequence[tuple[Subject, int]], limit: int) -> Owners:
    shown = [
        Holder(id=(subject.guild or "") if subject.is_lore else subject.id, memos=count) for subject, count in found
    ]
    return Owners(found=shown, after=found[-1][0].scope if len(found) == limit else None)


def summary(one: Summary) -> SummaryOut:
    return SummaryOut(
        session=one.session, text=one.text, sequence=one.sequence, updated=one.updated, through=one.through
    )


def found(one: Hit) -> FoundOut:
    what = one.item
    return FoundOut(
        score=one.score,
        parts=one.parts,
        memo=memo(what) if isinstance(what, Memo) else None,
        message=message(what) if isinstance(what, Message) else None,
    )


def job(one: Job) -> JobOut:
    return JobOut(
        id=one.id,
        kind=one.kind,
        queue=one.queue,
        lane=one.queue,
        state=one.state,
        attempts=one.attempts,
        due=one.due,
        error=one.error,
    )


def counts(found: Mapping[str, int]) -> dict[str, int]:
    return {str(state): found.get(state, 0) for state in (JobState.WAITING, JobState.CLAIMED, JobState.FAILED)}


def stats(one: Overview) -> Stats:
    days = [
        DayOut(
            day=each.day.isoformat(),
            learned=each.learned,
            revised=each.revised,
            retired=each.retired,
            refused=each.refused,
        )
        for each in one.days
    ]
    return Stats(
        memos=one.memos,
        messages=one.messages,
        days=days,
        jobs=counts(one.jobs),
        problems=[event(each) for each in one.problems],
        cost=CostOut(calls=one.cost.calls, input=one.cost.input, output=one.cost.output),
        prompts=one.prompts,
        reused=one.reused,
    )
