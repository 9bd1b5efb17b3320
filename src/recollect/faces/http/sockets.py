"""Listening sockets: opening them, their addresses, and whether they are local."""

import os
import socket
from ipaddress import ip_address

from recollect.core.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
UNACKED_TIMEOUT_SECONDS = 60.0
"""A client that acknowledges nothing for so long counts as gone, where the system supports it."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; raises BadInput when the address can't be used. Port 0 takes a free one."""
    return _open_socket(host, port)


def listen_together(host: str, port: int, count: int) -> list[socket.socket]:
    """Sockets at one address, one per process, so that the kernel balances connections where it supports that.

    With one shared socket, the process that wakes first would take all waiting connections.
    """
    first = listen(host, port)
    if count == 1 or not hasattr(socket, "SO_REUSEPORT"):
        return [first] * count
    port = first.getsockname()[1]
    first.close()  # opened without SO_REUSEPORT first: that fails if another server already uses the port
    return [_open_socket(host, port, shared=True) for _ in range(count)]


def _open_socket(host: str, port: int, shared: bool = False) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        bound = socket.create_server((host, port), family=family, reuse_port=shared)
    except (OSError, OverflowError) as error:
        code = getattr(error, "errno", None)
        reason = os.strerror(code) if code else str(error)
        raise BadInput(
            f"can't listen at {host} port {port}: {reason}; is it running already? --port takes another one"
        ) from error
    # With an explicit protocol number, as asyncio sets TCP_NODELAY only then; without, responses wait 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=bound.detach())
    set_unacked_timeout(listener, UNACKED_TIMEOUT_SECONDS)
    return listener


def set_unacked_timeout(listener: socket.socket, seconds: float) -> None:
    """Close connections whose client acknowledges nothing for so long; accepted sockets inherit it."""
    if option := getattr(socket, "TCP_USER_TIMEOUT", None):  # on Linux
        listener.setsockopt(socket.IPPROTO_TCP, option, int(seconds * 1000))


def address(listener: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://{bracketed(host)}:{port}"


def bracketed(host: str) -> str:
    """A host as URLs have it: `::1` is `[::1]`."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
