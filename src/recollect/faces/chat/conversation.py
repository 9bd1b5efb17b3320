"""A conversation at a terminal: each line is a command of the chat, a memory command, or a message to the assistant.

After each turn a quiet line says what was learned. It never delays the next prompt: what takes longer is printed later.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from secrets import token_hex
from typing import Any

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError
from recollect.core.text import normalize
from recollect.core.types import Message
from recollect.faces import outcome_text
from recollect.faces.assistant.assistant import Assistant, Reply
from recollect.faces.assistant.model_turn import TurnUsage, price_of
from recollect.faces.chat import explain
from recollect.faces.chat.input import Source, StopsByKey
from recollect.faces.chat.output import ChatOutput
from recollect.faces.chat.shown_list import ShownList, is_listing
from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.commands.help import USAGE
from recollect.faces.commands.parse import parse
from recollect.language.requests import RequestKind, recognize
from recollect.learning.ingest import LearnedOutcome
from recollect.memory import AsyncMemory
from recollect.policy.redaction import redact
from recollect.prompting.assemble import Prompt

COMMANDS = {
    "/show": ("", "what is remembered about you, with numbers"),
    "/forget": ("NUMBER", "forget that memory, or words that are in it; /undo takes it back"),
    "/edit": ("NUMBER WORDS", "give that memory other words"),
    "/why": ("[NUMBER|all]", "explain what was learned last, or the last reply (all of it); or that memory"),
    "/retry": ("", "have the last message answered again"),
    "/model": ("[NAME]", "the model that answers, or another one from now on"),
    "/cost": ("", "what the last reply cost, and this chat"),
    "/prompt": ("[text]", "what a model would be given for a message, and the size of each section"),
    "/as": ("NAME", "speak as someone else"),
    "/in": ("#channel", "speak in a channel; guild/#channel, #channel/thread; --restricted for a closed one"),
    "/dm": ("", "speak in a direct message"),
    "/who": ("", "who speaks where, and who hears it"),
    "/memory": ("…", "commands of memory, as in !memory; /memory help lists them all"),
    "/help": ("", "this list, as help shows it"),
    "/quit": ("", "leave, as exit, bye and Ctrl-D do"),
}
"""Commands with their arguments and meaning."""
MEMORY_VERBS = frozenset(USAGE) - {"help", "why"}
"""Memory commands that also work after a slash: `/forget 3`."""
COMPLETIONS = {
    **dict.fromkeys([*COMMANDS, *(f"/{verb}" for verb in USAGE)], ()),
    "/memory": tuple(USAGE),
    "!memory": tuple(USAGE),
}
"""Commands, and the words that may follow them."""
ModelChooser = Callable[[str], Awaitable[str]]
LEARN_TIMEOUT_SECONDS = 300.0
"""How long a background task waits for what is learned from a message."""


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last turn, for `/why` and `/prompt`."""

    message: Message
    prompt: Prompt | None
    was_sent: bool = False
    """Whether a model got the prompt."""
    learned: LearnedOutcome | None = None


class Conversation:
    def __init__(
        self,
        memory: AsyncMemory,
        assistant: Assistant,
        output: ChatOutput,
        speaker: ChatSpeaker,
        *,
        clock: Clock = now,
        learn_wait: float = 0.5,
        choose_model: ModelChooser | None = None,
    ) -> None:
        """`learn_wait` is how many seconds the next prompt may wait for what is learned; `choose_model` opens the model
        that is named, or describes the one that answers.
        """
        self.speaker = speaker
        self._memory = memory
        self._assistant = assistant
        self._output = output
        self._clock = clock
        self._learn_wait = learn_wait
        self._choose_model = choose_model
        self._costs: list[TurnUsage] = []
        self._last: LastTurn | None = None
        self._shown: ShownList | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._unconfirmed: list[Message] = []
        self._failed_commands = 0
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "/as": self._speak_as,
            "/in": self._go_to,
            "/dm": self._go_to_dm,
            "/who": self._print_speaker,
            "/why": self._explain,
            "/prompt": self._show_prompt,
            "/retry": self._retry,
            "/model": self._model,
            "/cost": self._print_cost,
            "/memory": self._memory_commands_off,
            "/help": self._help,
        }

    async def handle_line(self, line: str) -> bool:
        """Handle a typed line; False when it ends the chat."""
        line = line.strip()
        name, _, words = line.partition(" ")
        name = name.casefold()
        request = recognize(line)
        if name in ("/quit", "/exit", "/bye") or (request is not None and request.kind is RequestKind.GOODBYE):
            return False  # not stored
        asks_help = request is not None and request.kind is RequestKind.HELP and not self._assistant.has_model
        try:
            if parse(line) is not None and self._memory.settings.chat_commands.enabled:
                await self._run_memory_command(line)
            elif asks_help or line == "?" or normalize(line) == "help":
                await self._help("")
            elif name[1:] in MEMORY_VERBS and name.startswith("/") and self._memory.settings.chat_commands.enabled:
                await self._run_memory_command(f"!memory {line[1:]}")
            elif name.startswith("/"):
                run = self._commands.get(name)
                await (run(words.strip()) if run else self._unknown_command(name))
            elif line:
                await self._turn(line)
        except RecollectError as error:
            self._output.say(outcome_text.problem(error))
        return True

    async def count_lost(self) -> int:
        """How many lines were lost: messages that were not stored, and memory commands that failed."""
        try:
            lost_messages = [message for message in self._unconfirmed if not await self._is_stored(message)]
        except RecollectError:
            lost_messages = self._unconfirmed
        return len(lost_messages) + self._failed_commands

    async def close(self) -> None:
        """Stop waiting for what is still being learned."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _turn(self, text: str) -> None:
        message = self._message(text)
        # Until it is seen in the store: the end of the chat reports what was lost.
        self._unconfirmed.append(message)
        await self._answer(message)

    async def _answer(self, message: Message) -> None:
        prompt = await self._prompt(message)
        self._last = LastTurn(message, prompt)  # to be tried again if it is stopped
        before = self._assistant.usage
        with self._output.reply() as show:
            reply = await self._assistant.reply(message, show, lambda call: show.aside(f"  · {call}"))
        if (usage := self._assistant.usage) is not None and usage is not before:
            self._costs.append(usage)
        if reply.command_answer is not None:  # a command in plain words, which is not stored
            self._last = None
            self._unconfirmed.remove(message)
            self._print_answer(reply)
            return
        self._last = LastTurn(message, prompt, not reply.is_offline)
        await self._assistant.record_reply(reply.text, message, token_hex(8))
        outcome = await self._memory.wait_learned(message, self._learn_wait, closes_batch=False)
        lines = outcome_text.render_learned(outcome, changes_only=True) if reply.tells_learned else ()
        printed = self._print_learned(message, outcome, lines)
        if not outcome.done:
            self._print_later(message, printed)
        if message in self._unconfirmed and await self._is_stored(message):
            self._unconfirmed.remove(message)

    async def _is_stored(self, message: Message) -> bool:
        stored = await self._memory.timeline.message(message.place.platform, message.id)
        return stored is not None or not self._memory.settings.enabled

    async def _prompt(self, message: Message) -> Prompt | None:
        """The same prompt that the assistant gets, as it is cached for a while."""
        try:
            return await self._memory.context(message)
        except RecollectError:
            return None  # the assistant answers without it, and says so in the log

    def _print_learned(self, message: Message, outcome: LearnedOutcome, printed: Collection[str] = ()) -> list[str]:
        """Print the lines that are not printed yet; returns all of them."""
        if self._last is not None and self._last.message is message:
            self._last = replace(self._last, learned=outcome)
        lines = describe_learned(message, outcome)
        for line in lines:
            if line not in printed:
                self._output.quiet(f"  {line}")
        return lines

    def _print_later(self, message: Message, printed: Collection[str]) -> None:
        async def wait() -> None:
            with suppress(RecollectError):  # the log says what is wrong with the store
                outcome = await self._memory.wait_learned(message, LEARN_TIMEOUT_SECONDS, closes_batch=False)
                self._print_learned(message, outcome, printed)

        task = asyncio.create_task(wait(), name="recollect-later")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run_memory_command(self, line: str) -> None:
        memo_id = number = ""
        if self._shown is not None:
            line, memo_id, number = self._shown.by_id(line, self.speaker)
        reply = await self._assistant.reply(self._message(line))
        if is_listing(line, reply.text):
            listing = await self._memory.show(user=self.speaker.user, place=self.speaker.place)
            self._shown = ShownList(self.speaker, [memo.id for memo in listing.memos])
        self._print_answer(replace(reply, text=reply.text.replace(f'"{memo_id}"', f'"{number}"')) if memo_id else reply)

    def _print_answer(self, reply: Reply) -> None:
        self._failed_commands += reply.text == outcome_text.OUT_OF_REACH
        self._output.say(reply.text)

    def _message(self, text: str) -> Message:
        speaker = self.speaker
        return Message(token_hex(8), speaker.user, speaker.place, text, self._clock(), name=speaker.user)

    async def _speak_as(self, words: str) -> None:
        self._move(self.speaker.with_name(words))

    async def _go_to(self, words: str) -> None:
        self._move(self.speaker.moved_to(words))

    async def _go_to_dm(self, words: str) -> None:
        del words
        self._move(self.speaker.in_dm())

    def _move(self, speaker: ChatSpeaker) -> None:
        self.speaker, self._last = speaker, None
        self._output.quiet(f"  {speaker.description}")

    async def _print_speaker(self, words: str) -> None:
        del words
        self._output.say(self.speaker.description)

    async def _explain(self, words: str) -> None:
        last, is_long = self._last, words == "all"
        if words and not is_long:
            await self._run_memory_command(f"!memory why {words}")
        elif last is not None and last.learned is not None and describe_learned(last.message, last.learned):
            await self._explain_learned(last.message, last.learned)
        elif last is not None and last.prompt is not None:
            explained = explain.explain_prompt if is_long else explain.explain_briefly
            self._output.say("\n".join(explained(last.prompt, last.was_sent)))
        else:
            self._output.say("Nothing was said here yet that could be explained; /why NUMBER explains a memory.")

    async def _explain_learned(self, message: Message, outcome: LearnedOutcome) -> None:
        for index, memo in enumerate(dict.fromkeys(event.memo for event in outcome.events if event.memo)):
            if index:
                self._output.say("")
            await self._run_memory_command(f"!memory why {memo}")
        changes = outcome_text.render_learned(outcome, changes_only=True)
        for line in describe_learned(message, outcome):
            if line not in changes:
                self._output.say(f'From "{outcome_text.quote_input(redact(message.text).text)}": {line}')

    async def _retry(self, words: str) -> None:
        del words
        if self._last is None:
            self._output.say("Nothing was said here yet that could be answered again.")
        else:
            await self._answer(self._last.message)

    async def _model(self, words: str) -> None:
        if self._choose_model is None:
            raise BadInput("there is no other model here")
        self._output.say(await self._choose_model(words))

    async def _print_cost(self, words: str) -> None:
        del words
        if not self._costs:
            self._output.say("No model has answered yet, so nothing was spent on replies.")
            return
        total = TurnUsage(
            self._costs[-1].model,
            *(sum(getattr(cost, part) for cost in self._costs) for part in ("requests", "input", "output")),
        )
        self._output.say(f"The last reply: {describe_cost(self._costs[-1])}")
        if len(self._costs) > 1:
            self._output.say(f"This chat, {len(self._costs)} replies: {describe_cost(total)}")

    async def _show_prompt(self, words: str) -> None:
        text = words or (self._last.message.text if self._last is not None else "")
        self._output.say("\n".join(explain.render_sizes(await self._memory.context(self._message(text)))))

    async def _help(self, words: str) -> None:
        del words
        self._output.say(help_text())

    async def _memory_commands_off(self, words: str) -> None:
        del words
        raise BadInput("commands of memory are switched off; switch them on with RECOLLECT_CHAT_COMMANDS_ENABLED=true")

    async def _unknown_command(self, name: str) -> None:
        close = get_close_matches(name, COMPLETIONS, n=1)
        hint = f"Did you mean {close[0]}? " if close else ""
        self._output.say(f"There is no such command; /help lists them. {hint}Nothing was said to anyone.")


def help_text() -> str:
    """The list of commands."""
    width = max(len(f"{name} {arguments}") for name, (arguments, _) in COMMANDS.items())
    lines = [f"  {f'{name} {arguments}':<{width}}  {meaning}" for name, (arguments, meaning) in COMMANDS.items()]
    return "\n".join(["Just write to talk. Lines that start with / are commands:", *lines])


def describe_learned(message: Message, outcome: LearnedOutcome) -> list[str]:
    """What was learned from a message or refused, and which secrets were not stored."""
    lines = outcome_text.render_learned(outcome)
    secrets = redact(message.text).labels
    return [*lines, *([f"not kept: {', '.join(secrets)}"] if secrets else [])]


def describe_cost(usage: TurnUsage) -> str:
    counts = f"{usage.input:,} tokens in, {usage.output:,} out"
    price = price_of(usage.model, usage.input, usage.output)
    return counts if price is None else f"{counts}, about ${price:.4f}"


async def converse(conversation: Conversation, source: Source, *, stoppable: bool) -> None:
    """Handle lines until there are no more. With `stoppable`, Esc or Ctrl-C end a reply, not the conversation."""
    try:
        while (line := await source.line(conversation.speaker.label)) is not None:
            handling = (
                _unless_stopped(conversation.handle_line(line), source) if stoppable else conversation.handle_line(line)
            )
            if not await handling:
                break
    finally:
        await conversation.close()


async def _unless_stopped(handling: Coroutine[Any, Any, bool], source: Source) -> bool:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(handling)
    with suppress(NotImplementedError):  # Windows: Ctrl-C ends the program there
        loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        with source.stop_keys(task.cancel) if isinstance(source, StopsByKey) else nullcontext():
            return await task
    except asyncio.CancelledError:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise
        print("(stopped; /retry has it answered again)")
        return True
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
