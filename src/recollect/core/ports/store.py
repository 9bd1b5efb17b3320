"""The port of stores.

A unit of work is a function of a `Tx`. The store decides where to run it (a writer thread, a pooled connection), in
one transaction, possibly batched with others and possibly again after a conflict.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from recollect.core.fingerprints import Fingerprints
from recollect.core.ports.archive import Archive
from recollect.core.ports.changes import Changes
from recollect.core.ports.events import Events
from recollect.core.ports.jobs import Jobs, State
from recollect.core.ports.search import Corpus, CorpusSample, Filters, HealthCheck, Vector, VectorSet, WordHit
from recollect.core.types import Exchange, Memo, Message, Place, Status, Subject, Summary, Tombstone

T = TypeVar("T")


class Messages(Protocol):
    """Every message once; edits and deletions change what readers see."""

    def add(self, message: Message) -> bool:
        """Store a message; False when its platform and id are already stored."""
        ...

    def edit(self, platform: str, message_id: str, text: str, at: datetime) -> bool: ...
    def move(self, platform: str, message_id: str, place: Place) -> None:
        """Change who could hear a message; the conversation stays the same."""
        ...

    def delete(self, platform: str, message_id: str, at: datetime) -> bool:
        """Empty a message and remove it from every index; False when there is nothing to delete."""
        ...

    def get(self, platform: str, message_id: str) -> Message | None: ...
    def key(self, platform: str, message_id: str) -> int | None:
        """The key by which an index knows a message; None when there is no such message."""
        ...

    def recent(
        self, place: Place, limit: int, before: datetime | None = None, whole_stream: bool = False
    ) -> list[Message]:
        """The newest messages of a session, or of its whole channel, oldest first."""
        ...

    def after(self, place: Place, since: datetime | None, limit: int) -> list[Message]:
        """The oldest messages of a session that are newer than `since`, in order; None starts at the beginning.

        Messages with the same time as the last one are included, beyond the limit if need be.
        """
        ...

    def fetch(self, keys: Collection[int]) -> dict[int, Message]: ...
    def positions(self, keys: Collection[int]) -> dict[int, tuple[int, int, float]]:
        """For each message its position in its channel, its number of words, and the share of them in questions."""
        ...

    def neighbors(self, keys: Collection[int], reach: int) -> dict[int, list[tuple[int, int]]]:
        """For each key the offsets (−1 is the message before it) and keys of its neighbors in its session."""
        ...

    def written_by(
        self, person: str | None = None, guild: str | None = None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        """A person's messages (by `person_key`) and all of their DM, by key; with a guild only what they wrote there.

        Without a person, all messages of the guild. Deleted ones are included, empty.
        """
        ...

    def between(
        self, since: datetime | None, until: datetime | None, limit: int = 500, after: int = 0
    ) -> list[tuple[int, Message]]:
        """What people said from `since` up to, not including, `until`, by key; None is no limit. Reads all messages."""
        ...

    def platforms_of(self, author: str) -> list[str]:
        """The platforms on which someone with this id spoke; reads all messages."""
        ...

    def names_of(self, person: str, limit: int) -> list[str]:
        """The display names in a person's newest messages, newest first; each once."""
        ...

    def last_message_time(self, person: str) -> datetime | None:
        """When a person (by `person_key`) last said something that was not deleted; reads all they said."""
        ...

    def speakers(self, limit: int = 10_000) -> list[tuple[str, str]]:
        """People who said something that was not deleted, by `person_key`, with a name that they used, if any.

        Reads one message of each: ids that are the same on two platforms, or in their first 64 characters, count once.
        """
        ...

    def streams(self, prefix: str) -> list[str]:
        """Names of channels and conversations with this prefix."""
        ...

    def replies_to(self, platform: str, ids: Collection[str]) -> list[tuple[int, Message]]:
        """Replies of bots to these messages, including deleted ones."""
        ...

    def erase(self, messages: Collection[tuple[str, str]], at: datetime) -> int:
        """Remove rows, by platform and id, and everything derived from them; returns how many there were.

        Only a fingerprint of each id stays, so that `add` refuses these messages forever.
        """
        ...


class Memos(Protocol):
    """Durable memos, by subject and id."""

    def put(self, memo: Memo, vector: tuple[str, Vector] | None = None, *, new: bool = False) -> int:
        """Insert a memo, or replace the one of the same subject and id; a changed text loses its old vector. Who has
        found in this unit that there is none says that it is `new`.

        `vector` is the name of the model and its vector. Returns the key of the row. A memo that is replaced gets a
        higher version than it had, at least the given one.
        """
        ...

    def get(self, subject: Subject, memo_id: str) -> Memo | None: ...
    def same_text(self, subject: Subject, text: str) -> list[Memo]:
        """Memos of any status with the same normalized text."""
        ...

    def from_message(self, platform: str, message_id: str) -> list[Memo]:
        """Memos of any subject and status whose current text comes from this message."""
        ...

    def stated_by(
        self, actor: str | None = None, guild: str | None = None, before: datetime | None = None
    ) -> list[Memo]:
        """Memos of any subject and status that someone stated, or that come from a guild, by key; with a time, only
        those that were not changed since.
        """
        ...

    def always_relevant(self, subject: Subject) -> list[Memo]:
        """Active memos that matter for every query: pinned ones and constraints."""
        ...

    def list(
        self, subject: Subject, statuses: Collection[Status] = (), limit: int | None = None, offset: int = 0
    ) -> list[Memo]:
        """Memos of a subject, newest first; of all statuses unless some are named."""
        ...

    def count(self, subject: Subject, statuses: Collection[Status] = ()) -> int: ...
    def fetch(self, keys: Collection[int]) -> dict[int, Memo]: ...
    def texts(self, keys: Collection[int]) -> dict[int, str]:
        """The texts of these memos alone."""
        ...

    def count_use(self, keys: Collection[int], at: datetime) -> None:
        """Count one use of each of these memos."""
        ...

    def remove(self, memo: Memo) -> None:
        """Delete the row and everything derived from it."""
        ...

    def add_tombstone(self, tombstone: Tombstone) -> None: ...
    def remove_tombstone(self, scope: str, fingerprint: str) -> None: ...
    def tombstone(self, scope: str, fingerprint: str) -> Tombstone | None: ...
    def subjects(self) -> Iterator[Subject]: ...
    def namesakes(self, user: str) -> Sequence[Subject]:
        """The people with memos who have this id on some platform."""
        ...

    def owners(
        self, part: str = "", after: str = "", limit: int = 100, lore: bool = False
    ) -> Sequence[tuple[Subject, int]]:
        """Owners of active memos after this scope, with their number of memos: people, or guilds with lore.

        With a part, only those whose id contains it, case-insensitively.
        """
        ...

    def owners_in(
        self, channel: str | None = None, thread: str | None = None, noted: str | None = None
    ) -> Sequence[Subject]:
        """People with memos of any status that come from a channel or a thread outside guilds, or have this text in
        their metadata.
        """
        ...


class SearchIndex(Protocol):
    """Ways to find rows; each restricts to the requested scopes before ranking."""

    def recent(self, corpus: Corpus, scopes: Sequence[str], limit: int) -> list[int]: ...
    def words(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        terms: Sequence[str],
        limit: int,
        candidates: Collection[int] | None = None,
        max_rows: int | None = None,
    ) -> list[WordHit]:
        """The rows that share the rarest of the words. Of words that more than `max_rows` rows have, only the newest of
        these are read, unless there is no rarer word: what is read then does not grow with the scope.
        """
        ...

    def nearest(
        self,
        corpus: Corpus,
        scopes: Sequence[str],
        model: str,
        vector: Vector,
        limit: int,
        also: Collection[int] = (),
        candidates: Collection[int] | None = None,
    ) -> dict[int, float]:
        """Cosine similarity of the nearest rows, and of the rows in `also` that have a vector."""
        ...

    def matching(self, corpus: Corpus, scopes: Sequence[str], filters: Filters) -> set[int]:
        """Keys of all rows that pass the filters."""
        ...

    def size(self, scopes: Sequence[str]) -> int:
        """Number of rows in these scopes."""
        ...

    def row_counts(self) -> dict[Corpus, int]:
        """Number of live rows in the whole store, by corpus."""
        ...

    def sample(self, corpus: Corpus, scopes: Sequence[str], sample: int) -> CorpusSample: ...

    def unembedded(self, corpus: Corpus, model: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        """Rows without a vector of this model, by key: the next to embed."""
        ...

    def put_vectors(self, corpus: Corpus, model: str, embedded: Mapping[int, Vector]) -> None: ...
    def vectors(self, corpus: Corpus) -> list[VectorSet]:
        """The models that have vectors."""
        ...

    def activate(self, corpus: Corpus, model: str) -> None:
        """Make searches use this model's vectors, which are complete, and drop those of other models."""
        ...


class Summaries(Protocol):
    """One rolling summary per session, guarded by its sequence number; past ones are kept."""

    def get(self, session: str) -> Summary | None: ...
    def sequence(self, session: str) -> int:
        """The sequence number that the next summary has to exceed; 0 for a new session."""
        ...

    def save(self, summary: Summary) -> bool:
        """Replace the summary, unless the stored one has this sequence number or a higher one."""
        ...

    def clear(self, session: str, at: datetime) -> bool:
        """Forget the summary; work in flight can't bring it back."""
        ...

    def remove(self, session: str) -> None:
        """Delete every trace of a session. Only when no worker is summarizing it."""
        ...

    def history(self, session: str, limit: int = 20) -> list[Summary]: ...
    def sessions(self) -> list[str]:
        """Sessions that have or had a summary."""
        ...

    def rewrite(self, prefix: str, since: datetime, change: Callable[[Summary], str]) -> list[str]:
        """Change the texts of summaries made since a time, past ones too, of sessions whose name has this prefix.

        Returns the sessions that changed; work in flight can't bring their texts back.
        """
        ...

    def rewind(self, session: str, before: datetime, at: datetime) -> bool:
        """Drop every summary that covers this time or a later one; the newest remaining one is current again.

        Work in flight can't bring them back. False when there was nothing to drop.
        """
        ...


class Exchanges(Protocol):
    """Short-term entries of a guild's public channels."""

    def add(self, exchange: Exchange) -> bool: ...
    def recent(
        self, guild: str, now: datetime, limit: int, author: str | None = None, besides: str | None = None
    ) -> list[Exchange]:
        """Entries that have not expired, of one author's questions or all, besides those of a channel, newest first."""
        ...

    def prune(self, guild: str, now: datetime, keep: int, author: str | None = None) -> int:
        """Remove what has expired, and all but the newest entries of the author, or of the guild."""
        ...

    def remove_quoting(self, guild: str, message_id: str) -> int:
        """Remove the entries that quote a message: an entry's id is `question/reply`."""
        ...

    def by_author(self, author: str | None = None, guild: str | None = None) -> list[Exchange]:
        """Entries of an author's questions, of a guild, or both; including expired ones, oldest first."""
        ...

    def guilds(self) -> list[str]:
        """Guilds that have entries, expired ones too."""
        ...

    def remove(self, exchange: Exchange) -> bool: ...


class Tx(Protocol):
    """One transaction: everything that a unit of work may read and change."""

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
    def changes(self) -> Changes: ...
    @property
    def archive(self) -> Archive: ...
    @property
    def fingerprints(self) -> Fingerprints:
        """Keyed with the secret of this store."""
        ...

    def generation(self) -> int:
        """A number that changes with every write of any process."""
        ...


Progress = Callable[[int, int], None]
"""Called with (done, total) during a long operation."""


class Store(Protocol):
    """Where memory is stored. Everything acknowledged survives a crash."""

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run work on a consistent snapshot; it can't write."""
        ...

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        """Run work in a transaction, which is on disk when this returns. An exception rolls back this work alone.

        Patient work may be delayed briefly, to be committed together with other work.
        """
        ...

    async def backup(self, target: Path, progress: Progress | None = None) -> None: ...
    async def reindex(self, progress: Progress | None = None) -> int: ...
    async def check_health(self) -> list[HealthCheck]: ...
    async def purge_deleted(self, progress: Progress | None = None) -> None:
        """Make deleted data unreadable: in indexes, free space and logs. May take a while."""
        ...

    async def find_traces(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """How often each of these texts occurs, by location, in rows and in the store's own files.

        The locations `memos` and `messages` hold what people said; the store names the others. Texts must not contain
        quotes or backslashes, which may be stored escaped.
        """
        ...

    async def close(self) -> None: ...


@runtime_checkable
class SupportsMemoriesFts(Protocol):
    """A store that can keep the table `memories_fts`, which other programs search."""

    async def install_memories_fts(self) -> None:
        """Create the table unless it is there; it follows the memos from now on."""
        ...
