"""The command `index`: applies edits of the mirrored files to memory, once or continuously."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

import typer

from recollect.core.errors import BadInput, StoreError
from recollect.faces.cli.invocation import FAILED, Invocation, warn
from recollect.faces.cli.options import flag
from recollect.faces.cli.output import cell
from recollect.memory import AsyncMemory
from recollect.settings import wiring
from recollect.transfer.mirror.pages.apply import Note
from recollect.transfer.mirror.pages.sync import Report
from recollect.transfer.mirror.pages.watch import POLL_INTERVAL_SECONDS, Watch
from recollect.transfers import page_sync

_NOTE_TEXTS = {
    "new": "new",
    "changed": "changed",
    "settled": "changed on both sides",
    "moved": "moved",
    "retired": "retired",
    "restored": "written again",
    "aside": "kept aside",
    "secret": "secret",
    "broken": "broken",
}
_FORCE_HINT = "'recollect sync-files --force' retires their memories; with --restore the files come back"


def index(
    call: Invocation,
    watch: Annotated[bool, flag("--watch", meaning="Go on, and take over every change; Ctrl-C ends it.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Only tell what would be done.")] = False,
    force: Annotated[bool, flag("--force", meaning="Follow deletions however many they are.")] = False,
    restore: Annotated[bool, flag("--restore", meaning="First write every file again that is missing.")] = False,
) -> None:
    """Apply edits of the memory's files, and rebuild the search index."""
    if dry_run and (watch or restore):
        raise BadInput("--dry-run changes nothing; use it without --watch and --restore")
    settings = call.load("null").settings
    if wiring.mirror_targets(settings).categories is None:
        raise BadInput(
            "no such files are kept; switch them on with RECOLLECT_MIRROR_FILES=categories, or "
            "rebuild the search index alone with recollect rebuild-index"
        )
    try:
        report = call.run(
            partial(_work, call=call, watch=watch, force=force, restore=restore, dry_run=dry_run), embeds=True
        )
    except OSError as error:
        raise StoreError(f"the files can't be read or written: {error}") from error
    except KeyboardInterrupt:
        if not watch:
            raise
        return
    _print_report(call, report, dry_run)
    if not report.ok:
        raise typer.Exit(FAILED)


async def _work(
    memory: AsyncMemory, call: Invocation, watch: bool, force: bool, restore: bool, dry_run: bool
) -> Report:
    if not dry_run:
        await (memory.mirror.restore() if restore else memory.mirror.catch_up())
    with call.screen.progress("taking over") as progress:
        report = await page_sync(memory.engine, call.user).run(dry_run=dry_run, force=force, progress=progress)
    if not dry_run:
        await memory.reindex()
    if watch:
        _print_report(call, report, dry_run)
        sys.stdout.flush()
        await _keep_watching(memory, call, report)
    return report


async def _keep_watching(memory: AsyncMemory, call: Invocation, first: Report) -> None:
    watch = Watch(page_sync(memory.engine, call.user), wiring.page_paths(memory.settings))
    call.screen.aside(f"  watching {memory.settings.mirror.dir}; Ctrl-C ends it")
    last = first
    while True:
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
        report = await watch.poll()
        with suppress(OSError):  # a file is just being saved; the next scan comes soon
            await memory.mirror.catch_up()
        if report is not None:
            _print_changes(call, report, last)
            sys.stdout.flush()
            last = report


def _print_changes(call: Invocation, report: Report, before: Report) -> None:
    """Print only what the last report did not contain."""
    already_printed = {note for note in before.notes if note.outcome == "broken"}
    fresh = Report([note for note in report.notes if note not in already_printed], _new_refusal(report, before))
    if fresh.notes or fresh.refused:
        _print_report(call, fresh, dry_run=False)


def _new_refusal(report: Report, before: Report) -> str:
    return "" if report.refused == before.refused else report.refused


def _print_report(call: Invocation, report: Report, dry_run: bool) -> None:
    if call.options.json:
        call.screen.data(_to_json(report, dry_run))
        return
    rows = [[_NOTE_TEXTS[note.outcome], note.path, cell(note.detail)] for note in report.notes]
    call.screen.table(["what", "file", "more"], rows, "more")
    call.screen.say(_summary(report.notes, dry_run))
    if report.refused:
        warn(f"{report.refused}. Nothing was retired: {_FORCE_HINT}")


def _summary(notes: Sequence[Note], dry_run: bool) -> str:
    counts = {what: sum(note.outcome == what for note in notes) for what in _NOTE_TEXTS}
    parts = [f"{count} {_NOTE_TEXTS[what]}" for what, count in counts.items() if count]
    if not parts:
        return "Nothing to do"
    return f"{'Would be' if dry_run else 'Done'}: {', '.join(parts)}"


def _to_json(report: Report, dry_run: bool) -> dict[str, object]:
    return {
        "ok": report.ok,
        "dry_run": dry_run,
        "refused": report.refused or None,
        "files": [
            {"what": note.outcome, "path": note.path, "memo": note.memo, "detail": note.detail} for note in report.notes
        ],
    }
