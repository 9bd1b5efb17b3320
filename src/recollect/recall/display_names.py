"""What people are called where a model reads it, so that nobody passes for the assistant or for somebody else.

The first person in a guild with a name keeps it as it is. Everyone else whose name looks the same, and everyone whose
name looks like the assistant's, gets a tag made from their id, as in `Ann#3f2a`; no name contains a `#` by itself (see
`policy.rendering.named`). Who was first is noted in the store: a line that was shown once stays as it is, and so does
the cached beginning of a prompt.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from recollect.core.ports import Tx
from recollect.core.text import collapse_spaces, digest, fold, join_escaped
from recollect.core.types import Message, Place

ROLES = ("assistant", "the assistant", "bot", "system", "developer", "tool", "the speaker", "someone", "someone else")
"""Names by which prompts call somebody themselves."""
_TAG_CHARS = 4
LIST = "called:"
"""How the names of the lists begin that say who was first with a name in a guild; their items are ids of people."""

_LOOK_ALIKE = {  # letters of other scripts, and what they look like, one for one
    "АВЕКМНОРСТУХІЈЅԌԚԜӀ": "ABEKMHOPCTYXIJSGQWI",  # Cyrillic
    "авекмнорстухіјѕԁһԛԝӏгп": "abekmhopctyxijsdhqwlrn",  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ": "ABEZHIKMNOPTYXCJ",  # Greek
    "αβεικνορτυχϲϳηγω": "abeikvoptuxcjnyw",  # Greek
    "օոսհցզյ": "onuhgqj",  # Armenian
    "ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏟᏢᏞᏴᏙᏦ": "DRTAJEWMHGZSCPLBVK",  # Cherokee
    "ɑɡɩıøđłħŧɫʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢᴀ": "agiiodlhtlbcdefghijklmnoprstuvwyza",  # Latin
}
_SQUARED = {first + place: chr(97 + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
_LETTERS = _SQUARED | str.maketrans("".join(_LOOK_ALIKE), "".join(_LOOK_ALIKE.values()))
_SAME = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l"})
_UNSEEN = frozenset("\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
"""Letters and marks that show nothing."""
_DECORATION = (
    *(range(0x1AB0, 0x1B00), range(0x1DC0, 0x1E00), range(0x20D0, 0x2100)),
    *(range(0xFE00, 0xFE10), range(0xFE20, 0xFE30), range(0xE0100, 0xE01F0)),
)
"""Marks that are put on letters of any script, and variants of a character."""


@lru_cache(maxsize=4096)
def skeleton(name: str) -> str:
    """What names that look alike have in common: letters and digits in one case, width and script."""
    plain = unicodedata.normalize("NFKD", name).translate(_LETTERS)
    letters = "".join(char for char in fold(plain).translate(_LETTERS) if _is_seen(char))
    alike = letters.translate(_SAME).replace("rn", "m").replace("vv", "w")
    return alike or collapse_spaces(fold(name))


def _is_seen(char: str) -> bool:
    if char in _UNSEEN or any(ord(char) in marks for marks in _DECORATION):
        return False
    return char.isalnum() or char == "|" or unicodedata.category(char) in ("Mn", "Mc")


def tag(user: str) -> str:
    """What tells a person from others of the same name; it says nothing about them."""
    return f"#{digest('name', user)[:_TAG_CHARS]}"


def claim(tx: Tx, message: Message) -> None:
    """Note who has a name, unless somebody has it already."""
    key = _claim(message)
    if key is not None and not tx.state.items(key):
        tx.state.append(key, message.author)


def release(tx: Tx, message: Message) -> None:
    """The author of a message is erased: the name is free again."""
    key = _claim(message)
    if key is not None and message.author in tx.state.items(key):
        tx.state.clear(key)


def _claim(message: Message) -> str | None:
    """Where it is noted; in a DM there is nobody to be mistaken for but the assistant."""
    place = message.place
    if message.bot or place.dm is not None:
        return None
    return f"{LIST}{join_escaped(':', place.platform, _home(place), digest(skeleton(_name(message)))[:32])}"


def _home(place: Place) -> str:
    """Where names are told apart: the whole guild, as short-term memory tells of all its channels."""
    return place.stream if place.guild is None else place.guild


def _name(message: Message) -> str:
    return message.name or message.author


class Names:
    """Whose names are the assistant's own, and who needs a tag."""

    def __init__(self, *reserved: str) -> None:
        self._reserved: set[tuple[str | None, str]] = set()
        for name in (*ROLES, *reserved):
            self.reserve(name)

    def reserve(self, name: str, place: Place | None = None) -> None:
        """This is what the assistant is called: everywhere, or in the guild of a place."""
        if collapse_spaces(name):
            self._reserved.add((None if place is None else _home(place), skeleton(name)))

    def tagged(self, tx: Tx, messages: Iterable[Message]) -> Sequence[Message]:
        """The messages, with a tag on the names of those who could pass for somebody else."""
        listed = list(messages)
        bots = {skeleton(_name(message)) for message in listed if message.bot}
        first: dict[str, str] = {}
        return [self._tagged(tx, message, bots, first) for message in listed]

    def _tagged(self, tx: Tx, message: Message, bots: set[str], first: dict[str, str]) -> Message:
        if message.bot:
            return message
        key, alike = _claim(message), skeleton(_name(message))
        if alike in bots or not self._reserved.isdisjoint({(None, alike), (_home(message.place), alike)}):
            return replace(message, tag=tag(message.author))
        if key is None:
            return message
        if key not in first:  # what an earlier version kept has no claims: then the first of those at hand counts
            first[key] = next(iter(tx.state.items(key)), message.author)
        return message if first[key] == message.author else replace(message, tag=tag(message.author))
