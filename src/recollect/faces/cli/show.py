"""Commands that show what is remembered: `show`, `list`, `history`, `log`."""

from typing import Annotated

import typer

from recollect.core.clock import now
from recollect.core.events import Event
from recollect.core.outcomes import Listing
from recollect.core.types import Memo, Place, Status
from recollect.faces import outcome_text
from recollect.faces.cli import records
from recollect.faces.cli.choice import with_memo
from recollect.faces.cli.invocation import Invocation
from recollect.faces.cli.options import STATUSES, Limit, MemoWords, Offset, OnlyKinds, flag
from recollect.faces.cli.output import describe_audience, local_time
from recollect.memory import AsyncMemory

_STATUS_HELP = f"Only of this status; may be repeated. Statuses: {STATUSES}."


def show(
    call: Invocation,
    limit: Limit = None,
    offset: Offset = 0,
    forgotten: Annotated[bool, flag("--forgotten", meaning="Show what 'restore' can bring back instead.")] = False,
) -> None:
    """Show your memory, as far as it is visible in this place."""
    if forgotten:
        _show_forgotten(call, limit, offset)
        return
    listing = call.look(lambda memory: memory.show(user=call.user, place=call.where, limit=limit, offset=offset))
    if call.options.json:
        memos = [{"number": number, **records.from_memo(memo)} for number, memo in enumerate(listing.memos, offset + 1)]
        summary = records.from_summary(listing.summary)
        data = {"user": call.user, "total": listing.total, "memos": memos, "summary": summary, "off": [*listing.off]}
        call.screen.data(data)
    elif call.screen.is_terminal:
        _print_listing(call, listing, offset)
    else:
        literal = outcome_text.is_literal(call.load("null").settings)
        call.screen.say(outcome_text.render_listing(listing, literal=literal, offset=offset))


def _print_listing(call: Invocation, listing: Listing, offset: int) -> None:
    call.screen.say(f"Remembered about {call.user}: {outcome_text.count_memories(listing.total)}")
    rows = [
        [
            str(number),
            memo.kind,
            f"{'★ ' if memo.pinned else ''}{outcome_text.in_second_person(memo.text)}",
            describe_audience(memo),
            local_time(memo.updated)[:10],
        ]
        for number, memo in enumerate(listing.memos, offset + 1)
    ]
    call.screen.table(["#", "kind", "text", "heard", "updated"], rows, wide="text")
    if not rows and not listing.off:
        call.screen.aside("Nothing here yet; try: recollect remember I like tea")
    if listing.summary is not None and listing.summary.text:
        call.screen.say(f"\n{outcome_text.summary_header()}\n{listing.summary.text}")
    for line in listing.off:
        call.screen.aside(line)


def _show_forgotten(call: Invocation, limit: int | None, offset: int) -> None:
    listing = call.look(lambda memory: memory.forgotten(user=call.user, place=call.where, limit=limit, offset=offset))
    numbered = list(enumerate(listing.memos, offset + 1))
    if call.options.json:
        memos = [{"number": number, **records.from_memo(memo)} for number, memo in numbered]
        call.screen.data({"user": call.user, "total": listing.total, "memos": memos})
        return
    call.screen.say(f"No longer in use ({outcome_text.count_noun(listing.total)}):")
    rows = [
        [
            str(number),
            memo.id,
            memo.status,
            memo.kind,
            outcome_text.in_second_person(memo.text),
            local_time(memo.updated)[:10],
        ]
        for number, memo in numbered
    ]
    call.screen.table(["#", "id", "status", "kind", "text", "updated"], rows, wide="text")


def list_(
    call: Invocation,
    status: Annotated[list[Status] | None, typer.Option(metavar="STATUS", help=_STATUS_HELP)] = None,
    kind: OnlyKinds = None,
    lore: Annotated[bool, flag("--lore", meaning="The lore of the guild of --in, instead of yours.")] = False,
    limit: Limit = None,
    offset: Offset = 0,
) -> None:
    """List memories of every status, with their ids."""
    page = call.look(
        lambda memory: memory.list(
            user=call.user,
            place=call.where,
            lore=lore,
            statuses=status or "any",
            kinds=kind or (),
            limit=limit,
            offset=offset,
        )
    )
    if call.options.json:
        call.screen.data(
            {"user": call.user, "total": page.total, "memos": [records.from_memo(memo) for memo in page.memos]}
        )
        return
    rows = [[memo.id, memo.status, memo.kind, outcome_text.in_second_person(memo.text)] for memo in page.memos]
    call.screen.table(["id", "status", "kind", "text"], rows, wide="text")
    if len(rows) < page.total:
        call.screen.aside(f"{len(rows)} of {page.total}")
    elif not rows:
        call.screen.aside("there is no memory to list")


def why(call: Invocation, words: MemoWords) -> None:
    """Where a memory comes from, and what happened to it, newest first."""
    from recollect.faces.commands.request import CommandRequest  # `show` doesn't need it, and should start quickly
    from recollect.faces.commands.why import describe

    async def work(memory: AsyncMemory, target: Memo) -> tuple[Memo, list[Event], str]:
        events = await memory.history(target.id, user=call.user)
        if call.options.json:
            return target, events, ""
        request = CommandRequest(memory, call.user, call.where or Place(dm=call.user), "", now())
        return target, events, describe(request, await request.view.why(target.id))

    target, events, told = with_memo(call, "why", words, work, retired=True)
    if call.options.json:
        data = [{**records.from_event(event), "before": _previous_text(call, event)} for event in events]
        call.screen.data({"memo": records.from_memo(target), "events": data})
    else:
        call.screen.say(told)


def _previous_text(call: Invocation, event: Event) -> str | None:
    """The text before a change; its audience may have been narrower than now, so only the owner's DM shows it."""
    return event.data.get("before", {}).get("text") if call.where is None else None


def log(
    call: Invocation,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="How many at most.")] = 50,
    everyone: Annotated[bool, flag("--everyone", meaning="Changes of everyone's memory.")] = False,
) -> None:
    """What changed, by whom and why, newest first."""
    events = call.look(lambda memory: memory.log(user=None if everyone else call.user, limit=limit))
    if call.options.json:
        call.screen.data({"events": [records.from_event(event) for event in events]})
        return
    rows = [
        [
            local_time(event.at),
            outcome_text.actor_name(event.actor),
            event.kind,
            event.memo or "",
            str(event.id) if event.memo else "",
            event.text,
        ]
        for event in events
    ]
    call.screen.table(["when", "who", "what", "memory", "change", "why"], rows, wide="why")
    if not rows:
        call.screen.aside("nothing has changed yet")
