"""Whether a sentence repeats a memo, as "You live in Lisbon" repeats "Lives in Lisbon".

Compares content words. A single common word is a coincidence; a sentence repeats a memo when it has nearly all of the
memo's words and speaks of a person, or says hardly anything else.
"""

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from recollect.core.text import fold, query_words
from recollect.language import lexicon, word_forms

COMMON_WEIGHT = 0.4
"""Weight of a word that many memos have, such as "lives", relative to one such as "Lisbon"."""
MIN_PERSONAL_COVERAGE = 0.7
"""Weighted share of a memo's words that a sentence about a person must have to repeat it."""
MIN_IMPERSONAL_COVERAGE = 0.95
"""The same for a sentence that mentions no person."""
MIN_LONG_COVERAGE = 0.8
"""The same for one that has three distinctive words of the memo, and says little else."""
MAX_QUESTION_WORDS = 12
"""Up to this length, a question is read together with its answer."""

_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LABEL = re.compile(r"^\W*(?:\d{4}-\d{2}-\d{2}\s+)?\[?([^\]:\n]{1,60})\]?:\s")
_NAME = re.compile(r"(?<=[^\W_] )[A-ZÀ-ÖØ-Þ][^\W_]*|[^\W_]*\d[^\W_]*")
"""Words with a capital letter inside a sentence, or with a digit: compared exactly."""

_ELISION = re.compile(r"(?<!\w)(?:[cdjlmnst]|qu|un|all|dall|dell|nell|sull)['’](?=\w\w)", re.IGNORECASE)
"""French and Italian articles and pronouns that are written together with the next word."""
_CLAUSE_END = re.compile(r"[,;:–—]\s")
_LONG_NUMBER = re.compile(r"(?!(?:19|20)\d\d$)\d{4,}")
_HIRAGANA = re.compile("[\u3041-\u309f]+")
"""Japanese endings and particles are in this script, and some words."""
_CALLED = re.compile(
    r"(?:hei(?:ß|ss)(?:t|en)|namens|genannt|appelle|llama|chama|chiama|nazywa się|imię|adı)\s+(?:-?se\s+)?([^\W_]+)"
)
_ENDINGS = tuple((ending, "") for ending in ("ing", "ied", "ies", "ed", "es", "s"))


@dataclass(frozen=True, slots=True)
class Sense:
    """The content words of a text, each once, and whether it mentions a person."""

    roots: frozenset[str]
    exact: frozenset[str]
    """Names and numbers among them."""
    words: frozenset[str]
    """All its words unchanged, to look for names."""
    personal: bool

    @property
    def heads(self) -> frozenset[str]:
        """The first letters of each root: texts without a common one have no word in common."""
        return frozenset(root[:4] for root in self.roots)


@lru_cache(maxsize=8192)
def distinctive_heads(text: str) -> frozenset[str]:
    """The first letters of the words without which nothing repeats a text: all but the common ones."""
    roots = sense(text).roots
    return frozenset(root[:4] for root in roots - lexicon.words("common") or roots)


def sentences(text: str) -> list[str]:
    return [part for part in _SENTENCES.split(text) if part.strip()]


def speaker(sentence: str) -> str | None:
    """The speaker of a line such as `[Ann]: …` or `- Ann: …`."""
    label = _LABEL.match(sentence)
    return None if label is None else fold(label[1].strip())


@lru_cache(maxsize=8192)
def sense(text: str) -> Sense:
    """The content words of a text; cached, because the same sentences are compared with many memos."""
    text = _ELISION.sub("", text)
    words = query_words(_HIRAGANA.sub(" ", text)) or query_words(text)
    exact = {fold(name) for name in _NAME.findall(text)}
    ignored = _function_words() if word_forms.is_english(text) else _foreign_function_words()
    roots = {word: _root(word) for word in words if word not in ignored}
    return Sense(
        frozenset(roots.values()),
        frozenset(root for word, root in roots.items() if word in exact),
        frozenset(words),
        not _persons().isdisjoint(words),
    )


def repeats(
    sentence: str, memo: str, *, question: str = "", about: bool = False, owner: str = "", addressed: bool = False
) -> bool:
    """Whether a sentence repeats a memo. `question` is what it answers: "In Lisbon." repeats where someone
    lives if that was asked. `about` says that the sentence is known to be about the memo's owner, named `owner`;
    `addressed`, that it is said to the owner or names them: then a name alone tells, as in "How is Lisbon?".
    """
    sentence_sense, known = sense(sentence), _without_owner(sense(memo), sense(owner))
    if not known.roots:
        return False
    in_sentence = _shared(sentence_sense, known)
    asked = sense(question) if len(question.split()) <= MAX_QUESTION_WORDS else sense("")
    shared = in_sentence | _shared(asked, known)
    names = known.exact & known.roots
    if names and names.isdisjoint(shared):  # says the same of another name or number
        return False
    if _weight(in_sentence, known) < 1:  # only common words are shared, or only the question shares any
        return False
    if addressed and _tells_names(sentence_sense, _rare(names, memo), in_sentence, asked):
        return True
    about = about or sentence_sense.personal or (bool(in_sentence) and asked.personal)
    share = len(in_sentence) / max(1, len(sentence_sense.roots - lexicon.words("reporting")))
    distinctive = known.roots - lexicon.words("common")
    if share == 1 and distinctive <= in_sentence and (len(known.roots) == 1 or about or not asks(question)):
        return True
    if about and len(distinctive) <= 1:
        key = next(iter(distinctive or known.roots))
        if _follows(sentence, key) or (share >= 0.5 and len(known.roots) == 1):
            return True
    if len(shared) == 1:
        return False
    covered = _weight(shared, known) / _weight(known.roots, known)
    if not about:
        is_long = _weight(in_sentence, known) >= 3 and covered >= MIN_LONG_COVERAGE and share >= 0.75
        return is_long or (covered >= MIN_IMPERSONAL_COVERAGE and share >= 0.5)
    return covered >= MIN_PERSONAL_COVERAGE or (share >= 0.75 and _weight(in_sentence, known) >= 2)


def brings_up(sentence: str, memo: str, *, question: str = "", owner: str = "") -> bool:
    """Whether a sentence to the owner of a memo has, unasked, half of the words that tell what it says: "As you are
    pregnant, no wine". What is suggested to them is not known of them: "You could try a vegan restaurant".
    """
    known = _without_owner(sense(memo), sense(owner))
    telling = {root for root in known.roots - _everyday() if not root.isdigit()}
    numbers, told = set(filter(str.isdigit, known.roots)), set[str]()
    for clause in map(sense, _CLAUSE_END.split(sentence)):
        has_other_number = numbers and not numbers.issuperset(filter(str.isdigit, clause.roots))
        if clause.words.isdisjoint(lexicon.words("suggestion")) and not has_other_number:
            told |= _shared(clause, known) & telling
    return bool(told - _shared(sense(question), known)) and 2 * len(told) >= len(telling)


def _tells_names(sentence: Sense, names: frozenset[str], in_sentence: frozenset[str], question: Sense) -> bool:
    """Whether a sentence to someone tells the names in a memo about them. "You could fly to Lisbon" suggests, and
    an answer to a question with the name in it takes the question up; a number of several digits is no coincidence.
    """
    told = {name for name in names & in_sentence if not name.isdigit() or _LONG_NUMBER.fullmatch(name)}
    if not told or not names.isdisjoint(question.roots):
        return False
    return sentence.words.isdisjoint(lexicon.words("suggestion")) or any(map(_LONG_NUMBER.fullmatch, told))


def _rare(names: frozenset[str], memo: str) -> frozenset[str]:
    """The names without days and months, and without the nouns that German writes with a capital."""
    rare = names - word_forms.calendar_words()
    if word_forms.is_english(memo):
        return rare
    named = {fold(name) for name in _CALLED.findall(memo)} | lexicon.words("given_names")
    return frozenset(name for name in rare if name in named or any(map(str.isdigit, name)))


def _without_owner(known: Sense, owner: Sense) -> Sense:
    """A memo's words without its owner's name, which a reply replaces by "you"."""
    roots = known.roots - owner.roots
    return known if roots == known.roots else replace(known, roots=roots)


def asks(question: str) -> bool:
    """Whether a question asks for something itself; "yes, say it" refers to what was said before."""
    return not sense(question).roots <= lexicon.words("reporting")


def unlabeled(sentence: str) -> str:
    """A line without the name of its speaker."""
    return _LABEL.sub("", sentence)


def mentions_third_person(text: str) -> bool:
    """Whether a text mentions someone who is neither its speaker nor its listener."""
    return not lexicon.words("third_persons").isdisjoint(sense(text).words)


def addresses_someone(text: str) -> bool:
    """Whether a text addresses its listener."""
    return not lexicon.words("second_persons").isdisjoint(sense(text).words)


def shares(text: str, other: str) -> bool:
    """Whether two texts have a word in common that is not a common one."""
    known = sense(other)
    return _weight(_shared(sense(text), known), known) >= 1


def _shared(text: Sense, known: Sense) -> frozenset[str]:
    """The words of a memo that a text has, in any form."""
    if text.heads.isdisjoint(known.heads):
        return frozenset()
    exact = text.exact | known.exact
    return frozenset(root for root in known.roots if any(_is_form(root, other, exact) for other in text.roots))


def _weight(roots: frozenset[str], of: Sense) -> float:
    """The weight of words; if a memo has only common ones, those count in full."""
    only_common = of.roots <= lexicon.words("common")
    return sum(1.0 if only_common or root not in lexicon.words("common") else COMMON_WEIGHT for root in roots)


def _is_form(root: str, other: str, exact: frozenset[str]) -> bool:
    """Whether two roots are forms of one word: they differ in a short ending. Names and numbers have no forms."""
    if root == other:
        return True
    if root[:4] != other[:4] or len(root) < 4 or len(other) < 4 or root in exact or other in exact:
        return False
    difference = next((index for index, (a, b) in enumerate(zip(root, other, strict=False)) if a != b), None)
    common = min(len(root), len(other)) if difference is None else difference
    return len(root) + len(other) - 2 * common <= 3


def _follows(sentence: str, root: str) -> bool:
    """Whether the word follows a word for a person, with no content word in between: "you are a vegan"."""
    after_person = False
    for word in query_words(sentence):
        if word in _persons():
            after_person = True
        elif word not in _function_words():
            if after_person and _root(word) == root:
                return True
            after_person = False
    return False


@lru_cache(maxsize=8192)
def _root(word: str) -> str:
    """Enough of a stem to join "lives" with "living" and "lived", and "3rd" with "3"."""
    if word[:1].isdecimal() and word.isascii():
        return word.removesuffix("st").removesuffix("nd").removesuffix("rd").removesuffix("th")
    is_plain = word.isascii() and word.isalpha() and len(word) > 3
    root = word_forms.stem(word, _ENDINGS) if is_plain else word
    synonyms = lexicon.synonyms("repetition")
    return synonyms.get(root) or synonyms.get(word) or root


@cache
def _persons() -> frozenset[str]:
    """Words for the speaker, the listener and third persons."""
    return lexicon.words("persons")


@cache
def _everyday() -> frozenset[str]:
    """The stems of words that come up in any conversation, so that they tell nothing of anybody."""
    words = lexicon.words("everyday") | word_forms.calendar_words()
    return lexicon.words("common") | {_root(word) for word in words}


@cache
def _function_words() -> frozenset[str]:
    """Words without meaning of their own."""
    return _persons() | lexicon.words("stop")


@cache
def _foreign_function_words() -> frozenset[str]:
    """The same in texts that are not English, in which "son" is no child and "as" no comparison."""
    return _function_words() | lexicon.words("function", *lexicon.foreign_languages())
