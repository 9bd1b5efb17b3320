"""What people are called: by the name under which they last said something that is remembered; and who is meant."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.text import fold
from recollect.core.types import Status, Subject
from recollect.policy.viewer import valid_user

_LOOKED = 8
"""Newest memos of a person whose messages are asked for the person's name."""
_PEOPLE, _PAGE = 1_000, 250
"""People whose names are looked through, and how many of them are read at a time."""
_NEAR = 5


@dataclass(frozen=True, slots=True)
class NameMatch:
    """Whom someone means by an id or a name."""

    typed: str
    id: str
    """The person's id; what was typed where nobody is known by that, and empty where several are."""
    known: bool = False
    several: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids and names of those who are called so, if there are several."""
    near: Mapping[str, str] = field(default_factory=dict[str, str])
    """The ids and names of those who may have been meant, where nobody is known by what was typed."""


def match_name(tx: Tx, typed: str) -> NameMatch:
    """Whom an id or a name means, whatever its case. An id comes first: no name can hide it. Raises BadInput."""
    typed = valid_user(typed)
    if tx.memos.count(Subject(typed)) or tx.messages.written_by(typed, limit=1):
        return NameMatch(typed, typed, known=True)
    wanted, people = fold(typed.strip()), dict(_people(tx))
    matches = {user: name for user, name in people.items() if wanted in (fold(user), fold(name))}
    if len(matches) == 1:
        return NameMatch(typed, next(iter(matches)), known=True)
    return NameMatch(typed, "", several=matches) if matches else NameMatch(typed, typed, near=_near(wanted, people))


def require_one(one: NameMatch) -> str:
    """The id of the person who is meant; raises BadInput where several are called so."""
    if one.several:
        ids = ", ".join(one.several)
        raise BadInput(f"{len(one.several)} people are called {one.typed}: {ids}; say which by the id")
    return one.id


def _people(tx: Tx) -> Iterator[tuple[str, str]]:
    """The ids and names of those who have memos, as many as are looked at quickly."""
    last = ""
    for _ in range(0, _PEOPLE, _PAGE):
        page = tx.memos.owners(after=last, limit=_PAGE)
        yield from ((subject.id, called(tx, subject)) for subject, _ in page)
        if len(page) < _PAGE:
            break
        last = page[-1][0].scope


def _near(wanted: str, people: Mapping[str, str]) -> dict[str, str]:
    words = {user: (fold(user), fold(name)) for user, name in people.items()}
    every = [word for pair in words.values() for word in pair if word]
    close = set(get_close_matches(wanted, every, _NEAR))
    close |= {word for word in every if wanted in word}
    found = [user for user, pair in words.items() if not close.isdisjoint(pair)]
    return {user: people[user] for user in found[:_NEAR]}


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
        said = tx.messages.get(memo.source.platform, memo.source.message) if memo.source.message else None
        if said is not None and said.author == subject.id and said.name:
            return said.name
    return ""
