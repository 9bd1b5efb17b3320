"""The audiences of summaries and short-term entries, which earlier versions did not record."""

import json
from collections.abc import Iterator
from typing import LiteralString

from recollect.core.sessions import parse_session
from recollect.core.types import Place
from recollect.policy.visibility import narrowest
from recollect.stores._sql.database import Database

_COLUMNS: LiteralString = """
ALTER TABLE summaries ADD COLUMN audience text;
ALTER TABLE exchanges ADD COLUMN audience text;
"""
_SESSIONS: LiteralString = "SELECT DISTINCT session FROM summaries WHERE text IS NOT NULL"
_PLACES: LiteralString = """
SELECT detail FROM places WHERE id IN (SELECT place FROM messages JOIN scopes ON scopes.id = messages.session
WHERE scopes.name = $1)
"""


def convert(db: Database) -> None:
    """Record the audience of summaries and short-term entries."""
    db.run(_COLUMNS)
    db.many("UPDATE summaries SET audience = $1 WHERE session = $2", list(_audiences(db)))


def _audiences(db: Database) -> Iterator[tuple[str, str]]:
    """Audience and session: those who could hear every message of a conversation."""
    for (name,) in db.rows(_SESSIONS):
        session = parse_session(name)
        details = [] if session is None else db.rows(_PLACES, (session.place.session,))
        places = [Place(**json.loads(detail)) for (detail,) in details]
        audience = narrowest([place.audience for place in places]) if places else None
        if places:  # if nobody could hear all of it, nobody hears it
            yield str(audience or "unknown:"), name
