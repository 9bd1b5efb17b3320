"""Commands about all that is known of a person or a guild: take it out for good, or hand it out."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import typer

from recollect.cli.calls import BROKEN, NO_MATCH, Call, fail, warn
from recollect.cli.doctor import file_of
from recollect.cli.inputs import answer
from recollect.cli.options import flag
from recollect.errors import BadInput, StoreError
from recollect.files.exporting import durable, write_pages
from recollect.memory import Memory
from recollect.privacy import Receipt, Survey, Target, encoded, from_receipt, from_survey
from recollect.replies import counted

Whose = Annotated[
    str | None, typer.Argument(metavar="USER", help="Whose traces; without one, all of the guild.", show_default=False)
]
InGuild = Annotated[
    str | None,
    typer.Option("--guild", metavar="GUILD", help="A guild: all of it, or what USER left there.", show_default=False),
]
_SORTS = {
    "memos": ("memory", "memories"),
    "messages": ("message", "messages"),
    "replies": ("reply to them", "replies to them"),
    "exchanges": ("short-term entry", "short-term entries"),
    "summaries": ("summary", "summaries"),
    "jobs": ("job", "jobs"),
    "counters": ("list of what waits", "lists of what waits"),
    "unsigned": ("lore entry without its author", "lore entries without their author"),
    "events": ("line of the log", "lines of the log"),
    "files": ("file or line of a journal", "files and lines of journals"),
}


def erase(
    call: Call,
    user: Whose = None,
    guild: InGuild = None,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Only tell what would go.")] = False,
    yes: Annotated[bool, flag("--yes", "-y", meaning="Don't ask.")] = False,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", metavar="FILE", help="Write the receipt there.", show_default=False)
    ] = None,
) -> None:
    """Remove all that is known of a person or a guild, for good, and prove it."""
    target = Target(user, guild)
    _require_store(call)
    if receipt is not None and receipt.exists():
        raise BadInput(f"{receipt} exists already; a receipt never overwrites")
    if dry_run:
        _foretell(call, call.run(lambda memory: memory.privacy.survey(target)))
        return
    _confirm(call, target, yes)
    with call.screen.progress("erasing") as progress:
        done = call.run(lambda memory: memory.privacy.erase(target, asked_by=call.user, progress=progress))
    if receipt is not None:
        _write_new(receipt, (json.dumps(from_receipt(done), ensure_ascii=False, indent=2) + "\n").encode())
    _report(call, done)
    if not done.clean:
        raise typer.Exit(BROKEN)


def export(
    call: Call,
    user: Whose = None,
    guild: InGuild = None,
    form: Annotated[
        Literal["json", "durable", "pages"],
        typer.Option("--format", metavar="FORMAT", help="json: all of it; durable, pages: the memories as files."),
    ] = "json",
    to: Annotated[
        Path | None, typer.Option("--to", metavar="PATH", help="A new file, or an empty folder.", show_default=False)
    ] = None,
) -> None:
    """Hand out all that is known of a person or a guild."""
    target = Target(user, guild)
    _require_store(call)
    if form == "pages":
        _export_pages(call, target, to)
        return
    data = call.run(lambda memory: _document(memory, target, form))
    if to is None:
        typer.echo(data, nl=False)
    else:
        _write_new(to, data)
        _tell_written(call, to, len(data))


async def _document(memory: Memory, target: Target, form: str) -> bytes:
    if form == "durable":
        return durable(await memory.privacy.memos(target))
    return encoded(await memory.privacy.export(target))


def _export_pages(call: Call, target: Target, to: Path | None) -> None:
    if to is None:
        raise BadInput("pages need a folder: add --to FOLDER")
    memos = call.run(lambda memory: memory.privacy.memos(target))
    try:
        written = write_pages(memos, to)
    except OSError as error:
        raise StoreError(f"cannot write to {to}: {error.strerror}") from error
    _tell_written(call, to, sum(path.stat().st_size for path in written))


def _tell_written(call: Call, to: Path, size: int) -> None:
    if call.options.json:
        call.screen.data({"path": str(to), "bytes": size})
    else:
        call.screen.say(str(to))
        call.screen.aside(f"  {size:,} bytes")


def _foretell(call: Call, survey: Survey) -> None:
    if call.options.json:
        call.screen.data({"dry_run": True, **from_survey(survey)})
    elif survey.empty:
        call.screen.say(f"Nothing is known of {survey.target}")
    else:
        call.screen.say(f"Would be erased of {survey.target}: {_listed(survey.counts)}")
        for file in survey.files:
            call.screen.say(f"  {file}")


def _confirm(call: Call, target: Target, yes: bool) -> None:
    """Nobody erases by a slip: it is shown what goes, and its name is to be typed."""
    if yes:
        return
    if not call.asks:
        raise BadInput("erasing can't be undone: look with --dry-run, then add --yes")
    _foretell(call, call.run(lambda memory: memory.privacy.survey(target)))
    name = target.user or target.guild or ""
    if answer(f"This can't be undone. Type {name} to go on: ") != name.lower():
        fail("nothing was erased", NO_MATCH)


def _report(call: Call, done: Receipt) -> None:
    if call.options.json:
        call.screen.data(from_receipt(done))
        return
    call.screen.say(f"Erased of {done.target}: {_listed(done.counts)}")
    if done.clean:
        call.screen.say(f"Searched for {counted(done.samples, 'text')} of it everywhere: nothing found")
    for check in done.probe:
        if check.found:
            warn(f"still found in {check.where}: {check.found}")
    for where, count in done.mentions.items():
        call.screen.aside(f"  others': {count} {where}; that is theirs and stays")
    for note in done.notes:
        call.screen.aside(f"  {note}")


def _listed(counts: Mapping[str, int]) -> str:
    parts = [f"{count:,} {_SORTS[name][count != 1]}" for name, count in counts.items() if count]
    return ", ".join(parts) or "nothing"


def _write_new(path: Path, data: bytes) -> None:
    """Write a file that nobody else may read; never overwrites."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except FileExistsError as error:
        raise BadInput(f"{path} exists already; it is not overwritten") from error
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror}") from error


def _require_store(call: Call) -> None:
    path = file_of(call.load("null").settings.store)
    if path is not None and not path.exists():
        raise StoreError(f"there is no store at {path} yet; the first memory makes it")
