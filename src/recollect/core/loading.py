"""Loading in a thread of what imports modules or reads large files. A fork waits for it: a child that inherits the lock
of a half-done import would wait for it forever.
"""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

R = TypeVar("R")

FORK_TIMEOUT_SECONDS = 30.0
"""How long a fork waits for one load; large packages take seconds to import on a busy machine."""

_beginning = threading.Lock()
"""Held while a load begins, and by a fork, so that none begins meanwhile."""
_loads: dict[threading.Lock, int] = {}
"""A lock for each load, held until it is done, and its thread."""


async def load_in_thread(load: Callable[[], R]) -> R:
    """The result of a function that runs in a thread."""
    return await asyncio.to_thread(_load, load)


def _load(load: Callable[[], R]) -> R:
    running = threading.Lock()
    running.acquire()
    with _beginning:
        _loads[running] = threading.get_ident()
    try:
        return load()
    finally:
        del _loads[running]
        running.release()


def _before_fork() -> None:
    _beginning.acquire()
    for running, thread in list(_loads.items()):
        if thread != threading.get_ident():
            running.acquire(timeout=FORK_TIMEOUT_SECONDS)


def _after_fork_in_child() -> None:
    _loads.clear()
    _beginning.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_beginning.release, after_in_child=_after_fork_in_child)
