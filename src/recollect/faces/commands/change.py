"""Commands that change memory: each is one transaction, which undo reverts as far as memos go."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from recollect.core.changes import Retire
from recollect.core.outcomes import Ambiguous, CannotUndo, Forgotten, NotFound, Undone
from recollect.core.text import clip
from recollect.core.types import EVERYWHERE, Audience, Memo, Status
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.parse import split, unquoted
from recollect.faces.commands.request import CommandRequest, clean_text, list_memos, resolve_memo
from recollect.learning import consent
from recollect.policy.viewer import subject_of

MARGIN_CHARS = 40
"""Room for the words of a reply around the text that it quotes."""


async def remember(request: CommandRequest) -> str:
    if not unquoted(request.words):
        return usage("remember")
    text = unquoted(request.words)
    outcome = await request.memory.remember(text, user=request.user, place=request.place, message=request.message)
    audience = outcome_text.render_audience(outcome.memo, request.memory.settings.visibility)
    max_chars = max(MARGIN_CHARS, request.page_chars - MARGIN_CHARS - len(audience))
    clipped = replace(outcome, memo=replace(outcome.memo, text=clip(outcome.memo.text, max_chars)))
    replaced = [change.before for change in outcome.changes if isinstance(change, Retire) and _is_replaced(change)]
    return "\n".join(
        filter(None, [outcome_text.render_remembered(clipped), *map(outcome_text.replaced, replaced), audience])
    )


def _is_replaced(change: Retire) -> bool:
    return change.after.status is Status.SUPERSEDED


async def forget(request: CommandRequest) -> str:
    first_word, remaining = split(request.words)
    is_all = first_word == "all"
    query = clean_text(remaining if is_all else request.words)
    if not query:
        return usage("forget")
    outcome = await request.memory.forget(query, user=request.user, place=request.place, every=is_all)
    match outcome:
        case Forgotten(memos):
            return _render_forgotten(request, memos, query)
        case Ambiguous(matches):
            advice = (
                f'Nothing was changed. Say which by its number, or "!memory forget all {outcome_text.echo(query)}".'
            )
            return f"{await _render_matches(request, query, matches)}\n{advice}"
        case NotFound():
            return _render_not_found(request, query)


def _render_forgotten(request: CommandRequest, memos: Collection[Memo], query: str) -> str:
    """List the forgotten memos, unless the query already says it all."""
    reply = outcome_text.render_forgotten(memos, outcome_text.echo(query))
    is_quoted = len(memos) == 1 and all(query.casefold() in memo.text.casefold() for memo in memos)
    return reply if is_quoted else "\n".join([reply, *(outcome_text.line(memo, request.place) for memo in memos)])


def _render_not_found(request: CommandRequest, query: str) -> str:
    reply = outcome_text.nothing_matched(outcome_text.echo(query))
    if request.memory.settings.forget_mode != "coverage60":
        return reply
    return f'{reply} closely enough: say at least 60 % of its text, or its number in "!memory list"'


async def _render_matches(request: CommandRequest, query: str, matches: Collection[Memo]) -> str:
    matching_ids = {memo.id for memo in matches}
    numbered = [(index, memo) for index, memo in enumerate(await list_memos(request), 1) if memo.id in matching_ids]
    header = f'{outcome_text.count_noun(len(matches))} match "{outcome_text.echo(query)}":'
    return "\n".join([header, *(outcome_text.numbered(index, memo) for index, memo in numbered)])


async def render_unresolved(request: CommandRequest, outcome: Ambiguous | NotFound) -> str:
    """The answer when the words don't identify one memo."""
    query = clean_text(request.words)
    if isinstance(outcome, NotFound):
        return outcome_text.nothing_matched(outcome_text.echo(query))
    return f"{await _render_matches(request, query, outcome.matches)}\nSay which by its number."


async def undo(request: CommandRequest) -> str:
    outcome = await request.memory.undo(user=request.user, place=request.place)
    match outcome:
        case Undone():
            return outcome_text.render_undone(outcome)
        case CannotUndo():
            return outcome_text.sentence(outcome.text)
        case None:
            return outcome_text.NOTHING_TO_UNDO


async def reset(request: CommandRequest) -> str:
    if clean_text(request.words).casefold() != "rolling":
        return usage("reset")
    cleared = outcome_text.cleared(await request.memory.reset(user=request.user, place=request.place))
    return cleared if request.memory.settings.summary.enabled else f"{cleared}. {outcome_text.NO_SUMMARIES}"


async def pin(request: CommandRequest) -> str:
    return await _change(
        request, "pin", "Pinned", lambda memo_id: request.memory.pin(memo_id, user=request.user, place=request.place)
    )


async def unpin(request: CommandRequest) -> str:
    return await _change(
        request,
        "unpin",
        "Unpinned",
        lambda memo_id: request.memory.pin(memo_id, user=request.user, place=request.place, pinned=False),
    )


async def share(request: CommandRequest) -> str:
    return await _set_audience(request, "share", "Shared", EVERYWHERE)


async def private(request: CommandRequest) -> str:
    return await _set_audience(request, "private", "Private", Audience("dm", request.user))


async def _set_audience(request: CommandRequest, verb: str, label: str, audience: Audience) -> str:
    return await _change(
        request,
        verb,
        label,
        lambda memo_id: request.memory.share(memo_id, user=request.user, place=request.place, audience=audience),
    )


async def _change(request: CommandRequest, verb: str, label: str, change: Callable[[str], Awaitable[Memo]]) -> str:
    if not clean_text(request.words):
        return usage(verb)
    memo = await resolve_memo(request)
    if not isinstance(memo, Memo):
        return await render_unresolved(request, memo)
    return outcome_text.changed(label, await change(memo.id))


async def pause(request: CommandRequest) -> str:
    user = subject_of(request.user, request.place).id
    await request.memory.store.write(lambda tx: consent.pause(tx, user, request.now))
    return outcome_text.PAUSED


async def resume(request: CommandRequest) -> str:
    user = subject_of(request.user, request.place).id
    was_paused = await request.memory.store.write(lambda tx: consent.resume(tx, user, request.now))
    return outcome_text.RESUMED if was_paused else outcome_text.NOT_PAUSED
