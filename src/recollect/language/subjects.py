"""Whom or what a statement is about, and whether that is what a question is about."""

import re
from itertools import pairwise

from recollect.core.text import fold, words
from recollect.language import kinship, lexicon, word_forms
from recollect.language.question_tables import Tables, languages, tables_of
from recollect.language.questions import Question, is_correction

_OPENING_WORDS = 3
_MAX_SUBJECT_WORDS = 4
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])$")
_NAMES = frozenset(("name", "nombre", "nom", "nome"))
_GENITIVE = re.compile(r"[A-ZÄÖÜ][a-zäöüß]+s")


def names_subject(text: str, question: Question) -> bool:
    """Whether the question names whom a statement is about, who comes first in it."""
    question_words = {word for term in question.terms for word in (*term.words, *term.names)}
    states = [pattern for term in question.terms for pattern in term.states]
    opening = text.split()[: _OPENING_WORDS + 1]
    people = [word for raw in opening for word in words(raw)[:1] if raw[:1].isupper() or kinship.person(word)]
    return any(
        word_forms.has_form(word, question_words)
        or (kinship.person(word) and any(pattern.search(word) for pattern in states))
        for word in people
    )


def is_about_others(text: str, question: Question, *, is_memo: bool) -> bool:
    """Whether a statement is about someone else than the one who made it, whom the question doesn't name."""
    if names_subject(text, question):
        return False
    tables = tables_of(question.language)
    opening = word_forms.tokens(text)[:_OPENING_WORDS]
    has_possessive = bool(opening) and (tables.own.fullmatch(opening[0]) or tables.other.fullmatch(opening[0]))
    if any(map(kinship.person, opening if has_possessive else opening[:1])):  # "my older brother", "Mum"
        return True
    if is_memo or tables.speaks.search(text) or is_correction(text, question.language):
        return False
    first = text.split(" ", 1)[0]
    is_idle = fold(first) in tables.idle or tables.own.fullmatch(first) is not None  # "Moro em Recife"
    is_name = first[:1].isupper() and not is_idle and not word_forms.is_frame_word(first.lower())
    return tables.other.match(text) is not None or (is_name and " " in text.strip())


def agrees(text: str, question: Question, *, is_memo: bool) -> bool:
    """Whether the question names what a statement is about. "Tom's parents live in York" doesn't say where Tom lives,
    nor "my tablet is an iPad" which tablets are taken.
    """
    if "person" in question.wants:  # the subject may be the answer
        return True
    subject = subject_of(text, question.language, is_memo=is_memo)
    tokens = set(word_forms.tokens(subject))
    if not tokens.isdisjoint(_NAMES):  # "my wife's name is Monica" is about her
        return True
    if question.is_own and tokens:
        return any(term.is_named_in(subject, tokens) for term in question.terms)
    said = set(word_forms.tokens(text))
    return not tokens or any(not tokens.isdisjoint(term.found_in(text, said)) for term in question.terms)


def subject_of(text: str, language: str, *, is_memo: bool) -> str:
    """The words for what a statement is about, without its owner; none if it is about its author, or can't be told."""
    tables = tables_of(language)
    said = text.split()[: _MAX_SUBJECT_WORDS + 2]
    is_determined = bool(said) and tables.determiner.fullmatch(said[0]) is not None
    if not is_determined and not is_memo and tables.speaks.search(text):
        return ""
    subject: list[str] = []
    verb = ""
    for raw, following in pairwise([*said[is_determined:], "", ""]):
        word = raw.rstrip(",;:.!")
        is_noun = tables.capitalizes_nouns and word[:1].isupper()  # frequent ones are among the function words
        if not word or tables.verb.fullmatch(word) or (_is_function(word, language) and not is_noun):
            verb = word
            break
        subject = [] if _is_owner(word, following, tables) else [*subject, _POSSESSIVE.sub("", word)]
        if word != raw or (tables.capitalizes_nouns and subject and following[:1].islower()):
            verb = following
            break
    is_named = not is_memo and text[:1].isupper() and not word_forms.is_frame_word(said[0].lower())
    return " ".join(subject) if is_determined or is_named or tables.verb.fullmatch(verb) else ""


def _is_function(word: str, language: str) -> bool:
    return language in languages() and fold(word) in lexicon.words("function", language)


def _is_owner(word: str, following: str, tables: Tables) -> bool:
    """Whether a word says whose the next one is: "Tom's parents", "Jörgs Laster"."""
    if tables.capitalizes_nouns:
        return _GENITIVE.fullmatch(word) is not None and following[:1].isupper()
    is_noun_next = following[:1].isalpha() and not word_forms.is_function_word(following)
    return _POSSESSIVE.search(word) is not None and is_noun_next
