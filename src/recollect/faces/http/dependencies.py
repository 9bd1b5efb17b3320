"""State that all requests of an app share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from recollect.admin import Admin
from recollect.admin.tokens import AccessToken, Role
from recollect.core.clock import Clock
from recollect.faces.http.auth import LoginThrottle, Sessions, Tokens
from recollect.memory import AsyncMemory

MAX_STREAMS = 32
"""Concurrent requests that follow the log."""


@dataclass(frozen=True, slots=True)
class AppState:
    memory: AsyncMemory
    admin: Admin
    tokens: Callable[[], Tokens]
    sessions: Sessions
    throttle: LoginThrottle
    clock: Clock
    run_worker: bool = False
    """Whether this process also runs the background worker."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is about to stop; open streams end then."""
    streams: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_STREAMS))

    async def identify(self, secret: str) -> tuple[Role | None, AccessToken | None]:
        """The role of a token, and the token where it is one of the table. Raises StoreError."""
        role = self.tokens().role(secret)
        token = None if role else await self.admin.tokens.check(secret)
        return token.role if token else role, token


async def get_state(request: Request) -> AppState:  # async: FastAPI calls sync dependencies in a thread
    return request.app.state.recollect


AppStateDep = Annotated[AppState, Depends(get_state)]
"""The type of a handler's parameter that receives the app state."""
