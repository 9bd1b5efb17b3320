"""The command `chat`: an assistant with memory, at a terminal or through a pipe."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Annotated

from recollect.app import make_model
from recollect.core.errors import BadInput, StoreError
from recollect.core.ports import ChatModel
from recollect.core.version import __version__
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.chat import demo as demonstration
from recollect.faces.chat.conversation import COMPLETIONS, Conversation, converse
from recollect.faces.chat.input import Source, standard_input
from recollect.faces.chat.output import ChatOutput
from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.cli.doctor import file_of
from recollect.faces.cli.inputs import ask
from recollect.faces.cli.invocation import Invocation
from recollect.faces.cli.options import flag
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.outcome_text import SLASH, count_memories, count_noun
from recollect.memory import AsyncMemory
from recollect.settings import wiring
from recollect.settings.values import redacted
from recollect.workspace.disk import make_folder

NO_MODEL = """\
No model configured: I learn by simple patterns and answer from memory alone.
A model would talk with you, understand any wording and learn more from it:
recollect setup chooses one."""
LEARN_WAIT_SECONDS, LOCAL_LEARN_WAIT_SECONDS, PIPE_LEARN_WAIT_SECONDS = 0.4, 5.0, 30.0
"""How long the next prompt waits for what is learned: a person wants to type, a pipe has time."""


def chat(
    call: Invocation, no_demo: Annotated[bool, flag("--no-demo", meaning="Neither offer nor play the demo.")] = False
) -> None:
    """Talk with an assistant that remembers; /help lists its commands."""
    if call.options.json:
        raise BadInput("--json and chat don't go together: a conversation is not one document")
    if call.is_interactive:
        _chat_at_terminal(call, no_demo)
        return
    lines = standard_input()
    if lines.has_more():
        asyncio.run(_run_chat(call, lines))
    elif not no_demo:
        demonstration.play(call)


def _chat_at_terminal(call: Invocation, no_demo: bool) -> None:
    from recollect.faces.chat.terminal import HISTORY, Terminal

    settings = call.load().settings
    store = file_of(settings.store)
    is_first_run = store is not None and not store.exists()
    if is_first_run and not no_demo and _wants_demo():
        with suppress(KeyboardInterrupt):
            demonstration.play(call, then="your own chat")
        print()
    make_folder(settings.data_dir)
    asyncio.run(_run_chat(call, Terminal(settings.data_dir / HISTORY, COMPLETIONS)))


def _wants_demo() -> bool:
    """Ask until the answer is y or n: someone who starts to chat instead would lose their message."""
    while (reply := ask("Play a one-minute demo first? [Y/n] ")) not in ("", "y", "yes", "n", "no"):
        print("Please answer y or n; the chat begins after that.")
    return reply in ("", "y", "yes")


async def _run_chat(call: Invocation, source: Source) -> None:
    loaded, output = call.load(), ChatOutput(call.screen)
    async with AsyncMemory.from_settings(loaded) as memory, AsyncExitStack() as models:
        settings = loaded.settings
        model = await models.enter_async_context(_chat_model(settings.model, settings.model_base_url))
        if call.is_interactive:
            output.say(await _render_greeting(call, memory, model))
        speaker = ChatSpeaker.at(call.user, call.place)
        is_local = loaded.settings.extraction.model in ("local", "null")  # milliseconds, unless the machine is busy
        learn_wait = LEARN_WAIT_SECONDS if call.is_interactive else PIPE_LEARN_WAIT_SECONDS
        if call.is_interactive and is_local:
            learn_wait = LOCAL_LEARN_WAIT_SECONDS
        commands = ChatCommands(memory, prefix=SLASH)
        assistant = Assistant(memory, model, commands=commands, explains_offline=not call.is_interactive)

        described = NO_MODEL if model is None else f"Model: {wiring.describe_models(settings)}"

        async def choose_model(name: str) -> str:
            nonlocal described
            if not name:
                return described
            chosen = await models.enter_async_context(_chat_model(name, settings.model_base_url))
            if chosen is None:
                raise BadInput(f"{name} can't chat; name a model as provider:model")
            assistant.use(chosen)
            described = f"Model: {chosen.name}, in this chat"
            return f"{chosen.name} answers from now on, in this chat."

        conversation = Conversation(
            memory, assistant, output, speaker, learn_wait=learn_wait, choose_model=choose_model
        )
        try:
            await converse(conversation, source, stoppable=call.is_interactive)
        finally:
            await assistant.close()
        if not call.is_interactive and (lost := await conversation.count_lost()):
            raise StoreError(f"{count_noun(lost, 'line')} of it could not be remembered")


@asynccontextmanager
async def _chat_model(name: str, base_url: str) -> AsyncGenerator[ChatModel | None]:
    """The model that replies; None when it can't chat."""
    model = make_model(name, base_url)
    try:
        yield model if isinstance(model, ChatModel) else None
    finally:
        await model.close()


async def _render_greeting(call: Invocation, memory: AsyncMemory, model: ChatModel | None) -> str:
    settings, name = memory.settings, ChatSpeaker.at(call.user, call.place).display_name
    memo_count = (await memory.show(user=call.user, place=call.place, limit=0)).total
    store = file_of(settings.store) or redacted(settings.store)
    lines = [
        f"recollect {__version__}. /help shows what you can do, Ctrl-D leaves.",
        f"Memory: {store}, {count_memories(memo_count)} about {name}",
        NO_MODEL if model is None else f"Model: {wiring.describe_models(settings)}",
    ]
    if not settings.enabled:
        lines.append("Memory is switched off: nothing is kept. RECOLLECT_ENABLED=true switches it on.")
    elif not settings.memos.enabled:
        lines += wiring.switched_off(settings)
    return "\n".join(lines)
