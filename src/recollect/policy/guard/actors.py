"""Who does what in a clause: the speaker, somebody else, or no one named. Judged by the words before a verb."""

import re
from collections.abc import Sequence

from recollect.core.text import fold
from recollect.language import kinship, word_forms

TOKEN = re.compile(r"<?@?!?[^\W_][\w'-]*>?")
FIRST = frozenset(
    "i i'm im i've ive i'd i'll we we're we've we'd we'll me myself ich wir je j'ai yo nosotros eu io".split()
)
OTHERS = frozenset(
    """
    you you're youre you've you'd you'll u he he's she she's they they're they've they'd who who's whoever someone
    somebody anyone anybody everyone everybody nobody others people du er sie ihr tu il elle ils elles vous ella él
    ellos ele ela você lei lui он она они ты вы
    """.split()
)
_SKIPPED = frozenset(
    """
    am is are was were be been being have has had do does did will would can could should may might must to not never
    always just really also still already only now currently recently finally actually usually often sometimes mostly
    both all a an the very so quite totally absolutely going gonna isn't aren't don't doesn't didn't can't won't wasn't
    even ever kinda about in on at of from for with as and one's 's probably maybe literally basically such good get
    got gets getting high
    """.split()
)
_LINKS = frozenset("with for of to from at by about than as like".split())
_NOT_NAMES = frozenset(
    """
    i just still also never already then today yesterday once recently again so now finally btw fyi lol update guys hey
    and but or the a an my our this that these those it it's its there here what where when why how yes no not well ok
    okay sorry thanks please really honestly currently actually usually always mostly sometimes often maybe since after
    before because if while although though at in on for with from to as of by about last next every each some any all
    one two three more most much many only even oh ah wow great nice cool happy sad sure yeah yep nope been got had was
    am is are were have has do did can't don't i'm i've i'd i'll
    """.split()
)
PERSON_FORM = re.compile(
    r"is|was|has|does|doesn't|isn't|wasn't|hasn't|will|can|\w{2,}[^s']s|\w{2,}ed|went|got|bought|came|left"
)
_ONE_WHO = re.compile(
    r"\bi'?(?: a)?m (?:just |also )?(?:the one|someone|somebody|a person|the (?:type|kind)|one of those) "
)
_STARTS_WITH = re.compile(
    rf"^\W*(?:(?:and|but|so|also|well) )?(?:(?:the|that|this|a|an|some|any|every|my|our|your|his|her"
    rf"|their) (?:[\w-]+ )?)?"
    rf"(?P<who>(?:{kinship.RELATIVES}|guy|girl|man|woman|person|dude|lady"
    rf"|boy)s?)\b(?P<rest>'s? (?:[\w-]+ )?(?P<whose>[\w-]+))?"
    r"(?! and (?:i|me|ich|je|yo)\b)"
)
_NOUN_DOES = re.compile(
    r"^\W*(?:(?:and|but|so|also|half|all|most of|some of|many of) )*(?:my|our|the|an?|this|that|some|every|his|her"
    r"|their|your|[\w-]+'s)"
    r" (?:[\w'-]+ ){0,2}?(?P<who>[\w-]+) (?:(?:just|also|still|always|never|already|recently|really) )?(?=(?:is|was"
    r"|has|had|does|came|went|got|spoke|wrote|taught|drove|made|gave|took)\b"
    r"|(?!as\b|this\b|always\b|its\b)[a-z]{2,}[^s'\W]s\b|[a-z]{2,}ed\b)"
)
"""A clause that begins with a noun and its verb."""
_OF_ONESELF = frozenset(
    "name nickname birthday timezone job age hobby pronouns goal dream plan favourite favorite".split()
)


def actor_of(clause: str, position: int, capitals: set[str], *, uses: bool = False) -> str | None:
    """The actor of the verb at a position: "i", the word for another, or None when no one is named.

    With `uses`, the speaker's own things stand for the speaker, like a laptop that runs Debian.
    """
    before = [token[0] for token in TOKEN.finditer(clause[:position])]
    verb = [token[0] for token in TOKEN.finditer(clause[position:])][:2]
    if verb[1:] and verb[1] in ("me", "us", "my"):
        return "i"
    preceding = next((word for word in reversed(before) if word not in _SKIPPED), "")
    if preceding in FIRST or (preceding.startswith("who") and _ONE_WHO.search(clause)):
        return "i"
    if preceding in OTHERS or (preceding and _is_person(preceding, before, verb, capitals)):
        return preceding
    return _noun_actor(clause, position, before, uses) or _nearest_actor(before, capitals)


def _noun_actor(clause: str, position: int, before: Sequence[str], uses: bool) -> str | None:
    """The noun with which a clause begins, if it is the actor."""
    noun = _NOUN_DOES.match(clause)
    if noun and noun.end() <= position and not _is_own_noun(noun["who"]) and not FIRST.intersection(before):
        return "i" if uses and before[0] in ("my", "our") and not kinship.person(noun["who"]) else noun["who"]
    start = _STARTS_WITH.match(clause)
    if start is None or start.end("who") > position:
        return None
    return start["whose"] if start["whose"] and kinship.person(start["whose"]) else start["who"]


def _nearest_actor(before: Sequence[str], capitals: set[str]) -> str | None:
    nearest = next((word for word in reversed(before) if word in FIRST or word in OTHERS), None)
    if nearest is None:
        return next((word for word in before[1:] if fold(word) in capitals and word not in _NOT_NAMES), None)
    return "i" if nearest in FIRST else nearest


def _is_own_noun(noun: str) -> bool:
    return noun in _OF_ONESELF or word_forms.is_function_word(noun)


def _is_person(word: str, before: Sequence[str], verb: Sequence[str], capitals: set[str]) -> bool:
    index = len(before) - 1 - list(reversed(before)).index(word)
    if any(other in _LINKS for other in before[max(0, index - 2) : index]):
        return False
    name = fold(word.removesuffix("'s"))
    if name in kinship.PEOPLE:
        return True
    if name not in capitals or name in _NOT_NAMES or name.endswith("ly"):
        return False
    form = before[index + 1] if index + 1 < len(before) else verb[0] if verb else ""
    return PERSON_FORM.fullmatch(form) is not None
