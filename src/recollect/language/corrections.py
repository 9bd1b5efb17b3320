"""Self-corrections inside a text: "blue, no wait, green" says green. The words that mark them are in the lexica."""

import re

from recollect.core.text import fold
from recollect.language import lexicon
from recollect.language.lexicon import Patterns

_PATTERNS = Patterns(re.IGNORECASE)
_MAX_FRAGMENT_WORDS = 5
_MAX_CORRECTIONS = 8
_MAX_UNSPACED_CHARS = 15
_KANA_OR_KANJI = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff々ー]"
_UNSPACED = re.compile(
    f"(?P<topic>{_KANA_OR_KANJI}{{1,15}}は)?(?P<value>{_KANA_OR_KANJI}{{1,15}}?)(?P<rest>(?:に|で|が|を|へ|から){_KANA_OR_KANJI}+)?"
)


def resolve(text: str) -> str:
    """The text as it stands after its corrections; unchanged where none can be told for sure."""
    for _ in range(_MAX_CORRECTIONS if _PATTERNS.correction_cue.search(text) else 0):
        resolved = _resolve_first(text)
        if resolved is None:
            return text
        text = resolved
    return text


def _resolve_first(text: str) -> str | None:
    for match in _PATTERNS.correction.finditer(text):
        wrong, right, is_strong = match["wrong"], match["right"].strip(), match["strong"] is not None
        if _PATTERNS.correction_statement.match(right):
            corrected = right if is_strong else None
        else:
            corrected = splice(wrong, right, is_strong=is_strong) or None
        if corrected is not None:
            return text[: match.start("wrong")] + corrected + text[match.end("right") :]
    return None


def splice(wrong: str, right: str, *, is_strong: bool = True) -> str:
    """The statement with its end replaced: "I live in Rome" and "Milan", "I work at Ikea" and "at Lidl"; or nothing."""
    if unspaced := _UNSPACED.fullmatch(wrong):
        return _splice_unspaced(unspaced, right)
    said, fragment = wrong.split(), right.split()
    if len(fragment) > _MAX_FRAGMENT_WORDS or len(said) <= len(fragment):
        return ""
    first = fold(fragment[0])
    start = next((index for index in range(len(said) - 1, 0, -1) if _is_parallel(said[index], first)), None)
    if start is None:
        if first in lexicon.words("prepositions") or _PATTERNS.no_correction.match(right):
            return ""
        start = len(said) - len(fragment)
        if not is_strong and _word_class(said[start]) != _word_class(fragment[0]):
            return ""
    return " ".join([*said[:start], *fragment])


def _splice_unspaced(wrong: re.Match[str], right: str) -> str:
    """Japanese: what is named before the first particle, or after the topic: "寿司が好き", "犬の名前はポチ"."""
    if len(right) > _MAX_UNSPACED_CHARS:
        return ""
    return f"{wrong['topic']}{right}" if wrong["topic"] else f"{right}{wrong['rest']}"


def _is_parallel(word: str, first: str) -> bool:
    """Whether a word opens the part that is corrected: the same preposition or article, or another number."""
    word = fold(word)
    is_function = first in lexicon.words("prepositions") or first in ("a", "an", "the", "my")
    return (is_function and word == first) or (_is_number(first) and _is_number(word))


def _is_number(word: str) -> bool:
    return word[:1].isdigit() or word in lexicon.words("cardinals")


def _word_class(word: str) -> str:
    return "number" if _is_number(fold(word)) else "name" if word[:1].isupper() else "word"
