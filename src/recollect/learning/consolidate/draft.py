"""A subject's memos as consolidation would leave them; yields one change for each that differs in the end."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.core.changes import Retire, Revise
from recollect.core.reasons import Reason
from recollect.core.text import normalize
from recollect.core.types import Audience, Memo, Status
from recollect.policy.visibility import includes


class Draft:
    """Memos of one subject, changed without a store."""

    def __init__(self, memos: Iterable[Memo], stated: Mapping[str, int], now: datetime) -> None:
        self.now = now
        self.stated = dict(stated)
        """How often each memo was restated, by its id."""
        self._before = {memo.id: memo for memo in sorted(memos, key=lambda memo: (memo.created, memo.id))}
        self._after = dict(self._before)
        self._reasons: dict[str, Reason] = {}
        """Why each memo was changed last."""
        self._expire()
        self._statements = {(normalize(memo.text), memo.audience) for memo in self.live()}

    def live(self) -> list[Memo]:
        """The active memos, oldest first."""
        return [memo for memo in self._after.values() if memo.active]

    def get(self, memo_id: str | None) -> Memo | None:
        """The current state of a memo, if it is still active."""
        memo = self._after.get(memo_id or "")
        return memo if memo is not None and memo.active else None

    def supersede(self, old: Memo, by: Memo, reason: Reason) -> None:
        """Let one memo supersede another, which is restored if its successor is removed."""
        before = None if old.supersedes == by.id else old.supersedes
        self._set(
            old, reason, status=Status.SUPERSEDED, superseded_by=by.id, supersedes=before, updated=self._later(old)
        )
        self._after[by.id] = replace(by, supersedes=by.supersedes or old.id)

    def improve(self, memo: Memo, reason: Reason, **fields: Any) -> None:
        """Change fields of a memo, such as tags or confidence, but not its text."""
        if replace(memo, **fields) != memo:
            self._set(memo, reason, **fields)

    def changes(self) -> list[Revise | Retire]:
        """One change per memo that differs, in the order of the memos."""
        pairs = ((before, self._after[name]) for name, before in self._before.items())
        return [self._change(before, after) for before, after in pairs if before != after]

    def changed(self) -> set[str]:
        """The memos that differ, by id."""
        return {name for name, before in self._before.items() if before != self._after[name]}

    def lost_count(self) -> int:
        """How many statements are no longer visible to everyone who could see them; expired ones don't count."""
        remaining = defaultdict[str, set[Audience]](set)
        for memo in self.live():
            remaining[normalize(memo.text)].add(memo.audience)
        return sum(not any(includes(wide, audience) for wide in remaining[text]) for text, audience in self._statements)

    def statement_count(self) -> int:
        """How many different statements there were."""
        return len(self._statements)

    def _change(self, before: Memo, after: Memo) -> Revise | Retire:
        reason = self._reasons.get(before.id, Reason.TAKES_PLACE)
        return Revise(before, after, reason) if after.active else Retire(before, after, reason)

    def _expire(self) -> None:
        for memo in self.live():
            if memo.expires is not None and memo.expires <= self.now:
                self._set(memo, Reason.EXPIRED, status=Status.EXPIRED, updated=self._later(memo))

    def _set(self, memo: Memo, reason: Reason, **fields: Any) -> None:
        self._after[memo.id] = replace(self._after[memo.id], **fields)
        self._reasons[memo.id] = reason

    def _later(self, memo: Memo) -> datetime:
        return max(self.now, memo.updated)
