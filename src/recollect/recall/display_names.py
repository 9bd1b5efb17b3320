"""Display names in prompts: no one can pass for the assistant or for another person.

The first person in a guild with a name keeps it as it is. Everyone else whose name looks the same, and everyone whose
name looks like the assistant's or has two scripts in one word, gets a tag made from their id, as in `Ann#3f2a`; no name
contains a `#` by itself (see `policy.rendering.display_name`). Who was first is kept in the store, so that a rendered
line, and with it the cached prefix of a prompt, stays the same.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.text import collapse_spaces, digest, fold, join_escaped
from recollect.core.types import Message, Place
from recollect.language import lexicon
from recollect.policy.headers import HEADERS
from recollect.policy.rendering import MAX_NAME_CHARS

ROLES = (
    *("assistant", "the assistant", "bot", "system", "developer", "tool", "function", "model", "ai", "human"),
    *("the speaker", "this person", "someone", "someone else"),
)
"""Names that prompts themselves use, besides the headers of their sections and the words for "you"."""
_TAG_CHARS = 4
_MAX_NAME_WORDS = 12

_LOOK_ALIKE = {  # letters of other scripts, and what they look like, one for one
    "АВЕКМНОРСТУХІЈЅԌԚԜӀ": "ABEKMHOPCTYXIJSGQWI",  # Cyrillic
    "авекмнорстухіјѕԁһԛԝӏгп": "abekmhopctyxijsdhqwlrn",  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ": "ABEZHIKMNOPTYXCJ",  # Greek
    "αβεικνορτυχϲϳηγω": "abeikvoptuxcjnyw",  # Greek
    "օոսհցզյ": "onuhgqj",  # Armenian
    "ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏟᏢᏞᏴᏙᏦ": "DRTAJEWMHGZSCPLBVK",  # Cherokee
    "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ": "BPDTGKJCZFMNLSRVHWXYAEIOU",  # Lisu
    "ᗩᗷᑕᗪᗴᖴᕼᒍᒪᗰᑎᑭᖇᔕᑌᐯᗯ᙭": "ABCDEFHJLMNPRSUVWX",  # Canadian syllabics
    "ɑɩƦʀ℮": "airre",  # Latin; `_base` has the rest
}
_LATIN = re.compile(r"LATIN .*?LETTER (?:[A-Z-]{2,} )*([A-Z])(?: WITH .+)?")
"""The name of a letter that is another one with a hook, a stroke, turned or as a small capital."""
_ANY_SCRIPT = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "MODIFIER", "COMBINING", "FULLWIDTH"})
"""How the names of letters begin that are written in one word with Latin ones."""
_SQUARED = {first + place: chr(97 + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
_LETTERS = _SQUARED | str.maketrans("".join(_LOOK_ALIKE), "".join(_LOOK_ALIKE.values()))
_SAME_LOOK = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})
_INVISIBLE = frozenset("\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Letters and marks that render as nothing."""
_DECORATION = (
    *(range(0x1AB0, 0x1B00), range(0x1DC0, 0x1E00), range(0x20D0, 0x2100)),
    *(range(0xFE00, 0xFE10), range(0xFE20, 0xFE30), range(0xE0100, 0xE01F0)),
)
"""Marks that are put on letters of any script, and variants of a character."""


@lru_cache(maxsize=4096)
def skeleton(name: str) -> str:
    """The form that look-alike names share: letters and digits in one case, width and script."""
    # Look-alikes are replaced before and after folding, as case changes some of them.
    decomposed = unicodedata.normalize("NFKD", name).translate(_LETTERS)
    folded = fold(decomposed).upper().translate(_LETTERS).lower()  # only upper-case Cherokee is in the table
    letters = "".join(_base(char) for char in folded.translate(_LETTERS) if _is_visible_char(char))
    result = letters.translate(_SAME_LOOK).replace("rn", "m").replace("vv", "w")
    return result or collapse_spaces(fold(name))


@lru_cache(maxsize=4096)
def _base(char: str) -> str:
    """The plain letter of a Latin one."""
    found = None if char.isascii() else _LATIN.fullmatch(unicodedata.name(char, ""))
    return char if found is None else found[1].lower()


@lru_cache(maxsize=4096)
def _mixes_scripts(name: str) -> bool:
    """Whether a word has letters of two scripts: whatever letters these are, they are there for their looks."""
    for word in re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", name)):
        scripts = {unicodedata.name(char, "").partition(" ")[0] for char in word if unicodedata.category(char) != "Lm"}
        if len(scripts - _ANY_SCRIPT) > 1:
            return True
    return False


def _is_visible_char(char: str) -> bool:
    if char in _INVISIBLE or any(ord(char) in marks for marks in _DECORATION):
        return False
    return char.isalnum() or char == "|" or unicodedata.category(char) in ("Mn", "Mc")


def disambiguation_tag(user: str) -> str:
    """A suffix that distinguishes people of the same name and reveals nothing about them."""
    return f"#{digest('name', user)[:_TAG_CHARS]}"


def claim(tx: Tx, message: Message) -> None:
    """Record the owner of a name, unless it has one."""
    key = _claim_key(message)
    if key is not None and not tx.state.items(StateKind.DISPLAY_NAME, key):
        owner = Owner.member(message.person, message.place.guild_key)
        tx.state.append(StateKind.DISPLAY_NAME, key, message.author, owner)


def _claim_key(message: Message) -> str | None:
    """The state key of a name; None in a DM, where only the assistant could be impersonated."""
    place = message.place
    if message.bot or place.dm is not None:
        return None
    return join_escaped(":", place.platform, _namespace(place), _name_digest(_name(message)))


@lru_cache(maxsize=4096)
def _name_digest(name: str) -> str:
    return digest(skeleton(name))[:32]


def _namespace(place: Place) -> str:
    """Names are unique per guild, as short-term memory covers all its channels."""
    return place.stream if place.guild is None else place.guild


def _name(message: Message) -> str:
    return (message.name or message.author)[:MAX_NAME_CHARS]  # as it is displayed


def _named(messages: list[Message]) -> list[Message]:
    known = {(message.place.platform, message.author): message.name for message in messages if message.name}
    if not known or all(message.name for message in messages):
        return messages
    names = (message.name or known.get((message.place.platform, message.author), "") for message in messages)
    return [
        message if name == message.name else replace(message, name=name)
        for message, name in zip(messages, names, strict=True)
    ]


@cache
def _reserved_skeletons() -> frozenset[str]:
    headers = (part for header in HEADERS for part in (header, header.partition("(")[0]))
    return frozenset(map(skeleton, (*ROLES, *lexicon.words("second_persons"), *headers)))


@lru_cache(maxsize=4096)
def _skeletons(name: str) -> frozenset[str]:
    """The skeletons of a name and of each run of its words: "Rec (you)" contains that of "Rec"."""
    parts = re.findall(r"[^\W_]+", name)[:_MAX_NAME_WORDS]
    runs = (parts[start:end] for end in range(1, len(parts) + 1) for start in range(max(0, end - 3), end))
    return frozenset({skeleton(name), *(skeleton(" ".join(run)) for run in runs)})


class Names:
    """The reserved names of the assistant; decides who needs a tag."""

    def __init__(self, *reserved: str) -> None:
        self._own: set[tuple[str | None, str]] = set()
        """Names of the assistant, with the guild where each is reserved; they may not be part of another's name."""
        for name in ("assistant", *reserved):
            self.reserve(name)

    def reserve(self, name: str, place: Place | None = None) -> None:
        """Reserve a name of the assistant: everywhere, or in the guild of a place."""
        if collapse_spaces(name):
            self._own.add((None if place is None else _namespace(place), skeleton(name)))

    def tagged(self, tx: Tx, messages: Iterable[Message]) -> Sequence[Message]:
        """The messages, with a tag on names that could be mistaken for another. One that came without a name has that
        of its author's other messages here.
        """
        batch = _named(list(messages))
        bots = {skeleton(_name(message)) for message in batch if message.bot}
        keys = [_claim_key(message) for message in batch]
        claims = tx.state.some(StateKind.DISPLAY_NAME, {key for key in keys if key is not None})
        # The first claim counts, so that nobody loses a name to someone who takes it later.
        owners = {key: claimed[0] for key, claimed in claims.items()}
        return [self._tag_if_ambiguous(*pair, bots, owners) for pair in zip(batch, keys, strict=True)]

    def _tag_if_ambiguous(self, message: Message, key: str | None, bots: set[str], owners: dict[str, str]) -> Message:
        if message.bot:
            return message
        looks, guild = _skeletons(_name(message)), _namespace(message.place)
        own = any((None, look) in self._own or (guild, look) in self._own for look in looks)
        reserved = skeleton(_name(message)) in _reserved_skeletons() or _mixes_scripts(_name(message))
        if own or reserved or not looks.isdisjoint(bots):
            return replace(message, tag=disambiguation_tag(message.author))
        # Earlier versions recorded no claims: the first message at hand counts.
        is_owner = key is None or owners.setdefault(key, message.author) == message.author
        return message if is_owner else replace(message, tag=disambiguation_tag(message.author))
