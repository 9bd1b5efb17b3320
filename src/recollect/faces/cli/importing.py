"""The command `import`: memories from the files of other programs, or from an export of recollect."""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from recollect import plugins
from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.ports.format import CountsEntries, Format, Owner
from recollect.faces.cli.invocation import FAILED, Invocation
from recollect.faces.cli.options import flag
from recollect.memory import AsyncMemory
from recollect.policy.visibility import VisibilityPolicy
from recollect.transfer.importing.convert import ImportOptions
from recollect.transfer.importing.detect import check, detect, find_links, format_by_name
from recollect.transfer.importing.report import OutcomeStatus, Report, from_report
from recollect.transfer.importing.run import run_import
from recollect.transfers import import_destination

FORMATS: list[Format] = plugins.load_all("formats")
_NAMES = ", ".join(sorted(form.name for form in FORMATS))
_PLURALS = {
    "memory": "memories",
    "summary": "summaries",
    "message": "messages",
    "tombstone": "tombstones",
    "page": "pages",
    "entry": "entries",
}
_OUTCOME_TEXTS: dict[OutcomeStatus, str] = {
    "new": "new",
    "changed": "changed",
    "same": "known already",
    "left": "left out",
    "meant": "left out on purpose",
    "broken": "broken",
}


def import_(
    call: Invocation,
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file or folder of memories.", show_default=False)],
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help=f"What it is, if that isn't clear: {_NAMES}."),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="USER", help="Whose it is, where it isn't said; else who speaks."),
    ] = None,
    guild: Annotated[
        str | None, typer.Option("--guild", metavar="GUILD", help="The guild whose lore it is, where it isn't said.")
    ] = None,
    everywhere: Annotated[
        bool, flag("--everywhere", meaning="Recall it everywhere, not in its owner's DM only, where it isn't said.")
    ] = False,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Only tell what would be done.")] = False,
) -> None:
    """Import memories from other programs, or from an export."""
    owner = Owner(user or (None if guild else call.user), guild)
    check(path)
    chosen = detect(path, FORMATS) if form is None else format_by_name(form, FORMATS)
    settings = call.load("null").settings
    if not settings.enabled:
        raise BadInput("memory is switched off; switch it on with RECOLLECT_ENABLED=true")
    work = partial(_import, call=call, form=chosen, path=path, owner=owner, everywhere=everywhere, dry_run=dry_run)
    report = call.run(work, embeds=not dry_run)
    _print_report(call, report)
    if not report.ok:
        raise typer.Exit(FAILED)


async def _import(
    memory: AsyncMemory, call: Invocation, form: Format, path: Path, owner: Owner, everywhere: bool, dry_run: bool
) -> Report:
    options = ImportOptions(form.name, now(), everywhere, VisibilityPolicy(memory.settings.visibility))
    with call.screen.progress("importing") as progress:
        total = form.count(path) if progress is not None and isinstance(form, CountsEntries) else 0
        items = chain(form.read(path, owner), find_links(path))
        target = import_destination(memory.engine, call.user, owner)
        report = await run_import(target, items, options, dry_run=dry_run, total=total, progress=progress)
    memory.engine.wake()
    return report


def _print_report(call: Invocation, report: Report) -> None:
    if call.options.json:
        call.screen.data(from_report(report))
        return
    unwanted = [[place, f"left out on purpose: {reason}"] for place, reason in report.unwanted]
    call.screen.table(["where", "why"], [*map(list, report.skipped), *unwanted], "why")
    for total, listed, outcome in (
        (report.left_out, report.skipped, "left out"),
        (report.on_purpose, report.unwanted, "left out on purpose"),
    ):
        if total > len(listed):
            call.screen.say(f"… and {total - len(listed):,} more that were {outcome}")
    for note in report.notes:
        call.screen.say(note)
    call.screen.say(_summary(report))


def _summary(report: Report) -> str:
    parts = [f"{_render_counts(report, what)} {text}" for what, text in _OUTCOME_TEXTS.items() if report.total(what)]
    if report.redacted:
        parts.append(f"secrets taken out of {report.redacted:,}")
    if not parts:
        return f"Nothing to import from {report.format}"
    verb = "Would be imported" if report.dry_run else "Imported"
    return f"{verb if report.new + report.changed else 'Nothing new'} from {report.format}: {'; '.join(parts)}"


def _render_counts(report: Report, what: OutcomeStatus) -> str:
    counts = sorted(report.counts[what].items())
    return ", ".join(f"{count:,} {sort if count == 1 else _PLURALS[sort]}" for sort, count in counts)
