"""Daily budgets: how many tokens the models of a tenant, a server or a DM, may read and write per day (UTC): for
learning, and, where a face answers many people, for learning and replies together.

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
    """For learning."""
    shared_tokens: int | None = None
    """For learning and replies together, unless less is set for a tenant."""

    def spend(self, tx: Tx, tenant: str, usage: Usage, now: datetime, kind: StateKind = StateKind.MODEL_USAGE) -> None:
        """Count model calls, of learning or of replies; the one that spends the budget is logged."""
        if not usage.requests:
            return
        owner, was_spent, day = _owner(tenant), self.is_spent(tx, tenant, now), _day(now)
        total = total_usage(used_today(tx, tenant, now, kind), usage)
        tx.state.clear(kind, tenant)
        item = f"{day} {total.requests} {total.input} {total.output}"
        tx.state.append(kind, tenant, item, owner)
        if not self.is_spent(tx, tenant, now):
            tx.state.remove(StateKind.BUDGET_SPENT, day, [tenant])  # it was raised
        # Only the call that crosses the limit is logged, not every one after it.
        elif not was_spent:
            for past in tx.state.keys(StateKind.BUDGET_SPENT):
                if past != day:
                    tx.state.clear(StateKind.BUDGET_SPENT, past)
            tx.state.append(StateKind.BUDGET_SPENT, day, tenant, owner)
            log.warning("%s: %s has spent its tokens of today", PAUSED, tenant)
            event = Event(EventKind.LEARNING_PAUSED, now, reason=Reason.BUDGET_SPENT, data={"tenant": tenant})
            tx.events.add(event)

    def is_spent(self, tx: Tx, tenant: str, now: datetime) -> bool:
        """Whether nothing is left for learning."""
        use = self.use(tx, tenant, now)
        return use.is_spent or (self.daily_tokens is not None and use.learning >= self.daily_tokens)

    def use(self, tx: Tx, tenant: str, now: datetime) -> "TokenUse":
        """The tokens that a tenant's models used today, and their limits."""
        limits = [int(item) for item in tx.state.items(StateKind.TOKEN_LIMIT, tenant)]
        limits += [] if self.shared_tokens is None else [self.shared_tokens]
        learning, replies = (
            sum((usage.input, usage.output))
            for usage in (used_today(tx, tenant, now), used_today(tx, tenant, now, StateKind.REPLY_USAGE))
        )
        return TokenUse(learning, replies, min(limits, default=None))

    def paused(self, tx: Tx, now: datetime) -> list[str]:
        """The tenants that have spent today's budget."""
        spent = tx.state.items(StateKind.BUDGET_SPENT, _day(now))
        return [tenant for tenant in spent if self.is_spent(tx, tenant, now)]


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of one tenant today, and its limit for both."""

    learning: int
    replies: int
    limit: int | None

    @property
    def left(self) -> int | None:
        """What is left for learning and replies, below zero if they took more; None without a limit."""
        return None if self.limit is None else self.limit - self.learning - self.replies

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left for learning and replies."""
        return self.left is not None and self.left <= 0


class ReplyBudget:
    """The budget of a tenant, for a face that answers many people."""

    def __init__(self, store: Store, budget: TokenBudget, clock: Clock) -> None:
        self._store, self._budget, self._clock = store, budget, clock

    async def use(self, tenant: str) -> TokenUse:
        now = self._clock()
        return await self._store.read(lambda tx: self._budget.use(tx, tenant, now))

    async def is_learning_paused(self, tenant: str) -> bool:
        now = self._clock()
        return await self._store.read(lambda tx: self._budget.is_spent(tx, tenant, now))

    async def spend(self, tenant: str, usage: Usage) -> None:
        """Count the model calls of a reply."""
        now, kind = self._clock(), StateKind.REPLY_USAGE
        await self._store.write(lambda tx: self._budget.spend(tx, tenant, usage, now, kind))

    async def set_limit(self, tenant: str, tokens: int | None) -> None:
        """Set, or lift, the limit of a server."""

        def work(tx: Tx) -> None:
            tx.state.clear(StateKind.TOKEN_LIMIT, tenant)
            if tokens:
                owner = Owner.guild(tenant.partition(":")[2])
                tx.state.append(StateKind.TOKEN_LIMIT, tenant, str(tokens), owner)

        await self._store.write(work)


NO_LIMIT = TokenBudget()


class Budgeted:
    """Runs jobs with a model while there is budget. Afterwards they wait for the next day, except for those that would
    block others: these use the `floor`, which costs nothing.
    """

    def __init__(
        self, handler: Handler, store: Store, budget: TokenBudget, clock: Clock, floor: Handler | None = None
    ) -> None:
        self._handler, self._floor = handler, floor
        self._store, self._budget, self._clock = store, budget, clock

    async def __call__(self, job: Job) -> UnitOfWork:
        now = self._clock()
        if not await self._store.read(lambda tx: self._budget.is_spent(tx, job.tenant, now)):
            return await self._handler(job)
        if self._floor is not None and batch_key(job) is None:
            return await self._floor(job)
        # Batches wait as a whole: the floor has acknowledged their messages already.
        raise PutOff(next_day(now), PAUSED)


def used_today(tx: Tx, tenant: str, now: datetime, kind: StateKind = StateKind.MODEL_USAGE) -> Usage:
    """The model calls of a tenant since midnight."""
    for item in tx.state.items(kind, tenant):
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
