"""Limits, delays and timeouts of a worker."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """Durations are in seconds."""

    max_model_calls: int = 8
    """Concurrent model calls."""
    batch_size: int = 8
    """Jobs of one queue that are claimed together."""
    max_attempts: int = 5
    job_timeout: float = 180.0
    """After which a job counts as hung and is retried; waiting for a model slot is included."""
    lease: float = 30.0
    """How long a claim lasts; renewed while the worker lives, so a dead worker's jobs are free after this time."""
    poll_interval: float = 1.0
    """Between two checks for jobs that other processes queued."""
    claim_interval: float = 0.01
    """Between two claims while queues are free: jobs that arrive meanwhile are claimed together."""
    retry_delay: float = 1.0
    max_retry_delay: float = 60.0
    """Delay after a model could not be reached, doubled up to the maximum."""
    shutdown_timeout: float = 5.0
    """How long closing may take to finish due jobs."""

    @property
    def queues(self) -> int:
        """Queues processed at once: while some wait for a model, others read, check and write."""
        return self.max_model_calls + self.max_model_calls // 2
