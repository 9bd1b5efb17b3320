"""The twin of a `View`, without `await`: `memory.view("ada").add("I live in Lisbon")`."""

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from recollect.core.background_loop import blocking
from recollect.view import View

R = TypeVar("R")


class Run(Protocol):
    def __call__(self, work: Coroutine[Any, Any, R], timeout: float | None = None) -> R: ...


class BlockingView:
    """What someone may see and do in a place: the verbs of `Memory`, with user and place filled in."""

    def __init__(self, view: View, run: Run) -> None:
        self.asynchronous = view
        """The view that does the work."""
        self.run = run

    def __repr__(self) -> str:
        return f"<memory of {self.asynchronous.user!r} in {self.asynchronous.place.session}>"

    add = blocking(View.add)
    remember = blocking(View.remember)
    remember_all = blocking(View.remember_all)
    search = blocking(View.search)
    context = blocking(View.context)
    show = blocking(View.show)
    list = blocking(View.list)
    find = blocking(View.find)
    get = blocking(View.get)
    update = blocking(View.update)
    forget = blocking(View.forget)
    forget_all = blocking(View.forget_all)
    withdraw = blocking(View.withdraw)
    forgotten = blocking(View.forgotten)
    restore = blocking(View.restore)
    undo = blocking(View.undo)
    undoable = blocking(View.undoable)
    redo = blocking(View.redo)
    history = blocking(View.history)
    why = blocking(View.why)
    pin = blocking(View.pin)
    share = blocking(View.share)
    note = blocking(View.note)
    flush = blocking(View.flush)
    reset = blocking(View.reset)
    pause_learning = blocking(View.pause_learning)
    resume_learning = blocking(View.resume_learning)
    is_learning_paused = blocking(View.is_learning_paused)
    consolidate = blocking(View.consolidate)
    relearn = blocking(View.relearn)
    preview_erasure = blocking(View.preview_erasure)
    erase = blocking(View.erase)
    export = blocking(View.export)
