"""The assistant that people talk to, in a terminal or on Discord: a message in, a reply out, memory in between.

Whatever fails, memory or model, there is a reply. Commands (`!memory …`) never reach the model.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from weakref import WeakValueDictionary

from recollect.core.clock import Clock, now
from recollect.core.errors import ModelError, RecollectError, StoreBusy, StoreUnreachable
from recollect.core.outcomes import Refused, Undoable
from recollect.core.ports import ChatModel
from recollect.core.reasons import render_reason
from recollect.core.types import Message
from recollect.faces.assistant import offline, plain_changes
from recollect.faces.assistant.citations import citations
from recollect.faces.assistant.memory_lines import (
    CONFIDENCE,
    MAX_LINES_PER_REPLY,
    MAX_SOURCES_PER_REPLY,
    MemoryLineFilter,
    lore_text,
    split_lines,
)
from recollect.faces.assistant.model_turn import Responder, TurnUsage, total_of
from recollect.faces.assistant.request import (
    NAME,
    PERSONA,
    ChatRequest,
    asks_for_lore,
    chat_request,
    sent_prompt,
    with_message,
)
from recollect.faces.assistant.session import Session
from recollect.faces.assistant.tools import AssistantTools, tool_definitions
from recollect.faces.commands.dispatcher import Answer, ChatCommands
from recollect.language.requests import Excuse, language_of
from recollect.memory import AsyncMemory
from recollect.policy.redaction import redact

__all__ = ["Assistant", "Reply"]

log = logging.getLogger("recollect.assistant")

STORE_TIMEOUT_SECONDS = 1.5
"""How long a reply waits for the store."""
MAX_STORE_ATTEMPTS = 5
CLOSE_TIMEOUT_SECONDS = 5.0
MAX_SESSIONS = 500
SENDING_TIME = timedelta(seconds=10)
"""How long sending and storing a reply may take."""
BEFORE_COMPACTION = """\
The conversation above is about to be shortened, and its older part will be out of your sight. Save now, with the
memory tool, whatever in it should not be lost and is not remembered yet; search before you save.
Then answer with the single word: done."""


def _ignore_piece(piece: str) -> None:
    """Discards the pieces of a streamed reply."""
    del piece


class _DisplayedReply:
    """Forwards pieces, and knows whether the last line is complete."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._last = "\n"

    def __call__(self, piece: str) -> None:
        self._last = piece[-1:] or self._last
        self._show(piece)

    def new_line(self) -> None:
        if self._last != "\n":
            self("\n")


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply's text; a command's answer also comes in pages."""

    text: str
    command_answer: Answer | None = None
    is_offline: bool = False
    """Whether it comes from memory alone, without a model."""
    tells_learned: bool = False
    """Whether it says what was learned from the message."""
    usage: TurnUsage | None = None
    """Tokens and requests of the model."""


class Assistant:
    """Answers people. Without a model it answers from memory alone, and says so unless the face did (`excuses`).

    `details` includes the reason why a model gave no answer; hosts and variables are for the log only. What
    is shown without a model quotes people, so `escape` disables markup and mentions in it.
    """

    def __init__(
        self,
        memory: AsyncMemory,
        chat_model: ChatModel | None = None,
        *,
        name: str = NAME,
        persona: str = PERSONA,
        commands: ChatCommands | None = None,
        clock: Clock = now,
        explains_offline: bool = True,
        details: bool = True,
        escape: Callable[[str], str] = str,
    ) -> None:
        self.name = name
        self._memory = memory
        memory.names.reserve(name)
        self._persona = persona
        self._responder = None if chat_model is None else Responder(chat_model, tool_definitions(memory.settings))
        self._commands = commands or ChatCommands(memory, clock=clock)
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._excuses = explains_offline
        self._details = details
        self._escape = escape
        self._explained: set[tuple[str, offline.NoModel]] = set()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._store_tasks: set[asyncio.Task[None]] = set()

    @property
    def usage(self) -> TurnUsage | None:
        """Tokens and requests of the last reply of a model."""
        return None if self._responder is None else self._responder.usage

    @property
    def has_model(self) -> bool:
        return self._responder is not None

    def use(self, chat_model: ChatModel | None) -> None:
        """Reply with another model from now on."""
        definitions = tool_definitions(self._memory.settings)
        self._responder = None if chat_model is None else Responder(chat_model, definitions)

    async def reply(
        self,
        message: Message,
        show: Callable[[str], None] = _ignore_piece,
        show_call: Callable[[str], None] = _ignore_piece,
    ) -> Reply:
        """Answer a message, `show` the answer as it is written, and `show_call` each use of a tool. The caller sends
        the answer, then calls `record_reply`.
        """
        is_unchanged = self._responder is None and await self._is_unchanged(message)
        answer = await self._commands.answer(
            message.text, user=message.author, place=message.place, message_id=message.id
        )
        if answer is not None:
            return Reply("\n".join(answer.pages), answer)
        if self._responder is None and (changed := await self._change_in_words(message, is_unchanged)) is not None:
            return Reply(changed, Answer((changed,)))
        if self._responder is None and (command := plain_changes.command_for(message.text)) is not None:
            answer = await self._commands.answer(
                command, user=message.author, place=message.place, message_id=message.id
            )
            if answer is not None:
                return Reply("\n".join(answer.pages), answer)
        message = replace(message, text=redact(message.text).text)
        await self._store(message)
        lock = self._locks.setdefault(message.place.session, asyncio.Lock())
        async with lock:
            reply = await self._answer(message, show, show_call)
            self._remember_turn(message, reply.text)
            return reply

    async def _is_unchanged(self, message: Message) -> bool:
        """Whether the author's last message here changed nothing in their memory."""
        if not self._memory.settings.enabled:
            return False
        try:
            offer = await self._memory.view(message.author, message.place).undoable()
        except RecollectError:  # the notice that follows says so
            return False
        changes, change = self._session(message).last_changes, offer.change if isinstance(offer, Undoable) else offer
        is_same = message.author in changes and changes[message.author] == change
        changes[message.author] = change
        return is_same

    async def _change_in_words(self, message: Message, is_unchanged: bool) -> str | None:
        try:
            return await plain_changes.change_in_words(self._memory, message, is_unchanged=is_unchanged)
        except RecollectError as error:
            log.warning("a plain request can't be followed: %s", error)
            return None
        except Exception:  # whatever fails, there is a reply
            log.exception("a plain request can't be followed")
            return None

    async def record_reply(self, text: str, to: Message, message_id: str, at: datetime | None = None) -> Message:
        """Store a reply that was sent with this id, and then, as part of the conversation."""
        reply = self._reply_message(message_id, text, to, at or self._clock())
        await self._store(reply)
        session = self._session(to)
        if session.reply is not None and session.reply.reply_to == to.id:
            session.reply = None
        return reply

    async def close(self) -> None:
        """Wait a while for messages that are still being stored."""
        if self._store_tasks:
            await asyncio.wait(self._store_tasks, timeout=CLOSE_TIMEOUT_SECONDS)

    def _reply_message(self, message_id: str, text: str, to: Message, at: datetime) -> Message:
        return Message(message_id, self.name, to.place, text, at, name=self.name, bot=True, reply_to=to.id)

    def _session(self, message: Message) -> Session:
        """The conversation here; the least recently used ones are dropped."""
        session = self._sessions.get(message.place.session) or Session(self._memory.settings.history)
        self._sessions[message.place.session] = session
        self._sessions.move_to_end(message.place.session)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def _remember_turn(self, message: Message, reply_text: str) -> None:
        """Hold what the next turn needs until it is stored or, where memory is switched off, instead of storing it."""
        session = self._session(message)
        session.reply = self._reply_message(f"reply-{message.id}", reply_text, message, self._clock())
        session.say(message, session.reply)
        if not self._memory.settings.enabled:
            session.messages += (message, session.reply)

    def _unstored(self, message: Message) -> Sequence[Message]:
        session = self._session(message)
        if not self._memory.settings.enabled:
            return tuple(session.messages)
        reply = session.reply
        return () if reply is None or self._clock() - reply.at > SENDING_TIME else (reply,)

    async def _store(self, message: Message) -> None:
        """Store a message; if the store is slow or locked, that goes on in the background."""
        task = self._start(self._store_with_retries(message), f"keep-{message.id}")
        await asyncio.wait([task], timeout=STORE_TIMEOUT_SECONDS)

    def _start(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=f"recollect-{name}")
        self._store_tasks.add(task)
        task.add_done_callback(self._store_tasks.discard)
        return task

    async def _keep_prompt(self, model: str, message: Message, request: ChatRequest, last_event: int) -> None:
        limit = self._memory.settings.keep_prompts
        prompt = sent_prompt(request, message, model, self._clock())
        try:
            await self._memory.timeline.keep_prompt(prompt, limit, last_event)
        except Exception:  # memory never breaks a reply
            log.exception("a request could not be kept as sent")

    async def _store_with_retries(self, message: Message) -> None:
        for attempt in range(MAX_STORE_ATTEMPTS):
            try:
                await self._memory.add(message)
            except (StoreBusy, StoreUnreachable) as error:
                log.warning("message %s can't be stored yet: %s", message.id, error)
                await asyncio.sleep(attempt + 1)
            except Exception:  # memory never breaks a reply
                log.exception("message %s could not be stored", message.id)
                return
            else:
                return
        log.error("message %s could not be stored: the store stayed unreachable", message.id)

    async def _answer(self, message: Message, show: Callable[[str], None], show_call: Callable[[str], None]) -> Reply:
        if self._responder is None:
            return await self._answer_offline(message, offline.NoModel(Excuse.NO_MODEL), show)
        display, usages = _DisplayedReply(show), list[TurnUsage]()
        try:
            text = await self._answer_with_model(self._responder, message, display, show_call, usages.append)
            return Reply(text, usage=total_of(usages))
        except ModelError as error:
            # the user reads the reason: no need to log it as well
            log.log(logging.INFO if self._details else logging.WARNING, "the model gave no reply: %s", error)
            detail = error.plain if self._details else ""
            reason = offline.NoModel(Excuse.NO_ANSWER if detail else Excuse.UNREACHABLE, detail)
        except Exception:  # whatever fails, there is a reply
            log.exception("the model gave no reply")
            reason = offline.NoModel(Excuse.UNREACHABLE)
        display.new_line()
        return replace(await self._answer_offline(message, reason, show), usage=total_of(usages))

    async def _answer_offline(self, message: Message, reason: offline.NoModel, show: Callable[[str], None]) -> Reply:
        """Answer from memory; the reason is given once per person."""
        is_told_each_time = self._details and self._responder is not None  # by /retry as well
        was_explained = (message.author, reason) in self._explained and not is_told_each_time
        was_explained = was_explained or (self._responder is None and not self._excuses)
        self._explained.add((message.author, reason))
        try:
            answer = await offline.offline_answer(
                self._memory, message, None if was_explained else reason, self._commands.prefix
            )
        except Exception:  # memory never breaks a reply
            log.exception("memory can't be searched")
            answer = offline.OfflineAnswer(reason.say("no_memory", language_of(message.text)))
        show(self._escape(answer.text))
        return Reply(answer.text, is_offline=True, tells_learned=answer.tells_learned)

    async def _answer_with_model(
        self,
        responder: Responder,
        message: Message,
        show: _DisplayedReply,
        show_call: Callable[[str], None],
        count: Callable[[TurnUsage], None],
    ) -> str:
        keeps_prompt = self._memory.settings.keep_prompts > 0
        last_event = await self._memory.timeline.last_event_id() if keeps_prompt else 0
        request = await chat_request(
            self._memory, message, persona=self._persona, name=self.name, unstored=self._unstored(message)
        )
        if self._leaves_history(message, request):
            await self._save_before_compaction(responder, message, request, count)
        if keeps_prompt:
            self._start(self._keep_prompt(responder.name, message, request, last_event), f"prompt-{message.id}")
        line_filter = MemoryLineFilter()

        def report_call(text: str) -> None:
            show.new_line()
            show_call(text)

        tools = AssistantTools(self._memory, message, report_call)
        reply = await responder.respond(request, tools, lambda piece: show(line_filter.feed(piece)), count)
        show(line_filter.end())
        parts = split_lines(reply)
        for line in parts.lore[:MAX_LINES_PER_REPLY]:
            await self._remember_lore(line, message)
        links = await self._cite(parts.sources[:MAX_SOURCES_PER_REPLY], message)
        if links:
            show.new_line()
            show(links)
        return f"{parts.text}\n{links}".strip()

    async def _cite(self, sources: Sequence[str], message: Message) -> str:
        """Links to the messages that memories come from, as far as everyone here can read those."""
        if not sources or not self._memory.settings.memos.cite:
            return ""
        try:
            return await citations(self._memory.view(message.author, message.place), sources)
        except RecollectError as error:
            log.warning("replying without the sources: %s", error)
            return ""

    def _leaves_history(self, message: Message, request: ChatRequest) -> bool:
        """Whether, where only that makes us learn, what was said since the last time is about to leave the history."""
        if self._memory.settings.extraction.trigger != "pre_compaction":
            return False
        sent = [section for section in request.prompt.sections if section.name == "history"]
        chars, messages = sum(section.used for section in sent), sum(len(section.lines) for section in sent)
        return self._session(message).is_full(chars, messages)

    async def _save_before_compaction(
        self, responder: Responder, message: Message, request: ChatRequest, count: Callable[[TurnUsage], None]
    ) -> None:
        """Let the model save what would be lost, and learn from it."""
        self._session(message).save()
        request = replace(request, prompt=with_message(request.prompt, BEFORE_COMPACTION))
        try:
            await responder.respond(request, AssistantTools(self._memory, message), _ignore_piece, count)
        except ModelError as error:
            log.warning("nothing was saved before the conversation was shortened: %s", error)
        try:
            await self._memory.flush(message.place)
        except RecollectError as error:
            log.warning("cannot learn from the conversation now: %s", error)

    async def _remember_lore(self, line: str, message: Message) -> None:
        if not asks_for_lore(message.place, self._memory.settings):
            log.info("ignored a memory line: lore is not recalled, or not everyone on the server can read this channel")
            return
        try:
            view = self._memory.view(message.author, message.place, lore=True)
            outcome = await view.note(line, lore_text(line), message, CONFIDENCE)
            if isinstance(outcome, Refused):
                log.info("a memory line was not kept: it %s", render_reason(outcome.reason))
        except RecollectError as error:
            log.warning("a memory line was not stored: %s", error)
