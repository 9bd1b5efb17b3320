"""The command `search`: memories or messages that fit a query, and why."""

from collections.abc import Sequence
from typing import Annotated, Literal, get_args

import typer

from recollect.core.ports import Filters
from recollect.core.types import Status
from recollect.faces.cli import places, records
from recollect.faces.cli.inputs import moment, said
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import STATUSES, Limit, OnlyKinds, Texts, flag
from recollect.faces.cli.output import described, explained
from recollect.recall.query import Hit

Ranker = Literal["unified", "recency", "overlap", "hybrid", "rrf", "bm25", "cosine"]
_RANKER = f"How results are ordered: {', '.join(get_args(Ranker))}."
_WHOSE = "Whose memories: mine, lore or both."
_STATUS = f"Search memories of this status: {STATUSES}."


def search(
    call: Invocation,
    query: Texts,
    limit: Limit = None,
    ranker: Annotated[Ranker | None, typer.Option(metavar="RANKER", help=_RANKER)] = None,
    strict: Annotated[bool, flag("--strict", meaning="Rather nothing than what is not relevant.")] = False,
    explain: Annotated[bool, flag("--explain", meaning="Show what each score is made of.")] = False,
    messages: Annotated[bool, flag("--messages", meaning="Search what was said in the place.")] = False,
    subject: Annotated[Literal["mine", "lore", "both"], typer.Option(metavar="WHOSE", help=_WHOSE)] = "both",
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
    status: Annotated[Status, typer.Option(metavar="STATUS", help=_STATUS)] = Status.ACTIVE,
) -> None:
    """Find memories, or messages, that fit a query: best first."""
    text = said(query)
    filters = Filters(
        kinds=[each.value for each in kind or ()],
        tags=[each.lower() for each in tag or ()],
        guild=guild,
        channel=places.parse(channel, call.user).channel if channel else None,
        since=moment(since) if since else None,
        until=moment(until, ends=True) if until else None,
    )
    results = call.run(
        lambda memory: memory.search(
            text,
            user=call.user,
            place=call.place,
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
    _report_found(call, text, results, explain)


def _report_found(call: Invocation, query: str, results: Sequence[Hit], explain: bool) -> None:
    if call.options.json:
        call.screen.data({"query": query, "results": [records.found(one) for one in results]})
        if not results:
            raise typer.Exit(NO_MATCH)
        return
    if not results:
        fail("nothing found", NO_MATCH)
    if explain:
        call.screen.say(f"   {explained(results[0])[0]}")
    for number, one in enumerate(results, 1):
        call.screen.point(f"{number}." if call.screen.is_terminal else "-", described(one.item))
        if explain:
            call.screen.aside(f"   {explained(one)[1]}", always=True)
