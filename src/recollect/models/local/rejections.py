"""Recognizes what is not a lasting statement: role-play, jokes, instructions, suppositions, passing states."""

from recollect.language import word_forms
from recollect.models.local.grammar import expressions

_EXPRESSIONS = expressions("rejections")
_MAX_NON_ASCII_SHARE, _MIN_FOREIGN_WORD_SHARE = 0.3, 0.2


def is_play(text: str) -> bool:
    """Whether a whole message is a game, a piece of writing, a joke or an instruction, so that nothing in it counts."""
    kinds = _EXPRESSIONS.play, _EXPRESSIONS.instructions, _EXPRESSIONS.kidding
    return any(kind.search(text) for kind in kinds)


def is_secret(sentence: str) -> bool:
    """Whether it mentions a password or a key: nothing near one is learned."""
    return bool(_EXPRESSIONS.secret.search(sentence))


def is_joke(sentence: str) -> bool:
    """Whether it makes an absurd claim, or a big one with laughter."""
    is_laughing = _EXPRESSIONS.laugh.search(sentence) and _EXPRESSIONS.claim.search(sentence)
    return bool(is_laughing or _EXPRESSIONS.absurd.search(sentence))


def is_supposed(sentence: str) -> bool:
    """Whether it opens with a condition, a supposition or hearsay, on which the rest depends."""
    return bool(_EXPRESSIONS.supposed.search(sentence))


def is_hedged(clause: str) -> bool:
    """Whether the speaker qualifies it: "might", "I wish", "used to"."""
    return bool(_EXPRESSIONS.hedged.search(clause))


def is_momentary(clause: str) -> bool:
    """Whether it holds only now, or held only then."""
    return bool(_EXPRESSIONS.momentary.search(clause))


def is_foreign(sentence: str) -> bool:
    """Whether it is largely in another language or script."""
    letters = [char for char in sentence if char.isalpha()]
    if sum(not char.isascii() for char in letters) > _MAX_NON_ASCII_SHARE * len(letters):
        return True
    return word_forms.foreign_count(sentence) >= max(2, _MIN_FOREIGN_WORD_SHARE * len(sentence.split()))
