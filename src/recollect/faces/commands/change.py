"""Orders that change memory: each is one transaction, and undo takes back what it did to memos."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from recollect.core.changes import Retire
from recollect.core.outcomes import Ambiguous, CannotUndo, Forgotten, NotFound, Undone
from recollect.core.text import clip
from recollect.core.types import EVERYWHERE, Audience, Memo, Status
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.parse import split, unquoted
from recollect.faces.commands.request import CommandRequest, listed, meaning, resolve_memo
from recollect.learning import consent
from recollect.policy.viewer import subject_of

_AROUND = 40
"""Characters of a reply around the text that it repeats."""


async def remember(ask: CommandRequest) -> str:
    if not unquoted(ask.words):
        return usage("remember")
    text = unquoted(ask.words)
    done = await ask.memory.remember(text, user=ask.user, place=ask.place, message=ask.message)
    hearing = outcome_text.hearing(done.memo, ask.memory.settings.visibility)
    room = max(_AROUND, ask.room - _AROUND - len(hearing))
    shown = replace(done, memo=replace(done.memo, text=clip(done.memo.text, room)))
    gone = [change.before for change in done.changes if isinstance(change, Retire) and _is_replaced(change)]
    return "\n".join(filter(None, [outcome_text.remembered(shown), *map(outcome_text.replaced, gone), hearing]))


def _is_replaced(change: Retire) -> bool:
    return change.after.status is Status.SUPERSEDED


async def forget(ask: CommandRequest) -> str:
    first, rest = split(ask.words)
    every = first == "all"
    what = meaning(rest if every else ask.words)
    if not what:
        return usage("forget")
    outcome = await ask.memory.forget(what, user=ask.user, place=ask.place, every=every)
    match outcome:
        case Forgotten(memos):
            return _forgotten(ask, memos, what)
        case Ambiguous(matches):
            how = f'Nothing was changed. Say which by its number, or "!memory forget all {outcome_text.echo(what)}".'
            return f"{await _several(ask, what, matches)}\n{how}"
        case NotFound():
            return _nothing(ask, what)


def _forgotten(ask: CommandRequest, memos: Collection[Memo], what: str) -> str:
    """What the words already say is not said again."""
    reply = outcome_text.forgotten(memos, outcome_text.echo(what))
    said = len(memos) == 1 and all(what.casefold() in memo.text.casefold() for memo in memos)
    return reply if said else "\n".join([reply, *(outcome_text.line(memo, ask.place) for memo in memos)])


def _nothing(ask: CommandRequest, what: str) -> str:
    reply = outcome_text.nothing_matched(outcome_text.echo(what))
    if ask.memory.settings.forget_mode != "coverage60":
        return reply
    return f'{reply} closely enough: say at least 60 % of its text, or its number in "!memory list"'


async def _several(ask: CommandRequest, what: str, matches: Collection[Memo]) -> str:
    wanted = {memo.id for memo in matches}
    numbered = [(number, memo) for number, memo in enumerate(await listed(ask), 1) if memo.id in wanted]
    head = f'{outcome_text.counted(len(matches))} match "{outcome_text.echo(what)}":'
    return "\n".join([head, *(outcome_text.numbered(number, memo) for number, memo in numbered)])


async def unsettled(ask: CommandRequest, found: Ambiguous | NotFound) -> str:
    """The answer when no single memo is meant."""
    what = meaning(ask.words)
    if isinstance(found, NotFound):
        return outcome_text.nothing_matched(outcome_text.echo(what))
    return f"{await _several(ask, what, found.matches)}\nSay which by its number."


async def undo(ask: CommandRequest) -> str:
    done = await ask.memory.undo(user=ask.user, place=ask.place)
    match done:
        case Undone():
            return outcome_text.undone(done)
        case CannotUndo(reason):
            return outcome_text.sentence(reason)
        case None:
            return outcome_text.NOTHING_TO_UNDO


async def reset(ask: CommandRequest) -> str:
    if meaning(ask.words).casefold() != "rolling":
        return usage("reset")
    cleared = outcome_text.cleared(await ask.memory.reset(user=ask.user, place=ask.place))
    return cleared if ask.memory.settings.summary.enabled else f"{cleared}. {outcome_text.NO_SUMMARIES}"


async def pin(ask: CommandRequest) -> str:
    return await _change(ask, "pin", "Pinned", lambda memo_id: ask.memory.pin(memo_id, user=ask.user, place=ask.place))


async def unpin(ask: CommandRequest) -> str:
    return await _change(
        ask,
        "unpin",
        "Unpinned",
        lambda memo_id: ask.memory.pin(memo_id, user=ask.user, place=ask.place, pinned=False),
    )


async def share(ask: CommandRequest) -> str:
    return await _open(ask, "share", "Shared", EVERYWHERE)


async def private(ask: CommandRequest) -> str:
    return await _open(ask, "private", "Private", Audience("dm", ask.user))


async def _open(ask: CommandRequest, verb: str, done: str, audience: Audience) -> str:
    return await _change(
        ask,
        verb,
        done,
        lambda memo_id: ask.memory.share(memo_id, user=ask.user, place=ask.place, audience=audience),
    )


async def _change(ask: CommandRequest, verb: str, done: str, change: Callable[[str], Awaitable[Memo]]) -> str:
    if not meaning(ask.words):
        return usage(verb)
    found = await resolve_memo(ask)
    if not isinstance(found, Memo):
        return await unsettled(ask, found)
    return outcome_text.changed(done, await change(found.id))


async def pause(ask: CommandRequest) -> str:
    user = subject_of(ask.user, ask.place).id
    await ask.memory.store.write(lambda tx: consent.pause(tx, user, ask.now))
    return outcome_text.PAUSED


async def resume(ask: CommandRequest) -> str:
    user = subject_of(ask.user, ask.place).id
    was = await ask.memory.store.write(lambda tx: consent.resume(tx, user, ask.now))
    return outcome_text.RESUMED if was else outcome_text.NOT_PAUSED
