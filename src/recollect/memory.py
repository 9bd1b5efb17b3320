"""`Memory`, the one public object: observe, remember, forget, undo, show, search."""

import logging
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from recollect import commands, ingest, kinds, recall
from recollect.audience import Policy, may_hear, within
from recollect.clock import Clock, now
from recollect.commands import Forgetting, Undone
from recollect.compose import DEADLINE, Composer
from recollect.errors import BadInput
from recollect.learn import Caps, Cause, learn
from recollect.merge import COVERAGE
from recollect.ports import Corpus, Filters, Finding, Layer, Progress, Scene, Store, Tx
from recollect.prompt import Prompt, layout
from recollect.rank import named, unified
from recollect.rank.base import Question
from recollect.recall import NO_TEXTURE, Found, Search
from recollect.settings import Settings
from recollect.speaking import Audible, memorable, provenance, scopes_of, subject_of, whole_guild
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
    Retire,
    Revise,
    Skip,
    Status,
    Subject,
    Summary,
)
from recollect.uses import Uses
from recollect.vectors import Vectors

log = logging.getLogger("recollect")

OF_USE = 5
"""Results of a search, best first, that count as used."""
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

    def __init__(
        self,
        store: Store,
        vectors: Vectors,
        settings: Settings,
        clock: Clock = now,
        layers: Mapping[str, Layer] | None = None,
        deadline: float = DEADLINE,
    ) -> None:
        self.store = store
        self.vectors = vectors
        self.uses = Uses(store, clock)
        self.settings = settings
        self._clock = clock
        self._policy = Policy(settings.privacy)
        kept = settings.shortterm
        self._shortterm = ingest.ShortTerm(kept.max_age_hours, kept.max_entries) if kept.enabled else None
        look_back, lifetime = settings.history.max_messages, settings.search.cache_ttl
        offering = (layers or {}) if settings.enabled else {}
        self._composer = Composer(offering, layout(settings.layout), look_back, lifetime, clock, deadline)

    async def close(self) -> None:
        """End what goes on in the background; the store is closed by whoever opened it."""
        await self._composer.close()
        await self.uses.close()

    async def observe(self, message: Message) -> bool:
        """Take note of a message; False when it was known already, or memory is switched off."""
        if not self.settings.enabled:
            return False
        if len(message.text) > ingest.LONGEST:
            log.warning(
                "message %s has %d characters; the first %d are kept", message.id, len(message.text), ingest.LONGEST
            )
            message = replace(message, text=message.text[: ingest.LONGEST])
        moment, shortterm = self._clock(), self._shortterm
        added = await self.store.write(lambda tx: ingest.observe(tx, message, moment, shortterm))
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
        if not self.settings.enabled:
            raise BadInput("memory is switched off; switch it on with RECOLLECT_ENABLED=true")
        where = place or Place(dm=user)
        text = memorable(text)
        candidate = Candidate(
            subject=subject_of(user, where, lore),
            kind=_kind(kind, text, lore),
            text=text,
            at=self._clock(),
            source=provenance(user, where, message, origin),
            audience=whole_guild(where) if lore else within(audience, where, self._policy),
            tags=tuple(tag.strip().lower() for tag in tags if tag.strip()),
            happened=happened,
            expires=expires,
            pinned=pinned,
        )
        vector = await self.vectors.of_text(text, PATIENCE)
        caps, cause, audible = self._caps(lore), self._cause(user), self._audible(user, where)

        def work(tx: Tx) -> Remembered:
            changes = learn(tx, candidate, cause, caps, vector)
            return Remembered(_outcome(changes), tuple(change for change in changes if _is_heard(change, audible)))

        remembered = await self.store.write(work)
        self.vectors.nudge()
        return remembered

    async def forget(
        self, what: str, *, user: str, place: Place | None = None, every: bool = False, lore: bool = False
    ) -> Forgetting:
        """Retire the memo that is meant: by id, by its number in `show`, or by a part of its text. Undoable."""
        if not what.strip():
            raise BadInput("say what to forget: a part of its text, its id or its number in the list")
        share = COVERAGE if self.settings.forget_mode == "coverage60" else 0.0
        cause, where = self._cause(user), place or Place(dm=user)
        subject, audible = subject_of(user, where, lore), self._audible(user, where)
        return await self.store.write(lambda tx: commands.forget(tx, subject, what, cause, audible, share, every))

    async def undo(self, *, user: str, place: Place | None = None, lore: bool = False) -> Undone | None:
        """Take back the last change of the user's memory; again for the one before it."""
        cause, where = self._cause(user), place or Place(dm=user)
        subject, audible = subject_of(user, where, lore), self._audible(user, where)
        undone = await self.store.write(lambda tx: commands.undo(tx, subject, cause, audible))
        self.vectors.nudge()
        return undone

    async def show(self, *, user: str, place: Place | None = None, limit: int | None = None, offset: int = 0) -> Shown:
        """The user's memos, newest first, and the summary of the conversation in this place."""
        where = place or Place(dm=user)
        audible = self._audible(user, where)

        def work(tx: Tx) -> Shown:
            memos = commands.listed(tx, subject_of(user, where), audible)
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
        subject = subject_of(user, where, lore)

        def work(tx: Tx) -> Shown:
            found = tx.memos.list(subject, statuses)
            named = [memo for memo in found if not kinds or memo.kind in kinds]
            heard = [memo for memo in named if may_hear(memo, where, {user}, self._policy)]
            return Shown(tuple(heard[offset : None if limit is None else offset + limit]), len(heard), None)

        return await self.store.read(work)

    async def get(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> Memo:
        """One memo of whatever status, if it may be heard here; raises UnknownMemo."""
        where = place or Place(dm=user)
        subject, audible = subject_of(user, where, lore), self._audible(user, where, expired_too=True)
        return await self.store.read(lambda tx: commands.get(tx, subject, memo_id, audible))

    async def history(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> list[Event]:
        """Everything that happened to a memo, newest first; raises UnknownMemo."""
        where = place or Place(dm=user)
        subject, audible = subject_of(user, where, lore), self._audible(user, where, expired_too=True)
        return await self.store.read(lambda tx: commands.history(tx, subject, memo_id, audible))

    async def pin(
        self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False, pinned: bool = True
    ) -> Memo:
        """Keep a memo from ever giving way to others."""
        cause, where = self._cause(user), place or Place(dm=user)
        subject, audible = subject_of(user, where, lore), self._audible(user, where)
        return await self.store.write(lambda tx: commands.pin(tx, subject, memo_id, pinned, cause, audible))

    async def share(
        self, memo_id: str, *, user: str, place: Place | None = None, audience: Audience = EVERYWHERE
    ) -> Memo:
        """Decide who may hear a memo: its owner's right alone."""
        cause, where = self._cause(user), place or Place(dm=user)
        audible, wanted = self._audible(user, where), within(audience, where, self._policy)
        return await self.store.write(
            lambda tx: commands.share(tx, subject_of(user, where), memo_id, wanted, cause, audible)
        )

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
        if not self.settings.enabled:
            return []
        where = place or Place(dm=user)
        scopes = scopes_of(user, where, over, subject)
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
            limit=self._clamped(limit),
            strict=strict,
            filters=filters or Filters(),
            status=status,
            vector=await self.vectors.of_query(topic, over, PATIENCE),
        )
        audible = self._audible(user, where)
        found = await self.store.read(lambda tx: recall.search(tx, ask, audible))
        self.uses.note(one.what.key for one in found[:OF_USE] if isinstance(one.what, Memo) and one.score > 0)
        return found

    async def context(self, message: Message, *, actions: str = "") -> Prompt:
        """The prompt for answering a message: what all layers have, within their budgets. No model call.

        `actions` is what the assistant's platform lets it do, word for word; the layout says where it goes.
        """
        user, where = message.author, message.place
        audible = self._audible(user, where)
        scene = Scene(
            user=user,
            place=where,
            text=message.text,
            now=self._clock(),
            store=self.store,
            search=partial(self.search, user=user, place=where),
            audible=audible,
            audible_of=audible.among,
            message=message.id,
        )
        return await self._composer.prompt(scene, actions)

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

    def _clamped(self, limit: int | None) -> int:
        wanted = self.settings.search.max_results if limit is None else limit
        return max(1, min(wanted, self.settings.search.max_limit))

    def _audible(self, user: str, place: Place, expired_too: bool = False) -> Audible:
        return Audible(user, place, self._policy, None if expired_too else self._clock())


def _is_heard(change: Change, audible: Audible) -> bool:
    """Whether a change may be told here: one of a private memo that a public statement replaced may not."""
    return isinstance(change, Add | Skip) or audible(change.after)


def _kind(kind: Kind | str | None, text: str, lore: bool) -> Kind:
    if lore:
        return Kind.LORE
    return kinds.from_kind(kind)[0] if kind is not None else kinds.infer(text)


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
