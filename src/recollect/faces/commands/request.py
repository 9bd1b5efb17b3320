"""One order as it was given: who says it, where, and about which memory."""

from dataclasses import dataclass
from datetime import datetime

from recollect.core.errors import BadInput
from recollect.core.outcomes import Ambiguous, NotFound
from recollect.core.text import MAX_MEMO_CHARS
from recollect.core.types import Memo, Place
from recollect.faces.commands.parse import unquoted
from recollect.memory import AsyncMemory
from recollect.recall import listing


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """An order with everything that is needed to carry it out."""

    memory: AsyncMemory
    user: str
    place: Place
    words: str
    """What stands after the verb."""
    now: datetime
    message: str | None = None
    room: int = 2000
    """Characters of one page."""

    @property
    def alone(self) -> bool:
        """Nobody else hears the answer."""
        return self.place.dm == self.user


@dataclass(frozen=True, slots=True)
class File:
    """Something to keep, as one whole: for faces that can attach it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    file: File | None = None


def meaning(words: str) -> str:
    """The words without quotation marks; raises BadInput when nothing can be as long as they are."""
    bare = unquoted(words)
    if len(bare) > MAX_MEMO_CHARS:
        raise BadInput(f"{len(bare):,} characters are too long; the limit is {MAX_MEMO_CHARS:,}")
    return bare


async def listed(ask: CommandRequest) -> tuple[Memo, ...]:
    """The user's memos in the order in which they are numbered."""
    return (await ask.memory.show(user=ask.user, place=ask.place)).memos


async def resolve_memo(ask: CommandRequest) -> Memo | Ambiguous | NotFound:
    """The one memo that is meant: by id, by number, else by a part of its text."""
    what = meaning(ask.words)
    matches = listing.find(await listed(ask), what, 0.0)
    if not matches:
        return NotFound(what)
    return matches[0] if len(matches) == 1 else Ambiguous(tuple(matches))
