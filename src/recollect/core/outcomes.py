"""What the verbs return: typed outcomes that faces render. An outcome that changed nothing is false."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import overload

from recollect.core.changes import Add, Change, Retire, Step
from recollect.core.events import Event
from recollect.core.reasons import Reason, render_reason
from recollect.core.types import Memo, Message, Status, Summary


class Unchanged:
    """Nothing was changed, so `if memory.forget(…)` tells whether something was."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Added:
    """The messages that were added and, if that was waited for, what was learned. False when none is new."""

    messages: tuple[Message, ...]
    new: int
    learned: tuple[Memo, ...] = ()
    done: bool = False
    """Whether learning was waited for, and has finished."""

    def __bool__(self) -> bool:
        return self.new > 0


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memo that holds a statement, and every change that the statement caused."""

    memo: Memo
    changes: tuple[Change, ...]

    @property
    def verdict(self) -> str:
        """What became of the statement: `added` or `revised`."""
        return "added" if isinstance(next(iter(self.changes), None), Add) else "revised"

    @property
    def replaced(self) -> tuple[Memo, ...]:
        """Memos whose place it takes."""
        retired = (change for change in self.changes if isinstance(change, Retire))
        return tuple(change.before for change in retired if change.after.status is Status.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class AlreadyKnown(Remembered):
    """A memo says the same already; nothing was changed."""

    @property
    def verdict(self) -> str:
        return "known"


@dataclass(frozen=True, slots=True)
class Refused(Unchanged):
    """The statement may not be remembered; nothing was changed."""

    reason: Reason

    @property
    def verdict(self) -> str:
        return "refused"


RememberOutcome = Remembered | Refused
"""`AlreadyKnown` is a `Remembered`."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A memo, where it comes from and what happened to it, and how much of that may be told here."""

    memo: Memo
    events: tuple[Event, ...]
    """Newest first."""
    message: Message | None
    """The message that it rests on."""
    is_source_visible: bool
    """Whether its place and wording may be told."""
    are_reasons_visible: bool
    """Whether the reasons of changes may be told: they may come from places that others can't read."""
    predecessor: Memo | None = None
    """The memo that it replaced, if that may be told."""
    successor: Memo | None = None
    """The memo that replaced it, if that may be told."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The part of a person's memory that is visible in a place."""

    memos: tuple[Memo, ...]
    total: int
    summary: Summary | None
    off: tuple[str, ...] = ()
    """One sentence for each feature that is switched off: its data can be viewed, but is not used."""

    def __iter__(self) -> Iterator[Memo]:
        return iter(self.memos)

    def __len__(self) -> int:
        return len(self.memos)

    @overload
    def __getitem__(self, index: int) -> Memo: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Memo, ...]: ...
    def __getitem__(self, index: int | slice) -> Memo | tuple[Memo, ...]:
        return self.memos[index]

    def __str__(self) -> str:
        return "\n".join(memo.text for memo in self.memos)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """These memos were retired; `undo` restores them."""

    memos: tuple[Memo, ...]
    replies: int = 0
    """Replies of the assistant that repeat them, and are hidden too."""
    summary_lines: int = 0
    """Sentences of summaries that repeat them, and are hidden too."""
    messages: tuple[Message, ...] = ()
    """Messages that are hidden from now on."""


@dataclass(frozen=True, slots=True)
class Ambiguous(Unchanged):
    """Several memos match; nothing was changed."""

    matches: tuple[Memo, ...]


@dataclass(frozen=True, slots=True)
class NotFound(Unchanged):
    """No memo matches; nothing was changed."""

    query: str


ForgetOutcome = Forgotten | Ambiguous | NotFound


@dataclass(frozen=True, slots=True)
class Restored:
    """The memo is active again."""

    memo: Memo
    replaced: tuple[Memo, ...] = ()
    """Memos that contradict it, and were superseded by it."""
    archived: tuple[Memo, ...] = ()
    """Memos that were evicted to make room for it."""


@dataclass(frozen=True, slots=True)
class AlreadyActive:
    """The memo to restore is in use; nothing was changed."""

    memo: Memo


@dataclass(frozen=True, slots=True)
class CannotRestore(Unchanged):
    """The message that the memo rests on was deleted, or no longer says so; nothing was changed."""

    memo: Memo


@dataclass(frozen=True, slots=True)
class RelearnPreview:
    """What learning from messages again would change; nothing was changed."""

    model: str
    messages: int
    """How many messages would be learned from."""
    tried: int
    """How many of them the preview covers; the others are left out, as each costs a call."""
    changes: tuple[Step, ...]
    skipped: Mapping[Reason, int] = field(default_factory=dict[Reason, int])
    """Messages that are left alone, and why."""
    degraded: int = 0
    """Messages for which the model's answer could not be used, so that the local model's counts."""


@dataclass(frozen=True, slots=True)
class RelearnRun:
    """Progress of learning again, in the background."""

    id: str
    messages: int
    done: int = 0
    failed: int = 0
    changed: int = 0
    """Changes of memos so far; each person's are undone as one."""
    skipped: Mapping[Reason, int] = field(default_factory=dict[Reason, int])
    problem: str = ""
    """Why it is stalled, such as by a model that can't be reached; the rest waits."""

    @property
    def is_over(self) -> bool:
        return self.done + self.failed >= self.messages


@dataclass(frozen=True, slots=True)
class NothingToRelearn(Unchanged):
    """No message matches; nothing was changed."""

    detail: str


RelearnOutcome = RelearnPreview | RelearnRun | NothingToRelearn

RestoreOutcome = Restored | AlreadyActive | CannotRestore | Ambiguous | NotFound


@dataclass(frozen=True, slots=True)
class Reversal:
    """What undoing a change does to one memo."""

    before: Memo
    """As the change left it."""
    after: Memo | None
    """As it was before the change; None when the change had added it."""

    @property
    def current(self) -> Memo:
        """The memo whose text describes this part of the change."""
        return self.after or self.before

    @property
    def change(self) -> str:
        """What the change had done to the memo, in one word or two."""
        if self.after is None:
            return "hidden" if self.before.status is Status.DEPRECATED else "added"
        if self.before.status is Status.DELETED and self.after.status is Status.DEPRECATED:
            return "shown"
        if self.before.active != self.after.active:
            return "retired" if self.after.active else "brought back"
        if self.before.text != self.after.text:
            return "reworded"
        if self.before.pinned != self.after.pinned:
            return "pinned" if self.before.pinned else "unpinned"
        return "shared" if self.before.audience != self.after.audience else "changed"


@dataclass(frozen=True, slots=True)
class Undoable:
    """The change that `undo` would reverse, and its effects. Memos that are not visible here are only counted."""

    change: int
    """Its id: `undo` takes it as `change`, or as `expected`."""
    actor: str
    at: datetime
    reversals: tuple[Reversal, ...]
    hidden: int = 0

    @property
    def restored(self) -> tuple[Memo, ...]:
        """The memos as they are after the undo."""
        return tuple(reversal.after for reversal in self.reversals if reversal.after is not None)

    @property
    def removed(self) -> tuple[Memo, ...]:
        """Memos that the change had added."""
        return tuple(reversal.before for reversal in self.reversals if reversal.after is None)


@dataclass(frozen=True, slots=True)
class Undone(Undoable):
    """This change was reversed."""


@dataclass(frozen=True, slots=True)
class Redone(Undoable):
    """This undo was reversed: the change that it had taken back holds again."""


@dataclass(frozen=True, slots=True)
class CannotUndo(Unchanged):
    """Nothing was reversed: the change can't be undone, or is not the expected one."""

    reason: Reason

    @property
    def text(self) -> str:
        """Why, in words."""
        return render_reason(self.reason)


UndoOffer = Undoable | CannotUndo | None


UndoOutcome = Undone | CannotUndo | None
"""None when there is nothing to undo."""


RedoOutcome = Redone | CannotUndo | None
"""None when there is nothing to redo."""
