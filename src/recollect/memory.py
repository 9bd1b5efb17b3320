"""`Memory`, the one public object: observe, remember, forget, undo, show, search."""

import logging
import secrets
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from recollect import commands, ingest, kinds, recall
from recollect.audience import Policy, is_heard, may_hear
from recollect.clock import Clock, now
from recollect.commands import Forgetting, Undone
from recollect.errors import BadInput
from recollect.learn import Caps, Cause, learn
from recollect.merge import COVERAGE
from recollect.ports import Corpus, Filters, Finding, Progress, Store, Tx
from recollect.rank import named, unified
from recollect.rank.base import Question
from recollect.recall import NO_TEXTURE, Found, Search
from recollect.settings import Settings
from recollect.text import squeeze
from recollect.types import (
    EVERYWHERE,
    Add,
    Audience,
    Candidate,
    Change,
    Event,
    Kind,
    Memo,
    Message,
    Origin,
    Place,
    Provenance,
    Retire,
    Revise,
    Skip,
    Status,
    Subject,
    Summary,
)
from recollect.vectors import Vectors

log = logging.getLogger("recollect")

LONGEST_MEMO = 8_000
"""Characters of one memo: more is a document, not something to remember."""
PATIENCE = 1.0
"""Seconds that a search waits for the query's vector before it goes by words alone."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a statement: the memo that now holds it, and every change it brought about."""

    memo: Memo
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """A person's memory as far as it may be shown in a place."""

    memos: tuple[Memo, ...]
    total: int
    summary: Summary | None


class Memory:
    """Long-term memory over a store. Opened by `recollect.open`; every method is safe to call concurrently.

    `user` is who speaks and `place` where, by default in their DM: what may not be heard there is not shown.
    """

    def __init__(self, store: Store, vectors: Vectors, settings: Settings, clock: Clock = now) -> None:
        self.store = store
        self.vectors = vectors
        self.settings = settings
        self._clock = clock
        self._policy = Policy(settings.privacy)

    async def observe(self, message: Message) -> bool:
        """Take note of a message; False when it was known already."""
        if len(message.text) > ingest.LONGEST:
            log.warning(
                "message %s has %d characters; the first %d are kept", message.id, len(message.text), ingest.LONGEST
            )
            message = replace(message, text=message.text[: ingest.LONGEST])
        added = await self.store.write(lambda tx: ingest.observe(tx, message))
        self.vectors.nudge()
        return added

    async def edited(self, platform: str, message_id: str, text: str, at: datetime | None = None) -> bool:
        """A message was edited; False when it is not known, or known in a newer state."""
        moment = at or self._clock()
        changed = await self.store.write(lambda tx: ingest.edit(tx, platform, message_id, text, moment))
        self.vectors.nudge()
        return changed

    async def deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        """A message was deleted; False when it is not known or already gone."""
        moment = at or self._clock()
        return await self.store.write(lambda tx: ingest.delete(tx, platform, message_id, moment))

    async def remember(
        self,
        text: str,
        *,
        user: str,
        place: Place | None = None,
        kind: Kind | str | None = None,
        tags: Collection[str] = (),
        message: str | None = None,
        audience: Audience = EVERYWHERE,
        happened: datetime | None = None,
        expires: datetime | None = None,
        pinned: bool = False,
        lore: bool = False,
        origin: Origin = Origin.MANUAL,
    ) -> Remembered:
        """Remember what a user states, merged with what is known. With `lore` it belongs to the place's guild."""
        where = place or Place(dm=user)
        text = checked(text)
        candidate = Candidate(
            subject=_lore_of(where) if lore else Subject(user),
            kind=_kind(kind, text, lore),
            text=text,
            at=self._clock(),
            source=provenance(user, where, message, origin),
            audience=Audience("guild", where.guild or "", where.guild or "") if lore else audience,
            tags=tuple(tag.strip().lower() for tag in tags if tag.strip()),
            happened=happened,
            expires=expires,
            pinned=pinned,
        )
        vector = await self.vectors.of_text(text, PATIENCE)
        caps = self._caps(lore)
        cause = self._cause(user)

        def work(tx: Tx) -> Remembered:
            changes = learn(tx, candidate, cause, caps, vector)
            return Remembered(_outcome(changes), tuple(changes))

        remembered = await self.store.write(work)
        self.vectors.nudge()
        return remembered

    async def forget(self, what: str, *, user: str, place: Place | None = None, every: bool = False) -> Forgetting:
        """Retire the memo that is meant: by id, by its number in `show`, or by a part of its text. Undoable."""
        if not what.strip():
            raise BadInput("say what to forget: a part of its text, its id or its number in the list")
        share = COVERAGE if self.settings.forget_mode == "coverage60" else 0.0
        cause = self._cause(user)
        subject, audible = Subject(user), self._audible(user, place)
        return await self.store.write(lambda tx: commands.forget(tx, subject, what, cause, audible, share, every))

    async def undo(self, *, user: str) -> Undone | None:
        """Take back the last change of the user's memory; again for the one before it."""
        cause = self._cause(user)
        undone = await self.store.write(lambda tx: commands.undo(tx, Subject(user), cause))
        self.vectors.nudge()
        return undone

    async def show(self, *, user: str, place: Place | None = None, limit: int | None = None, offset: int = 0) -> Shown:
        """The user's memos, newest first, and the summary of the conversation in this place."""
        where = place or Place(dm=user)
        audible = self._audible(user, where)

        def work(tx: Tx) -> Shown:
            memos = commands.listed(tx, Subject(user), audible)
            end = None if limit is None else offset + limit
            return Shown(tuple(memos[offset:end]), len(memos), tx.summaries.get(where.session))

        return await self.store.read(work)

    async def memos(
        self,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        statuses: Collection[Status] = (),
        kinds: Collection[Kind] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Shown:
        """Memos of any status and kind, or of these, newest first; expired ones too, as far as they may be heard."""
        where = place or Place(dm=user)
        subject = _lore_of(where) if lore else Subject(user)

        def work(tx: Tx) -> Shown:
            found = tx.memos.list(subject, statuses)
            named = [memo for memo in found if not kinds or memo.kind in kinds]
            heard = [memo for memo in named if may_hear(memo, where, {user}, self._policy)]
            return Shown(tuple(heard[offset : None if limit is None else offset + limit]), len(heard), None)

        return await self.store.read(work)

    async def get(self, memo_id: str, *, user: str) -> Memo:
        """One memo of the user's, of whatever status; raises UnknownMemo."""
        return await self.store.read(lambda tx: commands.get(tx, Subject(user), memo_id))

    async def history(self, memo_id: str, *, user: str) -> list[Event]:
        """Everything that happened to a memo, newest first."""

        def work(tx: Tx) -> list[Event]:
            commands.get(tx, Subject(user), memo_id)
            return tx.events.list(scope=Subject(user).scope, memo=memo_id)

        return await self.store.read(work)

    async def pin(self, memo_id: str, *, user: str, pinned: bool = True) -> Memo:
        """Keep a memo from ever giving way to others."""
        cause = self._cause(user)
        return await self.store.write(lambda tx: commands.pin(tx, Subject(user), memo_id, pinned, cause))

    async def share(self, memo_id: str, *, user: str, audience: Audience = EVERYWHERE) -> Memo:
        """Decide who may hear a memo: its owner's right alone."""
        cause = self._cause(user)
        return await self.store.write(lambda tx: commands.share(tx, Subject(user), memo_id, audience, cause))

    async def search(
        self,
        query: str,
        *,
        user: str,
        place: Place | None = None,
        over: Corpus = "memos",
        subject: Literal["mine", "lore", "both"] = "both",
        filters: Filters | None = None,
        status: Status = Status.ACTIVE,
        limit: int | None = None,
        ranker: str | None = None,
        strict: bool = False,
    ) -> list[Found]:
        """What fits the query and may be heard here, best first; each result explains its score.

        Over "memos" it searches the user's memos and the guild's lore, over "messages" this channel's journal.
        With `strict`, nothing comes back when nothing is relevant.
        """
        where = place or Place(dm=user)
        scopes = _scopes(user, where, over, subject)
        question = Question(query, self._clock(), where.channel, user)
        kind = NO_TEXTURE
        if over == "messages":
            kind = await self.store.read(lambda tx: recall.texture(tx, over, scopes))
        topic = unified.understand(question, kind.speakers.values()).topic
        ask = Search(
            question=question,
            corpus=over,
            scopes=scopes,
            texture=kind,
            ranker=named(ranker or self.settings.durable.ranker),
            limit=max(1, min(limit or self.settings.search.max_results, self.settings.search.max_limit)),
            strict=strict,
            filters=filters or Filters(),
            status=status,
            vector=await self.vectors.of_query(topic, over, PATIENCE),
        )
        audible = self._audible(user, where)
        return await self.store.read(lambda tx: recall.search(tx, ask, audible))

    async def log(self, *, user: str | None = None, limit: int = 50, before: int | None = None) -> list[Event]:
        """The event log, newest first; of one user when one is named."""
        scope = None if user is None else Subject(user).scope
        return await self.store.read(lambda tx: tx.events.list(scope=scope, limit=limit, before=before))

    async def examine(self) -> list[Finding]:
        """Check the store's health."""
        return await self.store.examine()

    async def backup(self, target: Path, progress: Progress | None = None) -> None:
        """A consistent copy while in use; never overwrites."""
        await self.store.backup(target, progress)

    async def reindex(self, progress: Progress | None = None) -> int:
        """Rebuild everything derived: the word index, then missing vectors. Resumable."""
        done = await self.store.reindex(progress)
        await self.vectors.fill(progress)
        return done

    def _cause(self, user: str) -> Cause:
        return Cause(user, self._clock(), secrets.token_hex(8))

    def _caps(self, lore: bool) -> Caps:
        durable = self.settings.durable
        return Caps(active=durable.lore_max_items) if lore else Caps(durable.max_active, durable.max_items)

    def _audible(self, user: str, place: Place | None) -> "Audible":
        return Audible(user, place or Place(dm=user), self._policy, self._clock())


@dataclass(frozen=True, slots=True)
class Audible:
    """Whether something may be heard by whoever is in a place where `user` speaks: asked by every read path."""

    user: str
    place: Place
    policy: Policy
    at: datetime

    def __call__(self, what: Memo | Message) -> bool:
        if isinstance(what, Message):
            return is_heard(what.place.audience, self.place)
        expired = what.expires is not None and what.expires <= self.at
        return not expired and may_hear(what, self.place, {self.user}, self.policy)


def checked(text: str) -> str:
    """A text fit to remember; raises BadInput."""
    plain = squeeze(text)
    if not plain:
        raise BadInput("there is nothing to remember: the text is empty")
    if len(plain) > LONGEST_MEMO:
        raise BadInput(f"{len(plain):,} characters are too long to remember; the limit is {LONGEST_MEMO:,}")
    return plain


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


def _lore_of(place: Place) -> Subject:
    if place.guild is None:
        raise BadInput("lore belongs to a guild; say it in one of its channels")
    return Subject.lore(place.guild)


def _kind(kind: Kind | str | None, text: str, lore: bool) -> Kind:
    if lore:
        return Kind.LORE
    return kinds.from_kind(kind)[0] if kind is not None else kinds.infer(text)


def _scopes(user: str, place: Place, over: Corpus, subject: str) -> list[str]:
    if over == "messages":
        return [place.stream]
    scopes = [Subject(user).scope] if subject != "lore" else []
    if place.guild is not None and subject != "mine":
        scopes.append(Subject.lore(place.guild).scope)
    return scopes


def _outcome(changes: Collection[Change]) -> Memo:
    """The memo that holds the statement now; raises BadInput when it was not taken."""
    match next(iter(changes)):
        case Add(memo=memo):
            return memo
        case Revise(after=memo) | Retire(after=memo):
            return memo
        case Skip(reason=reason, memo=memo):
            if memo is None:
                raise BadInput(f"not remembered: {reason}")
            return memo
