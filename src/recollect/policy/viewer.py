"""A user in a place: whose memory is addressed, what is visible there, and the provenance of statements."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.errors import BadInput
from recollect.core.ports import Corpus
from recollect.core.text import escape
from recollect.core.types import (
    EVERYWHERE,
    LORE,
    Audience,
    AudienceLevel,
    Memo,
    Message,
    Origin,
    Place,
    Provenance,
    Subject,
    bare_id,
    person_key,
)
from recollect.policy.visibility import VisibilityPolicy, covers_audience_of, is_visible, source_audience


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, from where: decides for every read path what is visible."""

    user: str
    place: Place
    policy: VisibilityPolicy
    now: datetime | None
    """The current time; None to include expired memos."""

    def __call__(self, item: Memo | Message) -> bool:
        if isinstance(item, Message):
            return covers_audience_of(item.place, self.place)
        return not self._is_expired(item) and is_visible(item, self.place, {self.user}, self.policy)

    def can_tell(self, memo: Memo, present: Collection[str]) -> bool:
        """Whether someone else's memo is visible where these people are present.

        Guild isolation holds as usual. `user_global` doesn't: it lets people take their own memos everywhere, not those
        of others.
        """
        policy = self.policy
        if policy is VisibilityPolicy.USER_GLOBAL:
            policy = VisibilityPolicy.BY_AUDIENCE
            if memo.audience == EVERYWHERE:  # the policy's default, not a decision to share
                memo = replace(memo, audience=source_audience(memo.source, memo.subject.id))
        return not self._is_expired(memo) and is_visible(memo, self.place, present, policy)

    def _is_expired(self, memo: Memo) -> bool:
        return self.now is not None and memo.expires is not None and memo.expires <= self.now


def subject_of(user: str, place: Place, lore: bool = False) -> Subject:
    """The subject whose memory is addressed; raises BadInput for an invalid user."""
    if lore:
        if place.guild_key is None:
            raise BadInput("lore belongs to a guild; say it in one of its channels")
        return Subject.lore(place.guild_key)
    return Subject(person_key(place.platform, valid_user(user)))


def valid_user(name: str) -> str:
    """The name, if it is a possible user id; raises BadInput."""
    if not name.strip() or name == LORE:
        raise BadInput(f"{name!r} is not a user")
    return name


def require_present(message: Message) -> None:
    """Raise BadInput for a message in somebody else's DM; the assistant may speak in every one."""
    if not message.bot:
        require_in_own_dm(message.author, message.place)


def require_in_own_dm(user: str, place: Place) -> None:
    """Raise BadInput for someone in somebody else's DM."""
    if place.person not in (None, person_key(place.platform, user)):
        raise BadInput(f"{user!r} can't speak in the DM of {place.dm!r}: without place= it is their own")


def session_name(place: Place, user: str | None) -> str:
    """The session: the place's, or one user's share of it."""
    if user is None or place.dm is not None:
        return place.session
    return f"{place.session}:user:{escape(bare_id(place.platform, user), ':')}"


def guild_audience(place: Place) -> Audience:
    """Everyone in the guild of a place."""
    return Audience(AudienceLevel.GUILD, place.guild_key or "", place.guild_key or "")


def lore_audience(place: Place) -> Audience:
    """Who may hear lore that is stated in a place: the guild, or, where it is known who can read the place, those."""
    return place.audience if place.readers else guild_audience(place)


def provenance(user: str, place: Place, message: str | None, origin: Origin) -> Provenance:
    """The provenance of a statement; a DM has no guild and no channel name, a thread its own name."""
    return Provenance(
        origin=origin,
        actor=person_key(place.platform, user),
        platform=place.platform,
        guild=place.guild,
        channel=place.channel,
        channel_name=None if place.dm else place.name,
        thread=place.thread,
        message=message,
        heard=place.audience,
    )


def search_scopes(user: str, place: Place, over: Corpus, subject: str) -> list[str]:
    """The scopes in which to search: the channel for messages, else the user's memos, the guild's lore or both."""
    if over == "messages":
        return [place.stream]
    scopes = [Subject(user).scope] if subject != "lore" else []
    if place.guild_key is not None and subject != "mine":
        scopes.append(Subject.lore(place.guild_key).scope)
    return scopes
