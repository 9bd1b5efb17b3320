"""Converts an imported entry into a memo: with an owner, redacted, and with its original times."""

import json
import math
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from recollect.core.clock import from_ms, to_ms
from recollect.core.errors import BadInput
from recollect.core.ports.format import FOREIGN_ID, Entry, Problem
from recollect.core.text import clean, clip, collapse_spaces, digest, valid_memo_text
from recollect.core.types import (
    EVERYWHERE,
    LOCAL,
    Audience,
    AudienceLevel,
    Kind,
    Memo,
    Provenance,
    Subject,
    person_key,
)
from recollect.policy import kinds
from recollect.policy.guard.statements import gives_instructions, kind_of_statement
from recollect.policy.redaction import redact, redact_memo
from recollect.policy.redaction.json_values import redact_value
from recollect.policy.statement import is_only_secret
from recollect.policy.viewer import valid_user
from recollect.policy.visibility import VisibilityPolicy, source_audience
from recollect.transfer.readers import fields

ORDERS = "gives orders to the assistant"
_MAX_LABEL_CHARS, _MAX_TAG_CHARS, _MAX_TAGS, _MAX_OWN_TAGS = 60, 100, 50, 1_000
_MAX_METADATA_DEPTH = 50
"""How deep metadata may nest."""
_MAX_CLOCK_SKEW = timedelta(days=1)
"""How far ahead of ours another clock may be."""
# An id that can't be mistaken for a number in a list or for words of a text.
_KEPT_ID = re.compile(r"(?=.*[A-Za-z])(?=.*[\d:_.-])[\w:.-]{8,80}", re.ASCII)


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Options for all entries of one import."""

    format: str
    at: datetime
    everywhere: bool = False
    """Whether it may be recalled everywhere where it isn't said who could hear it; else in its owner's DM alone."""
    policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE


@dataclass(frozen=True, slots=True)
class ConvertedEntry:
    """A memo to import, without an id if the entry had none."""

    memo: Memo
    redacted: bool
    dated: bool
    """Whether it was said when it was written."""
    vector: tuple[str, bytes] | None = None
    shared: bool = False
    """Whether the audience `everywhere` was chosen explicitly."""


def convert(entry: Entry, options: ImportOptions) -> ConvertedEntry | Problem:
    """The entry as a memo; a Problem when it can't be one."""
    try:
        return _convert(entry, options)
    except BadInput as error:
        return Problem(entry.location, str(error))


def contains_instructions(entry: ConvertedEntry) -> bool:
    """Whether it gives orders to the assistant; slow, so only new entries are checked."""
    memo = entry.memo
    return gives_instructions(memo.text, memo.source.evidence or "", memo.label or "", " ".join(memo.tags))


def _convert(entry: Entry, options: ImportOptions) -> ConvertedEntry:
    subject = _subject(entry)
    # Validated before redacting, so that errors are about what the file says.
    cleaned = valid_memo_text(clean(entry.text))
    text = redact_memo(clean(entry.text)).text
    if text != cleaned and is_only_secret(text):  # one of our own exports keeps what it has
        raise BadInput("is a secret and nothing else")
    source = _source(entry, options)
    created, updated, dated = _times(entry, options)
    kind, label = _kind(entry, text)
    memo = Memo(
        id=_id(options.format, entry.id, entry.is_ours) or "",
        subject=subject,
        kind=kind,
        text=text,
        created=created,
        updated=updated,
        source=source,
        audience=_audience(entry, subject, source, options),
        tags=_tags(entry),
        status=entry.status,
        confidence=_confidence(entry.confidence),
        pinned=entry.pinned,
        label=label,
        happened=_utc_time(entry.happened),
        expires=_utc_time(entry.expires),
        supersedes=_id(options.format, entry.supersedes, entry.is_ours),
        superseded_by=_id(options.format, entry.superseded_by, entry.is_ours),
        hits=max(0, entry.hits),
        version=max(1, entry.version),
    )
    is_whole = (
        text == cleaned == collapse_spaces(entry.text)
    )  # a vector of other words, or of a secret, is not this text's
    vector = _vector(entry) if is_whole and memo.active else None
    return ConvertedEntry(memo, text != cleaned, dated, vector, shared=entry.shared or options.everywhere)


def _subject(entry: Entry) -> Subject:
    if entry.user is not None:
        return Subject(_person(entry, valid_user(clean(entry.user))))
    if entry.guild is None or not entry.guild.strip():
        raise BadInput("doesn't say whose it is: add --user")
    return Subject.lore(clean(entry.guild))


def _person(entry: Entry, user: str) -> str:
    """The documents' designs are Discord's, where an id is a number; our own files say of each memo its platform."""
    platform = entry.source.platform
    is_on_platform = entry.is_ours or user.isdecimal() or platform != "discord"
    return person_key(platform if is_on_platform and ":" not in user else LOCAL, user)


def _id(form: str, foreign_id: str | None, is_own: bool) -> str | None:
    """An id of elsewhere as one of ours, the same each time; lineage refers to these ids too."""
    if foreign_id is None or not foreign_id.strip():
        return None
    cleaned = clean(foreign_id.strip())
    return cleaned if is_own or _KEPT_ID.fullmatch(cleaned) else f"durable-{digest('imported', form, cleaned)[:12]}"


def _source(entry: Entry, options: ImportOptions) -> Provenance:
    source, metadata = entry.source, dict(entry.source.metadata)
    if entry.id and _id(options.format, entry.id, entry.is_ours) != entry.id:
        metadata[FOREIGN_ID] = entry.id
    return replace(
        source,
        evidence=_redacted(source.evidence),
        channel_name=_redacted(source.channel_name),
        metadata=redact_value(_to_json_values(metadata)) if metadata else {},
        actor=clean(source.actor),
    )


def _to_json_values(value: dict[str, Any]) -> dict[str, Any]:
    """As every store gives it back; raises BadInput."""
    if fields.is_nested_deeper(value, _MAX_METADATA_DEPTH):
        raise BadInput("its metadata nests too deeply")
    return json.loads(clean(json.dumps(value, ensure_ascii=False, default=str)))


def _redacted(text: str | None) -> str | None:
    return None if text is None else redact(clean(text)).text


def _kind(entry: Entry, text: str) -> tuple[Kind, str | None]:
    label = None if entry.label is None else redact(clip(clean(entry.label), _MAX_LABEL_CHARS)).text
    if entry.kind is None:
        return (Kind.LORE if entry.user is None else _screened_kind(kinds.infer(text), entry, text)), label
    try:
        return _screened_kind(kinds.from_kind(entry.kind)[0], entry, text), label
    except BadInput:
        label = label or redact(clip(clean(entry.kind), _MAX_LABEL_CHARS)).text
        return _screened_kind(Kind.FACT, entry, text), label


def _screened_kind(kind: Kind, entry: Entry, text: str) -> Kind:
    """What another program says about somebody else is a note; our own files were screened when they were written."""
    return kind if entry.is_ours else kind_of_statement(kind, text, entry.user or "")


def _tags(entry: Entry) -> tuple[str, ...]:
    limited = islice((tag for tag in entry.tags if tag.strip()), _MAX_OWN_TAGS if entry.is_ours else _MAX_TAGS)
    tags = [redact(clean(tag)).text for tag in limited]  # lower-cased keys would not be recognized
    if entry.is_ours:
        return tuple(dict.fromkeys(tags))
    return tuple(dict.fromkeys(tag.strip().lower()[:_MAX_TAG_CHARS] for tag in tags))


def _confidence(value: float) -> float:
    if not math.isfinite(value):
        raise BadInput(f"a confidence of {value} is no confidence")
    return min(1.0, max(0.0, value))


def _audience(entry: Entry, subject: Subject, source: Provenance, options: ImportOptions) -> Audience:
    if subject.is_lore:
        return entry.audience or Audience(AudienceLevel.GUILD, subject.guild or "", subject.guild or "")
    if entry.audience is None:
        return EVERYWHERE if options.everywhere else Audience(AudienceLevel.DM, subject.id)
    if entry.audience == EVERYWHERE and not _may_be_everywhere(entry, options):
        return source_audience(source, subject.id)
    if entry.audience == Audience(AudienceLevel.DM, clean(entry.user or "")):
        return Audience(AudienceLevel.DM, subject.id)
    if options.policy is VisibilityPolicy.GUILD_ISOLATED and entry.audience.guild and not entry.is_ours:
        # The channel is a hint there and no wall, and whether it was closed is not known.
        return Audience(AudienceLevel.GUILD, entry.audience.guild, entry.audience.guild)
    return entry.audience


def _may_be_everywhere(entry: Entry, options: ImportOptions) -> bool:
    """Elsewhere it may have been the default; here it takes a decision, its owner's or that of who imports."""
    return entry.shared or options.everywhere or options.policy is VisibilityPolicy.USER_GLOBAL


def _times(entry: Entry, options: ImportOptions) -> tuple[datetime, datetime, bool]:
    """When it was written down first and last, and whether that is known. A time that is still to come is not: what
    bears it could never be changed again.
    """
    times = [_utc_time(entry.created), _utc_time(entry.updated)]
    if not entry.is_ours:
        times = [time if time is not None and time <= options.at + _MAX_CLOCK_SKEW else None for time in times]
    first, last = times
    created, updated = first or last or options.at, last or first or options.at
    return created, updated if entry.is_ours else max(created, updated), first is not None or last is not None


def _utc_time(time: datetime | None) -> datetime | None:
    """To the millisecond; a time of the year 1 is one that was never set."""
    if time is None or time.year <= 1:
        return None
    return from_ms(to_ms(time if time.tzinfo else time.replace(tzinfo=UTC)))


def _vector(entry: Entry) -> tuple[str, bytes] | None:
    """The vector with unit length, if it points anywhere."""
    normalized = None if entry.vector is None else fields.vector(entry.vector[1])
    return None if entry.vector is None or normalized is None else (entry.vector[0], normalized)
