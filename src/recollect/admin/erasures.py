"""Export and erasure of everything about a person or a guild."""

from dataclasses import dataclass

from recollect.admin.base import AdminBase
from recollect.core.events import Event, EventKind
from recollect.privacy.export import encode
from recollect.privacy.receipt import ErasurePreview, Receipt
from recollect.privacy.target import ErasureTarget
from recollect.transfer.mirror.export import durable


@dataclass(frozen=True, slots=True)
class Erased:
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class NotConfirmed:
    """Nothing was erased: the name was not repeated exactly."""

    expected: str


def confirmation(target: ErasureTarget) -> str:
    """What has to be repeated to erase a target."""
    return target.user or target.guild or ""


class ErasureAdmin(AdminBase):
    async def erasures(self, limit: int = 20) -> list[Event]:
        """What was erased, newest first: counts, never content."""
        return await self._read(lambda tx: tx.events.list(kinds=[EventKind.ERASURE_CHECKED], limit=limit))

    async def preview_erasure(self, target: ErasureTarget) -> ErasurePreview:
        """What erasing would remove; changes nothing."""
        return await self.memory.privacy.preview(target)

    async def erase(self, target: ErasureTarget, confirmed: str) -> Erased | NotConfirmed:
        """Remove everything about a target for good; `confirmed` repeats its name."""
        if confirmed != confirmation(target):
            return NotConfirmed(confirmation(target))
        return Erased(await self.memory.privacy.erase(target, asked_by=self.name))

    async def export(self, target: ErasureTarget) -> bytes:
        """Everything about a target, as a JSON document."""
        return encode(await self.memory.privacy.export(target))

    async def export_durable(self, target: ErasureTarget) -> bytes:
        """A target's memos, in the format of the mirrored file of one person."""
        return durable(await self.memory.privacy.memos(target))
