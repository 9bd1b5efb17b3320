"""Change one memo by its id: other words, other tags, or both. Words are merged like everything that is stated.

What is said in a narrow circle must not reach a wider one through a memo that the wider one knows.
"""

from dataclasses import dataclass, replace

from recollect.core.changes import Candidate, Revise, Skip
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.ports import Tx, Vector
from recollect.core.types import EVERYWHERE, Audience, Memo, Origin, Provenance
from recollect.learning.apply import ChangeContext, MemoLimits, apply_statement, write
from recollect.policy.visibility import common_audience


@dataclass(frozen=True, slots=True)
class MemoEdit:
    """What a memo shall say from now on; None leaves it as it is. `source` is who says so, and where.

    With `wide`, each person has one memory for all places: what they reword by hand stays in it.
    """

    text: str | None
    tags: tuple[str, ...] | None
    source: Provenance
    wide: bool = False


def edit_memo(
    tx: Tx,
    memo: Memo,
    edit: MemoEdit,
    context: ChangeContext,
    limits: MemoLimits,
    vector: tuple[str, Vector] | None = None,
) -> Memo:
    """The memo as it is then: same id, its earlier state in its history. Raises BadInput.

    It is heard by the same people as before if all of them could hear the change, else only by those who could:
    a public fact that is corrected in a DM is private from then on. `Memory.share` lets the others hear it again.
    """
    if not memo.active:
        raise UnknownMemo(f"memo {memo.id!r} is no longer in use")
    tags = memo.tags if edit.tags is None else edit.tags
    text = memo.text if edit.text is None else edit.text
    if (text, tags) == (memo.text, memo.tags):
        return memo
    if not (edit.wide and _is_own_edit_everywhere(memo, edit.source)):
        memo = _narrow(tx, memo, edit.source.heard, context)
    if tags != memo.tags:
        before, memo = memo, replace(memo, tags=tags, updated=max(context.at, memo.updated))
        write(tx, [Revise(before, memo, "other tags")], context)
    return memo if text == memo.text else _reword(tx, memo, text, edit.source, context, limits, vector)


def _is_own_edit_everywhere(memo: Memo, source: Provenance) -> bool:
    """Whether its owner rewords by hand what is heard everywhere."""
    return source.origin is Origin.MANUAL and memo.audience == EVERYWHERE


def _narrow(tx: Tx, memo: Memo, audience: Audience | None, context: ChangeContext) -> Memo:
    """The memo for those alone who hear both it and the change; one that is made in no place is for the same people."""
    if audience is None:
        return memo
    both = common_audience(memo, audience)
    if both == memo.audience:
        return memo
    after = replace(memo, audience=both, updated=max(context.at, memo.updated))
    write(tx, [Revise(memo, after, f"audience {both}: it is changed where no others hear it")], context)
    return after


def _reword(
    tx: Tx,
    memo: Memo,
    text: str,
    source: Provenance,
    context: ChangeContext,
    limits: MemoLimits,
    vector: tuple[str, Vector] | None,
) -> Memo:
    candidate = Candidate(
        id=memo.id,
        subject=memo.subject,
        kind=memo.kind,
        text=text,
        at=context.at,
        source=replace(source, metadata=memo.source.metadata),
        audience=memo.audience,
        expires=memo.expires,
    )
    match apply_statement(tx, candidate, context, limits, vector)[0]:
        case Revise(after=after) if after.id == memo.id:
            return after
        case Skip(reason=reason):
            raise BadInput(f"not changed: {reason}")
        case _:
            raise BadInput("not changed: another memo says this")
