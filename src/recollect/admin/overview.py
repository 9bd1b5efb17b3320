"""The operator's overview: totals, changes per day, queued jobs, recent problems and the cost of model calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.memory import AsyncMemory
from recollect.settings import wiring

DEFAULT_DAYS = 14
PROBLEM_KINDS = (
    EventKind.JOB_ERROR,
    EventKind.JOB_FAILED,
    EventKind.JOB_DROPPED,
    EventKind.EXTRACT_ERROR,
    EventKind.EXTRACT_DEGRADED,
    EventKind.RELEARN_ERROR,
    EventKind.SUMMARIZE_ERROR,
    EventKind.CONSOLIDATE_ERROR,
    EventKind.DAILY_LOG_ERROR,
    EventKind.ERASE_ERROR,
    EventKind.EMBEDDING_ERROR,
)
MODEL_CALL_KINDS = (
    EventKind.EXTRACT_CALL,
    EventKind.SUMMARY_CALL,
    EventKind.CONSOLIDATION_DONE,
    EventKind.CONSOLIDATION_ABORTED,
)
REFUSED_KIND = EventKind.MEMO_REFUSED
_MAX_PROBLEMS = 5
_CALLS_PER_PAGE, _MAX_PAGES = 2_000, 25
"""Model calls of the last day per read, and the most reads."""


@dataclass(frozen=True, slots=True)
class Day:
    """The number of changes on one day, in UTC."""

    day: date
    learned: int
    revised: int
    retired: int
    refused: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Model calls and tokens within a day."""

    calls: int
    input: int
    output: int


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of a memory at a glance."""

    memos: int
    messages: int
    days: tuple[Day, ...]
    jobs: Mapping[str, int]
    delayed_jobs: int
    """How many waiting jobs are not due yet."""
    problems: tuple[Event, ...]
    cost: Cost
    prompts: int
    """Prompts requested since this process started."""
    cached_prompts: int
    """How many of them came from the cache."""
    paused: tuple[str, ...] = ()
    """Servers and DMs that have spent today's model budget, as `platform:id`."""


async def read_overview(memory: AsyncMemory, now: datetime, days: int) -> Overview:
    """Read the overview, with changes per day for the last `days` days."""
    first = now.date() - timedelta(days=days - 1)

    def work(tx: Tx) -> Overview:
        totals, counts_by_day = tx.index.row_counts(), tx.events.days(first)
        prompts, reused = memory.engine.composer.cache_counts
        return Overview(
            memos=totals["memos"],
            messages=totals["messages"],
            days=tuple(_count_day(day, counts_by_day.get(day, {})) for day in _dates(first, days)),
            jobs=tx.jobs.counts(),
            delayed_jobs=tx.jobs.count_delayed(now),
            problems=tuple(tx.events.list(kinds=PROBLEM_KINDS, limit=_MAX_PROBLEMS)),
            cost=_add_up_cost(model_calls(tx, now - timedelta(days=1))),
            prompts=prompts,
            cached_prompts=reused,
            paused=tuple(wiring.budget(memory.settings).paused(tx, now)),
        )

    return await memory.store.read(work)


def model_calls(tx: Tx, since: datetime) -> list[Event]:
    """Calls of models since then, newest first; of a very busy memory, the newest 50,000."""
    calls: list[Event] = []
    for _ in range(_MAX_PAGES):
        page = tx.events.list(kinds=MODEL_CALL_KINDS, limit=_CALLS_PER_PAGE, before=calls[-1].id if calls else None)
        recent = [event for event in page if event.at >= since]
        calls += recent
        if len(recent) < _CALLS_PER_PAGE:
            break
    return calls


def _dates(first: date, days: int) -> list[date]:
    return [first + timedelta(days=offset) for offset in range(days)]


def _count_day(day: date, counts: Mapping[str, int]) -> Day:
    learned, revised, retired, refused = (
        counts.get(kind, 0)
        for kind in (EventKind.MEMO_ADDED, EventKind.MEMO_REVISED, EventKind.MEMO_RETIRED, REFUSED_KIND)
    )
    return Day(day, learned, revised, retired, refused)


def _add_up_cost(calls: Sequence[Event]) -> Cost:
    recent = [event.data for event in calls]
    input_tokens, output_tokens = (sum(int(data.get(name, 0)) for data in recent) for name in ("input", "output"))
    requests = sum(int(data.get("requests", bool(data.get("input")))) for data in recent)
    return Cost(requests, input_tokens, output_tokens)
