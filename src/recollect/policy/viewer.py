"""Who speaks where: whose memory is meant, what may be heard there, and where a statement comes from."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.errors import BadInput
from recollect.core.ports import Corpus
from recollect.core.text import escape
from recollect.core.types import EVERYWHERE, LORE, Audience, Memo, Message, Origin, Place, Provenance, Subject
from recollect.policy.visibility import VisibilityPolicy, audience_covers_place, is_visible, of_source


@dataclass(frozen=True, slots=True)
class Viewer:
    """Whether something may be heard by whoever is in a place where `user` speaks: asked by every read path."""

    user: str
    place: Place
    policy: VisibilityPolicy
    at: datetime | None
    """When; None where what has expired counts too."""

    def __call__(self, what: Memo | Message) -> bool:
        if isinstance(what, Message):
            return audience_covers_place(what.place.audience, self.place)
        return not self._expired(what) and is_visible(what, self.place, {self.user}, self.policy)

    def can_tell(self, memo: Memo, present: Collection[str]) -> bool:
        """The same for someone else's memo, where these people take part: a wall between guilds holds, but
        nobody's private words are told to others, not even where each may carry their own everywhere.
        """
        policy = self.policy
        if policy is VisibilityPolicy.USER_GLOBAL:
            policy = VisibilityPolicy.BY_AUDIENCE
            if memo.audience == EVERYWHERE:  # the default there, and so nobody's decision to share it
                memo = replace(memo, audience=of_source(memo.source, memo.subject.id))
        return not self._expired(memo) and is_visible(memo, self.place, present, policy)

    def _expired(self, memo: Memo) -> bool:
        return self.at is not None and memo.expires is not None and memo.expires <= self.at


def subject_of(user: str, place: Place, lore: bool = False) -> Subject:
    """Whose memory is meant; raises BadInput for a name that nobody can have."""
    if lore:
        if place.guild_key is None:
            raise BadInput("lore belongs to a guild; say it in one of its channels")
        return Subject.lore(place.guild_key)
    return Subject(valid_user(user))


def valid_user(name: str) -> str:
    """The name, if somebody can have it; raises BadInput."""
    if not name.strip() or name == LORE:
        raise BadInput(f"{name!r} is not a user")
    return name


def session_name(place: Place, user: str | None) -> str:
    """The conversation that is meant: the place's, or one user's share of it."""
    return place.session if user is None or place.dm is not None else f"{place.session}:user:{escape(user, ':')}"


def guild_audience(place: Place) -> Audience:
    return Audience("guild", place.guild_key or "", place.guild_key or "")


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
        heard=place.audience,
    )


def search_scopes(user: str, place: Place, over: Corpus, subject: str) -> list[str]:
    if over == "messages":
        return [place.stream]
    scopes = [Subject(user).scope] if subject != "lore" else []
    if place.guild_key is not None and subject != "mine":
        scopes.append(Subject.lore(place.guild_key).scope)
    return scopes
