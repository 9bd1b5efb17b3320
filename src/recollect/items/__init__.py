"""Values under keys in people's memories, for programs that need a key-value store: get, list, put, delete.

Each item is a memo of its user, visible like any other. Unlike a statement, it is not merged with other memos.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.core.clock import Clock
from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.types import Memo, Place, person_key, split_person
from recollect.items import values
from recollect.items.units import Item, UserItems
from recollect.items.values import Path
from recollect.learning.apply import ChangeContext
from recollect.memory import AsyncMemory
from recollect.policy.guard.statements import gives_instructions
from recollect.policy.visibility import VisibilityPolicy
from recollect.settings import wiring


@dataclass(frozen=True, slots=True)
class Put:
    """A value to store under a key of a user, or None to delete what is there."""

    user: str
    place: Place
    path: Path
    key: str
    value: Mapping[str, Any] | None
    search_text: str | None = None
    """What the value is searched by; its own text if not given."""
    expires: datetime | None = None


class Items:
    def __init__(self, memory: AsyncMemory, clock: Clock) -> None:
        self._memory, self._clock = memory, clock

    def of(self, user: str, place: Place) -> UserItems:
        """A user's items as visible in a place now."""
        return UserItems(user, place, VisibilityPolicy(self._memory.settings.visibility), self._clock())

    async def get(self, user: str, place: Place, path: Path, key: str) -> Memo | None:
        user_items = self.of(user, place)
        return await self._memory.store.read(lambda tx: user_items.get(tx, path, key))

    async def all(self, user: str, place: Place) -> list[Memo]:
        """Everything of a user that is visible in a place, newest first, each key once."""
        return await self._memory.store.read(self.of(user, place).all)

    async def paths(self, place_of: Callable[[str], Place | None]) -> set[tuple[str, Path]]:
        """The users and paths that hold items, among the users for whom `place_of` names a place.

        A user of that place's platform is named by the bare id.
        """

        def work(tx: Tx) -> set[tuple[str, Path]]:
            people = [subject.id for subject in tx.memos.subjects() if not subject.is_lore]
            places = filter(None, (_name_in_place(person, place_of) for person in people))
            return {(user, values.address(memo)[0]) for user, place in places for memo in self.of(user, place).all(tx)}

        return await self._memory.store.read(work)

    async def write(self, puts: Sequence[Put]) -> None:
        """Store and delete values, in one transaction."""
        if not self._memory.settings.enabled:
            raise BadInput("memory is switched off; switch it on with RECOLLECT_ENABLED=true")
        if any(put.value is not None for put in puts):  # deletions are always possible
            wiring.require_durable(self._memory.settings)
        units = [await self._prepare(put) for put in puts]
        await self._memory.store.write(lambda tx: [unit(tx) for unit in units])
        self._memory.engine.wake()

    async def _prepare(self, put: Put) -> Callable[[Tx], object]:
        """The unit of work; embedding is done here, before the store is locked."""
        user_items = self.of(put.user, put.place)
        context = ChangeContext(user_items.subject.id, user_items.now, secrets.token_hex(8))
        if put.value is None:
            return lambda tx: user_items.delete(tx, put.path, put.key, context)
        stored = values.to_stored_item(put.path, put.key, put.value, put.search_text)
        if gives_instructions(stored.text):
            raise BadInput(f"not remembered: {Reason.INSTRUCTIONS}")
        vector = await self._memory.vectors.embed_text(stored.text)
        item = Item(put.path, put.key, stored, put.expires, vector)
        return lambda tx: user_items.put(tx, item, context)


def _name_in_place(person: str, place_of: Callable[[str], Place | None]) -> tuple[str, Place] | None:
    """The id by which a person is named in their place: the bare one where it is unambiguous."""
    for user in (split_person(person)[1], person):
        place = place_of(user)
        if place is not None and person_key(place.platform, user) == person:
            return user, place
    return None
