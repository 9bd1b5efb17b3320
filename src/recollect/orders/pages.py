"""A long answer as pages: cut between lines, and inside a line only when it is too long for a page of its own."""

from collections.abc import Iterator


def pages(text: str, limit: int) -> tuple[str, ...]:
    """The text in pages of at most so many characters each; an empty one is left out."""
    done: list[str] = []
    page = ""
    for line in text.splitlines():
        for piece in _pieces(line, limit):
            longer = f"{page}\n{piece}" if page else piece
            if len(longer) > limit:
                done.append(page)
                longer = piece
            page = longer
    return tuple(stripped for each in (*done, page) if (stripped := each.strip("\n")))


def _pieces(line: str, limit: int) -> Iterator[str]:
    """The line, or its parts, cut between words where that is possible."""
    while len(line) > limit:
        space = line.rfind(" ", limit // 2, limit + 1)
        end = space if space > 0 else limit
        yield line[:end].rstrip()
        line = line[end:].lstrip()
    yield line
