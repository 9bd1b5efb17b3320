"""Facts about the other people who take part, as far as they are visible to everyone present."""

from collections.abc import Sequence
from typing import Any

from recollect.core.ports import PromptRequest, Tx
from recollect.core.ports.layer import Block, Line
from recollect.core.text import collapse_spaces
from recollect.core.types import Memo, Status, Subject
from recollect.policy.rendering import speaker

MAX_CHARS = 600
MAX_RECENT_MESSAGES = 20
MAX_PEOPLE, MAX_FACTS = 4, 3
MAX_MEMOS_READ = 15
"""Newest memos per person that are read when the first few are not all visible."""


class PeopleLayer:
    def __init__(self, settings: Any) -> None:
        self._options = settings.memos

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        if not self._options.enabled or request.place.dm is not None:
            return []
        people = await request.store.read(lambda tx: _read_others(tx, request))
        lines = [
            Line(f"- {name}: {collapse_spaces(memo.text)}", f"{name} takes part here", memo.expires)
            for name, memos in people
            for memo in memos
        ]
        return [Block("people", tuple(lines), chars=MAX_CHARS)] if lines else []


def _read_others(tx: Tx, request: PromptRequest) -> list[tuple[str, list[Memo]]]:
    from recollect.policy.guard.statements import is_for_own_prompts  # the guard is large, and most prompts are in DMs

    people: dict[str, str] = {}
    for message in reversed(request.recent[-MAX_RECENT_MESSAGES:]):
        if not message.bot and message.person != request.user:
            people.setdefault(message.person, speaker(message))
    present = {request.user, *people}
    facts: list[tuple[str, list[Memo]]] = []
    for person, name in sorted(list(people.items())[:MAX_PEOPLE]):  # an order that does not depend on who spoke last
        visible: list[Memo] = []
        for limit in (MAX_FACTS, MAX_MEMOS_READ):
            memos = tx.memos.list(Subject(person), [Status.ACTIVE], limit=limit)
            shareable = (memo for memo in memos if not is_for_own_prompts(memo, name))
            visible = [memo for memo in shareable if request.is_visible_to(memo, present)][:MAX_FACTS]
            if len(visible) == MAX_FACTS or len(memos) < limit:
                break
        facts.append((name, visible))
    return facts


def create(spec: str, settings: Any) -> PeopleLayer:  # noqa: ARG001 - every layer is made from its name
    return PeopleLayer(settings)
