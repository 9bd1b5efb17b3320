"""Statements about oneself in words that no rule lists: any predicate after "I", judged by classes of words.

The rules of `english.toml` know sentences; this knows forms (present, perfect, past, ability, state, role) and, in
`general.toml`, which verbs, adjectives and nouns make a lasting statement in which of them. It is asked last.
"""

import re
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.language.lexicon import Patterns, read_tables
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import conjugate, object_phrase, trim_object
from recollect.models.local.rule import LIKELY, Finding, make_finding
from recollect.models.local.statements import is_trade

_MAX_WORDS = 14
"""Words of a predicate: what is longer tells a story, or says several things."""
_HABITUAL = frozenset("usually always often never rarely typically generally normally frequently seldom hardly".split())
_OTHER_ADVERBS = frozenset(
    "mostly mainly primarily occasionally regularly constantly sometimes only also really honestly personally actually"
    " just still definitely absolutely totally currently now already especially particularly even myself both".split()
)
_KEPT_ADVERBS = _HABITUAL | frozenset(
    "mostly mainly primarily occasionally regularly constantly sometimes only".split()
)
_NO_ADVERBS = frozenset("reply apply rely fly supply imply comply multiply bully rally".split())
_TASTES = frozenset("like love prefer hate enjoy adore dislike loathe despise detest".split())
_COURSES = ("attending", "attend", "taking", "take", "teach", "teaching")
"""Of whom "classes" are lessons."""
_PASSING_VERBS = ("is", "are", "isn't", "aren't", "works", "work", "runs", "run")
_PURSUITS = ("trying", "doing", "taking", "going")
_MAX_NOUN_WORDS = 10
_TO_VERB = re.compile(r"to (?!be\b|agree|think|see|get\b|have to|forget)\w+ \w+", re.IGNORECASE)
_ALONE = ("smoked", "smoke", "skied", "surfed", "flown")
"""What needs no object for "never" to say something."""
_NOT_VOUCHED = re.compile(r"\b(?:lol|lmao|lmfao|rofl|xd|obviously|just read)\b", re.IGNORECASE)
"""What no rule vouches for may be a joke, or over."""
_VAGUE = re.compile(
    r"$|the\b|back\b|it\b|that\b|any\b|much\b|an? (?:chance|problem|reason|issue)\b|manage\b"
    r"|to (?:this|that|it|the (?:site|page|website|link|channel|meeting|wiki))\b|(?:ask|say|mention|tell|get|see)\b",
    re.IGNORECASE,
)
_PARTICULAR = re.compile(r"\b(?:is|are|was|were)\b|^\w+ing the\b", re.IGNORECASE)
_LITTLE_KNOWN = re.compile(r"(?:much|a lot|a thing|anything) about (?!it\b|that\b|this\b|the\b|them\b)", re.IGNORECASE)
_YOURS = re.compile(r"\b(?:your?|of (?:this|that|the))\b", re.IGNORECASE)
_HOW_BIG = re.compile(r"^(?:too|that|so|very) (big|huge|great) (?:of )?an? (?=\w)", re.IGNORECASE)
_VERB = re.compile(r"[a-z][a-z'-]{1,15}")
_NO_PRETERITES = frozenset("need feed speed breed bleed seed weed embed succeed proceed exceed heed shed wed".split())
_CONTRACTED = re.compile(r"(have|had|did|was|were)n'?t$")
_PRETERITES = frozenset(
    "grew went had got did made took gave found left lost won met saw came became began broke brought bought built"
    " taught learnt wrote ran sang swam drove spent fell felt kept knew sold told thought led held ate drank flew rode"
    " threw wore woke chose sent slept stood paid shot".split()
)


@cache
def _tables() -> dict[str, dict[str, str]]:
    return read_tables(Path(__file__).with_name("general.toml"))


_EXPRESSIONS = Patterns(re.IGNORECASE, partial(lambda: _tables()["expressions"]))


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_tables()["words"][name].split())


@cache
def _governed() -> dict[str, re.Pattern[str]]:
    """What may follow some verbs for them to say something lasting."""
    return {verb: re.compile(pattern, re.IGNORECASE) for verb, pattern in _tables()["governed"].items()}


@dataclass(frozen=True, slots=True)
class _Predicate:
    """What follows "I", taken apart."""

    adverbs: tuple[str, ...]
    form: str
    """Present, negated, progressive, state, past, can, cannot, have, perfect, have never, have been and so on."""
    verb: str
    """As the classes list it."""
    said: str
    """The verb in the third person."""
    rest: str

    def text(self) -> str | None:
        """The statement in the third person; None where it can't stand alone."""
        phrase = object_phrase(self.rest) if self.rest else ""
        if phrase is None or (phrase and not self._is_kind(phrase) and self._is_junk(phrase)):
            return None
        adverbs = [adverb for adverb in self.adverbs if adverb in _KEPT_ADVERBS]
        return " ".join(filter(None, [*adverbs, self.said, phrase]))

    def _is_kind(self, phrase: str) -> bool:
        """Whether a taste is for a kind of thing: "small PRs", "merge commits"."""
        return (
            self.verb in _TASTES
            and re.fullmatch(r"(?!\w+ing |those|these)(?:[a-z-]+ ){0,2}[A-Za-z]{2,}s", phrase) is not None
        )

    def _is_junk(self, phrase: str) -> bool:
        return _EXPRESSIONS.junk_object.search(phrase) is not None or self._is_code(phrase)

    def _is_code(self, phrase: str) -> bool:
        if self.verb in _COURSES and _EXPRESSIONS.course.search(phrase):
            return False
        return any(word.strip(",.").lower() in lexicon.words("code_words") for word in phrase.split())


def read(predicate: str, clause: Clause) -> Finding | None:
    """The statement that a predicate of the first person makes, if its words are those of a lasting one."""
    parts = None if _NOT_VOUCHED.search(clause.evidence) else _take_apart(predicate)
    if parts is None or not _is_lasting(replace(parts, rest=trim_object(parts.rest)), clause):
        return None
    text = parts.text()
    return make_finding(text, Kind.PREFERENCE if parts.verb in _TASTES else Kind.FACT, LIKELY) if text else None


def read_mine(text: str) -> Finding | None:
    """The same of somebody or something that belongs to the speaker: "my research focuses on jellyfish"."""
    match = _EXPRESSIONS.mine.match(text)
    if match is None or len(match["o"].split()) > _MAX_WORDS or _YOURS.search(match["noun"]):
        return None
    if match["verb"].lower() in _PASSING_VERBS and _EXPRESSIONS.passing_of_mine.match(match["o"]):
        return None
    phrase = object_phrase(match["o"])
    if phrase is None or _EXPRESSIONS.junk_object.search(phrase):
        return None
    return make_finding(f"their {match['noun']} {match['verb'].strip().lower()} {phrase}", Kind.FACT, LIKELY)


def _take_apart(predicate: str) -> _Predicate | None:
    words = predicate.split()
    adverbs: list[str] = []
    while len(words) > 1 and _is_adverb(words[0].lower().strip(",")):
        adverbs.append(words.pop(0).lower().strip(","))
    if [word.lower() for word in words[:2]] in (["kind", "of"], ["sort", "of"]):
        del words[:2]
    if not words or len(words) > _MAX_WORDS:
        return None
    head, *rest = _CONTRACTED.sub(r"\1 not", words[0].lower()).split() + words[1:]
    if _VERB.fullmatch(head) is None:
        return None
    return _by_form(tuple(adverbs), head, rest)


def _is_adverb(word: str) -> bool:
    return word in _HABITUAL or word in _OTHER_ADVERBS or (word.endswith("ly") and word not in _NO_ADVERBS)


def _by_form(adverbs: tuple[str, ...], head: str, rest: list[str]) -> _Predicate | None:
    following = rest[0].lower() if rest else ""
    after = " ".join(rest[1:])
    if head == "am":
        if following == "not":
            return _Predicate(adverbs, "state", "be", "isn't", _HOW_BIG.sub(r"a \1 ", after))
        if following in _words("progressive") or following in _PURSUITS:
            return _Predicate(adverbs, "progressive", following, following, after)
        return _Predicate(adverbs, "state", "be", "is", " ".join(rest))
    if head == "do" and following in _words("present") and rest[1:]:
        return _Predicate(adverbs, "present", following, conjugate(following), after)
    if head == "do" and following == "not" and len(rest) > 1:
        verb_at = next((place for place, word in enumerate(rest[1:], 1) if not _is_adverb(word.lower())), len(rest) - 1)
        verb = rest[verb_at].lower()
        return _Predicate(adverbs, "negated", verb, f"doesn't {verb}", " ".join(rest[verb_at + 1 :]))
    if head in ("can", "cannot") and rest:
        return _Predicate(adverbs, head, following, ("can " if head == "can" else "can't ") + following, after)
    if head == "have" and following in ("never", "always", "been", "only", "not"):
        return _Predicate(adverbs, f"have {following}", rest[1].lower() if after else "", f"has {following}", after)
    if head == "have" and (following in _words("perfect") or following.endswith("ed")):
        return _Predicate(adverbs, "perfect", following, f"has {following}", after)
    if head == "have":
        return _Predicate(adverbs, "have", "have", "has", " ".join(rest))
    if head in _PRETERITES or head in ("was", "were") or (head.endswith("ed") and head not in _NO_PRETERITES):
        said = "was" if head == "were" else head
        return _Predicate(adverbs, "past", head, said, " ".join(rest))
    return _Predicate(adverbs, "present", head, conjugate(head), " ".join(rest))


def _is_lasting(parts: _Predicate, clause: Clause) -> bool:
    is_joint = clause.text[:3].lower() == "we "
    match parts.form:
        case "state":
            return not is_joint and _is_lasting_state(parts)
        case "present":
            return _is_lasting_act(parts, is_joint)
        case "negated":
            return not is_joint and _is_refusal(parts)
        case "progressive":
            return not is_joint and _is_long_pursuit(parts)
        case "can" | "cannot":
            return not is_joint and parts.verb in _words(parts.form)
        case "have":
            return not is_joint and _EXPRESSIONS.have.match(parts.rest) is not None
        case "perfect" | "have never" | "have only" | "have always" | "have been" | "have not":
            return not is_joint and _is_experience(parts)
        case _:
            return _is_life_event(parts, is_joint)


def _is_lasting_state(parts: _Predicate) -> bool:
    rest = parts.rest
    if "only" in parts.adverbs or _EXPRESSIONS.not_a_state.match(rest):
        return False
    if parts.said == "isn't" and _EXPRESSIONS.disclaimed.match(rest):
        return False
    if (noun := _EXPRESSIONS.a_noun.match(rest)) is not None:
        return _is_role(noun["np"])
    kinds = _EXPRESSIONS.state, _EXPRESSIONS.bare_role, _EXPRESSIONS.membership
    return any(kind.match(rest) for kind in kinds)


def _is_role(noun_phrase: str) -> bool:
    """ "Computer science major", "huge skier"; not "bit", "communication link"."""
    core = _EXPRESSIONS.after_noun.sub("", noun_phrase)
    return (
        bool(core) and not _EXPRESSIONS.no_noun.match(core.split()[-1]) and len(noun_phrase.split()) <= _MAX_NOUN_WORDS
    ) and not _EXPRESSIONS.no_role.match(core)


def _is_lasting_act(parts: _Predicate, is_joint: bool) -> bool:
    if parts.verb == "tend":
        return not is_joint and _TO_VERB.match(parts.rest) is not None
    if parts.verb in ("get", "know", "try", "do"):
        return not is_joint and getattr(_EXPRESSIONS, parts.verb).match(parts.rest) is not None
    if _EXPRESSIONS.no_object.match(parts.rest):
        return False
    if any(adverb in _HABITUAL for adverb in parts.adverbs):
        is_vague = "never" in parts.adverbs and _VAGUE.match(parts.rest) is not None
        return not is_joint and bool(parts.rest) and not is_vague and parts.verb not in _words("no_habit")
    if parts.verb not in _words("present") or (is_joint and parts.verb not in _words("joint")):
        return not is_joint and bool(parts.rest) and _EXPRESSIONS.lasting.search(parts.rest) is not None
    if parts.verb in _TASTES and not _is_general_liking(parts.rest):
        return False
    governed = _governed().get(parts.verb)
    if governed is not None and governed.match(parts.rest) is None:
        return False
    return bool(parts.rest) or parts.verb not in _words("needs_object")


def _is_general_liking(liked: str) -> bool:
    """ "Sushi", "the beach", "the shakes at Sonic"; not "the variety", "writing the whole thing out"."""
    if _PARTICULAR.search(liked) or _EXPRESSIONS.particular_thing.search(liked):
        return False
    return not liked.lower().startswith("the ") or _EXPRESSIONS.liked_place.match(liked) is not None


def _is_refusal(parts: _Predicate) -> bool:
    if parts.verb == "have":
        return any(word.lower().strip(".,!") in _words("have_not") for word in parts.rest.split()[:4])
    if parts.verb == "know":
        return _LITTLE_KNOWN.match(parts.rest) is not None
    if parts.verb == "use":
        return parts.rest[:1].isupper() or parts.rest.split(" ")[0].lower() in lexicon.words("tools")
    if parts.verb in ("believe", "care"):
        return _governed()[parts.verb].match(parts.rest) is not None
    is_habit = any(adverb in _HABITUAL for adverb in parts.adverbs) and parts.verb not in _words("no_habit")
    is_listed = is_habit or parts.verb in _words("negated")
    if parts.verb in _TASTES and not _is_general_liking(parts.rest):
        return False
    return is_listed and bool(parts.rest) and not _EXPRESSIONS.no_object.match(parts.rest)


def _is_long_pursuit(parts: _Predicate) -> bool:
    if parts.verb in _PURSUITS:
        return getattr(_EXPRESSIONS, parts.verb).match(parts.rest) is not None
    if parts.verb in _governed():
        return _governed()[parts.verb].match(parts.rest) is not None
    return bool(parts.rest) and not _EXPRESSIONS.no_object.match(parts.rest)


def _is_experience(parts: _Predicate) -> bool:
    has_object = len(parts.rest.split()) > 1
    match parts.form:
        case "have always":
            return has_object
        case "have never" | "have only":
            if parts.verb not in _words(parts.form.removeprefix("have ")):
                return False
            return (has_object and not _VAGUE.match(parts.rest.partition(" ")[2])) or parts.verb in _ALONE
        case "have not":
            return (
                has_object
                and re.match(r"(?i)(?:ever|(?:actually |really )?(?:used|been to (?-i:[A-Z])))\b", parts.rest)
                is not None
            )
        case "perfect":
            is_place = parts.verb in ("visited", "hiked", "climbed") or parts.verb in _words("perfect")
            return bool(parts.rest) and (is_place or _EXPRESSIONS.lasting.search(parts.rest) is not None)
        case _:
            return (
                _EXPRESSIONS.been.match(parts.rest) is not None or _EXPRESSIONS.lasting.search(parts.rest) is not None
            )


def _is_life_event(parts: _Predicate, is_joint: bool) -> bool:
    rest = parts.rest
    if "never" in parts.adverbs:
        return not is_joint and parts.verb in _words("never_did") and not _VAGUE.match(rest)
    if parts.verb in ("was", "were"):
        noun = _EXPRESSIONS.a_noun.match(rest)
        if noun is None or is_joint:
            return False
        return is_trade(noun["np"]) or _EXPRESSIONS.past_role.search(noun["np"]) is not None
    if parts.verb in ("visited", "hiked", "climbed", "toured", "backpacked"):
        return _EXPRESSIONS.past_place.match(rest) is not None
    if parts.verb in ("worked", "lived", "studied", "trained", "taught", "interned", "volunteered"):
        return not is_joint and _EXPRESSIONS.past_work.match(rest) is not None
    if _EXPRESSIONS.life_past.search(rest) is not None:
        return len(_EXPRESSIONS.life_past.sub("", rest).split()) > 0
    if parts.verb in ("wrote", "built", "designed", "created", "started", "founded"):
        return re.match(r"(?i)the (?:original|first|initial|old) \w", rest) is not None
    return parts.verb in _words("past") and bool(rest) and not is_joint
