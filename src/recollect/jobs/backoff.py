"""How long jobs wait after a failure."""

from recollect.jobs.options import WorkerOptions


class ModelBackoff:
    """The pause of jobs that ask a model while it can't be reached: longer with each failure, over with a success."""

    def __init__(self) -> None:
        self._failures = 0
        self._kind = ""
        self._resume_at = 0.0

    @property
    def is_failing(self) -> bool:
        """Whether the last attempt failed; a new one may be due all the same."""
        return self._failures > 0

    def remaining(self, time: float) -> float:
        """Seconds of the pause that are left at this loop time."""
        return max(0.0, self._resume_at - time)

    def end_pause(self) -> None:
        """Try again now, because someone asks for it."""
        self._resume_at = 0.0

    def add_failure(self, kind: str, time: float, options: WorkerOptions) -> float:
        """Pause from this loop time on; returns for how many seconds."""
        delay = min(options.max_retry_delay, options.retry_delay * 2**self._failures)
        self._failures += 1
        self._kind = kind
        self._resume_at = time + delay
        return delay

    def add_success(self, kind: str) -> None:
        if kind == self._kind:  # success of another kind says nothing about the model
            self._failures = 0


def retry_delay(attempts: int, options: WorkerOptions) -> float:
    """Seconds until a job that has failed so often is tried again."""
    return options.retry_delay * 4 ** (attempts - 1)
