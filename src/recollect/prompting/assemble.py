"""Assemble sections into a prompt: layout, budgets, headers. Empty sections leave no trace.

Content is only ever joined, never filled into a template, so a text that looks like a placeholder stays text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from recollect.core.ports.layer import Block, Line
from recollect.core.ports.layout import Layout
from recollect.policy.budget import Budget, fit_lines, size
from recollect.policy.headers import HEADERS, HEADERS_UNIFIED
from recollect.policy.rendering import neutralize


@dataclass(frozen=True, slots=True)
class Section:
    """One section as it stands in the prompt."""

    name: str
    text: str
    lines: tuple[Line, ...]
    used: int
    """Characters of its lines, which count towards the limit."""
    limit: int | None
    left_out: int


PRIORITY = 50
"""Position of memory as a whole among the layers of a larger prompt, in ascending order."""


OPTIONAL_SECTIONS = ("instructions", "actions", "message")
"""Sections of our own that a layout may leave out; those of layers are always placed."""
CONVERSATION = ("history", "message")
"""Sections with what was said, as opposed to what is remembered."""
CACHE_BREAKPOINTS = ("durable", "history")
"""Sections after which a cache breakpoint pays off: what precedes them seldom changes."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The assembled prompt, as text or as blocks with breakpoints for Anthropic's prompt cache."""

    sections: tuple[Section, ...]
    separator: str
    missing: tuple[str, ...] = ()
    """Layers that failed or were late, and so are left out."""
    priority: int = PRIORITY

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        return self.separator.join(section.text for section in self.sections)

    @property
    def system(self) -> str:
        """What is remembered, for the instructions of a request: all but the conversation."""
        return self.separator.join(section.text for section in self.sections if section.name not in CONVERSATION)

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation so far and the message that is to be answered, together as one user turn: a request needs
        no other message. Several people may have spoken, which roles can't tell apart.
        """
        turn = self.separator.join(section.text for section in self.sections if section.name in CONVERSATION)
        return [{"role": "user", "content": turn}] if turn else []

    @property
    def sources(self) -> tuple[str, ...]:
        """The reason for each line, in the order of the lines."""
        return tuple(line.reason for section in self.sections for line in section.lines if line.reason)

    def is_valid_at(self, time: datetime) -> bool:
        """Whether it is complete, and everything in it still true."""
        ends = [line.until for section in self.sections for line in section.lines if line.until is not None]
        return not self.missing and time < min(ends, default=datetime.max.replace(tzinfo=UTC))

    def blocks(self) -> list[dict[str, Any]]:
        """Text blocks that concatenate to `text`; each but the last ends at a cache breakpoint."""
        blocks: list[dict[str, Any]] = []
        pending = ""
        for index, section in enumerate(self.sections):
            pending += (self.separator if index else "") + section.text
            if section.name in CACHE_BREAKPOINTS:
                blocks.append({"type": "text", "text": pending, "cache_control": {"type": "ephemeral"}})
                pending = ""
        return [*blocks, {"type": "text", "text": pending}] if pending else blocks


def headers_of(blocks: Sequence[Block], layout: Layout) -> tuple[str, ...]:
    """Every header that a prompt may have, case-folded: ours, and those of other people's layouts and layers."""
    named = (*layout.headers.values(), *(block.header for block in blocks))
    others = {header.casefold() for header in named if header} - set(HEADERS)
    return (*HEADERS, *sorted(others))


def quoted(block: Block, headers: tuple[str, ...] = HEADERS) -> Block:
    """The block as quoted data: no line of it can pass for one of these headers, or for a separator."""
    return replace(block, lines=tuple(_quoted(line, headers) for line in block.lines))


def _quoted(line: Line, headers: tuple[str, ...]) -> Line:
    text = neutralize(line.text, headers, indent="")
    return line if text == line.text else replace(line, text=text)


def assemble(blocks: Sequence[Block], layout: Layout) -> Prompt:
    """The sections that have something, in the layout's order; blocks of one name share a section."""
    sections: list[Section] = []
    for name in _order(blocks, layout):
        section = _section(name, [block for block in blocks if block.name == name], layout)
        if section is not None:
            sections.append(section)
    return Prompt(tuple(sections), layout.separator)


def _order(blocks: Sequence[Block], layout: Layout) -> list[str]:
    """The layout's sections, and before the message those of layers that it doesn't list."""
    order = list(layout.order)
    others = [
        name for name in dict.fromkeys(block.name for block in blocks) if name not in {*order, *OPTIONAL_SECTIONS}
    ]
    index = next((index for index, name in enumerate(order) if name in ("message", "actions")), len(order))
    return [*order[:index], *others, *order[index:]]


def completed(layout: Layout) -> Layout:
    """The layout of a whole user turn: with the sections that one which is a layer of a larger prompt leaves out."""
    order = layout.order if "message" in layout.order else (*layout.order, "history", "actions", "message")
    if layout.rules and "instructions" not in order:
        order = ("instructions", *order)
    return replace(layout, order=order)


def _section(name: str, blocks: Sequence[Block], layout: Layout) -> Section | None:
    lines: list[Line] = []
    left_out, limits = 0, [Budget(block.chars, block.tokens, block.items).characters for block in blocks]
    for block in blocks:
        fitted, missing = _fit(block)
        lines += fitted
        left_out += missing
    if not lines:
        return None
    header = (
        layout.headers.get(name)
        or HEADERS_UNIFIED.get(name)
        or next((block.header for block in blocks if block.header), None)
    )
    body = "\n".join(line.text for line in lines)
    text = body if header is None else f"{header}{layout.after_header}{body}"
    limit = None if None in limits else sum(limit or 0 for limit in limits)
    return Section(name, text, tuple(lines), size([line.text for line in lines]), limit, left_out)


def _fit(block: Block) -> tuple[list[Line], int]:
    texts = [line.text for line in block.lines]
    fitted = fit_lines(texts, Budget(block.chars, block.tokens, block.items), block.overflow, block.noun, block.omitted)
    if not fitted.places:
        return [], len(texts) + block.omitted
    lines = [block.lines[index] for index in fitted.places]
    lines += [Line(text, "over the budget", is_notice=True) for text in fitted.notice]
    return lines, len(texts) - len(fitted.places) + block.omitted
