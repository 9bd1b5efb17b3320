"""The command `export`: all data about a person or a guild, in a format of choice."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from recollect import plugins
from recollect.admin import Admin
from recollect.admin.names import require_single
from recollect.core.clock import now
from recollect.core.errors import BadInput, StoreError
from recollect.core.ports.format import ExportRecords, Vectors, WritesFolder, WritesLines
from recollect.core.types import Memo, Message, Status, Summary
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail, warn
from recollect.faces.cli.output import safe
from recollect.memory import AsyncMemory
from recollect.policy.visibility import VisibilityPolicy
from recollect.privacy.export import encode
from recollect.privacy.target import ErasureTarget
from recollect.transfer.exporting import check_empty
from recollect.transfer.mirror.export import PageFolder, durable
from recollect.transfers import export_records, export_vectors

UserArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="USER",
        help="Whose traces, by id or name; who speaks by default, with --guild all of it.",
        show_default=False,
    ),
]
GuildOption = Annotated[
    str | None,
    typer.Option("--guild", metavar="GUILD", help="A guild: all of it, or what USER left there.", show_default=False),
]
FILE_SUFFIXES = frozenset({".json", ".jsonl", ".md", ".txt", ".zip"})
FOLDER_FORMATS: dict[str, WritesFolder] = {
    form.name: form for form in (PageFolder(), *plugins.load_all("formats")) if isinstance(form, WritesFolder)
}
_DOCUMENT_SECTIONS = ("memos", "summaries", "exchanges", "events", "messages")
"""The lists in an exported document."""
_FILE_FORMATS = ("json", "jsonl", "durable")


def export(
    call: Invocation,
    user: UserArgument = None,
    guild: GuildOption = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="jsonl: what import takes; json: all of it, as one document; durable: the memories as a file; "
            f"{', '.join(FOLDER_FORMATS)}: as the files of a folder.",
        ),
    ] = "jsonl",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="PATH", help="A new file, or an empty folder.", show_default=False)
    ] = None,
) -> None:
    """Export everything about a person or a guild, in a form that import takes."""
    target = find_target(call, user, guild)
    if form in FOLDER_FORMATS:
        _export_folder(call, target, FOLDER_FORMATS[form], to)
    elif form == "jsonl":
        _export_lines(call, target, to)
    elif form in _FILE_FORMATS:
        _export_document(call, target, form, to)
    else:
        raise BadInput(f"there is no format {form!r}; there are {', '.join((*_FILE_FORMATS, *FOLDER_FORMATS))}")


def _export_document(call: Invocation, target: ErasureTarget, form: str, to: Path | None) -> None:
    data, is_empty = call.run(lambda memory: _document(memory, target, form))
    _warn_if_empty(target, is_empty)
    if to is None:
        typer.echo(data, nl=False)
    else:
        write_new(to, data)
        _print_written(call, to, len(data))


async def _document(memory: AsyncMemory, target: ErasureTarget, form: str) -> tuple[bytes, bool]:
    """The bytes, and whether there is no data in them."""
    if form == "durable":
        memos = await memory.privacy.memos(target)
        return durable(memos), not _not_deleted(memos)
    document = await memory.privacy.export(target)
    return encode(document), not any(document[part] for part in _DOCUMENT_SECTIONS)


def _export_lines(call: Invocation, target: ErasureTarget, to: Path | None) -> None:
    """Streamed line by line, as it may be large."""
    if to is None:
        written = call.run(partial(_write_lines, target=target, write=lambda data: typer.echo(data, nl=False)))
        _warn_if_empty(target, not written)
        return
    with _new_file(to) as file:
        written = call.run(partial(_write_lines, target=target, write=file.write))
    _warn_if_empty(target, not written)
    _print_written(call, to, to.stat().st_size)


async def _write_lines(memory: AsyncMemory, target: ErasureTarget, write: Callable[[bytes], object]) -> int:
    """Write all records; returns how many."""
    form: WritesLines = plugins.load("formats", "jsonl")
    write(form.header())
    count, shared = 0, memory.settings.visibility != VisibilityPolicy.USER_GLOBAL
    async for record in export_records(memory.engine, target):
        write(form.line(record, shared=shared))
        count += 1
    return count


def _export_folder(call: Invocation, target: ErasureTarget, form: WritesFolder, to: Path | None) -> None:
    if to is None:
        raise BadInput(f"{form.name} needs a folder: add --to FOLDER")
    check_empty(to)
    records = call.run(partial(_records, target=target, form=form))
    memo_count, left_out = len(_not_deleted(records.memos)), form.left_out(records.memos)
    if memo_count == left_out and not records.summaries and not records.messages:
        without_place = f"{_describe_left_out(memo_count, form)}: nothing is written"
        fail(without_place if memo_count else _nothing_known(target), NO_MATCH)
    try:
        written = form.write(records, to)
    except OSError as error:
        raise StoreError(f"cannot write to {to}: {error.strerror}") from error
    size = sum(path.stat().st_size for path in written)
    _print_written(call, to, size, memories=memo_count - left_out, left_out=left_out)
    if left_out and not call.options.json:
        call.screen.say(f"{_describe_left_out(left_out, form)}; --format jsonl keeps all")


async def _records(memory: AsyncMemory, target: ErasureTarget, form: WritesFolder) -> ExportRecords:
    """The records that the format can hold."""
    everything = [record async for record in export_records(memory.engine, target)]
    memos = [record for record in everything if isinstance(record, Memo)]
    return ExportRecords(
        memos,
        [record for record in everything if isinstance(record, Summary)] if "summaries" in form.writes else (),
        [record for record in everything if isinstance(record, Message)] if "messages" in form.writes else (),
        await export_vectors(memory.engine, memos) if "vectors" in form.writes else Vectors(),
    )


def _not_deleted(memos: Sequence[Memo]) -> list[Memo]:
    return [memo for memo in memos if memo.status is not Status.DELETED]


def _nothing_known(target: ErasureTarget) -> str:
    return f"nothing is known of {target}"


def _warn_if_empty(target: ErasureTarget, is_empty: bool) -> None:
    """An empty document is valid, but the user should not have to open it to see that it is empty."""
    if is_empty:
        warn(_nothing_known(target))


def _describe_left_out(count: int, form: WritesFolder) -> str:
    return f"{count:,} {'memory has' if count == 1 else 'memories have'} no place in {form.name}"


def _print_written(call: Invocation, to: Path, size: int, **counts: int) -> None:
    if call.options.json:
        call.screen.data({"path": str(to), "bytes": size, **counts})
    else:
        call.screen.say(str(to))
        call.screen.aside(f"  {size:,} bytes")


def write_new(path: Path, data: bytes) -> None:
    """Write a private file; never overwrites."""
    with _new_file(path) as file:
        file.write(data)


@contextmanager
def _new_file(path: Path) -> Generator[BinaryIO]:
    """A new private file, removed again if writing fails."""
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


def find_target(call: Invocation, user: str | None, guild: str | None, *, changes: bool = False) -> ErasureTarget:
    """The target of an export or erasure; a person is found by id or by name. What erases has to name the platform."""
    call.require_store()
    if user is None and guild is not None:
        return ErasureTarget(None, guild)
    user = user or call.user
    if changes:
        call.run(lambda memory: Admin(memory, now).resolve(user, changes=True))
    person = call.run(lambda memory: Admin(memory, now).match_name(user))
    if not person.is_known and Path(user).suffix in FILE_SUFFIXES:
        raise BadInput(f"nobody is called {user}; a file to write is named by --to {user}")
    if person.suggestions:
        near = ", ".join(f"{name} ({user_id})" if name else user_id for user_id, name in person.suggestions.items())
        warn(f"nobody is known by the id or name {user}; did you mean {near}?")
    elif person.is_known and person.id != user:
        typer.echo(safe(f"recollect: {user} is user {person.id}"), err=True)
    return ErasureTarget(require_single(person), guild)
