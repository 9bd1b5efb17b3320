"""Answers without a model: what was noted, and memories that match.

Requests for a change in plain words ("forget that I smoke") are answered by `plain_changes`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from recollect.core.events import EventKind
from recollect.core.outcomes import Explanation
from recollect.core.reasons import Reason
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Memo, Message
from recollect.faces import outcome_text
from recollect.faces.assistant import candidates, evidence
from recollect.language import corrections, dates, detection, periods, requests, word_forms
from recollect.language.requests import Excuse, Request, RequestKind, answer, is_question, language_of, recognize
from recollect.memory import AsyncMemory
from recollect.policy.rendering import render_end, speaker

MAX_TOLD = 3
"""Limit of the answer to "when did I tell you?"."""
MAX_LISTED = 30
"""Limit of the answer to "what do you know about me?"."""
MAX_QUOTED = 8
"""Limit of the answer to "what did we talk about?"."""
RECENT_MESSAGES = 300
"""How far back that answer looks."""
RECENT_FOR_LANGUAGE, MIN_WORDS_FOR_LANGUAGE = 8, 3
LEARN_TIMEOUT_SECONDS = 5.0
"""How long the answer to a statement waits for what is learned from it."""
_CHANGES: dict[str, str] = {
    EventKind.MEMO_ADDED: "noted",
    EventKind.MEMO_REVISED: "revised",
    EventKind.MEMO_RETIRED: "retired",
}


@dataclass(frozen=True, slots=True)
class NoModel:
    """Why no model answers."""

    excuse: Excuse
    detail: str = ""

    def say(self, sentence: str, language: str, **values: object) -> str:
        """One of the sentences that begin with the reason."""
        excuse = answer(self.excuse, language) + (f" ({self.detail})" if self.detail else "")
        return answer(sentence, language, excuse=excuse, **values)


@dataclass(frozen=True, slots=True)
class OfflineAnswer:
    text: str
    tells_learned: bool = False
    """It says what was learned from the message."""


async def offline_answer(
    memory: AsyncMemory, message: Message, reason: NoModel | None = None, prefix: str = outcome_text.PREFIX
) -> OfflineAnswer:
    """The answer from memory alone; `reason` says why no model answers, unless that was said before. `prefix` is how
    commands begin in the face.
    """
    request = recognize(message.text)
    if request is None:
        language = await _language(memory, message) if memory.settings.enabled else language_of(message.text)
    else:
        language = request.language
    search = OfflineSearch(memory, message, language, reason, prefix)
    if request is not None and request.kind is RequestKind.HELP:
        return OfflineAnswer(search.explained(search.say("help")))
    if not memory.settings.enabled:
        return OfflineAnswer(search.explained(search.say("switched_off")))
    match request:
        case Request(RequestKind.HELLO):
            text = answer("hello", request.language, name="")
        case Request(RequestKind.THANKS):
            text = answer("welcome", request.language)
        case Request(RequestKind.GOODBYE):
            text = answer("bye", request.language)
        case Request(RequestKind.ABOUT_SELF) if memory.settings.memos.enabled:
            text = await search.describe_known()
        case Request(RequestKind.WHEN_TOLD):
            text = await search.describe_time(request.topic)
        case Request(RequestKind.TALKED_ABOUT):
            text = await search.describe_period(request.topic)
        case Request(RequestKind.ABOUT):
            text = await search.find(request.topic, nearest=False)
        case _ if is_question(message.text):
            # "I moved to Graz, do you know when my lease ends?" states something as well
            learned = await _tell_learned(memory, message, language)
            text = await search.find(message.text, nearest=not learned)
            if learned:
                addition = "" if text == search.say("nothing") else f"\n{text}"
                return OfflineAnswer(search.explained(f"{learned}{addition}"), tells_learned=True)
        case _:
            return await _acknowledge(memory, message, search)
    return OfflineAnswer(search.explained(text))


async def _language(memory: AsyncMemory, message: Message) -> str:
    """The language to answer in: that of the message or, if it can't be told, of what was said before."""
    recent = await memory.timeline.recent(message.place, RECENT_FOR_LANGUAGE)
    said = [each.text for each in recent if each.author == message.author and each.id != message.id]
    asked = {text: request.language for text in said if (request := recognize(text)) is not None}
    own = " ".join(text for text in said if text not in asked)  # "yo" is a greeting, and no Spanish
    if own and detection.is_certain(own) and language_of(own) in requests.question_languages(message.text):
        return language_of(own)
    is_certain = detection.is_certain(message.text)
    is_long = len(message.text.split()) >= MIN_WORDS_FOR_LANGUAGE
    if is_long and is_certain and detection.detect(message.text) in requests.languages():
        return language_of(message.text)
    if asked and not own and not is_certain:
        return list(asked.values())[-1]
    return language_of(f"{own} {message.text}")


async def _acknowledge(memory: AsyncMemory, message: Message, search: "OfflineSearch") -> OfflineAnswer:
    """The answer to a statement: what was learned from it."""
    language = search.language
    if await memory.view(message.author, message.place).is_learning_paused():
        return OfflineAnswer(search.explained(outcome_text.typed(outcome_text.PAUSED, search.prefix)))
    if learned := await _tell_learned(memory, message, language):
        return OfflineAnswer(search.explained(learned), tells_learned=True)
    if (corrected := await _correct(memory, message)) is not None:
        text = answer(
            "revised", language, texts=_as_clause(render_for_owner(corrected, message, language), message.text)
        )
        return OfflineAnswer(search.explained(text), tells_learned=True)
    return OfflineAnswer(answer("heard", language) if search.reason is None else search.reason.say("listens", language))


async def _tell_learned(memory: AsyncMemory, message: Message, language: str) -> str:
    """What was learned from a message, in sentences; nothing if nothing was."""
    timeout = LEARN_TIMEOUT_SECONDS if memory.engine.runs_worker else 0.0
    outcome = await memory.wait_learned(message, timeout, closes_batch=False)
    texts: dict[str, list[str]] = {}
    for event in outcome.events:
        memo = outcome.memos.get(event.memo or "")
        if memo is not None and event.kind in _CHANGES:
            name = "known" if event.reason is Reason.STATED_AGAIN else _CHANGES[event.kind]
            texts.setdefault(name, []).append(_as_clause(render_for_owner(memo, message, language), message.text))
    return " ".join(answer(label, language, texts="; ".join(found)) for label, found in texts.items())


async def _correct(memory: AsyncMemory, message: Message) -> Memo | None:
    """Change what was learned from the message before by what was meant instead: "no, I meant Porto"."""
    request = recognize(message.text)
    if request is None or request.kind is not RequestKind.MEANT:
        return None
    recent = await memory.timeline.recent(message.place, RECENT_FOR_LANGUAGE)
    own = [said for said in recent if said.person == message.person and said.id != message.id]
    view = memory.view(message.author, message.place)
    memos = (await view.show()).memos
    for memo in memos if own else ():
        corrected = corrections.splice(memo.text, request.topic) if memo.source.message == own[-1].id else ""
        if corrected:
            return await view.update(memo.id, corrected, version=memo.version)
    return None


def _as_clause(text: str, said: str) -> str:
    """A memo inside a sentence: "Lives in Lisbon." becomes "lives in Lisbon", while a name keeps its capital, and
    whatever was not said without one.
    """
    text = text.rstrip(".")
    first_word = text.partition(" ")[0]
    small = {word for word in said.replace("’", "'").split() if word.islower()}
    stem = first_word.lower().partition("'")[0]
    is_said_small = any(word_forms.is_form(stem, word.partition("'")[0].strip(".,;:!?")) for word in small)
    is_lowered = first_word != "I" and (word_forms.is_frame_word(first_word.lower()) or is_said_small)
    return text[:1].lower() + text[1:] if is_lowered and not first_word.isupper() else text


@dataclass(frozen=True, slots=True)
class OfflineSearch:
    """Finds answers to a message in memory."""

    memory: AsyncMemory
    message: Message
    language: str
    reason: NoModel | None = None
    prefix: str = outcome_text.PREFIX

    def explained(self, text: str) -> str:
        """An answer, after the reason why no model gives it."""
        return text if self.reason is None else self.reason.say("excused", self.language, text=text)

    async def describe_known(self) -> str:
        """What is known about the author and visible here, newest first, as in `show`."""
        listing = await self.memory.show(user=self.message.author, place=self.message.place, limit=MAX_LISTED)
        if not listing.memos:
            return self.say("nothing_yet" if self.message.place.dm is not None else "nothing_here")
        lines = [
            self.say("about_you"),
            *(f"- {render_for_owner(memo, self.message, self.language)}" for memo in listing.memos),
        ]
        if omitted := listing.total - len(listing.memos):
            hint = f'; "{self.prefix}show" lists them all' if self.memory.settings.chat_commands.enabled else ""
            lines.append(f"and {outcome_text.count_noun(omitted)} more{hint}.")
        return "\n".join(lines)

    async def find(self, query: str, *, nearest: bool = True) -> str:
        """What fits a question: memos, else what was said, else the nearest, marked as such."""
        findings = await evidence.find(self.memory, self.message, query, self.language, is_topic=not nearest)
        if findings.fits:
            return self._list("fits", [self.quote(item, findings.sources.get(item.id)) for item in findings.fits])
        if nearest and findings.nearest:
            return self._list("nearest", [self.quote(item, findings.sources.get(item.id)) for item in findings.nearest])
        return self.say("nothing")

    def quote(self, item: Memo | Message, source: Message | None = None) -> str:
        """A memory with its source words if those say more, or a message, worded for its reader."""
        if isinstance(item, Memo):
            text = render_for_owner(item, self.message, self.language) + render_end(item)
            return text if source is None else self.say("in_words", text=text, words=_clipped(source))
        text = _clipped(item)
        if item.person == self.message.person:
            return self.say("you_said", day=self._day(item.at), text=text)
        return self.say("said", name=speaker(item), text=text)

    async def describe_time(self, topic: str) -> str:
        """When the author said something; without a topic, what they said last, or what answered their question."""
        previous = None if topic else await self._previous()
        if previous is not None and not is_question(previous.text):
            return self.say("told_on", day=self._day(previous.at), text=_clipped(previous))
        query = topic or (previous.text if previous else "")
        findings = (
            await evidence.find(self.memory, self.message, query, self.language, is_topic=True) if query else None
        )
        memos = [item for item in findings.fits if isinstance(item, Memo)] if findings else []
        if not memos:
            return await self.find(query) if query else self.say("nothing")
        view = self.memory.view(self.message.author, self.message.place)
        lines = [await self._describe_source(memo, await view.why(memo.id)) for memo in memos[:MAX_TOLD]]
        return "\n".join(dict.fromkeys(lines))

    async def _describe_source(self, memo: Memo, explanation: Explanation) -> str:
        """When a memory was told and in which words, unless something else that they say was forgotten."""
        said, is_own = explanation.message, memo.source.actor == self.message.person
        is_known = said is not None and is_own and explanation.is_source_visible
        if said and is_known and await self.memory.timeline.quotable([said], 1, self.message.place):
            return self.say("told_on", day=self._day(said.at), text=_clipped(said))
        day = requests.day(memo.created.date(), self.language)
        return self.say("learned_on", day=day, text=render_for_owner(memo, self.message, self.language))

    async def describe_period(self, period: str) -> str:
        """What was said in this conversation, or in a period of it; before that its summary, if there is one."""
        span = self._days(period) if period else None
        recent = await self.memory.timeline.recent(self.message.place, RECENT_MESSAGES)
        corrected = candidates.ids_corrected([message for message in recent if not message.bot])
        said = [
            message
            for message in recent
            if not message.bot
            and message.id not in corrected
            and message.id != self.message.id
            and candidates.is_statement(message.text)
            and (span is None or span[0] <= message.at.date() <= span[1])
        ]
        quotable = await self.memory.timeline.quotable(said[::-1], MAX_QUOTED, self.message.place)
        if not quotable:
            return self.say("not_talked")
        lines = [
            f"{self._day(message.at)}, {speaker(message)}: {clip(collapse_spaces(message.text), 160)}"
            for message in quotable[::-1]
        ]
        return self._list("talked", lines)

    def _days(self, period: str) -> tuple[date, date] | None:
        today = self.message.at.date()
        dated = dates.days(period, None, (today.year,))  # "on 3 May"
        if dated:
            return dated[0].first, dated[0].last
        return periods.find(period, self.language, today)

    async def _previous(self) -> Message | None:
        """The author's last message that states or asks something."""
        recent = await self.memory.timeline.recent(self.message.place, 2 * MAX_QUOTED)
        own = [
            message
            for message in recent
            if message.author == self.message.author
            and message.id != self.message.id
            and recognize(message.text) is None
        ]
        if not own:
            return None
        quotable = await self.memory.timeline.quotable(own[::-1], len(own), self.message.place)
        return quotable[0] if quotable else None

    def _list(self, name: str, texts: Sequence[str]) -> str:
        return "\n".join([self.say(name), *(f"- {text}" for text in texts)])

    def say(self, name: str, /, **values: object) -> str:
        return answer(name, self.language, **values)

    def _day(self, at: datetime) -> str:
        return requests.day(at.date(), self.language)


def _clipped(message: Message) -> str:
    return clip(collapse_spaces(message.text), 200)


def render_for_owner(memo: Memo, message: Message, language: str) -> str:
    """A memo in words for the one who asks: "Their sister" is theirs, and dates are written as people write them."""
    text = memo.text
    if memo.subject.id == message.person:
        text = requests.in_second_person(outcome_text.in_second_person(text), language)
    return requests.with_local_days(text, language)
