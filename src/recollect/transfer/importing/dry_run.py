"""What a dry run would have written by now, as fingerprints: what comes twice in a file counts once."""

from dataclasses import dataclass, field

from recollect.core.text import digest, normalize
from recollect.core.types import Memo
from recollect.transfer.importing.decide import Changed, Decision, Same

_LENGTH = 24


@dataclass(slots=True)
class DryRunState:
    _ids: dict[str, str] = field(default_factory=dict[str, str])
    _marks: set[str] = field(default_factory=set[str])

    def note(self, memo: Memo) -> None:
        self._ids[_name(memo)] = _mark(memo)
        self._marks.add(_mark(memo))

    def decide(self, memo: Memo) -> Decision | None:
        """What becomes of one that was noted before, by its id or its words; None of any other."""
        known = self._ids.get(_name(memo)) if memo.id else None
        if known is not None:
            return Same() if known == _mark(memo) else Changed(memo, memo)
        return Same() if _mark(memo) in self._marks else None

    def is_first(self, platform: str, message_id: str) -> bool:
        """Whether a message comes for the first time."""
        mark = digest("message", platform, message_id)[:_LENGTH]
        known = mark in self._marks
        self._marks.add(mark)
        return not known


def _name(memo: Memo) -> str:
    return digest(memo.subject.scope, memo.id)[:_LENGTH]


def _mark(memo: Memo) -> str:
    return digest(memo.subject.scope, normalize(memo.text), str(memo.audience), memo.status)[:_LENGTH]
