"""Logs once per person and conversation that nothing is learned from a language."""

from collections.abc import Iterable
from datetime import datetime

from recollect.core.events import Event, EventKind
from recollect.core.ports import KnowsLanguages, Model, Tx
from recollect.core.reasons import Reason
from recollect.core.state import Owner, StateKind
from recollect.core.text import join_escaped
from recollect.core.types import Message, Subject, message_ref
from recollect.learning.extraction_records import Extraction


def note_unread_language(tx: Tx, extraction: Extraction, models: Iterable[Model | None], now: datetime) -> None:
    """Log the first message of a person in a place whose language its model can't read."""
    if extraction.accepted:
        return
    reader = next((model for model in models if model is not None and model.name == extraction.model), None)
    if reader is None or not isinstance(reader, KnowsLanguages):
        return
    for message in extraction.input.messages:
        language = reader.unread_language(message.text)
        if language and not _mark_notified(tx, message, language):
            data = {"message": message_ref(message), "kind": "", "text": ""}
            scope, reason = Subject(message.person).scope, Reason.UNREAD_LANGUAGE
            event = Event(
                EventKind.MEMO_REFUSED, now, extraction.model, scope, reason=reason, data=data, detail=language
            )
            tx.events.add(event)


def _mark_notified(tx: Tx, message: Message, language: str) -> bool:
    """Whether they were told before; marks them as told."""
    key = join_escaped("/", message.person, message.place.session)
    if tx.state.count(StateKind.UNREAD_LANGUAGES, key):
        return True
    owner = Owner.member(message.person, message.place.guild_key)
    tx.state.append(StateKind.UNREAD_LANGUAGES, key, language, owner)
    return False
