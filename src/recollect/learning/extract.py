"""Learning from what was said: a model proposes, the guard checks, merging decides; one transaction a job.

A model whose answer can't be used is told why and asked once more; then the fallback learns, and the log says so.

Messages that different people could hear are studied apart, and the model is told only what may be heard where they
were said: nothing private can slip into the wording of something public.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from recollect.core.changes import Add, Candidate, Change, Revise, Skip
from recollect.core.clock import Clock
from recollect.core.errors import ModelUnavailable
from recollect.core.events import Event
from recollect.core.ports import (
    ExtractionInput,
    ExtractionResult,
    Model,
    Proposal,
    Retraction,
    StaleResult,
    Store,
    Tx,
    UnitOfWork,
    Usage,
    Vector,
)
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.text import clip
from recollect.core.types import Memo, Message, Origin, Place, Status, Subject, message_ref, parse_message_ref
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.priority import ForegroundPriority
from recollect.jobs.read_batcher import ReadBatcher
from recollect.learning.apply import ChangeContext, MemoLimits, apply_statement, retract, write
from recollect.learning.consent import is_paused
from recollect.policy import guard
from recollect.policy.merge import covered_by, may_retract, retire
from recollect.policy.redaction import redact
from recollect.policy.similarity import match_cues
from recollect.policy.viewer import provenance
from recollect.policy.visibility import VisibilityPolicy, is_visible
from recollect.recall import withheld
from recollect.recall.display_names import Names

log = logging.getLogger("recollect.learning")

MAX_KNOWN_MEMOS = 40
"""Memos that a model is told about."""
CONTEXT_MESSAGES = 6
"""Messages before the first one, to understand it by."""

_NOTHING = ExtractionResult()
_NULL = "null"
"""The model that never proposes anything, whatever was said."""
_QUOTES_WANTED = 'each "evidence" has to be copied word for word from one of the speaker\'s messages'
Embed = Callable[[str], Awaitable[tuple[str, Vector] | None]]


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """How learning goes: settings, as far as they concern it."""

    caps: MemoLimits
    policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
    most: int | None = None
    longest: int | None = None
    """Characters of a message that are learned from."""
    grounding: guard.Grounding = "quote"
    timeout: float = 30.0
    enabled: bool = True
    """Otherwise what waits from before is passed over."""


@dataclass(frozen=True, slots=True)
class _AcceptedProposal:
    """A proposal that passed the guard."""

    message: Message
    candidate: Candidate
    vector: tuple[str, Vector] | None
    also_replaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Extraction:
    """One hearing, and what came of it."""

    hearing: ExtractionInput
    model: str
    """Name of the model that proposed it."""
    proposed: ExtractionResult
    taken: Sequence[_AcceptedProposal]
    refused: Sequence[tuple[Proposal, str]]
    instructions: Sequence[Message] = ()
    """Messages that nothing was proposed of because they are orders to the assistant."""
    degraded: str = ""
    """How less was learned than the model could have: its answers were not usable."""

    @property
    def flaw(self) -> str:
        """What to tell the model when it is asked once more; empty when the answer can be used."""
        if self.proposed.flaw or self.taken or self.proposed.retractions or not self.refused:
            return self.proposed.flaw
        ungrounded = all(reason in guard.UNGROUNDED for _, reason in self.refused)
        return _QUOTES_WANTED if ungrounded else ""


class Extractor:
    """Does the jobs of the kind `extract`."""

    def __init__(
        self,
        store: Store,
        embed: Embed,
        model: Model,
        rules: ExtractionOptions,
        clock: Clock,
        courtesy: ForegroundPriority | None = None,
        calls: ModelLimiter | None = None,
        names: Names | None = None,
        fallback: Model | None = None,
    ) -> None:
        self._visits = ReadBatcher(store)  # lanes that begin at the same moment look together
        self._embed = embed
        self._model = model
        self._fallback = fallback
        self._rules = rules
        self._clock = clock
        self._courtesy, self._calls = courtesy or ForegroundPriority(), calls or ModelLimiter()
        self._names = names or Names()

    async def __call__(self, job: Job) -> UnitOfWork:
        async with self._courtesy.wait_for_foreground():
            hearings, references = await self._visits.read(partial(self._look, job=job))
        lessons = [await self._study(hearing) for hearing in hearings]
        return partial(self._complete, job=job, references=references, lessons=lessons)

    def _look(self, tx: Tx, job: Job) -> tuple[list[ExtractionInput], list[str]]:
        counter = job.payload.get("counter")
        references = list(job.payload.get("messages", ())) if counter is None else tx.state.items(counter)
        hearings = self._hearings(tx, references) if self._rules.enabled else []
        return [one for one in hearings if not is_paused(tx, one.messages[0].author)], references

    def _hearings(self, tx: Tx, references: Iterable[str]) -> list[ExtractionInput]:
        """What there is to learn from, apart by who could hear it."""
        messages = [message for message in _said(tx, references) if not message.bot]
        messages.sort(key=lambda message: (str(message.place.audience), message.at))
        groups = groupby(messages, key=lambda message: message.place.audience)
        return [self._hearing(tx, list(group)) for _, group in groups]

    def _hearing(self, tx: Tx, said: Sequence[Message]) -> ExtractionInput:
        first, own = said[0], {message.id for message in said}
        before = tx.messages.recent(first.place, CONTEXT_MESSAGES, before=first.at)
        held = withheld.gather(tx, first.place, [first.author], before)
        others = [message for message in withheld.shown(tx, held, before) if message.id not in own]
        return ExtractionInput(said, self._known(tx, said), self._names.tagged(tx, others), self._rules.most)

    def _known(self, tx: Tx, said: Sequence[Message]) -> list[Memo]:
        """The speaker's memos that concern these words, then the newest, as far as they may be heard there."""
        author, place = said[0].author, said[0].place
        subject = Subject(author)
        heard = {memo.key: memo for memo in self._concerned(tx, subject, said) if self._may_hear(memo, place, author)}
        if len(heard) < MAX_KNOWN_MEMOS:
            newest = tx.memos.list(subject, [Status.ACTIVE], MAX_KNOWN_MEMOS)
            heard |= {memo.key: memo for memo in newest if self._may_hear(memo, place, author)}
        return list(heard.values())[:MAX_KNOWN_MEMOS]

    def _concerned(self, tx: Tx, subject: Subject, said: Sequence[Message]) -> list[Memo]:
        """Memos that share words with what was said, where there are more than the newest."""
        if tx.index.size([subject.scope]) <= MAX_KNOWN_MEMOS:
            return []
        terms = match_cues(" ".join(message.text[:2_000] for message in said))
        keys = [hit.key for hit in tx.index.words("memos", [subject.scope], terms, MAX_KNOWN_MEMOS)]
        found = tx.memos.fetch(keys)
        return [found[key] for key in keys if key in found and found[key].active]

    def _may_hear(self, memo: Memo, place: Place, author: str) -> bool:
        return is_visible(memo, place, {author}, self._rules.policy)

    async def _study(self, hearing: ExtractionInput) -> _Extraction:
        first = await self._lesson(self._model, hearing)
        if not first.flaw:
            return first
        second = await self._lesson(self._model, replace(hearing, objection=first.flaw))
        whole = replace(second, hearing=hearing, proposed=_both(first, second))
        if not second.flaw:
            return whole
        if second.taken or second.proposed.retractions:
            return replace(whole, degraded=f"learned from a part of the answer: {second.flaw}")
        if self._fallback is None:
            return whole
        floor = await self._lesson(self._fallback, hearing)
        return replace(
            floor,
            proposed=replace(floor.proposed, problems=whole.proposed.problems, usage=whole.proposed.usage),
            refused=[*second.refused, *floor.refused],
            degraded=f"learned by {self._fallback.name} instead: {second.flaw}",
        )

    async def _lesson(self, model: Model, hearing: ExtractionInput) -> _Extraction:
        proposed = await self._ask(model, hearing)
        if proposed == _NOTHING and model.name == _NULL:
            return _Extraction(hearing, model.name, proposed, (), ())
        async with self._courtesy.wait_for_foreground():
            proposals = [_redacted(proposal) for proposal in proposed.proposals[: self._rules.most]]
            grounding = self._rules.grounding
            checked = [
                (one, guard.check(one, hearing.messages, hearing.known_memos, grounding=grounding)) for one in proposals
            ]
            orders = [] if proposed != _NOTHING else _orders(hearing.messages)
        taken = [
            await self._taken(proposal, verdict, hearing)
            for proposal, verdict in checked
            if isinstance(verdict, guard.Accepted)
        ]
        refused = [(proposal, verdict.reason) for proposal, verdict in checked if isinstance(verdict, guard.Refused)]
        return _Extraction(hearing, model.name, proposed, taken, refused, orders)

    async def _ask(self, model: Model, hearing: ExtractionInput) -> ExtractionResult:
        if longest := self._rules.longest:
            hearing = replace(hearing, messages=[replace(one, text=one.text[:longest]) for one in hearing.messages])
        try:
            async with self._calls.slot(), asyncio.timeout(self._rules.timeout):
                return await model.extract(hearing)
        except TimeoutError as error:
            raise ModelUnavailable(f"no answer within {self._rules.timeout:.0f} s") from error

    async def _taken(self, proposal: Proposal, verdict: guard.Accepted, hearing: ExtractionInput) -> _AcceptedProposal:
        known = {memo.id for memo in hearing.known_memos}
        replaced = tuple(memo_id for memo_id in proposal.replaces if memo_id in known)
        message = verdict.message
        text = guard.normal_fact(verdict.text) if self._rules.grounding == "overlap" else verdict.text
        source = replace(
            provenance(message.author, message.place, message.id, Origin.SUMMARY),
            evidence=verdict.evidence or None,
            trace=message.source,
        )
        candidate = Candidate(
            subject=Subject(message.author),
            kind=verdict.kind,
            label=verdict.label,
            text=text,
            at=message.at,
            source=source,
            audience=message.place.audience,
            id=proposal.id if proposal.id in known else None,
            tags=tuple(tag.lower() for tag in verdict.tags),
            confidence=min(1.0, max(0.0, proposal.confidence)),
            happened=proposal.happened,
            supersedes=next(iter(replaced), None),
        )
        return _AcceptedProposal(message, candidate, await self._embed(text), replaced[1:])

    def _complete(self, tx: Tx, job: Job, references: Sequence[str], lessons: Sequence[_Extraction]) -> None:
        said = _said(tx, references)
        for lesson in lessons:
            _check_unchanged(lesson.hearing.messages, said)
        waiting = "" if not said else self._pause(tx, said[0].author)  # all of one speaker
        if waiting:
            self._pass_over(tx, said, waiting)
        elif not lessons and self._hearings(tx, references):  # nothing was studied, but the pause is over by now
            raise StaleResult
        for lesson in () if waiting else lessons:
            self._learn(tx, lesson)
        if counter := job.payload.get("counter"):
            self._keep_newer(tx, job, counter, references)

    def _pause(self, tx: Tx, author: str) -> str:
        """Why nothing is learned from someone at the moment; empty when it is."""
        if not self._rules.enabled:
            return "learning is switched off"
        return "learning is paused" if is_paused(tx, author) else ""

    def _pass_over(self, tx: Tx, said: Sequence[Message], why: str) -> None:
        """Say in the log what is never learned from: it was said before a pause, and its turn came during it."""
        data = {"messages": [message_ref(message) for message in said]}
        scope = Subject(said[0].author).scope
        tx.events.add(Event("learning.skipped", self._clock(), scope=scope, reason=why, data=data))

    def _learn(self, tx: Tx, lesson: _Extraction) -> None:
        if lesson.proposed == _NOTHING:
            self._log_orders(tx, lesson)
            return
        batch, moment = secrets.token_hex(8), self._clock()
        last = lesson.hearing.messages[-1]
        for taken in lesson.taken:
            cause = ChangeContext(lesson.model, moment, batch, message_ref(taken.message))
            changes = apply_statement(tx, taken.candidate, cause, self._rules.caps, taken.vector)
            for memo_id in taken.also_replaces:
                _supersede(tx, Subject(taken.message.author), memo_id, taken.message, _successor(changes), cause)
        for retraction in lesson.proposed.retractions:
            self._retract(tx, retraction, lesson.hearing, ChangeContext(lesson.model, moment, batch, message_ref(last)))
        self._log_orders(tx, lesson)
        self._log(tx, lesson, moment_data={"batch": batch, "message": message_ref(last)})

    def _log_orders(self, tx: Tx, lesson: _Extraction) -> None:
        for message in lesson.instructions:
            data = {"message": message_ref(message), "kind": "", "text": clip(message.text, 200)}
            scope, reason = Subject(message.author).scope, "gives instructions"
            tx.events.add(Event("memo.refused", self._clock(), lesson.model, scope, reason=reason, data=data))

    def _retract(self, tx: Tx, retraction: Retraction, hearing: ExtractionInput, cause: ChangeContext) -> None:
        """End a memo that the model was told about: by its id, else by a text that covers enough of it."""
        meant = [memo for memo in hearing.known_memos if memo.id == retraction.id]
        if not meant and retraction.match:
            meant = covered_by(retraction.match, hearing.known_memos)
        last = hearing.messages[-1]
        for known in meant[:1] if len(meant) == 1 else ():
            memo = tx.memos.get(known.subject, known.id)
            if memo is not None:
                retract(tx, memo, last.at, last.place.audience, cause, clip(retraction.reason or "retracted", 200))

    def _log(self, tx: Tx, lesson: _Extraction, moment_data: dict[str, str]) -> None:
        scope, moment = Subject(lesson.hearing.messages[0].author).scope, self._clock()
        note = partial(Event, at=moment, actor=self._model.name, scope=scope)
        for proposal, reason in lesson.refused:
            data = {
                **moment_data,
                "kind": proposal.kind,
                "text": "" if "secret" in reason else clip(proposal.text, 200),
            }
            tx.events.add(note("memo.refused", reason=reason, data=data))
        usage = lesson.proposed.usage
        if usage.requests:
            data = {**moment_data, "input": usage.input, "output": usage.output, "requests": usage.requests}
            told = f"{len(lesson.proposed.proposals)} proposed, {len(lesson.taken)} taken"
            tx.events.add(note("extract.call", reason=told, data=data))
        if lesson.proposed.problems:
            said = clip("; ".join(lesson.proposed.problems), 300)
            log.warning("what the model said was not all usable: %s", lesson.degraded or said)
            tx.events.add(note("extract.error", reason=said, data=moment_data))
        if lesson.degraded:
            every = [message_ref(message) for message in lesson.hearing.messages]  # whoever learns from them again
            data = {**moment_data, "messages": every}
            tx.events.add(note("extract.degraded", reason=clip(lesson.degraded, 300), data=data))

    def _keep_newer(self, tx: Tx, job: Job, counter: str, done: Sequence[str]) -> None:
        """What was said while the model was asked waits for another round."""
        newer = [reference for reference in tx.state.clear(counter) if reference not in done]
        for one in newer:
            tx.state.append(counter, one)
        if newer:
            key = f"{job.kind}:{counter}"
            tx.jobs.add(NewJob(job.kind, job.queue, job.payload, self._clock(), key, job.tenant))


def _both(first: _Extraction, second: _Extraction) -> ExtractionResult:
    """The second answer, with the problems and the cost of both."""
    one, other = first.proposed.usage, second.proposed.usage
    usage = Usage(one.requests + other.requests, one.input + other.input, one.output + other.output)
    problems = dict.fromkeys((*_problems(first), *_problems(second)))
    return replace(second.proposed, problems=tuple(problems), usage=usage)


def _problems(lesson: _Extraction) -> tuple[str, ...]:
    proposed = lesson.proposed
    return proposed.problems if proposed.flaw or not lesson.flaw else (*proposed.problems, lesson.flaw)


def _successor(changes: Sequence[Change]) -> Memo | None:
    """The memo that holds what was learned; none when it was not taken."""
    match changes[0]:
        case Add(memo=memo) | Revise(after=memo) | Skip(memo=memo):
            return memo
        case _:
            return None


def _supersede(
    tx: Tx, subject: Subject, memo_id: str, said: Message, successor: Memo | None, cause: ChangeContext
) -> None:
    """End another memo whose place was taken; should its successor go, it comes back."""
    memo = tx.memos.get(subject, memo_id)
    if memo is None or successor is None or memo.id == successor.id:
        return
    if may_retract(memo, said.at, said.place.audience):
        change = retire(memo, cause.at, "superseded", Status.SUPERSEDED)
        write(tx, [replace(change, after=replace(change.after, superseded_by=successor.id))], cause)


def _orders(said: Sequence[Message]) -> list[Message]:
    return [message for message in said if guard.is_instruction(message.text)]


def _redacted(proposal: Proposal) -> Proposal:
    return replace(proposal, text=redact(proposal.text).text, evidence=redact(proposal.evidence).text)


def _said(tx: Tx, references: Iterable[str]) -> list[Message]:
    """The messages of a job that still stand."""
    found = (tx.messages.get(*parse_message_ref(one)) for one in references)
    return [message for message in found if message is not None]


def _check_unchanged(heard: Iterable[Message], said: Iterable[Message]) -> None:
    """Raise Stale when a message was edited or deleted since it was read."""
    words = {(message.place.platform, message.id): message.text for message in said}
    if any(words.get((message.place.platform, message.id)) != message.text for message in heard):
        raise StaleResult
