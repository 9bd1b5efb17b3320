"""Commands that keep running: `serve` for the page, the API and learning behind them, `worker` for learning alone."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Awaitable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from subprocess import Popen
from threading import Timer
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.core.errors import BadInput, ConfigError, MissingExtra, RecollectError
from recollect.core.ports.jobs import JobState
from recollect.faces.cli.discord import NO_TOKEN, TOKEN
from recollect.faces.cli.invocation import Invocation, warn
from recollect.faces.cli.log_format import Form, write_log
from recollect.faces.cli.options import flag
from recollect.faces.http.sockets import address, listen_together
from recollect.memory import AsyncMemory
from recollect.settings import Loaded, Settings, secret
from recollect.settings.values import redacted

if TYPE_CHECKING:
    from recollect.faces.http.auth import Tokens

log = logging.getLogger("recollect")

WEB_TOKEN = "RECOLLECT_HTTP_TOKEN"  # noqa: S105 - the name of a variable
WATCH = 1.0
"""Seconds between two looks whether the other processes are there."""
REPORT = 60.0
"""Seconds between two lines on how a worker is doing."""
LAST = 14.0
"""Seconds from a signal to the end, at the most."""
_WORDS = {JobState.WAITING: "waiting", JobState.CLAIMED: "running", JobState.FAILED: "put aside"}
_SIGNALS = (signal.SIGTERM, signal.SIGINT)

Logs = Annotated[
    Form | None,
    typer.Option("--logs", metavar="FORM", help="plain or json; unless said, plain on a terminal.", show_default=False),
]


def serve(
    call: Invocation,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="Address to listen at; web.host unless said.", show_default=False)
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=0, max=65535, help="web.port unless said; 0 takes a free one.", show_default=False
        ),
    ] = None,
    discord: Annotated[bool, flag("--discord", meaning="Be the Discord bot, too, in the same process.")] = False,
    no_worker: Annotated[bool, flag("--no-worker", meaning="Leave learning to 'recollect worker'.")] = False,
    processes: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Processes that answer requests; one of them learns.")
    ] = 1,
    inherited: Annotated[int | None, typer.Option("--inherited", hidden=True)] = None,
    tokens: Annotated[bool, flag("--tokens", meaning="Print the tokens, and serve nothing.")] = False,
    logs: Logs = None,
) -> None:
    """Serve the operator's page and the REST API, and learn in the background."""
    try:
        from recollect.faces.http import serve as serving
    except ModuleNotFoundError as error:
        raise MissingExtra("the page and the API", "web") from error
    loaded = call.load()
    if tokens:
        _show_tokens(call, loaded.settings)
        return
    if call.options.json:
        raise BadInput("--json and serve don't go together; --logs json writes the log so")
    at = host or loaded.settings.http.host
    found, made = serving.admit(at, loaded.settings, secret(WEB_TOKEN))
    bot_token = _bot_token() if discord else None
    if inherited is None:
        listener, *others = listen_together(at, loaded.settings.http.port if port is None else port, processes)
        _tell(address(listener), loaded.settings, found if made else None)
    else:
        listener, others = socket.socket(fileno=inherited), []
    write_log(logs, call.options.debug)
    with _siblings(others) as siblings, serving.runner() as runner:
        runner.run(_serving(loaded, listener, at, not no_worker, bot_token, siblings, inherited is not None))


@contextmanager
def _siblings(listeners: Sequence[socket.socket]) -> Generator[list[Popen[bytes]]]:
    """Other processes that answer requests at these sockets, started as we were; they neither learn nor chat."""
    given = [word for word in sys.argv[1:] if word != "--discord"]
    command = [sys.executable, "-m", "recollect", *given, "--no-worker", "--processes", "1", "--inherited"]
    numbers = [listener.fileno() for listener in listeners]
    started = [Popen([*command, str(number)], pass_fds=[number]) for number in numbers]  # noqa: S603 - ourselves
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


async def _watching(siblings: Sequence[Popen[bytes]], stop: asyncio.Event, inherited: bool) -> None:
    """Wait until it is time to stop; when a sibling ends before, so do we, and whoever started us starts all anew."""
    parent = os.getppid()
    while not stop.is_set():
        if inherited and os.getppid() != parent:
            raise RecollectError("the process that started this one has ended")
        if any(process.poll() is not None for process in siblings):
            raise RecollectError("a process that answers requests has ended; see its log")
        with suppress(TimeoutError):
            async with asyncio.timeout(WATCH):
                await stop.wait()
    for process in siblings:
        process.terminate()  # they close while we do


def worker(call: Invocation, logs: Logs = None) -> None:
    """Learn in the background from what other processes take in, until stopped."""
    if call.options.json:
        raise BadInput("--json and worker don't go together; --logs json writes the log so")
    loaded = call.load()
    write_log(logs, call.options.debug)
    print(
        f"recollect: learning from what others take into {redacted(loaded.settings.store)}; Ctrl-C ends it",
        file=sys.stderr,
    )

    async def working() -> None:
        async with stopping() as stop, AsyncMemory.from_settings(loaded) as memory:
            await _reporting(memory, stop)

    asyncio.run(working())


async def _serving(
    loaded: Loaded,
    listener: socket.socket,
    host: str,
    run_worker: bool,
    bot_token: str | None,
    siblings: Sequence[Popen[bytes]],
    inherited: bool,
) -> None:
    from recollect.faces.http import serve as serving
    from recollect.faces.http.app import create
    from recollect.faces.http.auth import TokenFile

    tokens = TokenFile(loaded.settings.http.token_file, secret(WEB_TOKEN))
    async with AsyncExitStack() as closing:
        stop = await closing.enter_async_context(stopping())
        memory = await closing.enter_async_context(AsyncMemory.from_settings(loaded, run_worker=run_worker))
        app = create(memory, tokens, names=serving.names_of(host, loaded.settings), run_worker=run_worker)
        gc.freeze()  # what is there by now stays, and need not be looked through for garbage ever again
        tasks: list[Awaitable[None]] = [serving.serve(app, listener, stop), _watching(siblings, stop, inherited)]
        if bot_token is not None:
            tasks.append(_bot(memory, loaded.settings, bot_token, stop))
        await _together(tasks, stop)


async def _together(work: list[Awaitable[None]], stop: asyncio.Event) -> None:
    """Do all of it; when one part ends or fails, the others are told to stop."""

    async def part(one: Awaitable[None]) -> None:
        try:
            await one
        finally:
            stop.set()

    done = await asyncio.gather(*(part(one) for one in work), return_exceptions=True)
    for outcome in done:
        if isinstance(outcome, BaseException):
            raise outcome


async def _bot(memory: AsyncMemory, settings: Settings, token: str, stop: asyncio.Event) -> None:
    """The Discord bot on this memory, until told to stop."""
    from recollect.faces.discord import run
    from recollect.faces.discord.client import Client, wanted_intents

    run.use_addresses(settings)
    async with run.speaking(settings) as speaker:
        keeping = asyncio.ensure_future(
            run.keep_up(lambda intents: Client(memory, speaker, intents=intents), token, wanted_intents(settings))
        )
        ending = asyncio.ensure_future(stop.wait())
        await asyncio.wait({keeping, ending}, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping


def _bot_token() -> str:
    try:
        from recollect.faces.discord import run
    except ModuleNotFoundError as error:
        raise MissingExtra("the Discord bot", "discord") from error
    del run  # it can be imported: that is all
    token = secret(TOKEN)
    if token is None:
        raise ConfigError(NO_TOKEN)
    return token


@asynccontextmanager
async def stopping() -> AsyncGenerator[asyncio.Event]:
    """An event that is set when the process is asked to end; whatever goes on inside this gets LAST seconds then."""
    loop, stop, last = asyncio.get_running_loop(), asyncio.Event(), Timer(LAST, _leave)
    last.daemon = True

    def end() -> None:
        if not stop.is_set():
            log.info("asked to stop: everything is closed in good order")
            last.start()
        stop.set()

    for each in _SIGNALS:
        with suppress(NotImplementedError, RuntimeError):  # Windows: Ctrl-C raises there by itself
            loop.add_signal_handler(each, end)
    try:
        yield stop
    finally:
        last.cancel()
        for each in _SIGNALS:
            with suppress(NotImplementedError, RuntimeError):
                loop.remove_signal_handler(each)


def _leave() -> None:
    """End now. Threads that wait for a database can't be told to stop, and Python would wait for them."""
    log.warning("closing takes too long, as when the store is away: it ends here; nothing acknowledged is lost")
    logging.shutdown()
    os._exit(0)


async def _reporting(memory: AsyncMemory, stop: asyncio.Event) -> None:
    """Say how it is going: at once, and then as long as it changes."""
    last = ""
    while not stop.is_set():
        told = await _jobs(memory)
        if told != last:
            log.info("jobs: %s", told)
        last = told
        with suppress(TimeoutError):
            async with asyncio.timeout(REPORT):
                await stop.wait()


async def _jobs(memory: AsyncMemory) -> str:
    try:
        counts = await memory.store.read(lambda tx: tx.jobs.counts())
    except RecollectError as error:
        return f"they can't be looked at now ({error})"
    return ", ".join(f"{counts.get(state, 0)} {word}" for state, word in _WORDS.items())


def _show_tokens(call: Invocation, settings: Settings) -> None:
    from recollect.faces.http.auth import load_tokens

    found, _ = load_tokens(settings.http.token_file, secret(WEB_TOKEN))
    if call.options.json:
        call.screen.data({"operator": found.operator, "reader": found.reader})
        return
    call.screen.say(f"operator  {found.operator}")
    call.screen.say(f"reader    {found.reader}")


def _tell(address: str, settings: Settings, fresh: "Tokens | None") -> None:
    """Where it is, and where the token is: the token itself once, to whoever sits before the terminal."""
    from recollect.faces.http.serve import is_readable_by_others

    path = settings.http.token_file
    print(f"recollect: page and API at {address}", file=sys.stderr)
    if fresh is not None and sys.stderr.isatty():
        print(f"recollect: sign in with the token {fresh.operator}", file=sys.stderr)
        print(f"recollect: it is kept in {path} and not shown again; 'recollect serve --tokens' does", file=sys.stderr)
    else:
        print(f"recollect: the tokens are in {path}; 'recollect serve --tokens' shows them", file=sys.stderr)
    if is_readable_by_others(path):
        warn(f"{path} can be read by other users of this machine: chmod 600 {path}")
    sys.stderr.flush()
