"""A chat command with its context: who sends it, where, and for which memory."""

from dataclasses import dataclass
from datetime import datetime

from recollect.core.errors import BadInput
from recollect.core.outcomes import Ambiguous, NotFound
from recollect.core.text import MAX_MEMO_CHARS
from recollect.core.types import Memo, Place
from recollect.faces import outcome_text
from recollect.faces.commands.parse import unquoted
from recollect.memory import AsyncMemory
from recollect.view import View


@dataclass(frozen=True, slots=True)
class CommandRequest:
    """Everything that is needed to run a command."""

    memory: AsyncMemory
    user: str
    place: Place
    words: str
    """The text after the verb."""
    now: datetime
    message: str | None = None
    page_chars: int = 2000
    """Limit of one page of the answer."""
    prefix: str = outcome_text.PREFIX
    """How commands begin where the answer is shown."""

    @property
    def view(self) -> View:
        return self.memory.view(self.user, self.place)

    @property
    def is_private(self) -> bool:
        """Whether only the user sees the answer."""
        return self.place.person == self.view.user


@dataclass(frozen=True, slots=True)
class File:
    """An export as one file, for faces that can attach it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    file: File | None = None


def clean_text(words: str) -> str:
    """The words without quotation marks; raises BadInput when they are longer than any memo."""
    text = unquoted(words)
    if len(text) > MAX_MEMO_CHARS:
        raise BadInput(f"{len(text):,} characters are too long; the limit is {MAX_MEMO_CHARS:,}")
    return text


async def list_memos(request: CommandRequest) -> tuple[Memo, ...]:
    """The user's memos, in the order of their numbers."""
    return (await request.view.show()).memos


async def resolve_memo(request: CommandRequest) -> Memo | Ambiguous | NotFound:
    """The memo that a reference names: by id, by number, else by a part of its text."""
    query = clean_text(request.words)
    matches = await request.view.find(query)
    if not matches:
        return NotFound(query)
    return matches[0] if len(matches) == 1 else Ambiguous(tuple(matches))
