"""The operator's page and the API over one memory: a FastAPI app behind a token.

Everything but `/health` and `/ready` needs a token; see `access`. The app translates and calls `Memory` and `Office`.
"""

from collections.abc import Collection

from fastapi import FastAPI

from recollect.admin import Office
from recollect.core.clock import Clock, now
from recollect.core.version import __version__
from recollect.faces.http import api, metrics, pages, problems
from recollect.faces.http.auth import ENDED, Ended, Guesses, Sessions, TokenFile, Tokens
from recollect.faces.http.dependencies import House
from recollect.faces.http.middleware import Doors
from recollect.memory import Memory

__all__ = ["create"]


def create(
    memory: Memory,
    tokens: Tokens | TokenFile,
    *,
    clock: Clock = now,
    names: Collection[str] = (),
    works: bool = False,
) -> FastAPI:
    """The app of a memory; `names` are the hosts that requests may be addressed to, any without some.

    One that `works` is ready only while its memory learns in the background.
    """
    app = FastAPI(title="recollect", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    current = tokens if isinstance(tokens, TokenFile) else lambda: tokens
    sessions = Sessions(current, memory.settings.web.session, Ended(memory.settings.data_dir / ENDED))
    house = House(memory, Office(memory, clock), current, sessions, Guesses(), clock, works)
    app.state.house = house
    problems.install(app)
    app.add_middleware(Doors, house=house, names=frozenset(names))
    for part in (metrics, api, pages):
        part.install(app)
    return app
