"""What the store remembers about files: how far the log is followed, what is still to write, and what we wrote.

A file whose content we did not write was changed by somebody, and must not be overwritten.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.text import digest

_SESSIONS, _GUILDS = "files:sessions", "files:guilds"
_MAX_DIGESTS = 8
"""Contents of a file that we know again: processes that write it at the same time each have theirs."""


class MirrorState:
    """Two processes with the same folders share an account, others have their own."""

    def __init__(self, *folders: Path | None) -> None:
        account = digest(*(str(folder and folder.absolute()) for folder in folders))[:16]
        self._cursor = f"files:{account}"
        self._pending = f"files:{account}:owed"

    def unprocessed(self, tx: Tx, limit: int) -> tuple[list[Event], list[str]]:
        """What happened since we looked last, and files that are still owed."""
        return tx.events.after(self._position(tx), limit), tx.state.items(self._pending)

    def advance(self, tx: Tx, events: Sequence[Event], pending: Collection[str]) -> None:
        """The files of these events are written, but for those that are owed."""
        position = self._position(tx)
        last = events[-1].id if events else position
        if any(event.id == last for event in tx.events.after(position, len(events))):  # nobody has come further
            position = last
        tx.state.clear(self._cursor)
        tx.state.append(self._cursor, str(position))
        tx.state.clear(self._pending)
        self.add_pending(tx, pending)

    def add_pending(self, tx: Tx, files: Collection[str]) -> None:
        for file in files:
            tx.state.append(self._pending, file)

    def rewind(self, tx: Tx) -> None:
        """Follow the log from its start again."""
        tx.state.clear(self._cursor)

    def sessions(self, tx: Tx) -> list[str]:
        """Sessions whose summary was written once."""
        return tx.state.items(_SESSIONS)

    def guilds(self, tx: Tx) -> list[str]:
        """Guilds whose short-term entries were written once."""
        return tx.state.items(_GUILDS)

    def write(self, tx: Tx, file: str, data: bytes) -> None:
        """Said before a file is written: so one that a crash leaves behind is known, too."""
        kind, _, name = file.partition(" ")
        if kind == "rolling":
            tx.state.append(_SESSIONS, name)
        if kind == "shortterm":
            tx.state.append(_GUILDS, name)
        digests = _contents(file)
        if tx.state.append(digests, _digest(data)) > 2 * _MAX_DIGESTS:
            for content_digest in [*tx.state.clear(digests)[-_MAX_DIGESTS:], _digest(data)]:
                tx.state.append(digests, content_digest)

    def is_own_content(self, tx: Tx, file: str, data: bytes) -> bool:
        """Whether a content is one of those that we gave a file."""
        return _digest(data) in tx.state.items(_contents(file))

    def _position(self, tx: Tx) -> int:
        """The last event that we have seen; the start, when the log has become shorter than that."""
        position = int(next(iter(tx.state.items(self._cursor)), "0"))
        newest = next(iter(tx.events.list(limit=1)), None)
        return position if newest is not None and position <= newest.id else 0


def _contents(file: str) -> str:
    return f"file:{file}"


def _digest(data: bytes) -> str:
    return digest(data.decode("utf-8", "surrogateescape"))[:32]
