"""Commands that change what is remembered: remember, forget, undo, pin, share, observe."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated
from uuid import uuid4

import typer

from recollect.core.changes import Add, Retire, Skip
from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.outcomes import Ambiguous, CannotUndo, ForgetOutcome, Forgotten, NotFound, Remembered, Undone
from recollect.core.types import Audience, Kind, Memo, Message
from recollect.faces import outcome_text
from recollect.faces.cli import records
from recollect.faces.cli.inputs import answer, meant, said
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import MemoRef, Texts, flag
from recollect.faces.cli.output import audience, cell
from recollect.learning.ingest import LearnedOutcome
from recollect.memory import AsyncMemory

_PATIENCE = 30.0
"""Seconds that a person waits to see what was learned."""
_KIND = f"What sort of thing it is, unless its wording tells: {', '.join(Kind)}."


def remember(
    call: Invocation,
    text: Texts,
    kind: Annotated[Kind | None, typer.Option(metavar="KIND", help=_KIND)] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A word to find it by; may be repeated.")] = None,
    pin: Annotated[bool, flag("--pin", meaning="Never let it give way to newer memories.")] = False,
    lore: Annotated[bool, flag("--lore", meaning="It belongs to the guild of --in, not to you.")] = False,
    private: Annotated[bool, flag("--private", meaning="Recall it in your direct messages only.")] = False,
) -> None:
    """Remember a statement, merged with what is known."""
    if lore and private:
        raise BadInput("lore belongs to a whole guild: it can't be private")
    statement = said(text)

    async def work(memory: AsyncMemory) -> tuple[Remembered, str]:
        done = await memory.remember(
            statement,
            user=call.user,
            place=call.place,
            kind=kind,
            tags=tag or (),
            pinned=pin,
            lore=lore,
            audience=Audience("dm", call.user) if private else None,
        )
        how = f"'recollect {{}} {done.memo.id}'"
        return done, outcome_text.hearing(done.memo, memory.settings.visibility, how)

    done, hearing = call.run(work, embeds=True)
    _report_remembered(call, done, hearing)


def _report_remembered(call: Invocation, done: Remembered, hearing: str) -> None:
    first = next(iter(done.changes), None)  # none where what changed may not be told
    reason = "" if first is None else first.reason
    outcome = "added" if isinstance(first, Add) else "known" if isinstance(first, Skip) else "revised"
    replaced = [change.before for change in done.changes if isinstance(change, Retire)]
    if call.options.json:
        replaced_data = [records.memo(memo) for memo in replaced]
        memo = records.memo(done.memo)
        call.screen.data({"outcome": outcome, "reason": reason, "memo": memo, "replaced": replaced_data})
        return
    call.screen.say(outcome_text.remembered(done))
    if hearing:
        call.screen.aside(f"  {hearing}", always=True)
    call.screen.aside(f"  {done.memo.kind} · heard {audience(done.memo)} · {done.memo.id}")
    if outcome != "added" and reason:
        call.screen.aside(f"  {reason}")
    for memo in replaced:
        call.screen.aside(f'  takes the place of: "{memo.text}"')


def forget(
    call: Invocation,
    what: Annotated[
        list[str], typer.Argument(metavar="WHAT", help="A part of its text, its id, or its number in 'show'.")
    ],
    every: Annotated[bool, flag("--all", meaning="Forget all that match.")] = False,
    yes: Annotated[bool, flag("--yes", "-y", meaning="Don't ask before forgetting several.")] = False,
) -> None:
    """Forget what matches; undo brings it back."""
    wanted = said(what)
    sure = every and (yes or not call.asks)
    outcome = call.run(lambda memory: memory.forget(wanted, user=call.user, place=call.place, every=sure))
    if isinstance(outcome, Ambiguous) and call.asks:
        outcome = _ask(call, wanted, outcome, every)
    _report_forgetting(call, wanted, outcome)


def _ask(call: Invocation, what: str, found: Ambiguous, every: bool) -> ForgetOutcome:
    """Let a person choose among several matches."""
    numbered = _numbered(call, found.matches)
    call.screen.say(f'{len(numbered)} memories match "{what}":\n{_listing(numbered)}')
    reply = answer("Forget all of them? (yes or no) " if every else "Which one? (its number, all or none) ")
    if reply in (("yes", "y", "all") if every else ("all",)):
        return call.run(lambda memory: memory.forget(what, user=call.user, place=call.place, every=True))
    chosen = numbered.get(reply.removeprefix("#"))
    if chosen is None:
        fail("nothing was forgotten", NO_MATCH)
    return call.run(lambda memory: memory.forget(chosen.id, user=call.user, place=call.place))


def _numbered(call: Invocation, memos: Sequence[Memo]) -> dict[str, Memo]:
    """Memos under their numbers in `show`, so that a number means the same wherever it is said."""
    everything = call.run(lambda memory: memory.show(user=call.user, place=call.place)).memos
    wanted = {memo.id for memo in memos}
    return {str(number): memo for number, memo in enumerate(everything, 1) if memo.id in wanted}


def _listing(numbered: dict[str, Memo]) -> str:
    width = max(map(len, numbered), default=1)
    return "\n".join(f"  {number:>{width}}  {memo.id}  {cell(memo.text)}" for number, memo in numbered.items())


def _report_forgetting(call: Invocation, what: str, outcome: ForgetOutcome) -> None:
    name, memos = _parts(outcome)
    if call.options.json:
        call.screen.data({"outcome": name, "what": what, "memos": [records.memo(memo) for memo in memos]})
        if name != "forgotten":
            raise typer.Exit(NO_MATCH)
        return
    match outcome:
        case Forgotten():
            call.screen.say(outcome_text.forgotten(memos, what))
            for memo in memos:
                call.screen.aside(f'  "{memo.text}"')
            call.screen.aside("  'recollect undo' takes that back")
        case NotFound():
            fail(outcome_text.nothing_matched(what), NO_MATCH)
        case Ambiguous():
            listing = _listing(_numbered(call, memos))
            how = f"say which: 'recollect forget {memos[0].id}', or all of them: add --all"
            fail(f'{len(memos)} memories match "{what}"; nothing was forgotten\n{listing}\n{how}', NO_MATCH)


def _parts(outcome: ForgetOutcome) -> tuple[str, tuple[Memo, ...]]:
    match outcome:
        case Forgotten(memos):
            return "forgotten", memos
        case Ambiguous(memos):
            return "ambiguous", memos
        case NotFound():
            return "none", ()


def undo(call: Invocation) -> None:
    """Take back the last change; again for the one before it."""
    done = call.run(lambda memory: memory.undo(user=call.user, place=call.place), embeds=True)
    change = done if isinstance(done, Undone) else None
    reason = done.reason if isinstance(done, CannotUndo) else "there is nothing to undo"
    if call.options.json:
        restored = [records.memo(memo) for memo in change.restored] if change else []
        removed = [records.memo(memo) for memo in change.removed] if change else []
        outcome = "undone" if change else "refused" if done else "none"
        said = {"outcome": outcome, "reason": "" if change else reason, "at": change.at if change else None}
        call.screen.data({**said, "restored": restored, "removed": removed})
        if not change:
            raise typer.Exit(NO_MATCH)
    elif change:
        call.screen.say(outcome_text.undone(change))
    else:
        fail(reason, NO_MATCH)


def pin(call: Invocation, memo: MemoRef) -> None:
    """Keep a memory from ever giving way to newer ones."""
    _change(call, memo, "Pinned", lambda memory, one: memory.pin(one.id, user=call.user))


def unpin(call: Invocation, memo: MemoRef) -> None:
    """Let a memory give way to newer ones again."""
    _change(call, memo, "Unpinned", lambda memory, one: memory.pin(one.id, user=call.user, pinned=False))


def share(call: Invocation, memo: MemoRef) -> None:
    """Let a memory be recalled wherever you speak."""
    _change(call, memo, "Shared", lambda memory, one: memory.share(one.id, user=call.user))


def private(call: Invocation, memo: MemoRef) -> None:
    """Let a memory be recalled in your direct messages only."""
    own = Audience("dm", call.user)
    _change(call, memo, "Private", lambda memory, one: memory.share(one.id, user=call.user, audience=own))


def _change(call: Invocation, ref: str, done: str, change: Callable[[AsyncMemory, Memo], Awaitable[Memo]]) -> None:
    async def work(memory: AsyncMemory) -> Memo:
        return await change(memory, await meant(memory, call, ref))

    memo = call.run(work)
    if call.options.json:
        call.screen.data({"memo": records.memo(memo)})
    else:
        call.screen.say(f'{done}: "{memo.text}"')


def observe(call: Invocation, text: Texts) -> None:
    """Say something: it goes into the journal, and is learned from."""
    message = Message(uuid4().hex, call.user, call.place, said(text), now(), name=call.user)

    async def work(memory: AsyncMemory) -> tuple[bool, LearnedOutcome]:
        return await memory.add(message), await memory.wait_learned(message, _PATIENCE)

    added, learned = call.run(work, embeds=True, run_worker=True)
    if call.options.json:
        memos = [records.memo(memo) for memo in learned.memos.values()]
        call.screen.data({"added": added, "message": records.message(message), "learned": memos, "done": learned.done})
        return
    call.screen.say(message.id)
    for line in outcome_text.learned(learned):
        call.screen.aside(f"  {line}", always=True)
    if not learned.done:
        call.screen.aside("  not learned from yet; 'recollect jobs' shows what waits")
