"""Domain records as documents of the API; every field is always present."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import Field

from recollect.admin import MemoDetails
from recollect.admin.messages import TranscriptLine
from recollect.admin.overview import Overview
from recollect.admin.people import Owner
from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.ports.jobs import Job, JobState
from recollect.core.types import Kind, Memo, Message, Origin, Status, Summary
from recollect.faces.http.api.common import Next, Wire
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
    """A memo."""

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
    created: datetime = Field(description="When it was said first.")
    updated: datetime = Field(description="When it was said last.")
    happened: datetime | None
    expires: datetime | None
    supersedes: str | None
    superseded_by: str | None
    hits: int = Field(description="How often it was of use.")
    version: int = Field(description="Counts its changes; send it with a change, so that no other one is overwritten.")


class MemoPage(Wire):
    memos: list[MemoOut]
    total: int = Field(description="How many there are in all.")
    next: Next


class PlaceOut(Wire):
    platform: str
    guild: str | None
    channel: str | None
    thread: str | None
    dm: str | None
    name: str | None
    public: bool
    private_thread: bool
    readers: str = Field(description="Who can read it, where that is known.")
    session: str = Field(description="The conversation that it belongs to.")


class MessageOut(Wire):
    id: str
    author: str
    name: str
    place: PlaceOut
    text: str
    at: datetime = Field(description="When it was said.")
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
    code: str | None = Field(description="The reason for programs: it stays when its words change.")
    detail: str = Field(description="What completes the reason, such as an audience or an error message.")
    data: dict[str, Any]


class MessagePage(Wire):
    messages: list[MessageOut]
    next: Next


class MessageDetails(Wire):
    """A message, what was learned from it, and what was refused."""

    message: MessageOut
    memos: list[MemoOut] = Field(description="What was learned from it, whatever the status now.")
    refused: list["EventOut"] = Field(description="What was not, and why.")


class EventPage(Wire):
    events: list[EventOut]
    next: Next


class History(Wire):
    events: list[EventOut]


class WhyOut(Wire):
    """Where a memo comes from, and what happened to it."""

    memo: MemoOut
    events: list[EventOut] = Field(description="What happened to it, newest first.")
    message: MessageOut | None = Field(description="The message that its words come from, if it is still there.")


class PersonOut(Wire):
    user: str
    name: str = Field(description="What they are called; empty when nobody said it.")
    memos: int
    updated: datetime | None = Field(description="When something was last stated or learned about them.")
    seen: datetime | None = Field(description="When they last said something that is kept.")
    paused: bool = Field(description="Whether nothing is learned from what they say.")


class PeoplePage(Wire):
    people: list[PersonOut]
    next: Next


class GuildOut(Wire):
    guild: str
    name: str = Field(description="What it is called; empty when nobody said it.")
    memos: int = Field(description="Of its lore.")
    updated: datetime | None
    paused: bool = Field(description="Whether nothing is learned from what is said there.")


class GuildsPage(Wire):
    guilds: list[GuildOut]
    next: Next


class SummaryOut(Wire):
    session: str
    text: str
    sequence: int
    updated: datetime
    through: datetime | None


class SummaryHistory(Wire):
    current: SummaryOut | None
    earlier: list[SummaryOut] = Field(description="Those before it, newest first.")


class HitOut(Wire):
    """A hit with the parts of its score."""

    score: float
    relevant: bool = Field(True, description="False for what is merely nearest: nothing fits better.")
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
    reused: int = Field(description="How many of them came from the cache.")
    learning_paused: list[str] = Field(
        description="Servers and DMs, as platform:id, whose budget of today is spent: their models wait for tomorrow."
    )


def from_memo(memo: Memo) -> MemoOut:
    fields = serialization.memo_fields(memo)
    del fields["source"]["trace"]
    subject, guild = fields.pop("subject"), fields.pop("subject_guild")
    return MemoOut(user=None if memo.subject.is_lore else subject, guild=guild, **fields)


def from_message(message: Message) -> MessageOut:
    return MessageOut.model_validate(message)


def from_event(event: Event) -> EventOut:
    return EventOut(
        id=event.id,
        kind=event.kind,
        at=event.at,
        actor=event.actor,
        scope=event.scope,
        memo=event.memo,
        reason=event.text,
        code=None if event.reason is None else event.reason.name.lower(),
        detail=event.detail,
        data=dict(event.data),
    )


def from_details(details: MemoDetails) -> WhyOut:
    return WhyOut(
        memo=from_memo(details.memo),
        events=[from_event(event) for event in details.events],
        message=None if details.message is None else from_message(details.message),
    )


def from_line(line: TranscriptLine) -> MessageDetails:
    return MessageDetails(
        message=from_message(line.message),
        memos=[from_memo(memo) for memo in line.memos],
        refused=[from_event(event) for event in line.refused],
    )


def from_person(owner: Owner) -> PersonOut:
    return PersonOut(
        user=owner.subject.id,
        name=owner.name,
        memos=owner.memos,
        updated=owner.last,
        seen=owner.seen,
        paused=owner.paused,
    )


def from_guild(owner: Owner) -> GuildOut:
    guild = owner.subject.guild or ""
    return GuildOut(guild=guild, name=owner.name, memos=owner.memos, updated=owner.last, paused=owner.paused)


def from_summary(summary: Summary) -> SummaryOut:
    return SummaryOut.model_validate(summary)


def from_hit(hit: Hit) -> HitOut:
    item = hit.item
    return HitOut(
        score=hit.score,
        relevant=hit.relevant,
        parts=hit.parts,
        memo=from_memo(item) if isinstance(item, Memo) else None,
        message=from_message(item) if isinstance(item, Message) else None,
    )


def from_job(job: Job) -> JobOut:
    return JobOut(
        id=job.id,
        kind=job.kind,
        queue=job.queue,
        lane=job.queue,
        state=job.state,
        attempts=job.attempts,
        due=job.due,
        error=job.error,
    )


def job_counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {str(state): counts.get(state, 0) for state in (JobState.WAITING, JobState.CLAIMED, JobState.FAILED)}


def from_overview(overview: Overview) -> Stats:
    days = [
        DayOut(
            day=day.day.isoformat(), learned=day.learned, revised=day.revised, retired=day.retired, refused=day.refused
        )
        for day in overview.days
    ]
    return Stats(
        memos=overview.memos,
        messages=overview.messages,
        days=days,
        jobs=job_counts(overview.jobs),
        problems=[from_event(event) for event in overview.problems],
        cost=CostOut.model_validate(overview.cost),
        prompts=overview.prompts,
        reused=overview.cached_prompts,
        learning_paused=[*overview.paused],
    )
