"""Edit one memo: its text, its tags, or both. A new text is merged like any statement.

An edit made for a narrow audience must not reach a wider one through a memo that the wider one sees.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, Self

from recollect.core.changes import Candidate, Revise, Skip
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.ports import Tx, Vector
from recollect.core.reasons import Reason
from recollect.core.types import EVERYWHERE, Audience, Memo, Metadata, Origin, Provenance
from recollect.learning.apply import ChangeContext, MemoLimits, apply_statement, write
from recollect.policy.guard.statements import without_instructions
from recollect.policy.redaction import redact_tags
from recollect.policy.redaction.json_values import redact_value
from recollect.policy.statement import edited_text
from recollect.policy.visibility import common_audience


@dataclass(frozen=True, slots=True)
class MemoEdit:
    """The new text, tags, metadata and expiry; None leaves them unchanged. `source` is who edits, and where.

    With `wide`, each person has one memory for all places, and manual edits keep the audience `everywhere`.
    """

    text: str | None
    tags: tuple[str, ...] | None
    source: Provenance
    wide: bool = False
    metadata: Metadata | None = None
    expires: datetime | Literal["never"] | None = None

    @classmethod
    def redacted(
        cls,
        text: str | None,
        tags: Collection[str] | None,
        metadata: Mapping[str, Any] | None,
        expires: datetime | Literal["never"] | None,
        source: Provenance,
        *,
        wide: bool,
    ) -> Self:
        """The requested edit without secrets; raises BadInput."""
        return cls(
            None if text is None else edited_text(text),
            None if tags is None else redact_tags(tags),
            source,
            wide,
            None if metadata is None else redact_value(dict(metadata)),
            expires,
        )


def edit_memo(
    tx: Tx,
    memo: Memo,
    edit: MemoEdit,
    context: ChangeContext,
    limits: MemoLimits,
    vector: tuple[str, Vector] | None = None,
) -> Memo:
    """Returns the edited memo, with the same id and its earlier state in its history. Raises BadInput.

    Its audience stays the same if all of it could see the edit, else it is narrowed to those who could: a public fact
    corrected in a DM is private from then on. `AsyncMemory.share` widens it again.
    """
    if not memo.active:
        raise UnknownMemo(f"memory {memo.id!r} is no longer in use")
    tags = memo.tags if edit.tags is None else without_instructions(edit.tags)
    text = memo.text if edit.text is None else edit.text
    metadata = memo.source.metadata if edit.metadata is None else edit.metadata
    expires = None if edit.expires == "never" else edit.expires or memo.expires
    has_details = (metadata, expires) != (memo.source.metadata, memo.expires)
    if (text, tags) == (memo.text, memo.tags) and not has_details:
        return memo
    if not (edit.wide and _is_own_edit_everywhere(memo, edit.source)):
        # First: the new words must never stand in a memo that more people can see.
        memo = _narrow(tx, memo, edit.source.heard, context)
    if tags != memo.tags or has_details:
        reason = Reason.OTHER_TAGS if tags != memo.tags else Reason.OTHER_DETAILS
        source, updated = replace(memo.source, metadata=metadata), max(context.at, memo.updated)
        after = replace(memo, tags=tags, expires=expires, source=source, updated=updated)
        memo = write(tx, [Revise(memo, after, reason)], context)[0].after
    return memo if text == memo.text else _reword(tx, memo, text, edit.source, context, limits, vector)


def _is_own_edit_everywhere(memo: Memo, source: Provenance) -> bool:
    """Whether an owner manually edits a memo with audience `everywhere`."""
    return source.origin is Origin.MANUAL and memo.audience == EVERYWHERE


def _narrow(tx: Tx, memo: Memo, audience: Audience | None, context: ChangeContext) -> Memo:
    """The memo with the audience that heard both it and the change; with None, its own."""
    if audience is None:
        return memo
    both = common_audience(memo, audience)
    if both == memo.audience:
        return memo
    after = replace(memo, audience=both, updated=max(context.at, memo.updated))
    return write(tx, [Revise(memo, after, Reason.AUDIENCE_NARROWED, str(both))], context)[0].after


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
        case Skip() as skip:
            raise BadInput(f"not changed: {skip.text}")
        case _:
            raise BadInput("not changed: another memo says this")
