"""What belongs to the guild as a whole: shown to everyone who speaks in it."""

from collections.abc import Sequence
from typing import Any

from recollect.core.ports import Scene
from recollect.core.ports.layer import Block, Line
from recollect.core.text import squeeze
from recollect.core.types import Memo, Origin, Status, Subject

CHARS = 800
MOST = 20


class LoreLayer:
    def __init__(self, settings: Any) -> None:
        self._durable = settings.durable

    async def offer(self, scene: Scene) -> Sequence[Block]:
        if not self._durable.enabled or scene.place.realm is None:
            return []
        subject = Subject.lore(scene.place.realm)
        memos = await scene.store.read(lambda tx: tx.memos.list(subject, [Status.ACTIVE], MOST))
        heard = [memo for memo in memos if scene.audible(memo) and not _repeats(memo, scene)]
        lines = [Line(f"- {squeeze(memo.text)}", "lore of this guild", memo.expires) for memo in heard]
        return [Block("lore", tuple(lines), chars=CHARS)] if lines else []


def _repeats(memo: Memo, scene: Scene) -> bool:
    """Whether it is the assistant's own sentence about what someone forgot since."""
    own = memo.source.origin is Origin.TOOL
    return own and scene.withheld is not None and scene.withheld.repeats(memo.text)


def create(spec: str, settings: Any) -> LoreLayer:  # noqa: ARG001 - every layer is made from its name
    return LoreLayer(settings)
