"""Orders that change memory: each is one transaction, and undo takes back what it did to memos."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from recollect import pausing, replies
from recollect.commands import Ambiguous, Forgotten, NoMatch
from recollect.orders.ask import Ask, listed, meaning, meant
from recollect.orders.guide import usage
from recollect.orders.order import split, unquoted
from recollect.speaking import subject_of
from recollect.text import clip
from recollect.types import EVERYWHERE, Audience, Memo, Retire, Status
from recollect.undoing import CannotUndo, Undone

_AROUND = 40
"""Characters of a reply around the text that it repeats."""


async def remember(ask: Ask) -> str:
    if not unquoted(ask.words):
        return usage("remember")
    text = unquoted(ask.words)
    done = await ask.memory.remember(text, user=ask.user, place=ask.place, message=ask.message)
    hearing = replies.hearing(done.memo, ask.memory.settings.privacy)
    room = max(_AROUND, ask.room - _AROUND - len(hearing))
    shown = replace(done, memo=replace(done.memo, text=clip(done.memo.text, room)))
    gone = [change.before for change in done.changes if isinstance(change, Retire) and _is_replaced(change)]
    return "\n".join(filter(None, [replies.remembered(shown), *map(replies.replaced, gone), hearing]))


def _is_replaced(change: Retire) -> bool:
    return change.after.status is Status.SUPERSEDED


async def forget(ask: Ask) -> str:
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
            how = f'Nothing was changed. Say which by its number, or "!memory forget all {replies.echo(what)}".'
            return f"{await _several(ask, what, matches)}\n{how}"
        case NoMatch():
            return _nothing(ask, what)


def _forgotten(ask: Ask, memos: Collection[Memo], what: str) -> str:
    """What the words already say is not said again."""
    reply = replies.forgotten(memos, replies.echo(what))
    said = len(memos) == 1 and all(what.casefold() in memo.text.casefold() for memo in memos)
    return reply if said else "\n".join([reply, *(replies.line(memo, ask.place) for memo in memos)])


def _nothing(ask: Ask, what: str) -> str:
    reply = replies.nothing_matched(replies.echo(what))
    if ask.memory.settings.forget_mode != "coverage60":
        return reply
    return f'{reply} closely enough: say at least 60 % of its text, or its number in "!memory list"'


async def _several(ask: Ask, what: str, matches: Collection[Memo]) -> str:
    wanted = {memo.id for memo in matches}
    numbered = [(number, memo) for number, memo in enumerate(await listed(ask), 1) if memo.id in wanted]
    head = f'{replies.counted(len(matches))} match "{replies.echo(what)}":'
    return "\n".join([head, *(replies.numbered(number, memo) for number, memo in numbered)])


async def unsettled(ask: Ask, found: Ambiguous | NoMatch) -> str:
    """The answer when no single memo is meant."""
    what = meaning(ask.words)
    if isinstance(found, NoMatch):
        return replies.nothing_matched(replies.echo(what))
    return f"{await _several(ask, what, found.matches)}\nSay which by its number."


async def undo(ask: Ask) -> str:
    done = await ask.memory.undo(user=ask.user, place=ask.place)
    match done:
        case Undone():
            return replies.undone(done)
        case CannotUndo(reason):
            return replies.sentence(reason)
        case None:
            return replies.NOTHING_TO_UNDO


async def reset(ask: Ask) -> str:
    if meaning(ask.words).casefold() != "rolling":
        return usage("reset")
    cleared = replies.cleared(await ask.memory.reset(user=ask.user, place=ask.place))
    return cleared if ask.memory.settings.summary.enabled else f"{cleared}. {replies.NO_SUMMARIES}"


async def pin(ask: Ask) -> str:
    return await _change(ask, "pin", "Pinned", lambda memo_id: ask.memory.pin(memo_id, user=ask.user, place=ask.place))


async def unpin(ask: Ask) -> str:
    return await _change(
        ask,
        "unpin",
        "Unpinned",
        lambda memo_id: ask.memory.pin(memo_id, user=ask.user, place=ask.place, pinned=False),
    )


async def share(ask: Ask) -> str:
    return await _open(ask, "share", "Shared", EVERYWHERE)


async def private(ask: Ask) -> str:
    return await _open(ask, "private", "Private", Audience("dm", ask.user))


async def _open(ask: Ask, verb: str, done: str, audience: Audience) -> str:
    return await _change(
        ask,
        verb,
        done,
        lambda memo_id: ask.memory.share(memo_id, user=ask.user, place=ask.place, audience=audience),
    )


async def _change(ask: Ask, verb: str, done: str, change: Callable[[str], Awaitable[Memo]]) -> str:
    if not meaning(ask.words):
        return usage(verb)
    found = await meant(ask)
    if not isinstance(found, Memo):
        return await unsettled(ask, found)
    return replies.changed(done, await change(found.id))


async def pause(ask: Ask) -> str:
    user = subject_of(ask.user, ask.place).id
    await ask.memory.store.write(lambda tx: pausing.pause(tx, user, ask.now))
    return replies.PAUSED


async def resume(ask: Ask) -> str:
    user = subject_of(ask.user, ask.place).id
    was = await ask.memory.store.write(lambda tx: pausing.resume(tx, user, ask.now))
    return replies.RESUMED if was else replies.NOT_PAUSED
