"""The command that tidies memory now, or shows what that would change."""

from collections.abc import Iterator
from typing import Annotated, Any

from recollect.core.changes import Retire
from recollect.core.errors import BadInput
from recollect.faces.cli import records
from recollect.faces.cli.invocation import BROKEN, Invocation, fail
from recollect.faces.cli.options import flag
from recollect.faces.cli.output import cell
from recollect.learning.consolidate import ConsolidationReport
from recollect.learning.consolidate.plan import MERGED, tally
from recollect.memory import AsyncMemory


def dream(
    call: Invocation,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Show what would change, and change nothing.")] = False,
    everyone: Annotated[bool, flag("--all", meaning="Tidy everyone's memory, one after the other.")] = False,
) -> None:
    """Tidy memory: merge what is said twice, retire what was contradicted, trust what recurs."""
    if call.place.dm != call.user:
        raise BadInput("a dream shows all of a memory: that belongs into direct messages, without --in")
    dreams = _everyone(call, dry_run) if everyone else _mine(call, dry_run)
    if call.options.json:
        call.screen.data({"dry_run": dry_run, "dreams": [_shape(one) for one in dreams]})
    else:
        _tell(call, dreams, dry_run, everyone)
    if not everyone and dreams[0].abort and not dry_run:
        fail(f"nothing was changed: {dreams[0].abort}; --dry-run shows what", BROKEN)


def _mine(call: Invocation, dry_run: bool) -> list[ConsolidationReport]:
    return [call.run(lambda memory: memory.consolidate(user=call.user, dry_run=dry_run))]


def _everyone(call: Invocation, dry_run: bool) -> list[ConsolidationReport]:
    async def work(memory: AsyncMemory) -> list[ConsolidationReport]:
        with call.screen.progress("dreaming") as progress:
            return await memory.engine.consolidator.of_everyone(dry_run=dry_run, progress=progress)

    return call.run(work)


def _tell(call: Invocation, dreams: list[ConsolidationReport], dry_run: bool, everyone: bool) -> None:
    for one in dreams:
        if everyone:
            call.screen.say(f"{one.subject.id}: {one.description}")
        if dry_run or one.applied:
            for line in _lines(one):
                call.screen.say(f"  {line}")
        if not everyone and (dry_run or not one.abort):
            call.screen.say(_outcome(one, dry_run))
    if everyone and not dreams:
        call.screen.say("Nothing to change")
    if not dry_run and any(one.applied and one.changes for one in dreams):
        call.screen.aside("  'recollect undo' takes it back")


def _outcome(one: ConsolidationReport, dry_run: bool) -> str:
    if not one.abort and not one.changes:
        return "Nothing to change"
    verb = "Done" if not dry_run else "Would change nothing" if one.abort else "Would change"
    return f"{verb}: {one.description}"


def _lines(dream: ConsolidationReport) -> Iterator[str]:
    """What becomes of each memory, and because of which other one."""
    after = {change.after.id: cell(change.after.text) for change in dream.changes}
    for change in dream.changes:
        memo = change.after
        other = after.get(memo.superseded_by or "", memo.superseded_by)
        if isinstance(change, Retire):
            verb = "merged" if MERGED in change.reason else memo.status
            says = "says it" if verb == "merged" else "is newer"
            yield f'{verb} "{cell(memo.text)}"' + (f': "{other}" {says}' if other else "")
        elif memo.confidence > change.before.confidence:
            yield f'trusted "{cell(memo.text)}": {change.reason}'


def _shape(one: ConsolidationReport) -> dict[str, Any]:
    return {
        "user": one.subject.id,
        "applied": one.applied,
        "abort": one.abort or None,
        "memories": one.memos,
        "counts": tally(one.changes),
        "problems": list(one.problems),
        "changes": [
            {"reason": each.reason, "before": each.before.text, "memo": records.memo(each.after)}
            for each in one.changes
        ],
    }
