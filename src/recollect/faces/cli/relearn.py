"""The command `relearn`: learns from messages again, and shows before what that would change."""

from typing import Annotated, Any

import typer

from recollect.admin import Admin
from recollect.core.changes import Step
from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.outcomes import NothingToRelearn, RelearnOutcome, RelearnPreview, RelearnRun
from recollect.faces.cli import records
from recollect.faces.cli.inputs import ask, parse_time
from recollect.faces.cli.invocation import FAILED, NO_MATCH, Invocation, fail
from recollect.faces.cli.options import flag
from recollect.faces.outcome_text import count_noun, render_relearning, render_step
from recollect.memory import AsyncMemory


def relearn(
    call: Invocation,
    message: Annotated[str | None, typer.Option(metavar="ID", help="Only this message, as in discord/1042.")] = None,
    everyone: Annotated[bool, flag("--all", meaning="Everyone's messages, not only those of --as or --in.")] = False,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Only from then on: 2026-05-01.")] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only until then.")] = None,
    degraded: Annotated[bool, flag("--degraded", meaning="Only where the model gave no usable answer.")] = False,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Show what would change, and change nothing.")] = False,
    yes: Annotated[bool, flag("--yes", meaning="Do not ask.")] = False,
    background: Annotated[bool, flag("--background", meaning="Leave it to the worker that runs elsewhere.")] = False,
) -> None:
    """Learn from messages again, with the model that is configured now."""
    if everyone and (call.options.speaker is not None or call.options.place is not None):
        raise BadInput("--all means everyone, everywhere: leave out --as and --in")
    selection: dict[str, Any] = {
        "message": message,
        "since": parse_time(since) if since else None,
        "until": parse_time(until, ends=True) if until else None,
        "degraded": degraded,
        "everyone": everyone,
        "place": call.where,
        "user": call.options.speaker,
    }
    if not everyone and message is None and call.where is None:
        selection["user"] = call.user

    async def preview(memory: AsyncMemory) -> RelearnOutcome:
        return await Admin(memory, now).relearn(**selection, dry_run=True)

    if dry_run or (call.is_interactive and not yes):
        outcome = _present(call, call.run(preview, embeds=True))
        if dry_run or not outcome.messages:
            return
        if ask(f"Learn from {count_noun(outcome.messages, 'message')} again? [y/N] ") not in ("y", "yes"):
            call.screen.say("Nothing was changed")
            return

    async def work(memory: AsyncMemory) -> RelearnOutcome:
        admin = Admin(memory, now)
        outcome = await admin.relearn(**selection)
        if background or not isinstance(outcome, RelearnRun):
            return outcome
        with call.screen.progress("learning again") as progress:
            return await admin.wait_relearned(outcome, progress)

    outcome = _present(call, call.run(work, embeds=True, run_worker=not background))
    if isinstance(outcome, RelearnRun) and not background and not outcome.is_over:
        fail("not everything could be learned now; the rest waits on disk and is retried", FAILED)
    if isinstance(outcome, RelearnRun) and outcome.changed:
        call.screen.aside("  'recollect undo' takes it back, for each person")


def _present(call: Invocation, outcome: RelearnOutcome) -> RelearnPreview | RelearnRun:
    if isinstance(outcome, NothingToRelearn):
        fail(outcome.detail, NO_MATCH)
    if call.options.json:
        call.screen.data(_to_json(outcome))
        return outcome
    if isinstance(outcome, RelearnPreview):
        for step in outcome.changes:
            call.screen.say(f"  {step.after.subject.id if step.after else ''}: {render_step(step)}")
    for line in render_relearning(outcome):
        call.screen.say(line)
    return outcome


def _to_json(outcome: RelearnPreview | RelearnRun) -> dict[str, Any]:
    document: dict[str, Any] = {
        "messages": outcome.messages,
        "skipped": {reason.name.lower(): count for reason, count in outcome.skipped.items()},
    }
    if isinstance(outcome, RelearnPreview):
        changes = [_step_to_json(step) for step in outcome.changes]
        return {
            "dry_run": True,
            **document,
            "model": outcome.model,
            "tried": outcome.tried,
            "degraded": outcome.degraded,
            "changes": changes,
        }
    return {
        "dry_run": False,
        **document,
        "run": outcome.id,
        "done": outcome.done,
        "failed": outcome.failed,
        "changed": outcome.changed,
        "problem": outcome.problem or None,
    }


def _step_to_json(step: Step) -> dict[str, Any]:
    before, after = (None if memo is None else records.from_memo(memo) for memo in (step.before, step.after))
    return {"change": render_step(step).partition(":")[0], "before": before, "after": after}
