"""Fingerprints of what a dry run would have written so far, so that duplicates in a file count once."""

from dataclasses import dataclass, field

from recollect.core.text import digest, normalize
from recollect.core.types import Memo
from recollect.transfer.importing.decide import Changed, Decision, Same

_DIGEST_CHARS = 24


@dataclass(slots=True)
class DryRunState:
    _ids: dict[str, str] = field(default_factory=dict[str, str])
    _fingerprints: set[str] = field(default_factory=set[str])

    def note(self, memo: Memo) -> None:
        self._ids[_key(memo)] = _fingerprint(memo)
        self._fingerprints.add(_fingerprint(memo))

    def decide(self, memo: Memo) -> Decision | None:
        """What becomes of one that was noted before, by its id or its words; None of any other."""
        fingerprint = self._ids.get(_key(memo)) if memo.id else None
        if fingerprint is not None:
            return Same() if fingerprint == _fingerprint(memo) else Changed(memo, memo)
        return Same() if _fingerprint(memo) in self._fingerprints else None

    def is_first(self, platform: str, message_id: str) -> bool:
        """Whether a message comes for the first time."""
        fingerprint = digest("message", platform, message_id)[:_DIGEST_CHARS]
        is_known = fingerprint in self._fingerprints
        self._fingerprints.add(fingerprint)
        return not is_known


def _key(memo: Memo) -> str:
    return digest(memo.subject.scope, memo.id)[:_DIGEST_CHARS]


def _fingerprint(memo: Memo) -> str:
    return digest(memo.subject.scope, normalize(memo.text), str(memo.audience), memo.status)[:_DIGEST_CHARS]
