"""Memos of the guild as a whole, shown to everyone who speaks in it."""

from collections.abc import Sequence
from typing import Any

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.core.text import collapse_spaces
from recollect.core.types import Memo, Origin, Status, Subject

MAX_CHARS = 800
MAX_MEMOS = 20


class LoreLayer:
    def __init__(self, settings: Any) -> None:
        self._options = settings.memos

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        if not self._options.enabled or request.place.guild_key is None:
            return []
        subject = Subject.lore(request.place.guild_key)
        memos = await request.store.read(lambda tx: tx.memos.list(subject, [Status.ACTIVE], MAX_MEMOS))
        visible = [memo for memo in memos if request.is_visible(memo) and not _repeats(memo, request)]
        lines = [Line(f"- {collapse_spaces(memo.text)}", "lore of this guild", memo.expires) for memo in visible]
        return [Block("lore", tuple(lines), chars=MAX_CHARS)] if lines else []


def _repeats(memo: Memo, request: PromptRequest) -> bool:
    """Whether it is the assistant's own sentence about something withheld."""
    is_own = memo.source.origin is Origin.TOOL
    return is_own and request.withheld is not None and request.withheld.repeats(memo.text)


def create(spec: str, settings: Any) -> LoreLayer:  # noqa: ARG001 - every layer is made from its name
    return LoreLayer(settings)
