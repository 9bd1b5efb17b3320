"""Answers to a question without a model: memories and messages, and whether they fit or are merely the nearest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise, takewhile, zip_longest

from recollect.core.types import Kind, Memo, Message
from recollect.faces.assistant.candidates import CandidateSearch
from recollect.language import certainty, question_tables, questions, slots, subjects
from recollect.language.questions import Question
from recollect.language.requests import is_question
from recollect.memory import AsyncMemory
from recollect.recall.query import Hit

MAX_RESULTS = 5
MAX_NEAREST = 6
MAX_LATER = 2
"""Later messages that may change an answer and are shown with it."""
MIN_SHARE = 0.5
"""Share of a question's terms that a later message needs to count as another answer."""
RECENT_MESSAGES = 8


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory or a message, and how it fits a question."""

    item: Memo | Message
    share: float
    fits: bool
    has_wanted: bool
    rank: int
    context: str = ""
    """What a message refers back to."""
    is_named: bool = True
    """Whether it shares words with the question itself, not only through what it refers back to."""
    is_meant: bool = True
    """Whether it has the same subject as the question."""
    is_worded: bool = False
    """Whether it has a word of the question that is no topic: what has a name or a rare word is nearer."""

    @property
    def at(self) -> datetime:
        return _time_of(self.item)


@dataclass(frozen=True, slots=True)
class Findings:
    fits: Sequence[Memo | Message] = ()
    nearest: Sequence[Memo | Message] = ()
    sources: Mapping[str, Message] = field(default_factory=dict[str, Message])
    """Source messages that say more than their memory, by memory."""


async def find(memory: AsyncMemory, message: Message, query: str, language: str, *, is_topic: bool = False) -> Findings:
    """What fits the question, else what is nearest; never what was learned from the question itself.

    An answer that may be no longer so, and several to a question that has one, are only near, the newest first.
    All that fits a topic is listed.
    """
    question = replace(questions.parse(query, language), is_topic=is_topic)
    previous = await _previous_questions(memory, message, language) if question.is_follow_up else []
    for earlier in previous:
        question = question.with_context_of(questions.parse(earlier, language))
    query = " ".join([*previous[::-1], query])
    # what someone asks about themselves they have said themselves
    search = CandidateSearch(memory, message, own_only=question.is_own)
    memos, hits = await search.memos(query)
    said, message_hits = await search.statements(query)
    statements = [statement for statement, _ in said]
    hits = _merged_hits(hits, message_hits)
    question = question.naming([item.text for item in (*memos, *statements)])
    if not question.terms:
        relevant = [hit.item for hit in hits if hit.relevant]
        if is_topic:
            return Findings(relevant[:MAX_RESULTS])
        similar = relevant or [hit.item for hit in hits]
        retold = {_origin(item) for item in similar if isinstance(item, Memo)}
        return Findings((), [item for item in similar if isinstance(item, Memo) or item.id not in retold][:MAX_NEAREST])
    is_open = question.is_follow_up and not previous  # nobody knows who "she" is
    evidence = [_of_memo(question, memo, rank) for rank, memo in enumerate(memos)]
    evidence += [_of_message(question, statement, context, rank) for rank, (statement, context) in enumerate(said)]
    complete = [each for each in evidence if each.fits and not is_open]
    fitting = _matching_evidence(complete, language, has_one_answer=question.has_one_answer and not is_topic)
    quotable = await search.quotable([each.item for each in fitting])
    if quotable and is_topic:
        memos = [item for item in quotable if isinstance(item, Memo)]
        return Findings(quotable[:MAX_RESULTS], sources=await search.sources(memos, statements))
    stated = Findings()
    # Of a lineage the first is what held at the time asked about.
    then = next((hit.item for hit in hits if "as_of" in hit.parts), None)
    if quotable and (then is None or then in quotable):
        stated = await _certain_findings(
            search, question, query, _without_replaced(question, quotable), evidence, statements
        )
        if stated.fits:
            return stated
    corrected = _corrected_ids(complete, language)
    near = [item for item in _nearest_evidence(question, evidence, hits, statements) if item.id not in corrected]
    order = list({item.id: item for item in (*stated.nearest, *near)}.values())
    stated_origins = {_origin(item) for item in stated.nearest}
    order = [item for item in order if item in stated.nearest or _origin(item) not in stated_origins]
    order.sort(key=lambda item: item != then)
    nearest = (await search.quotable(order[: 2 * MAX_NEAREST]))[:MAX_NEAREST]
    memos = [item for item in nearest if isinstance(item, Memo)]
    return Findings((), nearest, await search.sources(memos, statements))


def _merged_hits(memos: Sequence[Hit], messages: Sequence[Hit]) -> list[Hit]:
    """Hits of both searches by rank and score: where few memories are known, they are not nearer than what was said."""
    by_turns = [hit for pair in zip_longest(memos, messages) for hit in pair if hit is not None]
    by_score = {hit.item.id: rank for rank, hit in enumerate(sorted(by_turns, key=lambda hit: -hit.score))}
    ranks = {hit.item.id: rank + by_score[hit.item.id] for rank, hit in enumerate(by_turns)}
    return sorted(by_turns, key=lambda hit: ranks[hit.item.id])


def _nearest_evidence(
    question: Question, evidence: Sequence[Evidence], hits: Sequence[Hit], statements: Sequence[Message]
) -> list[Memo | Message]:
    """What has a part of the question, then what resembles it in meaning; nothing is told twice."""
    partial = sorted(
        (each for each in evidence if each.share),
        key=lambda each: (-each.share, not each.is_worded, not each.has_wanted, each.rank),
    )
    # what has a part of the question may have the wrong one
    order = {hit.item.id: rank for rank, hit in enumerate(hits) if hit.relevant or partial}
    unrelated = [each for each in evidence if not each.share and each.item.id in order]
    unrelated.sort(key=lambda each: (bool(question.wants) and not each.has_wanted, order[each.item.id]))
    if not (partial or unrelated) and question.is_own:  # of somebody who asks about themselves something is near
        order = {hit.item.id: rank for rank, hit in enumerate(hits)}
        unrelated = sorted((each for each in evidence if each.item.id in order), key=lambda each: order[each.item.id])
    # a time answers "when" rather than nothing does
    last = [each for each in evidence if not each.share and each.item.id not in order and question.wants]
    unrelated += sorted((each for each in last if each.has_wanted), key=lambda each: each.at)[::-1]
    best: dict[str, Evidence] = {}
    for each in (*partial, *unrelated):  # a memory stands for its message, unless that has more of the question
        other = best.setdefault(_origin(each.item), each)
        if other.share == each.share and isinstance(each.item, Memo):
            best[_origin(each.item)] = each
    near = [each.item for each in (*partial, *unrelated) if best[_origin(each.item)] is each]
    retold = {_origin(item) for item in near if isinstance(item, Memo)}
    if not partial:
        return near
    later = _outdating_messages(question, near[:1], statements)
    beside = _adjacent_messages(question, near[:2], [each for each in statements if each.id not in retold])
    return list({item.id: item for item in (*later[:1], *near[:1], *beside, *near[1:])}.values())


async def _previous_questions(memory: AsyncMemory, message: Message, language: str) -> list[str]:
    """What its author asked right before a question, back to where that named what "she" or "it" is; newest first."""
    recent = await memory.timeline.recent(message.place, RECENT_MESSAGES)
    own = [said.text for said in recent if said.author == message.author and said.id != message.id]
    asked: list[str] = []
    for text in takewhile(is_question, reversed(own)):
        asked.append(text)
        if not questions.parse(text, language).is_follow_up:
            return asked
    return []


async def find_messages(memory: AsyncMemory, message: Message, topic: str, language: str) -> Sequence[Message]:
    """The author's messages here that contain every word of a topic."""
    question = questions.parse(topic, language)
    search = CandidateSearch(memory, message)
    statements, _ = await search.statements(topic)
    evidence = [_of_message(question, statement, "", rank) for rank, (statement, _) in enumerate(statements)]
    fitting = [each.item for each in evidence if question.terms and each.share == 1]  # half of them may be about others
    return [item for item in await search.quotable(fitting[:MAX_RESULTS]) if isinstance(item, Message)]


def _of_memo(question: Question, memo: Memo, rank: int) -> Evidence:
    fit = question.fit(memo.text)
    # "Where do I live?" is not answered by where a sister lives, unless the question names her.
    is_others = memo.kind is Kind.PERSON or subjects.is_about_others(memo.text, question, is_memo=True)
    is_meant = not (question.is_own and is_others) or subjects.names_subject(memo.text, question)
    is_meant = is_meant and subjects.agrees(memo.text, question, is_memo=True)
    share, fits = fit.share if is_meant else fit.share / 2, fit.is_complete and is_meant
    is_worded = question.has_own_word(memo.text)
    return Evidence(memo, share, fits, fit.has_wanted, rank, is_meant=is_meant, is_worded=is_worded)


def _of_message(question: Question, statement: Message, context: str, rank: int) -> Evidence:
    fit = question.fit(statement.text, context)
    if context and question.fit(statement.text).share == 1:  # it needs no context, and is not about the one who asks
        is_others = subjects.is_about_others(statement.text, question, is_memo=False)
    else:
        is_others = subjects.is_about_others(f"{context} {statement.text}".strip(), question, is_memo=False)
    is_meant = not (question.is_own and is_others)
    is_meant = is_meant and (bool(context) or subjects.agrees(statement.text, question, is_memo=False))
    share = fit.share if is_meant else fit.share / 2
    is_named = not context or question.fit(statement.text).share > 0
    fits, is_worded = fit.is_complete and is_meant, question.has_own_word(statement.text)
    return Evidence(statement, share, fits, fit.has_wanted, rank, context, is_named, is_meant, is_worded)


def _matching_evidence(evidence: Sequence[Evidence], language: str, *, has_one_answer: bool) -> list[Evidence]:
    """Memories before messages, newest messages first; what was corrected later is left out."""
    messages = sorted((each for each in evidence if isinstance(each.item, Message)), key=lambda each: each.at)[::-1]
    memos = [each for each in evidence if isinstance(each.item, Memo)]
    correction = next((each for each in messages if _corrects_any(each, evidence, language)), None)
    if correction is not None:
        told = [memo for memo in memos if _origin(memo.item) == correction.item.id]  # a memory stands for its message
        return [*(told or [correction]), *(each for each in (*memos, *messages) if each.at > correction.at)]
    if memos and has_one_answer:  # what was said since may be another answer
        sources = {memo.item.source.message for memo in memos if isinstance(memo.item, Memo)}
        since = [each for each in messages if each.item.id not in sources and each.at > min(memo.at for memo in memos)]
        return [*since, *memos]
    return memos or sorted(messages, key=lambda each: not each.is_named)


async def _certain_findings(
    search: CandidateSearch,
    question: Question,
    asked: str,
    fitting: Sequence[Memo | Message],
    evidence: Sequence[Evidence],
    statements: Sequence[Message],
) -> Findings:
    """Certain answers. If none is certain, or a later message may change one, all count as merely near."""
    # what was merely said has been read by no rule: it may be a joke, a plan, or about somebody else
    memos = [item for item in fitting if isinstance(item, Memo)]
    sure = [memo for memo in memos if certainty.is_sure(memo.text, question, asked)]
    changes = [*_outdating_messages(question, fitting, statements), *_ending_messages(question, fitting, statements)]
    since = await search.quotable(_later_evidence(question, sure, evidence))
    later = await search.quotable(list({item.id: item for item in changes}.values()))
    later = [*later[:MAX_LATER], *since]
    told = {_origin(item) for item in (*later, *fitting) if isinstance(item, Memo)}
    distinct = {item.id: item for item in (*later, *fitting)}
    shown = [item for item in distinct.values() if isinstance(item, Memo) or item.id not in told]
    sources = await search.sources([item for item in shown if isinstance(item, Memo)], statements)
    if later or not sure or (len(sure) > 1 and question.has_one_answer):
        return Findings((), shown[: MAX_NEAREST + MAX_LATER], sources)
    newest = max(sure, key=_time_of)
    if certainty.is_yes_no_question(asked) or questions.is_change(newest.text, question.language):
        return Findings([newest], sources=sources)
    agreeing = [item for item in sure if not certainty.contradicts(newest.text, item.text, question)]
    return Findings(agreeing[:MAX_RESULTS], sources=sources)


def _later_evidence(
    question: Question, sure: Sequence[Memo | Message], evidence: Sequence[Evidence]
) -> list[Memo | Message]:
    """What was said after all that is sure and may be another answer, newest first: it fits as well, or has a part of
    the question and what it asks for, or says that something changed.
    """
    sources = {_origin(item) for item in sure}
    newest = max(map(_time_of, sure), default=None)
    since = [
        each
        for each in evidence
        if newest is not None and newest < each.at and _origin(each.item) not in sources and _may_answer(question, each)
    ]
    return [each.item for each in sorted(since, key=lambda each: each.at)[::-1]]


def _may_answer(question: Question, each: Evidence) -> bool:
    is_memo = isinstance(each.item, Memo)  # one that takes the place of another has replaced it
    if each.fits or is_memo or each.share < MIN_SHARE or not question.shares_subject(each.item.text):
        return each.fits
    if (question.wants and not each.has_wanted) or (question.is_own and not each.is_meant):
        return False
    has_answer = each.is_meant and bool(question.wants)
    return has_answer or questions.is_change(each.item.text, question.language)


def _origin(item: Memo | Message) -> str:
    """The message that an item is or comes from."""
    return item.source.message or item.id if isinstance(item, Memo) else item.id


def _adjacent_messages(question: Question, best: Sequence[Memo | Message], said: Sequence[Message]) -> list[Message]:
    """What was said right before or after the nearest, if it has the time, number, place or name that is asked for, and
    what goes on about it: "there's this boy", "Callum. he's in my class".
    """
    ids = {_origin(item) for item in best}
    ordered = sorted(said, key=lambda statement: statement.at)
    beside: list[Message] = []
    other = question_tables.tables_of(question.language).other
    for before, after in pairwise(ordered):
        goes_on = questions.goes_on(after.text, question.language)
        is_chained = bool(beside) and beside[-1] is before and before.id not in ids  # "she won", "a hawk took her"
        has_wanted = bool(question.wants) and question.fit(after.text).has_wanted
        corrects = questions.is_correction(after.text, question.language)
        is_next = before.id in ids and (goes_on or has_wanted or corrects)
        if is_next or (is_chained and other.search(after.text)):
            beside.append(after)
        elif after.id in ids and question.wants and question.fit(before.text).has_wanted:
            beside.append(before)
    return beside


def _without_replaced(question: Question, fitting: Sequence[Memo | Message]) -> list[Memo | Message]:
    """The items without those that a later one replaces."""
    return [
        item
        for item in fitting
        if not any(
            _time_of(item) < _time_of(other) and questions.may_outdate(other.text, item.text, question)
            for other in fitting
        )
    ]


def _outdating_messages(
    question: Question, fitting: Sequence[Memo | Message], said: Sequence[Message]
) -> list[Message]:
    """What was said later than an answer and may change it, newest first."""
    sources = {_origin(item) for item in fitting}
    later = [
        statement
        for statement in said
        if statement.id not in sources
        and all(_time_of(item) < statement.at for item in fitting)
        and any(questions.may_outdate(statement.text, item.text, question) for item in fitting)
    ]
    return sorted(later, key=lambda statement: statement.at)[::-1]


def _ending_messages(question: Question, fitting: Sequence[Memo | Message], said: Sequence[Message]) -> list[Message]:
    """What was said right after an answer and may end or correct it, without naming it again."""
    sources = {_origin(item) for item in fitting}
    return [
        after
        for before, after in pairwise(sorted(said, key=lambda statement: statement.at))
        if before.id in sources
        and after.id not in sources
        and (
            certainty.may_end_statement(after.text, question.language)
            or questions.is_correction(after.text, question.language)
            or ("time" in question.wants and slots.give_different_days(before.text, after.text))
        )
    ]


def _time_of(item: Memo | Message) -> datetime:
    return item.at if isinstance(item, Message) else item.updated


def _corrected_ids(evidence: Sequence[Evidence], language: str) -> set[str]:
    """What fits and was put right later by a message that fits as well."""
    messages = [each for each in evidence if isinstance(each.item, Message)]
    return {each.item.id for each in evidence if any(_corrects_any(later, [each], language) for later in messages)}


def _corrects_any(later: Evidence, evidence: Sequence[Evidence], language: str) -> bool:
    return any(
        each.at < later.at and questions.corrects(later.item.text, later.context, each.item.text, language)
        for each in evidence
    )
