"""What does a job: a handler prepares it, and returns the unit of work that completes it in one transaction."""

from collections.abc import Awaitable, Callable

from recollect.core.ports.jobs import Job
from recollect.core.ports.store import Tx

UnitOfWork = Callable[[Tx], None]
Handler = Callable[[Job], Awaitable[UnitOfWork]]


class StaleResult(Exception):
    """What a job was prepared from has changed meanwhile: prepare it again."""
