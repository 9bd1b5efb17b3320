"""Commands that change what is remembered: remember, forget, restore, undo, pin, share, add."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import uuid4

import typer

from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.outcomes import (
    AlreadyActive,
    Ambiguous,
    CannotRestore,
    CannotUndo,
    ForgetOutcome,
    Forgotten,
    NotFound,
    Redone,
    RedoOutcome,
    Refused,
    Remembered,
    RememberOutcome,
    Restored,
    RestoreOutcome,
    Undoable,
    Undone,
    UndoOffer,
    UndoOutcome,
)
from recollect.core.reasons import Reason
from recollect.core.types import Audience, Kind, Memo, Message
from recollect.faces import outcome_text
from recollect.faces.cli import records
from recollect.faces.cli.choice import by_number, number_memos, render_listing, with_memo
from recollect.faces.cli.inputs import ask, read_text
from recollect.faces.cli.invocation import FAILED, NO_MATCH, USAGE, Invocation, fail
from recollect.faces.cli.options import MemoWords, Texts, flag
from recollect.faces.cli.output import describe_audience
from recollect.learning.ingest import LearnedOutcome
from recollect.memory import AsyncMemory

LEARN_TIMEOUT_SECONDS = 30.0
"""How long a person waits to see what was learned."""
_RESTORE_OUTCOMES = {
    Restored: "restored",
    AlreadyActive: "active",
    CannotRestore: "refused",
    Ambiguous: "ambiguous",
    NotFound: "none",
}
_KIND_HELP = f"What sort of thing it is, unless its wording tells: {', '.join(Kind)}."


def remember(
    call: Invocation,
    text: Texts,
    kind: Annotated[Kind | None, typer.Option(metavar="KIND", help=_KIND_HELP)] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A word to find it by; may be repeated.")] = None,
    pin: Annotated[bool, flag("--pin", meaning="Never let it give way to newer memories.")] = False,
    lore: Annotated[bool, flag("--lore", meaning="It belongs to the guild of --in, not to you.")] = False,
    private: Annotated[bool, flag("--private", meaning="Recall it in your direct messages only.")] = False,
) -> None:
    """Remember a statement, merged with what is known."""
    if lore and private:
        raise BadInput("lore belongs to a whole guild: it can't be private")
    statement = read_text(text)

    async def work(memory: AsyncMemory) -> tuple[RememberOutcome, str]:
        outcome = await memory.remember(
            statement,
            user=call.user,
            place=call.where,
            kind=kind,
            tags=tag or (),
            pinned=pin,
            lore=lore,
            audience=Audience("dm", call.user) if private else None,
        )
        if isinstance(outcome, Refused):
            return outcome, ""
        command = f"'recollect {{}} {outcome.memo.id}'"
        return outcome, outcome_text.render_audience(outcome.memo, memory.settings.visibility, command)

    outcome, audience_hint = call.run(work, embeds=True)
    if isinstance(outcome, Refused):
        _print_refused(call, outcome)
    else:
        _print_remembered(call, outcome, audience_hint)


def _print_refused(call: Invocation, outcome: Refused) -> None:
    if call.options.json:
        call.screen.data({"outcome": outcome.verdict, "reason": outcome.reason.value})
    fail(outcome_text.render_refused(outcome), USAGE if outcome.reason is Reason.EMPTY else FAILED)


def _print_remembered(call: Invocation, outcome: Remembered, audience_hint: str) -> None:
    first = next(iter(outcome.changes), None)  # none where the change may not be shown
    reason = "" if first is None else first.text
    if call.options.json:
        memo, replaced = records.from_memo(outcome.memo), list(map(records.from_memo, outcome.replaced))
        call.screen.data({"outcome": outcome.verdict, "reason": reason, "memo": memo, "replaced": replaced})
        return
    literal = outcome_text.is_literal(call.load("null").settings)
    call.screen.say(outcome_text.render_remembered(outcome, literal=literal))
    if audience_hint:
        call.screen.aside(f"  {audience_hint}", always=True)
    call.screen.aside(f"  {outcome.memo.kind} · heard {describe_audience(outcome.memo)} · {outcome.memo.id}")
    if outcome.verdict != "added" and reason:
        call.screen.aside(f"  {reason}")
    for memo in outcome.replaced:
        call.screen.aside(f"  {outcome_text.changed('takes the place of', memo)}")


def forget(
    call: Invocation,
    words: MemoWords,
    every: Annotated[bool, flag("--all", meaning="Forget all that match.")] = False,
    yes: Annotated[bool, flag("--yes", "-y", meaning="Don't ask before forgetting several.")] = False,
) -> None:
    """Forget what matches; undo brings it back."""
    query = read_text(words)
    forget_all = every and (yes or not call.is_interactive)
    outcome = call.look(lambda memory: memory.forget(query, user=call.user, place=call.where, every=forget_all))
    if isinstance(outcome, Ambiguous) and call.is_interactive:
        outcome = _choose(call, query, outcome, every)
    _print_forgotten(call, query, outcome)


def _choose(call: Invocation, query: str, ambiguous: Ambiguous, every: bool) -> ForgetOutcome:
    """Let a person choose from several matches."""
    numbered = number_memos(call, ambiguous.matches)
    call.screen.say(f'{len(numbered)} memories match "{query}":\n{render_listing(numbered)}')
    reply = ask("Forget all of them? (yes or no) " if every else "Which one? (its number, all or none) ")
    if reply in (("yes", "y", "all") if every else ("all",)):
        return call.look(lambda memory: memory.view(call.user, call.where).forget_all(ambiguous.matches))
    chosen = numbered.get(reply.removeprefix("#"))
    if chosen is None:
        fail("nothing was forgotten", NO_MATCH)
    return call.look(lambda memory: memory.forget(chosen.id, user=call.user, place=call.where))


def _print_forgotten(call: Invocation, query: str, outcome: ForgetOutcome) -> None:
    name, memos = _name_and_memos(outcome)
    if call.options.json:
        data = {"outcome": name, "what": query, "memos": [records.from_memo(memo) for memo in memos]}
        if isinstance(outcome, Forgotten):
            data |= {"hidden": {"replies": outcome.replies, "summary_lines": outcome.summary_lines}}
        call.screen.data(data)
        if name != "forgotten":
            raise typer.Exit(NO_MATCH)
        return
    match outcome:
        case Forgotten():
            literal = outcome_text.is_literal(call.load("null").settings)
            text = outcome_text.render_forgotten(outcome, query, literal=literal, undo="recollect undo")
            call.screen.say(text)
            for memo in memos:
                call.screen.aside(f'  "{outcome_text.in_second_person(memo.text)}"')
        case NotFound():
            fail(outcome_text.render_no_match(query), NO_MATCH)
        case Ambiguous():
            listing = render_listing(number_memos(call, memos))
            hint = f"say which: 'recollect forget {memos[0].id}', or all of them: add --all"
            fail(f'{len(memos)} memories match "{query}"; nothing was forgotten\n{listing}\n{hint}', NO_MATCH)


def _name_and_memos(outcome: ForgetOutcome) -> tuple[str, tuple[Memo, ...]]:
    match outcome:
        case Forgotten(memos):
            return "forgotten", memos
        case Ambiguous(memos):
            return "ambiguous", memos
        case NotFound():
            return "none", ()


def restore(
    call: Invocation,
    words: Annotated[
        list[str],
        typer.Argument(metavar="WHAT", help="A part of its text, its id, or its number in 'show --forgotten'."),
    ],
) -> None:
    """Bring back what was forgotten or replaced."""
    query = read_text(words)
    outcome = call.look(lambda memory: memory.restore(query, user=call.user, place=call.where), embeds=True)
    is_done = isinstance(outcome, Restored | AlreadyActive)
    if call.options.json:
        call.screen.data(_restored_data(query, outcome))
        if not is_done:
            raise typer.Exit(NO_MATCH)
    elif isinstance(outcome, Ambiguous):
        forgotten = call.look(lambda memory: memory.forgotten(user=call.user, place=call.where)).memos
        listing = render_listing(by_number(forgotten, outcome.matches))
        hint = f"say which: 'recollect restore {outcome.matches[0].id}'"
        fail(f'{len(outcome.matches)} memories match "{query}"; nothing was restored\n{listing}\n{hint}', NO_MATCH)
    elif is_done:
        call.screen.say(outcome_text.render_restored(outcome))
    else:
        fail(outcome_text.render_restored(outcome), NO_MATCH)


def _restored_data(query: str, outcome: RestoreOutcome) -> dict[str, Any]:
    data: dict[str, Any] = {"outcome": _RESTORE_OUTCOMES[type(outcome)], "what": query}
    match outcome:
        case Restored(memo, replaced, archived):
            changed = {"replaced": replaced, "archived": archived}
            lists = {name: [records.from_memo(other) for other in memos] for name, memos in changed.items()}
            return {**data, "memo": records.from_memo(memo), **lists}
        case AlreadyActive(memo):
            return {**data, "memo": records.from_memo(memo)}
        case Ambiguous(matches):
            return {**data, "memos": [records.from_memo(memo) for memo in matches]}
        case _:
            return data


def undo(
    call: Invocation,
    change: Annotated[
        int | None,
        typer.Argument(
            metavar="CHANGE", min=0, help="This one, by its number in 'log', if its memories did not change since."
        ),
    ] = None,
    dry_run: Annotated[bool, flag("--dry-run", meaning="Show what would change, and change nothing.")] = False,
) -> None:
    """Take back the last change; again for the one before it."""
    if dry_run:
        offer = call.look(lambda memory: memory.undoable(user=call.user, place=call.where, change=change))
        _report_undo(call, offer, "undoable", "there is nothing to undo")
        return
    outcome = call.look(lambda memory: memory.undo(user=call.user, place=call.where, change=change), embeds=True)
    _report_undo(call, outcome, "undone", "there is nothing to undo")
    if not call.options.json:
        call.screen.aside("  'recollect redo' takes that back")


def redo(call: Invocation) -> None:
    """Take back the last undo, if nothing was changed since."""
    outcome = call.look(lambda memory: memory.redo(user=call.user, place=call.where), embeds=True)
    _report_undo(call, outcome, "redone", "there is nothing to redo")


def _report_undo(call: Invocation, outcome: UndoOffer | UndoOutcome | RedoOutcome, verdict: str, nothing: str) -> None:
    done = outcome if isinstance(outcome, Undoable) else None
    reason = outcome.text if isinstance(outcome, CannotUndo) else nothing
    if call.options.json:
        restored = [records.from_memo(memo) for memo in done.restored] if done else []
        removed = [records.from_memo(memo) for memo in done.removed] if done else []
        verdict = verdict if done else "none" if outcome is None else "refused"
        document = {"outcome": verdict, "reason": "" if done else reason}
        when = {"change": done.change if done else None, "at": done.at if done else None}
        call.screen.data({**document, **when, "restored": restored, "removed": removed})
        if not done:
            raise typer.Exit(NO_MATCH)
    elif isinstance(done, Undone | Redone):
        call.screen.say(outcome_text.render_undone(done))
    elif done:
        call.screen.say(outcome_text.render_undoable(done))
    else:
        fail(reason, NO_MATCH)


def pin(call: Invocation, words: MemoWords) -> None:
    """Protect a memory from being replaced or archived."""
    _change(call, "pin", words, "Pinned", lambda memory, memo: memory.pin(memo.id, user=call.user))


def unpin(call: Invocation, words: MemoWords) -> None:
    """Let a memory be replaced or archived again."""
    _change(call, "unpin", words, "Unpinned", lambda memory, memo: memory.pin(memo.id, user=call.user, pinned=False))


def share(call: Invocation, words: MemoWords) -> None:
    """Let a memory be recalled wherever you speak."""
    _change(call, "share", words, "Shared", lambda memory, memo: memory.share(memo.id, user=call.user))


def private(call: Invocation, words: MemoWords) -> None:
    """Let a memory be recalled in your direct messages only."""
    dm = Audience("dm", call.user)
    _change(call, "private", words, "Private", lambda memory, memo: memory.share(memo.id, user=call.user, audience=dm))


def _change(
    call: Invocation,
    command: str,
    words: list[str],
    verb: str,
    change: Callable[[AsyncMemory, Memo], Awaitable[Memo]],
) -> None:
    memo = with_memo(call, command, words, change)
    if call.options.json:
        call.screen.data({"memo": records.from_memo(memo)})
    else:
        call.screen.say(outcome_text.changed(verb, memo))


def add(call: Invocation, text: Texts) -> None:
    """Add a message: it is stored, and learned from."""
    message = Message(uuid4().hex, call.user, call.place, read_text(text), now(), name=call.user)

    async def work(memory: AsyncMemory) -> tuple[bool, LearnedOutcome]:
        return bool(await memory.add(message)), await memory.wait_learned(message, LEARN_TIMEOUT_SECONDS)

    added, learned = call.run(work, embeds=True, run_worker=True)
    if call.options.json:
        memos = [records.from_memo(memo) for memo in learned.memos.values()]
        call.screen.data(
            {"added": added, "message": records.from_message(message), "learned": memos, "done": learned.done}
        )
        return
    call.screen.say(message.id)
    for line in outcome_text.render_learned(learned):
        call.screen.aside(f"  {line}", always=True)
    if not learned.done:
        call.screen.aside("  not learned from yet; 'recollect jobs' shows what waits")
