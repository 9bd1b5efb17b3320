"""How things stand in one glance: what there is, what was learned, what waits, what went wrong, what it cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.jobs.worker import count_delayed
from recollect.memory import AsyncMemory

DAYS = 14
PROBLEMS = (
    "job.failed",
    "job.dropped",
    "extract.error",
    "extract.degraded",
    "summarize.error",
    "consolidate.error",
    "daily_log.error",
    "embedding.error",
)
CALLS = ("extract.call", "summary.call", "consolidation.done", "consolidation.aborted")
REFUSED = "memo.refused"
_SHOWN = 5
_CALLS = 2_000
"""Calls of models that are added up at the most: those of the last day."""


@dataclass(frozen=True, slots=True)
class Day:
    """What changed on one day, by UTC."""

    day: date
    learned: int
    revised: int
    retired: int
    refused: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What models read and wrote within a day."""

    calls: int
    input: int
    output: int


@dataclass(frozen=True, slots=True)
class Overview:
    memos: int
    messages: int
    days: tuple[Day, ...]
    jobs: Mapping[str, int]
    later: int
    """How many of the jobs that wait are not due yet."""
    problems: tuple[Event, ...]
    cost: Cost
    prompts: int
    """Prompts that were asked for since the start of this process."""
    reused: int
    """How many of them were at hand."""


async def read_overview(memory: AsyncMemory, now: datetime, days: int) -> Overview:
    first = now.date() - timedelta(days=days - 1)

    def work(tx: Tx) -> Overview:
        totals, counted = tx.index.row_counts(), tx.events.days(first)
        asked, reused = memory.engine.composer.counted
        return Overview(
            memos=totals["memos"],
            messages=totals["messages"],
            days=tuple(_day(day, counted.get(day, {})) for day in _each(first, days)),
            jobs=tx.jobs.counts(),
            later=count_delayed(tx, now),
            problems=tuple(tx.events.list(kinds=PROBLEMS, limit=_SHOWN)),
            cost=_cost(tx.events.list(kinds=CALLS, limit=_CALLS), now - timedelta(days=1)),
            prompts=asked,
            reused=reused,
        )

    return await memory.store.read(work)


def _each(first: date, days: int) -> list[date]:
    return [first + timedelta(days=number) for number in range(days)]


def _day(day: date, counts: Mapping[str, int]) -> Day:
    learned, revised, retired, refused = (
        counts.get(kind, 0) for kind in ("memo.added", "memo.revised", "memo.retired", REFUSED)
    )
    return Day(day, learned, revised, retired, refused)


def _cost(calls: Sequence[Event], since: datetime) -> Cost:
    recent = [event.data for event in calls if event.at >= since]
    read, written = (sum(int(data.get(name, 0)) for data in recent) for name in ("input", "output"))
    asked = sum(int(data.get("requests", bool(data.get("input")))) for data in recent)
    return Cost(asked, read, written)
