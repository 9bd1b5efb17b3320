"""A person's explicit statement as a candidate: validated, redacted, and with its audience."""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict

from recollect.core.changes import Candidate
from recollect.core.errors import BadInput
from recollect.core.outcomes import Refused
from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.core.types import Audience, Kind, Origin, Place
from recollect.language import lexicon
from recollect.language.word_forms import content_words
from recollect.policy import kinds
from recollect.policy.redaction import redact, redact_memo, redact_tags
from recollect.policy.redaction.json_values import redact_value
from recollect.policy.redaction.span import MARKER
from recollect.policy.viewer import lore_audience, provenance, subject_of
from recollect.policy.visibility import VisibilityPolicy, limit_audience, stated_audience, with_qualified_owner

MAX_TEXTS_AT_ONCE = 20
"""More texts than this are checked in a thread, so that they don't block the event loop."""
_SECOND_THOUGHT = re.compile(r"\b(?:and|but|und|aber|et|mais|y|pero|e|mas|ma|ale|ama)\b", re.IGNORECASE)
_NAMES_SECRET = re.compile(
    rf"(?!.*{_SECOND_THOUGHT.pattern})"
    rf"\s*(?:[^\s:=,;.!?]+\s+){{0,6}}?[^\s:=,;.!?]+\s*(?:\s(?:is|are|was|ist|sind|war|lautet|es|son|est|sont|é|são)\b|[:=：]|は)"
    rf"\s*(?:now|jetzt)?\W*{MARKER.pattern}\W*",
    re.IGNORECASE,
)
"""Few words: the name of a secret and its value. A text that says anything else is kept without the value."""
_MAX_IDLE_WORDS = 1
"""At most this many words beside a secret and its name, such as "changed", are not worth keeping."""


_PARTS = re.compile(r"[,;.!?\n]\s|\b(?:with|using|mit|avec|con|com)\b")
"""What parts a clause, or what somebody does from the secret that they do it with."""


class StatementOptions(TypedDict, total=False):
    """What can be said about a statement besides its text."""

    kind: Kind | str | None
    tags: Collection[str]
    message: str | None
    audience: Audience | None
    happened: datetime | None
    expires: datetime | None
    pinned: bool
    origin: Origin
    metadata: Mapping[str, Any] | None
    confidence: float
    evidence: str | None


def statement(
    text: str,
    user: str,
    place: Place,
    policy: VisibilityPolicy,
    now: datetime,
    *,
    lore: bool = False,
    kind: Kind | str | None = None,
    tags: Collection[str] = (),
    message: str | None = None,
    audience: Audience | None = None,
    happened: datetime | None = None,
    expires: datetime | None = None,
    pinned: bool = False,
    origin: Origin = Origin.MANUAL,
    metadata: Mapping[str, Any] | None = None,
    confidence: float = 1.0,
    evidence: str | None = None,
) -> Candidate | Refused:
    """The candidate of a statement; its audience is the place's unless one is named, for lore its guild's."""
    if not 0 <= confidence <= 1:
        raise BadInput(f"a confidence of {confidence} is not between 0 and 1")
    statement = statement_text(text)
    if isinstance(statement, Refused):
        return statement
    subject = subject_of(user, place, lore)
    requested = stated_audience(place, policy) if audience is None else with_qualified_owner(audience, subject.id)
    source = provenance(user, place, message, origin)
    if metadata or evidence is not None:
        redacted = None if evidence is None else redact(evidence).text
        source = replace(source, metadata=redact_value(dict(metadata or {})), evidence=redacted)
    return Candidate(
        subject=subject,
        kind=kinds.stated_kind(kind, statement, lore=lore),
        text=statement,
        at=now,
        source=source,
        audience=lore_audience(place) if lore else limit_audience(requested, place, policy),
        tags=redact_tags([tags] if isinstance(tags, str) else tags),
        happened=happened,
        expires=expires,
        pinned=pinned,
        confidence=confidence,
    )


def statement_text(text: str) -> str | Refused:
    """The text without secrets; refused if it is empty, or says nothing else. Raises BadInput if it is too long."""
    if not text.strip():
        return Refused(Reason.EMPTY)
    redacted = redact_memo(text).text
    return Refused(Reason.SECRET) if is_only_secret(redacted) else redacted


def is_only_secret(redacted: str) -> bool:
    """Whether a text has a secret and nothing else worth keeping: "my AWS key is …" says only what the key is."""
    if not MARKER.search(redacted):
        return False
    from recollect.policy.redaction.nearby import without_names  # compiled on first use, by what made the marker

    rest = MARKER.sub(" ", redacted)
    if not any(map(str.isalnum, rest)) or _NAMES_SECRET.fullmatch(redacted):
        return True
    if any(
        _says_something(without_names(part.lower())) for part in _PARTS.split(redacted) if MARKER.search(part) is None
    ):
        return False
    other = without_names(rest.lower())
    is_named = other != rest.lower() and _SECOND_THOUGHT.search(rest) is None
    return len(content_words(other)) <= (_MAX_IDLE_WORDS if is_named else 0)


def _says_something(clause: str) -> bool:
    """Whether a clause beside the one with the secret is a statement of its own: "I like tea, password …"."""
    return len([word for word in words(clause) if len(word) > 2 and word not in lexicon.words("filler")]) > 1


def edited_text(text: str) -> str:
    """The new text of a memo without secrets; raises BadInput if that leaves nothing, or it is too long."""
    statement = statement_text(text)
    if isinstance(statement, Refused):
        problem = "is empty" if statement.reason is Reason.EMPTY else "is a secret and nothing else"
        raise BadInput(f"the new text {problem}, so nothing was changed")
    return statement
