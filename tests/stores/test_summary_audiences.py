"""Summaries of earlier versions get the audience of the messages that they cover, when their store is opened."""

import json
from pathlib import Path

import pytest

from recollect.core.sessions import parse_session
from recollect.core.types import Audience, Place
from recollect.policy.visibility import narrowest
from tests.stores.test_first_edition import raw
from tests.stores.test_upgrade import old_store, opened

__all__ = ["old_store"]


@pytest.mark.parametrize("closed", [False, True])
async def test_a_summary_is_heard_by_those_who_heard_every_message(old_store: str, tmp_path: Path, closed: bool):
    sessions = sorted({name for (name,) in raw(old_store, "SELECT session FROM summaries WHERE text IS NOT NULL")})
    assert sessions
    if closed:  # one message of each conversation was said while its channel was closed
        for place, detail in raw(old_store, "SELECT id, detail FROM places"):
            private = {name: value for name, value in json.loads(detail).items() if name != "public"}
            raw(old_store, "UPDATE places SET detail = ? WHERE id = ?", (json.dumps(private), place))
    async with opened(old_store, tmp_path) as memory:
        for name in sessions:
            session = parse_session(name)
            assert session is not None
            summaries = await memory.store.read(lambda tx, name=name: tx.summaries.history(name, 100))
            messages = await memory.store.read(lambda tx, session=session: tx.messages.recent(session.place, 1000))
            expected = narrowest([message.place.audience for message in messages]) if messages else None
            assert {summary.audience for summary in summaries} == {expected}
            place = messages[-1].place if messages else session.place
            shown = await memory.show(user=place.dm or "1001", place=place)
            assert shown.summary is not None or session.user is not None, "nothing is lost"
            if place.guild is not None:
                opened_to_all = Place(place.platform, place.guild, place.channel, place.thread, public=True)
                shown = await memory.show(user="1001", place=opened_to_all)
                assert (shown.summary is None) == (isinstance(expected, Audience) and expected.level == "channel")
