"""The command `search`: memories or messages that match a query, and why."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from recollect.core.errors import BadInput
from recollect.core.ports import Filters
from recollect.core.types import Status
from recollect.faces.cli import places, records
from recollect.faces.cli.inputs import parse_time, read_text
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import STATUSES, Limit, OnlyKinds, Texts, flag
from recollect.faces.cli.output import describe_item, explain_score
from recollect.recall.query import Hit
from recollect.recall.rankers import RANKERS, RankerName

_RANKER_HELP = f"How results are ordered: {', '.join(RANKERS)}."
_SUBJECT_HELP = "Whose memories: mine, lore or both."
_STATUS_HELP = f"Search memories of this status: {STATUSES}."


def search(
    call: Invocation,
    query: Texts,
    limit: Limit = None,
    ranker: Annotated[RankerName | None, typer.Option(metavar="RANKER", help=_RANKER_HELP)] = None,
    strict: Annotated[bool, flag("--strict", meaning="Rather nothing than what is not relevant.")] = False,
    explain: Annotated[bool, flag("--explain", meaning="Show what each score is made of.")] = False,
    messages: Annotated[bool, flag("--messages", meaning="Search what was said in the place.")] = False,
    subject: Annotated[Literal["mine", "lore", "both"], typer.Option(metavar="WHOSE", help=_SUBJECT_HELP)] = "both",
    kind: OnlyKinds = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="Only with this tag; may be repeated.")] = None,
    guild: Annotated[str | None, typer.Option(metavar="GUILD", help="Only what comes from this guild.")] = None,
    channel: Annotated[
        str | None, typer.Option(metavar="PLACE", help="Only what comes from this channel, as in --in.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only from then on: 2026-05-01, 'last week'.")
    ] = None,
    until: Annotated[str | None, typer.Option(metavar="TIME", help="Only until then.")] = None,
    status: Annotated[Status, typer.Option(metavar="STATUS", help=_STATUS_HELP)] = Status.ACTIVE,
) -> None:
    """Search memories, or messages; best first."""
    text = read_text(query)
    if not text.strip():
        raise BadInput("say what to look for; 'recollect show' lists what is remembered")
    filters = Filters(
        kinds=[item.value for item in kind or ()],
        tags=[item.lower() for item in tag or ()],
        guild=guild,
        channel=places.parse(channel, call.user).channel if channel else None,
        since=parse_time(since) if since else None,
        until=parse_time(until, ends=True) if until else None,
    )
    hits = call.look(
        lambda memory: memory.search(
            text,
            user=call.user,
            place=call.where,
            over="messages" if messages else "memos",
            subject=subject,
            filters=filters,
            status=status,
            limit=limit,
            ranker=ranker,
            strict=strict,
        ),
        embeds=True,
    )
    _print_hits(call, text, hits, explain)


def _print_hits(call: Invocation, query: str, hits: Sequence[Hit], explain: bool) -> None:
    if call.options.json:
        call.screen.data({"query": query, "results": [records.from_hit(hit) for hit in hits]})
        if not hits:
            raise typer.Exit(NO_MATCH)
        return
    if not hits:
        fail("nothing found", NO_MATCH)
    if not any(hit.relevant for hit in hits):
        call.screen.aside("Nothing fits closely; the nearest:", always=True)
    if explain:
        call.screen.say(f"   {explain_score(hits[0])[0]}")
    relevant = [hit.relevant for hit in hits]
    last_relevant = len(relevant) - relevant[::-1].index(True) if any(relevant) else len(hits)
    for index, hit in enumerate(hits, 1):
        if index == last_relevant + 1:
            call.screen.aside("Less close:", always=True)
        call.screen.point(f"{index}." if call.screen.is_terminal else "-", describe_item(hit.item))
        if explain:
            call.screen.aside(f"   {explain_score(hit)[1]}", always=True)
