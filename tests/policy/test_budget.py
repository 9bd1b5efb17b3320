"""Budgets: what fits, in which unit, and what happens at a line that does not."""

from hypothesis import given
from hypothesis import strategies as st

from recollect.policy.budget import Budget, FitResult, fit_lines, size, tokens


def test_four_characters_are_a_token_and_a_started_one_counts():
    assert [tokens(chars) for chars in (0, 1, 4, 5, 8000)] == [0, 1, 1, 2, 2000]


def test_the_least_of_several_limits_wins():
    """X7"""
    lines = ["x" * 9] * 10
    assert len(fit_lines(lines, Budget(chars=49)).places) == 5
    assert len(fit_lines(lines, Budget(chars=49, tokens=10)).places) == 4
    assert len(fit_lines(lines, Budget(chars=49, tokens=10, items=2)).places) == 2
    assert len(fit_lines(lines, Budget(chars=49, tokens=1_000, items=100)).places) == 5
    assert Budget(chars=49, tokens=10).characters == 40
    assert Budget().characters is None


def test_without_limits_everything_fits():
    assert fit_lines(["a", "b"], Budget()) == FitResult((0, 1))


def test_an_exact_fit_fits():
    assert fit_lines(["ab", "cd"], Budget(chars=5)).places == (0, 1)
    assert fit_lines(["ab", "cd"], Budget(chars=4)).places == (0,)


def test_at_a_line_that_does_not_fit_it_stops_or_skips_or_says_so():
    """X8"""
    lines = ["aaaa", "b" * 200, "cccc"]
    assert fit_lines(lines, Budget(chars=100), "stop") == FitResult((0,))
    assert fit_lines(lines, Budget(chars=100), "skip") == FitResult((0, 2))
    assert fit_lines(lines, Budget(chars=100), "notice") == FitResult(
        (0, 2), ("...", "[truncated - 1 more memories available]")
    )


def test_for_lines_of_equal_length_stop_and_skip_agree():
    """X8"""
    lines = ["x" * 30] * 50
    assert fit_lines(lines, Budget(chars=500), "stop") == fit_lines(lines, Budget(chars=500), "skip")


def test_a_budget_of_nothing_takes_nothing():
    for overflow in ("stop", "skip", "notice"):
        assert fit_lines(["a"], Budget(chars=0), overflow).places == ()
        assert fit_lines(["a"], Budget(items=0), overflow).places == ()


def test_the_notice_names_what_it_counts():
    assert (
        fit_lines(["a" * 50, "b" * 60], Budget(chars=105), "notice", "messages")
        .notice[1]
        .endswith("more messages available]")
    )


@given(
    st.lists(st.text(max_size=80), max_size=30),
    st.integers(0, 400) | st.none(),
    st.integers(0, 100) | st.none(),
    st.integers(0, 20) | st.none(),
    st.sampled_from(["stop", "skip", "notice"]),
)
def test_whatever_the_lines_no_limit_is_exceeded_and_the_order_is_kept(lines, chars, most_tokens, items, overflow):
    budget = Budget(chars, most_tokens, items)
    fitted = fit_lines(lines, budget, overflow)
    assert list(fitted.places) == sorted(set(fitted.places))
    shown = [lines[place] for place in fitted.places]
    if shown:
        assert budget.allows(size([*shown, *fitted.notice]), len(shown))
    if fitted.notice:
        assert f"- {len(lines) - len(shown)} more" in fitted.notice[1]
