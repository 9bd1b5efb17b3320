"""Protects a web server from clients that open connections and never finish a request.

A request has to arrive completely within a deadline, and the number of open connections is limited. At the limit, a
new connection evicts the one that has been idle longest, so that active clients are served.
"""

import asyncio
import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar, cast

log = logging.getLogger("recollect.http")

REQUEST_TIMEOUT_SECONDS = 15.0
"""Time for a complete request, headers and body."""
MAX_CONNECTIONS = 2_000
"""Concurrent connections, where file descriptors don't set a tighter limit."""
MIN_CONNECTIONS = 8
MAX_HEADER_BYTES = 32_768
"""Request line and headers together; parsers buffer them without a limit of their own."""
MAX_REQUEST_BYTES = 16_000_000
"""Everything that belongs to one request, framing and trailers included; the body has a smaller limit."""
WARNING_INTERVAL_SECONDS = 60.0
"""Between two log lines about the limit."""
_RESPONSE = b"HTTP/1.1 %s\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TIMEOUT_RESPONSE, _UNAVAILABLE_RESPONSE = _RESPONSE % b"408 Request Timeout", _RESPONSE % b"503 Service Unavailable"
_HEADERS_TOO_LARGE_RESPONSE = _RESPONSE % b"431 Request Header Fields Too Large"


def connection_limit() -> int:
    """Half of the file descriptors, as the store needs some and closing takes a moment; at most MAX_CONNECTIONS."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return MAX_CONNECTIONS
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        MAX_CONNECTIONS
        if allowed == resource.RLIM_INFINITY
        else max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, allowed // 2))
    )


class ConnectionLimiter:
    """Tracks open connections, and which of them are idle, longest first."""

    def __init__(
        self,
        max_connections: int | None = None,
        request_timeout: float = REQUEST_TIMEOUT_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.max_connections = connection_limit() if max_connections is None else max_connections
        self.request_timeout = request_timeout
        self._clock = clock
        self._open: set[LimitedProtocol] = set()
        self._idle: dict[LimitedProtocol, None] = {}
        self._warned_at: float | None = None

    def accept(self, connection: "LimitedProtocol") -> bool:
        """Admit a connection, evicting an idle one at the limit; False when none is idle."""
        if len(self._open) >= self.max_connections:
            self._warn_full()
            if not self._idle:
                return False
            # A dict keeps the order of insertion, so the first has been idle longest.
            next(iter(self._idle)).evict()
        self._open.add(connection)
        return True

    def mark_idle(self, connection: "LimitedProtocol") -> None:
        """It has no complete request in progress, so it may be evicted."""
        if connection in self._open:
            # Not moved to the end if it is there: more bytes of a slow request must not make it look fresh.
            self._idle.setdefault(connection)

    def mark_active(self, connection: "LimitedProtocol") -> None:
        self._idle.pop(connection, None)

    def remove(self, connection: "LimitedProtocol") -> None:
        self._idle.pop(connection, None)
        self._open.discard(connection)

    def _warn_full(self) -> None:
        now = self._clock()
        if self._warned_at is None or now - self._warned_at >= WARNING_INTERVAL_SECONDS:
            self._warned_at = now
            log.warning(
                "%d connections are open, the maximum: the longest idle one is closed for each new one",
                self.max_connections,
            )


class LimitedProtocol(asyncio.Protocol):
    """Mixin in front of any uvicorn protocol class; all of them keep the latest request in `cycle`."""

    limiter: ClassVar[ConnectionLimiter]
    cycle: Any
    flow: Any
    _transport: asyncio.Transport
    _admitted = False
    _received = 0
    """Bytes of the request that is arriving."""
    _complete_request: Any = None
    """The last request that arrived completely."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._admitted = self.limiter.accept(self)
        if self._admitted:
            super().connection_made(transport)
            self._expect_request()
        else:
            self._transport.write(_UNAVAILABLE_RESPONSE)
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        self.limiter.remove(self)
        if self._admitted:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        # Data may still be delivered after an answer that refused the connection.
        if self._transport.is_closing():
            return
        self._received += len(data)
        super().data_received(data)
        self._check_request()
        has_headers = self.cycle is not None and self.cycle is not self._complete_request
        if self._received > (MAX_REQUEST_BYTES if has_headers else MAX_HEADER_BYTES):
            self._refuse_size()

    def on_response_complete(self) -> None:
        """Called by uvicorn; a pipelined request may start here."""
        protocol: Any = super()
        protocol.on_response_complete()
        if self.cycle is self._complete_request:
            self.limiter.mark_idle(self)  # uvicorn closes what stays idle
        else:
            self._check_request()

    def evict(self) -> None:
        """Close the connection at once and free its slot."""
        self.limiter.remove(self)
        self._transport.abort()

    def _check_request(self) -> None:
        """Start or stop the deadline, depending on whether the request is complete."""
        if self.cycle is None or self.cycle is self._complete_request or self.cycle.more_body:
            self._expect_request()
        else:
            self._complete_request = self.cycle
            self._received = 0
            self._cancel_deadline()
            self.limiter.mark_active(self)

    def _refuse_size(self) -> None:
        """Too many bytes before a request was complete: answer if none is being answered, and hang up."""
        if self.cycle is None or self.cycle.response_complete:
            self._transport.write(_HEADERS_TOO_LARGE_RESPONSE)
            self._transport.close()
        else:
            self._transport.abort()

    def _expect_request(self) -> None:
        self.limiter.mark_idle(self)
        # Not restarted by further bytes, or a slow client could hold a connection for ever.
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().call_later(self.limiter.request_timeout, self._on_deadline)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _on_deadline(self) -> None:
        self._deadline = None
        if self.flow.read_paused:  # reading was paused by us
            self._expect_request()
            return
        if self.cycle is None or self.cycle.response_complete:
            self._transport.write(_TIMEOUT_RESPONSE)
        self._transport.close()


def limited_protocol(protocol: type[asyncio.Protocol], limiter: ConnectionLimiter) -> type[asyncio.Protocol]:
    """The protocol class, limited by the limiter."""
    return type("LimitedConnection", (LimitedProtocol, protocol), {"limiter": limiter})
