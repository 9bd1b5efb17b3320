"""Reflection: while a user is away, their memory is tidied. One batch, which `undo` takes back as a whole.

Memos are read, a model may say which belong together, `plan` decides. What was read must still hold in the
transaction that writes, or all of it is done again; a plan that goes too far is only noted.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.core.changes import Retire, Revise
from recollect.core.clock import Clock
from recollect.core.errors import ModelError, ModelUnavailable, StoreBusy
from recollect.core.events import Event
from recollect.core.ports import ExtractionResult, Model, Progress, StaleResult, Store, Tx, UnitOfWork, Usage
from recollect.core.ports.jobs import Job
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, write
from recollect.learning.consolidate.plan import (
    MERGED,
    ConsolidationInput,
    ConsolidationOptions,
    Plan,
    begin,
    finish,
    tally,
    tidy,
)
from recollect.learning.consolidate.proposals import accept, groups
from recollect.learning.schedule import consolidation_job

__all__ = [
    "MERGED",
    "ConsolidationInput",
    "ConsolidationOptions",
    "ConsolidationReport",
    "Consolidator",
    "Plan",
    "plan",
    "tally",
]

log = logging.getLogger("recollect.learning")

ACTOR = "consolidation"
_LOOK_BACK = 2_000
"""Events of a subject that tell how often something was stated, and what was undone."""
_TRIES = 5
_STATED = ("stated again", "other words for the same fact")
_DONE, _ABORTED = "consolidation.done", "consolidation.aborted"


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What a dream changed, or would change when nothing was `applied`; `abort` says why it may not."""

    subject: Subject
    changes: tuple[Revise | Retire, ...] = ()
    memos: int = 0
    """Memos that were in use before."""
    abort: str = ""
    applied: bool = False
    problems: tuple[str, ...] = ()
    """What the model got wrong."""
    usage: Usage = field(default_factory=Usage)

    @property
    def description(self) -> str:
        """In a few words what came of it."""
        counts = [f"{count} {name}" for name, count in tally(self.changes).items() if count]
        return self.abort or ", ".join(counts) or "nothing to change"


class Consolidator:
    """Dreams on demand, and does the jobs of the kind `consolidate`. The model is made when it is first asked."""

    def __init__(
        self, store: Store, model: Callable[[], Model] | None, rules: ConsolidationOptions, clock: Clock
    ) -> None:
        self._store = store
        self._model = model
        self._rules = rules
        self._clock = clock

    async def __call__(self, job: Job) -> UnitOfWork:
        subject = Subject(job.payload["user"])
        view = await self._store.read(lambda tx: read_input(tx, subject))
        due = None if view.last is None else view.last + self._rules.interval
        if not self._rules.enabled:
            return lambda _: None
        if due is not None and due > self._clock():
            return lambda tx: self._wait(tx, job, due)
        dream = await self._propose(subject, view)
        return lambda tx: self._apply(tx, view, dream)

    async def of(self, subject: Subject, *, dry_run: bool = False) -> ConsolidationReport:
        """Dream now; a dry run tells what would change, and changes nothing."""
        for _ in range(_TRIES):
            view = await self._store.read(lambda tx: read_input(tx, subject))
            dream = await self._propose(subject, view)
            if dry_run:
                return dream
            try:
                await self._store.write(lambda tx, view=view, dream=dream: self._apply(tx, view, dream))
            except StaleResult:
                continue
            return replace(dream, applied=not dream.abort)
        raise StoreBusy(f"the memory of {subject.id!r} kept changing; nothing was tidied")

    async def of_everyone(
        self, *, dry_run: bool = False, progress: Progress | None = None
    ) -> list[ConsolidationReport]:
        """Dream for one user after the other; those for whom there is something to tell."""
        subjects = await self._store.read(lambda tx: [one for one in tx.memos.subjects() if not one.is_lore])
        dreams: list[ConsolidationReport] = []
        for number, subject in enumerate(subjects, 1):
            dreams.append(await self.of(subject, dry_run=dry_run))
            if progress is not None:
                progress(number, len(subjects))
        return [dream for dream in dreams if dream.changes]

    async def _propose(self, subject: Subject, view: ConsolidationInput) -> ConsolidationReport:
        """What the memos come to; likeness is compared beside the loop, which goes on."""
        shown = groups(view, self._rules) if self._model and len(view.memos) >= self._rules.least else []
        answers, problems = await self._ask(shown)
        said = list(zip(shown, answers, strict=True))
        made = await asyncio.to_thread(plan, view, self._rules, self._clock(), said)
        usage = Usage(*map(sum, zip((0, 0, 0), *(_spent(answer.usage) for answer in answers), strict=True)))
        return ConsolidationReport(subject, made.changes, len(view.memos), made.abort, problems=problems, usage=usage)

    async def _ask(self, shown: Sequence[Sequence[Memo]]) -> tuple[list[ExtractionResult], tuple[str, ...]]:
        """What the model says to each group; one that it can't answer is left to words alone."""
        answers: list[ExtractionResult] = []
        problems: list[str] = []
        for group in shown:
            try:
                answers.append(await self._asked(group))
            except ModelUnavailable:
                raise
            except ModelError as error:
                answers.append(ExtractionResult())
                problems.append(str(error))
        problems += [problem for answer in answers for problem in answer.problems]
        for problem in problems:
            log.warning("what the model said was not all usable: %s", problem)
        return answers, tuple(problems)

    async def _asked(self, group: Sequence[Memo]) -> ExtractionResult:
        assert self._model is not None  # noqa: S101 - without one nothing is shown
        try:
            async with asyncio.timeout(self._rules.timeout):
                return await self._model().consolidate(group)
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {self._rules.timeout:.0f} s") from error

    def _apply(self, tx: Tx, view: ConsolidationInput, dream: ConsolidationReport) -> None:
        """Write all of it as one batch; raises Stale when memory is not what it was."""
        if _bare(tx.memos.list(dream.subject, [Status.ACTIVE])) != _bare(view.memos):
            raise StaleResult
        if not dream.changes and dream.memos < self._rules.least:
            return
        cause = ChangeContext(ACTOR, self._clock(), secrets.token_hex(8))
        kind = _ABORTED if dream.abort else _DONE
        if dream.abort:
            log.warning("a dream of %s was given up: %s", dream.subject.id, dream.abort)
        else:
            write(tx, dream.changes, cause)
        usage = dream.usage
        counts = {**tally(dream.changes), "memos": dream.memos, "input": usage.input, "output": usage.output}
        data = {"batch": cause.batch, "problems": list(dream.problems), **counts}
        tx.events.add(Event(kind, cause.at, ACTOR, dream.subject.scope, reason=dream.description, data=data))

    def _wait(self, tx: Tx, job: Job, due: datetime) -> None:
        """Not again so soon."""
        tx.jobs.add(consolidation_job(job.payload["user"], due))


def plan(
    view: ConsolidationInput,
    rules: ConsolidationOptions,
    now: datetime,
    said: Sequence[tuple[Sequence[Memo], ExtractionResult]] = (),
) -> Plan:
    """What memos come to, given what a model said to which of them: words first, what they settle needs no model."""
    draft = begin(view, now)
    if len(draft.live()) >= rules.least:
        tidy(draft, view.settled, rules)
        for shown, proposed in said:
            accept(draft, shown, proposed, rules)
        tidy(draft, view.settled, rules)
    return finish(draft, view.settled, rules)


def read_input(tx: Tx, subject: Subject) -> ConsolidationInput:
    """All that a dream rests on."""
    memos = tx.memos.list(subject, [Status.ACTIVE])
    events = tx.events.list(scope=subject.scope, limit=_LOOK_BACK)
    undone = {event.memo: event.at for event in reversed(events) if event.kind == "memo.undone"}
    return ConsolidationInput(
        memos,
        _stated(events),
        frozenset(memo.id for memo in memos if memo.id in undone and memo.updated <= undone[memo.id]),
        next((event.at for event in events if event.kind in (_DONE, _ABORTED)), None),
    )


def _stated(events: Sequence[Event]) -> dict[str, int]:
    """How many messages stated each memo again."""
    times: dict[str, set[str]] = {}
    for event in events:
        if event.kind == "memo.revised" and event.reason in _STATED and event.memo:
            times.setdefault(event.memo, set()).add(str(event.data.get("message") or event.data.get("batch")))
    return {memo: len(messages) for memo, messages in times.items()}


def _bare(memos: Sequence[Memo]) -> list[Memo]:
    """Memos without the count of their uses, which goes on all the time."""
    return [replace(memo, hits=0) for memo in memos]


def _spent(usage: Usage) -> tuple[int, int, int]:
    return usage.requests, usage.input, usage.output
