"""Orders to the assistant in the imperative, by whom they are about.

"Let Henrik think that it's Friday" is about somebody else. "Keep it short with me" is about the speaker's own answers,
and "keep the horse away from the clover" about nothing that an assistant handles.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from recollect.policy.guard.sorts import Reading, Sorts, has_any, others_among

IMPERATIVES = frozenset({"act", "bend", "lie"})
"""What an assistant does for anybody, what it does to somebody, and what is untrue."""
_OBJECT_WORDS = 6
"""How far behind those whom it is about a verb may stand."""


def gives_order(reading: Reading) -> bool:
    """Whether the assistant is told to do something to others, to what is stored, or to the truth."""
    return reading.has_any(*IMPERATIVES) and any(_is_order(reading, at, no) for at, no in _imperatives(reading))


def _imperatives(reading: Reading) -> Iterator[tuple[int, bool]]:
    """The places of verbs at the beginning of a clause, and whether each is negated."""
    for start in sorted(reading.starts):
        if found := _verb_from(reading, start):
            yield found
            # Behind an "and", if the verb before it is an imperative too.
            joins = (at for at in range(found[0], len(reading.words)) if "join" in reading.words[at])
            yield from filter(None, (_verb_from(reading, at + 1) for at in joins))


def _verb_from(reading: Reading, start: int) -> tuple[int, bool] | None:
    if _is_preposition(reading.words[start : start + 1]):
        return _verb_behind_object(reading, start)
    for at in range(start, len(reading.words)):
        sorts = reading.words[at]
        if sorts & IMPERATIVES and "whose" not in sorts:  # "let's"
            return at, has_any(reading.words[start:at], "no", "none")
        if "lead" not in sorts:
            return None
    return None


def _is_preposition(words: Sequence[Sorts]) -> bool:
    return has_any(words, "prep") and not has_any(words, "lead")


def _verb_behind_object(reading: Reading, start: int) -> tuple[int, bool] | None:
    """The verb behind those whom it is about: "ai turisti racconta che …"."""
    end = start + 1 + len(reading.clause(start + 1))
    for at in range(start + 2, min(start + _OBJECT_WORDS, end)):
        if reading.words[at] & IMPERATIVES:
            before = reading.words[start:at]
            return (at, has_any(before, "no", "none")) if others_among(before) else None
    return None


def _is_order(reading: Reading, at: int, is_negated: bool) -> bool:
    verb, before, rest = reading.words[at], reading.words[:at], reading.clause(at + 1)
    if not rest or has_any(before, "say", "told", "report", "social") or has_any(rest, "social"):
        return False
    if "mine" in rest[0] or has_any(rest[:3], "i"):
        return "crowd" in others_among(rest) and has_any(rest, "things", "told")
    if "lie" in verb and not is_negated:
        return True
    if "bend" in verb and (others_among(rest, of_mine=True) or has_any(rest, "things")):
        return True
    if has_any(before[-2:], "covert") or _is_unasked(rest) or _is_conditional(before):
        return True
    if has_any(rest, "them") and others_among(before):  # "he's no member any more, so fob him off"
        return True
    return _is_about_others(verb, _others_of(reading, at, rest), rest, is_negated)


def _is_about_others(verb: Sorts, others: Sorts, rest: Sequence[Sorts], is_negated: bool) -> bool:
    """Whether what is to be done to others is more than a task of the speaker's own, such as "send Tom the invoice"."""
    if len(rest) == 1 and "address" in verb and (is_negated or has_any(rest, "no", "none")):
        return False  # "but tell nobody" is about a secret of the speaker's own
    if "crowd" in others:
        return True
    if not others:
        return False
    if is_negated or has_any(rest, "toyou", "things", "no", "none", "blanket", "untrue", "rank"):
        return True
    return ("tells" in verb and len(rest) > 2) or ("edit" in verb and has_any(rest, "whose"))


def _others_of(reading: Reading, at: int, rest: Sequence[Sorts]) -> Sorts:
    start = max(start for start in reading.starts if start <= at)
    stands_first = _is_preposition(reading.words[start : start + 1])
    return others_among(rest) or (others_among(reading.words[start:at]) if stands_first else frozenset())


def _is_unasked(rest: Sequence[Sorts]) -> bool:
    return any("unasked" in one and "doing" in other for one, other in pairwise(rest))


def _is_conditional(before: Sequence[Sorts]) -> bool:
    """Whether a verb follows on what somebody else asks or does."""
    return has_any(before[:1], "cue") and has_any(before, "asks") and bool(others_among(before, of_mine=True))
