"""Likes and dislikes, as opposed to praise of something at hand: "I love rowing", not "I love the frame"."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding

_EXPRESSIONS = expressions("tastes")


def taste(reading: Reading) -> Finding | None:
    verb, phrase = reading.verb(), _EXPRESSIONS.adverb.sub("", trim_object(reading["o"]))
    if _EXPRESSIONS.not_a_taste.match(phrase) or _EXPRESSIONS.finite_verb.match(phrase) or _is_at_hand(verb, phrase):
        return None
    rephrased = object_phrase(phrase)
    if phrase.lower().startswith("our ") or re.search(r"\b(?:more|the most|sometimes)$", trim_object(reading["o"])):
        return None
    if (
        _is_about_work(verb, phrase)
        or _is_about_code(verb, phrase)
        or (phrase.startswith("to ") and len(phrase.split()) > 9)
    ):
        return None
    if (
        rephrased is None
        or re.search(r"\bmore (?:that|then)\b", phrase)
        or (" than " in phrase and "rather than" not in phrase)
    ):
        return None
    if verb.startswith("cannot stand"):
        return make_finding(f"can't stand {rephrased}", Kind.PREFERENCE)
    if verb.startswith("do not"):
        return make_finding(f"doesn't {verb.split()[-1]} {rephrased}", Kind.PREFERENCE)
    return make_finding(f"{conjugate(verb)} {rephrased}", Kind.PREFERENCE)


def fancies(reading: Reading) -> Finding | None:
    """ "Am a huge fan of trains", "am not a morning person"."""
    phrase = object_phrase(reading["o"])
    fan = re.match(r".*?\bfan of ", phrase or "")
    liked = phrase[fan.end() :] if phrase and fan else ""
    is_passing = _is_at_hand("like", liked) or _is_about_work("like", liked) or liked.startswith("just ")
    if phrase is None or (fan and is_passing):
        return None
    return make_finding(("isn't " if " not " in reading[0] else "is ") + phrase, Kind.PREFERENCE)


def _is_about_work(verb: str, phrase: str) -> bool:
    """An opinion on the matter at hand: "I like a more common table approach"; love is for what lasts."""
    return verb not in ("love", "enjoy", "adore") and _EXPRESSIONS.at_work.search(phrase) is not None


def _is_about_code(verb: str, phrase: str) -> bool:
    """Praise of a piece of code: "I like named break"; a choice between two, or love, counts."""
    if verb in ("love", "enjoy", "adore") or re.search(r"\b(?:over|to|rather than|instead of)\b", phrase):
        return False
    return any(word in lexicon.words("code_words") for word in re.split(r"[^\w+#]+", phrase.lower()))


def _is_at_hand(verb: str, phrase: str) -> bool:
    """Whether it is something particular at hand: "the traffic", "my printer" that is hated; not "the Beatles"."""
    article, _, noun = phrase.partition(" ")
    if article.lower() == "the":
        is_known = noun[:1].isupper() or _EXPRESSIONS.unique_noun.match(noun)
        return bool(_EXPRESSIONS.appearance.search(noun)) or not is_known
    if "'s " in phrase and _EXPRESSIONS.appearance.search(phrase):
        return True
    inside = _EXPRESSIONS.article_inside.search(phrase)
    if inside and not _EXPRESSIONS.generic.match(phrase, inside.end()):
        return True
    return article.lower() in ("my", "our") and verb not in ("love", "like", "enjoy", "adore", "prefer")


def comparison(reading: Reading) -> Finding | None:
    """ "I like vanilla more than chocolate"."""
    better, worse = object_phrase(reading["o"]), object_phrase(reading["than"])
    if better is None or worse is None or any(_is_about_work("like", each) for each in (better, worse)):
        return None
    return make_finding(f"{conjugate(reading.verb())} {better} {reading['more']} than {worse}", Kind.PREFERENCE)


def no_enthusiast(reading: Reading) -> Finding | None:
    """ "Isn't a big turkey fan"."""
    how = "much of " if " much of " in reading[0] else ""
    phrase = object_phrase(reading["o"])
    return make_finding(f"isn't {how}{phrase}", Kind.PREFERENCE, LIKELY) if phrase else None


def fears(reading: Reading) -> Finding | None:
    """ "Is afraid of spiders"; not "is afraid of breaking it"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or _EXPRESSIONS.no_fear.match(phrase) or len(phrase.split()) > 5:
        return None
    how = reading["how"].lower()
    statement = f"has a {how} of {phrase}" if how in ("fear", "phobia") else f"is {how} of {phrase}"
    return make_finding(statement, Kind.FACT)


def enthusiast(reading: Reading) -> Finding | None:
    """ "Is a Patriots fan", "is a huge Star Wars nerd"."""
    phrase = object_phrase(re.sub(r"^such (?=an? )", "", reading["o"]))
    if phrase is None or _EXPRESSIONS.no_enthusiast.search(phrase):
        return None
    return make_finding(f"is {phrase}", Kind.PREFERENCE)


def interest(reading: Reading) -> Finding | None:
    """ "Is interested in type theory"; not "in seeing how it goes"."""
    phrase, words = object_phrase(reading["o"]), reading["how"].lower()
    is_open = words in ("interested in", "keen on") and _EXPRESSIONS.no_interest.match(phrase or "")
    if phrase is None or is_open or _is_at_hand("like", phrase) or len(phrase.split()) > 9:
        return None
    return make_finding(f"is {words} {phrase}", Kind.PREFERENCE, LIKELY)


def always(reading: Reading) -> Finding | None:
    """ "Has always loved strategy games", "has always wanted to learn Spanish"."""
    phrase, verb = object_phrase(reading["o"]), reading.verb()
    if phrase is None or _EXPRESSIONS.not_a_taste.match(phrase) or len(phrase.split()) > 12:
        return None
    if verb.startswith("wanted") and not re.match(
        r"(?:learn|visit|be|become|go to|own|play|live|travel|write)\b", phrase
    ):
        return None
    return make_finding(f"has always {verb} {phrase}", Kind.PREFERENCE, LIKELY)


def takes_to(reading: Reading) -> Finding | None:
    """ "Has gotten into yoga"."""
    phrase, verb = object_phrase(reading["o"]), reading.verb()
    if phrase is None:
        return None
    return make_finding(f"{'is' if verb == 'got' else f'has {verb}'} into {phrase}", Kind.PREFERENCE, LIKELY)


def only_one(reading: Reading) -> Finding | None:
    """ "Swimming is the only exercise I enjoy"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > 4:
        return None
    return make_finding(f"{phrase} is the only {reading['what']} they {reading['verb'].lower()}", Kind.PREFERENCE)
