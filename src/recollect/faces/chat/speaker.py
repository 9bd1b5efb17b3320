"""Who speaks where in a chat: one person at a terminal can be several, in several places."""

from dataclasses import dataclass, replace

from recollect.core.errors import BadInput
from recollect.core.types import Place
from recollect.faces.cli import places

ME = "me"
"""Who speaks unless someone is named."""


@dataclass(frozen=True, slots=True)
class ChatSpeaker:
    user: str
    place: Place
    closed: frozenset[str] = frozenset()
    """Channels and threads that were closed when they were entered: they stay so, however they are named later."""

    @classmethod
    def at(cls, user: str, place: Place) -> "ChatSpeaker":
        return cls(user, place, _shut(place))

    def named(self, name: str) -> "ChatSpeaker":
        """Somebody else; from a DM they go to their own."""
        name = name.strip()
        if not name:
            raise BadInput("say who speaks, as in: /as ann")
        return replace(self, user=name, place=Place(dm=name) if self.place.dm is not None else self.place)

    def entering(self, words: str) -> "ChatSpeaker":
        """Somewhere else: `#dev`, `guild/#dev`, `#staff --restricted`."""
        restricted = "--restricted" in words.split()
        where = " ".join(word for word in words.split() if word != "--restricted")
        if not where:
            raise BadInput("say where, as in: /in #dev")
        place = places.parse(where, self.user, restricted)
        place = replace(
            place,
            public=place.public and place.channel not in self.closed,
            private_thread=place.private_thread or place.thread in self.closed,
        )
        return replace(self, place=place, closed=self.closed | _shut(place))

    def alone(self) -> "ChatSpeaker":
        return replace(self, place=Place(dm=self.user))

    @property
    def who(self) -> str:
        return "you" if self.user == ME else self.user

    @property
    def label(self) -> str:
        """`you`, `ann in #dev`, `ann in guild/#dev`."""
        return self.who if self.place.dm is not None else f"{self.who} in {self.where}"

    @property
    def where(self) -> str:
        place = self.place
        if place.dm is not None:
            return "a direct message"
        path = (place.thread or place.channel or "").split("#")[1:]
        guild = "" if place.guild == places.HOME else f"{place.guild}/"
        closed = "" if place.audience.level == "guild" else " (closed)"
        return f"{guild}#{'/'.join(path)}{closed}"

    @property
    def described(self) -> str:
        """Who speaks where, and who hears it."""
        match self.place.audience.level:
            case "dm":
                heard = f"{self.who} alone"
            case "guild":
                heard = f"everyone in {self.place.guild}"
            case _:
                heard = "those who can read it"
        return f"{self.who} in {self.where}: heard by {heard}"


def _shut(place: Place) -> frozenset[str]:
    """What is closed about a place."""
    channel = place.channel if not place.public else None
    thread = place.thread if place.private_thread else None
    return frozenset(filter(None, (channel, thread)))
