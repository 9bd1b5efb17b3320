"""What a question asks about, and whether a statement answers it: "who's my employer?", "Works at Acme".

A statement fits if it has everything that the question names; one that has a part of it is only near.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.core.text import collapse_spaces, fold, words
from recollect.language import kinship, lexicon, slots, word_forms
from recollect.language.question_tables import Tables, Topic, languages, tables_of, times

_MAX_SHORT = 3
_MIN_HEAD = 5
"""Length of the second part of a compound that stands for all of it."""
_NAMED = re.compile(
    r"\b(?P<noun>[^\W\d_]{3,})(?:,? (?:is |that's |who's )?(?:called|named|nicknamed)| namens| heißt|,? que se llama|"
    r",? qui s'appelle|,? que se chama) (?P<name>(?-i:[^\W\d_a-zß-ÿ])[\w'-]+)"
)
_WORD, _ANY_WORD = re.compile(r"\w+"), "qxqxq"
_OPENING_NAME = re.compile(r"^[\w'-]+[.,!:]\s+")
_ARTICLE = re.compile(
    r"the|an?|this|that|next|last|every|der|die|das|den|dem|diese[rsmn]?|einem?|einer|letzte[rsmn]?|nächste[rsmn]?",
    re.IGNORECASE,
)
_CLOSING = " .!?。！？…"


@dataclass(frozen=True, slots=True)
class Term:
    """One thing that a question names: a word, or a topic in whatever words."""

    words: tuple[str, ...]
    states: tuple[re.Pattern[str], ...] = ()
    asks: tuple[re.Pattern[str], ...] = ()
    names: frozenset[str] = frozenset()
    """What a relative is called, where the term is one."""
    answers: tuple[re.Pattern[str], ...] = ()
    """How statements are worded that surely are about the topic."""

    def is_in(self, text: str, tokens: Collection[str]) -> bool:
        return bool(self.found_in(text, tokens))

    def found_in(self, text: str, tokens: Collection[str]) -> set[str]:
        """The words of a text that say what the term names."""
        said = {token for pattern in self.states for match in pattern.finditer(text) for token in words(match[0])}
        said |= self.names.intersection(tokens)
        if self.states:  # other forms of a word, and short ones, are told by the topic
            return said | {word for word in self.words if len(word) > _MAX_SHORT and word in tokens}
        if any(map(kinship.person, self.words)):  # having kids doesn't say who one's mother is
            return said | {token for token in tokens for word in self.words if word_forms.is_form(word, token)}
        compounds = {word for word in self.words if word_forms.is_compound(word, tokens)}
        return (said | compounds).union(
            token
            for token in tokens
            for word in self.words
            if word_forms.is_stated(word, (token,)) or _is_part(word, (token,))
        )

    def is_literally_in(self, text: str, tokens: Collection[str]) -> bool:
        """Whether a text says what the term names in a form of its words, not in one that merely resembles it."""
        if self.answers != self.states:
            return not self.names.isdisjoint(tokens) or any(pattern.search(text) for pattern in self.answers)
        matching = self.found_in(text, tokens)
        if self.states or not self.names.isdisjoint(matching):
            return bool(matching)
        return any(word_forms.is_close_form(word, token) for token in matching for word in self.words)

    def is_worded_in(self, text: str, tokens: Collection[str]) -> bool:
        """Whether a text has the words in which the term is asked about, or close forms of them."""
        if not self.words:
            return any(" " in match[0] for pattern in self.asks for match in pattern.finditer(text))
        return any(word_forms.is_close_form(word, token) for word in self.words for token in tokens)

    def is_partly_in(self, tokens: Collection[str]) -> bool:
        """Whether a part of a compound is among the tokens: the "Knie" of a "Knieoperation"."""
        long = [token for token in tokens if len(token) > _MAX_SHORT]
        return any(
            word != token
            and (
                (len(word) > len(token) + _MAX_SHORT and (word.startswith(token) or word.endswith(token)))
                or _have_common_head(word, token)
            )
            for word in self.words
            for token in long
        )

    def is_named_in(self, text: str, tokens: Collection[str]) -> bool:
        """Whether a text names the term itself, rather than an instance of it: "my job", not "my teacher"."""
        return any(pattern.search(text) for pattern in self.asks) or bool(
            replace(self, states=()).found_in(text, tokens)
        )


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
    is_strict: bool = False
    """Only forms of its own words are what it names."""
    is_topic: bool = False
    """It is no question, but what something is asked about: all about it fits."""

    @property
    def has_one_answer(self) -> bool:
        """It asks for a time, a number, a place, a person or a name: different statements are different answers."""
        return self.asks_now or not self.wants.isdisjoint(("time", "number", "where", "place", "person", "named"))

    @property
    def relatives(self) -> frozenset[str]:
        return frozenset(word for term in self.terms for word in term.words if kinship.person(word))

    def naming(self, texts: Collection[str]) -> "Question":
        """The question with what texts call the relatives in it, and with the relatives whose names it has."""
        pattern = tables_of(self.language).name
        pairs = [(match[0], match["name"]) for text in texts for match in pattern.finditer(text)]
        named = [(match["noun"], fold(match["name"])) for text in texts for match in _NAMED.finditer(text)]
        terms = [
            replace(term, names=frozenset(fold(name) for kin, name in pairs if _is_kin(kin, term)))
            if not self.relatives.isdisjoint(term.words)
            else _with_names(_with_kin(term, pairs), named)
            for term in self.terms
        ]
        return replace(self, terms=tuple(terms))

    def with_context_of(self, previous: "Question") -> "Question":
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
        is_in = Term.is_literally_in if self.is_strict else Term.is_in
        covered = sum(is_in(term, text, tokens) for term in self.terms)
        has_wanted = all(self._has(kind, text) for kind in self.wants)
        is_linked = covered or (self.wants and has_wanted) or tables_of(self.language).retraction.match(text)
        if context and is_linked:  # else it has nothing to do with the question
            tokens |= set(word_forms.tokens(context))
            covered = sum(is_in(term, both, tokens) for term in self.terms)
        parts = sum(term.is_partly_in(tokens) for term in self.terms if not term.is_in(both, tokens))
        # A part of a compound counts half: it may be the same thing or merely a similar one.
        share = (covered + parts / 2) / len(self.terms)
        is_fact = self.asks_wish or tables_of(self.language).wish.search(text) is None
        is_complete = (
            covered == len(self.terms)
            and self._is_answered_by(text)
            and is_fact
            and has_wanted
            and self._is_each_in(both, tokens)
        )
        return Fit(share, is_complete, has_wanted)

    def shares_subject(self, text: str) -> bool:
        """Whether a statement has whom the question is about, and anything that it names by a word of its own."""
        tokens = set(word_forms.tokens(text))
        own = [term for term in self.terms if term.words]
        people = [term for term in own if term.names or any(map(kinship.person, term.words))]
        return all(term.is_in(text, tokens) for term in people) and (
            not own or any(term.is_in(text, tokens) for term in own)
        )

    def has_own_word(self, text: str) -> bool:
        """Whether a statement has a word of the question for which there is no topic."""
        tokens = set(word_forms.tokens(text))
        return any(term.is_worded_in(text, tokens) for term in self.terms if not term.states and term.words)

    def _is_answered_by(self, text: str) -> bool:
        """Whether more is asked than whom a statement is about: of "what breed is Rosie?" only the name is known."""
        if self.is_topic or self.wants or (self.is_own and not self.is_strict):
            return True
        names = {fold(match[0]) for match in slots.NAME.finditer(text)}
        return any(term.states or names.isdisjoint(term.words) for term in self.terms)

    def _is_each_in(self, text: str, tokens: Collection[str]) -> bool:
        """Whether no term is told by a word of another one alone: "tea" doesn't say that it is what someone drinks."""
        for term in self.terms:
            other_words = {word for other in self.terms if other is not term for word in other.words}
            if all(word_forms.has_form(token, other_words) for token in term.found_in(text, tokens)):
                return False
        return True

    def _has(self, wanted: str, text: str) -> bool:
        if wanted == "named":
            tables = tables_of(self.language)
            naming = tables.naming_kin if self.relatives else tables.naming
            return naming.search(text) is not None or tables.name.search(text) is not None
        tables = tables_of(self.language)
        if pattern := tables.links.get(wanted):
            return any(wanted != "where" or leads_to_place(match, tables) for match in pattern.finditer(text))
        match wanted:
            case "time":
                return slots.has_time(text, times())
            case "number":
                return slots.has_number(text)
            case "person":
                return slots.has_person(text, {word for term in self.terms for word in term.words})
            case _:
                return slots.has_place(text)


@lru_cache(maxsize=64)
def parse(text: str, language: str) -> Question:
    """What a question asks about. In a language without topics it has no terms, so nothing fits for sure."""
    if language not in languages():
        return Question(language)
    tables = tables_of(language)
    plain = tables.fillers.sub("", tables.spelled(collapse_spaces(text)).rstrip(_CLOSING)).strip()
    spans: dict[tuple[int, int], list[Topic]] = {}
    free: list[tuple[int, int]] = []
    for topic in tables.topics:
        for match in topic.asks.finditer(plain):
            spans.setdefault(match.span("at" if match.groupdict().get("at") else 0), []).append(topic)
            free += _free_words(topic.asks, match)
    terms: list[Term] = []
    taken: list[tuple[int, int]] = []
    # The longest expression wins, so that a part of it doesn't count once more as a topic of its own.
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span)):  # the longest first
        if not any(start < other_end and other_start < end for other_start, other_end in taken):
            taken.append((start, end))
            content = words(plain[start:end])  # of an expression, a single word says little
            topics = spans[start, end]
            terms.append(
                Term(
                    tuple(content) if len(content) == 1 else (),
                    tuple(topic.states for topic in topics),
                    tuple(topic.asks for topic in topics),
                    answers=tuple(topic.answers for topic in topics),
                )
            )
    # "what day" asks for a time: no answer has to say "day"
    taken += [match.span() for kind, asks in tables.wants if kind == "time" for match in asks.finditer(plain)]
    # Blanked instead of cut out: the words left over keep their boundaries.
    rest = "".join(" " if _is_within(at, taken) and not _is_within(at, free) else char for at, char in enumerate(plain))
    content = (word for word in dict.fromkeys(words(rest)) if word not in tables.idle)
    named = (word for word in content if not tables.other.fullmatch(word) and not _is_letter(word))
    terms += [Term((word, *tables.synonyms.get(word, ()))) for word in named]
    speaks_of_other = tables.other.search(plain) is not None and tables.own.search(plain) is None
    is_follow_up = speaks_of_other and not any(
        kinship.person(word) or slots.NAME.search(f" {raw}") for raw in rest.split()[1:] for word in words(raw)
    )
    # Of a question with idle words only, these are all there is to go by.
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


def leads_to_place(link: re.Match[str], tables: Tables) -> bool:
    """Whether no time or number follows a preposition, and not nothing: "on Mondays", "4 on 4 off"."""
    if tables.preposition.fullmatch(link[0]) is None:
        return True  # "home"
    following = (word for word in link.string[link.end() :].split() if not _ARTICLE.fullmatch(word))
    first = next(following, "").strip(".,;:!?")
    if link[0].lower() == "am" and first.endswith("sten"):  # "am liebsten"
        return False
    return bool(first) and not (first[:1].isdigit() or slots.has_time(first, times()))


def refers_back(text: str, language: str) -> bool:
    """Whether a statement is about what was said right before it: "she's getting married", "actually, in May"."""
    tables = tables_of(language)
    return tables.other.match(text) is not None or is_correction(text, language)


def goes_on(text: str, language: str) -> bool:
    """Whether a statement is about whom or what the one before it was about; it may name that first: "Callum. he's"."""
    tables = tables_of(language)
    return tables.other.match(tables.spelled(_OPENING_NAME.sub("", text))) is not None


def is_correction(text: str, language: str) -> bool:
    """Whether a statement takes back what was said right before it."""
    return tables_of(language).correction.match(text) is not None


def changes(text: str, language: str) -> bool:
    """Whether a statement says that something is not as it was said before."""
    return is_correction(text, language) or tables_of(language).changed.search(text) is not None


def is_change(text: str, language: str) -> bool:
    """Whether a statement says that something is otherwise than before, or no more."""
    return changes(text, language) or tables_of(language).ended.search(text) is not None


def corrects(correction: str, context: str, other: str, language: str) -> bool:
    """Whether a statement takes the place of another: it says that it does, and both are about the same thing.

    A correction may refer to what was said right before it, its context; a change of plans names what it changes.
    """
    if not changes(correction, language):
        return False
    statement = f"{context} {correction}" if is_correction(correction, language) else correction
    named = word_forms.content_words(statement)
    tokens = set(word_forms.tokens(other))
    return any(word in tokens or _is_part(word, tokens) for word in named)


def _free_words(asks: re.Pattern[str], match: re.Match[str]) -> list[tuple[int, int]]:
    """Where a match has words that any other could stand for: "Jörg" in "womit verdient Jörg sein Geld"."""
    matches = _WORD.finditer(match.string, *match.span()) if " " in match[0] else ()
    return [
        word.span()
        for word in matches
        if asks.match(f"{match.string[: word.start()]}{_ANY_WORD}{match.string[word.end() :]}", match.start())
    ]


def _is_within(at: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)


def may_outdate(later: str, earlier: str, question: Question) -> bool:
    """Whether what a question would be answered with may be no longer so: something about it was said later that ends
    or replaces it, or repeats what the answer would be.
    """
    tokens = set(word_forms.tokens(later))
    answer_words = [*word_forms.content_words(earlier), *slots.calendar_words_in(earlier)]
    idle = tables_of(question.language).idle
    shared = [word for word in answer_words if word not in idle and word_forms.has_form(word, tokens)]
    if question.asks_still and shared:
        return True
    question_words = {word for term in question.terms for word in (*term.words, *term.names)}
    answers = [word for word in shared if not word_forms.has_form(word, question_words)]
    return bool(answers) and (len(shared) > 1 or tables_of(question.language).ended.search(later) is not None)


def _is_kin(words_of_kin: str, term: Term) -> bool:
    return any(kinship.is_same_person(word, asked) for word in words(words_of_kin)[:1] for asked in term.words)


def _with_kin(term: Term, pairs: Collection[tuple[str, str]]) -> Term:
    """A name together with the relative who has it."""
    kin = {words(text)[0] for text, name in pairs if fold(name) in term.words}
    return replace(term, names=frozenset(kin)) if kin else term


def _with_names(term: Term, named: Iterable[tuple[str, str]]) -> Term:
    """A thing or an animal together with its name: "a cat named Marmalade"."""
    names = {name for noun, name in named if term.is_in(noun, {fold(noun)})}
    return replace(term, names=term.names | names) if names else term


def _is_part(word: str, tokens: Collection[str]) -> bool:
    """Whether a word is a part of a compound: "Chor" of "Chorleiter"."""
    return len(word) > _MAX_SHORT and any(token.startswith(word) or token.endswith(word) for token in tokens)


def _have_common_head(first: str, second: str) -> bool:
    """Whether two compounds end alike: "Kleingarten" and "Schrebergarten"."""
    return min(len(first), len(second)) > _MIN_HEAD + _MAX_SHORT and first[-_MIN_HEAD - 1 :] == second[-_MIN_HEAD - 1 :]


def _has_head(word: str, tokens: Collection[str]) -> bool:
    """Whether the second part of a compound is among the tokens."""
    return any(len(token) >= _MIN_HEAD and word != token and word.endswith(token) for token in tokens)


def _is_letter(word: str) -> bool:
    """Whether a word is what an apostrophe leaves: "nephew's"."""
    return len(word) == 1 and word.isascii() and word.isalpha()


def _is_grammar(word: str, language: str) -> bool:
    return word in lexicon.words("function", language) and len(word) < 5
