"""Whether a statement answers a question for sure, rather than merely having what the question names.

People put several things into a message, guess, joke, and speak about others in between. A statement is sure if one of
its clauses alone answers, has the question's subject, and is stated as a fact.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from recollect.core.text import fold, words
from recollect.language import kinship, slots, subjects, verification, word_forms
from recollect.language.question_tables import Tables, tables_of
from recollect.language.questions import Question, Term

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+|\s[–—-]\s")
_CLAUSE_END = re.compile(
    r"[,;:]\s+|\s+(?=\b(?:and|but|so|because|und|aber|also|denn|weil|et|mais|parce que|y|pero|e|mas)\s)"
)
_OPENING_LINK = re.compile(
    r"(?:and|but|so|because|und|aber|also|denn|weil|et|mais|parce que|y|pero|e|mas)\s+", re.IGNORECASE
)
_ASKS_WHAT = re.compile(
    r"(?<!\w)(?:wh\w+|how|w(?:as|er|e[nm]|essen|ann|ie\w*|o\w*|elche\w*|arum|eshalb)|qui|quoi|(?<!est-ce )que"
    r"|quel\w*|quand|où|comment|combien|pourquoi|qué|quién\w*|cuá\w+|cómo|a?dónde|a?onde|quem|qual|quais|quando"
    r"|quant\w+|como)(?!\w)",
    re.IGNORECASE,
)
_ASKS_HOW = re.compile(r"\W*(?:how|wie|comment|cómo|como) (?!(?:is|are|geht|va|está)\b)", re.IGNORECASE)
_OPENING_WORDS, _MAX_BEFORE_NOUN = 3, 3
_WORD, _WORD_OR_MARK = re.compile(r"[\w'-]+"), re.compile(r"[\w'-]+|[,;:.!]")
_POSSESSIVE = re.compile(r"(?:['’]s|s['’])$")
_LAUGHTER = re.compile(
    r"(?<!\w)(?:l+o+l+|rofl|jk|j/k|x[dD]+|(?:ha){2,}h?|(?:he){2,}|mdr|ptdr|(?:ja){2,}|k{3,})(?!\w)|;-?\)|😉|😜|🤪"
)


@dataclass(frozen=True, slots=True)
class Clause:
    text: str
    opening: str = ""
    """The clause that says whom this one is about, if it doesn't itself."""
    is_own: bool = False
    """It is about the speaker, and says so."""


def is_sure(text: str, question: Question, asked: str, *, is_memo: bool) -> bool:
    """Whether a statement answers a question, asked in these words, for sure."""
    tables = tables_of(question.language)
    text, strict = tables.spelled(text), replace(question, is_strict=True)
    if not question.wants and all(any(map(kinship.person, term.words)) for term in question.terms):
        return False  # that a sister is spoken of says nothing about her
    if not question.wants and not question.is_own and _ASKS_HOW.match(asked):
        return False  # that someone died doesn't say how
    if tables.former.search(text) and not (is_yes_no_question(asked) or "past" in question.wants):
        return False  # what one used to play isn't what one plays
    for sentence in _SENTENCE_END.split(text):
        if not sentence.strip() or _is_hedged(sentence, asked, tables) or (_LAUGHTER.search(text) and not is_memo):
            continue
        clauses = [Clause(sentence)] if is_memo else list(_clauses(sentence, question))
        if any(_answers(clause, strict, asked, tables, is_memo=is_memo) for clause in clauses):
            return True
    return False


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


def _answers(clause: Clause, question: Question, asked: str, tables: Tables, *, is_memo: bool) -> bool:
    if question.is_own and not clause.is_own and not is_memo:
        return False
    if not is_memo and tables.own.search(asked) and not (clause.is_own or _is_of_asked(clause.text, question, tables)):
        return False
    if not clause.opening and not subjects.agrees(clause.text, question, is_memo=is_memo):
        return False
    if not is_memo and not _names_what_is_asked(clause.text, question, asked):
        return False
    wordings = [clause.text, *([f"{clause.opening}, {clause.text}"] if clause.opening else [])]
    complete = [wording for wording in wordings if question.fit(wording).is_complete]
    return (
        bool(complete)
        and _says_more_than_names(clause.text, question)
        and _is_head(clause.text, question, asked, tables)
        and verification.is_verified(complete[0], question, asked, is_yes_no=is_yes_no_question(asked), is_memo=is_memo)
    )


def _is_of_asked(text: str, question: Question, tables: Tables) -> bool:
    """Whether a clause names a relative whom the question is about, and not as someone else's: "Mum", "Tom's mum"."""
    raw = ["", *text.split()]
    return any(
        (word in term.names or any(kinship.is_same_person(word, asked) for asked in term.words))
        and not (tables.other.fullmatch(before) or _POSSESSIVE.search(before))
        for before, said in pairwise(raw)
        for word in words(said)[:1]
        for term in question.terms
    )


def _says_more_than_names(text: str, question: Question) -> bool:
    """Whether a clause has more of a question than a name: "Kevin bit me" doesn't say that one has a parrot."""
    tokens = set(word_forms.tokens(text))
    return bool(question.wants - {"person", "named"}) or any(
        term.found_in(text, tokens) - term.names for term in question.terms
    )


def _names_what_is_asked(text: str, question: Question, asked: str) -> bool:
    """Whether a clause has the question's own words for anything but a person. A topic alone is told by many words of
    others: "a split keyboard" is no ex, and who bakes gladly has not said what they eat. What has a name is told by it.
    """
    tables, tokens = tables_of(question.language), set(word_forms.tokens(text))
    if not question.wants.isdisjoint(("person", "named")) and tables.naming_kin.search(text):
        return True
    has_names = not tables.capitalizes_nouns
    people = {fold(match[0]) for match in slots.NAME.finditer(asked[1:])} if has_names else set[str]()
    things = [
        term for term in question.terms if people.isdisjoint(term.words) and not any(map(kinship.person, term.words))
    ]
    return not things or any(term.is_worded_in(text, tokens) for term in things)


def _clauses(sentence: str, question: Question) -> Iterator[Clause]:
    """The clauses of a sentence; one without a subject goes on about the one before it."""
    tables = tables_of(question.language)
    opening, is_own = "", False
    for part in filter(None, _CLAUSE_END.split(sentence)):
        text = _OPENING_LINK.sub("", part, count=1).strip() if _OPENING_LINK.match(part) else part.strip()
        is_of_thing = tables.determiner.match(text) is not None and not tables.speaks.search(text)
        if tables.own.match(text) and not any(map(kinship.person, words(text)[:_OPENING_WORDS])):
            is_own = True  # "Toco violino": a verb at the beginning is no name
        elif is_of_thing or subjects.is_about_others(text, replace(question, terms=()), is_memo=False):
            is_own = False  # "the rabbit" may be anyone's
        elif tables.own.search(text) and (is_own or not opening):  # "she's 90 and lives with my parents"
            is_own = True
        elif not tables.other.match(text):
            yield Clause(text, opening, is_own)
            opening = opening or text
            continue
        yield Clause(text, opening if tables.other.match(text) else "", is_own)
        opening = opening if tables.other.match(text) and opening else text


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
