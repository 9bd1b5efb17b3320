"""The event log's record."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.core.types import Metadata


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the append-only log: what changed, by whom, why."""

    kind: str
    at: datetime
    actor: str = ""
    scope: str = ""
    memo: str | None = None
    reason: str = ""
    data: Metadata = field(default_factory=dict[str, Any])
    id: int = 0
