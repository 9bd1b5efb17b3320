"""What is left of a statement about several things when one of them ends: "Speaks German and French" without French."""

import re
from collections.abc import Sequence
from functools import cache

from recollect.core.text import fold
from recollect.language import lexicon, word_forms

_MAX_PART_WORDS = 8
"""Longer parts are a story rather than a list."""
_MAX_ADJECTIVES = 2
_WORD = re.compile(r"\w(?:[\w'’+#.-]*[\w+#])?")
_UNSPACED_ITEM = "[一-龯々ァ-ヶーA-Za-z]"
_UNSPACED = re.compile(rf"(?<={_UNSPACED_ITEM})(?:と|や|、)(?={_UNSPACED_ITEM})")
_NAMED_UNSPACED = re.compile(f"{_UNSPACED_ITEM}+")
_DETERMINER = re.compile(
    r"(?:an?|the|their|some|one|two|three|four|five|\d+|eine?[nm]?|der|die|das|une?|l[ae]s?|des|el|los|um|uma|os?|as?)"
)
_VERB = re.compile(r"[a-z]+s .")


@cache
def _separator() -> re.Pattern[str]:
    conjunctions = rf"(?:{lexicon.forms('and')}|&)\s+"
    return re.compile(rf",\s+(?:{conjunctions})?|\s+{conjunctions}")


def without_named(text: str, said: str) -> str | None:
    """The statement without those of its things that the speaker named as over; None where that can't be told apart."""
    is_unspaced = _UNSPACED.search(text) is not None
    separators = [*(_UNSPACED if is_unspaced else _separator()).finditer(text)]
    ends = [*(separator.start() for separator in separators), len(text)]
    starts = [0, *(separator.end() for separator in separators)]
    parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    if len(parts) == 1 or any(not part.strip() or len(part.split()) > _MAX_PART_WORDS for part in parts):
        return None
    is_over = _over_unspaced(parts, said) if is_unspaced else _over(parts, said)
    if not any(is_over) or all(is_over):
        return None
    retained = [part for part, over in zip(parts, is_over, strict=True) if not over]
    joints = [separator[0] for separator in separators]
    if is_unspaced:
        tail = _NAMED_UNSPACED.sub("", parts[-1], count=1) if is_over[-1] else ""
        return joints[0].join(retained) + tail
    if is_over[0]:
        lead = _lead(parts[0], said)
        if lead is None or _VERB.match(retained[0]):
            return None
        retained[0] = f"{lead} {retained[0]}"
    if _shares_noun(parts):
        return None
    return retained[0] if len(retained) == 1 else joints[0].join(retained[:-1]) + joints[-1] + retained[-1]


def _over(parts: Sequence[str], said: str) -> list[bool]:
    named = [*map(fold, _WORD.findall(said))]
    content = [[*map(fold, word_forms.content_words(part))] for part in parts]
    own = [[word for word in words if sum(word in other for other in content) == 1] for words in content]
    own[0] = own[0][1:] if len(own[0]) > 1 else own[0]  # its verb says nothing of which
    return [any(word_forms.has_form(word, named) for word in words) for words in own]


def _over_unspaced(parts: Sequence[str], said: str) -> list[bool]:
    items = [match[0] for part in parts if (match := _NAMED_UNSPACED.search(part))]
    return [len(items) == len(parts) and item in said for item in items] or [False]


def _lead(part: str, said: str) -> str | None:
    """What stands before the thing in the first part: "Has" of "Has two black dogs"."""
    words, named = part.split(), [*map(fold, _WORD.findall(said))]
    last = max((i for i, word in enumerate(words) if word_forms.has_form(fold(word.strip(",.")), named)), default=0)
    determiners = [i for i in range(max(1, last - _MAX_ADJECTIVES), last) if _DETERMINER.fullmatch(words[i])]
    start = determiners[0] if determiners else last
    is_clear = start == 1 or words[start - 1] in lexicon.words("prepositions")
    return " ".join(words[:start]) if start and is_clear else None


def _shares_noun(parts: Sequence[str]) -> bool:
    """Whether the last part has the noun of all: "a black and white cat", "two cats, Miso and Tofu" are one thing."""
    counted = re.search(r"\b(?:an?|one|two|three|four|five|\d+) ", parts[0])
    return counted is not None and any(
        not _DETERMINER.match(part) and not part.rstrip(".").endswith("s") for part in parts[1:]
    )
