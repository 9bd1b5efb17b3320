"""`AsyncMemory`, the one public object: add, remember, search, context, list, update, forget, undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from recollect.arguments import checked
from recollect.core.outcomes import Added
from recollect.core.types import EVERYWHERE, Message, Origin, Status, with_bare_id
from recollect.inputs import (
    LEARN_TIMEOUT_SECONDS,
    MemoRef,
    UserId,
    Words,
    filters_of,
    messages_of,
    plain_text,
)
from recollect.policy.redaction import redact, redact_place
from recollect.upkeep import MemoryUpkeep

if TYPE_CHECKING:  # what only annotations name is not loaded by `import recollect`
    from builtins import list as list_  # `list` is a verb here
    from collections.abc import Collection
    from datetime import datetime

    from recollect.core.events import Event
    from recollect.core.outcomes import (
        Explanation,
        ForgetOutcome,
        Listing,
        RedoOutcome,
        RememberOutcome,
        RestoreOutcome,
        UndoOffer,
        UndoOutcome,
    )
    from recollect.core.ports import Corpus, Filters
    from recollect.core.types import Audience, Kind, Memo, Place
    from recollect.learning.ingest import LearnedOutcome
    from recollect.policy.statement import StatementOptions
    from recollect.prompting.assemble import Prompt
    from recollect.recall.query import Hit


@checked
class AsyncMemory(MemoryUpkeep):
    """Long-term memory: `async with AsyncMemory("memory.db") as memory`. Every method may be called concurrently.

    `user` is who speaks and `place` where, by default in their DM: what is not visible there is not shown.

    An argument that can't be used, or the id of no memo, raises `BadInput`, a `ValueError` that names it, before
    anything is changed. No match, several matches and a refused statement are outcomes, not errors.
    """

    async def add(
        self,
        words: Words | Iterable[Words],
        *,
        user: UserId | None = None,
        place: Place | None = None,
        name: str = "",
        at: datetime | None = None,
        wait: bool | float = False,
    ) -> Added:
        """Add what was said, and learn from it in the background: a text, a `Message`, a dictionary with `role` and
        `content`, or several, in one transaction. False when it is known already, or memory is switched off.

        `wait` returns when it has been learned from, after at most so many seconds: then `learned` says what.
        """
        await self._ensure_open()
        messages = messages_of(words, user=user, place=place, name=name, at=at or self._clock())
        return (
            await self.view(messages[0].author, messages[0].place).add(messages, wait=wait)
            if messages
            else Added((), 0, done=bool(wait))
        )

    async def message_edited(
        self, platform: str, message_id: str, text: str, at: datetime | None = None, place: Place | None = None
    ) -> bool:
        """A message was edited: what it taught before is rolled back. False when it is unknown, or known in a
        newer state. `place` is where it is now, if fewer people can see it there than when it was said.
        """
        from recollect.learning.ingest import MAX_MESSAGE_CHARS
        from recollect.learning.message_changes import edit_message

        await self._ensure_open()
        when, schedule, removed = at or self._clock(), self.engine.schedule, self.engine.removed
        text, where = redact(text[:MAX_MESSAGE_CHARS]).text, place and redact_place(place)
        return await self.engine.write_replies(
            lambda tx: edit_message(tx, platform, message_id, text, when, schedule, where, removed),
            [(platform, message_id)],
        )

    async def message_deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        """A message was deleted: what it taught is rolled back. False when it is unknown or already deleted."""
        from recollect.learning.message_changes import delete_message

        await self._ensure_open()
        deleted_at, schedule, removed = at or self._clock(), self.engine.schedule, self.engine.removed
        return await self.engine.write(
            lambda tx: delete_message(tx, platform, message_id, deleted_at, schedule, removed)
        )

    async def wait_learned(
        self, message: Message, timeout: float | None = None, *, closes_batch: bool = True
    ) -> LearnedOutcome:
        """Wait until a message has been learned from; see `LearnedOutcome`. Unless `closes_batch`, only for what is
        learned at once: a model is asked about several messages together, later.
        """
        await self._ensure_open()
        return await self.engine.wait_learned(message, timeout, closes_batch=closes_batch)

    async def flush(self, place: Place | None = None, *, timeout: float | None = LEARN_TIMEOUT_SECONDS) -> int:
        """Learn now from what is queued; returns how many jobs were made due.

        Of one conversation, if its place is named, and without waiting; else of all, and it returns when that is done,
        after at most `timeout` seconds.
        """
        await self._ensure_open()
        return await self.engine.flush(place and with_bare_id(redact_place(place)), timeout)

    @overload
    async def remember(
        self,
        text: str,
        *,
        user: UserId,
        place: Place | None = None,
        lore: bool = False,
        **options: Unpack[StatementOptions],
    ) -> RememberOutcome: ...

    @overload
    async def remember(
        self,
        text: Iterable[str],
        *,
        user: UserId,
        place: Place | None = None,
        lore: bool = False,
        **options: Unpack[StatementOptions],
    ) -> list_[RememberOutcome]: ...

    async def remember(
        self,
        text: str | Iterable[str],
        *,
        user: UserId,
        place: Place | None = None,
        lore: bool = False,
        kind: Kind | str | None = None,
        tags: Collection[str] = (),
        audience: Audience | None = None,
        happened: datetime | None = None,
        expires: datetime | None = None,
        pinned: bool = False,
        metadata: Mapping[str, Any] | None = None,
        confidence: float = 1.0,
        evidence: str | None = None,
        message: str | None = None,
        origin: Origin = Origin.MANUAL,
    ) -> RememberOutcome | list_[RememberOutcome]:
        """Remember a user's statement, merged with existing memos. Its audience is that of the place unless another
        one is given. With `lore` it belongs to the place's guild. `Refused` says why it may not be remembered.

        Several statements, as a list, are kept in one transaction: an outcome for each, and one `undo` for all.
        """
        options: StatementOptions = {
            "kind": kind,
            "tags": tags,
            "message": message,
            "audience": audience,
            "happened": happened,
            "expires": expires,
            "pinned": pinned,
            "origin": origin,
            "metadata": metadata,
            "confidence": confidence,
            "evidence": evidence,
        }
        view = await self._changer(user, place, lore)
        if isinstance(text, str):
            return await view.remember(text, **options)
        texts = [plain_text(each, f"text {number}") for number, each in enumerate(text, 1)]
        return await view.remember_all(texts, **options)

    async def forget(
        self,
        what: MemoRef,
        *,
        user: UserId,
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
        self, what: MemoRef, *, user: UserId, place: Place | None = None, lore: bool = False, version: int | None = None
    ) -> RestoreOutcome:
        """Bring back a memo that was forgotten, replaced, archived, expired or undone, whatever happened since. It is
        found by its id, its number in `forgotten`, or a part of its text. Memos that contradict it are replaced.
        """
        return await (await self._changer(user, place, lore)).restore(what, version=version)

    async def undoable(
        self, *, user: UserId, place: Place | None = None, lore: bool = False, change: int | None = None
    ) -> UndoOffer:
        """What `undo` would take back now: the last change, or the `change` with this id."""
        return await (await self._reader(user, place, lore)).undoable(change=change)

    async def undo(
        self,
        *,
        user: UserId,
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

    async def redo(self, *, user: UserId, place: Place | None = None, lore: bool = False) -> RedoOutcome:
        """Take back the last undo; None when there is none, or something was changed since."""
        return await (await self._changer(user, place, lore)).redo()

    async def show(
        self, *, user: UserId, place: Place | None = None, limit: int | None = None, offset: int = 0
    ) -> Listing:
        """The user's memos, newest first, and the summary of the conversation in this place."""
        return await (await self._reader(user, place)).show(limit, offset)

    async def get(self, memo: MemoRef, *, user: UserId, place: Place | None = None, lore: bool = False) -> Memo:
        """One memo of any status, if it is visible here; raises UnknownMemo."""
        return await (await self._reader(user, place, lore)).get(memo)

    async def history(
        self, memo: MemoRef, *, user: UserId, place: Place | None = None, lore: bool = False
    ) -> list[Event]:
        """Everything that happened to a memo, newest first; raises UnknownMemo."""
        return await (await self._reader(user, place, lore)).history(memo)

    async def pin(
        self,
        memo: MemoRef,
        *,
        user: UserId,
        place: Place | None = None,
        lore: bool = False,
        pinned: bool = True,
        version: int | None = None,
    ) -> Memo:
        """Protect a memo from ever being evicted or superseded, or no longer."""
        return await (await self._changer(user, place, lore)).pin(memo, pinned=pinned, version=version)

    async def update(
        self,
        memo: MemoRef,
        text: str | None = None,
        *,
        user: UserId,
        place: Place | None = None,
        tags: Collection[str] | None = None,
        origin: Origin = Origin.MANUAL,
        version: int | None = None,
        metadata: Mapping[str, Any] | None = None,
        expires: datetime | Literal["never"] | None = None,
    ) -> Memo:
        """Change a memo's text, tags, metadata or expiry; its audience is never wider than that of the change. Here as
        in other changes of a memo, raises VersionConflict if it no longer has this version.
        """
        return await (await self._changer(user, place)).update(
            memo, text, tags, origin, version, metadata=metadata, expires=expires
        )

    async def share(
        self,
        memo: MemoRef,
        *,
        user: UserId,
        place: Place | None = None,
        audience: Audience = EVERYWHERE,
        version: int | None = None,
    ) -> Memo:
        """Set the audience of a memo; only its owner may."""
        return await (await self._changer(user, place)).share(memo, audience, version=version)

    async def search(
        self,
        query: str,
        *,
        user: UserId,
        place: Place | None = None,
        limit: int | None = None,
        strict: bool = False,
        min_score: float | None = None,
        over: Corpus = "memos",
        subject: Literal["mine", "lore", "both"] = "both",
        filters: Filters | Mapping[str, Any] | None = None,
        status: Status = Status.ACTIVE,
        ranker: str | None = None,
        count_use: bool = True,
    ) -> list[Hit]:
        """The best matches that are visible here, best first; each result explains its score.

        Scores are from 0 to 1 and comparable between queries: from 0.5 on a hit is `relevant`, below it is merely the
        nearest. With `strict` only relevant hits are returned, with `min_score` only those from that score on.

        Over "memos" it searches the user's memos and the guild's lore, over "messages" those of this channel.
        The best hits count as used unless `count_use` is off. A `limit` is moved into what `search.max_limit` allows.
        """
        return await (await self._reader(user, place)).search(
            query,
            over=over,
            subject=subject,
            filters=filters_of(filters),
            status=status,
            limit=limit,
            ranker=ranker,
            strict=strict,
            min_score=min_score,
            count_use=count_use,
        )

    async def context(
        self,
        message: Words | Iterable[Words],
        *,
        user: UserId | None = None,
        place: Place | None = None,
        actions: str = "",
        count_use: bool = True,
    ) -> Prompt:
        """The prompt for answering a message: what all layers have, within their budgets. No model call.

        All of it is `text`. For a request there are `system`, what is remembered, and `messages`, one user turn with
        the conversation so far and the message itself, so that no other has to be sent. `actions` is what the
        assistant's platform lets it do, word for word; the layout says where it goes. What the prompt finds counts as
        used unless `count_use` is off.
        """
        await self._ensure_open()
        message = await self.engine.message_to_answer(message, user, place)
        return await self.view(message.author, message.place).context(message, actions=actions, count_use=count_use)

    async def list(
        self,
        *,
        user: UserId,
        place: Place | None = None,
        lore: bool = False,
        statuses: Collection[Status | str] | str | None = None,
        kinds: Collection[Kind | str] = (),
        limit: int | None = None,
        offset: int = 0,
    ) -> Listing:
        """Visible memos that are in use, newest first, of any kind or of these.

        With `statuses`, such as `["superseded"]`, those of these statuses, expired ones included; with "any", all.
        """
        return await (await self._reader(user, place, lore)).list(statuses, kinds, limit, offset)

    async def why(self, memo: MemoRef, *, user: UserId, place: Place | None = None, lore: bool = False) -> Explanation:
        """Where a memo comes from and what happened to it, as far as that may be told here; raises UnknownMemo."""
        return await (await self._reader(user, place, lore)).why(memo)
