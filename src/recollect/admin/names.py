"""Display names: of people from their messages, of guilds as clients say them; and lookup of people by name."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.text import fold
from recollect.core.types import Status, Subject, split_person
from recollect.policy.viewer import valid_user
from recollect.recall.guild_names import guild_name
from recollect.recall.people import resolve

_MAX_MEMOS_SCANNED = 8
"""How many of a person's newest memos are searched for a message with the person's name."""
_MAX_MESSAGES_SCANNED = 20
"""How many of a person's messages are searched, where no memo comes from one."""
_MAX_SILENT_OWNERS = 1_000
"""Owners of memos that an id is compared with, besides everyone who said something."""
_MAX_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The person that an id or a name refers to."""

    typed: str
    id: str
    """The person's id; the typed text where no one matches, and empty where several do."""
    is_known: bool = False
    matches: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids and names of all matches, if there are several."""
    suggestions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Ids and names of similar people, where no one matches."""


def match_name(tx: Tx, typed: str) -> NameMatch:
    """Look a person up by id or, case-insensitively, by name. An id wins: no name can hide it. Raises BadInput."""
    typed = valid_user(typed)
    person = resolve(tx, typed, changes=False, speakers=True)
    if tx.memos.count(Subject(person)) or tx.messages.written_by(person, limit=1):
        return NameMatch(typed, person, is_known=True)
    query, people = fold(typed.strip()), _list_people(tx)
    matches = {
        user: name for user, name in people.items() if query in (fold(user), fold(split_person(user)[1]), fold(name))
    }
    if len(matches) == 1:
        return NameMatch(typed, next(iter(matches)), is_known=True)
    if matches:
        return NameMatch(typed, "", matches=matches)
    return NameMatch(typed, typed, suggestions=_close_matches(query, people))


def require_single(match: NameMatch) -> str:
    """The id of the match; raises BadInput where there are several."""
    if match.matches:
        ids = ", ".join(match.matches)
        raise BadInput(f"{len(match.matches)} people are called {match.typed}: {ids}; say which by the id")
    return match.id


def _list_people(tx: Tx) -> dict[str, str]:
    """Ids and names of everyone who said something, and ids of others who have memos: only messages bring names."""
    silent = {subject.id: "" for subject, _ in tx.memos.owners(limit=_MAX_SILENT_OWNERS)}
    return silent | dict(tx.messages.speakers())


def _close_matches(query: str, people: Mapping[str, str]) -> dict[str, str]:
    words = {user: (fold(user), fold(name)) for user, name in people.items()}
    all_words = [word for pair in words.values() for word in pair if word]
    close = set(get_close_matches(query, all_words, _MAX_SUGGESTIONS))
    close |= {word for word in all_words if query in word}
    users = [user for user, pair in words.items() if not close.isdisjoint(pair)]
    return {user: people[user] for user in users[:_MAX_SUGGESTIONS]}


class Names:
    """Looks up display names, each once, within one read of the store."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._names: dict[str, str] = {}

    def __call__(self, user: str) -> str:
        """The person's name; empty when it is not known."""
        if user not in self._names:
            self._names[user] = display_name(self._tx, Subject(user))
        return self._names[user]

    def of(self, subject: Subject) -> str:
        """The name of a person or a guild; the id where that is not known."""
        return display_name(self._tx, subject) if subject.is_lore else self(subject.id) or subject.id


def display_names(tx: Tx, users: Iterable[str]) -> dict[str, str]:
    """The names of these people, without those who have none."""
    names = Names(tx)
    return {user: name for user in users if (name := names(user))}


def display_name(tx: Tx, subject: Subject) -> str:
    """The display name of a person or a guild; empty when it is not known."""
    if subject.is_lore:
        return guild_name(tx, subject.guild or "")
    for memo in tx.memos.list(subject, [Status.ACTIVE], _MAX_MEMOS_SCANNED):
        message = tx.messages.get(memo.source.platform, memo.source.message) if memo.source.message else None
        if message is not None and message.person == subject.id and message.name:
            return message.name
    return next(iter(tx.messages.names_of(subject.id, _MAX_MESSAGES_SCANNED)), "")
