"""Explains a reply: the memory in its prompt, section by section, and the reason for each line."""

import re
from collections.abc import Iterator

from recollect.core.text import clip
from recollect.faces import outcome_text
from recollect.prompting.assemble import Prompt, Section

_NON_MEMORY_SECTIONS = ("instructions", "actions", "message")
_HISTORY_SECTION = "history"
_BRIEF_SECTIONS = ("relevant", "durable", "lore", "people")
_ABOUT_OTHERS = ("lore", "people")
_MEMO_LINE = re.compile(
    r"- \[\w+\] (?P<text>.+) \(src: (?P<origin>\w+)[^,)]*(?P<where>, #[^,)]+)?, updated (?P<day>\S+)\)"
)
MAX_BRIEF_LINES, MAX_BRIEF_CHARS = 5, 160


def explain_prompt(prompt: Prompt, was_sent: bool) -> Iterator[str]:
    """The memory in a prompt, and why; of the recent messages only their size. `was_sent` says that a model got it."""
    sections = [section for section in prompt.sections if section.name not in _NON_MEMORY_SECTIONS]
    if not sections:
        yield "Nothing in memory had to do with the last reply."
        return
    yield "For the last reply the model got this:" if was_sent else "No model was asked; it would have got this:"
    for section in sections:
        yield render_size(section)
        if section.name == _HISTORY_SECTION:
            continue
        for line in section.lines:
            yield "\n".join(f"  {part}" for part in line.text.splitlines())
            if line.reason:
                yield f"    why: {line.reason}"
    yield from render_missing(prompt)


def explain_briefly(prompt: Prompt, was_sent: bool) -> Iterator[str]:
    """The first memories of a prompt, and how much more there is."""
    sections = [section for section in prompt.sections if section.name in _BRIEF_SECTIONS and section.lines]
    lines = [
        _in_plain_words(line.text.splitlines()[0], is_own=section.name not in _ABOUT_OTHERS)
        for section in sections
        for line in section.lines
        if not line.is_notice
    ]
    if not lines:
        yield "Nothing in memory had to do with the last reply; /why all shows what the prompt holds."
        return
    yield "The model was given these memories:" if was_sent else "These memories belong to the last message:"
    for line in lines[:MAX_BRIEF_LINES]:
        yield clip(line, MAX_BRIEF_CHARS)
    rest = len(lines) - MAX_BRIEF_LINES
    more = f"{rest} more, and the reasons" if rest > 0 else "the reasons"
    yield f"/why all shows {more}."


def _in_plain_words(line: str, *, is_own: bool) -> str:
    """`- Your sister is called Nora (learned in #dev on 2026-11-15)`, where the prompt has marks for a model."""
    memo = _MEMO_LINE.fullmatch(line)
    if memo is None:
        return line
    text = outcome_text.in_second_person(memo["text"]) if is_own else memo["text"]
    verb, where = outcome_text.render_origin(memo["origin"]), (memo["where"] or "").replace(",", " in", 1)
    return f"- {text} ({verb}{where} on {memo['day']})"


def render_sizes(prompt: Prompt) -> Iterator[str]:
    """How much each section of a prompt takes."""
    for section in prompt.sections:
        yield f"- {render_size(section)}"
    yield f"{len(prompt.text):,} characters in all"
    yield from render_missing(prompt)


def render_size(section: Section) -> str:
    """`durable: 512 of 2,000 characters, 3 left out`"""
    limit = "" if section.limit is None else f" of {section.limit:,}"
    left_out = f", {section.left_out:,} left out" if section.left_out else ""
    return f"{section.name}: {section.used:,}{limit} characters{left_out}"


def render_missing(prompt: Prompt) -> Iterator[str]:
    for name in prompt.missing:
        yield f"The layer {name} failed or was late, and is missing."
