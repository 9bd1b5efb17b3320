"""Who may hear what: the one rule that every read path asks, and the order of audiences it rests on."""

from collections.abc import Collection
from enum import StrEnum

from recollect.core.types import (
    EVERYWHERE,
    Audience,
    Memo,
    Message,
    Place,
    Provenance,
    Status,
    guild_key,
)

_WIDTH = {"dm": 0, "channel": 1, "guild": 2, "everywhere": 3}


class VisibilityPolicy(StrEnum):
    """How far memos travel; `dual` is ours, the others reproduce designs that had only one wall or none."""

    BY_AUDIENCE = "by_audience"
    USER_GLOBAL = "user_global"
    GUILD_ISOLATED = "guild_isolated"


def is_visible(
    memo: Memo, place: Place, present: Collection[str] = (), policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
) -> bool:
    """Whether a memo may be recalled in a place, where the people in `present` are taking part.

    Everyone who can hear the place could have heard the memo's source, or its owner is there and shares it.
    The subject's own DM hears everything about the subject.
    """
    if memo.subject.is_lore:
        in_guild = place.dm is None and place.guild_key is not None and place.guild_key == memo.subject.guild
        return in_guild and audience_covers_place(memo.audience, place)
    mine = memo.subject.id in present
    if policy is VisibilityPolicy.GUILD_ISOLATED and _realm(memo.source) != place.guild_key:
        return False
    if place.dm == memo.subject.id:
        return True
    if policy is VisibilityPolicy.USER_GLOBAL and mine:
        return True
    if memo.audience == EVERYWHERE:
        return mine
    return audience_covers_place(memo.audience, place)


def audience_covers_place(audience: Audience, place: Place) -> bool:
    """Whether everyone who can hear this place belongs to the audience."""
    match audience.level:
        case "everywhere":
            return True
        case "guild":
            return place.dm is None and place.guild_key == audience.id
        case "channel":
            return place.dm is None and place.audience.guild == audience.guild and _is_inside(place, audience)
        case "dm":
            return place.dm == audience.id
        case _:
            return False


def _realm(source: Provenance) -> str | None:
    return None if source.guild is None else guild_key(source.platform, source.guild)


def _is_inside(place: Place, audience: Audience) -> bool:
    """A channel is heard in its threads too; a thread may have the id of another channel, or of another's thread."""
    if audience.channel is None:
        return place.channel == audience.id != ""
    return place.thread == audience.id and (place.channel or "") == audience.channel


def includes(wide: Audience, narrow: Audience) -> bool:
    """Whether everyone in `narrow` is in `wide` too, as far as the names tell."""
    if wide in (narrow, EVERYWHERE):
        return True
    return wide.level == "guild" and narrow.level == "channel" and narrow.guild == wide.id


def stated_audience(place: Place, policy: VisibilityPolicy) -> Audience:
    """Who hears what a person has remembered here, unless they say otherwise: those who hear the place.

    Where a design has one memory per person for all places, that memory is everywhere.
    """
    return EVERYWHERE if policy is VisibilityPolicy.USER_GLOBAL else place.audience


def of_source(source: Provenance, owner: str) -> Audience:
    """Who could hear the words that somebody's memo rests on; where that is not known, its owner alone."""
    heard = source.heard
    if heard is None and source.guild is not None and (source.channel or source.thread):
        # How open the channel was is not known: nobody outside of it.
        heard = Place(source.platform, source.guild, source.channel, source.thread, private_thread=True).audience
    return heard if heard is not None and heard.level in ("guild", "channel") else Audience("dm", owner)


def limit_audience(audience: Audience, place: Place, policy: VisibilityPolicy) -> Audience:
    """How far something said here may go at the most: where guilds are walled off, nothing is shared beyond its own."""
    if policy is not VisibilityPolicy.GUILD_ISOLATED or audience != EVERYWHERE:
        return audience
    return place.audience if place.guild_key is None else Audience("guild", place.guild_key, place.guild_key)


def narrowest(audiences: Collection[Audience]) -> Audience | None:
    """The audience of something derived from several sources; None when nobody could have heard them all."""
    result = EVERYWHERE
    for audience in sorted(audiences, key=lambda one: -_WIDTH[one.level]):
        if not includes(result, audience):
            return None
        result = audience
    return result


def is_forgotten(resting: Collection[Memo]) -> bool:
    """Whether what rests on a message was forgotten by its owner, and nothing else is left of it."""
    return any(memo.status is Status.DEPRECATED for memo in resting) and not any(memo.active for memo in resting)


def is_owner_dm(memo: Memo, here: Place) -> bool:
    """Whether nobody but the one whom a memo is about hears what is said here."""
    return here.dm is not None and here.dm == memo.subject.id


def is_source_visible(memo: Memo, here: Place, message: Message | None = None) -> bool:
    """Whether it may be told here in which place, and in which words, a memo was said.

    Its owner may have shared what it says, and never the talk it comes from: that is told to its owner alone, and to
    people who could hear it there. Where it is not known who could, these are the people of that very channel.
    `message` is the one that the memo rests on, where it was looked up.
    """
    source = memo.source
    if here.dm is not None or source.platform != here.platform:
        return is_owner_dm(memo, here)
    heard = source.heard if message is None else message.place.audience
    if heard is None and (source.channel or source.thread):
        there = Place(source.platform, source.guild, source.channel, source.thread, private_thread=True)
        heard = there.audience
    return heard is not None and audience_covers_place(heard, here)


def common_audience(memo: Memo, said: Audience) -> Audience:
    """Who may hear a memo that was given other words before this audience: nobody who could not hear both."""
    # Where no audience is known to be in both, only the owner surely is.
    return narrowest([memo.audience, said]) or Audience("dm", memo.subject.id)
