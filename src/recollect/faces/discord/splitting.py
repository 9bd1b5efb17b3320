"""Text for Discord: split into messages between paragraphs, with code blocks kept intact, and escaped where it quotes
people.
"""

import re
from collections.abc import Iterator

import discord

LIMIT = 2000
"""Discord's limit of characters per message."""
FENCE = "```"
_BULLET = re.compile(r"- |\d+\. ")


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text as messages of at most `limit` characters; none for an empty text."""
    pages: list[str] = []
    page = ""
    for gap, block in _blocks(text.strip("\n")):
        if page and len(page) + len(gap) + len(block) <= limit:
            page += gap + block
            continue
        pages.append(page)
        *full, page = [block] if len(block) <= limit else _split_block(block, limit)
        pages += full
    return [part for part in (*pages, page) if part.strip()]


def harmless(text: str) -> str:
    """Escape markup and mentions in quoted text; our own bullets and numbers stay."""
    return discord.utils.escape_mentions("\n".join(map(_escape_line, text.split("\n"))))


def _escape_line(line: str) -> str:
    match = _BULLET.match(line)
    bullet = match[0] if match else ""
    escaped = discord.utils.escape_markdown(line.removeprefix(bullet))
    return bullet + escaped.replace("](", "]\\(")  # a link may not hide where it leads


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Paragraphs and code blocks, each with the line breaks before it; a code block left open is closed."""
    gap, block, fenced = "", list[str](), False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith(FENCE)
        if fenced:
            block.append(line)
            fenced = not is_fence
            if is_fence:
                yield gap, "\n".join(block)
                gap, block = "\n", []
        elif is_fence or not line.strip():
            if block:
                yield gap, "\n".join(block)
                gap, block = "\n", []
            fenced = is_fence and FENCE not in line.lstrip()[3:]
            block = [line] if is_fence else []
            gap += "" if is_fence else "\n"
        else:
            block.append(line)
    if block:
        yield gap, "\n".join([*block, FENCE] if fenced else block)


def _split_block(block: str, limit: int) -> list[str]:
    """Split a block that is too long between its lines, else between words; each part of a code block is fenced."""
    lines = block.split("\n")
    header, footer = "", ""
    if lines[0].lstrip().startswith(FENCE):
        header, footer = lines[0][:50] + "\n", "\n" + FENCE
        lines = lines[1:-1] if lines[-1].strip() == FENCE else lines[1:]
    parts: list[str] = []
    for line in lines:
        for piece in _pieces(line, limit - len(header) - len(footer)):
            longer = f"{parts[-1]}\n{piece}" if parts else piece
            if parts and len(longer) <= limit - len(header) - len(footer):
                parts[-1] = longer
            else:
                parts.append(piece)
    return [header + part + footer for part in parts]


def _pieces(line: str, limit: int) -> Iterator[str]:
    while len(line) > limit:
        space = line.rfind(" ", limit // 2, limit + 1)
        end = space if space > 0 else limit
        yield line[:end]
        line = line[end:].removeprefix(" ")
    yield line
