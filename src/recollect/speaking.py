"""Who speaks where: whose memory is meant, what may be heard there, and where a statement comes from."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.audience import Policy, is_heard, may_hear, narrowest, of_source
from recollect.errors import BadInput
from recollect.ports import Corpus, Tx
from recollect.text import marked, squeeze
from recollect.types import EVERYWHERE, LORE, Audience, Memo, Message, Origin, Place, Provenance, Status, Subject

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
        policy = self.policy
        if policy is Policy.USER_GLOBAL:
            policy = Policy.DUAL
            if memo.audience == EVERYWHERE:  # the default there, and so nobody's decision to share it
                memo = replace(memo, audience=of_source(memo.source, memo.subject.id))
        return not self._expired(memo) and may_hear(memo, self.place, present, policy)

    def _expired(self, memo: Memo) -> bool:
        return self.at is not None and memo.expires is not None and memo.expires <= self.at


def is_forgotten(resting: Collection[Memo]) -> bool:
    """Whether what rests on a message was forgotten by its owner, and nothing else is left of it."""
    return any(memo.status is Status.DEPRECATED for memo in resting) and not any(memo.active for memo in resting)


def subject_of(user: str, place: Place, lore: bool = False) -> Subject:
    """Whose memory is meant; raises BadInput for a name that nobody can have."""
    if lore:
        if place.realm is None:
            raise BadInput("lore belongs to a guild; say it in one of its channels")
        return Subject.lore(place.realm)
    return Subject(known_user(user))


def known_user(name: str) -> str:
    """The name, if somebody can have it; raises BadInput."""
    if not name.strip() or name == LORE:
        raise BadInput(f"{name!r} is not a user")
    return name


def session_of(place: Place, user: str | None) -> str:
    """The conversation that is meant: the place's, or one user's share of it."""
    return place.session if user is None or place.dm is not None else f"{place.session}:user:{marked(user, ':')}"


def whole_guild(place: Place) -> Audience:
    return Audience("guild", place.realm or "", place.realm or "")


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


def source_message(tx: Tx, memo: Memo) -> Message | None:
    """The message that a memo rests on, if there is one."""
    return tx.journal.get(memo.source.platform, memo.source.message) if memo.source.message else None


def is_alone(memo: Memo, here: Place) -> bool:
    """Whether nobody but the one whom a memo is about hears what is said here."""
    return here.dm is not None and here.dm == memo.subject.id


def may_tell_source(memo: Memo, here: Place, message: Message | None = None) -> bool:
    """Whether it may be told here in which place, and in which words, a memo was said.

    Its owner may have shared what it says, and never the talk it comes from: that is told to its owner alone, and to
    people who could hear it there. Where it is not known who could, these are the people of that very channel.
    `message` is the one that the memo rests on, where it was looked up.
    """
    source = memo.source
    if here.dm is not None or source.platform != here.platform:
        return is_alone(memo, here)
    heard = source.heard if message is None else message.place.audience
    if heard is None and (source.channel or source.thread):
        there = Place(source.platform, source.guild, source.channel, source.thread, private_thread=True)
        heard = there.audience
    return heard is not None and is_heard(heard, here)


def heard_by_both(memo: Memo, said: Audience) -> Audience:
    """Who may hear a memo that was given other words before this audience: nobody who could not hear both."""
    # Where no audience is known to be in both, only the owner surely is.
    return narrowest([memo.audience, said]) or Audience("dm", memo.subject.id)


def scopes_of(user: str, place: Place, over: Corpus, subject: str) -> list[str]:
    if over == "messages":
        return [place.stream]
    scopes = [Subject(user).scope] if subject != "lore" else []
    if place.realm is not None and subject != "mine":
        scopes.append(Subject.lore(place.realm).scope)
    return scopes


def memorable(text: str) -> str:
    """A text fit to remember; raises BadInput."""
    plain = squeeze(text)
    if not plain:
        raise BadInput("there is nothing to remember: the text is empty")
    if len(plain) > LONGEST_MEMO:
        raise BadInput(f"{len(plain):,} characters are too long to remember; the limit is {LONGEST_MEMO:,}")
    return plain
