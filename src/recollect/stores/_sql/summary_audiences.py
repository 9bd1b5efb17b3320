"""The audiences of summaries and short-term entries, which earlier versions did not record."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import LiteralString

from recollect.core.sessions import parse_session
from recollect.core.types import Place
from recollect.policy.visibility import narrowest

COLUMNS: LiteralString = """
ALTER TABLE summaries ADD COLUMN audience text;
ALTER TABLE exchanges ADD COLUMN audience text;
"""
SESSIONS: LiteralString = "SELECT DISTINCT session FROM summaries WHERE text IS NOT NULL"
PLACES: LiteralString = """
SELECT detail FROM places WHERE id IN (SELECT place FROM messages JOIN scopes ON scopes.id = messages.session
WHERE scopes.name = $1)
"""


def find(sessions: Iterable[str], details_of: Callable[[str], Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Audience and session: those who could hear every message of a conversation. `details_of` reads its places."""
    for name in sessions:
        session = parse_session(name)
        places = [] if session is None else [Place(**json.loads(text)) for text in details_of(session.place.session)]
        audience = narrowest([place.audience for place in places]) if places else None
        if places:  # if nobody could hear all of it, nobody hears it
            yield str(audience or "unknown:"), name
