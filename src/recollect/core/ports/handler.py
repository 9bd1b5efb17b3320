"""The port of job handlers: a handler prepares a job and returns the unit of work that completes it."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from recollect.core.ports.jobs import Job
from recollect.core.ports.store import Tx

UnitOfWork = Callable[[Tx], object]
Handler = Callable[[Job], Awaitable[UnitOfWork]]


class StaleResult(Exception):
    """The data from which a job was prepared has changed: prepare it again."""


class PutOff(Exception):
    """A job has to wait until then, though neither the job nor a model failed."""

    def __init__(self, until: datetime, reason: str) -> None:
        super().__init__(reason)
        self.until = until
