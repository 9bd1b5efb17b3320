"""The acceptance plug-in, tried on small suites of its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.acceptance import KNOWN, ranges, report_lines

pytest_plugins = ["pytester"]

REPOSITORY = Path(__file__).parents[1]
BOTH_WAYS = pytest.mark.parametrize(
    "how",
    [
        pytest.param(("-p", "no:xdist"), id="plain"),
        pytest.param(("-n", "2"), id="xdist", marks=pytest.mark.slow),
    ],
)

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    pytester.makeini(f"[pytest]\npythonpath = {REPOSITORY}\nasyncio_default_fixture_loop_scope = function\n")
    pytester.makeconftest("pytest_plugins = ['tests.acceptance']")

    def run(sources: str | list[str], *arguments: str) -> pytest.RunResult:
        head = "import os, pytest\nshows = pytest.mark.acceptance\n"
        for number, source in enumerate([sources] if isinstance(sources, str) else sources):
            pytester.makepyfile(**{f"test_{number}": head + source})
        return pytester.runpytest_inprocess(*arguments)

    return run


def test_the_list_has_317_items():
    assert len(KNOWN) == 317
    assert {"A1", "A71", "B89", "C26", "D67", "E44", "W20"} <= KNOWN
    assert not {"A0", "A72", "B90", "C27", "D68", "E45", "W21", "F1", "A01"} & KNOWN


@pytest.mark.parametrize(
    ("numbers", "short"),
    [([], ""), ([4], "4"), ([1, 2], "1-2"), ([1, 2, 3, 7, 9, 10], "1-3, 7, 9-10")],
)
def test_numbers_in_a_row_become_a_range(numbers: list[int], short: str):
    assert ranges(numbers) == short


def test_report_says_what_is_shown_what_is_not_and_ends_with_the_count():
    lines = list(report_lines({"C1": True, "C2": True, "C4": False}))
    at = lines.index("C: 2 of 26 shown")
    assert lines[at + 1 : at + 4] == ["   shown: 1-2", "   failed or skipped: 4", "   no test: 3, 5-26"]
    assert lines[-1] == "2 of 317 shown"


@BOTH_WAYS
def test_an_item_is_shown_only_when_all_its_tests_passed(run: Run, how: tuple[str, ...]):
    result = run(
        """
@shows("A1", "B2")
def test_passes(): pass

@shows("A1")
class TestClass:
    @shows("A2", "A4")
    def test_passes_too(self): pass

@shows("A2")
def test_fails(): assert False

@shows("A3")
def test_skips(): pytest.skip("not here")

@shows("A4")
def test_skips_what_another_shows(): pytest.skip("not here")

@shows("A5")
@pytest.mark.xfail
def test_is_expected_to_fail(): assert False

@pytest.fixture
def broken_at_the_end():
    yield
    assert False

@shows("A6")
def test_breaks_in_teardown(broken_at_the_end): pass

@pytest.mark.parametrize("n", [1, pytest.param(2, marks=shows("E44"))])
def test_carries_a_mark_on_one_parameter(n): pass

def test_unmarked(): assert False
""",
        "--acceptance",
        *how,
    )
    result.assert_outcomes(passed=4, failed=1, skipped=2, xfailed=1, errors=1)
    result.stdout.fnmatch_lines(
        [
            "A: 1 of 71 shown",
            "   shown: 1",
            "   failed or skipped: 2-6",
            "   no test: 7-71",
            "B: 1 of 89 shown",
        ]
    )
    assert result.outlines[-1] == "3 of 317 shown"
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.slow
def test_an_item_is_not_shown_when_the_process_of_one_of_its_tests_died(run: Run):
    result = run(
        """
@shows("A1", "A2")
def test_passes(): pass

@shows("A1")
def test_dies(): os._exit(1)
""",
        "--acceptance",
        "-n1",
    )
    assert "   failed or skipped: 1" in result.outlines
    assert result.outlines[-1] == "1 of 317 shown"


@BOTH_WAYS
def test_a_wrong_mark_is_a_collection_error(run: Run, how: tuple[str, ...]):
    wrong = {
        '"B90"': "unknown acceptance id 'B90'",
        '"A1", "b2"': "unknown acceptance id 'b2'",
        "7": "unknown acceptance id 7",
        "": "write @pytest.mark.acceptance*",
        'id="A1"': "write @pytest.mark.acceptance*",
    }
    result = run([f"@shows({mark})\ndef test_{at}(): pass" for at, mark in enumerate(wrong)], *how)
    result.assert_outcomes(errors=len(wrong))
    result.stdout.fnmatch_lines_random([f"test_{at}: {message}" for at, message in enumerate(wrong.values())])
    assert result.ret != pytest.ExitCode.OK


def test_without_the_option_every_test_runs_and_nothing_is_reported(run: Run):
    result = run("@shows('A1')\ndef test_marked(): pass\ndef test_unmarked(): pass", "--strict-markers")
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*of 317 shown")
