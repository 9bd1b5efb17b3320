"""`Memory`, the one public object: observe, remember, forget, undo, show, search."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

from recollect.core.changes import Candidate
from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput
from recollect.core.events import Event
from recollect.core.outcomes import Forgetting, Offer, Outcome, Remembered, Shown
from recollect.core.ports import Corpus, Filters, Finding, Layer, Progress, Scene, Store
from recollect.core.ports.ranker import Question
from recollect.core.text import memorable
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Origin, Place, Status, Subject
from recollect.jobs.worker import Worker
from recollect.learning import changes, ingest
from recollect.learning import undo as undo_module
from recollect.learning.apply import Cause
from recollect.learning.consolidate import Dream, Dreams
from recollect.learning.edit import Revision, revise
from recollect.learning.ingest import Learned
from recollect.learning.schedule import flush, learning_key
from recollect.policy import kinds
from recollect.policy.merge import COVERAGE
from recollect.policy.redaction import redact, redact_tags
from recollect.policy.redaction.json_values import redact_value
from recollect.policy.viewer import Audible, provenance, scopes_of, session_of, subject_of, whole_guild
from recollect.policy.visibility import Policy, stated, within
from recollect.prompting.assemble import Prompt
from recollect.prompting.compose import DEADLINE, Composer
from recollect.prompting.layouts import layout
from recollect.recall import listing, withheld
from recollect.recall import search as recall
from recollect.recall.display_names import Names
from recollect.recall.query import NO_TEXTURE, Found, Search
from recollect.recall.rankers import unified
from recollect.recall.usage import Uses
from recollect.recall.vectors.index import Vectors
from recollect.settings import Settings, wiring
from recollect.transfer.mirror.follower import Keeper

OF_USE = 5
"""Results of a search, best first, that count as used."""
PATIENCE = 1.0
"""Seconds that a search waits for the query's vector before it goes by words alone."""


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
        worker: Worker | None = None,
        keeper: Keeper | None = None,
        dreams: Dreams | None = None,
        names: Names | None = None,
    ) -> None:
        self.names = names or Names(settings.bot.name)
        self.store, self.vectors, self.settings = store, vectors, settings
        self.worker = worker or Worker(store, {}, clock)
        self.keeper = keeper or Keeper(store, wiring.folders(settings), clock)
        self.dreams = dreams or Dreams(store, None, wiring.reflection(settings), clock)
        self.uses, self._clock = Uses(store, clock), clock
        self._policy, self._cadence = Policy(settings.privacy), wiring.cadence(settings)
        self._shortterm = wiring.shortterm(settings, self.names)
        look_back, lifetime = settings.history.max_messages, settings.search.cache_ttl
        offering = (layers or {}) if settings.enabled else {}
        self.composer = Composer(offering, layout(settings.layout), look_back, lifetime, clock, deadline)
        self.privacy = wiring.privacy(store, settings, clock, self.search, self.keeper.catch_up, self.composer.clear)

    async def close(self) -> None:
        """End what goes on in the background; the store is closed by whoever opened it."""
        await self.worker.close()
        await self.composer.close()
        await self.uses.close()

    async def observe(self, message: Message) -> bool:
        """Take note of a message; False when it was known already, or memory is switched off."""
        if not self.settings.enabled:
            return False
        message = ingest.fit(message)
        moment, kept, due = self._clock(), self._shortterm, self._cadence
        added = await self.store.write(lambda tx: ingest.observe(tx, message, moment, kept, due))
        self._nudge()
        return added

    async def edited(
        self, platform: str, message_id: str, text: str, at: datetime | None = None, place: Place | None = None
    ) -> bool:
        """A message was edited: what rested on its old words is taken back. False when it is not known, or known in
        a newer state. `place` is where it stands now, if that may be heard by fewer people than when it was said.
        """
        moment, plain, due = at or self._clock(), redact(text[: ingest.LONGEST]).text, self._cadence
        changed = await self.store.write(lambda tx: ingest.edit(tx, platform, message_id, plain, moment, due, place))
        self._nudge()
        return changed

    async def deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        """A message was deleted, and with it what rests on it; False when it is not known or already gone."""
        moment, due = at or self._clock(), self._cadence
        changed = await self.store.write(lambda tx: ingest.delete(tx, platform, message_id, moment, due))
        self._nudge()
        return changed

    async def learned(self, message: Message, timeout: float | None = None) -> Learned:
        """Wait until a message has been learned from, and tell what came of it; see `Learned`."""
        settled = await self.worker.settled(learning_key(message), timeout)
        found = await self.store.read(lambda tx: ingest.learned(tx, message))
        return replace(found, done=found.done and settled)

    async def flush(self, place: Place) -> int:
        """Learn now from what waits for it in a conversation, as before its words are dropped; how many rounds."""
        moment = self._clock()
        rounds = await self.store.write(lambda tx: flush(tx, place, moment))
        self._nudge()
        return rounds

    async def reset(self, *, user: str, place: Place | None = None) -> bool:
        """Clear the rolling summary of the conversation here; work in flight can't bring it back."""
        session, cause = self._session(user, place or Place(dm=user)), self._cause(user)
        return await self.store.write(lambda tx: changes.reset(tx, session, cause))

    async def remember(
        self,
        text: str,
        *,
        user: str,
        place: Place | None = None,
        kind: Kind | str | None = None,
        tags: Collection[str] = (),
        message: str | None = None,
        audience: Audience | None = None,
        happened: datetime | None = None,
        expires: datetime | None = None,
        pinned: bool = False,
        lore: bool = False,
        origin: Origin = Origin.MANUAL,
        metadata: Mapping[str, Any] | None = None,
        confidence: float = 1.0,
    ) -> Remembered:
        """Remember what a user states, merged with what is known; those hear it who hear the place, unless another
        audience is named. With `lore` it belongs to the place's guild.
        """
        wiring.require_durable(self.settings)
        if not 0 <= confidence <= 1:
            raise BadInput(f"a confidence of {confidence} is not between 0 and 1")
        where = place or Place(dm=user)
        heard = stated(where, self._policy) if audience is None else audience
        text = redact(memorable(text)).text
        candidate = Candidate(
            subject=subject_of(user, where, lore),
            kind=kinds.stated(kind, text, lore=lore),
            text=text,
            at=self._clock(),
            source=replace(provenance(user, where, message, origin), metadata=redact_value(dict(metadata or {}))),
            audience=whole_guild(where) if lore else within(heard, where, self._policy),
            tags=redact_tags(tags),
            happened=happened,
            expires=expires,
            pinned=pinned,
            confidence=confidence,
        )
        vector = await self.vectors.of_text(text, PATIENCE)
        caps, audible = wiring.caps(self.settings, lore=lore), self._audible(user, where)
        cause = replace(self._cause(user), shared=audience == EVERYWHERE)
        done = await self.store.write(lambda tx: changes.remember(tx, candidate, cause, caps, vector, audible))
        self._nudge()
        return done

    async def forget(
        self, what: str, *, user: str, place: Place | None = None, every: bool = False, lore: bool = False
    ) -> Forgetting:
        """Retire the memo that is meant: by id, by its number in `show`, or by a part of its text. Undoable."""
        if not what.strip():
            raise BadInput("say what to forget: a part of its text, its id or its number in the list")
        share = COVERAGE if self.settings.forget_mode == "coverage60" else 0.0
        cause, due = self._cause(user), self._cadence
        subject, audible = self._seen_by(user, place, lore)
        return await self.store.write(lambda tx: changes.forget(tx, subject, what, cause, audible, share, every, due))

    async def undoable(self, *, user: str, place: Place | None = None, lore: bool = False) -> Offer:
        """The change that `undo` would take back now."""
        subject, audible = self._seen_by(user, place, lore)
        return await self.store.read(lambda tx: undo_module.undoable(tx, subject, audible))

    async def undo(
        self,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        memo: str | None = None,
        expected: int | None = None,
    ) -> Outcome:
        """Take back the last change, if it is the one `expected`; or what was last learned of one memo."""
        cause, due = self._cause(user), self._cadence
        subject, audible = self._seen_by(user, place, lore)
        undone = await self.store.write(lambda tx: undo_module.undo(tx, subject, cause, audible, memo, expected, due))
        self._nudge()
        return undone

    async def dream(self, *, user: str, dry_run: bool = False) -> Dream:
        """Tidy a user's memory now, as happens by itself while they are away. All of it shows: for their eyes only."""
        return await self.dreams.of(Subject(user), dry_run=dry_run)

    async def show(self, *, user: str, place: Place | None = None, limit: int | None = None, offset: int = 0) -> Shown:
        """The user's memos, newest first, and the summary of the conversation in this place."""
        where = place or Place(dm=user)
        subject, audible, session = subject_of(user, where), self._audible(user, where), self._session(user, where)
        shown = await self.store.read(lambda tx: listing.shown(tx, subject, audible, session, limit, offset))
        return replace(shown, off=wiring.switched_off(self.settings))

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
        subject, audible = self._seen_by(user, place, lore, expired_too=True)
        return await self.store.read(lambda tx: listing.memos(tx, subject, audible, statuses, kinds, limit, offset))

    async def get(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> Memo:
        """One memo of whatever status, if it may be heard here; raises UnknownMemo."""
        subject, audible = self._seen_by(user, place, lore, expired_too=True)
        return await self.store.read(lambda tx: listing.get(tx, subject, memo_id, audible))

    async def history(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> list[Event]:
        """Everything that happened to a memo, newest first; raises UnknownMemo."""
        subject, audible = self._seen_by(user, place, lore, expired_too=True)
        return await self.store.read(lambda tx: listing.history(tx, subject, memo_id, audible))

    async def pin(
        self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False, pinned: bool = True
    ) -> Memo:
        """Keep a memo from ever giving way to others."""
        cause, (subject, audible) = self._cause(user), self._seen_by(user, place, lore)
        return await self.store.write(lambda tx: changes.pin(tx, subject, memo_id, pinned, cause, audible))

    async def revise(
        self,
        memo_id: str,
        text: str | None = None,
        *,
        user: str,
        place: Place | None = None,
        tags: Collection[str] | None = None,
        origin: Origin = Origin.MANUAL,
    ) -> Memo:
        """Give a memo other words, other tags, or both: the same memo, heard by no more people than hear the change."""
        cause, where = self._cause(user), place or Place(dm=user)
        words = None if text is None else redact(memorable(text)).text
        vector = None if words is None else await self.vectors.of_text(words, PATIENCE)
        source, wide = provenance(user, where, None, origin), self._policy is Policy.USER_GLOBAL
        wanted = Revision(words, None if tags is None else redact_tags(tags), source, wide)
        subject, audible, caps = subject_of(user, where), self._audible(user, where), wiring.caps(self.settings)
        found = partial(listing.get, subject=subject, memo_id=memo_id, audible=audible)
        done = await self.store.write(lambda tx: revise(tx, found(tx), wanted, cause, caps, vector))
        self._nudge()
        return done

    async def share(
        self, memo_id: str, *, user: str, place: Place | None = None, audience: Audience = EVERYWHERE
    ) -> Memo:
        """Decide who may hear a memo: its owner's right alone."""
        cause, where = self._cause(user), place or Place(dm=user)
        subject, audible = subject_of(user, where), self._audible(user, where)
        wanted = within(audience, where, self._policy)
        return await self.store.write(lambda tx: changes.share(tx, subject, memo_id, wanted, cause, audible))

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
        trial: bool = False,
    ) -> list[Found]:
        """What fits the query and may be heard here, best first; each result explains its score.

        Over "memos" it searches the user's memos and the guild's lore, over "messages" this channel's journal.
        With `strict`, nothing comes back when nothing is relevant. A `trial` does not count as use of what it finds.
        """
        if not self.settings.enabled:
            return []
        where = place or Place(dm=user)
        scopes, question = scopes_of(user, where, over, subject), Question(query, self._clock(), where.channel, user)
        with self.worker.courtesy.asking():
            is_talk = over == "messages"
            kind = await self.store.read(lambda tx: recall.texture(tx, over, scopes)) if is_talk else NO_TEXTURE
            topic = unified.understand(question, kind.speakers.values()).topic
            ask = Search(
                question=question,
                corpus=over,
                scopes=scopes,
                texture=kind,
                ranker=wiring.ranker(ranker or self.settings.durable.ranker),
                limit=self._clamped(limit),
                strict=strict,
                filters=filters or Filters(),
                status=status,
                vector=await self.vectors.of_query(topic, over, PATIENCE),
            )
            audible = self._audible(user, where)
            found = await self.store.read(lambda tx: recall.search(tx, ask, withheld.tellable(tx, audible, over)))
        if not trial:
            self.uses.note(one.what.key for one in found[:OF_USE] if isinstance(one.what, Memo) and one.score > 0)
        return found

    async def context(self, message: Message, *, actions: str = "", trial: bool = False) -> Prompt:
        """The prompt for answering a message: what all layers have, within their budgets. No model call.

        `actions` is what the assistant's platform lets it do, word for word; the layout says where it goes. What is
        looked at in a `trial` does not count as used.
        """
        user, where = message.author, message.place
        audible = self._audible(user, where)
        scene = Scene(
            user=user,
            place=where,
            text=message.text,
            now=self._clock(),
            store=self.store,
            search=partial(self.search, user=user, place=where, trial=trial),
            audible=audible,
            audible_of=audible.among,
            session=self._session(user, where),
            message=message.id,
            tagged=self.names.tagged,
        )
        with self.worker.courtesy.asking():
            return await self.composer.prompt(scene, actions)

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

    def _session(self, user: str, place: Place) -> str:
        return session_of(place, user if self._cadence.by_user else None)

    def _nudge(self) -> None:
        self.vectors.nudge()
        self.worker.nudge()

    def _clamped(self, limit: int | None) -> int:
        wanted = self.settings.search.max_results if limit is None else limit
        return max(1, min(wanted, self.settings.search.max_limit))

    def _seen_by(
        self, user: str, place: Place | None, lore: bool = False, expired_too: bool = False
    ) -> tuple[Subject, Audible]:
        where = place or Place(dm=user)
        return subject_of(user, where, lore), self._audible(user, where, expired_too)

    def _audible(self, user: str, place: Place, expired_too: bool = False) -> Audible:
        return Audible(user, place, self._policy, None if expired_too else self._clock())
