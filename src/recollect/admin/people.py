"""Owners of memos, people and guilds: listing and finding them, their names, and pausing what is learned."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.admin import names
from recollect.admin.base import AdminBase, clamp
from recollect.admin.places import guild_places, known_guilds, known_places, resolve_place
from recollect.core.ports import Tx
from recollect.core.sessions import parse_session
from recollect.core.text import fold
from recollect.core.types import Place, Status, Subject
from recollect.learning import consent
from recollect.policy.viewer import valid_user
from recollect.recall.guild_names import guild_name, named_guilds, note_guild_name
from recollect.recall.people import resolve

_MAX_CHOICES = 100
"""People offered to choose from."""
_MAX_COUNTED = 1_000


@dataclass(frozen=True, slots=True)
class Owner:
    """A person, or a guild that has lore."""

    subject: Subject
    memos: int
    name: str
    """The display name; empty if unknown, and for guilds."""
    paused: bool
    """Whether learning from the person is paused."""
    last: datetime | None = None
    """When something was last stated or learned about them."""
    seen: datetime | None = None
    """When they last said something that is stored; None for guilds."""


@dataclass(frozen=True, slots=True)
class OwnerPage:
    owners: tuple[Owner, ...]
    after: str
    """Where the next page starts; empty on the last."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a page says about a subject, besides its memos."""

    name: str
    paused: bool
    names: Mapping[str, str]
    """Display names of the other people asked for, by id, where known."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks from which place, and the choices for both."""

    match: names.NameMatch | None
    place: Place
    people: Mapping[str, str]
    """Ids of people to choose from, with their names if known."""
    places: Sequence[Place]

    @property
    def user(self) -> str:
        """The id of the asking person; empty while it is ambiguous or missing."""
        return self.match.id if self.match else ""

    @property
    def typed(self) -> str:
        return self.match.typed if self.match else ""

    @property
    def name(self) -> str:
        return self.people.get(self.user) or self.user


class PeopleAdmin(AdminBase):
    async def owner_page(self, part: str = "", after: str = "", limit: int = 50, *, lore: bool = False) -> OwnerPage:
        """Owners with their names; `part` may also be in a person's name, on the first page."""

        def work(tx: Tx) -> OwnerPage:
            owners = list(tx.memos.owners(part, after, clamp(limit) + 1, lore=lore))
            if part and not after and len(owners) <= limit:
                known = {subject for subject, _ in owners}
                owners += [owner for owner in _find_by_name(tx, part, limit, lore=lore) if owner[0] not in known]
            visible = owners[:limit]
            more = visible[-1][0].scope if len(owners) > limit else ""
            return OwnerPage(tuple(describe_owner(tx, subject, count) for subject, count in visible), more)

        return await self._read(work)

    async def people_in(
        self, channel: str | None = None, thread: str | None = None, noted: str | None = None
    ) -> Sequence[Subject]:
        """People with memos: from a channel or a thread outside guilds, or with this text in their metadata; all of
        them if nothing is named.
        """
        if (channel, thread, noted) == (None, None, None):
            return await self._read(lambda tx: [subject for subject in tx.memos.subjects() if not subject.is_lore])
        return await self._read(lambda tx: tx.memos.owners_in(channel, thread, noted))

    async def profile_names(self, people: Collection[str]) -> dict[str, str]:
        """Names of the people whose name is known, by `person_key`."""
        return await self._read(lambda tx: names.display_names(tx, people)) if people else {}

    async def guild_names(self) -> dict[str, str]:
        """Names of the guilds whose name is known, by `guild_key`."""
        return await self._read(lambda tx: {guild: guild_name(tx, guild) for guild in named_guilds(tx)})

    async def name_guilds(self, guilds: Mapping[str, str]) -> None:
        """Store the names of guilds, by `guild_key`."""
        known = await self._read(lambda tx: {guild: guild_name(tx, guild) for guild in guilds})
        if any(known[guild] != name for guild, name in guilds.items()):
            await self._write(lambda tx: [note_guild_name(tx, guild, name) for guild, name in guilds.items()])

    async def count_owners(self) -> dict[str, int]:
        """How many people have memos, up to a thousand, and how many guilds are known."""
        return await self._read(
            lambda tx: {
                "people": len(tx.memos.owners(limit=_MAX_COUNTED)),
                "guilds": len(known_guilds(tx)),
            }
        )

    async def match_name(self, typed: str) -> names.NameMatch:
        """The person that an id or a name refers to."""
        return await self._read(lambda tx: names.match_name(tx, typed))

    async def profile(self, subject: Subject, others: Collection[str] = ()) -> Profile:
        """The name of a subject, whether learning from them is paused, and the names of other people."""

        def work(tx: Tx) -> Profile:
            paused = not subject.is_lore and consent.is_paused(tx, subject.id)
            return Profile(names.display_name(tx, subject), paused, names.display_names(tx, others))

        return await self._read(work)

    async def asker(self, typed: str, session: str) -> Asker:
        """Who is meant by an id or a name, in the place of a session or in the likeliest one."""

        def work(tx: Tx) -> Asker:
            display_names = names.Names(tx)
            match = names.match_name(tx, typed) if typed else None
            user = match.id if match else ""
            people = {subject.id: display_names(subject.id) for subject, _ in tx.memos.owners(limit=_MAX_CHOICES)}
            people |= {user: display_names(user)} if user else {}
            choices = known_places(tx, user)
            requested = parse_session(session) if session else None
            chosen = resolve_place(tx, requested.place) if requested else None
            if chosen is None or (user and chosen.person not in (None, user)):  # the DM of whoever came before
                chosen = next(iter(choices), Place(dm=user))
            if chosen.session not in {choice.session for choice in choices}:
                choices.append(chosen)
            return Asker(match, chosen, people, choices if user else [])

        return await self._read(work)

    async def resolve(self, user: str, *, changes: bool) -> str:
        """The person that an id means, with or without a platform; raises BadInput, see `recall.people`."""
        name = valid_user(user)
        return await self._read(lambda tx: resolve(tx, name, changes=changes, speakers=True))

    async def is_paused(self, user: str) -> bool:
        """Whether learning from a person is paused."""
        person = await self.resolve(user, changes=False)
        return await self._read(lambda tx: consent.is_paused(tx, person))

    async def pause(self, user: str) -> bool:
        """Learn nothing from a person until resumed; False when that was so already."""
        person, now = await self.resolve(user, changes=True), self._clock()
        return await self._write(lambda tx: consent.pause(tx, person, now, self.name))

    async def resume(self, user: str) -> bool:
        """Learn from a person again; False when not paused."""
        person, now = await self.resolve(user, changes=True), self._clock()
        return await self._write(lambda tx: consent.resume(tx, person, now, self.name))


def _find_by_name(tx: Tx, part: str, limit: int, *, lore: bool) -> list[tuple[Subject, int]]:
    """People who said something, or guilds, whose name or id contains this."""
    folded = fold(part)
    if lore:
        guilds = [guild for guild in sorted(known_guilds(tx)) if folded in fold(f"{guild_name(tx, guild)}\n{guild}")]
        return [(Subject.lore(guild), tx.memos.count(Subject.lore(guild), [Status.ACTIVE])) for guild in guilds[:limit]]
    people = [Subject(person) for person, name in tx.messages.speakers() if folded in fold(f"{name}\n{person}")]
    return [(subject, tx.memos.count(subject, [Status.ACTIVE])) for subject in people[:limit]]


def describe_owner(tx: Tx, subject: Subject, count: int | None = None) -> Owner:
    if subject.is_lore:
        paused = any(consent.is_place_paused(tx, place) for place in guild_places(subject.guild or ""))
    else:
        paused = consent.is_paused(tx, subject.id)
    newest = tx.memos.list(subject, [Status.ACTIVE], 1)
    last = newest[0].updated if newest else None
    seen = None if subject.is_lore else tx.messages.last_message_time(subject.id)
    count = tx.memos.count(subject, [Status.ACTIVE]) if count is None else count
    return Owner(subject, count, names.display_name(tx, subject), paused, last, seen)
