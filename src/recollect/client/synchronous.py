"""The same client without `await`: it drives the asynchronous one on the loop of this process."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from recollect.client.asynchronous import Client
from recollect.core.background_loop import LOOP
from recollect.core.events import Event

P = ParamSpec("P")
R = TypeVar("R")


def _blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate["SyncClient", P], R]:
    @wraps(method)
    def call(self: "SyncClient", *args: P.args, **options: P.kwargs) -> R:
        return self.run(method(self.asynchronous, *args, **options))

    return call


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

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Wait for a coroutine of `asynchronous`."""
        return LOOP.run(work)

    def follow(self, after: int | None = None) -> Iterator[Event]:
        """The log as it is written, until the server stops; resume with the id of the last event as `after`."""
        events = self.asynchronous.follow(after)
        with suppress(StopAsyncIteration):
            while True:
                yield self.run(_next(events))

    add = _blocking(Client.add)
    add_many = _blocking(Client.add_many)
    messages = _blocking(Client.messages)
    message = _blocking(Client.message)
    message_edited = _blocking(Client.message_edited)
    message_deleted = _blocking(Client.message_deleted)
    context = _blocking(Client.context)
    search = _blocking(Client.search)
    compare_rankers = _blocking(Client.compare_rankers)
    remember = _blocking(Client.remember)
    update = _blocking(Client.update)
    forget = _blocking(Client.forget)
    restore = _blocking(Client.restore)
    pin = _blocking(Client.pin)
    share = _blocking(Client.share)
    merge = _blocking(Client.merge)
    preview_relearning = _blocking(Client.preview_relearning)
    relearn = _blocking(Client.relearn)
    relearning = _blocking(Client.relearning)
    undoable = _blocking(Client.undoable)
    undo = _blocking(Client.undo)
    redo = _blocking(Client.redo)
    get = _blocking(Client.get)
    list = _blocking(Client.list)
    history = _blocking(Client.history)
    why = _blocking(Client.why)
    people = _blocking(Client.people)
    guilds = _blocking(Client.guilds)
    is_learning = _blocking(Client.is_learning)
    pause = _blocking(Client.pause)
    resume = _blocking(Client.resume)
    sessions = _blocking(Client.sessions)
    summary = _blocking(Client.summary)
    summary_history = _blocking(Client.summary_history)
    reset = _blocking(Client.reset)
    jobs = _blocking(Client.jobs)
    retry_jobs = _blocking(Client.retry_jobs)
    drop_job = _blocking(Client.drop_job)
    events = _blocking(Client.events)
    stats = _blocking(Client.stats)
    export = _blocking(Client.export)
    preview_erasure = _blocking(Client.preview_erasure)
    erase = _blocking(Client.erase)


async def _next(events: AsyncIterator[Event]) -> Event:
    return await anext(events)
