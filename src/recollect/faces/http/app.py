"""The operator's pages and the REST API for one memory, as a FastAPI app.

Everything but `/health` and `/ready` needs a token (see `auth`). Routes translate requests and call `AsyncMemory` and
`Admin`.
"""

from collections.abc import Collection

from fastapi import FastAPI
from starlette.routing import Route
from starlette.types import ASGIApp

from recollect.admin import Admin
from recollect.core.clock import Clock, now
from recollect.core.version import __version__
from recollect.faces.http import api, metrics, pages, problems
from recollect.faces.http.auth import REVOKED_SESSIONS_DIR, LoginThrottle, RevokedSessions, Sessions, TokenFile, Tokens
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.idempotency import IdempotencyMiddleware
from recollect.faces.http.middleware import SecurityMiddleware
from recollect.memory import AsyncMemory

__all__ = ["create", "mount"]


def create(
    memory: AsyncMemory,
    tokens: Tokens | TokenFile,
    *,
    clock: Clock = now,
    names: Collection[str] = (),
    run_worker: bool = False,
) -> FastAPI:
    """The app for a memory; `names` are the host names that requests may use, any if there are none.

    With `run_worker`, it is ready only while the background worker runs.
    """
    app = FastAPI(title="recollect", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    current = tokens if isinstance(tokens, TokenFile) else lambda: tokens
    sessions = Sessions(
        current, memory.settings.http.session_lifetime, RevokedSessions(memory.settings.data_dir / REVOKED_SESSIONS_DIR)
    )
    state = AppState(memory, Admin(memory, clock), current, sessions, LoginThrottle(), clock, run_worker)
    app.state.recollect = state
    problems.install(app)
    app.add_middleware(
        IdempotencyMiddleware, last_erasure=state.admin.last_erasure, last_removal=state.admin.last_removal
    )
    app.add_middleware(SecurityMiddleware, state=state, names=frozenset(names))
    for part in (metrics, api, pages):
        part.install(app)
    return app


def mount(app: FastAPI, path: str, other: ASGIApp) -> None:
    """Have another app answer what is asked at a path."""
    app.router.routes.insert(0, Route(path, other))
