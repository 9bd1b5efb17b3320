"""Which known memos a statement takes the place of, where its speaker says that something changed or was wrong.

Two statements may both hold, so a word for it is needed: "now", "instead", "no wait", "a new job".
"""

import re
from collections.abc import Sequence
from itertools import takewhile

from recollect.core.text import words
from recollect.core.types import Memo
from recollect.language import lexicon
from recollect.models.local import foreign
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rule import Finding
from recollect.models.local.statements import is_trade

_EXPRESSIONS = expressions("successions")
_MAX_VALUE_WORDS = 4
_ONE_AT_A_TIME = ("age", "lives in", "works at", "works for", "is called")
"""What is said of somebody of whom it can't hold twice."""
_ARTICLES = frozenset("a an the their".split())


def is_correction(text: str) -> bool:
    """Whether a message opens with a word that says that something was wrong, or has changed."""
    return _EXPRESSIONS.corrects.match(text.replace("’", "'")) is not None


def succeeded_memos(
    finding: Finding, clause: Clause, known_memos: Sequence[Memo], *, corrects: bool, is_current: bool
) -> list[Memo]:
    """Active known memos that a statement takes the place of.

    `is_current` says that the message has a word such as "ahora", which other languages set apart from the statement.
    """
    is_strong = corrects or _EXPRESSIONS.strong.search(clause.text) is not None
    is_recent = _EXPRESSIONS.recent.search(clause.text) is not None or is_current
    is_job = _EXPRESSIONS.new_job.search(clause.text) is not None
    other_memos = [memo for memo in known_memos if memo.active and memo.text != finding.text]
    if _EXPRESSIONS.retired.match(finding.text) and is_recent:
        return [memo for memo in other_memos if _is_role(memo.text) or _EXPRESSIONS.employer.match(memo.text)]
    if is_strong or is_recent or is_job:
        if _is_role(finding.text):
            return [memo for memo in other_memos if _is_role(memo.text)]
        if _EXPRESSIONS.employer.match(finding.text):
            return [memo for memo in other_memos if _EXPRESSIONS.employer.match(memo.text)]
    if (is_strong or is_recent) and (category := _category(finding.text)):
        return [memo for memo in other_memos if _category(memo.text) == category]
    if is_strong or is_recent:
        return [memo for memo in other_memos if _differs_in_value(finding.text, memo.text, any_value=is_strong)]
    return []


def relative_meant(finding: Finding, clause: Clause, known_memos: Sequence[Memo], *, corrects: bool) -> Memo | None:
    """The one memo that says the same sort of thing of the same relative, with another value: a sister who moved."""
    said = _EXPRESSIONS.kin.match(finding.text)
    if said is None:
        return None
    kin, sort = said["kin"].split()[0], _sort(said["rel"])
    is_named = " " in said["kin"] and sort in _ONE_AT_A_TIME
    if not (is_named or corrects or _EXPRESSIONS.kin_changed.search(clause.text)):
        return None
    matching = [
        memo
        for memo in known_memos
        if memo.active
        and memo.text != finding.text
        and (known := _EXPRESSIONS.kin.match(memo.text))
        and known["kin"].split()[0] == kin
        and _sort(known["rel"]) == sort
    ]
    if " " in said["kin"]:  # of another sister, or of one whose name was not told
        matching = [memo for memo in matching if said["kin"] in memo.text or memo.text.split()[2].islower()]
    same = [memo for memo in matching if f" {said['kin']} " in memo.text] or matching
    return same[0] if len(same) == 1 else None


def with_name(text: str, known: str) -> str:
    """A statement on a relative with the name that a known one has: "their son is 7" of "their son Leo is 6"."""
    said, named = _EXPRESSIONS.kin.match(text), _EXPRESSIONS.kin.match(known)
    is_bare = said is not None and named is not None and said["kin"] == named["kin"].split()[0]
    return text.replace(said["kin"], named["kin"], 1) if is_bare and said and named else text


def _sort(relation: str) -> str:
    return "age" if re.search(r"\d", relation) else relation


def _category(text: str) -> str | None:
    """The sort of tool that a statement says is used, of which people have one: a phone, a browser; and where."""
    tool = _EXPRESSIONS.rivals.search(text) if _EXPRESSIONS.using.match(text) else None
    where = re.search(r"(?i)\bat (?:work|home|school|uni)\b", text)
    return f"{tool.lastgroup} {where[0] if where else ''}" if tool else None


def _is_role(text: str) -> bool:
    """ "Works as a nurse", "is a nurse": what somebody is by trade."""
    article = re.match(r"Is an? ", text)
    is_english = _EXPRESSIONS.role.match(text) is not None or (article is not None and is_trade(text[article.end() :]))
    return is_english or foreign.is_trade(text)


def _differs_in_value(new: str, old: str, *, any_value: bool) -> bool:
    """Whether two statements differ in one place only, and there in the value: the days, a number, a few words."""
    fresh, known = _plain(new), _plain(old)
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(fresh, known, strict=False))))
    rest = list(zip(reversed(fresh[start:]), reversed(known[start:]), strict=False))
    end = len(list(takewhile(lambda pair: pair[0] == pair[1], rest)))
    values = fresh[start : len(fresh) - end], known[start : len(known) - end]
    if not all(values) or any(len(value) > _MAX_VALUE_WORDS for value in values):
        return False
    common = [
        word for word in (*fresh[:start], *fresh[len(fresh) - end :]) if word not in lexicon.words("prepositions")
    ]
    is_whole = start > 0 and (len(common) > 1 or (any_value and _EXPRESSIONS.once.match(" ".join(fresh)) is not None))
    return is_whole and (any_value or all(map(_is_time, values)) or end > 0)


def _plain(text: str) -> list[str]:
    bare = _EXPRESSIONS.hours.sub("is ", _EXPRESSIONS.adverbs.sub(" ", text.lower()))
    bare = bare.replace("wakes up", "gets up")
    return [word for word in words(bare) if word not in _ARTICLES]


def _is_time(value: Sequence[str]) -> bool:
    times = (
        lexicon.words("weekdays") | lexicon.words("months") | lexicon.words("cardinals") | lexicon.words("prepositions")
    )
    return all(word in times or word.rstrip("s") in times or word[0].isdigit() for word in value)
