"""The command that takes out for good all that is known of a person or a guild."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from recollect.core.errors import BadInput
from recollect.faces.cli.export import InGuild, Whose, target_of, write_new
from recollect.faces.cli.inputs import answer
from recollect.faces.cli.invocation import BROKEN, NO_MATCH, Invocation, fail, warn
from recollect.faces.cli.options import flag
from recollect.faces.outcome_text import counted
from recollect.privacy.receipt import ErasurePreview, Receipt, from_receipt, from_survey
from recollect.privacy.target import ErasureTarget

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
    call: Invocation,
    user: Whose = None,
    guild: InGuild = None,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Only tell what would go.")] = False,
    yes: Annotated[bool, flag("--yes", "-y", meaning="Don't ask.")] = False,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", metavar="FILE", help="Write the receipt there.", show_default=False)
    ] = None,
) -> None:
    """Remove all that is known of a person or a guild, for good, and prove it."""
    target = target_of(call, user, guild)
    if receipt is not None and receipt.exists():
        raise BadInput(f"{receipt} exists already; a receipt never overwrites")
    if dry_run:
        _foretell(call, call.run(lambda memory: memory.privacy.preview(target)))
        return
    _confirm(call, target, yes)
    with call.screen.progress("erasing") as progress:
        done = call.run(lambda memory: memory.privacy.erase(target, asked_by=call.user, progress=progress))
    if receipt is not None:
        write_new(receipt, (json.dumps(from_receipt(done), ensure_ascii=False, indent=2) + "\n").encode())
    _report(call, done)
    if not done.clean:
        raise typer.Exit(BROKEN)


def _foretell(call: Invocation, survey: ErasurePreview) -> None:
    if call.options.json:
        call.screen.data({"dry_run": True, **from_survey(survey)})
    elif survey.empty:
        call.screen.say(f"Nothing is known of {survey.target}")
    else:
        call.screen.say(f"Would be erased of {survey.target}: {_listed(survey.counts)}")
        for file in survey.files:
            call.screen.say(f"  {file}")


def _confirm(call: Invocation, target: ErasureTarget, yes: bool) -> None:
    """Nobody erases by a slip: it is shown what goes, and its name is to be typed."""
    if yes:
        return
    if not call.asks:
        raise BadInput("erasing can't be undone: look with --dry-run, then add --yes")
    _foretell(call, call.run(lambda memory: memory.privacy.preview(target)))
    name = target.user or target.guild or ""
    if answer(f"This can't be undone. Type {name} to go on: ") != name.lower():
        fail("nothing was erased", NO_MATCH)


def _report(call: Invocation, done: Receipt) -> None:
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
