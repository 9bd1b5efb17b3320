"""Commands that show memory: all of it, what the next prompt contains, search results, and an export."""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

from recollect.core import serialization
from recollect.core.ports.layer import Line
from recollect.core.types import Memo, Message, Status
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.parse import split
from recollect.faces.commands.request import CommandRequest, File, Reply, clean_text, list_memos
from recollect.faces.wording import say
from recollect.policy.rendering import render_end
from recollect.prompting.assemble import Prompt, Section
from recollect.settings import wiring

MAX_RESULTS = 10
NOTHING_LEFT = "Nothing was forgotten that could be restored."
_MEMORY_SECTIONS = ("durable", "relevant", "lore", "people", "rolling", "shortterm", "past")
"""The sections of a prompt that come from memory, rather than from the conversation."""


async def show(request: CommandRequest) -> str:
    option, query = split(request.words)
    if option == "injected":
        return _explain_prompt(await _next_prompt(request, query), query)
    if option not in ("", "all") or query:
        return usage("show", request.prefix)
    injected = not option and request.memory.settings.chat_commands.show == "injected"
    reply = _render_injected(request, await _next_prompt(request, "")) if injected else await _render_all(request)
    return (
        f"{reply}\n\n{outcome_text.typed(outcome_text.PAUSED, request.prefix)}"
        if await request.view.is_learning_paused()
        else reply
    )


async def _render_all(request: CommandRequest) -> str:
    listing = await request.view.show()
    is_empty = not listing.total and listing.summary is None and not listing.off
    text = outcome_text.render_listing(listing, literal=outcome_text.is_literal(request.memory.settings))
    return f"{text}\n{outcome_text.typed(outcome_text.NOTHING_YET, request.prefix)}" if is_empty else text


async def _next_prompt(request: CommandRequest, query: str) -> Prompt:
    message = Message(
        request.message or "", request.user, request.place, clean_text(query), request.now, name=request.user
    )
    return await request.view.context(message)


def _switched_off(request: CommandRequest) -> list[str]:
    return [*map(say, wiring.switched_off(request.memory.settings))]


def _render_injected(request: CommandRequest, prompt: Prompt) -> str:
    """What the next prompt contains, in the format of the full list."""
    off, literal = _switched_off(request), outcome_text.is_literal(request.memory.settings)
    lines = [line for section in _sections(prompt, "durable", "relevant") for line in section.lines]
    items = sum(not line.is_notice for line in lines)
    parts = [outcome_text.listing_header(items, literal=literal), *(line.text for line in lines)]
    for section in _sections(prompt, "rolling"):
        parts += ["", outcome_text.summary_header(literal=literal), *(line.text for line in section.lines)]
    return "\n".join([*parts, *(["", *off] if off else []), *_render_missing(prompt)])


def _explain_prompt(prompt: Prompt, query: str) -> str:
    """What the next prompt contains, section by section, with the reason for each line."""
    sections = _sections(prompt, *_MEMORY_SECTIONS)
    if not sections:
        return "\n".join([say("The next prompt carries no memory."), *_render_missing(prompt)])
    is_for = say('A prompt for "{}" carries:', outcome_text.quote_input(query))
    header = is_for if query else say("The next prompt carries:")
    parts = [header]
    for section in sections:
        parts += ["", _render_header(section)]
        for line in section.lines:
            parts += _render_line(line)
    return "\n".join([*parts, *_render_missing(prompt)])


def _render_missing(prompt: Prompt) -> list[str]:
    return [say("The layer {} failed or was late, and is missing.", name) for name in prompt.missing]


def _render_line(line: Line) -> list[str]:
    return [line.text, say("  why: {}", say(line.reason))] if line.reason else [line.text]


def _render_header(section: Section) -> str:
    """`durable, 512 of 2,000 characters, 3 left out:`"""
    used = f"{section.used:,}" if section.limit is None else say("{:,} of {:,}", section.used, section.limit)
    left_out = say(", {:,} left out", section.left_out) if section.left_out else ""
    return say("{}, {} characters{}:", section.name, used, left_out)


def _sections(prompt: Prompt, *names: str) -> list[Section]:
    return [section for section in prompt.sections if section.name in names]


async def list_(request: CommandRequest) -> str:
    memos = await list_memos(request)
    lines = [f"{outcome_text.numbered(index, memo)} ({memo.id})" for index, memo in enumerate(memos, 1)]
    return "\n".join(
        [
            outcome_text.listing_header(len(memos), literal=outcome_text.is_literal(request.memory.settings)),
            *(lines or _switched_off(request) or [outcome_text.typed(outcome_text.NOTHING_YET, request.prefix)]),
        ]
    )


async def forgotten(request: CommandRequest) -> str:
    memos = (await request.view.forgotten()).memos
    lines = [
        f"{outcome_text.numbered(index, memo)} ({memo.id}, {say(memo.status.value)})"
        for index, memo in enumerate(memos, 1)
    ]
    header = say("No longer in use ({}):", outcome_text.count_noun(len(memos)))
    return "\n".join([header, *lines]) if lines else say(NOTHING_LEFT)


async def search(request: CommandRequest) -> str:
    query = clean_text(request.words)
    if not query:
        return usage("search", request.prefix)
    hits = await request.view.search(query, limit=MAX_RESULTS, strict=True)
    if not hits:
        return outcome_text.render_no_match(outcome_text.quote_input(query))
    indexes = {memo.id: index for index, memo in enumerate(await list_memos(request), 1)}
    memos = [(hit.item, hit.score) for hit in hits if isinstance(hit.item, Memo)]
    return "\n".join(f"{_with_index(memo, indexes)} ({say('score {:.2f}', score)})" for memo, score in memos)


def _with_index(memo: Memo, indexes: dict[str, int]) -> str:
    """Only the user's own items have numbers: lore can't be changed by number."""
    index = None if memo.subject.is_lore else indexes.get(memo.id)
    return (
        f"- [{say(memo.kind.value)}] {memo.text}{render_end(memo)}"
        if index is None
        else outcome_text.numbered(index, memo)
    )


async def export(request: CommandRequest) -> Reply:
    """Everything in the user's DM, elsewhere the active memos that are visible there."""
    export_format = clean_text(request.words).casefold()
    if export_format not in ("", "json", "markdown"):
        return Reply(usage("export", request.prefix))
    if not request.is_private:
        hint = say("This is what may be heard here; in a direct message you get everything, as JSON too.")
        return Reply(f"{_markdown(request, await list_memos(request))}\n\n{hint}")
    memos = (await request.view.list("any")).memos
    document = _json(request, memos)
    return Reply(document if export_format == "json" else _markdown(request, memos), File("memory.json", document))


def _json(request: CommandRequest, memos: Iterable[Memo]) -> str:
    items = [serialization.memo_to_json(memo) for memo in memos]
    value = {"user": request.user, "exported": request.now.isoformat(), "items": items}
    return json.dumps(value, ensure_ascii=False, indent=1)


def _markdown(request: CommandRequest, memos: Sequence[Memo]) -> str:
    """Memos by kind, inactive ones last."""
    literal = outcome_text.is_literal(request.memory.settings)
    count = outcome_text.count_noun(len(memos))
    lines = [say("# What is remembered about {}, {:%Y-%m-%d}: {}", request.user, request.now, count)]
    for heading, group in groupby(sorted(memos, key=_heading), key=_heading):
        lines += ["", f"## {say(heading[1])}", *(_export_line(memo, literal=literal) for memo in group)]
    return "\n".join(lines)


def _heading(memo: Memo) -> tuple[bool, str]:
    return (False, memo.kind.value) if memo.active else (True, "no longer counts")


def _export_line(memo: Memo, *, literal: bool) -> str:
    status = "" if memo.status is Status.ACTIVE else f", {say(memo.status.value)}"
    if literal:
        return f"- {memo.text} (src: {memo.source.origin}, updated {memo.updated:%Y-%m-%d}{status})"
    text, origin = outcome_text.in_second_person(memo.text), outcome_text.render_origin(memo.source.origin)
    return f"- {text} ({origin}, {memo.updated:%Y-%m-%d}{status})"
