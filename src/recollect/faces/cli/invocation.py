"""One call of the command line: who speaks where, with which settings; and what becomes of errors."""

import asyncio
import inspect
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import typer

from recollect.core.errors import BadInput, RecollectError, UnknownMemo
from recollect.core.types import Place
from recollect.faces.cli import places
from recollect.faces.cli.options import WHO_AND_WHERE, Options
from recollect.faces.cli.output import Screen, safe
from recollect.memory import AsyncMemory
from recollect.settings import Loaded, load

P = ParamSpec("P")
T = TypeVar("T")

BROKEN, USAGE, NO_MATCH, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: something is broken, was called wrongly, or nothing (or too much) matched."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a command needs to know, whatever it does."""

    options: Options

    @property
    def screen(self) -> Screen:
        return Screen(self.options.json)

    @property
    def user(self) -> str:
        name = "me" if self.options.speaker is None else self.options.speaker.strip()
        if not name:
            raise BadInput("--as needs a name")
        return name

    @property
    def place(self) -> Place:
        said = "dm" if self.options.place is None else self.options.place
        return places.parse(said, self.user, self.options.restricted)

    @property
    def asks(self) -> bool:
        """Whether there is someone to answer a question."""
        return self.screen.is_terminal and sys.stdin.isatty()

    def load(self, embedder: str | None = None, **more: Any) -> Loaded:
        said = self.options
        where = {"store": said.store, "data_dir": said.data_dir, "profile": said.profile}
        return load(file=said.config, **where, embedder=embedder, **more)

    def run(self, work: Callable[[AsyncMemory], Awaitable[T]], *, embeds: bool = False, run_worker: bool = False) -> T:
        """Open the memory, do the work, close it. What neither searches nor writes texts needs no vectors;
        what says nothing new leaves learning to others, unless it runs the worker.
        """
        loaded = self.load(None if embeds else "null")

        async def opened() -> T:
            async with AsyncMemory.from_settings(loaded, run_worker=run_worker) as memory:
                return await work(memory)

        return asyncio.run(opened())


def command(function: Callable[Concatenate[Invocation, P], None], *, speaks: bool = True) -> Callable[..., None]:
    """A function of a call as a command."""

    @wraps(function)
    def command(context: typer.Context, options: Options, *given: P.args, **named: P.kwargs) -> None:
        del context
        function(Invocation(options), *given, **named)

    own = list(inspect.signature(function).parameters.values())[1:]
    return with_options(command, own, speaks=speaks)


def with_options(
    function: Callable[..., None], own: Sequence[inspect.Parameter], *, speaks: bool = True
) -> Callable[..., None]:
    """The function with the common options beside its own, and errors as one line and an exit code."""
    common = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(Options).parameters.items()
        if speaks or name not in WHO_AND_WHERE
    ]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)

    @wraps(function)
    def command(context: typer.Context, **given: Any) -> None:
        said = {field.name: given.pop(field.name) for field in fields(Options) if field.name in given}
        options = Options(**said).over(context.obj or Options())
        reported(options, lambda: function(context, options, **given))

    command.__signature__ = inspect.Signature([context, *own, *common])  # pyright: ignore[reportAttributeAccessIssue] typer reads it
    return command


def reported(options: Options, work: Callable[[], None]) -> None:
    """Do the work; say in one line what went wrong, if something did."""
    if options.debug:
        logging.getLogger("recollect").setLevel(logging.DEBUG)
    try:
        work()
        sys.stdout.flush()
    except RecollectError as error:
        if options.debug:
            raise
        fail(str(error), code_of(error))
    except BrokenPipeError:
        let_go_of_output()
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def code_of(error: RecollectError) -> int:
    match error:
        case UnknownMemo():
            return NO_MATCH
        case BadInput():
            return USAGE
        case _:
            return BROKEN


def fail(message: str, code: int) -> NoReturn:
    for line in message.splitlines():
        print(f"recollect: {safe(line)}", file=sys.stderr)
    raise typer.Exit(code)


def let_go_of_output() -> None:
    """Nobody reads any more: what is still buffered must not raise again when Python ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(message: str) -> None:
    print(f"recollect: warning: {safe(' '.join(message.split()))}", file=sys.stderr)


class Once(logging.Handler):
    """Prints each message of the log once, as one line on the error stream."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = " ".join(record.getMessage().split())
        if message not in self.said:
            self.said.add(message)
            print(f"recollect: {record.levelname.lower()}: {safe(message)}", file=sys.stderr)
