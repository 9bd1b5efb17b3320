"""Answers without a model: what was noted, memories that match, and nothing made up.

What asks for a change in plain words ("forget that I smoke") is the command that does it; see `command_for`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Unpack

from recollect.core.events import EventKind
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Kind, Memo, Message
from recollect.faces import outcome_text
from recollect.language import dates, word_forms
from recollect.language.lexicon import ENGLISH
from recollect.language.requests import Request, RequestKind, answer, is_question, language_of, recognize
from recollect.memory import AsyncMemory
from recollect.policy.rendering import speaker
from recollect.recall.query import Hit
from recollect.recall.search import SearchOptions

NO_MODEL = "I have no model configured"
UNREACHABLE = "My model can't be reached right now"
LISTENS = "I keep what you tell me and find it again when you ask"
HELP = 'Tell me something about yourself and ask me later; "what do you know about me?" lists what I remember.'
SWITCHED_OFF = "My memory is switched off, so nothing is kept."
MAX_RESULTS = 5
MAX_NEAREST = 3
MAX_LISTED = 30
"""Limit of the answer to "what do you know about me?"."""
MAX_QUOTED = 8
"""Limit of the answer to "what did we talk about?"."""
RECENT_MESSAGES = 300
"""How far back that answer looks."""
LEARN_TIMEOUT_SECONDS = 2.0
"""How long the answer to a statement waits for what is learned from it."""
_MINE = re.compile(r"\b(?:i|i'm|i've|me|my|mine|myself)\b", re.IGNORECASE)
_CHANGES: dict[str, str] = {
    EventKind.MEMO_ADDED: "noted",
    EventKind.MEMO_REVISED: "revised",
    EventKind.MEMO_RETIRED: "retired",
}


@dataclass(frozen=True, slots=True)
class OfflineAnswer:
    text: str
    tells_learned: bool = False
    """It says what was learned from the message."""


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
        case Request((RequestKind.FORGET | RequestKind.REMEMBER) as kind, topic):
            return f'!memory {kind} "{topic}"'
        case _:
            return None


async def offline_answer(memory: AsyncMemory, message: Message, reason: str = "") -> OfflineAnswer:
    """The answer from memory alone; `reason` says why there is no model, unless that was said before."""
    request = recognize(message.text)
    if request is not None and request.kind is RequestKind.HELP:
        return OfflineAnswer(_explained(reason, HELP))
    if not memory.settings.enabled:
        return OfflineAnswer(_explained(reason, SWITCHED_OFF))
    search = OfflineSearch(memory, message, language_of(message.text) if request is None else request.language)
    match request:
        case Request(RequestKind.HELLO):
            text = answer("hello", request.language, name="")
        case Request(RequestKind.THANKS):
            text = answer("welcome", request.language)
        case Request(RequestKind.ABOUT_SELF) if memory.settings.memos.enabled:
            text = await search.describe_known()
        case Request(RequestKind.WHEN_TOLD):
            text = await search.tell_when(request.topic)
        case Request(RequestKind.TALKED_ABOUT):
            text = await search.recount(request.topic)
        case Request(RequestKind.ABOUT):
            text = await search.find(request.topic, nearest=False)
        case _ if is_question(message.text):
            text = await search.find(message.text)
        case _:
            return await _acknowledge(memory, message, reason, search.language)
    return OfflineAnswer(_explained(reason, text))


def _explained(reason: str, text: str) -> str:
    return f"{reason}. {text}" if reason else text


async def _acknowledge(memory: AsyncMemory, message: Message, reason: str, language: str) -> OfflineAnswer:
    """The answer to a statement: what was learned from it."""
    if await memory.view(message.author, message.place).is_learning_paused():
        return OfflineAnswer(_explained(reason, outcome_text.PAUSED))
    timeout = LEARN_TIMEOUT_SECONDS if memory.engine.runs_worker else 0.0
    outcome = await memory.wait_learned(message, timeout, closes_batch=False)
    texts: dict[str, list[str]] = {}
    for event in outcome.events:
        memo = outcome.memos.get(event.memo or "")
        if memo is not None and event.kind in _CHANGES:
            texts.setdefault(_CHANGES[event.kind], []).append(_as_clause(memo.text))
    if not texts:
        return OfflineAnswer(f"{reason}, so I only listen: {LISTENS}." if reason else answer("heard", language))
    sentences = [answer(label, language, texts="; ".join(found)) for label, found in texts.items()]
    return OfflineAnswer(_explained(reason, " ".join(sentences)), tells_learned=True)


def _as_clause(text: str) -> str:
    """A memo inside a sentence: "Lives in Lisbon." becomes "lives in Lisbon", while a name keeps its capital."""
    text = text.rstrip(".")
    first_word = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if word_forms.is_frame_word(first_word.lower()) else text


@dataclass(frozen=True, slots=True)
class OfflineSearch:
    """Looks for what answers a message."""

    memory: AsyncMemory
    message: Message
    language: str

    async def describe_known(self) -> str:
        """What is known about the author and visible here, newest first, as in `show`."""
        listing = await self.memory.show(user=self.message.author, place=self.message.place, limit=MAX_LISTED)
        if not listing.memos:
            return self._say("nothing_yet" if self.message.place.dm is not None else "nothing_here")
        lines = [self._say("about_you"), *(f"- {memo.text}" for memo in listing.memos)]
        if omitted := listing.total - len(listing.memos):
            hint = '; "!memory show" lists them all' if self.memory.settings.chat_commands.enabled else ""
            lines.append(f"and {outcome_text.count_noun(omitted)} more{hint}.")
        return "\n".join(lines)

    async def find(self, query: str, *, nearest: bool = True) -> str:
        """What fits a question: memos, else what was said, else the nearest memos, marked as such; but about a thing
        that was never mentioned nothing is near.
        """
        relevant = await self._memos(query, strict=True)
        if own := _about_the_asker(relevant, query):
            return self._list("fits", [memo.text for memo in own])
        if not relevant and (answers := await self._messages(query)):
            said = [self._say("said", name=speaker(message), text=message.text) for message in answers]
            return self._list("fits", said)
        others = relevant or (await self._memos(query, strict=False) if nearest else [])
        if others:
            return self._list("nearest", [memo.text for memo in others[:MAX_NEAREST]])
        return self._say("nothing")

    async def tell_when(self, topic: str) -> str:
        """When the author said something; without a topic, what they said before this."""
        query = topic or await self._previous_words()
        memos = await self._memos(query, strict=True) if query else []
        if not memos:
            return await self.find(query) if query else self._say("nothing")
        view = self.memory.view(self.message.author, self.message.place)
        lines: list[str] = []
        for memo in memos[:MAX_NEAREST]:
            explanation = await view.why(memo.id)
            said, is_own = explanation.message, memo.source.actor == self.message.person
            if said is not None and explanation.is_source_visible and is_own:
                lines.append(self._say("told_on", day=self._day(said.at), text=clip(collapse_spaces(said.text), 200)))
            else:
                lines.append(self._say("learned_on", day=self._day(memo.created), text=memo.text))
        return "\n".join(dict.fromkeys(lines))

    async def recount(self, period: str) -> str:
        """What was said in this conversation, or in a period of it; before that its summary, if there is one."""
        today = self.message.at.date()
        periods = dates.days(period, today) if period else []
        recent = await self.memory.timeline.recent(self.message.place, RECENT_MESSAGES)
        said = [
            message
            for message in recent
            if self._is_statement(message)
            and (not periods or any(span.first <= message.at.date() <= span.last for span in periods))
        ]
        quotable = await self.memory.timeline.quotable(said[::-1], MAX_QUOTED)
        if not quotable:
            return self._say("not_talked")
        lines = [
            f"{self._day(message.at)}, {speaker(message)}: {clip(collapse_spaces(message.text), 160)}"
            for message in quotable[::-1]
        ]
        return self._list("talked", lines)

    async def _memos(self, query: str, *, strict: bool) -> list[Memo]:
        if not self.memory.settings.memos.enabled:
            return []
        hits = await self._search(query, strict=strict, limit=MAX_RESULTS)
        memos = [hit.item for hit in hits if isinstance(hit.item, Memo)]
        return [memo for memo in memos if memo.source.message != self.message.id]  # not learned from this very message

    async def _messages(self, query: str) -> Sequence[Message]:
        hits = await self._search(query, over="messages", strict=True, limit=4 * MAX_RESULTS)
        candidates = [hit.item for hit in hits if isinstance(hit.item, Message)]
        about_asker, asked = _MINE.search(query) is not None, word_forms.content_words(query)
        possible = [
            candidate
            for candidate in candidates
            # what someone asks about themselves they have said themselves
            if self._is_statement(candidate)
            and (candidate.author == self.message.author or not about_asker)
            and _shares_word(candidate.text, asked)
        ]
        return await self.memory.timeline.quotable(possible, MAX_RESULTS)

    async def _search(self, query: str, **options: Unpack[SearchOptions]) -> list[Hit]:
        return await self.memory.search(query, user=self.message.author, place=self.message.place, **options)

    def _is_statement(self, message: Message) -> bool:
        is_said = not message.bot and message.id != self.message.id and not is_question(message.text)
        return is_said and recognize(message.text) is None

    async def _previous_words(self) -> str:
        recent = await self.memory.timeline.recent(self.message.place, 2 * MAX_QUOTED)
        own = [
            message
            for message in recent
            if message.author == self.message.author and message.id != self.message.id and not message.bot
        ]
        return own[-1].text if own else ""

    def _list(self, name: str, texts: Sequence[str]) -> str:
        return "\n".join([self._say(name), *(f"- {text}" for text in texts)])

    def _say(self, name: str, /, **values: object) -> str:
        return answer(name, self.language, **values)

    def _day(self, at: datetime) -> str:
        return f"{at.day} {at:%B %Y}" if self.language == ENGLISH else f"{at:%Y-%m-%d}"


def _about_the_asker(memos: Sequence[Memo], query: str) -> list[Memo]:
    """Without facts about other people, where someone asks about themselves.

    "Where do I live?" is not answered by where a sister lives, unless the question names her.
    """
    if _MINE.search(query) is None:
        return list(memos)
    asked = set(word_forms.content_words(query))
    return [memo for memo in memos if memo.kind is not Kind.PERSON or _names_person(memo.text, asked)]


def _shares_word(text: str, asked: Sequence[str]) -> bool:
    """Whether a message has one of the words that a question is about, in any form."""
    said = set(word_forms.tokens(text))
    return any(word_forms.has_form(word, said) for word in asked)


def _names_person(text: str, asked: set[str]) -> bool:
    """Whether the person that a fact is about, who comes first in it, is one of the words of a question."""
    return any(word_forms.has_form(word, asked) for word in word_forms.tokens(text)[:3] if len(word) > 2)
