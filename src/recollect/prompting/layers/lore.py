"""What belongs to the guild as a whole: shown to everyone who speaks in it."""

from collections.abc import Sequence
from typing import Any

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.core.text import collapse_spaces
from recollect.core.types import Memo, Origin, Status, Subject

CHARS = 800
MOST = 20


class LoreLayer:
    def __init__(self, settings: Any) -> None:
        self._options = settings.memos

    async def blocks(self, scene: PromptRequest) -> Sequence[Block]:
        if not self._options.enabled or scene.place.guild_key is None:
            return []
        subject = Subject.lore(scene.place.guild_key)
        memos = await scene.store.read(lambda tx: tx.memos.list(subject, [Status.ACTIVE], MOST))
        heard = [memo for memo in memos if scene.is_visible(memo) and not _repeats(memo, scene)]
        lines = [Line(f"- {collapse_spaces(memo.text)}", "lore of this guild", memo.expires) for memo in heard]
        return [Block("lore", tuple(lines), chars=CHARS)] if lines else []


def _repeats(memo: Memo, scene: PromptRequest) -> bool:
    """Whether it is the assistant's own sentence about what someone forgot since."""
    own = memo.source.origin is Origin.TOOL
    return own and scene.withheld is not None and scene.withheld.repeats(memo.text)


def create(spec: str, settings: Any) -> LoreLayer:  # noqa: ARG001 - every layer is made from its name
    return LoreLayer(settings)
