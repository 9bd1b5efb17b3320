"""Consent to learning: paused until resumed, persisted per user. Units of work."""

from datetime import datetime

from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.types import Subject


def pause(tx: Tx, user: str, now: datetime, by: str = "") -> bool:
    """Stop learning from a user, requested by them or someone else; False when already paused."""
    if is_paused(tx, user):
        return False
    tx.state.append(StateKind.PAUSED, user, now.isoformat(), Owner.person(user))
    tx.events.add(Event(EventKind.LEARNING_PAUSED, now, by or user, Subject(user).scope))
    return True


def resume(tx: Tx, user: str, now: datetime, by: str = "") -> bool:
    """Learn from a user again; False when not paused."""
    if not tx.state.clear(StateKind.PAUSED, user):
        return False
    tx.events.add(Event(EventKind.LEARNING_RESUMED, now, by or user, Subject(user).scope))
    return True


def is_paused(tx: Tx, user: str) -> bool:
    return bool(tx.state.items(StateKind.PAUSED, user))
