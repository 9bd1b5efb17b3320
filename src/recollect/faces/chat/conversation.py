"""A conversation at a terminal: what is typed is a command of the chat, an order to memory, or said to the assistant.

After each turn a quiet line tells what came of it. It never holds up the next prompt: what takes longer is told later.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Collection, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from secrets import token_hex
from typing import Any

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError
from recollect.core.text import normalize
from recollect.core.types import Message
from recollect.faces import outcome_text
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.chat import explain
from recollect.faces.chat.input import Source
from recollect.faces.chat.output import ChatOutput
from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.commands.help import USAGE
from recollect.faces.commands.parse import parse
from recollect.learning.ingest import LearnedOutcome
from recollect.memory import AsyncMemory
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.redaction import redact
from recollect.prompting.assemble import Prompt

COMMANDS = {
    "/as": ("NAME", "speak as somebody else"),
    "/in": ("#channel", "speak in a channel; guild/#channel, #channel/thread; --restricted for a closed one"),
    "/dm": ("", "speak in a direct message"),
    "/who": ("", "who speaks where, and who hears it"),
    "/why": ("[which]", "explain what was learned last, or the last reply; or a memory by number, id or part"),
    "/prompt": ("[text]", "what a model would be given for a message, and how much room it takes"),
    "/memory": ("…", "commands of memory, as in !memory; /memory help lists them"),
    "/help": ("", "this list, as help shows it"),
    "/quit": ("", "leave, as exit, bye and Ctrl-D do"),
}
"""Of each command its arguments, and what it does."""
GOODBYES = frozenset(
    {
        *("exit", "exit()", "quit", "quit()", "logout", ":q", ":wq", "cya"),
        *("bye", "bye bye", "bye-bye", "goodbye", "good bye", "see you", "see ya", "see you later"),
    }
)
"""What people type to leave, besides commands; said to nobody, and not kept."""
WORDS = {**dict.fromkeys(COMMANDS, ()), "/memory": tuple(USAGE), "!memory": tuple(USAGE)}
"""Commands, and what may follow them."""
LATER = 300.0
"""Seconds after which nobody waits for what is learned from a message."""


@dataclass(frozen=True, slots=True)
class Last:
    """The last turn, as far as there is something to explain about it."""

    message: Message
    prompt: Prompt | None
    asked: bool = False
    """Whether a model got the prompt."""
    learned: LearnedOutcome | None = None


class Conversation:
    def __init__(
        self,
        memory: AsyncMemory,
        assistant: Assistant,
        paper: ChatOutput,
        voice: ChatSpeaker,
        *,
        clock: Clock = now,
        patience: float = 0.5,
    ) -> None:
        """`patience` is how many seconds the next prompt may wait for what is learned."""
        self.voice = voice
        self._memory = memory
        self._assistant = assistant
        self._paper = paper
        self._clock = clock
        self._patience = patience
        self._last: Last | None = None
        self._later: set[asyncio.Task[None]] = set()
        self._doubtful: list[Message] = []
        self._refused = 0
        self._commands: dict[str, Callable[[str], Awaitable[None]]] = {
            "/as": self._speak_as,
            "/in": self._go_to,
            "/dm": self._go_alone,
            "/who": self._tell_who,
            "/why": self._explain,
            "/prompt": self._show_prompt,
            "/memory": self._forbidden,
            "/help": self._help,
        }

    async def hear(self, line: str) -> bool:
        """Take one thing that was typed; False when that was goodbye."""
        line = line.strip()
        name, _, words = line.partition(" ")
        name = name.casefold()
        if name in ("/quit", "/exit", "/bye") or normalize(line) in GOODBYES:
            return False
        try:
            if parse(line) is not None and self._memory.settings.chat_commands.enabled:
                await self._order(line)
            elif line == "?" or normalize(line) == "help":
                await self._help("")
            elif name.startswith("/"):
                await self._commands.get(name, self._unknown)(words.strip())
            elif line:
                await self._turn(line)
        except RecollectError as error:
            self._paper.say(outcome_text.problem(error))
        return True

    async def lost(self) -> int:
        """How much of what was typed came to nothing: said and not kept, or an order that could not be carried out."""
        try:
            gone = [message for message in self._doubtful if not await self._is_kept(message)]
        except RecollectError:
            gone = self._doubtful
        return len(gone) + self._refused

    async def close(self) -> None:
        """Wait no longer for what is still being learned."""
        for task in self._later:
            task.cancel()
        await asyncio.gather(*self._later, return_exceptions=True)

    async def _turn(self, text: str) -> None:
        message = self._message(text)
        self._doubtful.append(message)
        prompt = await self._prompt(message)
        with self._paper.reply() as show:
            reply = await self._assistant.reply(message, show)
        self._last = Last(message, prompt, not reply.alone)
        await self._assistant.said(reply.text, message, token_hex(8))
        found = await self._memory.wait_learned(message, self._patience)
        told = self._report(message, found)
        if not found.done:
            self._tell_later(message, told)
        if await self._is_kept(message):
            self._doubtful.remove(message)

    async def _is_kept(self, message: Message) -> bool:
        place = message.place.platform
        found = await self._memory.store.read(lambda tx: tx.messages.get(place, message.id))
        return found is not None or not self._memory.settings.enabled

    async def _prompt(self, message: Message) -> Prompt | None:
        """The very one that the assistant gets, as it is kept for a while."""
        try:
            return await self._memory.context(message)
        except RecollectError:
            return None  # the assistant answers without it, and says so in the log

    def _report(self, message: Message, found: LearnedOutcome, told: Collection[str] = ()) -> list[str]:
        """Tell what was not told yet; all that there is to tell."""
        if self._last is not None and self._last.message is message:
            self._last = replace(self._last, learned=found)
        lines = came_of(message, found)
        for line in lines:
            if line not in told:
                self._paper.quiet(f"  {line}")
        return lines

    def _tell_later(self, message: Message, told: Collection[str]) -> None:
        async def wait() -> None:
            with suppress(RecollectError):  # the log says what is wrong with the store
                self._report(message, await self._memory.wait_learned(message, LATER), told)

        task = asyncio.create_task(wait(), name="recollect-later")
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _order(self, line: str) -> None:
        reply = await self._assistant.reply(self._message(line))
        self._refused += reply.text == outcome_text.OUT_OF_REACH
        self._paper.say(reply.text)

    def _message(self, text: str) -> Message:
        voice = self.voice
        return Message(token_hex(8), voice.user, voice.place, text, self._clock(), name=voice.user)

    async def _speak_as(self, words: str) -> None:
        self._move(self.voice.named(words))

    async def _go_to(self, words: str) -> None:
        self._move(self.voice.entering(words))

    async def _go_alone(self, words: str) -> None:
        del words
        self._move(self.voice.alone())

    def _move(self, voice: ChatSpeaker) -> None:
        self.voice, self._last = voice, None
        self._paper.quiet(f"  {voice.described}")

    async def _tell_who(self, words: str) -> None:
        del words
        self._paper.say(self.voice.described)

    async def _explain(self, words: str) -> None:
        last = self._last
        if words:
            await self._order(f"!memory why {words}")
        elif last is not None and last.learned is not None and came_of(last.message, last.learned):
            await self._explain_learned(last.message, last.learned)
        elif last is not None and last.prompt is not None:
            self._paper.say("\n".join(explain.reasons(last.prompt, last.asked)))
        else:
            self._paper.say("Nothing was said here yet that could be explained; /why NUMBER explains a memory.")

    async def _explain_learned(self, message: Message, found: LearnedOutcome) -> None:
        for place, memo in enumerate(dict.fromkeys(event.memo for event in found.events if event.memo)):
            if place:
                self._paper.say("")
            await self._order(f"!memory why {memo}")
        for line in came_of(message, found):
            if line.startswith("not "):
                self._paper.say(f'From "{outcome_text.echo(redact(message.text).text)}": {line}')

    async def _show_prompt(self, words: str) -> None:
        text = words or (self._last.message.text if self._last is not None else "")
        self._paper.say("\n".join(explain.sizes(await self._memory.context(self._message(text)))))

    async def _help(self, words: str) -> None:
        del words
        self._paper.say(guide())

    async def _forbidden(self, words: str) -> None:
        del words
        raise BadInput("commands of memory are switched off; switch them on with RECOLLECT_CHAT_COMMANDS_ENABLED=true")

    async def _unknown(self, words: str) -> None:
        del words
        self._paper.say("There is no such command; /help lists them. Nothing was said to anyone.")


def guide() -> str:
    """All that can be typed besides talking."""
    wide = max(len(f"{name} {arguments}") for name, (arguments, _) in COMMANDS.items())
    lines = [f"  {f'{name} {arguments}':<{wide}}  {meaning}" for name, (arguments, meaning) in COMMANDS.items()]
    return "\n".join(["Just write to talk. Lines that start with / are commands:", *lines])


def came_of(message: Message, found: LearnedOutcome) -> list[str]:
    """What was learned from a message, revised or refused, and what was kept out of memory altogether."""
    lines = outcome_text.learned(found)
    if found.done and not lines and is_instruction(message.text):
        lines = ["not learned: gives instructions"]
    secrets = redact(message.text).found
    return [*lines, *([f"not kept: {', '.join(secrets)}"] if secrets else [])]


async def converse(talk: Conversation, source: Source, *, stoppable: bool) -> None:
    """Take what is typed until there is no more. When it is `stoppable`, Ctrl-C ends a reply, not the conversation."""
    try:
        while (line := await source.line(talk.voice.label)) is not None:
            goes_on = _unless_stopped(talk.hear(line)) if stoppable else talk.hear(line)
            if not await goes_on:
                break
    finally:
        await talk.close()


async def _unless_stopped(hearing: Coroutine[Any, Any, bool]) -> bool:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(hearing)
    with suppress(NotImplementedError):  # Windows: there Ctrl-C leaves
        loop.add_signal_handler(signal.SIGINT, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        ours = asyncio.current_task()
        if ours is not None and ours.cancelling():
            raise
        return True
    finally:
        with suppress(NotImplementedError):
            loop.remove_signal_handler(signal.SIGINT)
