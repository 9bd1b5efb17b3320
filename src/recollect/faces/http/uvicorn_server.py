"""The web server of HTTP and MCP: connections are limited, and signals are left to the caller."""

from collections.abc import Generator
from contextlib import contextmanager

import uvicorn

from recollect.faces.http.connection_limits import ConnectionLimiter, limited_protocol

BACKLOG_DIVISOR = 4
"""The backlog is a fraction of the limit, as all of it is accepted before the limiter sees the first connection."""


class Server(uvicorn.Server):
    """uvicorn itself would raise a signal again before the store is closed."""

    def __init__(self, config: uvicorn.Config, limiter: ConnectionLimiter | None = None) -> None:
        limiter = limiter or ConnectionLimiter()
        config.load()
        config.http_protocol_class = limited_protocol(config.http_protocol_class, limiter)
        config.backlog = min(config.backlog, max(1, limiter.max_connections // BACKLOG_DIVISOR))
        super().__init__(config)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    def stop(self) -> None:
        self.should_exit = True
