"""What the requests of an app share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from recollect.admin import Office
from recollect.core.clock import Clock
from recollect.faces.http.auth import Guesses, Sessions, Tokens
from recollect.faces.http.write_health import Writing
from recollect.memory import Memory

STREAMS = 32
"""Requests at once that stay open to be told what happens."""


@dataclass(frozen=True, slots=True)
class House:
    memory: Memory
    office: Office
    tokens: Callable[[], Tokens]
    sessions: Sessions
    guesses: Guesses
    clock: Clock
    works: bool = False
    """Whether this process is to learn in the background, too."""
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is about to stop: what stays open ends then."""
    writing: Writing = field(default_factory=Writing)
    streams: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(STREAMS))


async def _house(request: Request) -> House:  # async: others would be called in a thread
    return request.app.state.house


In = Annotated[House, Depends(_house)]
"""The type of a handler's parameter that gets the house."""
