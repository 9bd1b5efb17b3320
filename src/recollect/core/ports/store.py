"""What a store promises.

A unit of work is a plain function of a `Tx`: the store runs it where it likes (a writer thread, a pooled
connection), in one transaction, perhaps together with others and perhaps again after a conflict.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from recollect.core.ports.archive import Archive
from recollect.core.ports.events import Events
from recollect.core.ports.jobs import Jobs, State
from recollect.core.ports.search import Corpus, CorpusSample, Filters, HealthCheck, Vector, VectorSet, WordHit
from recollect.core.types import Exchange, Memo, Message, Place, Status, Subject, Summary, Tombstone

T = TypeVar("T")


class Messages(Protocol):
    """What was said, once each; what is edited or deleted later changes what readers see."""

    def add(self, message: Message) -> bool:
        """Store a message; False when this platform id is already there."""
        ...

    def edit(self, platform: str, message_id: str, text: str, at: datetime) -> bool: ...
    def delete(self, platform: str, message_id: str, at: datetime) -> bool:
        """Empty a message and take it out of every index; False when there is nothing to delete."""
        ...

    def get(self, platform: str, message_id: str) -> Message | None: ...
    def recent(
        self, place: Place, limit: int, before: datetime | None = None, whole_stream: bool = False
    ) -> list[Message]:
        """The newest messages of a session, or of its whole channel, oldest first."""
        ...

    def after(self, place: Place, since: datetime | None, limit: int) -> list[Message]:
        """The oldest messages of a session that are newer than `since`, in order; from its start when that is None.

        Those of the last moment come whole, beyond the limit if need be.
        """
        ...

    def fetch(self, keys: Collection[int]) -> dict[int, Message]: ...
    def positions(self, keys: Collection[int]) -> dict[int, tuple[int, int, float]]:
        """Of each message its place in its channel, its words, and the share of them that stands in questions."""
        ...

    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        """For each key the steps (−1 is the message before it) and keys of its neighbours in its session."""
        ...

    def written_by(
        self, author: str | None = None, guild: str | None = None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        """What someone wrote and all of their DM, by key; with a guild only what they wrote there.

        Without an author, all of the guild. Those that were deleted come too, empty.
        """
        ...

    def replies_to(self, platform: str, ids: Collection[str]) -> list[tuple[int, Message]]:
        """What bots said in reply to these messages, deleted answers too."""
        ...

    def erase(self, messages: Collection[tuple[str, str]], at: datetime) -> int:
        """Remove rows, by platform and id, and all that is derived from them; how many there were.

        Only a fingerprint of each id stays, so that `add` refuses these messages for ever.
        """
        ...


class Memos(Protocol):
    """Durable memos, found by subject and id."""

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None) -> int:
        """Insert, or replace the memo of the same subject and id; a text that changed loses its old vector.

        `vector` names the model that made it. Returns the key of the row.
        """
        ...

    def get(self, subject: Subject, memo_id: str) -> Memo | None: ...
    def same_text(self, subject: Subject, text: str) -> list[Memo]:
        """Memos of any status whose normal text is this one."""
        ...

    def from_message(self, platform: str, message_id: str) -> list[Memo]:
        """Memos of any subject and status whose present words come from this message."""
        ...

    def stated_by(self, actor: str | None = None, guild: str | None = None) -> list[Memo]:
        """Memos of any subject and status that someone stated, or whose words come from a guild, by key."""
        ...

    def always_relevant(self, subject: Subject) -> list[Memo]:
        """Active memos that count whatever is asked: pinned ones and constraints."""
        ...

    def list(
        self, subject: Subject, statuses: Collection[Status] = (), limit: int | None = None, offset: int = 0
    ) -> list[Memo]:
        """Memos of a subject, newest first; all statuses unless some are named."""
        ...

    def count(self, subject: Subject, statuses: Collection[Status] = ()) -> int: ...
    def fetch(self, keys: Collection[int]) -> dict[int, Memo]: ...
    def count_use(self, keys: Collection[int], at: datetime) -> None:
        """Count one use of each of these memos."""
        ...

    def remove(self, memo: Memo) -> None:
        """Delete the row and all that is derived from it."""
        ...

    def add_tombstone(self, tombstone: Tombstone) -> None: ...
    def remove_tombstone(self, scope: str, fingerprint: str) -> None: ...
    def tombstone(self, scope: str, fingerprint: str) -> Tombstone | None: ...
    def subjects(self) -> Iterator[Subject]: ...
    def owners(
        self, part: str = "", after: str = "", limit: int = 100, lore: bool = False
    ) -> Sequence[tuple[Subject, int]]:
        """Those who have active memos, by scope after this one, and how many: people, or guilds that have lore.

        With a part, only those whose id contains it, whatever the case.
        """
        ...


class SearchIndex(Protocol):
    """Ways to find rows, each restricted to the scopes asked for before anything is ranked."""

    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]: ...
    def words(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        terms: Sequence[str],
        limit: int,
        among: Collection[int] | None = None,
    ) -> list[WordHit]: ...
    def nearest(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        model: str,
        vector: Vector,
        limit: int,
        also: Collection[int] = (),
        among: Collection[int] | None = None,
    ) -> dict[int, float]:
        """Cosine of the nearest rows, and of the rows in `also` that have a vector."""
        ...

    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]:
        """Keys of all rows that pass the filters."""
        ...

    def size(self, scopes: Sequence[str]) -> int:
        """How many rows these scopes hold."""
        ...

    def row_counts(self) -> dict[Corpus, int]:
        """How many rows are in use in the whole store."""
        ...

    def sample(self, corpus: Corpus, scopes: Sequence[str], sample: int) -> CorpusSample: ...

    def unembedded(self, corpus: Corpus, model: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        """Rows without a vector of this model, by key: what to embed next."""
        ...

    def put_vectors(self, corpus: Corpus, model: str, made: Mapping[int, Vector]) -> None: ...
    def vectors(self, corpus: Corpus, counted: bool = True) -> list[VectorSet]:
        """Which models have vectors here, and how many; counting takes time in a large store."""
        ...

    def activate(self, corpus: Corpus, model: str) -> None:
        """From now on searches use this model's vectors, which are complete; those of other models are dropped."""
        ...


class Summaries(Protocol):
    """One rolling summary a session, guarded by its sequence number; past ones are kept."""

    def get(self, session: str) -> Summary | None: ...
    def sequence(self, session: str) -> int:
        """The number that the next summary has to exceed; 0 for a new session."""
        ...

    def save(self, summary: Summary) -> bool:
        """Replace the summary unless one with this sequence number, or a higher one, is there."""
        ...

    def clear(self, session: str, at: datetime) -> bool:
        """Forget the summary; work in flight that started before can't bring it back."""
        ...

    def remove(self, session: str) -> None:
        """Leave nothing of a session, not even that it had a summary. Only where nobody is at work on it."""
        ...

    def history(self, session: str, limit: int = 20) -> list[Summary]: ...
    def sessions(self) -> list[str]:
        """Sessions that have a summary, or had one."""
        ...

    def rewind(self, session: str, before: datetime, at: datetime) -> bool:
        """Drop every summary that covers this moment or what came after; the newest that is left counts again.

        Work in flight can't bring them back. False when there was nothing to drop.
        """
        ...


class Exchanges(Protocol):
    """Short-term entries of a guild's public channels."""

    def add(self, exchange: Exchange) -> bool: ...
    def recent(self, guild: str, now: datetime, limit: int) -> list[Exchange]:
        """Entries that have not expired, newest first."""
        ...

    def prune(self, guild: str, now: datetime, keep: int) -> int: ...
    def remove_quoting(self, guild: str, message_id: str) -> int:
        """Remove the entries that quote a message: an entry's id is `question/reply`."""
        ...

    def asked_by(self, author: str | None = None, guild: str | None = None) -> list[Exchange]:
        """Entries of someone's questions, or of a guild, or both; expired ones too, oldest first."""
        ...

    def remove(self, exchange: Exchange) -> bool: ...


class Tx(Protocol):
    """One transaction: everything a unit of work may see and change."""

    @property
    def messages(self) -> Messages: ...
    @property
    def memos(self) -> Memos: ...
    @property
    def index(self) -> SearchIndex: ...
    @property
    def summaries(self) -> Summaries: ...
    @property
    def exchanges(self) -> Exchanges: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def state(self) -> State: ...
    @property
    def events(self) -> Events: ...
    @property
    def archive(self) -> Archive: ...
    def generation(self) -> int:
        """A number that changes whenever something was written, by whichever process."""
        ...


Progress = Callable[[int, int], None]
"""Called with (done, total) while something long goes on."""


class Store(Protocol):
    """Where memory lives. Everything acknowledged survives a crash."""

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run work on one consistent view; it can't write."""
        ...

    async def write(self, work: Callable[[Tx], T], *, patient: bool = False) -> T:
        """Run work in a transaction; when this returns, it is on disk. An exception undoes this work alone.

        Patient work may be kept back for a moment, to be committed with what others wait for.
        """
        ...

    async def backup(self, target: Path, progress: Progress | None = None) -> None: ...
    async def reindex(self, progress: Progress | None = None) -> int: ...
    async def check_health(self) -> list[HealthCheck]: ...
    async def purge_deleted(self, progress: Progress | None = None) -> None:
        """Make what was deleted unreadable: out of indexes, of free space and of logs. May take a while."""
        ...

    async def find_traces(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Where these texts can be read, in rows and in the store's own files: how often each, by place.

        The places `memos` and `messages` are what people said; others have names of the store's own. Texts without
        quotes and backslashes, which may be written in other ways.
        """
        ...

    async def close(self) -> None: ...


@runtime_checkable
class SupportsMemoriesFts(Protocol):
    """A store that can keep the table `memories_fts`, which other programs search."""

    async def install_memories_fts(self) -> None:
        """Create the table unless it is there; it follows the memos from now on."""
        ...
