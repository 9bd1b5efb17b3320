"""`AsyncMemory`, the one public object: add, remember, search, context, list, update, forget, undo."""

from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from recollect.app import open_parts
from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError
from recollect.core.events import Event
from recollect.core.outcomes import ForgetOutcome, Listing, Remembered, UndoOffer, UndoOutcome
from recollect.core.ports import Corpus, Filters, Model, Progress, PromptRequest, Store, Tx
from recollect.core.text import valid_memo_text
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Origin, Place, Status, Subject
from recollect.engine import Engine
from recollect.jobs.worker import Worker
from recollect.learning import changes, ingest
from recollect.learning import undo as undo_module
from recollect.learning.consolidate import ConsolidationReport
from recollect.learning.edit import MemoEdit, edit_memo
from recollect.learning.ingest import LearnedOutcome
from recollect.learning.schedule import extraction_key, flush
from recollect.policy.merge import COVERAGE
from recollect.policy.redaction import redact, redact_tags
from recollect.policy.statement import statement
from recollect.policy.viewer import provenance
from recollect.policy.visibility import VisibilityPolicy, limit_audience
from recollect.privacy.erase import PrivacyService
from recollect.prompting.assemble import Prompt
from recollect.recall import listing
from recollect.recall.display_names import Names
from recollect.recall.query import Hit
from recollect.recall.vectors.index import VectorIndexer
from recollect.settings import Loaded, Settings, load, wiring
from recollect.transfer.mirror.follower import MirrorWriter


class AsyncMemory:
    """Long-term memory: `async with AsyncMemory("memory.db") as memory`. Every method may be called concurrently.

    `user` is who speaks and `place` where, by default in their DM: what is not visible there is not shown.
    """

    engine: Engine
    store: Store
    vectors: VectorIndexer
    settings: Settings
    worker: Worker
    mirror: MirrorWriter
    names: Names
    privacy: PrivacyService

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        config: Path | None = None,
        clock: Clock = now,
        run_worker: bool = True,
        model: str | Model | None = None,
        **settings: Any,
    ) -> None:
        """Without arguments everything comes from the environment, `recollect.yaml` and the profile.

        Keyword arguments override single settings: `AsyncMemory(embedder="null", summary={"enabled": False})`. `model`
        is a name or a `Model` of your own. Without `run_worker`, learning is left to other processes.
        """
        name, instance = (model, None) if isinstance(model, str) else (None, model)
        self._configure(load(file=config, store=store, model=name, **settings), clock, run_worker, instance)

    @classmethod
    def from_settings(
        cls, loaded: Loaded, clock: Clock = now, *, run_worker: bool = True, model: Model | None = None
    ) -> Self:
        """A memory with settings that are already loaded."""
        memory = cls.__new__(cls)
        memory._configure(loaded, clock, run_worker, model)
        return memory

    def _configure(self, loaded: Loaded, clock: Clock, run_worker: bool, model: Model | None) -> None:
        self._clock = clock
        self._open_parts = partial(open_parts, loaded, clock, run_worker, model)
        self._closing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Open the store and start learning; `async with` does it by itself."""
        async with AsyncExitStack() as closing:
            self.use(Engine(await closing.enter_async_context(self._open_parts()), self._clock))
            closing.push_async_callback(self.engine.stop)
            self.engine.start()
            self._closing = closing.pop_all()

    async def close(self) -> None:
        """Stop background work and close the store; what was acknowledged is on disk already."""
        await self._closing.aclose()

    def use(self, engine: Engine) -> None:
        """Use an engine that is opened and closed elsewhere."""
        self.engine, self.settings, self.names = engine, engine.settings, engine.names
        self.store, self.vectors, self.worker = engine.store, engine.vectors, engine.worker
        self.mirror, self.privacy = engine.mirror, engine.privacy

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in AsyncMemory.__annotations__:
                raise RecollectError(
                    "this memory is not open: use `async with AsyncMemory(…) as memory`, or `open()` it"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    async def add(self, message: Message) -> bool:
        """Add a message; False when it is known already, or memory is switched off."""
        if not self.settings.enabled:
            return False
        message = ingest.sanitize(message)
        now, limits, schedule = self._clock(), self.engine.exchange_limits, self.engine.schedule
        added = await self.store.write(lambda tx: ingest.add_message(tx, message, now, limits, schedule))
        self.engine.wake()
        return added

    async def message_edited(
        self, platform: str, message_id: str, text: str, at: datetime | None = None, place: Place | None = None
    ) -> bool:
        """A message was edited: what rested on its old text is rolled back. False when it is unknown, or known in a
        newer state. `place` is where it is now, if fewer people can see it there than when it was said.
        """
        time, text, schedule = at or self._clock(), redact(text[: ingest.MAX_MESSAGE_CHARS]).text, self.engine.schedule
        changed = await self.store.write(lambda tx: ingest.edit(tx, platform, message_id, text, time, schedule, place))
        self.engine.wake()
        return changed

    async def message_deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        """A message was deleted, and with it what rests on it; False when it is unknown or already deleted."""
        deleted_at, schedule = at or self._clock(), self.engine.schedule
        changed = await self.store.write(lambda tx: ingest.delete(tx, platform, message_id, deleted_at, schedule))
        self.engine.wake()
        return changed

    async def wait_learned(self, message: Message, timeout: float | None = None) -> LearnedOutcome:
        """Wait until a message has been learned from; see `LearnedOutcome`."""
        finished = await self.worker.wait_for(extraction_key(message), timeout)
        outcome = await self.store.read(lambda tx: ingest.learned_from(tx, message))
        return replace(outcome, done=outcome.done and finished)

    async def flush(self, place: Place) -> int:
        """Learn now from the queued messages of a conversation; returns how many jobs were made due."""
        now = self._clock()
        rounds = await self.store.write(lambda tx: flush(tx, place, now))
        self.engine.wake()
        return rounds

    async def reset(self, *, user: str, place: Place | None = None) -> bool:
        """Clear the rolling summary of the conversation here; work in flight can't bring it back."""
        session, context = self.engine.session(user, place or Place(dm=user)), self.engine.change_context(user)
        return await self.store.write(lambda tx: changes.reset(tx, session, context))

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
        """Remember a user's statement, merged with existing memos. Its audience is that of the place unless another
        one is given. With `lore` it belongs to the place's guild.
        """
        wiring.require_durable(self.settings)
        place = place or Place(dm=user)
        candidate = statement(
            text,
            user,
            place,
            self.engine.policy,
            self._clock(),
            kind=kind,
            tags=tags,
            message=message,
            audience=audience,
            happened=happened,
            expires=expires,
            pinned=pinned,
            lore=lore,
            origin=origin,
            metadata=metadata,
            confidence=confidence,
        )
        vector = await self.vectors.embed_text(candidate.text)
        limits, viewer = wiring.memo_limits(self.settings, lore=lore), self.engine.viewer(user, place)
        context = replace(self.engine.change_context(user), shared=audience == EVERYWHERE)
        outcome = await self.store.write(lambda tx: changes.remember(tx, candidate, context, limits, vector, viewer))
        self.engine.wake()
        return outcome

    async def forget(
        self, what: str, *, user: str, place: Place | None = None, every: bool = False, lore: bool = False
    ) -> ForgetOutcome:
        """Retire a memo, found by its id, its number in `show`, or a part of its text. Undoable."""
        if not what.strip():
            raise BadInput("say what to forget: a part of its text, its id or its number in the list")
        share = COVERAGE if self.settings.forget_mode == "coverage60" else 0.0
        context, schedule = self.engine.change_context(user), self.engine.schedule
        subject, viewer = self.engine.view(user, place, lore)
        return await self.store.write(
            lambda tx: changes.forget(tx, subject, what, context, viewer, share, every, schedule)
        )

    async def undoable(self, *, user: str, place: Place | None = None, lore: bool = False) -> UndoOffer:
        """The change that `undo` would take back now."""
        subject, viewer = self.engine.view(user, place, lore)
        return await self.store.read(lambda tx: undo_module.undoable(tx, subject, viewer))

    async def undo(
        self,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        memo: str | None = None,
        expected: int | None = None,
    ) -> UndoOutcome:
        """Take back the last change, if it is the one `expected`; or what was last learned about one memo."""
        context, schedule = self.engine.change_context(user), self.engine.schedule
        subject, viewer = self.engine.view(user, place, lore)
        undone = await self.store.write(
            lambda tx: undo_module.undo(tx, subject, context, viewer, memo, expected, schedule)
        )
        self.engine.wake()
        return undone

    async def consolidate(self, *, user: str, dry_run: bool = False) -> ConsolidationReport:
        """Consolidate a user's memory now. The report shows private memos too: for their eyes only."""
        return await self.engine.consolidator.consolidate(Subject(user), dry_run=dry_run)

    async def show(
        self, *, user: str, place: Place | None = None, limit: int | None = None, offset: int = 0
    ) -> Listing:
        """The user's memos, newest first, and the summary of the conversation in this place."""
        place = place or Place(dm=user)
        (subject, viewer), session = self.engine.view(user, place), self.engine.session(user, place)
        page = await self.store.read(lambda tx: listing.active_page(tx, subject, viewer, session, limit, offset))
        return replace(page, off=wiring.switched_off(self.settings))

    async def get(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> Memo:
        """One memo of any status, if it is visible here; raises UnknownMemo."""
        subject, viewer = self.engine.view(user, place, lore, include_expired=True)
        return await self.store.read(lambda tx: listing.get_shown(tx, subject, memo_id, viewer))

    async def history(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> list[Event]:
        """Everything that happened to a memo, newest first; raises UnknownMemo."""
        subject, viewer = self.engine.view(user, place, lore, include_expired=True)
        return await self.store.read(lambda tx: listing.history(tx, subject, memo_id, viewer))

    async def pin(
        self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False, pinned: bool = True
    ) -> Memo:
        """Protect a memo from ever being evicted or superseded, or no longer."""
        context, (subject, viewer) = self.engine.change_context(user), self.engine.view(user, place, lore)
        return await self.store.write(lambda tx: changes.pin(tx, subject, memo_id, pinned, context, viewer))

    async def update(
        self,
        memo_id: str,
        text: str | None = None,
        *,
        user: str,
        place: Place | None = None,
        tags: Collection[str] | None = None,
        origin: Origin = Origin.MANUAL,
    ) -> Memo:
        """Change a memo's text, tags, or both; its audience is never wider than that of the change."""
        context, place = self.engine.change_context(user), place or Place(dm=user)
        redacted = None if text is None else redact(valid_memo_text(text)).text
        vector = None if redacted is None else await self.vectors.embed_text(redacted)
        source, wide = provenance(user, place, None, origin), self.engine.policy is VisibilityPolicy.USER_GLOBAL
        requested = MemoEdit(redacted, None if tags is None else redact_tags(tags), source, wide)
        (subject, viewer), limits = self.engine.view(user, place), wiring.memo_limits(self.settings)

        def edit(tx: Tx) -> Memo:
            memo = listing.get(tx, subject, memo_id, viewer)
            return listing.without_hidden_links(tx, edit_memo(tx, memo, requested, context, limits, vector), viewer)

        memo = await self.store.write(edit)
        self.engine.wake()
        return memo

    async def share(
        self, memo_id: str, *, user: str, place: Place | None = None, audience: Audience = EVERYWHERE
    ) -> Memo:
        """Set the audience of a memo; only its owner may."""
        context, place = self.engine.change_context(user), place or Place(dm=user)
        subject, viewer = self.engine.view(user, place)
        limited = limit_audience(audience, place, self.engine.policy)
        return await self.store.write(lambda tx: changes.share(tx, subject, memo_id, limited, context, viewer))

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
        count_use: bool = True,
    ) -> list[Hit]:
        """The best matches that are visible here, best first; each result explains its score.

        Over "memos" it searches the user's memos and the guild's lore, over "messages" this channel's journal.
        With `strict`, only relevant results are returned. The best hits count as used unless `count_use` is off.
        """
        return await self.engine.search(
            query,
            user=user,
            place=place,
            over=over,
            subject=subject,
            filters=filters,
            status=status,
            limit=limit,
            ranker=ranker,
            strict=strict,
            count_use=count_use,
        )

    async def context(self, message: Message, *, actions: str = "", count_use: bool = True) -> Prompt:
        """The prompt for answering a message: what all layers have, within their budgets. No model call.

        `actions` is what the assistant's platform lets it do, word for word; the layout says where it goes. What the
        prompt finds counts as used unless `count_use` is off.
        """
        user, place = message.author, message.place
        viewer = self.engine.viewer(user, place)
        request = PromptRequest(
            user=user,
            place=place,
            text=message.text,
            now=self._clock(),
            store=self.store,
            search=partial(self.search, user=user, place=place, count_use=count_use),
            is_visible=viewer,
            is_visible_to=viewer.can_tell,
            session=self.engine.session(user, place),
            message=message.id,
            with_unique_names=self.names.tagged,
        )
        with self.worker.priority.foreground():
            return await self.engine.composer.prompt(request, actions)

    async def log(self, *, user: str | None = None, limit: int = 50, before: int | None = None) -> list[Event]:
        """The event log, newest first; of one user when one is named."""
        scope = None if user is None else Subject(user).scope
        return await self.store.read(lambda tx: tx.events.list(scope=scope, limit=limit, before=before))

    async def list(
        self,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        statuses: Collection[Status] = (),
        kinds: Collection[Kind] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Listing:
        """Visible memos of any status and kind, or of the given ones, newest first; expired ones included."""
        subject, viewer = self.engine.view(user, place, lore, include_expired=True)
        return await self.store.read(lambda tx: listing.memo_page(tx, subject, viewer, statuses, kinds, limit, offset))

    async def reindex(self, progress: Progress | None = None) -> int:
        """Rebuild everything derived: the word index, then missing vectors. Resumable."""
        count = await self.store.reindex(progress)
        await self.vectors.fill(progress)
        return count
