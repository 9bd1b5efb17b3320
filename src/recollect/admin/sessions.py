"""Conversations: their summaries, the history of these, and clearing them."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from recollect.admin.base import AdminBase, clamp
from recollect.admin.names import display_name
from recollect.admin.places import resolve_place
from recollect.core.ports import Tx
from recollect.core.sessions import parse_session
from recollect.core.text import fold
from recollect.core.types import Place, Subject, Summary
from recollect.learning import changes


@dataclass(frozen=True, slots=True)
class SessionDetails:
    """A conversation and its summary."""

    name: str
    place: Place | None
    """None when its name says nothing about that, as of an imported one."""
    person: str
    """In a DM, the person's display name if known."""
    summary: Summary | None


class SessionAdmin(AdminBase):
    async def sessions(self, part: str = "", limit: int = 200, after: str = "") -> list[str]:
        """Sessions that have a summary, by name; those behind the one named `after`."""

        def work(tx: Tx) -> list[str]:
            # A row without a summary only keeps jobs in flight from restoring one.
            matching = (name for name in sorted(tx.summaries.sessions()) if name > after and fold(part) in fold(name))
            return list(islice((name for name in matching if tx.summaries.get(name) is not None), clamp(limit)))

        return await self._read(work)

    async def describe_sessions(self, names: Iterable[str]) -> list[SessionDetails]:
        """These sessions, with place and summary."""
        return await self._read(lambda tx: [_describe(tx, name) for name in names])

    async def summaries(self, session: str, limit: int = 20) -> tuple[Summary | None, list[Summary]]:
        """The summary of a session, and the previous ones, newest first."""
        return await self._read(lambda tx: (tx.summaries.get(session), tx.summaries.history(session, clamp(limit))))

    async def reset_summary(self, session: str) -> bool:
        """Clear the summary of a session; False when it has none."""
        context = self._context()
        return await self._write(lambda tx: changes.reset(tx, session, context))


def _describe(tx: Tx, name: str) -> SessionDetails:
    session, summary = parse_session(name), tx.summaries.get(name)
    if session is None:
        return SessionDetails(name, None, "", summary)
    place = session.place
    person = display_name(tx, Subject(place.person)) if place.person else ""
    return SessionDetails(name, place if person else resolve_place(tx, place), person, summary)
