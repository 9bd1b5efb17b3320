"""The command `erase`: permanently removes all data about a person or a guild."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from recollect.core.errors import BadInput
from recollect.faces.cli.export import GuildOption, UserArgument, find_target, write_new
from recollect.faces.cli.inputs import ask
from recollect.faces.cli.invocation import FAILED, NO_MATCH, Invocation, fail, warn
from recollect.faces.cli.options import flag
from recollect.faces.outcome_text import count_noun, label_erased
from recollect.privacy.receipt import ErasurePreview, Receipt, preview_to_json, receipt_to_json
from recollect.privacy.target import ErasureTarget


def erase(
    call: Invocation,
    user: UserArgument = None,
    guild: GuildOption = None,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Only tell what would go.")] = False,
    yes: Annotated[bool, flag("--yes", "-y", meaning="Don't ask.")] = False,
    receipt: Annotated[
        Path | None, typer.Option("--receipt", metavar="FILE", help="Write the receipt there.", show_default=False)
    ] = None,
) -> None:
    """Remove everything about a person or a guild for good, and verify it."""
    target = find_target(call, user, guild, changes=not dry_run)
    if receipt is not None and receipt.exists():
        raise BadInput(f"{receipt} exists already; a receipt never overwrites")
    if dry_run:
        _print_preview(call, call.run(lambda memory: memory.privacy.preview(target)))
        return
    _confirm(call, target, yes)
    with call.screen.progress("erasing") as progress:
        result = call.run(lambda memory: memory.privacy.erase(target, asked_by=call.user, progress=progress))
    if receipt is not None:
        write_new(receipt, (json.dumps(receipt_to_json(result), ensure_ascii=False, indent=2) + "\n").encode())
    _print_receipt(call, result)
    if not result.clean:
        raise typer.Exit(FAILED)


def _print_preview(call: Invocation, preview: ErasurePreview) -> None:
    if call.options.json:
        call.screen.data({"dry_run": True, **preview_to_json(preview)})
    elif preview.empty:
        call.screen.say(f"Nothing is known of {preview.target}")
    else:
        call.screen.say(f"Would be erased of {preview.target}: {_render_counts(preview.counts)}")
        for file in preview.files:
            call.screen.say(f"  {file}")


def _confirm(call: Invocation, target: ErasureTarget, yes: bool) -> None:
    """Show what would be erased, and ask for the name to be typed, so that no one erases by accident."""
    if yes:
        return
    if not call.is_interactive:
        raise BadInput("erasing can't be undone: look with --dry-run, then add --yes")
    _print_preview(call, call.run(lambda memory: memory.privacy.preview(target)))
    name = target.user or target.guild or ""
    if ask(f"This can't be undone. Type {name} to go on: ") != name.lower():
        fail("nothing was erased", NO_MATCH)


def _print_receipt(call: Invocation, receipt: Receipt) -> None:
    if call.options.json:
        call.screen.data(receipt_to_json(receipt))
        return
    call.screen.say(f"Erased of {receipt.target}: {_render_counts(receipt.counts)}")
    if receipt.clean:
        call.screen.say(f"Searched for {count_noun(receipt.samples, 'text')} of it everywhere: nothing found")
    for check in receipt.probe:
        if check.count:
            warn(f"still found in {check.place}: {check.count}")
    for source, count in receipt.mentions.items():
        call.screen.aside(f"  others': {count} {source}; that is theirs and stays")
    for note in receipt.notes:
        call.screen.aside(f"  {note}")


def _render_counts(counts: Mapping[str, int]) -> str:
    parts = [f"{count:,} {label_erased(name, count)}" for name, count in counts.items() if count]
    return ", ".join(parts) or "nothing"
