"""Consent to learning: paused until resumed, persisted per user. Units of work."""

from datetime import datetime

from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.types import Subject


def pause(tx: Tx, user: str, now: datetime, by: str = "") -> bool:
    """Stop learning from a user, requested by them or someone else; False when already paused."""
    if is_paused(tx, user):
        return False
    tx.state.append(_key(user), now.isoformat())
    tx.events.add(Event(EventKind.LEARNING_PAUSED, now, by or user, Subject(user).scope))
    return True


def resume(tx: Tx, user: str, now: datetime, by: str = "") -> bool:
    """Learn from a user again; False when not paused."""
    if not tx.state.clear(_key(user)):
        return False
    tx.events.add(Event(EventKind.LEARNING_RESUMED, now, by or user, Subject(user).scope))
    return True


def is_paused(tx: Tx, user: str) -> bool:
    return bool(tx.state.items(_key(user)))


def _key(user: str) -> str:
    return f"paused:{user}"
