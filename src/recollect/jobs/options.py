"""Limits, delays and timeouts of a worker."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker goes about its work."""

    max_model_calls: int = 8
    """Calls of models at once."""
    batch_size: int = 8
    """Jobs of one lane that are taken together."""
    attempts: int = 5
    job_timeout: float = 180.0
    """Seconds after which a job hangs: it is left alone, and tried again. The wait for a call's turn counts."""
    lease: float = 30.0
    """Seconds for which a job is ours; renewed while we live, so a dead worker's jobs are free that soon."""
    poll: float = 1.0
    """Seconds between two looks for what other processes queued."""
    gather: float = 0.01
    """Seconds between two claims while little waits: what comes in meanwhile is claimed together."""
    pause: float = 1.0
    longest_pause: float = 60.0
    """Seconds to wait after a model could not be reached, doubled up to the longest."""
    drain: float = 5.0
    """Seconds that closing may take to finish what is due."""

    @property
    def queues(self) -> int:
        """Lanes at once: while models are asked for some, others read, check and write."""
        return self.max_model_calls + self.max_model_calls // 2
