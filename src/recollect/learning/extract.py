"""Extract memos from messages: a model proposes, the guard checks, `merge` decides. One transaction per job.

An unusable answer is retried once with the objection; then the fallback model takes over, and the log records it.
Messages with different audiences are extracted separately, and the model sees only what is visible in their place, so
nothing private can slip into the wording of something public.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from recollect.core.changes import Add, Change, Revise, Skip
from recollect.core.clock import Clock
from recollect.core.errors import ModelRefused, ModelTimeout
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
    Vector,
)
from recollect.core.ports.jobs import Job
from recollect.core.reasons import Reason
from recollect.core.state import StateKind
from recollect.core.text import clip
from recollect.core.types import Audience, Memo, Message, Place, Status, Subject, message_ref
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.priority import ForegroundPriority
from recollect.jobs.read_batcher import ReadBatcher
from recollect.jobs.time_limit import TimedCalls
from recollect.learning import batches
from recollect.learning.acknowledge import confirm
from recollect.learning.apply import (
    MAX_ROWS_OF_A_CUE,
    ChangeContext,
    apply_statement,
    retract,
    statement_time,
    write,
)
from recollect.learning.consent import is_silent
from recollect.learning.extraction_log import log_extraction, log_instructions, log_skipped
from recollect.learning.extraction_records import (
    AcceptedProposal,
    Extraction,
    ExtractionOptions,
    candidate_of,
    merge_answers,
    within_cap,
)
from recollect.learning.token_usage import total_usage
from recollect.learning.unread_languages import note_unread_language
from recollect.policy import relearn_limits
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.retractions import is_ended
from recollect.policy.guard.verdicts import Accepted, Refused, check
from recollect.policy.merge import covered_by, may_retract, retire
from recollect.policy.redaction import redact, redact_tags
from recollect.policy.similarity import match_cues
from recollect.policy.visibility import audience_covers_place, is_visible, stated_audience
from recollect.recall import withheld
from recollect.recall.display_names import Names

MAX_KNOWN_MEMOS = 40
"""Existing memos that are included in an extraction input."""
CONTEXT_MESSAGES = 6
"""Preceding messages that are included as context."""

_EMPTY_RESULT = ExtractionResult()
_NULL_MODEL = "null"
"""The model that never proposes anything."""
Embed = Callable[[str], Awaitable[tuple[str, Vector] | None]]


class Extractor:
    """Runs the jobs of the kind `extract`."""

    def __init__(
        self,
        store: Store,
        embed: Embed,
        model: Model,
        options: ExtractionOptions,
        clock: Clock,
        priority: ForegroundPriority | None = None,
        limiter: ModelLimiter | None = None,
        names: Names | None = None,
        fallback: Model | None = None,
    ) -> None:
        self._reads = ReadBatcher(store)  # jobs that start together share a read transaction
        self._embed = embed
        self._model = model
        self._fallback = None if options.is_documented else fallback
        self._options = options
        self._clock = clock
        self._priority = priority or ForegroundPriority()
        self._calls = TimedCalls(limiter or ModelLimiter(), options.timeout)
        self._names = names or Names()

    async def __call__(self, job: Job) -> UnitOfWork:
        async with self._priority.wait_for_foreground():
            inputs, references = await self._reads.read(partial(self._read_inputs, job=job))
        started = asyncio.get_running_loop().time()
        waited = (self._clock() - job.due).total_seconds()
        extractions = [
            await self._extract(extraction_input, waited + asyncio.get_running_loop().time() - started)
            for extraction_input in inputs
        ]
        return partial(self._complete, job=job, references=references, extractions=extractions)

    def _read_inputs(self, tx: Tx, job: Job) -> tuple[list[ExtractionInput], list[str]]:
        key = batches.batch_key(job)
        waiting = job.payload.get("messages", ()) if key is None else tx.state.items(StateKind.UNLEARNED_MESSAGES, key)
        references = list(waiting)
        if key is not None and self._options.batches:
            references = batches.next_messages(tx, references)
        inputs = self._inputs(tx, references) if self._options.enabled else []
        return [item for item in inputs if not is_silent(tx, item.messages[0])], references

    def _inputs(self, tx: Tx, references: Iterable[str]) -> list[ExtractionInput]:
        """The messages to learn from, one input per audience."""
        messages = [message for message in batches.existing_messages(tx, references) if not message.bot]
        messages.sort(key=lambda message: (str(message.place.audience), message.at))
        # A mixed input could teach a fact from a DM with a channel's audience.
        groups = groupby(messages, key=lambda message: message.place.audience)
        return [self._input(tx, list(group)) for _, group in groups]

    def _input(self, tx: Tx, messages: Sequence[Message]) -> ExtractionInput:
        first, own_ids = messages[0], {message.id for message in messages}
        preceding = [
            message
            for message in tx.messages.recent(first.place, CONTEXT_MESSAGES, before=first.at)
            if audience_covers_place(message.place.audience, first.place)
        ]
        screen = withheld.collect(tx, first.place, [first.person], preceding)
        others = [message for message in withheld.visible_messages(tx, screen, preceding) if message.id not in own_ids]
        context = self._names.tagged(tx, others)
        known_memos, limit = self._known_memos(tx, messages), self._options.max_proposals
        if limit is not None and self._options.batches:
            limit *= len(messages)
        return ExtractionInput(messages, known_memos, context, limit, real_ids=self._options.is_documented)

    def _known_memos(self, tx: Tx, messages: Sequence[Message]) -> list[Memo]:
        """The speaker's memos that are visible in the place: related ones first, then the newest."""
        person, place = messages[0].person, messages[0].place
        subject = Subject(person)
        related = self._related_memos(tx, subject, messages)
        visible = {memo.key: memo for memo in related if self._is_visible(memo, place, person)}
        if len(visible) < MAX_KNOWN_MEMOS:
            newest = tx.memos.list(subject, [Status.ACTIVE], MAX_KNOWN_MEMOS)
            visible |= {memo.key: memo for memo in newest if self._is_visible(memo, place, person)}
        return list(visible.values())[:MAX_KNOWN_MEMOS]

    def _related_memos(self, tx: Tx, subject: Subject, messages: Sequence[Message]) -> list[Memo]:
        """Memos that share words with the messages; none where the newest are all there are."""
        if tx.index.size([subject.scope]) <= MAX_KNOWN_MEMOS:
            return []
        terms = match_cues(" ".join(message.text[:2_000] for message in messages))
        hits = tx.index.words("memos", [subject.scope], terms, MAX_KNOWN_MEMOS, max_rows=MAX_ROWS_OF_A_CUE)
        keys = [hit.key for hit in hits]
        memos = tx.memos.fetch(keys)
        return [memos[key] for key in keys if key in memos and memos[key].active]

    def _is_visible(self, memo: Memo, place: Place, person: str) -> bool:
        return is_visible(memo, place, {person}, self._options.policy)

    async def _extract(self, extraction_input: ExtractionInput, waited: float) -> Extraction:
        """Ask the model, again if the answer is unusable, and then the fallback.

        One that takes long is not asked twice, and not at all about messages that already `waited` for it: what a
        person says next must not be held up.
        """
        if self._fallback is None:
            first, retries = await self._extract_with(self._model, extraction_input), True
        elif self._calls.limit.is_extended and waited > self._options.timeout:
            first, retries = self._without_answer(extraction_input, "the model is too slow"), False
        else:
            first, retries = await self._try(extraction_input)
        if not first.flaw:
            return first
        second = first
        if retries:
            second, _ = await self._try(replace(extraction_input, objection=first.flaw))
            second = replace(second, input=extraction_input, result=merge_answers(first, second))
            if not second.flaw:
                return second
        partial_answer = next((each for each in (second, first) if each.accepted or each.result.retractions), None)
        if partial_answer is not None:
            partial_answer = replace(partial_answer, input=extraction_input)
            return replace(partial_answer, degraded=Reason.LEARNED_IN_PART, objection=second.flaw)
        if self._fallback is None:
            return second
        return self._use_fallback(second, await self._extract_with(self._fallback, extraction_input))

    def _use_fallback(self, failed: Extraction, fallback: Extraction) -> Extraction:
        """The fallback's result, with the problems and the cost of the model."""
        return replace(
            fallback,
            result=replace(fallback.result, problems=failed.result.problems, usage=failed.result.usage),
            refused=[*failed.refused, *fallback.refused],
            degraded=Reason.LEARNED_BY_FALLBACK,
            objection=failed.flaw,
        )

    async def _try(self, extraction_input: ExtractionInput) -> tuple[Extraction, bool]:
        """The model's extraction, and whether to try again; too slow or refused counts as no answer."""
        started = asyncio.get_running_loop().time()
        try:
            extraction = await self._extract_with(self._model, extraction_input)
        except (ModelTimeout, ModelRefused) as error:
            if self._fallback is None:
                raise
            return self._without_answer(extraction_input, str(error)), False
        return extraction, asyncio.get_running_loop().time() - started <= self._options.timeout

    def _without_answer(self, extraction_input: ExtractionInput, problem: str) -> Extraction:
        return Extraction(
            extraction_input, self._model.name, ExtractionResult(problems=(problem,), flaw=problem), (), ()
        )

    async def _extract_with(self, model: Model, extraction_input: ExtractionInput) -> Extraction:
        """Ask one model, and check what it proposes."""
        result = await self._ask(model, extraction_input)
        if result == _EMPTY_RESULT and model.name == _NULL_MODEL:
            return Extraction(extraction_input, model.name, result, (), ())
        limit = batches.MAX_PROPOSALS if self._options.batches else self._options.max_proposals
        async with self._priority.wait_for_foreground():
            proposals = [_redact(proposal) for proposal in result.proposals[:limit]]
            messages, known, rule = extraction_input.messages, extraction_input.known_memos, self._options.grounding
            checked = [(each, check(each, messages, known, grounding=rule)) for each in proposals]
            # Only where nothing was learned: the log then says why an instruction left no memory.
            instructions = [] if result != _EMPTY_RESULT else _instructions_in(messages)
        if self._options.batches:
            checked = within_cap(checked, self._options.max_proposals)
        accepted = [
            await self._accept(proposal, verdict, extraction_input)
            for proposal, verdict in checked
            if isinstance(verdict, Accepted)
        ]
        refused = [(proposal, verdict.reason) for proposal, verdict in checked if isinstance(verdict, Refused)]
        if self._options.grounding == "quote":
            ended = tuple(row for row in result.retractions if is_ended(row, messages, known))
            result = replace(result, retractions=ended)
        return Extraction(extraction_input, model.name, result, accepted, refused, instructions)

    async def _ask(self, model: Model, extraction_input: ExtractionInput) -> ExtractionResult:
        if max_chars := self._options.max_message_chars:
            shortened = [replace(message, text=message.text[:max_chars]) for message in extraction_input.messages]
            extraction_input = replace(extraction_input, messages=shortened)
        if model is self._fallback:  # asks no server, so nothing limits it
            return await model.extract(extraction_input)
        max_wait = None if self._fallback is None else self._calls.limit.configured
        started = asyncio.get_running_loop().time()
        result = await self._calls.run(lambda: model.extract(extraction_input), max_wait)
        seconds = asyncio.get_running_loop().time() - started
        return replace(result, usage=replace(result.usage, seconds=seconds)) if result.usage.requests else result

    async def _accept(
        self, proposal: Proposal, verdict: Accepted, extraction_input: ExtractionInput
    ) -> AcceptedProposal:
        candidate, replaced = candidate_of(proposal, verdict, extraction_input, self._options)
        return AcceptedProposal(verdict.message, candidate, await self._embed(candidate.text), replaced[1:])

    def _complete(self, tx: Tx, job: Job, references: Sequence[str], extractions: Sequence[Extraction]) -> None:
        messages = batches.existing_messages(tx, references)
        for extraction in extractions:
            # Minutes may lie between reading and writing; nobody holds a transaction while a model thinks.
            _check_unchanged(extraction.input.messages, messages)
        skip_reason = self._skip_reason(tx, messages) if messages else None
        if skip_reason is not None:
            log_skipped(tx, messages, skip_reason, self._clock())
        elif not extractions and self._inputs(tx, references):  # paused when read, resumed by now
            raise StaleResult
        for extraction in extractions if skip_reason is None else ():
            self._apply(tx, extraction)
            note_unread_language(tx, extraction, (self._model, self._fallback), self._clock())
        usage = total_usage(*(extraction.result.usage for extraction in extractions))
        # Also for a job that is skipped now: the tokens were spent.
        self._options.budget.spend(tx, job.tenant, usage, self._clock())
        key = batches.batch_key(job)
        if key is not None:
            message = messages[0] if messages and self._options.batches else None
            batches.finish_round(tx, job, key, references, message, self._clock())

    def _skip_reason(self, tx: Tx, messages: Sequence[Message]) -> Reason | None:
        """Why nothing is learned from these messages now; None when learning is on."""
        if not self._options.enabled:
            return Reason.SWITCHED_OFF
        return Reason.PAUSED if all(is_silent(tx, message) for message in messages) else None

    @property
    def model_name(self) -> str:
        return self._model.name

    async def extract_each(self, read: Callable[[Tx], Sequence[Message]]) -> list[Extraction]:
        """Extract from each of these messages separately, whatever was learned from it before."""
        async with self._priority.wait_for_foreground():
            inputs = await self._reads.read(lambda tx: [self._input(tx, [message]) for message in read(tx)])
        return [await self._extract(extraction_input, waited=0.0) for extraction_input in inputs]

    def apply_again(self, tx: Tx, extraction: Extraction, batch: str) -> None:
        """Apply what an old message says to what is known now, as part of a batch."""
        messages = extraction.input.messages
        _check_unchanged(messages, batches.existing_messages(tx, map(message_ref, messages)))
        self._apply(tx, extraction, batch)

    def _apply(self, tx: Tx, extraction: Extraction, again: str = "") -> None:
        if extraction.result == _EMPTY_RESULT:
            log_instructions(tx, extraction, self._clock())
            return
        batch, now = again or secrets.token_hex(8), self._clock()
        last = extraction.input.messages[-1]
        taken: set[str] = set()
        for accepted in extraction.accepted:
            context = ChangeContext(extraction.model, now, batch, message_ref(accepted.message), again=bool(again))
            candidate = confirm(tx, accepted.candidate, taken) if self._options.batches else accepted.candidate
            if candidate is None:
                continue
            changes = apply_statement(tx, candidate, context, self._options.limits, accepted.vector)
            successor = _successor(changes)
            taken |= {successor.id} if successor is not None else set()
            for memo_id in accepted.also_replaces:
                power = stated_audience(accepted.message.place, self._options.policy)
                _supersede(tx, memo_id, accepted.message, power, successor, context)
        for retraction in extraction.result.retractions:
            context = ChangeContext(extraction.model, now, batch, message_ref(last), again=bool(again))
            self._retract(tx, retraction, extraction.input, context)
        log_instructions(tx, extraction, self._clock())
        log_extraction(tx, extraction, {"batch": batch, "message": message_ref(last)}, self._model.name, now)

    def _retract(
        self, tx: Tx, retraction: Retraction, extraction_input: ExtractionInput, context: ChangeContext
    ) -> None:
        """Retire a memo that the model was shown, named by its id or by a text that covers enough of it."""
        matches = [memo for memo in extraction_input.known_memos if memo.id == retraction.id]
        if not matches and retraction.match:
            matches = covered_by(retraction.match, extraction_input.known_memos)
        last = extraction_input.messages[-1]
        # An ambiguous description retires nothing: the wrong memo might go.
        for match in matches[:1] if len(matches) == 1 else ():
            memo = tx.memos.get(match.subject, match.id)
            if memo is not None and not _is_settled(tx, memo, last, context):
                power = stated_audience(last.place, self._options.policy)
                said = retraction.evidence or " ".join(message.text for message in extraction_input.messages)
                retract(tx, memo, last.at, power, context, clip(retraction.reason, 200), said)


def _successor(changes: Sequence[Change]) -> Memo | None:
    """The memo that now holds the statement; None when it was not taken."""
    match changes[0]:
        case Add(memo=memo) | Revise(after=memo) | Skip(memo=memo):
            return memo
        case _:
            return None


def _supersede(
    tx: Tx, memo_id: str, message: Message, power: Audience, successor: Memo | None, context: ChangeContext
) -> None:
    """Mark another memo of the author as superseded; it comes back should its successor go."""
    memo = tx.memos.get(Subject(message.person), memo_id)
    if memo is None or successor is None or memo.id == successor.id or _is_settled(tx, memo, message, context):
        return
    if may_retract(memo, message.at, power):
        change = retire(memo, context.at, Reason.SUPERSEDED, Status.SUPERSEDED)
        write(tx, [replace(change, after=replace(change.after, superseded_by=successor.id))], context)


def _is_settled(tx: Tx, memo: Memo, message: Message, context: ChangeContext) -> bool:
    """Whether a memo must not be changed by an old message that is learned from again."""
    return context.again and relearn_limits.is_protected(memo, message.at, message.id, partial(statement_time, tx))


def _instructions_in(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if is_instruction(message.text)]


def _redact(proposal: Proposal) -> Proposal:
    return replace(
        proposal,
        text=redact(proposal.text).text,
        evidence=redact(proposal.evidence).text,
        about=proposal.about and redact(proposal.about).text,
        tags=redact_tags(proposal.tags),
    )


def _check_unchanged(read: Iterable[Message], current: Iterable[Message]) -> None:
    """Raise StaleResult when a message was edited or deleted since it was read."""
    texts = {(message.place.platform, message.id): message.text for message in current}
    if any(texts.get((message.place.platform, message.id)) != message.text for message in read):
        raise StaleResult
