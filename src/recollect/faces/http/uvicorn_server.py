"""The web server of our faces: its connections are guarded, and signals are left to whoever started it."""

from collections.abc import Generator
from contextlib import contextmanager

import uvicorn

from recollect.faces.http.connection_limits import ConnectionLimiter, guarded

_AT_ONCE = 4
"""A part of all connections is accepted in one go, before the guard sees the first of them."""


class Server(uvicorn.Server):
    """uvicorn itself would raise a signal again before the store is closed."""

    def __init__(self, config: uvicorn.Config, guard: ConnectionLimiter | None = None) -> None:
        guard = guard or ConnectionLimiter()
        config.load()
        config.http_protocol_class = guarded(config.http_protocol_class, guard)
        config.backlog = min(config.backlog, max(1, guard.most // _AT_ONCE))
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    def stop(self) -> None:
        self.should_exit = True
