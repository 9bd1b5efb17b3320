"""Recognizes what is no longer so: a known memo to retract, or a statement that it ended."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from recollect.core.types import Kind, Memo
from recollect.language import lexicon
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions, grammar
from recollect.models.local.rephrase import base_verb, conjugate, object_phrase, strip_duration
from recollect.models.local.rule import LIKELY, Finding, make_finding
from recollect.models.local.rules import first_finding
from recollect.policy.similarity import Similarity, compare, details

_EXPRESSIONS = expressions("retractions")
_SAME_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)
_ARTICLE = re.compile(r"(?:my|the|our|that|an?) (?:old |little |beloved )?", re.IGNORECASE)
_HAVING = (
    "Has", "Owns", "Drives", "Rides", "Uses", "Bought", "Got", "Keeps", "Plays", "Runs", "Prefers", "Codes in",
    "Editor is", "Car is", "Bike is", "Phone is", "Laptop is", "Browser is", "Works with", "Writes", "Loves their",
)  # fmt: skip
_ROLES = (
    ("Works as ", "Is"), ("Arbeitet als ", "Ist"), ("Travaille comme ", "Est"), ("Trabaja de ", "Es"),
    ("Trabaja como ", "Es"), ("Trabalha como ", "É"), ("Trabalha de ", "É"),
)  # fmt: skip
_GENERIC = re.compile(r"(?P<verb>[a-z]+)\b(?P<o>.*)", re.IGNORECASE)
_COMMON_VERBS = frozenset("eat drink smoke play work live use own drive run write do go watch read teach code".split())


def _months() -> dict[str, str]:
    return {"months": "|".join(lexicon.ordered_words("months"))}


_PATTERNS = lexicon.Patterns(
    re.IGNORECASE,
    _months,
    when_ended=r"\s(?:(?:long|ages) ago"
    r"|(?:(?:about |over |almost )?(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|a few|several) )?"
    r"(?:years?|yrs?|months?|weeks?|days?) ago|last (?:year|month|week|spring|summer|autumn|fall|winter)"
    r"|(?:in|since) (?:(?:19|20)\d\d|{months}))$",
)
_EVENT_WORDS = re.compile(r"[a-z]{3,}")


def ended_memos(text: str, known_memos: Sequence[Memo]) -> list[Memo]:
    """Known memos that end with what a clause tells: a separation, a lost job, a cancelled event, a pet's death."""
    if _EXPRESSIONS.end_cue.search(text) is None:
        return []
    active = [memo for memo in known_memos if memo.active]
    if _EXPRESSIONS.parted.match(text):
        return _only_partner([memo for memo in active if _EXPRESSIONS.partner_memo.match(memo.text)], text)
    if _EXPRESSIONS.job_ended.match(text):
        return [memo for memo in active if _EXPRESSIONS.job_memo.match(memo.text)]
    if died := _EXPRESSIONS.pet_died.match(text):
        name = died["name"] or died["lone"] or died["put"]
        pets = [memo for memo in active if _EXPRESSIONS.pet_memo.match(memo.text)]
        matching = [memo for memo in pets if re.search(rf"\b{name or died['pet']}\b", memo.text)]
        return matching if name or len(matching) == 1 else []
    cancelled = _EXPRESSIONS.cancelled.match(text)
    what = cancelled and next(filter(None, cancelled.groups()), None)
    return _events_meant(what, [memo for memo in active if memo.kind is Kind.EVENT]) if what else []


def _only_partner(memos: list[Memo], text: str) -> list[Memo]:
    """The memos about the partner; about the one who is named, if there are several."""
    partners = {match[0].lower() for memo in memos for match in [_EXPRESSIONS.partner.search(memo.text)] if match}
    named = [memo for memo in memos if any(word in text for word in re.findall(r"\b[A-Z]\w+", memo.text)[1:])]
    return memos if len(partners) <= 1 else named


def _events_meant(what: str, events: list[Memo]) -> list[Memo]:
    """The one event that the words may mean."""
    is_journey = _EXPRESSIONS.journey.search(what) is not None
    named = [word for word in _EVENT_WORDS.findall(what.lower()) if not _EXPRESSIONS.journey.fullmatch(word)]
    matching = [
        memo
        for memo in events
        if all(word in memo.text.lower() for word in named)
        and (named or is_journey)
        and (not is_journey or _EXPRESSIONS.journey_memo.search(memo.text))
    ]
    return matching if len(matching) == 1 else []


def find_denied(predicate: str, clause: Clause) -> Finding | None:
    """What "I'm not …" or "I don't …" denies: known or not, it does not hold."""
    match = _EXPRESSIONS.denied.match(predicate)
    if match is None:
        return None
    said = f"am {match['state']}" if match["state"] else match["act"] or match["said"]
    return first_finding("me", said, clause)


def denied_memos(text: str, known_memos: Sequence[Memo]) -> list[Memo]:
    """Active known memos that state what is denied, or more."""
    same = (Similarity.SAME, Similarity.POORER)
    return [
        memo for memo in known_memos if memo.active and (compare(text, memo.text) in same or details(memo.text, text))
    ]


def outdated_memos(finding: Finding, clause: Clause, known_memos: Sequence[Memo]) -> list[Memo]:
    """Active known memos whose place a statement with "now" takes: another car, another job."""
    if not _EXPRESSIONS.from_now.search(clause.text):
        return []
    slot = next((pattern for pattern in _slots() if pattern.match(finding.text)), None)
    if slot is not None:
        return [memo for memo in known_memos if memo.active and memo.text != finding.text and slot.match(memo.text)]
    is_car = _EXPRESSIONS.car_memo.match(finding.text)
    is_only_one = is_car or _EXPRESSIONS.one_at_a_time.match(finding.text)  # who has a dog now still has two kids
    if not is_only_one:
        return []
    verb = finding.text.partition(" ")[0]
    return [
        memo
        for memo in known_memos
        if memo.active
        and memo.text != finding.text
        and (_EXPRESSIONS.car_memo.match(memo.text) if is_car else memo.text.startswith(f"{verb} "))
    ]


@cache
def _slots() -> list[re.Pattern[str]]:
    """Statements of which one holds at a time: how one lives, works, commutes."""
    return [re.compile(pattern, re.IGNORECASE) for pattern in grammar()["retractions"]["slots"]]


def find_ended(predicate: str, clause: Clause) -> tuple[Finding, bool] | None:
    """The statement that no longer holds, and whether its end is worth a statement of its own."""
    match = _EXPRESSIONS.ended.match(predicate)
    if match is None:
        return None
    if match["h"]:
        phrase = object_phrase(_ARTICLE.sub("", match["h"]))
        finding = make_finding(f"has {phrase}", Kind.FACT, LIKELY) if phrase else None
    elif match["e"]:
        finding = first_finding("me", f"work at {match['e']}", clause)
    elif match["g"]:
        finding = _read_past(f"{base_verb(match['g'])}{strip_duration(match['d'])}", clause)
    else:
        past = match["a"] or match["b"] or _EXPRESSIONS.contrasted.sub("", match["f"] or "") or f"am {match['c']}"
        past = re.sub(r"(?i)^be\b", "am", past)
        is_state = re.match(r"(?i)am no longer|no longer an? ", match[0]) is not None
        finding = _read_past(f"am {past}" if is_state else past, clause)
    return (finding, not (match["e"] or match["f"] or match["h"])) if finding else None


def _read_past(predicate: str, clause: Clause) -> Finding | None:
    finding = first_finding("me", predicate, clause)
    generic = _GENERIC.match(predicate)
    is_lasting = generic and not re.match(r" (?:the|this|that|these|those) ", generic["o"])
    if finding is None and generic and is_lasting and generic["verb"].lower() in _COMMON_VERBS:
        phrase = object_phrase(generic["o"]) if generic["o"].strip(" .!,") else ""
        if phrase is not None:
            return make_finding(f"{conjugate(generic['verb'])} {phrase}", Kind.FACT, LIKELY)
    return finding


def matching_memos(text: str, known_memos: Sequence[Memo]) -> list[Memo]:
    """Active known memos that state the same fact, perhaps in more detail or as another kind of having it."""
    return [memo for memo in known_memos if memo.active and _states(memo.text, text)]


def _states(known: str, text: str) -> bool:
    if compare(text, known) in _SAME_FACT or details(known, text):
        return True
    verb, _, value = text.partition(" ")
    if verb == "Is" and details(known, f"Works as {value}"):
        return True
    if any(text.startswith(works) and details(known, f"{is_one} {text[len(works) :]}") for works, is_one in _ROLES):
        return True
    return verb in ("Has", "Uses") and any(details(known, f"{other} {value}") for other in _HAVING)


def end_statement(finding: Finding) -> Finding | None:
    """The statement that something ended; it contradicts the statement that it holds."""
    text = finding.text[0].lower() + finding.text[1:]
    text = _PATTERNS.when_ended.sub("", re.sub(r"^is ", "", text))
    return (
        None if re.match(r"(?:doesn't|can't|isn't|name|timezone)", text) else replace(finding, text=f"No longer {text}")
    )
