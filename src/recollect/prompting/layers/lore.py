"""Memos of the guild as a whole, shown to everyone who speaks in it."""

from collections.abc import Sequence
from typing import Any

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.core.text import collapse_spaces
from recollect.core.types import Memo, Status, Subject
from recollect.policy.merge import is_automatic_lore

MAX_CHARS = 800
MAX_MEMOS, MAX_MEMOS_READ = 20, 120


class LoreLayer:
    def __init__(self, settings: Any) -> None:
        self._options = settings.memos

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        if not self._options.enabled or request.place.guild_key is None:
            return []
        subject = Subject.lore(request.place.guild_key)
        memos = await request.store.read(lambda tx: tx.memos.list(subject, [Status.ACTIVE], MAX_MEMOS_READ))
        visible = [memo for memo in memos if request.is_visible(memo) and not _repeats(memo, request)]
        visible = sorted(visible, key=is_automatic_lore)[:MAX_MEMOS]  # what people wrote is not crowded out
        lines = [Line(f"- {collapse_spaces(memo.text)}", "lore of this guild", memo.expires) for memo in visible]
        return [Block("lore", tuple(lines), chars=MAX_CHARS)] if lines else []


def _repeats(memo: Memo, request: PromptRequest) -> bool:
    """Whether it is the assistant's own sentence about something withheld."""
    return is_automatic_lore(memo) and request.withheld is not None and request.withheld.repeats(memo.text)


def create(spec: str, settings: Any) -> LoreLayer:  # noqa: ARG001 - every layer is made from its name
    return LoreLayer(settings)
