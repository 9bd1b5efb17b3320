"""A part that is missing skips its tests with a reason, and fails them in CI."""

import shutil
from pathlib import Path

import pytest

from tests import parts
from tests.faces.http.browser import launched


@pytest.mark.parametrize(("ci", "outcome"), [("1", pytest.fail.Exception), (None, pytest.skip.Exception)])
def test_without_a_browser_its_tests_fail_in_ci_and_are_skipped_elsewhere(
    ci: str | None, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CI", raising=False)
    if ci:
        monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(outcome, match="there is no chromium"), launched():
        pass
    with pytest.raises(outcome, match="nothing like it"):
        parts.module("a_module_that_nobody_has", "nothing like it")
    assert parts.module("shutil", "part of Python") is shutil
