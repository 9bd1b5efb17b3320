"""The command `prompt`: the prompt for a message, its budgets, and why each line is there."""

from typing import Annotated, Any
from uuid import uuid4

from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.types import Message
from recollect.faces.assistant.request import ChatRequest, chat_request
from recollect.faces.cli.inputs import read_text
from recollect.faces.cli.invocation import Invocation
from recollect.faces.cli.options import Texts, flag
from recollect.prompting.assemble import Prompt, Section

BAR_WIDTH = 12


def prompt(
    call: Invocation,
    text: Texts,
    why: Annotated[bool, flag("--why", meaning="Show sizes against budgets, and why each line is there.")] = False,
    as_sent: Annotated[
        bool, flag("--as-sent", meaning="Show the whole request that a model would get, with tokens.")
    ] = False,
) -> None:
    """Show the prompt that a message would get; nothing is stored."""
    message_text = read_text(text)
    if not message_text.strip():
        raise BadInput("say what message the prompt is for")
    message = Message(uuid4().hex, call.user, call.place, message_text, now(), name=call.user)
    if as_sent:
        request = call.look(lambda memory: chat_request(memory, message, count_use=False), embeds=True)
        _print_request(call, request)
        return
    prompt_preview = call.look(lambda memory: memory.context(message, count_use=False), embeds=True)
    if call.options.json:
        call.screen.data(_to_json(prompt_preview))
    elif why:
        _print_explanation(call, prompt_preview)
    else:
        call.screen.say(prompt_preview.text)
        call.screen.aside("\n" + "\n".join(_render_size(section) for section in prompt_preview.sections))


def _print_request(call: Invocation, request: ChatRequest) -> None:
    if call.options.json:
        call.screen.data(request.as_json())
        return
    call.screen.say(request.text)
    sizes = [f"{part.name:<22} {part.tokens:>7,} tokens" for part in request.parts()]
    total = sum(part.tokens for part in request.parts())
    call.screen.aside("\n" + "\n".join([*sizes, f"{'in all':<22} {total:>7,} tokens, four characters each"]))


def _print_explanation(call: Invocation, prompt_preview: Prompt) -> None:
    for index, section in enumerate(prompt_preview.sections):
        call.screen.say(("\n" if index else "") + _render_size(section))
        for line in section.lines:
            call.screen.say("\n".join(f"  {part}" for part in line.text.splitlines()))
            call.screen.aside(f"    why: {line.reason}", always=True)
    call.screen.say(f"\n{len(prompt_preview.text):,} characters in all")
    for name in prompt_preview.missing:
        call.screen.say(f"the layer {name} failed or was late, and is missing")


def _render_size(section: Section) -> str:
    """`durable      ███░░░░░░░░░  512 of 2,000 characters, 3 left out`"""
    size = f"{section.used:,} characters"
    bar = " " * BAR_WIDTH
    if section.limit is not None:
        size = f"{section.used:,} of {section.limit:,} characters"
        filled = min(BAR_WIDTH, round(BAR_WIDTH * section.used / section.limit)) if section.limit else BAR_WIDTH
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
    left_out = f", {section.left_out:,} left out" if section.left_out else ""
    return f"{section.name:<12} {bar}  {size}{left_out}"


def _to_json(prompt_preview: Prompt) -> dict[str, Any]:
    sections = [
        {
            "name": section.name,
            "text": section.text,
            "used": section.used,
            "limit": section.limit,
            "left_out": section.left_out,
            "lines": [{"text": line.text, "why": line.reason} for line in section.lines],
        }
        for section in prompt_preview.sections
    ]
    return {
        "text": prompt_preview.text,
        "chars": len(prompt_preview.text),
        "sections": sections,
        "missing": list(prompt_preview.missing),
    }
