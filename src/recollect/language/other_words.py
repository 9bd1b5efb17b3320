"""What a message may say instead of a word of an English question: another form that no ending tells ("bought" for
"buy"), a synonym, or a word that implies it ("sister" for "siblings").
"""

from collections.abc import Collection, Iterable
from functools import cache

from recollect.language import lexicon

_MIN_CHARS = 3
"""Length of a word without its ending; shorter ones are other words."""


@cache
def _table() -> dict[str, dict[str, None]]:
    """Other words by word, the nearest first."""
    table: dict[str, dict[str, None]] = {}
    for name in ("irregular", "related"):
        for group in lexicon.tables(name)[lexicon.ENGLISH]["groups"]:
            for word in group.split():
                table.setdefault(word, {}).update(dict.fromkeys(group.split()))
    for group, implying in lexicon.tables("implied")[lexicon.ENGLISH].items():
        for word in group.split():
            table.setdefault(word, {}).update(dict.fromkeys(implying.split()))
    return table


def other_words(terms: Iterable[str], excluded: Collection[str]) -> dict[str, str]:
    """Other words to search for, each with the word of the question that it stands for."""
    others: dict[str, str] = {}
    for term in terms:
        for word in _without_endings(term):
            for other in _table().get(word, ()):
                if other != word and other not in excluded:
                    others.setdefault(other, term)
    return others


def _without_endings(word: str) -> list[str]:
    """The word, and what it may be without the ending of a present participle: "taking" is "take" as well."""
    bare = word.removesuffix("ing")
    return [word] if bare == word or len(bare) < _MIN_CHARS else [word, bare, f"{bare}e"]
