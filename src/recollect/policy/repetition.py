"""Whether a sentence says again what a memo says: "You live in Lisbon" says "Lives in Lisbon" again.

It goes by the words that carry meaning. One word in common is a coincidence; a sentence repeats a memo when it has
nearly all of its words and speaks of a person, or says hardly anything else.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.core.text import fold, query_words

COMMON = 0.4
"""Weight of a word such as "lives", which many memos have, against that of "Lisbon"."""
MOSTLY = 0.7
"""Share of a memo's words, by weight, that a sentence about a person has to have."""
WHOLLY = 0.95
"""The same for a sentence that speaks of nobody."""
SHORT_QUESTION = 12
"""Words of a question up to which its answer is read together with it."""

_SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_LABEL = re.compile(r"^\W*(?:\d{4}-\d{2}-\d{2}\s+)?\[?([^\]:\n]{1,60})\]?:\s")
_NAME = re.compile(r"(?<=[^\W_] )[A-ZÀ-ÖØ-Þ][^\W_]*|[^\W_]*\d[^\W_]*")
"""A capital letter within a sentence, or a digit: such words are compared exactly."""

_PERSONS = frozenset(
    (
        "i me my mine myself im ive ill id we us our ours you your yours yourself youre youve youll youd he him his "
        "himself hes she her hers herself shes they them their theirs theyre theyve user users ich mir mich mein "
        "meine du dir dich dein deine er sie ihr ihre je tu moi toi mon ma mes ton ta tes il elle yo mi su eu meu "
        "minha voce seu sua "
    ).split()
)
"""Those who speak, are spoken to or spoken of."""
_THIRD = frozenset(
    "he him his hes she her hers shes they them their theirs theyre theyve er sie ihr ihre il elle".split()
)
_SECOND = frozenset(
    "you your yours yourself youre youve youll youd du dir dich dein deine tu toi ton ta tes voce".split()
)
_SMALL = _PERSONS | frozenset(
    (
        "a an the this that these those it its there here and or but nor so if then than as at by for from in into of "
        "off on onto out over to up with without about after before since until while because is am are was were be "
        "been being do does did done doing dont doesnt didnt will would shall should can could may might must wont "
        "cant not no yes very really just also too still now currently already always usually mostly often again "
        "please well ok okay oh hello hi thanks thank what where when who whom whose which why how any some all both "
        "each such only even much many more most one thing things something noted sure right great nice good got "
        "remember remembered said told mentioned der die das ein eine einen und oder im zu mit von ist bin bist sind "
        "war nicht le la les un une des et ou de en est suis es pas el los las una y o que con soy eres os um e com "
        "sou "
    ).split()
)
"""Words that carry no meaning of their own."""
_COMMON = frozenset(
    "live work call like has use want need mak go com get know think play born year old friend people time day "
    "study learn speak drink eat read writ buy sell visit travel plan start try tak giv look find feel".split()
)
_KIN = {
    root: roots[0]
    for roots in (
        ("live", "liv", "hom", "resid", "bas", "stay"),
        ("work", "job", "employ", "employer"),
        ("call", "cal", "nam", "name"),
        ("like", "lik", "lov", "enjoy", "ador", "prefer", "fan", "favourit", "favorit"),
        ("has", "hav", "have", "own", "keep"),
        ("use", "using", "used", "utiliz", "utilis"),
        ("kid", "child", "children"),
        ("born", "birthday"),
    )
    for root in roots
}
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s")


@dataclass(frozen=True, slots=True)
class Sense:
    """The words of a text that carry meaning, each once, and whether it speaks of a person."""

    roots: frozenset[str]
    exact: frozenset[str]
    """Names and numbers among them."""
    words: frozenset[str]
    """All its words as they are, to look for names in."""
    personal: bool

    @property
    def heads(self) -> frozenset[str]:
        """How the words begin: texts without such a beginning in common have no word in common."""
        return frozenset(root[:4] for root in self.roots)


def sentences(text: str) -> list[str]:
    return [part for part in _SENTENCES.split(text) if part.strip()]


def speaker(sentence: str) -> str | None:
    """Who is said to speak in a line such as `[Ann]: …` or `- Ann: …`."""
    found = _LABEL.match(sentence)
    return None if found is None else fold(found[1].strip())


@lru_cache(maxsize=8192)
def sense(text: str) -> Sense:
    words = query_words(text)
    exact = {fold(name) for name in _NAME.findall(text)}
    roots = {word: _root(word) for word in words if word not in _SMALL}
    return Sense(
        frozenset(roots.values()),
        frozenset(root for word, root in roots.items() if word in exact),
        frozenset(words),
        not _PERSONS.isdisjoint(words),
    )


def repeats(sentence: str, memo: str, *, asked: str = "", about: bool = False, owner: str = "") -> bool:
    """Whether a sentence repeats a memo. `asked` is the question that it answers: "In Lisbon." repeats where one lives
    when that was asked. With `about` it is known that the sentence speaks of the memo's owner, who is called `owner`.
    """
    told, known = sense(sentence), _without(sense(memo), sense(owner))
    if not known.roots:
        return False
    own = _shared(told, known)
    question = sense(asked) if len(asked.split()) <= SHORT_QUESTION else sense("")
    shared = own | _shared(question, known)
    named = known.exact & known.roots
    if named and named.isdisjoint(shared):  # the same of another name or number
        return False
    if _weight(own, known) < 1:  # nothing but what many sentences have, or the question alone has it
        return False
    about = about or told.personal or (bool(own) and question.personal)
    said = len(own) / len(told.roots)
    if len(known.roots) == 1:
        return said == 1 or (about and (said >= 0.5 or _follows(sentence, next(iter(known.roots)))))
    if len(shared) == 1:
        return False
    covered = _weight(shared, known) / _weight(known.roots, known)
    if not about:
        return covered >= WHOLLY and said >= 0.5
    return covered >= MOSTLY or (said >= 0.75 and _weight(own, known) >= 2)


def _without(known: Sense, owner: Sense) -> Sense:
    """A memo's words but for its owner's name: others say "you"."""
    roots = known.roots - owner.roots
    return known if roots == known.roots else replace(known, roots=roots)


def speaks_of_a_third(text: str) -> bool:
    """Whether someone is spoken of who is neither the one who speaks nor the one who is spoken to."""
    return not _THIRD.isdisjoint(sense(text).words)


def speaks_to_someone(text: str) -> bool:
    return not _SECOND.isdisjoint(sense(text).words)


def shares(one: str, other: str) -> bool:
    """Whether two texts have a word in common that not everybody uses."""
    known = sense(other)
    return _weight(_shared(sense(one), known), known) >= 1


def _shared(told: Sense, known: Sense) -> frozenset[str]:
    """The words of a memo that a sentence has, in whichever form."""
    if told.heads.isdisjoint(known.heads):
        return frozenset()
    exact = told.exact | known.exact
    return frozenset(root for root in known.roots if any(_is_same(root, other, exact) for other in told.roots))


def _weight(roots: frozenset[str], of: Sense) -> float:
    """How much words say; where a memo has none but common ones, those count in full."""
    only_common = of.roots <= _COMMON
    return sum(1.0 if only_common or root not in _COMMON else COMMON for root in roots)


def _is_same(one: str, other: str, exact: frozenset[str]) -> bool:
    """Forms of one word: they begin alike and differ in a short ending; names and numbers have no forms."""
    if one == other:
        return True
    if one[:4] != other[:4] or len(one) < 4 or len(other) < 4 or one in exact or other in exact:
        return False
    alike = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    length = min(len(one), len(other)) if alike is None else alike
    return len(one) + len(other) - 2 * length <= 3


def _follows(sentence: str, root: str) -> bool:
    """Whether the word is said of a person, with nothing of meaning in between: "you are a vegan"."""
    after_person = False
    for word in query_words(sentence):
        if word in _PERSONS:
            after_person = True
        elif word not in _SMALL:
            if after_person and _root(word) == root:
                return True
            after_person = False
    return False


def _root(word: str) -> str:
    """Enough of a stem to join "lives" with "living" and "lived"."""
    root = word
    if word.isascii() and word.isalpha() and len(word) > 3:
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
                root = word[: -len(ending)]
                break
        root = root.rstrip("e") if len(root) > 3 else root
        root = root[:-1] if len(root) > 3 and root[-1] == root[-2] else root
    return _KIN.get(root) or _KIN.get(word) or root
