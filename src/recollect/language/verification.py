"""Whether a memory that has what a question names verifiably answers it.

That both name the same things is not enough: what is hated answers no question for what is liked, what was sold none
for what one has, and "on Fridays" none for a place. Each check is about one thing that an answer has to say.
"""

import re
from itertools import pairwise

from recollect.core.text import words
from recollect.language import kinship, slots, subjects, word_forms
from recollect.language.question_tables import Tables, tables_of
from recollect.language.questions import Question, Term, leads_to_place

_ASKS_WHO_DOES = re.compile(r"\W*(?:and |und )?(?:who(?:'s)?(?! (?:am|are|were|do|did|can)\b)|wer(?! bin\b)) ", re.I)
_ASKS_WHO_IS = re.compile(
    r"\W*(?:and |und )?(?:who(?:'s| is| was)|wer (?:ist|war)) (?:my|our|mein\w*|unser\w*)\b", re.I
)
_ASKS_PRICE = re.compile(
    r"(?<!\w)(?:how much|cost\w*|pay|price|rent|wie ?viel(?! uhr)|koste\w*|zahl\w*|miete)(?!\w)", re.I
)
_CLOCK_TIME = re.compile(r"(?<![./-])\b\d{1,2}(?:[:.h]\d\d)?\b(?![./-]|st|nd|rd|th)")
_DIGIT = re.compile(r"\d")
_KIN_BY_MARRIAGE = re.compile(
    r"(?<!\w)(?:step-?|ex-|half-?|god|schwieger|stief|halb)(?=[^\W\d_]{3})|\bin[- ]laws?\b|\bex\b", re.I
)
_CONTRAST = re.compile(r",?\s(?:not|nicht)\s(?:on\s|am\s|in\s|im\s)?[\w'-]+\W*$", re.I)
_TITLE = re.compile(r"(?<!^)(?<!mein )(?<!meine )(?<!meiner )(?<!unsere )\bFrau (?:Dr|Prof|[A-ZÄÖÜ])")
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])$")
_OF_OTHERS = frozenset(("her", "his", "seine", "seiner", "seinen", "sein", "ihr", "ihre", "ihren", "ihrer"))
_NO_PLACE_LINKS = frozenset(("is", "are", "called", "named", "moved", "based", "heißt", "ist", "sind"))
_AFTER_TO = frozenset(("the", "a", "an", "my", "our", "their", "his", "her", "school", "work", "uni", "church", "town"))
_MAX_BEFORE = 2


def is_verified(text: str, question: Question, asked: str, *, is_yes_no: bool) -> bool:
    """Whether a clause says what is asked, in the sense and about whom it is asked."""
    tables = tables_of(question.language)
    return (
        all(states.search(text) for asks, states in tables.relations if asks.search(asked))
        and _fills_slot(text, question, asked, tables)
        and _is_about_asked_kin(text, question, asked)
        and _has_asked_tense(text, asked, tables)
        and _says_who(text, question, asked, tables)
        and (is_yes_no or _has_same_sense(text, question, asked, tables))
    )


def _has_asked_tense(text: str, asked: str, tables: Tables) -> bool:
    """Whether a clause about what was so, and perhaps is no more, is asked about the past."""
    return tables.was.search(text) is None or tables.asks_past.search(asked) is not None


def _has_same_sense(text: str, question: Question, asked: str, tables: Tables) -> bool:
    """Whether a clause refuses what the question takes for refused, and nothing else, and tells of nothing gone."""
    is_refused = tables.refusal.search(_without_contrast(text)) is not None
    if "reason" not in question.wants and is_refused != (tables.refusal.search(asked) is not None):
        return False
    past = tables.links.get("past")
    if "past" in question.wants or (past is not None and past.search(asked)):
        return True
    return all(any(_finds(term, match[0]) for term in question.terms) for match in tables.gone.finditer(text))


def _without_contrast(text: str) -> str:
    """A clause without what it only sets something right against: "on wednesday, not thursday"."""
    contrast = _CONTRAST.search(text)
    return text[: contrast.start()] if contrast and slots.calendar_words_in(contrast[0]) else text


def _finds(term: Term, text: str) -> bool:
    return bool(term.found_in(text, set(word_forms.tokens(text))))


def _fills_slot(text: str, question: Question, asked: str, tables: Tables) -> bool:
    """Whether a clause has a place, a price, an hour or a day, if the question asks for that and not just for any."""
    if "where" in question.wants and not _has_place(text, tables):
        return False
    if "number" in question.wants and _ASKS_PRICE.search(asked) and not _DIGIT.search(text):
        return False
    if tables.clock.search(asked) and not (_CLOCK_TIME.search(text) or slots.has_hour(text)):
        return False
    return not tables.weekday.search(asked) or bool(slots.calendar_words_in(text)) or slots.has_date(text)


def _has_place(text: str, tables: Tables) -> bool:
    links = tables.links.get("where")
    if links is None:
        return slots.has_place(text)
    return any(
        leads_to_place(match, tables)
        for match in links.finditer(text)
        if match[0].lower() not in _NO_PLACE_LINKS and not _opens_infinitive(match)
    )


def _opens_infinitive(link: re.Match[str]) -> bool:
    """Whether an English "to" has a verb after it: "to see him", not "to Rome", "to the sea" or "to work"."""
    following = link.string[link.end() :].split()[:1]
    return link[0].lower() == "to" and bool(following) and following[0].islower() and following[0] not in _AFTER_TO


def _is_about_asked_kin(text: str, question: Question, asked: str) -> bool:
    """Whether a clause is about the relative of whom the question is: no mother-in-law, and not "her sister"."""
    if not question.relatives:
        return True
    if _KIN_BY_MARRIAGE.search(text) and not _KIN_BY_MARRIAGE.search(asked):
        return False
    raw = ["", *text.split()]
    owners = [
        before
        for before, said in pairwise(raw)
        for word in words(said)[:1]
        if any(kinship.may_be(word, relative) for relative in question.relatives)
    ]
    if len(owners) == 1 and _TITLE.search(text):  # "bei Frau Dr. Nguyen"
        return False
    names = {name for term in question.terms for name in (*term.names, *term.words)}
    if not owners:  # "shares a flat with Bea" is about a flatmate, "parents are divorced" about no ex
        called = {
            name for term in question.terms if not question.relatives.isdisjoint(term.words) for name in term.names
        }
        return not kinship.mentioned(text) or not called.isdisjoint(words(text))
    return any(
        not (owner.lower() in _OF_OTHERS or (_POSSESSIVE.search(owner) and names.isdisjoint(words(owner))))
        for owner in owners
    )


def _says_who(text: str, question: Question, asked: str, tables: Tables) -> bool:
    """Whether a memory says who does something, rather than that its owner does, and whose doctor someone is, rather
    than that someone is a doctor.
    """
    if _ASKS_WHO_IS.match(asked):
        return any(_is_introduced(term, text, tables) for term in question.terms)
    has_subject = bool(subjects.subject_of(text, question.language, is_memo=True))
    return has_subject or not _ASKS_WHO_DOES.match(asked)


def _is_introduced(term: Term, text: str, tables: Tables) -> bool:
    """Whether what a term names opens a clause or has an owner: "my GP is Ann", not "Ann is a GP"."""
    said = text.split()
    places = [
        at
        for at, raw in enumerate(said)
        if any(word_forms.is_close_form(asked, word) for asked in term.words for word in words(raw))
    ]
    return not places or any(
        at <= 1
        or any(
            tables.determiner.fullmatch(word) or tables.own.fullmatch(word)
            for word in said[max(0, at - _MAX_BEFORE) : at]
        )
        for at in places
    )
