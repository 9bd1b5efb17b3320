"""Daily budgets: how many tokens the models of a tenant, a server or a DM, may read and write per day (UTC).

When it is spent, the models wait for the next day; the local extractor goes on learning.
"""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from recollect.core.clock import Clock
from recollect.core.events import Event, EventKind
from recollect.core.ports import Handler, PutOff, Store, Tx, UnitOfWork, Usage
from recollect.core.ports.jobs import Job
from recollect.core.reasons import Reason
from recollect.core.state import Owner, StateKind
from recollect.core.types import person_key
from recollect.learning.batches import batch_key
from recollect.learning.token_usage import total_usage

log = logging.getLogger("recollect.learning")

PAUSED = "learning paused: budget"
PAUSED_NOTICE = (
    "Learning paused: budget. Today's tokens of this place are spent; plain statements are still learned, and the "
    "model goes on tomorrow (UTC)."
)


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Tokens per tenant and day; None is no limit."""

    daily_tokens: int | None = None

    def spend(self, tx: Tx, tenant: str, usage: Usage, now: datetime) -> None:
        """Count model calls; the one that spends the budget is logged."""
        if not usage.requests:
            return
        owner, before = _owner(tenant), used_today(tx, tenant, now)
        total, day = total_usage(before, usage), _day(now)
        tx.state.clear(StateKind.MODEL_USAGE, tenant)
        item = f"{day} {total.requests} {total.input} {total.output}"
        tx.state.append(StateKind.MODEL_USAGE, tenant, item, owner)
        if not self._is_over(total):
            tx.state.remove(StateKind.BUDGET_SPENT, day, [tenant])  # it was raised
        elif not self._is_over(before):
            for past in tx.state.keys(StateKind.BUDGET_SPENT):
                if past != day:
                    tx.state.clear(StateKind.BUDGET_SPENT, past)
            tx.state.append(StateKind.BUDGET_SPENT, day, tenant, owner)
            log.warning("%s: %s has spent its %s tokens of today", PAUSED, tenant, f"{self.daily_tokens:,}")
            event = Event(EventKind.LEARNING_PAUSED, now, reason=Reason.BUDGET_SPENT, data={"tenant": tenant})
            tx.events.add(event)

    def is_spent(self, tx: Tx, tenant: str, now: datetime) -> bool:
        return self.daily_tokens is not None and self._is_over(used_today(tx, tenant, now))

    def paused(self, tx: Tx, now: datetime) -> list[str]:
        """The tenants whose models wait for tomorrow."""
        spent = tx.state.items(StateKind.BUDGET_SPENT, _day(now))
        return [tenant for tenant in spent if self.is_spent(tx, tenant, now)]

    def _is_over(self, usage: Usage) -> bool:
        return self.daily_tokens is not None and usage.input + usage.output >= self.daily_tokens


NO_LIMIT = TokenBudget()


class Budgeted:
    """Does jobs with a model while there is budget. Afterwards they wait for the next day, except for those that would
    hold up others: these are done by the `floor`, which costs nothing.
    """

    def __init__(
        self, handler: Handler, store: Store, budget: TokenBudget, clock: Clock, floor: Handler | None = None
    ) -> None:
        self._handler, self._floor = handler, floor
        self._store, self._budget, self._clock = store, budget, clock

    async def __call__(self, job: Job) -> UnitOfWork:
        now = self._clock()
        if self._budget.daily_tokens is None or not await self._store.read(
            lambda tx: self._budget.is_spent(tx, job.tenant, now)
        ):
            return await self._handler(job)
        if self._floor is not None and batch_key(job) is None:
            return await self._floor(job)
        raise PutOff(next_day(now), PAUSED)


def used_today(tx: Tx, tenant: str, now: datetime) -> Usage:
    """The model calls of a tenant since midnight."""
    for item in tx.state.items(StateKind.MODEL_USAGE, tenant):
        day, requests, read, written = item.split(" ")
        if day == _day(now):
            return Usage(int(requests), int(read), int(written))
    return Usage()


def next_day(now: datetime) -> datetime:
    return datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def _day(now: datetime) -> str:
    return now.astimezone(UTC).date().isoformat()


def _owner(tenant: str) -> Owner:
    """A tenant's id is that of a guild or of a person: its record goes with either."""
    platform, _, name = tenant.partition(":")
    return Owner.member(person_key(platform, name), name)
