"""Log entries about extractions: refusals, cost and problems."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from recollect.core.events import Event, EventKind
from recollect.core.ports import Proposal, Retraction, Tx
from recollect.core.reasons import Reason, render_reason
from recollect.core.text import clip
from recollect.core.types import Memo, Message, Subject, message_ref
from recollect.learning.extraction_records import Extraction
from recollect.policy.guard.retractions import is_ended
from recollect.policy.guard.verdicts import MISTAKES, UNGROUNDED
from recollect.policy.similarity import Similarity, compare

log = logging.getLogger("recollect.learning")


def log_skipped(tx: Tx, messages: Sequence[Message], reason: Reason, now: datetime) -> None:
    """Log the messages that are never learned from because their job came up while learning was off."""
    data = {"messages": [message_ref(message) for message in messages]}
    scope = Subject(messages[0].person).scope
    tx.events.add(Event(EventKind.LEARNING_SKIPPED, now, scope=scope, reason=reason, data=data))


def log_extraction(tx: Tx, extraction: Extraction, origin: Mapping[str, str], actor: str, now: datetime) -> None:
    """Log what was refused, what the calls cost, and what went wrong; `actor` is the configured model."""
    scope = Subject(extraction.input.messages[0].person).scope
    event = partial(Event, at=now, actor=actor, scope=scope)
    for proposal, reason in extraction.refused:
        text = "" if reason is Reason.SECRET else clip(proposal.text, 200)
        data = {**origin, "kind": proposal.kind, "text": text}
        stale = _contradicted_memo(proposal, reason, extraction)
        tx.events.add(event(EventKind.MEMO_REFUSED, reason=reason, data=data, memo=stale.id if stale else None))
    usage = extraction.result.usage
    if usage.requests:
        data = {**origin, "input": usage.input, "output": usage.output, "requests": usage.requests}
        data |= {"seconds": round(usage.seconds, 2)}
        counts = f"{len(extraction.result.proposals)} proposed, {len(extraction.accepted)} taken"
        tx.events.add(event(EventKind.EXTRACT_CALL, detail=counts, data=data))
    if extraction.result.problems:
        problems = clip("; ".join(extraction.result.problems), 300)
        degraded = render_reason(extraction.degraded, extraction.objection)
        log.warning("the model's answer was not all usable: %s", degraded or problems)
        tx.events.add(event(EventKind.EXTRACT_ERROR, detail=problems, data=dict(origin)))
    if extraction.degraded is not None:
        references = [message_ref(message) for message in extraction.input.messages]
        data = {**origin, "messages": references}
        objection = clip(extraction.objection, 300)
        tx.events.add(event(EventKind.EXTRACT_DEGRADED, reason=extraction.degraded, detail=objection, data=data))


def _contradicted_memo(proposal: Proposal, reason: Reason, extraction: Extraction) -> Memo | None:
    """The memo that a refused proposal contradicts: its history then mentions the refusal."""
    if reason not in (*MISTAKES, Reason.NO_LONGER_SO) or reason in UNGROUNDED:
        return None
    if not is_ended(Retraction("", evidence=proposal.evidence), extraction.input.messages):
        return None
    statements = proposal.text, proposal.evidence
    known_memos = (memo for memo in extraction.input.known_memos if memo.active)
    return next((memo for memo in known_memos if _contradicts(statements, memo.text)), None)


def _contradicts(statements: Iterable[str], known: str) -> bool:
    return any(compare(statement, known) is Similarity.CONTRADICTS for statement in statements)


def log_instructions(tx: Tx, extraction: Extraction, now: datetime) -> None:
    """Log the messages from which nothing was proposed because they are instructions."""
    for message in extraction.instructions:
        data = {"message": message_ref(message), "kind": "", "text": clip(message.text, 200)}
        event = partial(Event, EventKind.MEMO_REFUSED, now, extraction.model)
        tx.events.add(event(Subject(message.person).scope, reason=Reason.INSTRUCTIONS, data=data))
