"""Sockets that a server listens at: making one, what people call it, and who can reach it."""

import os
import socket
from ipaddress import ip_address

from recollect.core.errors import BadInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
UNREAD = 60.0
"""Seconds after which who takes in nothing of an answer has left, where the system can tell."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens here; raises BadInput when that can't be. Port 0 takes a free one."""
    return _listening(host, port)


def listen_together(host: str, port: int, count: int) -> list[socket.socket]:
    """Sockets at one address, one for each process: the system deals connections out evenly, where it can.

    Of processes that share a socket, whichever wakes first takes all that wait.
    """
    first = listen(host, port)
    if count == 1 or not hasattr(socket, "SO_REUSEPORT"):
        return [first] * count
    port = first.getsockname()[1]
    first.close()  # nobody else was there: had we been willing to share at once, we would not know
    return [_listening(host, port, shared=True) for _ in range(count)]


def _listening(host: str, port: int, shared: bool = False) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        made = socket.create_server((host, port), family=family, reuse_port=shared)
    except (OSError, OverflowError) as error:
        number = getattr(error, "errno", None)
        told = os.strerror(number) if number else str(error)
        raise BadInput(
            f"can't listen at {host} port {port}: {told}; is it running already? --port takes another one"
        ) from error
    # By name of its protocol, or asyncio lets answers wait for more to send: 40 ms each.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=made.detach())
    expect_reading(listener, UNREAD)
    return listener


def expect_reading(listener: socket.socket, seconds: float) -> None:
    """Have connections end whose other side takes in nothing for so long; accepted ones take it over."""
    if option := getattr(socket, "TCP_USER_TIMEOUT", None):  # on Linux
        listener.setsockopt(socket.IPPROTO_TCP, option, int(seconds * 1000))


def address(listener: socket.socket) -> str:
    """Where a socket is reached, as people type it."""
    host, port = listener.getsockname()[:2]
    return f"http://{bracketed(host)}:{port}"


def bracketed(host: str) -> str:
    """A host as addresses have it: `::1` is `[::1]`."""
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
