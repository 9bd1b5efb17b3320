"""The pause after a model could not be reached; loop time is passed in."""

from recollect.jobs.backoff import ModelBackoff, retry_delay
from recollect.jobs.options import WorkerOptions

OPTIONS = WorkerOptions(retry_delay=1.0, max_retry_delay=5.0)


def test_a_pause_doubles_with_each_failure_up_to_its_limit():
    backoff = ModelBackoff()
    assert [backoff.add_failure("extract", 0.0, OPTIONS) for _ in range(5)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_a_pause_ends_with_its_time_while_the_failure_lasts_until_a_success():
    backoff = ModelBackoff()
    assert backoff.remaining(0.0) == 0.0
    backoff.add_failure("extract", 100.0, OPTIONS)
    assert backoff.remaining(100.75) == 0.25
    assert backoff.remaining(101.0) == 0.0
    assert backoff.is_failing
    backoff.add_success("extract")
    assert not backoff.is_failing
    assert backoff.add_failure("extract", 200.0, OPTIONS) == 1.0, "it starts again"


def test_a_job_of_another_kind_that_succeeds_says_nothing_about_the_model():
    backoff = ModelBackoff()
    backoff.add_failure("extract", 0.0, OPTIONS)
    backoff.add_success("daily_log")
    assert backoff.is_failing


def test_a_job_that_fails_by_itself_waits_four_times_as_long_after_each_attempt():
    assert [retry_delay(attempts, OPTIONS) for attempts in (1, 2, 3)] == [1.0, 4.0, 16.0]
