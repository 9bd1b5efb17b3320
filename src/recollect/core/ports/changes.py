"""The port of a store's record of changes."""

from collections.abc import Collection
from datetime import datetime
from typing import Literal, Protocol

from recollect.core.changes import Step
from recollect.core.reasons import Reason

StepField = Literal["memo", "message", "before", "after"]


class Changes(Protocol):
    """What each change did to each memo. Lists are newest first."""

    def add(self, step: Step) -> None: ...
    def find(self, ids: Collection[int]) -> dict[int, Step]:
        """The steps with these ids, as far as they exist."""
        ...

    def last(self, scope: str) -> Step | None:
        """The newest step that was not undone and is not an undo itself."""
        ...

    def last_undo(self, scope: str) -> Step | None:
        """A step of the newest undo that can be taken back; None if something else was changed since."""
        ...

    def last_of_memo(self, scope: str, memo: str) -> Step | None:
        """The same as `last`, for one memo."""
        ...

    def of_batch(self, scope: str, batch: str) -> list[Step]: ...
    def of_memo(self, scope: str, memo: str) -> list[Step]: ...
    def caused_by(self, message: str) -> list[Step]:
        """The steps that a message caused, by its reference, in any scope."""
        ...

    def mark_undone(self, ids: Collection[int], undone: bool = True) -> None:
        """Mark these steps as undone, or as valid again."""
        ...

    def count_causes(self, scope: str, reasons: Collection[Reason]) -> dict[str, int]:
        """For each memo, how many messages or batches changed it for these reasons."""
        ...

    def undone_at(self, scope: str) -> dict[str, datetime]:
        """For each memo with an undone change, when that was last undone."""
        ...

    def changed_since(self, scope: str, event: int) -> set[str]:
        """Memos with a change after an event."""
        ...

    def redact(self, ids: Collection[int], fields: Collection[StepField]) -> None:
        """Remove these fields and the detail, so that it can't be undone; batch, reason, actor and time stay."""
        ...
