"""Orders that show memory: all of it, what the next prompt gets, what fits a question, and all of it to keep."""

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

from recollect.core import serialization
from recollect.core.ports.layer import Line
from recollect.core.types import Memo, Message, Place, Status
from recollect.faces import outcome_text
from recollect.faces.commands.help import usage
from recollect.faces.commands.parse import split
from recollect.faces.commands.request import CommandRequest, File, Reply, listed, meaning
from recollect.learning import consent
from recollect.prompting.assemble import Prompt, Section
from recollect.settings import wiring

MOST = 10
"""Results of a search."""
_MEMORY = ("durable", "relevant", "lore", "people", "rolling", "shortterm", "past")
"""Sections of a prompt that are memory, rather than the talk itself."""


async def show(ask: CommandRequest) -> str:
    what, query = split(ask.words)
    if what == "injected":
        return _explained(await _next_prompt(ask, query), query)
    if what not in ("", "all") or query:
        return usage("show")
    injected = not what and ask.memory.settings.chat_commands.show == "injected"
    reply = _carried(await _next_prompt(ask, ""), _off(ask)) if injected else await _everything(ask)
    paused = await ask.memory.store.read(lambda tx: consent.is_paused(tx, ask.user))
    return f"{reply}\n\n{outcome_text.PAUSED}" if paused else reply


async def _everything(ask: CommandRequest) -> str:
    shown = await ask.memory.show(user=ask.user, place=ask.place)
    empty = not shown.total and shown.summary is None and not shown.off
    return (
        f"{outcome_text.shown(shown, ask.place)}\n{outcome_text.NOTHING_YET}"
        if empty
        else outcome_text.shown(shown, ask.place)
    )


async def _next_prompt(ask: CommandRequest, query: str) -> Prompt:
    message = Message(ask.message or "", ask.user, ask.place, meaning(query), ask.now, name=ask.user)
    return await ask.memory.context(message)


def _off(ask: CommandRequest) -> list[str]:
    return [*wiring.switched_off(ask.memory.settings)]


def _carried(prompt: Prompt, off: Sequence[str]) -> str:
    """What the next prompt carries, in the form in which all memory is shown."""
    lines = [line for section in _named(prompt, "durable", "relevant") for line in section.lines]
    items = sum(line.reason != "over the budget" for line in lines)
    parts = [f"Durable memory ({outcome_text.counted(items)}):", *(line.text for line in lines)]
    for section in _named(prompt, "rolling"):
        parts += ["", "Rolling summary:", *(line.text for line in section.lines)]
    return "\n".join([*parts, *(["", *off] if off else []), *_missing(prompt)])


def _explained(prompt: Prompt, query: str) -> str:
    """What the next prompt carries, section by section, and why each line is there."""
    sections = _named(prompt, *_MEMORY)
    if not sections:
        return "\n".join(["The next prompt carries no memory.", *_missing(prompt)])
    head = f'A prompt for "{outcome_text.echo(query)}" carries:' if query else "The next prompt carries:"
    parts = [head]
    for section in sections:
        parts += ["", _size(section)]
        for line in section.lines:
            parts += _reasoned(line)
    return "\n".join([*parts, *_missing(prompt)])


def _missing(prompt: Prompt) -> list[str]:
    return [f"The layer {name} failed or was late, and is missing." for name in prompt.missing]


def _reasoned(line: Line) -> list[str]:
    return [line.text, f"  why: {line.reason}"] if line.reason else [line.text]


def _size(section: Section) -> str:
    """`durable, 512 of 2,000 characters, 3 left out:`"""
    room = "" if section.limit is None else f" of {section.limit:,}"
    left_out = f", {section.left_out:,} left out" if section.left_out else ""
    return f"{section.name}, {section.used:,}{room} characters{left_out}:"


def _named(prompt: Prompt, *names: str) -> list[Section]:
    return [section for section in prompt.sections if section.name in names]


async def list_(ask: CommandRequest) -> str:
    memos = await listed(ask)
    lines = [f"{outcome_text.numbered(number, memo)} ({memo.id})" for number, memo in enumerate(memos, 1)]
    return "\n".join(
        [f"Durable memory ({outcome_text.counted(len(memos))}):", *(lines or _off(ask) or [outcome_text.NOTHING_YET])]
    )


async def search(ask: CommandRequest) -> str:
    query = meaning(ask.words)
    if not query:
        return usage("search")
    found = await ask.memory.search(query, user=ask.user, place=ask.place, limit=MOST, strict=True)
    if not found:
        return outcome_text.nothing_matched(outcome_text.echo(query))
    numbers = {memo.id: number for number, memo in enumerate(await listed(ask), 1)}
    memos = [(one.item, one.score) for one in found if isinstance(one.item, Memo)]
    return "\n".join(f"{_with_number(memo, numbers)} (score {score:.2f})" for memo, score in memos)


def _with_number(memo: Memo, numbers: dict[str, int]) -> str:
    """Only one's own items are numbered: lore is not theirs to change by number."""
    number = None if memo.subject.is_lore else numbers.get(memo.id)
    return f"- [{memo.kind}] {memo.text}" if number is None else outcome_text.numbered(number, memo)


async def export(ask: CommandRequest) -> Reply:
    """In one's own DM all that there is, elsewhere what counts and may be heard."""
    form = meaning(ask.words).casefold()
    if form not in ("", "json", "markdown"):
        return Reply(usage("export"))
    if not ask.alone:
        hint = "This is what may be heard here; in a direct message you get everything, as JSON too."
        return Reply(f"{_markdown(ask, await listed(ask))}\n\n{hint}")
    memos = (await ask.memory.list(user=ask.user, place=ask.place)).memos
    whole = _json(ask, memos)
    return Reply(whole if form == "json" else _markdown(ask, memos), File("memory.json", whole))


def _json(ask: CommandRequest, memos: Iterable[Memo]) -> str:
    items = [serialization.memo_to_json(memo) for memo in memos]
    value = {"user": ask.user, "exported": ask.now.isoformat(), "items": items}
    return json.dumps(value, ensure_ascii=False, indent=1)


def _markdown(ask: CommandRequest, memos: Sequence[Memo]) -> str:
    """By kind; what no longer counts comes last."""
    lines = [f"# What is remembered about {ask.user}, {ask.now:%Y-%m-%d}: {outcome_text.counted(len(memos))}"]
    for heading, group in groupby(sorted(memos, key=_heading), key=_heading):
        lines += ["", f"## {heading[1]}", *(_kept(memo, ask.place) for memo in group)]
    return "\n".join(lines)


def _heading(memo: Memo) -> tuple[bool, str]:
    return (False, memo.kind.value) if memo.active else (True, "no longer counts")


def _kept(memo: Memo, here: Place) -> str:
    status = "" if memo.status is Status.ACTIVE else f", {memo.status}"
    return f"- {memo.text} (src: {outcome_text.source(memo, here)}, updated {memo.updated:%Y-%m-%d}{status})"
