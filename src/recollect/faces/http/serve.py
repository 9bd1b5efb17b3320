"""Serve an app at a socket until it is told to stop: open requests end first, streams at once."""

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

GRACE = 3
"""Seconds that open requests get to end."""
_OTHERS = 0o077
"""Rights of everyone but a file's owner."""
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - these are recognised, not bound to


def runner() -> asyncio.Runner:
    """Runs what serves: on the quicker event loop where there is one for this system."""
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
    guard: ConnectionLimiter | None = None,
) -> None:
    """Answer requests at this socket until `stop` is set; `ready` hears the address, the `guard` limits clients."""
    house: AppState = app.state.house
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        ws="none",
    )
    server = Server(config, guard)

    async def ending() -> None:
        await stop.wait()
        house.closing.set()
        server.stop()

    waiting = asyncio.create_task(ending(), name="recollect-web-stop")
    ready(address(listener))
    try:
        await server.serve(sockets=[listener])
    finally:
        house.closing.set()
        waiting.cancel()


def names_of(host: str, settings: Settings) -> frozenset[str]:
    """The names by which requests may address this server: others are a web page's that had its own name point here."""
    own = () if host in _ANYWHERE else (host,)
    return frozenset(name.strip("[]").lower() for name in (*LOOPBACK, *own, *settings.http.host_names))


def admit(host: str, settings: Settings, chosen: str | None) -> tuple[Tokens, bool]:
    """The tokens, and whether they were made just now; raises ConfigError where others than this machine could come
    in and nobody has decided how. `chosen` is the operator's token that was set, if one was.
    """
    path = settings.http.token_file
    if not is_loopback(host):
        _require_decisions(host, settings.http.host_names, path, chosen)
    return load_tokens(path, chosen)


def _require_decisions(host: str, names: Collection[str], path: Path, chosen: str | None) -> None:
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
    return bool(path.stat().st_mode & _OTHERS)
