"""Whether a fact uses the words of its message: other forms of a word count, other words don't.

A fact in another language than its message can't be compared word by word: it passes here, and only its numbers and
names are checked. Languages are recognized by their function words, scripts by their letters.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

from recollect.core.text import words
from recollect.language import kinship
from recollect.language.related_words import IMPLIED_BY, RELATED_TO

MIN_SHARE, MIN_FOREIGN_SHARE, MIN_UNSPACED_SHARE = 1, 4 / 5, 1 / 2
"""Share of a fact's content words that must have been said; less for languages with more inflection than English."""
_MIN_LANGUAGE_WORDS = 4
"""From this many words on, a text without any known function word is in an unknown language."""
_MIN_STEM_CHARS, _MAX_ENDING_CHARS = 4, 5

_ENGLISH = frozenset(
    """
    a an the i im ive id ill me my mine myself we our us you your he she his her him they their them it its is am are
    was were be been being do does did doing done have has had having and or but so that this these those there here
    of in on at for with as by from to into about over under out up not never dont doesnt didnt cant cannot isnt
    arent wasnt werent wont wouldnt havent hasnt couldnt shouldnt theirs what which who when where why how if than
    then too very really just also still now currently all each every always usually some any more most much many
    will would can could should
    """.split()
)
_FOREIGN = frozenset(
    """
    ich bin ist und der die das ein eine einen einem nicht kein keine mein meine mit auf für fur aus auch sehr wir habe
    hat mag zu im von den dem es sind wohne heute
    je suis le la les un une et est pas mon mes des du dans avec pour jai habite nous sur aime
    yo soy el los las es que mi mis con para por una vivo tengo muy gusta estoy en trabajo desde
    eu sou o os um uma meu minha nao moro tenho com muito gosto de e em na da do
    io sono il lo gli che per non mio mia ho abito di al
    als bei seit arbeite spiele lerne esse gern comme chez travaille mange joue como trabalho num numa em
    sono da lavoro ogni piu molto sto
    ik ben het een niet mijn met van en jag ar och inte min jestem nie mam w z ben bir ve
    """.split()
)
_SHARED = frozenset("a in an so am was will me as on or do no die van met ben min per la".split())
"""Words of English and of other languages: they count only where no other function word occurs."""
_ABOUT_A_PERSON = frozenset(
    """
    user users person someone somebody people thing things likes like liked loves love loved enjoys enjoy enjoyed hates
    hate hated dislikes dislike prefers prefer preferred preference preferences favors favours uses use used using works
    work worked working employed employee job lives live lived living resides reside based wants want wanted wishes
    needs need owns own owned has keeps gets got called named name names known goes go went going comes came speaks
    speak spoke says said told tells thinks knows plays play played playing studies study studied studying student plans
    planning plan interested interest interests fan adores adore travels traveled travelled visits
    old age aged year years month months week weeks day days today tomorrow yesterday date
    time once first last next since ago until during between around near same other another own former formerly
    previously longer anymore both via per etc able reply replies answer answers response responses answered be made
    makes make does doing moved moves move moving happened recently certain currently regularly often only
    sometimes considering considers considered thinking rather instead kind type sort way lot because while within
    without timezone zone pronouns location no nor themselves himself herself few little
    nutzer benutzer mag hat wohnt lebt heisst ist utilisateur aime habite est usuario vive tiene gusta es usuário mora
    gosta tem utente vive ha isst spricht fahrt liest lauft schlaft hasst liebt arbeitet travaille trabaja trabalha
    parle habla fala va fait hace sabe joue juega toca
    пользователь живет любит работает
    """.split()
)
"""Words with which facts are retold in the third person. `entailment` checks those that claim something; the others
need no source."""
_CALENDAR = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|.*\d.*"
)
_OLD = re.compile(
    r"(?<!year )(?<!years )(?<!month )(?<!months )(?<!weeks )(?<!days )(?<!year-)(?<!month-)\bold\b", re.IGNORECASE
)
"""An adjective, not part of an age."""
_NUMBERS = frozenset(
    "two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand".split()
)
_SENSITIVE = re.compile(
    r"allerg|cancer|pregnan|sick|ill$|disease|disorder|depress|addict|alcohol|crimin|arrest|prison|convict|fired|divorc"
    r"|gay|lesbian|bisexual|transgender|hiv|suicid|bankrupt|dead|died|disabl|diabet|autis|infect|abus"
)
"""Harmful if wrong: such a word must itself have been said."""
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_UNSPACED_EMPTY = frozenset("的了是在我你他她用户は私がのをにでと、사용자는은이가을를에")


_LETTER = re.compile("[A-Za-z]")


def is_worded_from(source: str, fact: str, speaker: str = "") -> bool:
    """Whether enough of the fact's content words were said, and all the sensitive ones."""
    if not is_comparable(source, fact):
        return True
    required = content_words(fact, speaker)
    source_words = set(tokens(source))
    missing = [word for word in required if not is_stated(word, source_words)]
    if any(map(_SENSITIVE.match, missing)):
        return False
    return len(required) - len(missing) >= math.ceil(_min_share(fact) * len(required))


def _min_share(fact: str) -> float:
    if is_english(fact):
        return MIN_SHARE
    return MIN_UNSPACED_SHARE if _UNSPACED.search(fact) else MIN_FOREIGN_SHARE


def is_comparable(source: str, fact: str) -> bool:
    """Whether both seem to be in the same script and language."""
    script = _script(source)
    if script != _script(fact):
        return False
    return script != "LATIN" or is_english(source) or is_foreign(fact)


def is_english(text: str) -> bool:
    """Whether a text is English, or too short to tell."""
    english, foreign, size = _count_function_words(text)
    return english >= foreign and (english > 0 or size < _MIN_LANGUAGE_WORDS) and _script(text) in ("LATIN", "")


def is_surely_english(text: str) -> bool:
    english, foreign, _ = _count_function_words(text)
    return english > foreign and _script(text) == "LATIN"


def is_foreign(text: str) -> bool:
    """Whether a text is certainly not English."""
    english, foreign, _ = _count_function_words(text)
    return foreign > english or _script(text) not in ("LATIN", "")


@lru_cache(maxsize=16)
def _count_function_words(text: str) -> tuple[int, int, int]:
    """Number of English function words, of foreign ones, and of all words."""
    all_words = words(text)
    telling = [word for word in all_words if word not in _SHARED]
    english, foreign = sum(word in _ENGLISH for word in telling), sum(word in _FOREIGN for word in telling)
    if not (english or foreign):
        english, foreign = sum(word in _ENGLISH for word in all_words), sum(word in _FOREIGN for word in all_words)
    return english, foreign, len(all_words)


@lru_cache(maxsize=64)
def content_words(fact: str, speaker: str = "") -> tuple[str, ...]:
    """The words that carry a fact's meaning: no function words, no dates, nothing that any fact may say of a person."""
    names = words(speaker)
    foreign = is_foreign(fact)
    candidates = (word for word in dict.fromkeys(tokens(fact)) if word not in names and not _is_empty(word))
    content = [word for word in candidates if not (is_frame_word(word) or (foreign and word in _FOREIGN))]
    return (*content, "old") if _OLD.search(fact) else tuple(content)


def is_function_word(word: str) -> bool:
    return word in _ENGLISH


def is_frame_word(word: str) -> bool:
    """Whether any fact may contain this word, whatever it is about."""
    return word in _ENGLISH or word in _ABOUT_A_PERSON or word in _UNSPACED_EMPTY


def tokens(text: str) -> list[str]:
    """Words, and single characters of scripts without spaces."""
    return [word for word in words(text) if len(word) == 1 or not _UNSPACED.match(word)]


def _is_empty(word: str) -> bool:
    """Single letters, numbers and parts of dates: numbers and dates are checked elsewhere."""
    if len(word) == 1:
        return not _UNSPACED.match(word)
    return word in _NUMBERS or _CALENDAR.fullmatch(word) is not None


def is_stated(word: str, source_words: Collection[str]) -> bool:
    """Whether a word was said, in any form, or is implied by one that was."""
    if word in source_words:
        return True
    implying = IMPLIED_BY.get(word, ())
    return any(other in implying or is_form(word, other) for other in source_words)


def has_form(word: str, others: Collection[str]) -> bool:
    """Whether a word is among others, in any form."""
    return word in others or any(is_form(word, other) for other in others)


@lru_cache(maxsize=8192)
def is_form(first: str, second: str) -> bool:
    """Whether two words are forms of one: "allergy" and "allergic", "nut" and "nuts"."""
    if first == second:
        return True
    if kinship.is_same_person(first, second) or second in RELATED_TO.get(first, ()):
        return True
    first, second = _american_spelling(first), _american_spelling(second)
    short, long = sorted((first, second), key=len)
    if len(short) >= 3 and long.startswith(short):
        return len(long) - len(short) <= (2 if len(short) == 3 else _MAX_ENDING_CHARS)
    stem_chars = max(_MIN_STEM_CHARS if first.isascii() else 3, math.ceil(0.6 * len(short)))
    has_common_stem = first[:stem_chars] == second[:stem_chars] and len(short) >= stem_chars
    return has_common_stem and len(long) - stem_chars <= _MAX_ENDING_CHARS


def _american_spelling(word: str) -> str:
    return word.replace("our", "or").replace("ise", "ize").replace("isi", "izi")


def _script(text: str) -> str:
    """The script of most letters, by its Unicode name; all scripts without spaces count as one."""
    if text.isascii():
        return "LATIN" if _LETTER.search(text) else ""
    counts = Counter(_script_of(char) for char in text[:2000] if char.isalpha())
    return counts.most_common(1)[0][0] if counts else ""


@lru_cache(maxsize=4096)
def _script_of(char: str) -> str:
    if char.isascii():
        return "LATIN"
    if _UNSPACED.match(char):
        return "UNSPACED"
    name = unicodedata.name(char, "")
    return "LATIN" if name.startswith("FULLWIDTH LATIN") else name.partition(" ")[0]
