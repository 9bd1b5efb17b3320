"""Serves an app on a socket until told to stop; open requests may finish, streams end at once."""

import asyncio
import socket
from collections.abc import Callable, Collection
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from recollect.core.errors import ConfigError
from recollect.faces.http.auth import Tokens, load_tokens
from recollect.faces.http.connection_limits import ConnectionLimiter
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.sockets import LOOPBACK, address, is_loopback
from recollect.faces.http.uvicorn_server import Server
from recollect.settings import Settings

SHUTDOWN_GRACE_SECONDS = 3
"""Time for open requests to finish."""
OTHERS_PERMISSIONS = 0o077
"""Mode bits of everyone but a file's owner."""
ALL_INTERFACES = ("0.0.0.0", "::", "")  # noqa: S104 - these are recognized, not bound to


def runner() -> asyncio.Runner:
    """An asyncio runner, on uvloop where it is installed."""
    try:
        import uvloop
    except ModuleNotFoundError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


async def serve(
    app: FastAPI,
    listener: socket.socket,
    stop: asyncio.Event,
    ready: Callable[[str], object] = lambda _: None,
    limiter: ConnectionLimiter | None = None,
) -> None:
    """Answer requests on this socket until `stop` is set; `ready` is called with the address."""
    state: AppState = app.state.recollect
    proxies = state.memory.settings.http.trusted_proxies
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),  # never from the environment; this machine is trusted only if it is listed
        timeout_graceful_shutdown=SHUTDOWN_GRACE_SECONDS,
        ws="none",
    )
    server = Server(config, limiter)

    async def wait_for_stop() -> None:
        await stop.wait()
        state.closing.set()
        server.stop()

    stop_task = asyncio.create_task(wait_for_stop(), name="recollect-web-stop")
    ready(address(listener))
    try:
        await server.serve(sockets=[listener])
    finally:
        state.closing.set()
        stop_task.cancel()


def names_of(host: str, settings: Settings) -> frozenset[str]:
    """Host names that requests may use: another one is a DNS rebinding attack from a web page."""
    bound = () if host in ALL_INTERFACES else (host,)
    return frozenset(name.strip("[]").lower() for name in (*LOOPBACK, *bound, *settings.http.host_names))


def load_or_create_tokens(host: str, settings: Settings, chosen: str | None) -> tuple[Tokens, bool]:
    """The tokens, and whether they were just created. Raises ConfigError when other machines can connect and tokens,
    file permissions or host names are not set up for that. `chosen` is the configured operator's token, if any.
    """
    path = settings.http.token_file
    if not is_loopback(host):
        _check_exposure(host, settings.http.host_names, path, chosen)
    return load_tokens(path, chosen)


def _check_exposure(host: str, names: Collection[str], path: Path, chosen: str | None) -> None:
    if chosen is None and not path.exists():
        raise ConfigError(
            f"{host} can be reached by others, and there is no token yet that keeps them out: make tokens with "
            "'recollect serve --tokens', or set RECOLLECT_HTTP_TOKEN; then start again"
        )
    if path.exists() and is_readable_by_others(path):
        raise ConfigError(
            f"{host} can be reached by others, and {path} can be read by other users of this machine: "
            f"chmod 600 {path}, and start again"
        )
    if not names:
        raise ConfigError(
            f"{host} can be reached by others; say by which names in the setting http.host_names "
            "(RECOLLECT_HTTP_HOST_NAMES), as memory.example.org: requests for another name are refused, as any web "
            "page could make its own name point here and speak in your browser's place"
        )


def is_readable_by_others(path: Path) -> bool:
    return bool(path.stat().st_mode & OTHERS_PERMISSIONS)
