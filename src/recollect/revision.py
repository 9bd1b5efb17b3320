"""Change one memo by its id: other words, other tags, or both. Words are merged like everything that is stated."""

from dataclasses import dataclass, replace

from recollect.errors import BadInput, UnknownMemo
from recollect.learn import Caps, Cause, learn, write
from recollect.ports import Tx, Vector
from recollect.types import Candidate, Memo, Provenance, Revise, Skip


@dataclass(frozen=True, slots=True)
class Revision:
    """What a memo shall say from now on; None leaves it as it is. `source` is who says so, and where."""

    text: str | None
    tags: tuple[str, ...] | None
    source: Provenance


def revise(
    tx: Tx, memo: Memo, wanted: Revision, cause: Cause, caps: Caps, vector: tuple[str, Vector] | None = None
) -> Memo:
    """The memo as it is then: same id, same audience, its earlier state in its history. Raises BadInput."""
    if not memo.active:
        raise UnknownMemo(f"memo {memo.id!r} is no longer in use")
    if wanted.tags is not None and wanted.tags != memo.tags:
        before, memo = memo, replace(memo, tags=wanted.tags, updated=max(cause.at, memo.updated))
        write(tx, [Revise(before, memo, "other tags")], cause)
    if wanted.text is None or wanted.text == memo.text:
        return memo
    return _reworded(tx, memo, wanted.text, wanted.source, cause, caps, vector)


def _reworded(
    tx: Tx,
    memo: Memo,
    text: str,
    source: Provenance,
    cause: Cause,
    caps: Caps,
    vector: tuple[str, Vector] | None,
) -> Memo:
    candidate = Candidate(
        id=memo.id,
        subject=memo.subject,
        kind=memo.kind,
        text=text,
        at=cause.at,
        source=replace(source, metadata=memo.source.metadata),
        audience=memo.audience,
        expires=memo.expires,
    )
    match learn(tx, candidate, cause, caps, vector)[0]:
        case Revise(after=after) if after.id == memo.id:
            return after
        case Skip(reason=reason):
            raise BadInput(f"not changed: {reason}")
        case _:
            raise BadInput("not changed: another memo says this")
