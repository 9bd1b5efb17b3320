"""Who speaks where: whose memory is meant, what may be heard there, and where a statement comes from."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from recollect.audience import Policy, is_heard, may_hear
from recollect.errors import BadInput
from recollect.ports import Corpus
from recollect.text import squeeze
from recollect.types import LORE, Audience, Memo, Message, Origin, Place, Provenance, Status, Subject

LONGEST_MEMO = 8_000
"""Characters of one memo: more is a document, not something to remember."""


@dataclass(frozen=True, slots=True)
class Audible:
    """Whether something may be heard by whoever is in a place where `user` speaks: asked by every read path."""

    user: str
    place: Place
    policy: Policy
    at: datetime | None
    """When; None where what has expired counts too."""

    def __call__(self, what: Memo | Message) -> bool:
        if isinstance(what, Message):
            return is_heard(what.place.audience, self.place)
        return not self._expired(what) and may_hear(what, self.place, {self.user}, self.policy)

    def among(self, memo: Memo, present: Collection[str]) -> bool:
        """The same for someone else's memo, where these people take part: a wall between guilds holds, but
        nobody's private words are told to others, not even where each may carry their own everywhere.
        """
        policy = Policy.DUAL if self.policy is Policy.USER_GLOBAL else self.policy
        return not self._expired(memo) and may_hear(memo, self.place, present, policy)

    def _expired(self, memo: Memo) -> bool:
        return self.at is not None and memo.expires is not None and memo.expires <= self.at


def is_forgotten(resting: Collection[Memo]) -> bool:
    """Whether what rests on a message was forgotten by its owner, and nothing else is left of it."""
    return any(memo.status is Status.DEPRECATED for memo in resting) and not any(memo.active for memo in resting)


def subject_of(user: str, place: Place, lore: bool = False) -> Subject:
    """Whose memory is meant; raises BadInput for a name that nobody can have."""
    if lore:
        if place.guild is None:
            raise BadInput("lore belongs to a guild; say it in one of its channels")
        return Subject.lore(place.guild)
    if not user.strip() or user == LORE:
        raise BadInput(f"{user!r} is not a user")
    return Subject(user)


def session_of(place: Place, user: str | None) -> str:
    """The conversation that is meant: the place's, or one user's share of it."""
    return place.session if user is None or place.dm is not None else f"{place.session}:user:{user}"


def whole_guild(place: Place) -> Audience:
    return Audience("guild", place.guild or "", place.guild or "")


def provenance(user: str, place: Place, message: str | None, origin: Origin) -> Provenance:
    """Where a statement came from; a DM has no guild and no channel name, a thread its own name."""
    return Provenance(
        origin=origin,
        actor=user,
        platform=place.platform,
        guild=place.guild,
        channel=place.channel,
        channel_name=None if place.dm else place.name,
        thread=place.thread,
        message=message,
    )


def scopes_of(user: str, place: Place, over: Corpus, subject: str) -> list[str]:
    if over == "messages":
        return [place.stream]
    scopes = [Subject(user).scope] if subject != "lore" else []
    if place.guild is not None and subject != "mine":
        scopes.append(Subject.lore(place.guild).scope)
    return scopes


def memorable(text: str) -> str:
    """A text fit to remember; raises BadInput."""
    plain = squeeze(text)
    if not plain:
        raise BadInput("there is nothing to remember: the text is empty")
    if len(plain) > LONGEST_MEMO:
        raise BadInput(f"{len(plain):,} characters are too long to remember; the limit is {LONGEST_MEMO:,}")
    return plain
