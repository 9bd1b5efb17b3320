"""What the requests of an app share."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from recollect.clock import Clock
from recollect.memory import Memory
from recollect.office import Office
from recollect.web.access import Guesses, Sessions, Tokens


@dataclass(frozen=True, slots=True)
class House:
    memory: Memory
    office: Office
    tokens: Tokens
    sessions: Sessions
    guesses: Guesses
    clock: Clock


def _house(request: Request) -> House:
    return request.app.state.house


In = Annotated[House, Depends(_house)]
"""The type of a handler's parameter that gets the house."""
