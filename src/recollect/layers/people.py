"""What is known about the other people who take part, as far as everyone here could have heard it."""

from collections.abc import Sequence
from typing import Any

from recollect.ports import Scene, Tx
from recollect.text import squeeze
from recollect.types import Block, Line, Memo, Status, Subject

CHARS = 600
LOOK_BACK = 20
MOST_PEOPLE, MOST_FACTS = 4, 3


class PeopleLayer:
    async def offer(self, scene: Scene) -> Sequence[Block]:
        if scene.place.dm is not None:
            return []
        known = await scene.store.read(lambda tx: _others(tx, scene))
        lines = [
            Line(f"- {name}: {squeeze(memo.text)}", f"{name} takes part here")
            for name, memos in known
            for memo in memos
        ]
        return [Block("people", tuple(lines), chars=CHARS)] if lines else []


def _others(tx: Tx, scene: Scene) -> list[tuple[str, list[Memo]]]:
    recent = tx.journal.recent(scene.place, LOOK_BACK, before=scene.now)
    people = {
        message.author: message.name or message.author
        for message in reversed(recent)
        if not message.bot and message.author != scene.user
    }
    present = {scene.user, *people}
    found: list[tuple[str, list[Memo]]] = []
    for author, name in list(people.items())[:MOST_PEOPLE]:
        memos = tx.memos.list(Subject(author), [Status.ACTIVE], limit=30)
        heard = [memo for memo in memos if scene.audible_of(memo, present)][:MOST_FACTS]
        found.append((squeeze(name), heard))
    return found


def create(spec: str, settings: Any) -> PeopleLayer:  # noqa: ARG001 - it needs neither
    return PeopleLayer()
