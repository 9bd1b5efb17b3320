"""Why a reply was what it was: the memory that its prompt carried, section by section, and the reason for each line."""

from collections.abc import Iterator

from recollect.prompting.assemble import Prompt, Section

_NOT_MEMORY = ("instructions", "actions", "message")
_TALK = "history"


def reasons(prompt: Prompt, asked: bool) -> Iterator[str]:
    """What a prompt carries of memory, and why; of the talk itself only how much. `asked` says that a model got it."""
    shown = [section for section in prompt.sections if section.name not in _NOT_MEMORY]
    if not shown:
        yield "Nothing in memory had to do with the last reply."
        return
    yield "For the last reply the model got this:" if asked else "No model was asked; it would have got this:"
    for section in shown:
        yield size(section)
        if section.name == _TALK:
            continue
        for line in section.lines:
            yield "\n".join(f"  {part}" for part in line.text.splitlines())
            if line.reason:
                yield f"    why: {line.reason}"
    yield from missing(prompt)


def sizes(prompt: Prompt) -> Iterator[str]:
    """How much each section of a prompt takes."""
    for section in prompt.sections:
        yield f"- {size(section)}"
    yield f"{len(prompt.text):,} characters in all"
    yield from missing(prompt)


def size(section: Section) -> str:
    """`durable: 512 of 2,000 characters, 3 left out`"""
    room = "" if section.limit is None else f" of {section.limit:,}"
    left_out = f", {section.left_out:,} left out" if section.left_out else ""
    return f"{section.name}: {section.used:,}{room} characters{left_out}"


def missing(prompt: Prompt) -> Iterator[str]:
    for name in prompt.missing:
        yield f"The layer {name} failed or was late, and is missing."
