"""The command `consolidate`: tidies memory now, or shows what that would change."""

from collections.abc import Iterator
from typing import Annotated, Any

from recollect.core.changes import Retire
from recollect.core.errors import BadInput
from recollect.core.reasons import Reason
from recollect.faces.cli import records
from recollect.faces.cli.invocation import FAILED, Invocation, fail
from recollect.faces.cli.options import flag
from recollect.faces.cli.output import cell
from recollect.learning.consolidate import ConsolidationReport, tally
from recollect.memory import AsyncMemory


def consolidate(
    call: Invocation,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Show what would change, and change nothing.")] = False,
    everyone: Annotated[bool, flag("--all", meaning="Tidy everyone's memory, one after the other.")] = False,
) -> None:
    """Tidy memory: merge duplicates, retire contradicted memories, trust recurring ones more."""
    if call.where is not None:
        raise BadInput("consolidating shows all of a memory: that belongs in direct messages, without --in")
    reports = _consolidate_all(call, dry_run) if everyone else _consolidate_own(call, dry_run)
    if call.options.json:
        documents = [_to_json(report) for report in reports]  # `dreams` is the former name
        call.screen.data({"dry_run": dry_run, "consolidations": documents, "dreams": documents})
    else:
        _print_reports(call, reports, dry_run, everyone)
    if not everyone and reports[0].abort and not dry_run:
        fail(f"nothing was changed: {reports[0].abort}; --dry-run shows what", FAILED)


def _consolidate_own(call: Invocation, dry_run: bool) -> list[ConsolidationReport]:
    return [call.run(lambda memory: memory.consolidate(user=call.user, dry_run=dry_run))]


def _consolidate_all(call: Invocation, dry_run: bool) -> list[ConsolidationReport]:
    async def work(memory: AsyncMemory) -> list[ConsolidationReport]:
        with call.screen.progress("consolidating") as progress:
            return await memory.engine.consolidator.consolidate_all(dry_run=dry_run, progress=progress)

    return call.run(work)


def _print_reports(call: Invocation, reports: list[ConsolidationReport], dry_run: bool, everyone: bool) -> None:
    for report in reports:
        if everyone:
            call.screen.say(f"{report.subject.id}: {report.description}")
        if dry_run or report.applied:
            for line in _describe_changes(report):
                call.screen.say(f"  {line}")
        if not everyone and (dry_run or not report.abort):
            call.screen.say(_describe_outcome(report, dry_run))
    if everyone and not reports:
        call.screen.say("Nothing to change")
    if not dry_run and any(report.applied and report.changes for report in reports):
        call.screen.aside("  'recollect undo' takes it back")


def _describe_outcome(report: ConsolidationReport, dry_run: bool) -> str:
    if not report.abort and not report.changes:
        return "Nothing to change"
    verb = "Done" if not dry_run else "Would change nothing" if report.abort else "Would change"
    return f"{verb}: {report.description}"


def _describe_changes(report: ConsolidationReport) -> Iterator[str]:
    """What becomes of each memory, and because of which other one."""
    after = {change.after.id: cell(change.after.text) for change in report.changes}
    for change in report.changes:
        memo = change.after
        other = after.get(memo.superseded_by or "", memo.superseded_by)
        if isinstance(change, Retire):
            verb = "merged" if change.reason is Reason.MERGED else memo.status
            relation = "says it" if verb == "merged" else "is newer"
            yield f'{verb} "{cell(memo.text)}"' + (f': "{other}" {relation}' if other else "")
        elif memo.confidence > change.before.confidence:
            yield f'trusted "{cell(memo.text)}": {change.text}'


def _to_json(report: ConsolidationReport) -> dict[str, Any]:
    return {
        "user": report.subject.id,
        "applied": report.applied,
        "abort": report.abort or None,
        "memories": report.memos,
        "counts": tally(report.changes),
        "problems": list(report.problems),
        "changes": [
            {"reason": change.text, "before": change.before.text, "memo": records.from_memo(change.after)}
            for change in report.changes
        ],
    }
