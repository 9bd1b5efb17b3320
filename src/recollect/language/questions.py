"""What a question asks about, and whether a statement answers it: "who's my employer?", "Works at Acme".

One file per language in `topics/`; a new language is a new file. `idle` are words that say nothing about what is
asked, `own`, `speaks` (as a subject) and `other` are words for oneself and for others, `correction` and `retraction`
open a statement that changes what was said before it, `changed` says that something planned is at another time or off,
`name` and `naming` tell what someone or something is called, `fillers` are phrases without meaning, `spellings` put
right how people write, `determiner` and `verb` go before and after a subject, `ended` says that something is no longer
so, and `asks_still` and `asks_now` ask whether or what it is now, `synonyms` has groups of words, one per line, `wish` and `asks_wish` are what is not yet so, and questions about such, `wants` is what an
answer must contain (`times` are words for a time, `past` those for what was so once, `where` those that go before a
place), and `topics` are pairs of expressions: how a question asks about a thing, and how statements about it are
worded. A statement fits if it has everything that the question names; one that has a part of it is only near.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from recollect.core.text import collapse_spaces, fold, words
from recollect.language import kinship, lexicon, slots, spelling, word_forms
from recollect.language.lexicon import ENGLISH, read_tables

FOLDER = Path(__file__).parent / "topics"
_MAX_SHORT = 3
_MIN_HEAD = 5
"""Length of the second part of a compound that stands for all of it."""
_SPELLED_OUT = re.compile(rf"(?<![\\\w)\]])[a-zäöüßáéíóúàâçèêîôõãñ]{{{spelling.MIN_CHARS},}}(?![?*(])")
_WORD, _ANY_WORD = re.compile(r"\w+"), "qxqxq"
_CLOSING = " .!?。！？…"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a question names: a word, or a topic in whatever words."""

    words: tuple[str, ...]
    states: tuple[re.Pattern[str], ...] = ()
    asks: tuple[re.Pattern[str], ...] = ()
    names: frozenset[str] = frozenset()
    """What a relative is called, where the term is one."""

    def is_in(self, text: str, tokens: Collection[str]) -> bool:
        return bool(self.found_in(text, tokens))

    def found_in(self, text: str, tokens: Collection[str]) -> set[str]:
        """The words of a text that say what the term names."""
        said = {token for pattern in self.states for match in pattern.finditer(text) for token in words(match[0])}
        said |= self.names.intersection(tokens)
        if self.states:  # short words are told by the topic
            return said | {token for token in tokens for word in self.words if len(word) > _MAX_SHORT and word_forms.is_form(word, token)}
        if any(map(kinship.person, self.words)):  # having kids doesn't say who one's mother is
            return said | {token for token in tokens for word in self.words if word_forms.is_form(word, token)}
        return said | {token for token in tokens for word in self.words if word_forms.is_stated(word, (token,)) or _is_part(word, (token,))}

    def is_partly_in(self, tokens: Collection[str]) -> bool:
        """Whether a part of a compound is among the tokens: the "Knie" of a "Knieoperation"."""
        long = [token for token in tokens if len(token) > _MAX_SHORT]
        return any(
            word != token and len(word) > len(token) + _MAX_SHORT and (word.startswith(token) or word.endswith(token))
            for word in self.words
            for token in long
        )

    def is_named_in(self, text: str, tokens: Collection[str]) -> bool:
        """Whether a text names the term itself, rather than an instance of it: "my job", not "my teacher"."""
        return any(pattern.search(text) for pattern in self.asks) or bool(replace(self, states=()).found_in(text, tokens))


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
    asks_still: bool = False
    """Whether something is so yet, which anything said later may answer."""
    asks_now: bool = False

    @property
    def has_one_answer(self) -> bool:
        """It asks for a time, a number, a place, a person or a name: different statements are different answers."""
        return self.asks_now or not self.wants.isdisjoint(("time", "number", "where", "place", "person", "named"))

    @property
    def relatives(self) -> frozenset[str]:
        return frozenset(word for term in self.terms for word in term.words if kinship.person(word))

    def naming(self, texts: Iterable[str]) -> "Question":
        """The question with what texts call the relatives in it, and with the relatives whose names it has."""
        pattern = tables_of(self.language).name
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
        text, context = (tables_of(self.language).spelled(said) for said in (text, context))
        tokens, both = set(word_forms.tokens(text)), f"{context} {text}".strip()
        if changes(text, self.language):  # it may call the "Meisterprüfung" a "Prüfung"
            tokens |= {word for term in self.terms for word in term.words if _has_head(word, tokens)}
        covered = sum(term.is_in(text, tokens) for term in self.terms)
        has_wanted = all(self._has(kind, text) for kind in self.wants)
        is_linked = covered or (self.wants and has_wanted) or tables_of(self.language).retraction.match(text)
        if context and is_linked:  # else it has nothing to do with the question
            tokens |= set(word_forms.tokens(context))
            covered = sum(term.is_in(both, tokens) for term in self.terms)
        parts = sum(term.is_partly_in(tokens) for term in self.terms if not term.is_in(both, tokens))
        share = (covered + parts / 2) / len(self.terms)
        is_fact = self.asks_wish or tables_of(self.language).wish.search(text) is None
        is_complete = covered == len(self.terms) and is_fact and has_wanted and self._is_each_in(both, tokens)
        return Fit(share, is_complete, has_wanted)

    def _is_each_in(self, text: str, tokens: Collection[str]) -> bool:
        """Whether no term is told by a word of another one alone: "tea" doesn't say that it is what someone drinks."""
        for term in self.terms:
            others = {word for other in self.terms if other is not term for word in other.words}
            if all(word_forms.has_form(token, others) for token in term.found_in(text, tokens)):
                return False
        return True

    def _has(self, wanted: str, text: str) -> bool:
        if wanted == "named":
            tables = tables_of(self.language)
            naming = tables.naming_kin if self.relatives else tables.naming
            return naming.search(text) is not None or tables.name.search(text) is not None
        if wanted in ("past", "where"):
            tables = tables_of(self.language)
            return (tables.past if wanted == "past" else tables.where).search(text) is not None
        match wanted:
            case "time":
                return slots.has_time(text, _times())
            case "number":
                return slots.has_number(text)
            case "person":
                return slots.has_person(text, {word for term in self.terms for word in term.words})
            case _:
                return slots.has_place(text)


@dataclass(frozen=True, slots=True)
class Tables:
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
    determiner: re.Pattern[str]
    verb: re.Pattern[str]
    ended: re.Pattern[str]
    asks_still: re.Pattern[str]
    asks_now: re.Pattern[str]
    capitalizes_nouns: bool
    synonyms: Mapping[str, tuple[str, ...]]
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
def tables_of(language: str) -> Tables:
    data: dict[str, Any] = read_tables(FOLDER / f"{language if language in languages() else ENGLISH}.toml")
    kin = "|".join(lexicon.relatives(language) if language in languages() else lexicon.relatives(ENGLISH))
    first = "(?-i:[A-ZÄÖÜ][a-zäöüß]{2,})?" if data.get("compounds") else ""  # "Blutdruck" of "Blutdrucktabletten"
    return Tables(
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
        _whole(data["determiner"]),
        _whole(data["verb"]),
        _whole(data["ended"]),
        _whole(data["asks_still"]),
        _whole(data["asks_now"]),
        data.get("compounds", False),
        _synonyms(data.get("synonyms", "").splitlines()),
        data["times"],
        tuple((kind, _whole(expression)) for kind, expression in data["wants"].items()),
        tuple((_whole(asks), _whole(f"{first}(?:{states})")) for asks, states in data["topics"].values()),
        tuple((re.compile(pattern), replacement) for pattern, replacement in data.get("spellings", ())),
        frozenset(_SPELLED_OUT.findall(" ".join(f"{asks} {states}" for asks, states in data["topics"].values()))),
    )


def _synonyms(groups: Iterable[str]) -> dict[str, tuple[str, ...]]:
    synonyms: dict[str, list[str]] = {}
    for group in groups:
        for word in map(fold, group.split()):
            synonyms.setdefault(word, []).extend(fold(other) for other in group.split() if fold(other) != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in synonyms.items()}


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
    tables = tables_of(language)
    plain = tables.fillers.sub("", tables.spelled(collapse_spaces(text)).rstrip(_CLOSING)).strip()
    spans: dict[tuple[int, int], list[tuple[re.Pattern[str], re.Pattern[str]]]] = {}
    free: list[tuple[int, int]] = []
    for asks, states in tables.topics:
        for match in asks.finditer(plain):
            spans.setdefault(match.span("at" if match.groupdict().get("at") else 0), []).append((states, asks))
            free += _free_words(asks, match)
    terms: list[Term] = []
    taken: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):  # the longest first
        if not any(start < other_end and other_start < end for other_start, other_end in taken):
            taken.append((start, end))
            content = words(plain[start:end])  # of an expression, a single word says little
            states, asks = zip(*spans[start, end], strict=True)
            terms.append(Term(tuple(content) if len(content) == 1 else (), states, asks))
    # "what day" asks for a time: no answer has to say "day"
    taken += [match.span() for kind, asks in tables.wants if kind == "time" for match in asks.finditer(plain)]
    rest = "".join(
        " " if _is_within(at, taken) and not _is_within(at, free) else char for at, char in enumerate(plain)
    )
    content = (word for word in dict.fromkeys(words(rest)) if word not in tables.idle)
    named = (word for word in content if not tables.other.fullmatch(word) and not _is_letter(word))
    terms += [Term((word, *tables.synonyms.get(word, ()))) for word in named]
    speaks_of_other = tables.other.search(plain) is not None and tables.own.search(plain) is None
    is_follow_up = speaks_of_other and not any(
        kinship.person(word) or slots.NAME.search(f" {raw}") for raw in rest.split()[1:] for word in words(raw)
    )
    if not terms and not is_follow_up:
        terms = [Term((word,)) for word in dict.fromkeys(words(plain)) if not _is_grammar(word, language)]
    distinct = tuple({term.states or term.words: term for term in terms}.values())
    wants = frozenset(kind for kind, expression in tables.wants if expression.search(plain))
    # "my sister" is not oneself
    is_own = tables.own.search(plain) is not None and not any(
        kinship.person(word) for term in distinct for word in term.words
    )
    patterns = (tables.asks_wish, tables.asks_still, tables.asks_now)
    asks_wish, asks_still, asks_now = (pattern.search(text) is not None for pattern in patterns)
    return Question(language, distinct, wants, is_own, asks_wish, is_follow_up, asks_still, asks_now)


def refers_back(text: str, language: str) -> bool:
    """Whether a statement is about what was said right before it: "she's getting married", "actually, in May"."""
    tables = tables_of(language)
    return tables.other.match(text) is not None or is_correction(text, language)


def is_correction(text: str, language: str) -> bool:
    """Whether a statement takes back what was said right before it."""
    return tables_of(language).correction.match(text) is not None


def changes(text: str, language: str) -> bool:
    """Whether a statement says that something is not as it was said before."""
    return is_correction(text, language) or tables_of(language).changed.search(text) is not None


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


def _free_words(asks: re.Pattern[str], match: re.Match[str]) -> list[tuple[int, int]]:
    """Where a match has words that any other could stand for: "Jörg" in "womit verdient Jörg sein Geld"."""
    found = _WORD.finditer(match.string, *match.span()) if " " in match[0] else ()
    return [
        word.span()
        for word in found
        if asks.match(f"{match.string[: word.start()]}{_ANY_WORD}{match.string[word.end() :]}", match.start())
    ]


def _is_within(at: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def outdates(later: str, earlier: str, question: Question) -> bool:
    """Whether what a question would be answered with may be no longer so: something about it was said later that ends
    or replaces it, or repeats what the answer would be.
    """
    tokens = set(word_forms.tokens(later))
    said = [*word_forms.content_words(earlier), *slots.calendar_words_in(earlier)]
    idle = tables_of(question.language).idle
    shared = [word for word in said if word not in idle and word_forms.has_form(word, tokens)]
    if question.asks_still and shared:
        return True
    asked = {word for term in question.terms for word in (*term.words, *term.names)}
    told = [word for word in shared if not word_forms.has_form(word, asked)]
    return bool(told) and (len(shared) > 1 or tables_of(question.language).ended.search(later) is not None)


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


@cache
def _times() -> frozenset[str]:
    names = [fold(name) for language in languages() for name in tables_of(language).times.split()]
    return frozenset(form for name in names for form in (name, f"{name}s"))
