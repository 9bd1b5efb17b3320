"""Long-running commands: `serve` for the pages, the API and background learning, `worker` for learning alone."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import AsyncGenerator, Awaitable, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import asdict
from subprocess import Popen
from threading import Timer
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.core.errors import BadInput, ConfigError, MissingExtra, RecollectError
from recollect.core.ports.jobs import JobState
from recollect.faces.cli.discord import MISSING_TOKEN, TOKEN_VARIABLE
from recollect.faces.cli.invocation import Invocation, warn
from recollect.faces.cli.log_format import LogFormat, write_log
from recollect.faces.cli.options import flag
from recollect.faces.http.sockets import address, listen_together
from recollect.memory import AsyncMemory
from recollect.settings import Loaded, Settings, secret
from recollect.settings.values import redacted

if TYPE_CHECKING:
    from recollect.faces.http.auth import Tokens

log = logging.getLogger("recollect")

HTTP_TOKEN_VARIABLE = "RECOLLECT_HTTP_TOKEN"  # noqa: S105 - the name of a variable
WATCH_INTERVAL_SECONDS = 1.0
"""How often the other processes are checked."""
REPORT_INTERVAL_SECONDS = 60.0
"""How often a worker logs its job counts, if they changed."""
SHUTDOWN_TIMEOUT_SECONDS = 14.0
"""From a signal to the end of the process."""
_JOB_STATES = {JobState.WAITING: "waiting", JobState.CLAIMED: "running", JobState.FAILED: "failed"}
_SIGNALS = (signal.SIGTERM, signal.SIGINT)

Logs = Annotated[
    LogFormat | None,
    typer.Option("--logs", metavar="FORM", help="plain or json; by default plain on a terminal.", show_default=False),
]


def serve(
    call: Invocation,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="Address to listen at; http.host by default.", show_default=False)
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT", min=0, max=65535, help="http.port by default; 0 takes a free one.", show_default=False
        ),
    ] = None,
    discord: Annotated[bool, flag("--discord", meaning="Also run the Discord bot in this process.")] = False,
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
        from recollect.faces.http import app  # noqa: F401 # pyright: ignore[reportUnusedImport] # is all there?
        from recollect.faces.http import serve as serving
    except ModuleNotFoundError as error:
        raise MissingExtra("the page with the API", "web") from error
    loaded = call.load()
    if tokens:
        _show_tokens(call, loaded.settings)
        return
    if call.options.json:
        raise BadInput("--json and serve don't go together; --logs json writes the log so")
    host = host or loaded.settings.http.host
    token_pair, is_new = serving.load_or_create_tokens(host, loaded.settings, secret(HTTP_TOKEN_VARIABLE))
    bot_token = _bot_token() if discord else None
    if inherited is None:
        listener, *others = listen_together(host, loaded.settings.http.port if port is None else port, processes)
        _print_address(address(listener), loaded.settings, token_pair if is_new else None)
    else:
        listener, others = socket.socket(fileno=inherited), []
    write_log(logs, call.options.debug)
    with _siblings(others) as siblings, serving.runner() as runner:
        runner.run(_serve(loaded, listener, host, not no_worker, bot_token, siblings, inherited is not None))


@contextmanager
def _siblings(listeners: Sequence[socket.socket]) -> Generator[list[Popen[bytes]]]:
    """Processes that answer requests on these sockets, with the arguments of this one, but without worker and bot."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--discord"]
    command = [sys.executable, "-m", "recollect", *arguments, "--no-worker", "--processes", "1", "--inherited"]
    # Opened by this process: all of them share one port, and a busy port is reported once.
    descriptors = [listener.fileno() for listener in listeners]
    started = [Popen([*command, str(fd)], pass_fds=[fd]) for fd in descriptors]  # noqa: S603 - this program
    try:
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


async def _watch_processes(siblings: Sequence[Popen[bytes]], stop: asyncio.Event, inherited: bool) -> None:
    """Wait for `stop`. When a sibling ends before, raise, so that the supervisor restarts all of them."""
    parent = os.getppid()
    while not stop.is_set():
        # A parent that was killed can't terminate its siblings; they notice by themselves.
        if inherited and os.getppid() != parent:
            raise RecollectError("the process that started this one has ended")
        if any(process.poll() is not None for process in siblings):
            raise RecollectError("a process that answers requests has ended; see its log")
        with suppress(TimeoutError):
            async with asyncio.timeout(WATCH_INTERVAL_SECONDS):
                await stop.wait()
    for process in siblings:
        process.terminate()  # they shut down in parallel with this process


def worker(call: Invocation, logs: Logs = None) -> None:
    """Learn in the background from messages that other processes add, until stopped."""
    if call.options.json:
        raise BadInput("--json and worker don't go together; --logs json writes the log so")
    loaded = call.load()
    write_log(logs, call.options.debug)
    print(
        f"recollect: learning from what others store in {redacted(loaded.settings.store)}; Ctrl-C ends it",
        file=sys.stderr,
    )

    async def run_worker() -> None:
        async with stopping() as stop, AsyncMemory.from_settings(loaded) as memory:
            await _report_jobs(memory, stop)

    asyncio.run(run_worker())


async def _serve(
    loaded: Loaded,
    listener: socket.socket,
    host: str,
    run_worker: bool,
    bot_token: str | None,
    siblings: Sequence[Popen[bytes]],
    inherited: bool,
) -> None:
    from recollect.faces.http import serve as serving
    from recollect.faces.http.app import create, mount
    from recollect.faces.http.auth import TokenFile
    from recollect.faces.http.middleware import MCP_PATH
    from recollect.faces.mcp.mounted import MountedServer

    tokens = TokenFile(loaded.settings.http.token_file, secret(HTTP_TOKEN_VARIABLE))
    async with AsyncExitStack() as closing:
        stop = await closing.enter_async_context(stopping())
        memory = await closing.enter_async_context(AsyncMemory.from_settings(loaded, run_worker=run_worker))
        names = serving.names_of(host, loaded.settings)
        app = create(memory, tokens, names=names, run_worker=run_worker)
        # Sessions live in one process, and the next request may reach another.
        is_one_of_several = bool(siblings) or inherited
        mcp = MountedServer(memory, app.state.recollect.admin.tokens, host, names, stateless=is_one_of_several)
        mount(app, MCP_PATH, mcp)
        closing.push_async_callback(mcp.close)
        gc.freeze()  # the modules loaded so far stay: the garbage collector need not scan them again
        tasks: list[Awaitable[None]] = [serving.serve(app, listener, stop), _watch_processes(siblings, stop, inherited)]
        if bot_token is not None:
            tasks.append(_run_bot(memory, loaded.settings, bot_token, stop))
        await _run_together(tasks, stop)


async def _run_together(tasks: list[Awaitable[None]], stop: asyncio.Event) -> None:
    """Await all tasks; when one ends or fails, the others are told to stop."""

    async def run(task: Awaitable[None]) -> None:
        try:
            await task
        finally:
            stop.set()

    # All are awaited, so that each shuts down in order; the first error is raised afterwards.
    results = await asyncio.gather(*(run(task) for task in tasks), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result


async def _run_bot(memory: AsyncMemory, settings: Settings, token: str, stop: asyncio.Event) -> None:
    """Run the Discord bot on this memory until `stop` is set."""
    from recollect.faces.discord import run
    from recollect.faces.discord.client import Client, required_intents

    run.configure_endpoints(settings)
    async with run.open_chat_model(settings) as speaker:
        bot = asyncio.ensure_future(
            run.run_with_retries(
                lambda intents: Client(memory, speaker, intents=intents), token, required_intents(settings)
            )
        )
        stopped = asyncio.ensure_future(stop.wait())
        await asyncio.wait({bot, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        bot.cancel()
        with suppress(asyncio.CancelledError):
            await bot


def _bot_token() -> str:
    try:
        from recollect.faces.discord import run
    except ModuleNotFoundError as error:
        raise MissingExtra("the Discord bot", "discord") from error
    del run  # only checked that it can be imported
    token = secret(TOKEN_VARIABLE)
    if token is None:
        raise ConfigError(MISSING_TOKEN)
    return token


@asynccontextmanager
async def stopping() -> AsyncGenerator[asyncio.Event]:
    """An event that is set by a signal to end; the body then has SHUTDOWN_TIMEOUT_SECONDS to finish."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    deadline = Timer(SHUTDOWN_TIMEOUT_SECONDS, _exit_now)
    deadline.daemon = True

    def on_signal() -> None:
        # Only the first signal starts the deadline.
        if not stop.is_set():
            log.info("asked to stop: shutting down")
            deadline.start()
        stop.set()

    for number in _SIGNALS:
        with suppress(NotImplementedError, RuntimeError):  # Windows: Ctrl-C raises there by itself
            loop.add_signal_handler(number, on_signal)
    try:
        yield stop
    finally:
        deadline.cancel()
        for number in _SIGNALS:
            with suppress(NotImplementedError, RuntimeError):
                loop.remove_signal_handler(number)


def _exit_now() -> None:
    """Exit without waiting for threads: one that waits for a database can't be interrupted."""
    log.warning("shutdown takes too long, as when the store is unavailable: exiting now; nothing acknowledged is lost")
    logging.shutdown()
    os._exit(0)


async def _report_jobs(memory: AsyncMemory, stop: asyncio.Event) -> None:
    """Log the job counts at once, and whenever they change."""
    last = ""
    while not stop.is_set():
        counts = await _describe_jobs(memory)
        if counts != last:
            log.info("jobs: %s", counts)
        last = counts
        with suppress(TimeoutError):
            async with asyncio.timeout(REPORT_INTERVAL_SECONDS):
                await stop.wait()


async def _describe_jobs(memory: AsyncMemory) -> str:
    try:
        counts = await memory.timeline.job_counts()
    except RecollectError as error:
        return f"they can't be read now ({error})"
    return ", ".join(f"{counts.get(state, 0)} {label}" for state, label in _JOB_STATES.items())


def _show_tokens(call: Invocation, settings: Settings) -> None:
    from recollect.faces.http.auth import load_tokens

    tokens, _ = load_tokens(settings.http.token_file, secret(HTTP_TOKEN_VARIABLE))
    if call.options.json:
        call.screen.data(asdict(tokens))
        return
    call.screen.say(f"operator  {tokens.operator}")
    call.screen.say(f"reader    {tokens.reader}")
    call.screen.say(f"metrics   {tokens.metrics}")


def _print_address(address: str, settings: Settings, new_tokens: "Tokens | None") -> None:
    """Print the address and where the tokens are; new tokens themselves once, on a terminal only."""
    from recollect.faces.http.serve import is_readable_by_others

    path = settings.http.token_file
    print(f"recollect: page and API at {address}", file=sys.stderr)
    print(f"recollect: MCP at {address}/mcp, for tokens of 'recollect tokens create --as USER'", file=sys.stderr)
    if new_tokens is not None and sys.stderr.isatty():
        print(f"recollect: sign in with the token {new_tokens.operator}", file=sys.stderr)
        print(f"recollect: it is kept in {path} and not shown again; 'recollect serve --tokens' does", file=sys.stderr)
    else:
        print(f"recollect: the tokens are in {path}; 'recollect serve --tokens' shows them", file=sys.stderr)
    if is_readable_by_others(path):
        warn(f"{path} can be read by other users of this machine: chmod 600 {path}")
    sys.stderr.flush()
