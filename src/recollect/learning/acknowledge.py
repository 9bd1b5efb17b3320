"""Acknowledge what a message states at once, by the local extractor; the model's answer confirms or revises it."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial

from recollect.core.changes import Candidate
from recollect.core.clock import Clock
from recollect.core.ports import Handler, Tx, UnitOfWork
from recollect.core.ports.jobs import Job
from recollect.core.state import StateKind
from recollect.core.text import normalize
from recollect.core.types import Memo, Subject, parse_message_ref
from recollect.learning import batches
from recollect.policy.merge import is_authored
from recollect.policy.similarity import Similarity, compare, match_cues

MIN_COMMON_WORDS = 0.5
"""Two texts from one quote state the same fact if they share this part of the shorter one's words."""


class Acknowledger:
    """Does the jobs of the kind `acknowledge` with an extractor that needs no model, and closes batches."""

    def __init__(self, extractor: Handler, clock: Clock) -> None:
        self._extractor = extractor
        self._clock = clock

    async def __call__(self, job: Job) -> UnitOfWork:
        return partial(self._complete, job=job, work=await self._extractor(job))

    def _complete(self, tx: Tx, job: Job, work: UnitOfWork) -> None:
        batch, (reference,) = job.payload.get("batch"), job.payload["messages"]
        was_first = batch is None or reference in tx.state.items(StateKind.UNLEARNED_MESSAGES, batch)
        # A model that was faster keeps its wording; one that found nothing takes nothing away.
        if was_first or not tx.memos.from_message(*parse_message_ref(reference)):
            work(tx)
        batches.close_after_acknowledgement(tx, job, Subject.of_scope(job.queue).id, self._clock())


def confirm(tx: Tx, candidate: Candidate, taken: Collection[str]) -> Candidate | None:
    """A model's statement, as the revision of what was acknowledged of the same message; None when that says the same.

    `taken` are the memos that its other statements revise.
    """
    source = candidate.source
    memos = [
        memo
        for memo in tx.memos.from_message(source.platform, source.message or "")
        if memo.active and memo.subject == candidate.subject and not is_authored(memo) and memo.id not in taken
    ]
    if any(compare(candidate.text, memo.text) is Similarity.SAME for memo in memos):
        return None
    if candidate.id is not None or candidate.supersedes is not None:
        return candidate
    rewordings = [memo for memo in memos if _is_rewording(candidate, memo)]
    # With several it is undecided which one it rewords, so merging decides as for any statement.
    return replace(candidate, id=rewordings[0].id) if len(rewordings) == 1 else candidate


def _is_rewording(candidate: Candidate, memo: Memo) -> bool:
    if compare(candidate.text, memo.text) is not Similarity.OTHER:
        return False  # merging decides
    first, second = normalize(candidate.source.evidence or ""), normalize(memo.source.evidence or "")
    if not first or not second or (first not in second and second not in first):
        return False
    new, old = set(match_cues(candidate.text)), set(match_cues(memo.text))
    return len(new & old) >= MIN_COMMON_WORDS * min(len(new), len(old)) > 0
