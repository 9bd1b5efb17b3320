"""Changes of memory that are asked for in plain words, without a model: "forget that I smoke", "scratch that", "undo".

Where a command says the same in English, that command answers (`command_for`).
"""

from collections.abc import Sequence

from recollect.core.outcomes import Ambiguous, CannotUndo, Forgotten, Refused, Reversal, Undoable
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import AudienceLevel, Memo, Message, Origin
from recollect.faces import outcome_text
from recollect.faces.assistant import evidence
from recollect.faces.assistant.offline import render_for_owner
from recollect.language import questions
from recollect.language.lexicon import ENGLISH
from recollect.language.requests import Request, RequestKind, answer, is_question, recognize
from recollect.memory import AsyncMemory
from recollect.view import View

RECENT_MESSAGES = 16
_SMALL_TALK = (RequestKind.HELLO, RequestKind.GOODBYE, RequestKind.THANKS, RequestKind.HELP)
_CHANGES = {"added": "change_added", "retired": "change_retired", "hidden": "change_retired"}


def command_for(text: str) -> str | None:
    """The memory command that a plain request stands for, if any."""
    request = recognize(text)
    match request:
        case Request(RequestKind.HELP):
            return "!memory help"
        case Request(RequestKind.UNDO):
            return "!memory undo"
        case Request(RequestKind.FORGET_ALL):  # the command asks before it erases
            return "!memory erase"
        case Request((RequestKind.FORGET | RequestKind.REMEMBER) as kind, topic, every=every):
            return f'!memory {kind} {"all " if every else ""}"{topic}"'
        case _:
            return None


async def change_in_words(memory: AsyncMemory, message: Message, *, is_unchanged: bool) -> str | None:
    """The answer to a plain request for a change, in its own language; None where it is none, or the command has to
    answer: where it refuses and, in English, where it does the same. Then nothing was changed.

    `is_unchanged` says that the message before it changed nothing, so that "undo that" can't mean that one.
    """
    request, settings = recognize(message.text), memory.settings
    if request is None or not (settings.enabled and settings.chat_commands.enabled and settings.memos.enabled):
        return None
    change = _PlainChange(memory, message, request)
    match request.kind:
        case RequestKind.FORGET_LAST:
            return await change.forget_last()
        case RequestKind.UNDO if is_unchanged and not request.topic:
            return await change.name_last_change() or await change.undo()
        case RequestKind.FORGET if not await change.view.find(request.topic):
            return await change.forget_messages()
        case _ if outcome_text.is_literal(settings) or request.language == ENGLISH:
            return None
        case RequestKind.REMEMBER:
            return await change.remember()
        case RequestKind.FORGET:
            return await change.forget()
        case RequestKind.UNDO:
            return await change.undo()
        case _:
            return None


class _PlainChange:
    """One request, with its author and place."""

    def __init__(self, memory: AsyncMemory, message: Message, request: Request) -> None:
        self._memory = memory
        self._message = message
        self._request = request
        self._language = request.language
        self.view: View = memory.view(message.author, message.place)

    async def remember(self) -> str | None:
        remembered = await self.view.remember(self._request.topic, message=self._message.id)
        if isinstance(remembered, Refused):
            return None
        name = "knew" if outcome_text.is_known(remembered) else "remembered"
        lines = [self._say(name, text=remembered.memo.text)]
        lines += [self._say("retired", texts=memo.text.rstrip(".")) for memo in remembered.replaced]
        lines += [self._say("only_you")] if remembered.memo.audience.level == AudienceLevel.DM else []
        return "\n".join(lines)

    async def forget(self) -> str | None:
        match await self.view.forget(self._request.topic, every=self._request.every):
            case Forgotten(memos):
                return self._say("forgot", texts=self._quote_memos(memos))
            case Ambiguous(matches):
                return await self._ask_which(matches, self._request.topic)
            case _:
                return None

    async def undo(self) -> str | None:
        undone = None if self._language == ENGLISH else await self.view.undo()
        if isinstance(undone, CannotUndo) or self._language == ENGLISH:
            return None
        texts = self._quote_memos([each.current for each in undone.reversals]) if undone is not None else ""
        return self._say("undone" if texts else "nothing_to_undo", texts=texts)

    async def name_last_change(self) -> str | None:
        """The answer to "undo that" when nothing was changed: what the last change was, before it is taken back."""
        offer = await self.view.undoable()
        if not isinstance(offer, Undoable) or not offer.reversals:
            return None
        return self._say("unchanged", texts=", ".join(map(self._describe, offer.reversals)))

    async def forget_messages(self) -> str | None:
        """Hide what was said, though nothing was learned of it: as what is learned from is hidden with it."""
        request = self._request
        said = await evidence.find_messages(self._memory, self._message, request.topic, self._language)
        terms = questions.parse(request.topic, self._language).terms
        if len(said) > 1 and not request.every and any(term.states for term in terms):  # it could hide too much
            return self._say("which_said", texts=self._quote_messages(said))
        hidden = (await self.view.withdraw(said, learned=False)).messages if said else ()
        if not hidden and (self._language == ENGLISH or outcome_text.is_literal(self._memory.settings)):
            return None
        return self._say("hidden", texts=self._quote_messages(hidden)) if hidden else self._say("nothing")

    async def forget_last(self) -> str:
        """Hide what the author said last, with what was learned from it; or forget what they asked for just now."""
        last = await self._last_message()
        candidates = await self._possible_targets(last) if self._request.topic else ()
        memos = [item for item in candidates if isinstance(item, Memo)]
        if len(memos) > 1:
            return await self._ask_which(memos)
        if memos:
            await self.view.forget(memos[0].id)
            return self._say("forgot", texts=self._quote_memos(memos))
        said = [item for item in candidates if isinstance(item, Message)] or ([] if last is None else [last])
        if len(said) > 1:
            return self._say("which_said", texts=self._quote_messages(said))
        return await self._withdraw(said[0]) if said else self._say("nothing_said")

    async def _withdraw(self, said: Message) -> str:
        withdrawn = await self.view.withdraw([said])
        if not withdrawn.messages and not withdrawn.memos:
            return self._say("already_forgotten")
        name = "unsaid_noted" if withdrawn.memos else "unsaid"
        return self._say(name, texts=self._quote_messages([said]), memos=self._quote_memos(withdrawn.memos))

    async def _possible_targets(self, last: Message | None) -> Sequence[Memo | Message]:
        """What "that" may mean besides the last message: a memory since then, or the answer to a question."""
        offer = await self.view.undoable()
        if isinstance(offer, Undoable) and (last is None or offer.at > last.at):
            added = [memo for memo in offer.removed if memo.active and memo.source.origin is Origin.MANUAL]
            if added:
                return added
        if last is None or not is_question(last.text):
            return ()
        findings = await evidence.find(self._memory, last, last.text, self._language)
        person = self._message.person
        return [item for item in findings.fits if isinstance(item, Memo) or item.person == person]

    async def _last_message(self) -> Message | None:
        recent = await self._memory.timeline.recent(self._message.place, RECENT_MESSAGES)
        for said in reversed(recent):
            request = recognize(said.text)
            is_small_talk = request is not None and request.kind in _SMALL_TALK
            if said.person == self._message.person and said.id != self._message.id and not is_small_talk:
                return said
        return None

    async def _ask_which(self, memos: Sequence[Memo], topic: str = "") -> str:
        ids = {memo.id for memo in memos}
        listed = [(number, memo) for number, memo in enumerate((await self.view.show()).memos, 1) if memo.id in ids]
        lines = [f"{number}. {render_for_owner(memo, self._message, self._language)}" for number, memo in listed]
        how = self._say("which_how", number=listed[0][0] if listed else 1, topic=topic) if topic else ""
        return "\n".join(filter(None, [self._say("which"), *lines, how]))

    def _describe(self, reversal: Reversal) -> str:
        quoted = self._quote_memos([reversal.before])
        return self._say(_CHANGES.get(reversal.change, "change_other"), text=quoted)

    def _quote_memos(self, memos: Sequence[Memo]) -> str:
        return ", ".join(
            self._say("quoted", text=render_for_owner(memo, self._message, self._language)) for memo in memos
        )

    def _quote_messages(self, messages: Sequence[Message]) -> str:
        texts = (clip(collapse_spaces(message.text), 200) for message in messages)
        return ", ".join(self._say("quoted", text=text) for text in texts)

    def _say(self, name: str, /, **values: object) -> str:
        return answer(name, self._language, **values)
