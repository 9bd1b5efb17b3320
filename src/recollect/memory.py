"""`AsyncMemory`, the one public object: add, remember, search, context, list, update, forget, undo."""

import logging
from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from recollect.app import open_parts
from recollect.core.clock import Clock, now
from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.core.outcomes import (
    ForgetOutcome,
    Listing,
    RedoOutcome,
    RememberOutcome,
    RestoreOutcome,
    UndoOffer,
    UndoOutcome,
)
from recollect.core.ports import Model, Progress, Store, Tx
from recollect.core.types import (
    EVERYWHERE,
    Audience,
    Kind,
    Memo,
    Message,
    Origin,
    Place,
    Status,
    Subject,
    person_key,
    with_bare_id,
)
from recollect.engine import Engine
from recollect.jobs.worker import Worker
from recollect.learning import ingest
from recollect.learning.consolidate import ConsolidationReport
from recollect.learning.ingest import LearnedOutcome
from recollect.learning.schedule import extraction_key
from recollect.policy.redaction import redact, redact_place
from recollect.policy.statement import StatementOptions
from recollect.privacy.erase import PrivacyService
from recollect.prompting.assemble import Prompt
from recollect.recall import people
from recollect.recall.display_names import Names
from recollect.recall.query import Hit
from recollect.recall.search import SearchOptions
from recollect.recall.timeline import Timeline
from recollect.recall.vectors.index import VectorIndexer
from recollect.settings import Loaded, Settings, load
from recollect.transfer.mirror.follower import MirrorWriter
from recollect.view import View

log = logging.getLogger("recollect")

MAX_KNOWN = 10_000
"""Local people that are remembered to be there."""


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
    timeline: Timeline

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
        self._known: set[str] = set()

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
        self.mirror, self.privacy, self.timeline = engine.mirror, engine.privacy, engine.timeline

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in AsyncMemory.__annotations__:
                raise RecollectError(
                    "this memory is not open: use `async with AsyncMemory(…) as memory`, or `open()` it"
                )
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def view(self, user: str, place: Place | None = None, *, lore: bool = False) -> View:
        """Every verb for one user in one place, by default their DM; with `lore`, about the memos of its guild."""
        place = with_bare_id(Place(dm=user) if place is None else redact_place(place))
        return View(self.engine, person_key(place.platform, user), place, lore)

    async def _reader(self, name: str, place: Place | None = None, lore: bool = False) -> View:
        """A view that only reads: of the one other person with a bare id that is nobody's here, and then says so."""
        return self.view(await self._resolve(name, place, changes=False), place, lore=lore)

    async def _changer(self, name: str, place: Place | None = None, lore: bool = False) -> View:
        return self.view(await self._resolve(name, place, changes=True), place, lore=lore)

    async def view_of(self, user: str, place: Place | None = None, *, changes: bool) -> View:
        """Like `view`, but a bare id that is nobody's here, while one other person has it, is that person for readers;
        who `changes` something has to say whom they mean: raises BadInput.
        """
        return await (self._changer(user, place) if changes else self._reader(user, place))

    async def _resolve(self, name: str, place: Place | None, *, changes: bool) -> str:
        """Who is meant; with a place, someone of its platform. Raises BadInput, see `people.resolve`."""
        if place is not None or name in self._known:
            return name

        def work(tx: Tx) -> tuple[str, bool]:
            return people.resolve(tx, name, changes=changes), bool(tx.memos.count(Subject(name)))

        person, is_known = await self.store.read(work)
        if ":" in person and ":" not in name:
            log.warning("nobody local is called %s: this is about %s", name, person)
        elif is_known and len(self._known) < MAX_KNOWN:
            self._known.add(name)
        return person

    async def add(self, message: Message) -> bool:
        """Add a message; False when it is known already, or memory is switched off."""
        return await self.view(message.author, message.place).add(message)

    async def message_edited(
        self, platform: str, message_id: str, text: str, at: datetime | None = None, place: Place | None = None
    ) -> bool:
        """A message was edited: what rested on its old text is rolled back. False when it is unknown, or known in a
        newer state. `place` is where it is now, if fewer people can see it there than when it was said.
        """
        time, text, schedule = at or self._clock(), redact(text[: ingest.MAX_MESSAGE_CHARS]).text, self.engine.schedule
        where, removed = place and redact_place(place), self.engine.removed
        return await self.engine.write(
            lambda tx: ingest.edit(tx, platform, message_id, text, time, schedule, where, removed)
        )

    async def message_deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        """A message was deleted, and with it what rests on it; False when it is unknown or already deleted."""
        deleted_at, schedule, removed = at or self._clock(), self.engine.schedule, self.engine.removed
        return await self.engine.write(
            lambda tx: ingest.delete(tx, platform, message_id, deleted_at, schedule, removed)
        )

    async def wait_learned(self, message: Message, timeout: float | None = None) -> LearnedOutcome:
        """Wait until a message has been learned from; see `LearnedOutcome`."""
        finished = await self.worker.wait_for(extraction_key(message), timeout)
        outcome = await self.store.read(lambda tx: ingest.learned_from(tx, message))
        return replace(outcome, done=outcome.done and finished)

    async def flush(self, place: Place) -> int:
        """Learn now from the queued messages of a conversation; returns how many jobs were made due."""
        return await self.view("", place).flush()

    async def reset(self, *, user: str, place: Place | None = None) -> bool:
        """Clear the rolling summary of the conversation here; work in flight can't bring it back."""
        return await (await self._changer(user, place)).reset()

    async def remember(
        self,
        text: str,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        **options: Unpack[StatementOptions],
    ) -> RememberOutcome:
        """Remember a user's statement, merged with existing memos. Its audience is that of the place unless another
        one is given. With `lore` it belongs to the place's guild. `Refused` says why it may not be remembered.
        """
        return await (await self._changer(user, place, lore)).remember(text, **options)

    async def forget(
        self,
        what: str,
        *,
        user: str,
        place: Place | None = None,
        every: bool = False,
        lore: bool = False,
        version: int | None = None,
    ) -> ForgetOutcome:
        """Retire a memo, found by its id, its number in `show`, or a part of its text. Undoable. With a `version`, only
        by its id.
        """
        return await (await self._changer(user, place, lore)).forget(what, every=every, version=version)

    async def restore(
        self, what: str, *, user: str, place: Place | None = None, lore: bool = False, version: int | None = None
    ) -> RestoreOutcome:
        """Bring back a memo that was forgotten, replaced, archived, expired or undone, whatever happened since. It is
        found by its id, its number in `forgotten`, or a part of its text. Memos that contradict it are replaced.
        """
        return await (await self._changer(user, place, lore)).restore(what, version=version)

    async def undoable(self, *, user: str, place: Place | None = None, lore: bool = False) -> UndoOffer:
        """The change that `undo` would take back now."""
        return await (await self._reader(user, place, lore)).undoable()

    async def undo(
        self,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        memo: str | None = None,
        expected: int | None = None,
        change: int | None = None,
    ) -> UndoOutcome:
        """Take back the last change, if it is the one `expected`; or the `change` with this id, if its memos were not
        changed since; or what was last learned about one memo.
        """
        return await (await self._changer(user, place, lore)).undo(memo=memo, expected=expected, change=change)

    async def redo(self, *, user: str, place: Place | None = None, lore: bool = False) -> RedoOutcome:
        """Take back the last undo; None when there is none, or something was changed since."""
        return await (await self._changer(user, place, lore)).redo()

    async def consolidate(self, *, user: str, dry_run: bool = False) -> ConsolidationReport:
        """Consolidate a user's memory now. The report shows private memos too: for their eyes only."""
        return await (await self._changer(user)).consolidate(dry_run=dry_run)

    async def show(
        self, *, user: str, place: Place | None = None, limit: int | None = None, offset: int = 0
    ) -> Listing:
        """The user's memos, newest first, and the summary of the conversation in this place."""
        return await (await self._reader(user, place)).show(limit, offset)

    async def get(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> Memo:
        """One memo of any status, if it is visible here; raises UnknownMemo."""
        return await (await self._reader(user, place, lore)).get(memo_id)

    async def history(self, memo_id: str, *, user: str, place: Place | None = None, lore: bool = False) -> list[Event]:
        """Everything that happened to a memo, newest first; raises UnknownMemo."""
        return await (await self._reader(user, place, lore)).history(memo_id)

    async def pin(
        self,
        memo_id: str,
        *,
        user: str,
        place: Place | None = None,
        lore: bool = False,
        pinned: bool = True,
        version: int | None = None,
    ) -> Memo:
        """Protect a memo from ever being evicted or superseded, or no longer."""
        return await (await self._changer(user, place, lore)).pin(memo_id, pinned=pinned, version=version)

    async def update(
        self,
        memo_id: str,
        text: str | None = None,
        *,
        user: str,
        place: Place | None = None,
        tags: Collection[str] | None = None,
        origin: Origin = Origin.MANUAL,
        version: int | None = None,
    ) -> Memo:
        """Change a memo's text, tags, or both; its audience is never wider than that of the change. Here as in other
        changes of a memo, raises VersionConflict if it no longer has this version.
        """
        return await (await self._changer(user, place)).update(memo_id, text, tags, origin, version)

    async def share(
        self,
        memo_id: str,
        *,
        user: str,
        place: Place | None = None,
        audience: Audience = EVERYWHERE,
        version: int | None = None,
    ) -> Memo:
        """Set the audience of a memo; only its owner may."""
        return await (await self._changer(user, place)).share(memo_id, audience, version=version)

    async def search(
        self, query: str, *, user: str, place: Place | None = None, **options: Unpack[SearchOptions]
    ) -> list[Hit]:
        """The best matches that are visible here, best first; each result explains its score.

        Over "memos" it searches the user's memos and the guild's lore, over "messages" this channel's journal.
        With `strict`, only relevant results are returned. The best hits count as used unless `count_use` is off.
        """
        return await (await self._reader(user, place)).search(query, **options)

    async def context(self, message: Message, *, actions: str = "", count_use: bool = True) -> Prompt:
        """The prompt for answering a message: what all layers have, within their budgets. No model call.

        `actions` is what the assistant's platform lets it do, word for word; the layout says where it goes. What the
        prompt finds counts as used unless `count_use` is off.
        """
        return await self.view(message.author, message.place).context(message, actions=actions, count_use=count_use)

    async def log(self, *, user: str | None = None, limit: int = 50, before: int | None = None) -> list[Event]:
        """The event log, newest first; of one user when one is named."""
        scope = None if user is None else Subject(await self._resolve(user, None, changes=False)).scope
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
        return await (await self._reader(user, place, lore)).list(statuses, kinds, limit, offset)

    async def forgotten(
        self, *, user: str, place: Place | None = None, lore: bool = False, limit: int | None = None, offset: int = 0
    ) -> Listing:
        """What `restore` can bring back, newest first."""
        return await (await self._reader(user, place, lore)).forgotten(limit, offset)

    async def backup(self, path: Path, progress: Progress | None = None) -> None:
        """Copy the store to a new file while it is in use."""
        await self.store.backup(path, progress)

    async def reindex(self, progress: Progress | None = None) -> int:
        """Rebuild everything derived: the word index, then missing vectors. Resumable."""
        count = await self.store.reindex(progress)
        await self.vectors.fill(progress)
        return count
