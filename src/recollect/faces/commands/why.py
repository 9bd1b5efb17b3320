"""The command `why`: who said it, in which words, where and when, what it replaced, and what happened to it since.

Outside of the owner's DM it tells only what is visible there anyway.
"""

from collections.abc import Sequence

from recollect.core.errors import UnknownMemo
from recollect.core.events import Event
from recollect.core.outcomes import Explanation, NotFound
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Memo, bare_id
from recollect.faces import outcome_text
from recollect.faces.commands.change import render_unresolved
from recollect.faces.commands.help import usage
from recollect.faces.commands.request import CommandRequest, clean_text, resolve_memo
from recollect.faces.wording import say

MAX_EVENTS = 20
"""The newest changes are listed, the others counted."""


async def why(request: CommandRequest) -> str:
    if not clean_text(request.words):
        return usage("why", request.prefix)
    memo = await resolve_memo(request)
    try:  # one that is no longer in use is found only by its id
        explanation = await request.view.why(memo.id if isinstance(memo, Memo) else clean_text(request.words))
    except UnknownMemo:
        return await render_unresolved(request, NotFound(request.words) if isinstance(memo, Memo) else memo)
    return describe(request, explanation)


def describe(request: CommandRequest, explanation: Explanation) -> str:
    """An explanation in words, as far as it may be told where it is asked for."""
    return "\n".join(
        [
            *_describe_memo(request, explanation.memo),
            _describe_source(request, explanation),
            *filter(None, [outcome_text.citation(explanation)]),
            *_describe_lineage(explanation),
            *_describe_history(request, explanation.events),
        ]
    )


def _describe_memo(request: CommandRequest, memo: Memo) -> list[str]:
    state = ", ".join([say(memo.status.value), *([say("pinned")] if memo.pinned else [])])
    audience = outcome_text.describe_audience(memo.audience)
    is_own = memo.subject.id == request.view.user and not outcome_text.is_literal(request.memory.settings)
    text = outcome_text.in_second_person(memo.text) if is_own else memo.text
    described = say("It is {} ({}) and may be recalled {}.", state, memo.id, audience)
    return [f"[{say(memo.kind.value)}] {text}", described]


def _describe_source(request: CommandRequest, explanation: Explanation) -> str:
    """`Said by you in #dev on 2025-03-01 12:00: "I work at Acme"`"""
    memo, message, is_visible = explanation.memo, explanation.message, explanation.is_source_visible
    source = memo.source
    place_text = _describe_place(memo) if is_visible else say("elsewhere")
    said_at = message.at if message is not None else memo.created
    evidence = source.evidence or (message.text if message is not None else "")
    quote = f': "{clip(collapse_spaces(evidence), 500)}"' if is_visible and evidence else ""
    name = _actor_name(request, source.actor)
    return say("Said by {} {} on {:%Y-%m-%d %H:%M}{}", name, place_text, said_at, quote)


def _describe_place(memo: Memo) -> str:
    source = memo.source
    channel = source.channel_name or (source.guild and (source.thread or source.channel))
    return say("in #{}", channel) if channel else say("in a direct message")


def _describe_lineage(explanation: Explanation) -> list[str]:
    related = ("It took the place of", explanation.predecessor), ("It gave way to", explanation.successor)
    return [outcome_text.changed(verb, memo) for verb, memo in related if memo is not None]


def _describe_history(request: CommandRequest, events: Sequence[Event]) -> list[str]:
    lines = [_describe_event(request, event) for event in events[:MAX_EVENTS]]
    if len(events) > MAX_EVENTS:
        lines.append(say("- and {:,} earlier changes", len(events) - MAX_EVENTS))
    return [say("What happened to it, newest first:"), *lines] if lines else []


def _describe_event(request: CommandRequest, event: Event) -> str:
    """Reasons and earlier texts may come from places that others can't read: they are for the owner alone."""
    name = _actor_name(request, event.actor)
    line = say("- {:%Y-%m-%d %H:%M} {} by {}", event.at, say(event.verb), name)
    if not request.is_private:
        return line
    before = event.data.get("before", {}).get("text")
    changed = say(', before: "{}"', clip(before, 200)) if before else ""
    return f"{line} ({say(event.text)}){changed}" if event.text else f"{line}{changed}"


def _actor_name(request: CommandRequest, actor: str) -> str:
    name = bare_id(request.view.place.platform, outcome_text.actor_name(actor))
    return say("you") if actor == request.view.user else name or say("someone")
