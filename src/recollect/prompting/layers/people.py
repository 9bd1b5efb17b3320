"""What is known about the other people who take part, as far as everyone here could have heard it."""

from collections.abc import Sequence
from typing import Any

from recollect.core.ports import PromptRequest, Tx
from recollect.core.ports.layer import Block, Line
from recollect.core.text import collapse_spaces
from recollect.core.types import Memo, Status, Subject
from recollect.policy.rendering import speaker

CHARS = 600
LOOK_BACK = 20
MOST_PEOPLE, MOST_FACTS = 4, 3
LISTED = 15
"""Newest memos of each that are looked at; a few are enough where they may be heard."""


class PeopleLayer:
    def __init__(self, settings: Any) -> None:
        self._options = settings.memos

    async def blocks(self, scene: PromptRequest) -> Sequence[Block]:
        if not self._options.enabled or scene.place.dm is not None:
            return []
        known = await scene.store.read(lambda tx: _others(tx, scene))
        lines = [
            Line(f"- {name}: {collapse_spaces(memo.text)}", f"{name} takes part here", memo.expires)
            for name, memos in known
            for memo in memos
        ]
        return [Block("people", tuple(lines), chars=CHARS)] if lines else []


def _others(tx: Tx, scene: PromptRequest) -> list[tuple[str, list[Memo]]]:
    people: dict[str, str] = {}
    for message in reversed(scene.recent[-LOOK_BACK:]):
        if not message.bot and message.author != scene.user:
            people.setdefault(message.author, speaker(message))
    present = {scene.user, *people}
    found: list[tuple[str, list[Memo]]] = []
    for author, name in sorted(list(people.items())[:MOST_PEOPLE]):  # in an order that speaking does not change
        heard: list[Memo] = []
        for limit in (MOST_FACTS, LISTED):
            memos = tx.memos.list(Subject(author), [Status.ACTIVE], limit=limit)
            heard = [memo for memo in memos if scene.is_visible_to(memo, present)][:MOST_FACTS]
            if len(heard) == MOST_FACTS or len(memos) < limit:
                break
        found.append((name, heard))
    return found


def create(spec: str, settings: Any) -> PeopleLayer:  # noqa: ARG001 - every layer is made from its name
    return PeopleLayer(settings)
