"""The speaker in a chat: one person at a terminal can play several people in several places."""

from dataclasses import dataclass, replace

from recollect.core.errors import BadInput
from recollect.core.types import AudienceLevel, Place
from recollect.faces.cli import places

ME = "me"
"""The default user."""


@dataclass(frozen=True, slots=True)
class ChatSpeaker:
    user: str
    place: Place
    closed: frozenset[str] = frozenset()
    """Channels and threads that were entered with `--restricted`: they stay closed, even if named without it later."""

    @classmethod
    def at(cls, user: str, place: Place) -> "ChatSpeaker":
        return cls(user, place, _closed_parts(place))

    def with_name(self, name: str) -> "ChatSpeaker":
        """Someone else in the same place; from a DM, in their own DM."""
        name = name.strip()
        if not name:
            raise BadInput("say who speaks, as in: /as ann")
        return replace(self, user=name, place=Place(dm=name) if self.place.dm is not None else self.place)

    def moved_to(self, words: str) -> "ChatSpeaker":
        """The same person in another place: `#dev`, `guild/#dev`, `#staff --restricted`."""
        restricted = "--restricted" in words.split()
        place_name = " ".join(word for word in words.split() if word != "--restricted")
        if not place_name:
            raise BadInput("say where, as in: /in #dev")
        place = places.parse(place_name, self.user, restricted)
        place = replace(
            place,
            public=place.public and place.channel not in self.closed,
            private_thread=place.private_thread or place.thread in self.closed,
        )
        return replace(self, place=place, closed=self.closed | _closed_parts(place))

    def in_dm(self) -> "ChatSpeaker":
        return replace(self, place=Place(dm=self.user))

    @property
    def display_name(self) -> str:
        return "you" if self.user == ME else self.user

    @property
    def label(self) -> str:
        """`you`, `ann in #dev`, `ann in guild/#dev`."""
        return self.display_name if self.place.dm is not None else f"{self.display_name} in {self.place_name}"

    @property
    def place_name(self) -> str:
        place = self.place
        if place.dm is not None:
            return "a direct message"
        path = (place.thread or place.channel or "").split("#")[1:]
        guild = "" if place.guild == places.HOME else f"{place.guild}/"
        closed = "" if place.audience.level == AudienceLevel.GUILD else " (closed)"
        return f"{guild}#{'/'.join(path)}{closed}"

    @property
    def description(self) -> str:
        """The speaker, the place and its audience in words."""
        match self.place.audience.level:
            case "dm":
                listeners = f"{self.display_name} alone"
            case "guild":
                listeners = f"everyone in {self.place.guild}"
            case _:
                listeners = "those who can read it"
        return f"{self.display_name} in {self.place_name}: heard by {listeners}"


def _closed_parts(place: Place) -> frozenset[str]:
    """The closed channel and thread of a place."""
    channel = place.channel if not place.public else None
    thread = place.thread if place.private_thread else None
    return frozenset(filter(None, (channel, thread)))
