"""Keeps a web server from being filled by clients that open connections and never finish a request.

A request has to come whole within a deadline. So many connections may be open; when there is one more, the one that
has waited longest for its next request gives way, so that who asks quickly is served while others dawdle.
"""

import asyncio
import logging
from collections.abc import Callable
from time import monotonic
from typing import Any, ClassVar, cast

log = logging.getLogger("recollect.http")

SECONDS = 15.0
"""Within which a request has to come whole, head and body."""
MOST = 2_000
"""Connections at once, where file descriptors don't set a tighter limit."""
_FEWEST = 8
_SILENCE = 60.0
"""Seconds between two lines of the log about a full house."""
_ANSWER = b"HTTP/1.1 %s\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_LATE, _FULL = _ANSWER % b"408 Request Timeout", _ANSWER % b"503 Service Unavailable"


def room() -> int:
    """Connections that fit: half of the file descriptors, as the store needs some and closing takes a moment."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return MOST
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if allowed == resource.RLIM_INFINITY else max(_FEWEST, min(MOST, allowed // 2))


class ConnectionLimiter:
    """Which connections are open, and which of them wait for a request, the longest first."""

    def __init__(
        self, most: int | None = None, seconds: float = SECONDS, clock: Callable[[], float] = monotonic
    ) -> None:
        self.most = room() if most is None else most
        self.seconds = seconds
        self._clock = clock
        self._open: set[LimitedProtocol] = set()
        self._waiting: dict[LimitedProtocol, None] = {}
        self._told: float | None = None

    def accept(self, connection: "LimitedProtocol") -> bool:
        """Let it in, if need be in the place of another."""
        if len(self._open) >= self.most:
            self._tell()
            if not self._waiting:
                return False
            next(iter(self._waiting)).give_way()
        self._open.add(connection)
        return True

    def waits(self, connection: "LimitedProtocol") -> None:
        """It has no whole request under way: others go first."""
        if connection in self._open:
            self._waiting.setdefault(connection)

    def is_served(self, connection: "LimitedProtocol") -> None:
        self._waiting.pop(connection, None)

    def leaves(self, connection: "LimitedProtocol") -> None:
        self._waiting.pop(connection, None)
        self._open.discard(connection)

    def _tell(self) -> None:
        moment = self._clock()
        if self._told is None or moment - self._told >= _SILENCE:
            self._told = moment
            log.warning("%d connections are open, as many as may be: who has waited longest gives way", self.most)


class LimitedProtocol(asyncio.Protocol):
    """Goes before the class of a uvicorn protocol, whichever it is: all keep the request that came last in `cycle`."""

    guard: ClassVar[ConnectionLimiter]
    cycle: Any
    flow: Any
    _transport: asyncio.Transport
    _admitted = False
    _whole: Any = None
    """The last request that came in full."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._admitted = self.guard.accept(self)
        if self._admitted:
            super().connection_made(transport)
            self._await()
        else:
            self._transport.write(_FULL)
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._settle()
        self.guard.leaves(self)
        if self._admitted:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """uvicorn calls it; a request that came behind the last may begin with it."""
        protocol: Any = super()
        protocol.on_response_complete()
        if self.cycle is self._whole:
            self.guard.waits(self)  # uvicorn closes what stays idle
        else:
            self._look()

    def give_way(self) -> None:
        """Free its place at once."""
        self.guard.leaves(self)
        self._transport.abort()

    def _look(self) -> None:
        """Whether something came that is not a whole request yet."""
        if self.cycle is None or self.cycle is self._whole or self.cycle.more_body:
            self._await()
        else:
            self._whole = self.cycle
            self._settle()
            self.guard.is_served(self)

    def _await(self) -> None:
        self.guard.waits(self)
        if self._deadline is None:
            self._deadline = asyncio.get_running_loop().call_later(self.guard.seconds, self._end)

    def _settle(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._deadline = None
        if self.flow.read_paused:  # it is us who don't read on
            self._await()
            return
        if self.cycle is None or self.cycle.response_complete:
            self._transport.write(_TOO_LATE)
        self._transport.close()


def guarded(protocol: type[asyncio.Protocol], guard: ConnectionLimiter) -> type[asyncio.Protocol]:
    """This class of connections, guarded."""
    return type("GuardedConnection", (LimitedProtocol, protocol), {"guard": guard})
