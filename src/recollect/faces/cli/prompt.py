"""The command `prompt`: what a model would be given for a message, how full it is, and why each line is there."""

from typing import Annotated, Any
from uuid import uuid4

from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.types import Message
from recollect.faces.cli.inputs import said
from recollect.faces.cli.invocation import Invocation
from recollect.faces.cli.options import Texts, flag
from recollect.prompting.assemble import Prompt, Section

BAR = 12


def prompt(
    call: Invocation,
    text: Texts,
    why: Annotated[bool, flag("--why", meaning="Show sizes against budgets, and why each line is there.")] = False,
) -> None:
    """Show the next prompt, as the message would bring it about; nothing is stored."""
    words = said(text)
    if not words.strip():
        raise BadInput("say what message the prompt is for")
    message = Message(uuid4().hex, call.user, call.place, words, now(), name=call.user)
    made = call.run(lambda memory: memory.context(message, count_use=False), embeds=True)
    if call.options.json:
        call.screen.data(_shape(made))
    elif why:
        _explain(call, made)
    else:
        call.screen.say(made.text)
        call.screen.aside("\n" + "\n".join(_size(section) for section in made.sections))


def _explain(call: Invocation, made: Prompt) -> None:
    for place, section in enumerate(made.sections):
        call.screen.say(("\n" if place else "") + _size(section))
        for line in section.lines:
            call.screen.say("\n".join(f"  {part}" for part in line.text.splitlines()))
            call.screen.aside(f"    why: {line.reason}", always=True)
    call.screen.say(f"\n{len(made.text):,} characters in all")
    for name in made.missing:
        call.screen.say(f"the layer {name} failed or was late, and is missing")


def _size(section: Section) -> str:
    """`durable      ███░░░░░░░░░  512 of 2,000 characters, 3 left out`"""
    told = f"{section.used:,} characters"
    bar = " " * BAR
    if section.limit is not None:
        told = f"{section.used:,} of {section.limit:,} characters"
        filled = min(BAR, round(BAR * section.used / section.limit)) if section.limit else BAR
        bar = "█" * filled + "░" * (BAR - filled)
    left_out = f", {section.left_out:,} left out" if section.left_out else ""
    return f"{section.name:<12} {bar}  {told}{left_out}"


def _shape(made: Prompt) -> dict[str, Any]:
    sections = [
        {
            "name": section.name,
            "text": section.text,
            "used": section.used,
            "limit": section.limit,
            "left_out": section.left_out,
            "lines": [{"text": line.text, "why": line.reason} for line in section.lines],
        }
        for section in made.sections
    ]
    return {"text": made.text, "chars": len(made.text), "sections": sections, "missing": list(made.missing)}
