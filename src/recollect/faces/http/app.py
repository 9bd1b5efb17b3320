"""The operator's page and the API over one memory: a FastAPI app behind a token.

Everything but `/health` and `/ready` needs a token; see `access`. The app translates and calls `Memory` and `Office`.
"""

from collections.abc import Collection

from fastapi import FastAPI

from recollect.admin import Admin
from recollect.core.clock import Clock, now
from recollect.core.version import __version__
from recollect.faces.http import api, metrics, pages, problems
from recollect.faces.http.auth import ENDED, LoginThrottle, RevokedSessions, Sessions, TokenFile, Tokens
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.middleware import SecurityMiddleware
from recollect.memory import AsyncMemory

__all__ = ["create"]


def create(
    memory: AsyncMemory,
    tokens: Tokens | TokenFile,
    *,
    clock: Clock = now,
    names: Collection[str] = (),
    run_worker: bool = False,
) -> FastAPI:
    """The app of a memory; `names` are the hosts that requests may be addressed to, any without some.

    One that runs the worker is ready only while its memory learns in the background.
    """
    app = FastAPI(title="recollect", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    current = tokens if isinstance(tokens, TokenFile) else lambda: tokens
    sessions = Sessions(
        current, memory.settings.http.session_lifetime, RevokedSessions(memory.settings.data_dir / ENDED)
    )
    house = AppState(memory, Admin(memory, clock), current, sessions, LoginThrottle(), clock, run_worker)
    app.state.house = house
    problems.install(app)
    app.add_middleware(SecurityMiddleware, house=house, names=frozenset(names))
    for part in (metrics, api, pages):
        part.install(app)
    return app
