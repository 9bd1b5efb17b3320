"""`View`: every verb of a person's memory once, for a viewer. It returns outcomes, and faces render them.

A verb imports the flow that it starts: a caller that only reads doesn't load all of learning.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

from recollect import learning
from recollect.arguments import checked
from recollect.core.errors import BadInput
from recollect.core.outcomes import Added, Explanation, Listing, Refused, RelearnPreview
from recollect.core.ports import PromptRequest, Tx
from recollect.core.reasons import Reason
from recollect.core.text import clean
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Origin, Place, Status, Subject, bare_id
from recollect.engine import Engine
from recollect.inputs import LEARN_TIMEOUT_SECONDS, MemoRef, Words, kinds_of, memo_id, messages_of, statuses_of
from recollect.policy.viewer import Viewer, provenance, require_present, subject_of
from recollect.policy.visibility import VisibilityPolicy, limit_audience, with_qualified_owner
from recollect.recall import listing
from recollect.settings import wiring

if TYPE_CHECKING:
    from builtins import list as list_  # `list` is a verb here
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from recollect.core.changes import Candidate
    from recollect.core.events import Event
    from recollect.core.outcomes import (
        ForgetOutcome,
        Forgotten,
        NotFound,
        RedoOutcome,
        RelearnOutcome,
        RememberOutcome,
        RestoreOutcome,
        UndoOffer,
        UndoOutcome,
    )
    from recollect.learning.apply import ChangeContext
    from recollect.learning.consolidate import ConsolidationReport
    from recollect.learning.relearn import RelearnOptions
    from recollect.policy.statement import StatementOptions
    from recollect.privacy.receipt import ErasurePreview, Receipt
    from recollect.privacy.target import ErasureTarget
    from recollect.prompting.assemble import Prompt
    from recollect.recall.query import Hit
    from recollect.recall.search import SearchOptions


@checked
@dataclass(frozen=True, slots=True)
class View:
    """What someone may see and do in a place. With `lore` it is about the memos of the place's guild."""

    engine: Engine
    user: str
    place: Place
    lore: bool = False

    @property
    def subject(self) -> Subject:
        """Whose memos this view is about; raises BadInput."""
        return subject_of(self.user, self.place, self.lore)

    @property
    def _viewer(self) -> Viewer:
        return self.engine.viewer(self.user, self.place)

    @property
    def _viewer_of_expired(self) -> Viewer:
        return self.engine.viewer(self.user, self.place, include_expired=True)

    @property
    def _context(self) -> ChangeContext:
        return self.engine.change_context(self.user)

    @property
    def _session(self) -> str:
        return self.engine.session(self.user, self.place)

    async def add(
        self, words: Words | Iterable[Words], *, name: str = "", at: datetime | None = None, wait: bool | float = False
    ) -> Added:
        """Add what was said here in one transaction, and learn from it; none is new where memory is switched off."""
        engine, user = self.engine, bare_id(self.place.platform, self.user)
        messages = messages_of(words, user=user, place=self.place, name=name, at=at or engine.clock())
        added = Added(tuple(messages), await engine.add(messages) if messages else 0)
        return await engine.with_learned(added, LEARN_TIMEOUT_SECONDS if wait is True else wait) if wait else added

    async def flush(self) -> int:
        """Learn now from the queued messages of the conversation; returns how many jobs were made due."""
        return await self.engine.flush(self.place)

    async def reset(self) -> bool:
        """Clear the rolling summary of the conversation; work in flight can't bring it back."""
        session, context = self._session, self._context

        def work(tx: Tx) -> bool:
            learning.schedule.flush(tx, self.place, context.at)  # a conversation ends
            return learning.changes.reset(tx, session, context, self.place)

        return await self.engine.write(work)

    async def pause_learning(self) -> bool:
        """Learn nothing from the user until `resume_learning`; False when already paused."""
        user, now = self.subject.id, self.engine.clock()
        return await self.engine.write(lambda tx: learning.consent.pause(tx, user, now))

    async def resume_learning(self) -> bool:
        """Learn from the user again; False when not paused."""
        user, now = self.subject.id, self.engine.clock()
        return await self.engine.write(lambda tx: learning.consent.resume(tx, user, now))

    async def is_learning_paused(self) -> bool:
        return await self.engine.store.read(lambda tx: learning.consent.is_paused(tx, self.user))

    async def remember(self, text: str, **options: Unpack[StatementOptions]) -> RememberOutcome:
        """Remember a statement, merged with existing memos; `Refused` says why it may not be remembered."""
        (outcome,) = await self.remember_all([text], **options)
        return outcome

    async def remember_all(self, texts: Sequence[str], **options: Unpack[StatementOptions]) -> list_[RememberOutcome]:
        """Remember statements in one transaction: an outcome for each, in their order. They are undone together."""
        from recollect.policy.statement import MAX_TEXTS_AT_ONCE, statement

        engine, settings = self.engine, self.engine.settings
        wiring.require_durable(settings)
        make = partial(statement, user=self.user, place=self.place, policy=engine.policy, now=engine.clock())

        def check() -> list_[Candidate | Refused]:
            return [make(text, lore=self.lore, **options) for text in texts]

        candidates = await asyncio.to_thread(check) if len(texts) > MAX_TEXTS_AT_ONCE else check()
        accepted = [candidate.text for candidate in candidates if not isinstance(candidate, Refused)]
        if not accepted:
            return [candidate for candidate in candidates if isinstance(candidate, Refused)]
        vectors = await engine.vectors.embed_texts(accepted)
        limits, viewer = wiring.memo_limits(settings, lore=self.lore), self._viewer
        context = replace(self._context, shared=options.get("audience") == EVERYWHERE)
        return await engine.write(
            lambda tx: learning.changes.remember_all(tx, candidates, context, limits, vectors, viewer),
            is_complete=None not in vectors,
        )

    async def note(self, line: str, text: str, message: Message, confidence: float) -> RememberOutcome:
        """Store a line of the assistant's reply as lore, with the words that support it; or say why not."""
        options: StatementOptions = {"message": message.id, "origin": Origin.TOOL, "confidence": confidence}
        if self.engine.settings.extraction.grounding == "quote":  # the documents of other profiles trust the assistant
            now = self.engine.clock()
            source = await self.engine.store.read(lambda tx: learning.lore.source_of(tx, line, message, now))
            if isinstance(source, Reason):
                return Refused(source)
            options["message"], options["evidence"] = source.message.id, source.quote
        return await replace(self, lore=True).remember(text, **options)

    async def update(
        self,
        memo: MemoRef,
        text: str | None = None,
        tags: Collection[str] | None = None,
        origin: Origin = Origin.MANUAL,
        version: int | None = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        expires: datetime | Literal["never"] | None = None,
    ) -> Memo:
        """Change a memo's text, tags, metadata or expiry; its audience is never wider than that of the change. Here as
        below, raises VersionConflict if the memo no longer has this version.
        """
        engine, source = self.engine, provenance(self.user, self.place, None, origin)
        wide = engine.policy is VisibilityPolicy.USER_GLOBAL
        requested = learning.edit_memo.MemoEdit.redacted(text, tags, metadata, expires, source, wide=wide)
        vector = None if requested.text is None else await engine.vectors.embed_text(requested.text)
        subject, viewer, context = self.subject, self._viewer_of_expired, self._context
        limits = wiring.memo_limits(engine.settings, lore=self.lore)

        def work(tx: Tx) -> Memo:
            before = listing.get(tx, subject, memo_id(memo), viewer, version)
            after = learning.edit_memo.edit_memo(tx, before, requested, context, limits, vector)
            return listing.without_hidden_links(tx, after, viewer)

        return await engine.write(work)

    async def forget(self, what: MemoRef, *, every: bool = False, version: int | None = None) -> ForgetOutcome:
        """Retire a memo, found by its id, its number in `show`, or a part of its text. Undoable. With a `version`, only
        by its id.
        """
        if not (reference := memo_id(what)).strip():
            raise BadInput("say what to forget: a part of its text, its id or its number in the list")
        share, literal = wiring.forget_match_options(self.engine.settings)
        subject, viewer, context, schedule = self.subject, self._viewer, self._context, self.engine.schedule
        forget = partial(learning.changes.forget, schedule=schedule, version=version, literal=literal)
        return await self.engine.write(lambda tx: forget(tx, subject, reference, context, viewer, share, every))

    async def forget_all(self, memos: Sequence[Memo]) -> Forgotten | NotFound:
        """Retire these memos as one change. Undoable. Raises VersionConflict if one has changed since it was read."""
        subject, viewer, context, schedule = self.subject, self._viewer, self._context, self.engine.schedule
        forget_all = learning.changes.forget_all
        return await self.engine.write(lambda tx: forget_all(tx, subject, memos, context, viewer, schedule))

    async def withdraw(self, messages: Sequence[Message], *, learned: bool = True) -> Forgotten:
        """Hide messages of the user; with `learned`, what they changed is as it was before. Undoable."""
        subject, viewer, context, schedule = self.subject, self._viewer, self._context, self.engine.schedule
        withdraw = partial(learning.withdraw.withdraw, schedule=schedule, learned=learned)
        return await self.engine.write(lambda tx: withdraw(tx, subject, messages, context, viewer))

    async def restore(self, what: MemoRef, *, version: int | None = None) -> RestoreOutcome:
        """Bring back a retired memo, found by its id, its number in `forgotten`, or a part of its text. Undoable."""
        if not (reference := memo_id(what)).strip():
            raise BadInput("say what to restore: a part of its text, its id or its number in the list")
        subject, viewer, context, schedule = self.subject, self._viewer_of_expired, self._context, self.engine.schedule
        limits = wiring.memo_limits(self.engine.settings, lore=self.lore)
        return await self.engine.write(
            lambda tx: learning.restore.restore(tx, subject, reference, context, viewer, schedule, limits, version)
        )

    async def undoable(self, *, change: int | None = None) -> UndoOffer:
        """What `undo` would take back now: the last change, or the `change` with this id."""
        subject, viewer = self.subject, self._viewer
        return await self.engine.store.read(lambda tx: learning.undo.undoable(tx, subject, viewer, change))

    async def undo(
        self, *, memo: str | None = None, expected: int | None = None, change: int | None = None
    ) -> UndoOutcome:
        """Take back the last change, if it is the one `expected`; or the `change` with this id, if its memos were not
        changed since; or what was last learned about one memo.
        """
        subject, viewer, context, schedule = self.subject, self._viewer, self._context, self.engine.schedule
        return await self.engine.write(
            lambda tx: learning.undo.undo(tx, subject, context, viewer, memo, expected, schedule, change)
        )

    async def redo(self) -> RedoOutcome:
        """Take back the last undo; None when there is none, or something was changed since."""
        subject, viewer, context, schedule = self.subject, self._viewer, self._context, self.engine.schedule
        return await self.engine.write(lambda tx: learning.undo.redo(tx, subject, context, viewer, schedule))

    async def pin(self, memo: MemoRef, *, pinned: bool = True, version: int | None = None) -> Memo:
        """Protect a memo from ever being evicted or superseded, or no longer."""
        subject, viewer, context = self.subject, self._viewer, self._context
        return await self.engine.write(
            lambda tx: learning.changes.pin(tx, subject, memo_id(memo), pinned, context, viewer, version)
        )

    async def share(self, memo: MemoRef, audience: Audience = EVERYWHERE, *, version: int | None = None) -> Memo:
        """Set the audience of a memo; only its owner may."""
        subject, viewer, context = self.subject, self._viewer, self._context
        limited = limit_audience(with_qualified_owner(audience, self.user), self.place, self.engine.policy)
        return await self.engine.write(
            lambda tx: learning.changes.share(tx, subject, memo_id(memo), limited, context, viewer, version)
        )

    async def consolidate(self, *, dry_run: bool = False) -> ConsolidationReport:
        """Merge and tidy the user's memos now. The report shows private memos too: show it to them alone."""
        report = await self.engine.consolidator.consolidate(Subject(self.user), dry_run=dry_run)
        self.engine.wake()
        return report

    async def relearn(self, *, dry_run: bool = False, **options: Unpack[RelearnOptions]) -> RelearnOutcome:
        """Learn from the user's messages again, with the model that is configured now; in a channel, from what everyone
        there could hear. Undoable. With `dry_run`, only what that would change.
        """
        person, viewer = self.subject.id, self._viewer
        is_own_dm = viewer.place.person == person
        selection = learning.relearn.Selection(
            person=person, is_allowed=lambda said: is_own_dm or viewer(said), **options
        )
        outcome = await self.engine.relearn(selection, self.user, dry_run=dry_run)
        if not isinstance(outcome, RelearnPreview):
            return outcome
        visible = await self.engine.store.read(lambda tx: listing.visible_steps(tx, outcome.changes, viewer))
        return replace(outcome, changes=visible)

    async def show(self, limit: int | None = None, offset: int = 0) -> Listing:
        """The active memos, newest first, and the summary of the conversation in this place."""
        subject, viewer, session = self.subject, self._viewer, self._session
        settings, now = self.engine.settings, self.engine.clock()

        def work(tx: Tx) -> Listing:
            page = listing.active_page(tx, subject, viewer, session, limit, offset)
            is_spent = wiring.budget(settings).is_spent(tx, learning.batches.tenant(self.place), now)
            paused = (learning.budget.PAUSED_NOTICE,) if is_spent else ()
            return replace(page, off=(*wiring.switched_off(settings), *paused))

        return await self.engine.store.read(work)

    async def forgotten(self, limit: int | None = None, offset: int = 0) -> Listing:
        """What `restore` can bring back, newest first: in the order of its numbers."""
        subject, viewer, now = self.subject, self._viewer_of_expired, self.engine.clock()
        return await self.engine.store.read(
            lambda tx: learning.restore.restorable_page(tx, subject, viewer, now, limit, offset)
        )

    async def find(self, what: str, *, to_forget: bool = False) -> Sequence[Memo]:
        """The active memos that an id, a number in `show`, or a part of a text refers to; or what `forget` matches."""
        share, literal = wiring.forget_match_options(self.engine.settings) if to_forget else (0.0, False)
        return listing.find((await self.show()).memos, what, share, literal=literal)

    async def get(self, memo: MemoRef) -> Memo:
        """One memo of any status, if it is visible here; raises UnknownMemo."""
        subject, viewer = self.subject, self._viewer_of_expired
        return await self.engine.store.read(lambda tx: listing.get_shown(tx, subject, memo_id(memo), viewer))

    async def history(self, memo: MemoRef) -> list[Event]:
        """Everything that happened to a memo, newest first; raises UnknownMemo."""
        subject, viewer = self.subject, self._viewer_of_expired
        return await self.engine.store.read(lambda tx: listing.history(tx, subject, memo_id(memo), viewer))

    async def why(self, memo: MemoRef) -> Explanation:
        """Where a memo comes from and what happened to it, as far as that may be told here; raises UnknownMemo."""
        subject, viewer = self.subject, self._viewer_of_expired
        return await self.engine.store.read(lambda tx: listing.explain(tx, subject, memo_id(memo), viewer))

    async def search(self, query: str, *, include_expired: bool = False, **options: Unpack[SearchOptions]) -> list[Hit]:
        """The best matches that are visible here, best first; each result explains its score."""
        return await self.engine.search(
            query, user=self.user, place=self.place, include_expired=include_expired, **options
        )

    async def context(
        self,
        message: Words | Iterable[Words],
        *,
        actions: str = "",
        count_use: bool = True,
        whole: bool = False,
        unstored: Sequence[Message] = (),
    ) -> Prompt:
        """The prompt for answering a message: what all layers have, within their budgets. No model call.

        As a `whole` turn of a conversation it has the rules of memory, the history and the message, also where the
        layout is one layer of a larger prompt. `unstored` are the last messages, as far as the store lacks them.
        """
        if not isinstance(message, Message):
            message = await self.engine.message_to_answer(message, bare_id(self.place.platform, self.user), self.place)
        require_present(message)
        if count_use:
            self.engine.close_batches_of(message)
        engine, viewer, summary = self.engine, self._viewer, self.engine.settings.summary
        if summary.wait:
            await learning.summarize.wait_for_summary(engine.store, self._session, engine.clock, summary.timeout)
        request = PromptRequest(
            user=self.user,
            place=self.place,
            text=clean(message.text),  # no client of a model sends a lone surrogate
            now=engine.clock(),
            store=engine.store,
            search=partial(self.search, count_use=count_use),
            is_visible=viewer,
            is_visible_to=viewer.can_tell,
            session=self._session,
            message=message.id,
            with_unique_names=engine.names.tagged,
        )
        with engine.worker.priority.foreground():
            return await engine.composer.prompt(request, actions, whole=whole, unstored=unstored)

    def erasure(self, *, here: bool = False) -> ErasureTarget:
        """Everything about the user, or, with `here`, what they left on this server; raises BadInput."""
        from recollect.privacy.target import ErasureTarget

        if here and self.place.guild is None:
            raise BadInput('this is not a server: leave out "here" to erase everything')
        return ErasureTarget(self.user, self.place.guild_key if here else None)

    async def preview_erasure(self, *, here: bool = False) -> ErasurePreview | None:
        """What `erase` would remove; None when there is nothing."""
        target, privacy = self.erasure(here=here), self.engine.privacy
        return None if await privacy.is_clean(target) else await privacy.preview(target)

    async def erase(self, *, here: bool = False) -> Receipt | None:
        """Erase at the person's own request, for good. None when there is nothing: it is work for the whole store."""
        target, privacy = self.erasure(here=here), self.engine.privacy
        return None if await privacy.is_clean(target) else await privacy.erase(target, asked_by=self.user)

    async def export(self) -> dict[str, Any]:
        """Everything that is stored about the user, as JSON that `recollect import` takes; show it to them alone."""
        return await self.engine.privacy.export(self.erasure())

    async def list(
        self,
        statuses: Collection[Status | str] | str | None = None,
        kinds: Collection[Kind | str] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Listing:
        """Visible memos that are in use, newest first; or, with statuses, also expired ones of these, or of "any"."""
        shown = statuses_of(statuses)
        subject, viewer = self.subject, self._viewer if shown is None else self._viewer_of_expired
        only, these = [Status.ACTIVE] if shown is None else shown, kinds_of(kinds)
        return await self.engine.store.read(
            lambda tx: listing.memo_page(tx, subject, viewer, only, these, limit, offset)
        )
