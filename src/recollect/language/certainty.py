"""Whether a memory answers a question for sure, rather than merely having what the question names.

It is sure if it has the question's subject, says all that is asked, and is stated as a fact.
"""

import re
from dataclasses import replace

from recollect.core.text import words
from recollect.language import kinship, subjects, verification, word_forms
from recollect.language.question_tables import Tables, tables_of
from recollect.language.questions import Question, Term

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+|\s[–—-]\s")
_ASKS_WHAT = re.compile(
    r"(?<!\w)(?:wh\w+|how|w(?:as|er|e[nm]|essen|ann|ie\w*|o\w*|elche\w*|arum|eshalb)|qui|quoi|(?<!est-ce )que"
    r"|quel\w*|quand|où|comment|combien|pourquoi|qué|quién\w*|cuá\w+|cómo|a?dónde|a?onde|quem|qual|quais|quando"
    r"|quant\w+|como)(?!\w)",
    re.IGNORECASE,
)
_ASKS_HOW = re.compile(r"\W*(?:how|wie|comment|cómo|como) (?!(?:is|are|geht|va|está)\b)", re.IGNORECASE)
_MAX_BEFORE_NOUN = 3
_WORD, _WORD_OR_MARK = re.compile(r"[\w'-]+"), re.compile(r"[\w'-]+|[,;:.!]")


def is_sure(text: str, question: Question, asked: str) -> bool:
    """Whether a memory answers a question, asked in these words, for sure."""
    tables = tables_of(question.language)
    text, strict = tables.spelled(text), replace(question, is_strict=True)
    if not question.wants and all(any(map(kinship.person, term.words)) for term in question.terms):
        return False  # that a sister is spoken of says nothing about her
    if not question.wants and not question.is_own and _ASKS_HOW.match(asked):
        return False  # that someone died doesn't say how
    if tables.former.search(text) and not (is_yes_no_question(asked) or "past" in question.wants):
        return False  # what one used to play isn't what one plays
    sentences = (sentence for sentence in _SENTENCE_END.split(text) if sentence.strip())
    return any(
        _answers(sentence, strict, asked, tables) for sentence in sentences if not _is_hedged(sentence, asked, tables)
    )


def is_yes_no_question(asked: str) -> bool:
    """Whether a question is answered by yes or no."""
    return _ASKS_WHAT.search(asked) is None


def contradicts(later: str, earlier: str, question: Question) -> bool:
    """Whether one of two statements denies what the other says, as far as a question asks about it."""
    tables = tables_of(question.language)
    return (tables.negation.search(later) is None) != (tables.negation.search(earlier) is None)


def may_end_statement(later: str, language: str) -> bool:
    """Whether a statement may end what was said right before it, without naming it: "Finished it!"."""
    return tables_of(language).ends_it.search(later) is not None


def _answers(sentence: str, question: Question, asked: str, tables: Tables) -> bool:
    return (
        subjects.agrees(sentence, question, is_memo=True)
        and question.fit(sentence).is_complete
        and _says_more_than_names(sentence, question)
        and _is_head(sentence, question, asked, tables)
        and verification.is_verified(sentence, question, asked, is_yes_no=is_yes_no_question(asked))
    )


def _says_more_than_names(text: str, question: Question) -> bool:
    """Whether a clause has more of a question than a name: "Kevin bit me" doesn't say that one has a parrot."""
    tokens = set(word_forms.tokens(text))
    return bool(question.wants - {"person", "named"}) or any(
        term.found_in(text, tokens) - term.names for term in question.terms
    )


def _is_hedged(sentence: str, asked: str, tables: Tables) -> bool:
    """Whether a sentence says that something may be so, unless the question asks for just that."""
    return any(
        not re.search(rf"(?<!\w){re.escape(match[0])}(?!\w)", asked, re.IGNORECASE)
        for match in tables.unsure.finditer(sentence)
    )


def _is_head(text: str, question: Question, asked: str, tables: Tables) -> bool:
    """Whether a clause is about what a question names, unless that asks for a time, a place or the like."""
    named = [term for term in question.terms if not _is_aside(term, asked, tables)]
    return bool(question.wants) or (bool(named) and not any(_is_aside(term, text, tables) for term in named))


def _is_aside(term: Term, text: str, tables: Tables) -> bool:
    """Whether a clause has what a question names behind a preposition only, and so is about something else: "a pain in
    my job", "plays frisbee on the uni team".
    """
    found = term.found_in(text, set(word_forms.tokens(text)))
    starts = [match.start() for match in _WORD.finditer(text) if not found.isdisjoint(words(match[0]))]
    return bool(starts) and all(_follows_preposition(text[:start], tables) for start in starts)


def _follows_preposition(before: str, tables: Tables) -> bool:
    said = _WORD_OR_MARK.findall(before)[: -_MAX_BEFORE_NOUN - 1 : -1]
    if said[:1] == ["to"]:  # "used to smoke"
        return False
    for word in said:
        if not word.isalpha() or tables.verb.fullmatch(word) or _ASKS_WHAT.match(word):
            return False
        if tables.preposition.fullmatch(word):
            return True
    return False
