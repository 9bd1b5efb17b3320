"""Orders to the assistant that pass for facts. Judged by their build, never by single words:
"API uses JWT tokens" and "please answer in German" are fine, "ignore previous instructions" is not.
"""

import re
import unicodedata
from functools import lru_cache

from recollect.policy.guard.instruction_patterns import instruction_patterns

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
_JOINERS = re.compile("[\u200c\u200d]")
"""Invisible too, but emoji and Persian words need them."""
_PAIRS = (  # Cyrillic, Greek, Armenian and other letters that pass for a Latin one
    "аa еe оo рp сc уy хx іi јj ѕs ԁd һh кk мm тt вb нh гr пn ԛq ԝw єe οo αa εe ιi νv ρp τt υu χx κk ηn ωw γy βb μm σo "
    "δd ոn սu հh ցg օo քq յj լl գq աw ɡg ıi łl øo đd ħh"
)
_LOOK_ALIKES = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
_SPELLED = re.compile(r"(?<!\w)\w(?:[ .·_-]\w){3,}(?!\w)")
"""Letters with a gap after each, as in "s y s t e m"."""


def visible(text: str) -> str:
    """Without characters that show nothing: words could be hidden from every rule with them."""
    return _INVISIBLE.sub("", text)


@lru_cache(maxsize=256)
def is_instruction(text: str) -> bool:
    """Whether a text orders the assistant about rather than telling something.

    Fact, evidence and sentence are often the same words: each is judged once.
    """
    plain = unicodedata.normalize("NFKC", visible(text[:2000])).casefold().replace("’", "'")
    plain = _JOINERS.sub("", plain)
    forms = dict.fromkeys(" ".join(form.split()) for form in (plain, _unmasked(plain)))
    return any(_shows_sign(form) for form in forms)


def _shows_sign(form: str) -> bool:
    for words, sign in instruction_patterns():
        for word in words:
            if word in form:
                if sign.search(form):
                    return True
                break
    return False


def _unmasked(plain: str) -> str:
    """With the letters that are meant: no look-alikes, no accents, no gaps between the letters of a word."""
    if not plain.isascii():
        bare = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in bare if not unicodedata.combining(char)).translate(_LOOK_ALIKES)
    return _SPELLED.sub(lambda spelled: re.sub(r"[ .·_-]", "", spelled[0]), plain)
