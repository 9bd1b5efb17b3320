"""One invocation of the command line: the speaker, the place, the settings; and how errors are reported."""

import asyncio
import inspect
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, NoReturn, ParamSpec, TypeVar, get_args

import typer

from recollect.core.errors import BadInput, RecollectError, StoreError, UnknownMemo
from recollect.core.types import Place
from recollect.faces.cli import places
from recollect.faces.cli.options import INSTALLATION_OPTIONS, SPEAKER_OPTIONS, Options
from recollect.faces.cli.output import Screen, safe
from recollect.policy.redaction import redact

if TYPE_CHECKING:
    from recollect.memory import AsyncMemory
    from recollect.settings import Loaded

P = ParamSpec("P")
T = TypeVar("T")

FAILED, USAGE, NO_MATCH, INTERRUPTED = 1, 2, 3, 130
"""Exit codes: something failed, wrong usage, nothing (or too much) matched, interrupted."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """The context of every command."""

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
        place = "dm" if self.options.place is None else self.options.place
        return places.parse(place, self.user, self.options.restricted)

    @property
    def where(self) -> Place | None:
        """The place that was named; None for the person's DM on their platform."""
        return None if self.place.dm is not None else self.place

    @property
    def is_interactive(self) -> bool:
        """Whether a person at a terminal can answer questions."""
        return self.screen.is_terminal and sys.stdin.isatty()

    def load(self, embedder: str | None = None, **more: Any) -> "Loaded":
        from recollect.settings import load

        options = self.options
        overrides = {"store": options.store, "data_dir": options.data_dir, "profile": options.profile}
        return load(file=options.config, **overrides, embedder=embedder, **more)

    def look(self, work: "Callable[[AsyncMemory], Awaitable[T]]", *, embeds: bool = False) -> T:
        """`run` for commands that only read: a named store that does not exist is an error."""
        if self.options.store is not None:
            self.require_store()
        return self.run(work, embeds=embeds)

    def require_store(self) -> None:
        """Raises StoreError where there is no store yet."""
        from recollect.settings.wiring import file_of
        from recollect.workspace.disk import is_missing

        path = file_of(self.load("null").settings.store)
        if path is not None and is_missing(path):
            raise StoreError(f"there is no store at {path} yet; the first memory creates it")

    def run(
        self, work: "Callable[[AsyncMemory], Awaitable[T]]", *, embeds: bool = False, run_worker: bool = False
    ) -> T:
        """Open the memory, do the work, close it. `embeds` is for commands that search or write texts, `run_worker`
        for those that wait for what is learned.
        """
        from recollect.memory import AsyncMemory

        loaded = self.load(None if embeds else "null")

        async def run_opened() -> T:
            async with AsyncMemory.from_settings(loaded, run_worker=run_worker) as memory:
                return await work(memory)

        return asyncio.run(run_opened())


def command(
    function: Callable[Concatenate[Invocation, P], None], *, speaks: bool = True, tells_json: bool = True
) -> Callable[..., None]:
    """A function of an invocation as a typer command.

    Its help shows only the options that affect it: `speaks` adds those about the speaker, `tells_json` adds `--json`.
    Options about the installation are in the help of the program.
    """

    @wraps(function)
    def run(context: typer.Context, options: Options, *args: P.args, **kwargs: P.kwargs) -> None:
        del context
        function(Invocation(options), *args, **kwargs)

    parameters = list(inspect.signature(function).parameters.values())[1:]
    left_out = frozenset[str]() if speaks else SPEAKER_OPTIONS
    hidden = INSTALLATION_OPTIONS if tells_json else INSTALLATION_OPTIONS | {"json"}
    return with_options(run, parameters, left_out=left_out, hidden=hidden)


def with_options(
    function: Callable[..., None],
    parameters: Sequence[inspect.Parameter],
    *,
    left_out: frozenset[str] = frozenset(),
    hidden: frozenset[str] = frozenset(),
) -> Callable[..., None]:
    """The function with the common options added, reporting errors as one line and an exit code."""
    common = [
        (_hidden(option) if name in hidden else option).replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, option in inspect.signature(Options).parameters.items()
        if name not in left_out
    ]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)

    @wraps(function)
    def run(context: typer.Context, **arguments: Any) -> None:
        values = {field.name: arguments.pop(field.name) for field in fields(Options) if field.name in arguments}
        options = Options(**values).with_defaults(context.obj or Options())
        run_reporting_errors(options, lambda: function(context, options, **arguments))

    run.__signature__ = inspect.Signature([context, *parameters, *common])  # pyright: ignore[reportAttributeAccessIssue] typer reads it
    return run


def _hidden(option: inspect.Parameter) -> inspect.Parameter:
    """An option that is accepted, but not shown in the help."""
    kind, info = get_args(option.annotation)
    silent = copy(info)
    silent.hidden = True
    return option.replace(annotation=Annotated[kind, silent])


def run_reporting_errors(options: Options, work: Callable[[], object]) -> None:
    """Do the work; on an error print one line and exit with its code."""
    if options.debug:
        logging.getLogger("recollect").setLevel(logging.DEBUG)
    try:
        work()
        sys.stdout.flush()
    except RecollectError as error:
        if options.debug:
            raise
        fail(str(error), exit_code(error))
    except BrokenPipeError:
        discard_output()
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except OSError as error:  # whatever file a command needs, its name and the reason are the answer
        if options.debug or error.filename is None:
            raise
        fail(f"cannot use {os.fsdecode(error.filename)}: {error.strerror}", FAILED)


def exit_code(error: RecollectError) -> int:
    match error:
        case UnknownMemo():
            return NO_MATCH
        case BadInput():
            return USAGE
        case _:
            return FAILED


def fail(message: str, code: int) -> NoReturn:
    for line in message.splitlines():
        print(f"recollect: {safe(line)}", file=sys.stderr)
    raise typer.Exit(code)


def discard_output() -> None:
    """The reader of the pipe is gone: flushing the buffers must not raise at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(message: str) -> None:
    print(f"recollect: warning: {safe(' '.join(message.split()))}", file=sys.stderr)


class PrintOnceHandler(logging.Handler):
    """Prints each distinct log message once, as one line on the error stream."""

    def __init__(self) -> None:
        super().__init__()
        self._printed: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = " ".join(redact(record.getMessage()).text.split())
        if message not in self._printed:
            self._printed.add(message)
            print(f"recollect: {record.levelname.lower()}: {safe(message)}", file=sys.stderr)
