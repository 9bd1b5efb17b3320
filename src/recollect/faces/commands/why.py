"""The order `why`: who said it, in which words, where and when, what it replaced, and what happened to it since.

Outside of its owner's DM only that is told which could be heard there itself.
"""

from recollect.core.errors import UnknownMemo
from recollect.core.events import Event
from recollect.core.outcomes import NotFound
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Memo
from recollect.faces import outcome_text
from recollect.faces.commands.change import unsettled
from recollect.faces.commands.help import usage
from recollect.faces.commands.request import CommandRequest, meaning, resolve_memo
from recollect.policy.visibility import is_source_visible
from recollect.recall.listing import source_message

MOST = 20
"""Changes that are told, newest first."""


async def why(ask: CommandRequest) -> str:
    if not meaning(ask.words):
        return usage("why")
    found = await resolve_memo(ask)
    if isinstance(found, NotFound):
        found = await _retired(ask) or found
    if not isinstance(found, Memo):
        return await unsettled(ask, found)
    return "\n".join([*_itself(found), await _said(ask, found), *await _lineage(ask, found), *await _past(ask, found)])


async def _retired(ask: CommandRequest) -> Memo | None:
    """One that no longer counts can be asked for by its id."""
    try:
        return await ask.memory.get(meaning(ask.words), user=ask.user, place=ask.place)
    except UnknownMemo:
        return None


def _itself(memo: Memo) -> list[str]:
    state = f"{memo.status}, pinned" if memo.pinned else memo.status.value
    heard = outcome_text.HEARD[memo.audience.level]
    return [f"[{memo.kind}] {memo.text}", f"It is {state} ({memo.id}) and may be recalled {heard}."]


async def _said(ask: CommandRequest, memo: Memo) -> str:
    """`Said by you in #dev on 2025-03-01 12:00: "I work at Acme"`"""
    source = memo.source
    message = await ask.memory.store.read(lambda tx: source_message(tx, memo))
    told = is_source_visible(memo, ask.place, message)
    where = _where(memo) if told else " elsewhere"
    at = message.at if message is not None else memo.created
    words = source.evidence or (message.text if message is not None else "")
    quote = f': "{clip(collapse_spaces(words), 500)}"' if told and words else ""
    return f"Said by {_who(ask, source.actor)}{where} on {at:%Y-%m-%d %H:%M}{quote}"


def _where(memo: Memo) -> str:
    source = memo.source
    channel = source.channel_name or (source.guild and (source.thread or source.channel))
    return f" in #{channel}" if channel else " in a direct message"


async def _lineage(ask: CommandRequest, memo: Memo) -> list[str]:
    lines: list[str] = []
    for other, verb in ((memo.supersedes, "It took the place of"), (memo.superseded_by, "It gave way to")):
        try:
            told = await ask.memory.get(other, user=ask.user, place=ask.place) if other else None
        except UnknownMemo:  # it may not be told here
            told = None
        if told is not None:
            lines.append(f'{verb}: "{told.text}"')
    return lines


async def _past(ask: CommandRequest, memo: Memo) -> list[str]:
    events = await ask.memory.history(memo.id, user=ask.user, place=ask.place)
    lines = [_event(ask, event) for event in events[:MOST]]
    if len(events) > MOST:
        lines.append(f"- and {len(events) - MOST:,} earlier changes")
    return ["What happened to it, newest first:", *lines] if lines else []


def _event(ask: CommandRequest, event: Event) -> str:
    """Reasons and earlier words may come from where others did not hear them: they are for the owner alone."""
    done = event.kind.rpartition(".")[2]
    line = f"- {event.at:%Y-%m-%d %H:%M} {done} by {_who(ask, event.actor)}"
    if not ask.alone:
        return line
    before = event.data.get("before", {}).get("text")
    changed = f', before: "{clip(before, 200)}"' if before else ""
    return f"{line} ({event.reason}){changed}" if event.reason else f"{line}{changed}"


def _who(ask: CommandRequest, actor: str) -> str:
    return "you" if actor == ask.user else actor or "someone"
