"""The guide for Discord says what the code does."""

import re
from pathlib import Path

from recollect.faces.discord.check import NEEDED_PERMISSIONS, PIN_PERMISSION, invitation
from recollect.settings import known_variables

GUIDE = (Path(__file__).parents[3] / "docs" / "guide" / "discord.md").read_text("utf-8")


def test_the_permissions_and_the_invitation_are_those_of_the_code() -> None:
    assert str(NEEDED_PERMISSIONS.value) in GUIDE
    assert str((NEEDED_PERMISSIONS | PIN_PERMISSION).value) in GUIDE
    assert invitation(42).replace("42", "APPLICATION_ID", 1) in GUIDE


def test_every_variable_in_the_guide_exists() -> None:
    assert set(re.findall(r"RECOLLECT_[A-Z_]+", GUIDE)) <= known_variables()
