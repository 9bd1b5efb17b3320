"""What the requests of an app share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from recollect.admin import Admin
from recollect.core.clock import Clock
from recollect.faces.http.auth import LoginThrottle, Sessions, Tokens
from recollect.faces.http.write_health import WriteHealth
from recollect.memory import AsyncMemory

STREAMS = 32
"""Requests at once that stay open to be told what happens."""


@dataclass(frozen=True, slots=True)
class AppState:
    memory: AsyncMemory
    office: Admin
    tokens: Callable[[], Tokens]
    sessions: Sessions
    guesses: LoginThrottle
    clock: Clock
    run_worker: bool = False
    """Whether this process is to learn in the background, too."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is about to stop: what stays open ends then."""
    writing: WriteHealth = field(default_factory=WriteHealth)
    streams: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(STREAMS))


async def _house(request: Request) -> AppState:  # async: others would be called in a thread
    return request.app.state.house


AppStateDep = Annotated[AppState, Depends(_house)]
"""The type of a handler's parameter that gets the house."""
