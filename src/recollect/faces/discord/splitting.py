"""Text for Discord: cut into messages between paragraphs, with code blocks kept whole or closed and opened again;
and made harmless where it repeats what people said.
"""

import re
from collections.abc import Iterator

import discord

LIMIT = 2000
"""Characters of a message."""
FENCE = "```"
_BULLET = re.compile(r"- |\d+\. ")


def split(text: str, limit: int = LIMIT) -> list[str]:
    """The text in messages, none longer than the limit; an empty text needs none."""
    pages: list[str] = []
    page = ""
    for gap, block in _blocks(text.strip("\n")):
        if page and len(page) + len(gap) + len(block) <= limit:
            page += gap + block
            continue
        pages.append(page)
        *full, page = [block] if len(block) <= limit else _broken(block, limit)
        pages += full
    return [each for each in (*pages, page) if each.strip()]


def harmless(text: str) -> str:
    """People's words repeated: no mark-up works in them and no mention; our own bullets and numbers stay."""
    return discord.utils.escape_mentions("\n".join(map(_harmless_line, text.split("\n"))))


def _harmless_line(line: str) -> str:
    found = _BULLET.match(line)
    bullet = found[0] if found else ""
    return bullet + discord.utils.escape_markdown(line.removeprefix(bullet))


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


def _broken(block: str, limit: int) -> list[str]:
    """A block that is too long: between its lines, else between words. Code stays code in every part."""
    lines = block.split("\n")
    head, tail = "", ""
    if lines[0].lstrip().startswith(FENCE):
        head, tail = lines[0][:50] + "\n", "\n" + FENCE
        lines = lines[1:-1] if lines[-1].strip() == FENCE else lines[1:]
    parts: list[str] = []
    for line in lines:
        for piece in _pieces(line, limit - len(head) - len(tail)):
            longer = f"{parts[-1]}\n{piece}" if parts else piece
            if parts and len(longer) <= limit - len(head) - len(tail):
                parts[-1] = longer
            else:
                parts.append(piece)
    return [head + part + tail for part in parts]


def _pieces(line: str, limit: int) -> Iterator[str]:
    while len(line) > limit:
        space = line.rfind(" ", limit // 2, limit + 1)
        end = space if space > 0 else limit
        yield line[:end]
        line = line[end:].removeprefix(" ")
    yield line
