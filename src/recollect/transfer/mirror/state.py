"""The persisted state of the mirror: its position in the log, pending files, and digests of what was written.

A file with any other content was changed by someone else and must not be overwritten.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.text import digest
from recollect.transfer.mirror.pages.state import content_digest

_MAX_DIGESTS = 8
"""Contents per file that are recognized: processes that write it at the same time each have their own."""


class MirrorState:
    """Processes with the same folders share a position in the log."""

    def __init__(self, *folders: Path | None) -> None:
        self._key = digest(*(str(folder and folder.absolute()) for folder in folders))[:16]

    def unprocessed(self, tx: Tx, limit: int) -> tuple[list[Event], list[str]]:
        """Events since the last round, and files that are still to be written."""
        return tx.events.after(self._position(tx), limit), tx.state.items(StateKind.MIRROR_PENDING, self._key)

    def advance(self, tx: Tx, events: Sequence[Event], pending: Collection[str]) -> None:
        """The files of these events are written, except for the pending ones."""
        position = self._position(tx)
        last = events[-1].id if events else position
        if any(event.id == last for event in tx.events.after(position, len(events))):  # no process is ahead
            position = last
        tx.state.clear(StateKind.MIRROR_POSITION, self._key)
        tx.state.append(StateKind.MIRROR_POSITION, self._key, str(position), Owner.nobody())
        tx.state.clear(StateKind.MIRROR_PENDING, self._key)
        self.add_pending(tx, pending)

    def add_pending(self, tx: Tx, files: Collection[str]) -> None:
        for file in files:
            tx.state.append(StateKind.MIRROR_PENDING, self._key, file, _file_owner(file))

    def rewind(self, tx: Tx) -> None:
        """Follow the log from its start again."""
        tx.state.clear(StateKind.MIRROR_POSITION, self._key)

    def sessions(self, tx: Tx) -> list[str]:
        """Sessions whose summary was written once."""
        return tx.state.items(StateKind.MIRROR_SESSIONS)

    def guilds(self, tx: Tx) -> list[str]:
        """Guilds whose short-term entries were written once."""
        return tx.state.items(StateKind.MIRROR_GUILDS)

    def write(self, tx: Tx, file: str, data: bytes) -> None:
        """Called before a file is written, so that a file left behind by a crash is recognized, too."""
        kind, _, name = file.partition(" ")
        owner = _file_owner(file)
        if kind == "rolling":
            tx.state.append(StateKind.MIRROR_SESSIONS, "", name, owner)
        if kind == "shortterm":
            tx.state.append(StateKind.MIRROR_GUILDS, "", name, owner)
        tx.state.append(StateKind.FILE_DIGESTS, file, content_digest(data), owner)
        if tx.state.count(StateKind.FILE_DIGESTS, file) > 2 * _MAX_DIGESTS:
            earlier = [known for known in tx.state.items(StateKind.FILE_DIGESTS, file) if known != content_digest(data)]
            tx.state.remove(StateKind.FILE_DIGESTS, file, earlier[:-_MAX_DIGESTS])

    def is_own_content(self, tx: Tx, file: str, data: bytes) -> bool:
        """Whether the mirror wrote this content to the file."""
        return content_digest(data) in tx.state.items(StateKind.FILE_DIGESTS, file)

    def _position(self, tx: Tx) -> int:
        """The id of the last processed event; 0 when the log has become shorter than that."""
        position = int(next(iter(tx.state.items(StateKind.MIRROR_POSITION, self._key)), "0"))
        newest = next(iter(tx.events.list(limit=1)), None)
        return position if newest is not None and position <= newest.id else 0


def _file_owner(file: str) -> Owner:
    """Whose memory a file mirrors; a snapshot is of everyone's."""
    kind, _, name = file.partition(" ")
    owners = {"durable": Owner.person, "shortterm": Owner.guild, "rolling": Owner.of_session}
    return owners[kind](name) if kind in owners else Owner.nobody()
