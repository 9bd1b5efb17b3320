"""The command `people`: who is known, and how much is remembered about each."""

from datetime import datetime
from typing import Annotated

import typer

from recollect.admin import Admin
from recollect.admin.people import Owner
from recollect.core.clock import now
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import Limit
from recollect.memory import AsyncMemory

_PAGE = 200


def people(
    call: Invocation,
    part: Annotated[str, typer.Argument(metavar="PART", help="Only whose id or name contains this.")] = "",
    limit: Limit = None,
) -> None:
    """List the people who are remembered, and how much about each."""
    call.require_store()
    owners = call.look(lambda memory: _owners(memory, part, limit))
    if call.options.json:
        call.screen.data({"people": [_record(owner) for owner in owners]})
    if part and not owners:
        fail(f'nobody matches "{part}"', NO_MATCH)
    if call.options.json:
        return
    rows = [
        [owner.subject.id, owner.name, f"{owner.memos:,}", _day(owner.seen), "paused" if owner.paused else ""]
        for owner in owners
    ]
    call.screen.table(["id", "name", "memories", "last seen", "learning"], rows, wide="name")
    if not rows:
        call.screen.say("Nobody is remembered yet.")
    elif call.screen.is_terminal:
        call.screen.aside(f"'recollect show --as {rows[0][0]}' shows what is remembered about one of them")


async def _owners(memory: AsyncMemory, part: str, limit: int | None) -> list[Owner]:
    admin, owners, after = Admin(memory, now), list[Owner](), ""
    while True:
        page = await admin.owner_page(part, after, _PAGE)
        owners += [owner for owner in page.owners if not owner.subject.is_lore]
        after = page.after
        if not after or (limit is not None and len(owners) >= limit):
            return owners[:limit]


def _record(owner: Owner) -> dict[str, object]:
    seen = None if owner.seen is None else owner.seen.isoformat()
    return {"id": owner.subject.id, "name": owner.name, "memories": owner.memos, "seen": seen, "paused": owner.paused}


def _day(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d}"
