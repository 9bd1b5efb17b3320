"""What people are called: by the name under which they last said something that is remembered."""

from collections.abc import Iterable

from recollect.ports import Tx
from recollect.types import Status, Subject

_LOOKED = 8
"""Newest memos of a person whose messages are asked for the person's name."""


class Names:
    """Looks each name up once, within one read of the store."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._known: dict[str, str] = {}

    def __call__(self, user: str) -> str:
        """The name; empty when none is known."""
        if user not in self._known:
            self._known[user] = called(self._tx, Subject(user))
        return self._known[user]


def named(tx: Tx, users: Iterable[str]) -> dict[str, str]:
    """The names of those who have one."""
    names = Names(tx)
    return {user: name for user in users if (name := names(user))}


def called(tx: Tx, subject: Subject) -> str:
    if subject.is_lore:
        return ""
    for memo in tx.memos.list(subject, [Status.ACTIVE], _LOOKED):
        said = tx.journal.get(memo.source.platform, memo.source.message) if memo.source.message else None
        if said is not None and said.author == subject.id and said.name:
            return said.name
    return ""
