"""Which known memo a correction in a message of its own is about, and what it makes of it.

One must be clearly meant: the latest that the speaker's own words in this place taught, within a short time, or one
that the assistant has just repeated, with a value of the same sort. Otherwise nothing changes.
"""

from collections.abc import Sequence
from datetime import date, timedelta

from recollect.core.ports import Proposal, Retraction
from recollect.core.text import words
from recollect.core.types import Memo, Message
from recollect.language import ages, amendments, dates, word_forms
from recollect.models.local import transitions
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import sentences

WINDOW = timedelta(minutes=15)
"""How long after a statement a bare "no, 35" may correct it."""

_ADDRESS = frozenset("you your youre yours".split())


def correct(message: Message, known: Sequence[Memo], context: Sequence[Message]) -> Proposal | list[Retraction] | None:
    """The revision of a memo, or the memos that are taken back; None where the message is no such correction."""
    own_text = own_words(message.text, message.name) if len(message.text) <= amendments.MAX_CHARS else ""
    is_limit = own_text.lower().lstrip(" -–—,").startswith("not as ")  # "Not as an ambassador": takes nothing's place
    if (moved := _moved(message, own_text, known)) is not None:
        return moved
    if (recounted := transitions.corrected_count(own_text, known)) is not None:
        return _revision(*recounted, own_text, message, None)
    amendment = amendments.read(own_text) if own_text and not is_limit else None
    if amendment is None:
        return None
    answered = context[-1].text if context and context[-1].bot else ""
    recalled = _recalled(known, answered) if answered else []
    if not amendment.value:
        meant = recalled if answered and amendment.is_denial else just_said(message, known, context)
        if amendment.former:  # "not weekends anymore": what named them
            stated = [memo for memo in _recent(message, known) if _is_repeated(amendment.former, words(memo.text))]
            if len(stated) != 1:
                return None  # "not doing keto anymore" may end what was said long ago
            meant = stated
        return [Retraction("the speaker took it back", id=memo.id) for memo in _of_one_message(meant)]
    is_answer = answered.rstrip().endswith("?") and not amendment.is_strong
    # Where others talk, "I meant" puts right what was just said, which taught nothing more often than not.
    recent = _recent(message, known)
    if context and not message.place.dm:
        recent = [memo for memo in recent if memo.source.message == _last_said(message, context)]
    for group in (recalled, [] if is_answer else recent):
        revised = [(memo, amendments.amend(memo.text, amendment, message.at)) for memo in group]
        last = _last_said(message, context)
        changes = [
            (memo, change)
            for memo, change in revised
            if change is not None
            # after other messages a correction may be about any of them
            and (amendment.former or last in (None, memo.source.message) or amendments.is_alike(memo.text, change[0]))
        ]
        latest = [pair for pair in changes if pair[0].source.message == changes[0][0].source.message]
        if len(latest) == 1:
            memo, (text, day) = latest[0]
            return _revision(memo, text, own_text, message, day)
    return None


def grown(message: Message, known: Sequence[Memo]) -> tuple[Memo, str] | None:
    """The one memo with the age that is one more now, and what it says then."""
    said = own_words(message.text, message.name) if len(message.text) <= ages.MAX_CHARS else ""
    changed = [(memo, text) for memo in known if memo.active and (text := ages.grow(memo.text, said)) is not None]
    return changed[0] if len(changed) == 1 else None


def _moved(message: Message, said: str, known: Sequence[Memo]) -> Proposal | None:
    """The revision of the one memo with a day that has all words of what was moved, however long ago it was said."""
    revised = [(memo, amendments.move(memo.text, said, message.at)) for memo in known if memo.active]
    moved = [(memo, *change) for memo, change in revised if change is not None]
    if len(moved) != 1:
        return None
    memo, text, day = moved[0]
    return _revision(memo, text, said, message, day)


def _revision(memo: Memo, text: str, said: str, message: Message, day: date | None) -> Proposal:
    happened = dates.start_of_day(day, message.at) if day else None
    return Proposal(text, memo.kind.value, said, message.id, id=memo.id, confidence=memo.confidence, happened=happened)


def _recent(message: Message, known: Sequence[Memo]) -> list[Memo]:
    """What the speaker said here a short time ago, latest first."""
    place, since = message.place, message.at - WINDOW
    here = (place.platform, place.guild, place.channel, place.thread, place.audience)
    memos = [
        memo
        for memo in known
        if memo.active
        and memo.source.message not in (None, message.id)
        and since <= memo.updated <= message.at
        and here == (*_place_of(memo), memo.source.heard)
    ]
    return sorted(memos, key=lambda memo: memo.updated, reverse=True)


def _place_of(memo: Memo) -> tuple[str, str | None, str | None, str | None]:
    source = memo.source
    return source.platform, source.guild, source.channel, source.thread


def just_said(message: Message, known: Sequence[Memo], context: Sequence[Message]) -> list[Memo]:
    """What the speaker's last message here taught."""
    last = _last_said(message, context)
    return [memo for memo in _recent(message, known) if last in (None, memo.source.message)]


def _last_said(message: Message, context: Sequence[Message]) -> str | None:
    """The speaker's last message here before this one."""
    return next((each.id for each in reversed(context) if each.person == message.person and not each.bot), None)


def _recalled(known: Sequence[Memo], answered: str) -> list[Memo]:
    """What the assistant has just repeated to the speaker, word for word."""
    addressed = [words(sentence) for sentence in sentences(answered)]
    statements = [said for said in addressed if not _ADDRESS.isdisjoint(said)]
    return [memo for memo in known if memo.active and any(_is_repeated(memo.text, said) for said in statements)]


def _is_repeated(text: str, said: list[str]) -> bool:
    content = [*word_forms.content_words(text), *(word for word in words(text) if word[0].isdigit())]
    return bool(content) and all(word_forms.has_form(word, said) or word in said for word in content)


def _of_one_message(memos: Sequence[Memo]) -> Sequence[Memo]:
    """Those that the latest message taught; of several that were recalled, none is clearly meant."""
    return [memo for memo in memos if memo.source.message and memo.source.message == memos[0].source.message]
