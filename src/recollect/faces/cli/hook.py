"""`recollect hook`: memory for Claude Code, called by its hooks with JSON on standard input.

UserPromptSubmit and SessionStart print what is remembered, which Claude Code adds to the context; Stop and SessionEnd
add what was said. A hook never stops the session: a failure is one line on standard error.
"""

import json
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from recollect.core.clock import now
from recollect.core.errors import BadInput, RecollectError
from recollect.core.types import Message
from recollect.faces.assistant.request import QUOTED
from recollect.faces.cli.invocation import Invocation, warn
from recollect.inputs import ASSISTANT
from recollect.memory import AsyncMemory

RECALLING = ("UserPromptSubmit", "SessionStart")
LEARNING = ("Stop", "SessionEnd")
MAX_TRANSCRIPT_LINES = 2_000
"""Last lines of a transcript that are read: what was added before is known already."""
LEARN_TIMEOUT_SECONDS, MAX_AWAITED = 20.0, 20
"""How long a hook waits for what is learned, and from how many messages; the next one goes on with the others."""


def hook(call: Invocation) -> None:
    """Serve a hook of Claude Code: reads its JSON from standard input."""
    try:
        event = _event(sys.stdin.read())
        name = event.get("hook_event_name")
        if name in RECALLING:
            _recall(call, event)
        elif name in LEARNING:
            _learn(call, event)
        else:
            warn(f"nothing to do for {name!r}: it serves {', '.join((*RECALLING, *LEARNING))}")
    except (RecollectError, OSError) as error:
        warn(f"memory is left out: {error}")


def _event(text: str) -> Mapping[str, Any]:
    try:
        event = json.loads(text)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise BadInput("standard input is not the JSON object of a hook")
    return cast("Mapping[str, Any]", event)


def _recall(call: Invocation, event: Mapping[str, Any]) -> None:
    question = str(event.get("prompt") or "What do you know about me?")

    async def work(memory: AsyncMemory) -> str:
        return (await memory.context(question, user=call.user, place=call.place)).system

    if known := call.run(work, embeds=True):
        name = event["hook_event_name"]
        output = {"hookEventName": name, "additionalContext": f"{QUOTED}\n\n{known}"}
        print(json.dumps({"hookSpecificOutput": output}, ensure_ascii=False))


def _learn(call: Invocation, event: Mapping[str, Any]) -> None:
    path = event.get("transcript_path")
    if not isinstance(path, str):
        raise BadInput("transcript_path is missing")
    lines = Path(path).expanduser().read_text("utf-8", "replace").splitlines()[-MAX_TRANSCRIPT_LINES:]
    messages = [message for line in lines if (message := _message(call, line)) is not None]
    is_over = event["hook_event_name"] == "SessionEnd"

    async def work(memory: AsyncMemory) -> None:
        await memory.add(messages)
        if is_over:
            await memory.flush(call.place)
        deadline = time.monotonic() + LEARN_TIMEOUT_SECONDS
        for message in [message for message in messages if not message.bot][-MAX_AWAITED:]:
            await memory.wait_learned(message, max(0.0, deadline - time.monotonic()), closes_batch=is_over)

    if messages:
        call.run(work, embeds=True, run_worker=True)


def _message(call: Invocation, line: str) -> Message | None:
    """The message on a line of a transcript; None for tools, their results, and other records."""
    try:
        entry = json.loads(line)
        text = "\n".join(_texts(entry["message"]["content"])).strip()
        is_reply = entry["type"] == ASSISTANT
        if not text or entry["type"] not in ("user", ASSISTANT) or entry.get("isMeta") or entry.get("isSidechain"):
            return None
        at = datetime.fromisoformat(entry["timestamp"]) if entry.get("timestamp") else now()
        author = ASSISTANT if is_reply else call.user
        reply_to = entry.get("parentUuid") if is_reply else None
        return Message(str(entry["uuid"]), author, call.place, text, at, author, bot=is_reply, reply_to=reply_to)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # a line of another kind


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        if not content.startswith("<"):  # inserted by Claude Code itself: commands, reminders
            yield content
        return
    for part in content:
        if part.get("type") == "text":
            yield str(part["text"])
