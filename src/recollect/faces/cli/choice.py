"""The memory that someone means by an id, a number or words; of several that fit, a person chooses one."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn, TypeVar

import typer

from recollect.core.text import clip
from recollect.core.types import Memo
from recollect.faces import outcome_text
from recollect.faces.cli import records
from recollect.faces.cli.inputs import ask, read_text
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.output import cell
from recollect.memory import AsyncMemory
from recollect.recall.listing import find

T = TypeVar("T")


def with_memo(
    call: Invocation,
    command: str,
    words: Sequence[str],
    work: Callable[[AsyncMemory, Memo], Awaitable[T]],
    *,
    embeds: bool = False,
    retired: bool = False,
) -> T:
    """Do the work with the memory that the words name; with `retired`, else one that is no longer in use. Where they
    name none or several, nothing is done and the command ends, unless a person chooses.
    """
    query = read_text(words)

    async def attempt(memory: AsyncMemory) -> tuple[Sequence[Memo], T | None]:
        matches = await _find(memory, call, query, retired=retired)
        return matches, await work(memory, matches[0]) if len(matches) == 1 else None

    matches, done = call.look(attempt, embeds=embeds)
    if len(matches) == 1:
        return done  # pyright: ignore[reportReturnType] it was done, whatever it gave
    chosen = _choose_one(call, command, query, matches)
    return call.look(lambda memory: work(memory, chosen), embeds=embeds)


async def _find(memory: AsyncMemory, call: Invocation, query: str, *, retired: bool) -> Sequence[Memo]:
    """Active memories, as `forget` finds them, and any by its id; a number means the one in `show`."""
    view = memory.view(call.user, call.where)
    matches = await view.find(query)
    if matches or query.strip().removeprefix("#").isdecimal():
        return matches
    memos = (await view.list(statuses="any")).memos
    return find(memos, query, 0.0) if retired else [memo for memo in memos if memo.id == query.strip()]


def _choose_one(call: Invocation, command: str, query: str, matches: Sequence[Memo]) -> Memo:
    """The one of several matches that a person chooses; ends the command where nobody can."""
    numbered = number_memos(call, matches)
    listing = render_listing(numbered, matches)
    if not (matches and call.is_interactive):
        _refuse(call, command, query, matches, listing)
    call.screen.say(f'{len(matches)} memories match "{query}":\n{listing}')
    reply = ask("Which one? (its number, or none) ").removeprefix("#")
    chosen = numbered.get(reply) or next((memo for memo in matches if memo.id == reply), None)
    if chosen is None:
        fail("nothing was done", NO_MATCH)
    return chosen


def _refuse(call: Invocation, command: str, query: str, matches: Sequence[Memo], listing: str) -> NoReturn:
    number = query.strip().removeprefix("#")
    if call.options.json:
        memos = [records.from_memo(memo) for memo in matches]
        call.screen.data({"outcome": "ambiguous" if memos else "none", "what": query, "memos": memos})
        raise typer.Exit(NO_MATCH)
    if matches:
        hint = f"say which: 'recollect {command} {matches[0].id}'"
        fail(f'{len(matches)} memories match "{query}"; nothing was done\n{listing}\n{hint}', NO_MATCH)
    if number.isdecimal():
        fail(f"there is no number {clip(number, 20)} in 'recollect show'", NO_MATCH)
    fail(
        f"{outcome_text.render_no_match(outcome_text.quote_input(query))}; 'recollect list' shows everything", NO_MATCH
    )


def number_memos(call: Invocation, memos: Sequence[Memo]) -> dict[str, Memo]:
    """Memos by their numbers in `show`, so that numbers agree everywhere."""
    return by_number(call.look(lambda memory: memory.show(user=call.user, place=call.where)).memos, memos)


def by_number(listed: Sequence[Memo], memos: Sequence[Memo]) -> dict[str, Memo]:
    ids = {memo.id for memo in memos}
    return {str(number): memo for number, memo in enumerate(listed, 1) if memo.id in ids}


def render_listing(numbered: dict[str, Memo], memos: Sequence[Memo] = ()) -> str:
    """The numbered memos, then others, which have no number."""
    width = max(map(len, numbered), default=1)
    others = [memo for memo in memos if memo.id not in {each.id for each in numbered.values()}]
    rows = [(number, memo.id, cell(outcome_text.in_second_person(memo.text))) for number, memo in numbered.items()]
    rows += [("", memo.id, cell(outcome_text.in_second_person(memo.text))) for memo in others]
    return "\n".join(f"  {number:>{width}}  {id}  {text}" for number, id, text in rows)
