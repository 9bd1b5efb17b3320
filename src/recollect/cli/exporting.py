"""The command that hands out all that is known of a person or a guild, in a format of your choice."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

import typer

from recollect.cli.calls import Call
from recollect.cli.doctor import file_of
from recollect.errors import BadInput, StoreError
from recollect.exchange.clanker_writing import write_clanker
from recollect.exchange.devclaw_writing import write_devclaw
from recollect.exchange.discoclaw_writing import check_empty, write_discoclaw
from recollect.exchange.gather import gather
from recollect.exchange.jsonl_writing import Canonical, header, line
from recollect.files.exporting import durable, write_pages
from recollect.memory import Memory
from recollect.privacy import Target, encoded
from recollect.types import Memo, Message, Summary

Whose = Annotated[
    str | None, typer.Argument(metavar="USER", help="Whose traces; without one, all of the guild.", show_default=False)
]
InGuild = Annotated[
    str | None,
    typer.Option("--guild", metavar="GUILD", help="A guild: all of it, or what USER left there.", show_default=False),
]
Folders = Literal["pages", "discoclaw", "clanker", "devclaw"]


def export(
    call: Call,
    user: Whose = None,
    guild: InGuild = None,
    form: Annotated[
        Literal["json", "jsonl", "durable", "pages", "discoclaw", "clanker", "devclaw"],
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="json: all of it; jsonl: all that can be imported; durable: the memories as a file; pages, discoclaw, "
            "clanker, devclaw: as the files of a folder.",
        ),
    ] = "json",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="PATH", help="A new file, or an empty folder.", show_default=False)
    ] = None,
) -> None:
    """Hand out all that is known of a person or a guild."""
    target = Target(user, guild)
    require_store(call)
    match form:
        case "pages" | "discoclaw" | "clanker" | "devclaw":
            _export_folder(call, target, form, to)
        case "jsonl":
            _export_lines(call, target, to)
        case _:
            _export_document(call, target, form, to)


def _export_document(call: Call, target: Target, form: str, to: Path | None) -> None:
    data = call.run(lambda memory: _document(memory, target, form))
    if to is None:
        typer.echo(data, nl=False)
    else:
        write_new(to, data)
        _tell_written(call, to, len(data))


async def _document(memory: Memory, target: Target, form: str) -> bytes:
    if form == "durable":
        return durable(await memory.privacy.memos(target))
    return encoded(await memory.privacy.export(target))


def _export_lines(call: Call, target: Target, to: Path | None) -> None:
    """Line by line, so that it may be long."""
    if to is None:
        call.run(partial(_write_lines, target=target, write=lambda data: typer.echo(data, nl=False)))
        return
    with _new_file(to) as file:
        call.run(partial(_write_lines, target=target, write=file.write))
    _tell_written(call, to, to.stat().st_size)


async def _write_lines(memory: Memory, target: Target, write: Callable[[bytes], object]) -> None:
    write(header())
    async for one in gather(memory.store, target, await memory.privacy.memos(target)):
        write(line(one))


def _export_folder(call: Call, target: Target, form: Folders, to: Path | None) -> None:
    if to is None:
        raise BadInput(f"{form} needs a folder: add --to FOLDER")
    everything = call.run(partial(_gathered, target=target))
    try:
        written = _write_folder(form, everything, to)
    except OSError as error:
        raise StoreError(f"cannot write to {to}: {error.strerror}") from error
    _tell_written(call, to, sum(path.stat().st_size for path in written))


async def _gathered(memory: Memory, target: Target) -> list[Canonical]:
    return [one async for one in gather(memory.store, target, await memory.privacy.memos(target))]


def _write_folder(form: Folders, everything: Sequence[Canonical], to: Path) -> list[Path]:
    check_empty(to)
    memos = [one for one in everything if isinstance(one, Memo)]
    match form:
        case "pages":
            return write_pages(memos, to)
        case "discoclaw":
            return write_discoclaw(memos, [one for one in everything if isinstance(one, Summary)], to)
        case "clanker":
            return write_clanker(memos, [one for one in everything if isinstance(one, Message)], to)
        case "devclaw":
            pages = write_pages(memos, to / "memory")
            return [*write_devclaw(memos, to), *pages]


def _tell_written(call: Call, to: Path, size: int) -> None:
    if call.options.json:
        call.screen.data({"path": str(to), "bytes": size})
    else:
        call.screen.say(str(to))
        call.screen.aside(f"  {size:,} bytes")


def write_new(path: Path, data: bytes) -> None:
    """Write a file that nobody else may read; never overwrites."""
    with _new_file(path) as file:
        file.write(data)


@contextmanager
def _new_file(path: Path) -> Generator[BinaryIO]:
    """A file that nobody else may read, and that is there only when all of it is."""
    try:
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
    except FileExistsError as error:
        raise BadInput(f"{path} exists already; it is not overwritten") from error
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error
    try:
        with file:
            yield file
    except BaseException as error:
        path.unlink()
        if isinstance(error, OSError):
            raise StoreError(f"cannot write {path}: {error.strerror}") from error
        raise


def require_store(call: Call) -> None:
    path = file_of(call.load("null").settings.store)
    if path is not None and not path.exists():
        raise StoreError(f"there is no store at {path} yet; the first memory makes it")
