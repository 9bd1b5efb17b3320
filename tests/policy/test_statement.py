"""What someone states, as it becomes a candidate."""

from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.core.errors import BadInput
from recollect.core.outcomes import Refused
from recollect.core.reasons import Reason
from recollect.core.types import Place
from recollect.policy.merge import Candidate
from recollect.policy.statement import statement
from recollect.policy.visibility import VisibilityPolicy

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def stated(**more: Any) -> Candidate:
    found = statement(
        "I like tea", "discord:ann", Place("discord", dm="ann"), VisibilityPolicy.BY_AUDIENCE, NOW, **more
    )
    assert isinstance(found, Candidate)
    return found


def test_evidence_is_kept_without_secrets_with_metadata_or_without() -> None:
    for metadata in (None, {"trip": "Rome"}):
        source = stated(evidence="my password is hunter2", metadata=metadata).source
        assert source.evidence is not None
        assert "hunter2" not in source.evidence
        assert dict(source.metadata) == (metadata or {})
    assert stated(metadata={"note": "my password is hunter2"}).source.metadata != {"note": "my password is hunter2"}
    assert stated().source.evidence is None


@pytest.mark.parametrize(("confidence", "is_valid"), [(0, True), (1, True), (-0.01, False), (1.01, False)])
def test_a_confidence_is_between_0_and_1(confidence: float, is_valid: bool) -> None:
    if is_valid:
        assert stated(confidence=confidence).confidence == confidence
    else:
        with pytest.raises(BadInput, match="not between"):
            stated(confidence=confidence)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("my PIN is 4711 and I paint", "my PIN is [redacted: PIN] and I paint"),
        ("Mein Passwort ist Tr0ub4dor&3 und ich male", "Mein Passwort ist [redacted: password] und ich male"),
        ("my PIN is 4711 changed", None),
        ("scratch that, my password is Tr0ub4dor&3", None),
    ],
)
def test_what_is_said_after_a_secret_is_kept_however_short(text: str, kept: str | None) -> None:
    found = statement(text, "discord:ann", Place("discord", dm="ann"), VisibilityPolicy.BY_AUDIENCE, NOW)
    assert found == Refused(Reason.SECRET) if kept is None else isinstance(found, Candidate) and found.text == kept
