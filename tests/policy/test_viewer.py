"""What a viewer sees at the moment when something expires."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from recollect.core.types import EVERYWHERE, Kind, Memo, Place, Subject
from recollect.policy.viewer import Viewer
from recollect.policy.visibility import VisibilityPolicy

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
MEMO = Memo("d1", Subject("discord:ann"), Kind.FACT, "I like tea", NOW, NOW, audience=EVERYWHERE)
DM = Place("discord", dm="ann")


@pytest.mark.parametrize(
    ("expires", "now", "is_visible"),
    [
        (NOW + timedelta(milliseconds=1), NOW, True),
        (NOW, NOW, False),
        (NOW - timedelta(days=1), NOW, False),
        (NOW - timedelta(days=1), None, True),
        (None, NOW, True),
    ],
)
def test_a_viewer_hides_a_memo_from_its_expiry_on(
    expires: datetime | None, now: datetime | None, is_visible: bool
) -> None:
    memo = replace(MEMO, expires=expires)
    viewer = Viewer("discord:ann", DM, VisibilityPolicy.BY_AUDIENCE, now)
    assert viewer(memo) == is_visible
    assert viewer.can_tell(memo, {"discord:ann"}) == is_visible
