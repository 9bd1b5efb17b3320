"""The port of job handlers: a handler prepares a job and returns the unit of work that completes it."""

from collections.abc import Awaitable, Callable

from recollect.core.ports.jobs import Job
from recollect.core.ports.store import Tx

UnitOfWork = Callable[[Tx], None]
Handler = Callable[[Job], Awaitable[UnitOfWork]]


class StaleResult(Exception):
    """The data from which a job was prepared has changed: prepare it again."""
