"""Who may see what: the one rule that every read path uses, and the partial order of audiences behind it."""

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache

from recollect.core.types import (
    EVERYWHERE,
    Audience,
    AudienceLevel,
    Memo,
    Message,
    Place,
    Provenance,
    Status,
    guild_key,
    split_person,
)
from recollect.policy import readers


class VisibilityPolicy(StrEnum):
    """Where memos may surface; `by_audience` is the default, the others reproduce the documents' rules."""

    BY_AUDIENCE = "by_audience"
    USER_GLOBAL = "user_global"
    GUILD_ISOLATED = "guild_isolated"


def is_visible(
    memo: Memo, place: Place, present: Collection[str] = (), policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
) -> bool:
    """Whether a memo may be recalled in a place where the people in `present` take part.

    It may if everyone who can read the place could have heard the memo's source, or if its owner is present and shared
    it. In the subject's own DM everything about the subject is visible.
    """
    if memo.subject.is_lore:
        in_guild = place.dm is None and place.guild_key is not None and place.guild_key == memo.subject.guild
        return in_guild and audience_covers_place(memo.audience, place)
    is_owner_present = memo.subject.id in present
    # Before the owner's own DM: under this policy not even the owner is told elsewhere what a guild heard.
    if policy is VisibilityPolicy.GUILD_ISOLATED and _source_guild(memo.source) != place.guild_key:
        return False
    if place.person == memo.subject.id:
        return True
    if policy is VisibilityPolicy.USER_GLOBAL and is_owner_present:
        return True
    # Shared by its owner, so it follows the owner around; it is not for strangers in other places.
    if memo.audience == EVERYWHERE:
        return is_owner_present
    return audience_covers_place(memo.audience, place)


def audience_covers_place(audience: Audience, place: Place) -> bool:
    """Whether everyone who may be listening in this place belongs to the audience.

    What was said before a place was opened to more people doesn't cover it any more.
    """
    # An audience that could not be read in full covers nothing, not even itself.
    if audience.level == AudienceLevel.CHANNEL and not audience.id:
        return False
    return includes(audience, place.audience)


@lru_cache(maxsize=1024)  # cached: nearly all messages of a prompt come from the same place
def covers_audience_of(said: Place, here: Place) -> bool:
    """Whether everyone who may be listening here could hear what was said in another place."""
    return audience_covers_place(said.audience, here)


def _source_guild(source: Provenance) -> str | None:
    return None if source.guild is None else guild_key(source.platform, source.guild)


def includes(wide: Audience, narrow: Audience) -> bool:
    """Whether everyone in `narrow` is known to be in `wide` too."""
    if wide in (narrow, EVERYWHERE):
        return True
    if wide.guild != narrow.guild or {wide.level, narrow.level} - {AudienceLevel.GUILD, AudienceLevel.CHANNEL}:
        return False
    if wide.channel is not None:  # a closed thread: the same one, with no more readers of its channel among its members
        is_same = (wide.channel, wide.id) == (narrow.channel, narrow.id)
        return is_same and readers.includes(wide.readers, narrow.readers)
    is_guild = narrow.level == AudienceLevel.GUILD
    if wide.readers:
        return (is_guild or narrow.readers != "") and readers.includes(wide.readers, narrow.readers)
    if wide.level == AudienceLevel.GUILD:
        return wide.guild != ""
    return not is_guild and wide.id == (narrow.id if narrow.channel is None else narrow.channel)


def stated_audience(place: Place, policy: VisibilityPolicy) -> Audience:
    """The default audience of an explicit statement: that of the place.

    Under `user_global`, which has one memory per person for all places, it is everywhere.
    """
    return EVERYWHERE if policy is VisibilityPolicy.USER_GLOBAL else place.audience


def source_audience(source: Provenance, owner: str) -> Audience:
    """Who could hear the source of a memo; its owner alone if that is unknown."""
    audience = source.heard
    if audience is None and source.guild is not None and (source.channel or source.thread):
        audience = _channel_audience(source)
    if audience is not None and audience.level in (AudienceLevel.GUILD, AudienceLevel.CHANNEL):
        return audience
    return Audience(AudienceLevel.DM, owner)


def _channel_audience(source: Provenance) -> Audience:
    """The members of a source's channel alone: it is unknown whether others could read it."""
    return Place(source.platform, source.guild, source.channel, source.thread, private_thread=True).audience


def with_qualified_owner(audience: Audience, owner: str) -> Audience:
    """The audience, with the owner's DM by their `person_key`, also if it names them by their bare id."""
    is_own_dm = audience.level == AudienceLevel.DM and audience.id == split_person(owner)[1]
    return Audience(AudienceLevel.DM, owner) if is_own_dm else audience


def limit_audience(audience: Audience, place: Place, policy: VisibilityPolicy) -> Audience:
    """The audience, limited by the policy: under `guild_isolated`, nothing is shared beyond its guild."""
    if policy is not VisibilityPolicy.GUILD_ISOLATED or audience != EVERYWHERE:
        return audience
    return (
        place.audience if place.guild_key is None else Audience(AudienceLevel.GUILD, place.guild_key, place.guild_key)
    )


def narrowest(audiences: Collection[Audience]) -> Audience | None:
    """The audience of something derived from several sources; None when no one is known to have heard them all."""
    # Derived from nothing, so nothing can leak.
    if not audiences:
        return EVERYWHERE
    return next((audience for audience in audiences if all(includes(other, audience) for other in audiences)), None)


def narrower(then: Place, now: Place) -> Place:
    """The place with the readers that it had at both times, for an edited message."""
    if includes(now.audience, then.audience):
        return then
    if includes(then.audience, now.audience):
        return replace(then, public=now.public, private_thread=now.private_thread, readers=now.readers)
    is_known = all(place.readers or place.public for place in (then, now))
    # Where one side is unknown, nobody but the owner surely had both.
    rule = readers.both(then.readers, now.readers) if is_known else readers.NOBODY
    private = then.private_thread or now.private_thread
    return replace(then, public=then.public and now.public, private_thread=private, readers=rule)


def is_forgotten(derived: Collection[Memo]) -> bool:
    """Whether the owner forgot a memo that was derived from a message, and no active one is left."""
    return any(memo.status is Status.DEPRECATED for memo in derived) and not any(memo.active for memo in derived)


def is_owner_dm(memo: Memo, place: Place) -> bool:
    """Whether a place is the DM of the person whom a memo is about."""
    return place.person == memo.subject.id


def is_source_visible(memo: Memo, place: Place, message: Message | None = None) -> bool:
    """Whether the channel and the wording in which a memo was said may be shown in a place.

    Sharing a memo does not share the conversation that it comes from: that is visible to its owner, and to people who
    could hear it. If their audience is unknown, those are the members of that channel. `message` is the memo's source
    message, if the caller has it.
    """
    source = memo.source
    if place.dm is not None or source.platform != place.platform:
        return is_owner_dm(memo, place)
    audience = source.heard if message is None else message.place.audience
    if audience is None and (source.channel or source.thread):
        audience = _channel_audience(source)
    return audience is not None and audience_covers_place(audience, place)


def common_audience(memo: Memo, audience: Audience) -> Audience:
    """The audience of a memo that is reworded before another audience: those who heard both versions."""
    # If no common audience is known, only the owner surely heard both.
    return narrowest([memo.audience, audience]) or Audience(AudienceLevel.DM, memo.subject.id)
