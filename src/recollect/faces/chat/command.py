"""The command `chat`: talk with an assistant that remembers, at a terminal or through a pipe."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Annotated

from recollect.app import make_model
from recollect.core.errors import BadInput, StoreError
from recollect.core.ports import ChatModel
from recollect.core.version import __version__
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.chat import demo as demonstration
from recollect.faces.chat.conversation import WORDS, Conversation, converse
from recollect.faces.chat.input import Source, standard_input
from recollect.faces.chat.output import ChatOutput
from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.cli.doctor import file_of
from recollect.faces.cli.inputs import answer
from recollect.faces.cli.invocation import Invocation
from recollect.faces.cli.options import flag
from recollect.faces.outcome_text import counted
from recollect.memory import AsyncMemory
from recollect.settings import Settings, wiring
from recollect.settings.values import redacted
from recollect.workspace.disk import make_folder

NO_MODEL = """\
No model configured: I learn by simple patterns and answer from memory alone.
For more set ANTHROPIC_API_KEY, or RECOLLECT_MODEL and RECOLLECT_MODEL_BASE_URL
for a server of your own."""
A_MOMENT, OFFLINE, IN_A_PIPE = 0.4, 5.0, 30.0
"""Seconds to wait for what is learned before going on: a person wants to type, a pipe has time."""


def chat(
    call: Invocation, no_demo: Annotated[bool, flag("--no-demo", meaning="Neither offer nor play the demo.")] = False
) -> None:
    """Talk with an assistant that remembers; /help lists its commands."""
    if call.options.json:
        raise BadInput("--json and chat don't go together: a conversation is not one document")
    if call.asks:
        _at_a_terminal(call, no_demo)
        return
    lines = standard_input()
    if lines.has_more():
        asyncio.run(_talk(call, lines))
    elif not no_demo:
        demonstration.play(call)


def _at_a_terminal(call: Invocation, no_demo: bool) -> None:
    from recollect.faces.chat.terminal import HISTORY, Terminal

    settings = call.load().settings
    store = file_of(settings.store)
    is_first = store is not None and not store.exists()
    if is_first and not no_demo and _wants_a_demo():
        with suppress(KeyboardInterrupt):
            demonstration.play(call, then="your own chat")
        print()
    make_folder(settings.data_dir)
    asyncio.run(_talk(call, Terminal(settings.data_dir / HISTORY, WORDS)))


def _wants_a_demo() -> bool:
    """Asked again of someone who begins to talk instead: their words would be lost."""
    while (said := answer("Play a one-minute demo first? [Y/n] ")) not in ("", "y", "yes", "n", "no"):
        print("Please answer y or n; the chat begins after that.")
    return said in ("", "y", "yes")


async def _talk(call: Invocation, source: Source) -> None:
    loaded, paper = call.load(), ChatOutput(call.screen)
    async with AsyncMemory.from_settings(loaded) as memory, _speaker(loaded.settings) as speaker:
        if call.asks:
            paper.say(await _greeting(call, memory, speaker))
        voice = ChatSpeaker.at(call.user, call.place)
        quick = loaded.settings.extraction.model in ("local", "null")  # milliseconds, unless the machine is busy
        patience = IN_A_PIPE if not call.asks else OFFLINE if quick else A_MOMENT
        assistant = Assistant(memory, speaker, excuses=not call.asks)
        talk = Conversation(memory, assistant, paper, voice, patience=patience)
        try:
            await converse(talk, source, stoppable=call.asks)
        finally:
            await assistant.close()
        if not call.asks and (lost := await talk.lost()):
            raise StoreError(f"{counted(lost, 'line')} of it could not be remembered")


@asynccontextmanager
async def _speaker(settings: Settings) -> AsyncGenerator[ChatModel | None]:
    """The model that talks; none when the one that is configured can't."""
    model = make_model(settings.model, settings.model_base_url)
    try:
        yield model if isinstance(model, ChatModel) else None
    finally:
        await model.close()


async def _greeting(call: Invocation, memory: AsyncMemory, speaker: ChatModel | None) -> str:
    settings, who = memory.settings, ChatSpeaker.at(call.user, call.place).who
    known = (await memory.show(user=call.user, place=call.place, limit=0)).total
    where = file_of(settings.store) or redacted(settings.store)
    lines = [
        f"recollect {__version__}. /help shows what you can do, Ctrl-D leaves.",
        f"Memory: {where}, {counted(known)} about {who}",
        NO_MODEL if speaker is None else f"Model: {settings.model}",
    ]
    if not settings.enabled:
        lines.append("Memory is switched off: nothing is kept. RECOLLECT_ENABLED=true switches it on.")
    elif not settings.memos.enabled:
        lines += wiring.switched_off(settings)
    return "\n".join(lines)
