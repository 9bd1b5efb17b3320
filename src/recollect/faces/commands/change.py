"""Commands that change memory: each is one transaction, which undo reverts as far as memos go."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from recollect.core.outcomes import Ambiguous, Forgotten, NotFound, Refused, Undone
from recollect.core.text import clip
from recollect.core.types import Audience, Memo
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.parse import split, split_reference, unquoted
from recollect.faces.commands.request import CommandRequest, clean_text, list_memos, resolve_memo
from recollect.faces.wording import say

MARGIN_CHARS = 60
"""Room for the rest of a reply around the text that it quotes."""


async def remember(request: CommandRequest) -> str:
    if not unquoted(request.words):
        return usage("remember", request.prefix)
    text = unquoted(request.words)
    outcome = await request.view.remember(text, message=request.message)
    if isinstance(outcome, Refused):
        return outcome_text.render_refused(outcome)
    how = say('"{}{} <a part of it>"', request.prefix, "{}")
    audience = outcome_text.render_audience(outcome.memo, request.memory.settings.visibility, how)
    max_chars = max(MARGIN_CHARS, request.page_chars - MARGIN_CHARS - len(audience))
    clipped = replace(outcome, memo=replace(outcome.memo, text=clip(outcome.memo.text, max_chars)))
    replaced, literal = (
        map(outcome_text.render_replaced, outcome.replaced),
        outcome_text.is_literal(request.memory.settings),
    )
    return "\n".join(filter(None, [outcome_text.render_remembered(clipped, literal=literal), *replaced, audience]))


async def forget(request: CommandRequest) -> str:
    first_word, remaining = split(request.words)
    is_all = first_word == "all"
    query = clean_text(remaining if is_all else request.words)
    if not query:
        return usage("forget", request.prefix)
    is_literal = not request.memory.settings.chat_commands.forget_asks
    match await request.view.forget(query, every=is_all or is_literal):
        case Forgotten() as outcome:
            return _render_forgotten(request, outcome, query)
        case Ambiguous(matches):
            everything = f"{request.prefix}forget all {outcome_text.quote_input(query)}"
            advice = say('Nothing was changed. Say which by its number, or "{}".', everything)
            return f"{await _render_matches(request, query, matches)}\n{advice}"
        case NotFound():
            return _render_not_found(request, query)


def _render_forgotten(request: CommandRequest, outcome: Forgotten, query: str) -> str:
    """List the forgotten memos, unless the query already says it all."""
    memos, literal = outcome.memos, outcome_text.is_literal(request.memory.settings)
    reply = outcome_text.render_forgotten(
        outcome, outcome_text.quote_input(query), literal=literal, undo=f"{request.prefix}undo"
    )
    is_quoted = len(memos) == 1 and query.casefold() in memos[0].text.casefold()
    return reply if is_quoted else "\n".join([reply, *(outcome_text.line(memo, literal=literal) for memo in memos)])


def _render_not_found(request: CommandRequest, query: str) -> str:
    reply = outcome_text.render_no_match(outcome_text.quote_input(query))
    if request.memory.settings.forget_mode != "coverage60":
        return reply
    return say('{} closely enough: say at least 60 % of its text, or its number in "{}list"', reply, request.prefix)


async def _render_matches(request: CommandRequest, query: str, matches: Collection[Memo]) -> str:
    return "\n".join([_match_header(matches, query), *_numbered(await list_memos(request), matches)])


def _match_header(matches: Collection[Memo], query: str) -> str:
    return say('{} match "{}":', outcome_text.count_noun(len(matches)), outcome_text.quote_input(query))


def _numbered(memos: Sequence[Memo], matches: Collection[Memo]) -> list[str]:
    """The matches with their numbers in the whole list."""
    ids = {memo.id for memo in matches}
    return [outcome_text.numbered(index, memo) for index, memo in enumerate(memos, 1) if memo.id in ids]


async def render_unresolved(request: CommandRequest, outcome: Ambiguous | NotFound) -> str:
    """The answer when the words don't identify one memo."""
    query = clean_text(request.words)
    if isinstance(outcome, NotFound):
        return outcome_text.render_no_match(outcome_text.quote_input(query))
    return f"{await _render_matches(request, query, outcome.matches)}\n{say('Say which by its number.')}"


async def edit(request: CommandRequest) -> str:
    """The first word, or several in quotation marks, select the memo."""
    which, text = split_reference(request.words)
    if not which or not text:
        return usage("edit", request.prefix)
    memo = await resolve_memo(replace(request, words=which))
    if not isinstance(memo, Memo):
        return await render_unresolved(replace(request, words=which), memo)
    changed = await request.view.update(memo.id, clean_text(text), version=memo.version)
    return say("{}. Undo: {}", outcome_text.changed("Changed to", changed), f"{request.prefix}undo")


async def restore(request: CommandRequest) -> str:
    query = clean_text(request.words)
    if not query:
        return usage("restore", request.prefix)
    outcome = await request.view.restore(query)
    if not isinstance(outcome, Ambiguous):
        return outcome_text.render_restored(outcome)
    numbered = _numbered((await request.view.forgotten()).memos, outcome.matches)
    advice = say("Nothing was changed. Say which by its number.")
    return "\n".join([_match_header(outcome.matches, query), *numbered, advice])


async def undo(request: CommandRequest) -> str:
    outcome = await request.view.undo()
    text = outcome_text.render_undo(outcome)
    return f"{text}\n{say('Redo: {}', f'{request.prefix}redo')}" if isinstance(outcome, Undone) else text


async def redo(request: CommandRequest) -> str:
    return outcome_text.render_undo(await request.view.redo(), outcome_text.NOTHING_TO_REDO)


async def reset(request: CommandRequest) -> str:
    if clean_text(request.words).casefold() != "rolling":
        return usage("reset", request.prefix)
    cleared = outcome_text.render_reset(await request.view.reset())
    return cleared if request.memory.settings.summary.enabled else f"{cleared}. {say(outcome_text.NO_SUMMARIES)}"


async def pin(request: CommandRequest) -> str:
    return await _change(request, "pin", "Pinned", request.view.pin)


async def unpin(request: CommandRequest) -> str:
    return await _change(request, "unpin", "Unpinned", partial(request.view.pin, pinned=False))


async def share(request: CommandRequest) -> str:
    return await _change(request, "share", "Shared", request.view.share)


async def private(request: CommandRequest) -> str:
    only_in_dm = partial(request.view.share, audience=Audience("dm", request.user))
    return await _change(request, "private", "Private", only_in_dm)


async def _change(request: CommandRequest, verb: str, label: str, change: Callable[[str], Awaitable[Memo]]) -> str:
    if not clean_text(request.words):
        return usage(verb, request.prefix)
    memo = await resolve_memo(request)
    if not isinstance(memo, Memo):
        return await render_unresolved(request, memo)
    return outcome_text.changed(label, await change(memo.id))


async def pause(request: CommandRequest) -> str:
    await request.view.pause_learning()
    return outcome_text.typed(outcome_text.PAUSED, request.prefix)


async def resume(request: CommandRequest) -> str:
    return say(outcome_text.RESUMED if await request.view.resume_learning() else outcome_text.NOT_PAUSED)
