"""What a question asks about, and whether a statement answers it: "who's my employer?", "Works at Acme".

One file per language in `topics/`; a new language is a new file. `idle` are words that say nothing about what is
asked, `own`, `speaks` (as a subject) and `other` are words for oneself and for others, `correction` and `retraction`
open a statement that changes what was said before it, `changed` says that something planned is at another time or off,
`name` and `naming` tell what someone or something is called, `fillers` are phrases without meaning, `spellings` put
right how people write, `wish` and `asks_wish` are what is not yet so, and questions about such, `wants` is what an
answer must contain (`times` are words for a time, `past` those for what was so once, `where` those that go before a
place), and `topics` are pairs of expressions: how a question asks about a thing, and how statements about it are
worded. A statement fits if it has everything that the question names; one that has a part of it is only near.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from recollect.core.text import collapse_spaces, fold, words
from recollect.language import kinship, lexicon, spelling, word_forms
from recollect.language.lexicon import ENGLISH, read_tables

FOLDER = Path(__file__).parent / "topics"
_OPENING_WORDS = 3
_MAX_SHORT = 3
_MIN_HEAD = 5
"""Length of the second part of a compound that stands for all of it."""
_NAME = re.compile(r"\b[^\W\d_a-zß-ÿ][\w'-]+")
_PLACE = re.compile(r"\b(?:in|to|from|near|outside|at|nach|aus|bei|en|à|de|em|para)\s(?:the\s)?([^\W\d_][\w'-]+)")
_SPELLED_OUT = re.compile(rf"(?<![\\\w)\]])[a-zäöüßáéíóúàâçèêîôõãñ]{{{spelling.MIN_CHARS},}}(?![?*(])")
_DIGIT = re.compile(r"\d")
_CLOSING = " .!?。！？…"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a question names: a word, or a topic in whatever words."""

    words: tuple[str, ...]
    states: tuple[re.Pattern[str], ...] = ()
    names: frozenset[str] = frozenset()
    """What a relative is called, where the term is one."""

    def is_in(self, text: str, tokens: Collection[str]) -> bool:
        if not self.names.isdisjoint(tokens) or any(pattern.search(text) for pattern in self.states):
            return True
        if self.states:  # short words are told by the topic
            return any(word_forms.has_form(word, tokens) for word in self.words if len(word) > _MAX_SHORT)
        if any(map(kinship.person, self.words)):  # having kids doesn't say who one's mother is
            return any(word_forms.has_form(word, tokens) for word in self.words)
        return any(word_forms.is_stated(word, tokens) or _is_part(word, tokens) for word in self.words)


@dataclass(frozen=True, slots=True)
class Fit:
    """How much of a question a statement has."""

    share: float
    is_complete: bool
    has_wanted: bool = False
    """It has a time, a number, a person or a name, if the question asks for one."""


@dataclass(frozen=True, slots=True)
class Question:
    language: str
    terms: tuple[Term, ...] = ()
    wants: frozenset[str] = frozenset()
    is_own: bool = False
    """It asks about the asker."""
    asks_wish: bool = False
    """What is only wished for may answer it."""
    is_follow_up: bool = False
    """Whom or what it means by "she" or "it" was named before."""

    @property
    def relatives(self) -> frozenset[str]:
        return frozenset(word for term in self.terms for word in term.words if kinship.person(word))

    def naming(self, texts: Iterable[str]) -> "Question":
        """The question with what texts call the relatives in it, and with the relatives whose names it has."""
        pattern = _tables(self.language).name
        pairs = [(match[0], match["name"]) for text in texts for match in pattern.finditer(text)]
        terms = [
            replace(term, names=frozenset(fold(name) for kin, name in pairs if _is_kin(kin, term)))
            if not self.relatives.isdisjoint(term.words)
            else _with_kin(term, pairs)
            for term in self.terms
        ]
        return replace(self, terms=tuple(terms))

    def following(self, previous: "Question") -> "Question":
        """The question with what the one before it named: "how old is she?" after "who is my daughter?"."""
        return replace(self, terms=tuple(dict.fromkeys((*previous.terms, *self.terms))))

    def fit(self, text: str, context: str = "") -> Fit:
        """How a statement fits; `context` is what it refers back to."""
        if not self.terms:
            return Fit(0.0, is_complete=False)
        text, context = (_tables(self.language).spelled(said) for said in (text, context))
        tokens, both = set(word_forms.tokens(text)), f"{context} {text}".strip()
        if changes(text, self.language):  # it may call the "Meisterprüfung" a "Prüfung"
            tokens |= {word for term in self.terms for word in term.words if _has_head(word, tokens)}
        covered = sum(term.is_in(text, tokens) for term in self.terms)
        has_wanted = all(self._has(kind, text) for kind in self.wants)
        is_linked = covered or (self.wants and has_wanted) or _tables(self.language).retraction.match(text)
        if context and is_linked:  # else it has nothing to do with the question
            tokens |= set(word_forms.tokens(context))
            covered = sum(term.is_in(both, tokens) for term in self.terms)
        share = covered / len(self.terms)
        is_fact = self.asks_wish or _tables(self.language).wish.search(text) is None
        return Fit(share, share == 1 and is_fact and has_wanted, has_wanted)

    def _has(self, wanted: str, text: str) -> bool:
        if wanted == "named":
            tables = _tables(self.language)
            naming = tables.naming_kin if self.relatives else tables.naming
            return naming.search(text) is not None or tables.name.search(text) is not None
        if wanted in ("past", "where"):
            tables = _tables(self.language)
            return (tables.past if wanted == "past" else tables.where).search(text) is not None
        return _WANTED[wanted](text)


@dataclass(frozen=True, slots=True)
class _Tables:
    idle: frozenset[str]
    own: re.Pattern[str]
    other: re.Pattern[str]
    speaks: re.Pattern[str]
    correction: re.Pattern[str]
    changed: re.Pattern[str]
    retraction: re.Pattern[str]
    name: re.Pattern[str]
    naming: re.Pattern[str]
    naming_kin: re.Pattern[str]
    wish: re.Pattern[str]
    asks_wish: re.Pattern[str]
    fillers: re.Pattern[str]
    past: re.Pattern[str]
    where: re.Pattern[str]
    times: str
    wants: tuple[tuple[str, re.Pattern[str]], ...]
    topics: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    spellings: tuple[tuple[re.Pattern[str], str], ...]
    vocabulary: frozenset[str]

    def spelled(self, text: str) -> str:
        text = text.replace("’", "'")
        for pattern, replacement in self.spellings:
            text = pattern.sub(replacement, text)
        return spelling.corrected(text, self.vocabulary)


def languages() -> frozenset[str]:
    return frozenset(path.stem for path in FOLDER.glob("*.toml"))


@cache
def _tables(language: str) -> _Tables:
    data: dict[str, Any] = read_tables(FOLDER / f"{language if language in languages() else ENGLISH}.toml")
    kin = "|".join(lexicon.relatives(language) if language in languages() else lexicon.relatives(ENGLISH))
    first = "(?-i:[A-ZÄÖÜ][a-zäöüß]{2,})?" if data.get("compounds") else ""  # "Blutdruck" of "Blutdrucktabletten"
    return _Tables(
        frozenset(map(fold, data["idle"].split())),
        _whole(data["own"]),
        _whole(data["other"]),
        _whole(data["speaks"]),
        _opening(f"{data['correction']}|{data['retraction']}"),
        _whole(data["changed"]),
        _opening(data["retraction"]),
        # names are told by their capital, relatives may have one or not
        re.compile(data["name"].replace("{kin}", f"(?i:{kin})")),
        re.compile(f"{data['naming']}|{data['names']}" if "names" in data else data["naming"]),
        re.compile(data["naming"]),
        _whole(data["wish"]),
        _whole(data["asks_wish"]),
        _whole(data["fillers"]),
        _whole(data.get("past", "")),
        _whole(data.get("where", "")),
        data["times"],
        tuple((kind, _whole(expression)) for kind, expression in data["wants"].items()),
        tuple((_whole(asks), _whole(f"{first}(?:{states})")) for asks, states in data["topics"].values()),
        tuple((re.compile(pattern), replacement) for pattern, replacement in data.get("spellings", ())),
        frozenset(_SPELLED_OUT.findall(" ".join(f"{asks} {states}" for asks, states in data["topics"].values()))),
    )


def _whole(expression: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{expression})(?!\w)", re.IGNORECASE)


def _opening(expression: str) -> re.Pattern[str]:
    fillers = "oh|ah|ach|hm+|ok|okay|so|well|and|und|aber|but|pues|bon|bom|um+|uh|er|äh+m?|eh|ne|nö|na"
    return re.compile(rf"\W*(?:(?:{fillers}),? )?(?:{expression})", re.IGNORECASE)


@lru_cache(maxsize=64)
def parse(text: str, language: str) -> Question:
    """What a question asks about. In a language without topics it has no terms, so nothing fits for sure."""
    if language not in languages():
        return Question(language)
    tables = _tables(language)
    plain = tables.fillers.sub("", tables.spelled(collapse_spaces(text)).rstrip(_CLOSING)).strip()
    spans: dict[tuple[int, int], list[re.Pattern[str]]] = {}
    for asks, states in tables.topics:
        for match in asks.finditer(plain):
            spans.setdefault(match.span("at" if match.groupdict().get("at") else 0), []).append(states)
    terms: list[Term] = []
    taken: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):  # the longest first
        if not any(start < other_end and other_start < end for other_start, other_end in taken):
            taken.append((start, end))
            content = words(plain[start:end])  # of an expression, a single word says little
            terms.append(Term(tuple(content) if len(content) == 1 else (), tuple(spans[start, end])))
    # "what day" asks for a time: no answer has to say "day"
    taken += [match.span() for kind, asks in tables.wants if kind == "time" for match in asks.finditer(plain)]
    rest = "".join(" " if any(start <= at < end for start, end in taken) else char for at, char in enumerate(plain))
    content = (word for word in dict.fromkeys(words(rest)) if word not in tables.idle)
    terms += [Term((word,)) for word in content if not tables.other.fullmatch(word) and not _is_letter(word)]
    speaks_of_other = tables.other.search(plain) is not None and tables.own.search(plain) is None
    is_follow_up = speaks_of_other and not any(
        kinship.person(word) or _NAME.search(f" {raw}") for raw in rest.split()[1:] for word in words(raw)
    )
    if not terms and not is_follow_up:
        terms = [Term((word,)) for word in dict.fromkeys(words(plain)) if not _is_grammar(word, language)]
    distinct = tuple({term.states or term.words: term for term in terms}.values())
    wants = frozenset(kind for kind, expression in tables.wants if expression.search(plain))
    # "my sister" is not oneself
    is_own = tables.own.search(plain) is not None and not any(
        kinship.person(word) for term in distinct for word in term.words
    )
    return Question(language, distinct, wants, is_own, tables.asks_wish.search(plain) is not None, is_follow_up)


def names_subject(text: str, question: Question) -> bool:
    """Whether the question names whom a statement is about, who comes first in it."""
    asked = {word for term in question.terms for word in (*term.words, *term.names)}
    states = [pattern for term in question.terms for pattern in term.states]
    opening = text.split()[: _OPENING_WORDS + 1]
    people = [word for raw in opening for word in words(raw)[:1] if raw[:1].isupper() or kinship.person(word)]
    return any(
        word_forms.has_form(word, asked) or (kinship.person(word) and any(pattern.search(word) for pattern in states))
        for word in people
    )


def is_about_others(text: str, question: Question, *, is_memo: bool) -> bool:
    """Whether a statement is about someone else than the one who made it, whom the question doesn't name."""
    if names_subject(text, question):
        return False
    tables = _tables(question.language)
    opening = word_forms.tokens(text)[:_OPENING_WORDS]
    has_possessive = bool(opening) and (tables.own.fullmatch(opening[0]) or tables.other.fullmatch(opening[0]))
    if any(map(kinship.person, opening if has_possessive else opening[:1])):  # "my older brother", "Mum"
        return True
    if is_memo or tables.speaks.search(text) or is_correction(text, question.language):
        return False
    first = text.split(" ", 1)[0]
    is_name = first[:1].isupper() and fold(first) not in tables.idle and not word_forms.is_frame_word(first.lower())
    return tables.other.match(text) is not None or (is_name and " " in text.strip())


def refers_back(text: str, language: str) -> bool:
    """Whether a statement is about what was said right before it: "she's getting married", "actually, in May"."""
    tables = _tables(language)
    return tables.other.match(text) is not None or is_correction(text, language)


def is_correction(text: str, language: str) -> bool:
    """Whether a statement takes back what was said right before it."""
    return _tables(language).correction.match(text) is not None


def changes(text: str, language: str) -> bool:
    """Whether a statement says that something is not as it was said before."""
    return is_correction(text, language) or _tables(language).changed.search(text) is not None


def corrects(correction: str, context: str, other: str, language: str) -> bool:
    """Whether a statement takes the place of another: it says that it does, and both are about the same thing.

    A correction may refer to what was said right before it, its context; a change of plans names what it changes.
    """
    if not changes(correction, language):
        return False
    said = f"{context} {correction}" if is_correction(correction, language) else correction
    named = word_forms.content_words(said)
    tokens = set(word_forms.tokens(other))
    return any(word in tokens or _is_part(word, tokens) for word in named)


def _is_kin(words_of_kin: str, term: Term) -> bool:
    return any(kinship.is_same_person(word, asked) for word in words(words_of_kin)[:1] for asked in term.words)


def _with_kin(term: Term, pairs: Collection[tuple[str, str]]) -> Term:
    """A name together with the relative who has it."""
    kin = {words(text)[0] for text, name in pairs if fold(name) in term.words}
    return replace(term, names=frozenset(kin)) if kin else term


def _is_part(word: str, tokens: Collection[str]) -> bool:
    """Whether a word is a part of a compound: "Chor" of "Chorleiter"."""
    return len(word) > _MAX_SHORT and any(token.startswith(word) or token.endswith(word) for token in tokens)


def _has_head(word: str, tokens: Collection[str]) -> bool:
    """Whether the second part of a compound is among the tokens."""
    return any(len(token) >= _MIN_HEAD and word != token and word.endswith(token) for token in tokens)


def _is_letter(word: str) -> bool:
    """Whether a word is what an apostrophe leaves: "nephew's"."""
    return len(word) == 1 and word.isascii() and word.isalpha()


def _is_grammar(word: str, language: str) -> bool:
    return word in lexicon.words("function", language) and len(word) < 5


def _has_time(text: str) -> bool:
    said = words(text)
    # "mittwochabends"
    return bool(_DIGIT.search(text)) or any(word in _calendar_words() or word.startswith(_weekdays()) for word in said)


@cache
def _weekdays() -> tuple[str, ...]:
    local = " ".join(table["weekdays"] for table in lexicon.tables("calendar").values()).replace("|", " ").split()
    return tuple(fold(name) for name in local if len(name) > _MAX_SHORT)


@cache
def _calendar_words() -> frozenset[str]:
    tables = [*lexicon.tables("calendar").values()]
    local = " ".join(table[name] for table in tables for name in ("months", "weekdays")).replace("|", " ").split()
    near = " ".join(group for table in lexicon.tables("near_days").values() for group in table.values()).split()
    further = " ".join(_tables(language).times for language in languages()).split()
    names = map(fold, (*lexicon.ordered_words("months"), *lexicon.ordered_words("weekdays"), *local, *near, *further))
    return frozenset(form for name in names for form in (name, f"{name}s"))


def _has_number(text: str) -> bool:
    return bool(_DIGIT.search(text)) or not _cardinals().isdisjoint(words(text))


@cache
def _cardinals() -> frozenset[str]:
    """Number words; those for one are articles as well."""
    tables = lexicon.tables("numbers").values()
    return frozenset(
        fold(word) for table in tables for number, group in table.items() if number != "1" for word in group.split()
    )


def _has_name(text: str) -> bool:
    return _NAME.search(text[1:]) is not None or any(map(kinship.person, words(text)))


def _has_place(text: str) -> bool:
    places = lexicon.words("places")
    return any(match[1][0].isupper() or fold(match[1]) in places for match in _PLACE.finditer(text))


_WANTED = {"time": _has_time, "number": _has_number, "person": _has_name, "place": _has_place}
