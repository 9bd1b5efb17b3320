"""The same client without `await`: it drives the asynchronous one on the loop of this process."""

from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import suppress
from typing import Any, Self, TypeVar

from recollect.client.asynchronous import Client
from recollect.core.background_loop import LOOP, blocking
from recollect.core.events import Event

R = TypeVar("R")


class SyncClient:
    """A client of one server for code without `await`, also inside a running loop such as a notebook's. Calls from
    several threads go on at the same time; use it as a context manager, or close it.
    """

    def __init__(self, url: str, token: str, *, timeout: float = 10.0, transport: Any = None) -> None:
        self.asynchronous = Client(url, token, timeout=timeout, transport=transport)
        """The client that does the work."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.run(self.asynchronous.close())

    def run(self, work: Coroutine[Any, Any, R], timeout: float | None = None) -> R:
        """Wait for a coroutine of `asynchronous`."""
        return LOOP.run(work, timeout)

    def follow(self, after: int | None = None) -> Iterator[Event]:
        """The log as it is written, until the server stops; resume with the id of the last event as `after`."""
        events = self.asynchronous.follow(after)
        with suppress(StopAsyncIteration):
            while True:
                yield self.run(_next(events))

    add = blocking(Client.add)
    add_many = blocking(Client.add_many)
    messages = blocking(Client.messages)
    message = blocking(Client.message)
    message_edited = blocking(Client.message_edited)
    message_deleted = blocking(Client.message_deleted)
    context = blocking(Client.context)
    search = blocking(Client.search)
    compare_rankers = blocking(Client.compare_rankers)
    remember = blocking(Client.remember)
    update = blocking(Client.update)
    forget = blocking(Client.forget)
    restore = blocking(Client.restore)
    pin = blocking(Client.pin)
    share = blocking(Client.share)
    merge = blocking(Client.merge)
    preview_relearning = blocking(Client.preview_relearning)
    relearn = blocking(Client.relearn)
    relearning = blocking(Client.relearning)
    undoable = blocking(Client.undoable)
    undo = blocking(Client.undo)
    redo = blocking(Client.redo)
    get = blocking(Client.get)
    list = blocking(Client.list)
    history = blocking(Client.history)
    why = blocking(Client.why)
    people = blocking(Client.people)
    guilds = blocking(Client.guilds)
    is_learning = blocking(Client.is_learning)
    pause = blocking(Client.pause)
    resume = blocking(Client.resume)
    sessions = blocking(Client.sessions)
    summary = blocking(Client.summary)
    summary_history = blocking(Client.summary_history)
    reset = blocking(Client.reset)
    jobs = blocking(Client.jobs)
    retry_jobs = blocking(Client.retry_jobs)
    drop_job = blocking(Client.drop_job)
    events = blocking(Client.events)
    stats = blocking(Client.stats)
    export = blocking(Client.export)
    preview_erasure = blocking(Client.preview_erasure)
    erase = blocking(Client.erase)


async def _next(events: AsyncIterator[Event]) -> Event:
    return await anext(events)
