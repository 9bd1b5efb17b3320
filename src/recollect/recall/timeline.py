"""Messages and events for the faces that added or follow them; visibility is not applied."""

from collections.abc import Collection, Sequence

from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.types import Memo, Message, Place, Subject, Summary
from recollect.policy.rendering import speaker
from recollect.policy.visibility import audience_covers_place, is_forgotten
from recollect.recall import sent_prompts, summary_changes, withheld
from recollect.recall.display_names import Names
from recollect.recall.sent_prompts import SentPrompt


class Timeline:
    def __init__(self, store: Store, names: Names) -> None:
        self._store, self._names = store, names

    async def message(self, platform: str, message_id: str) -> Message | None:
        """A message as it is stored."""
        return await self._store.read(lambda tx: tx.messages.get(platform, message_id))

    async def recent(self, place: Place, limit: int, *, whole_stream: bool = False) -> list[Message]:
        """The newest messages of a conversation, or of its whole channel, oldest first."""
        return await self._store.read(lambda tx: tx.messages.recent(place, limit, whole_stream=whole_stream))

    async def last_messages(self, places: Sequence[Place]) -> list[Message | None]:
        """The last message of each of these places, in one read."""

        def work(tx: Tx) -> list[Message | None]:
            newest = (tx.messages.recent(place, 1) for place in places)
            return [messages[-1] if messages else None for messages in newest]

        return await self._store.read(work)

    async def quotable(self, messages: Sequence[Message], limit: int, here: Place) -> Sequence[Message]:
        """The first messages that everyone who can read a place could hear, and from which nothing was forgotten, with
        unique names.
        """

        def work(tx: Tx) -> Sequence[Message]:
            people = {message.person for message in messages if not message.bot}
            held = withheld.collect(tx, here, people, messages)
            remaining = [
                message
                for message in messages
                if audience_covers_place(message.place.audience, here)
                and not is_forgotten(tx.memos.from_message(message.place.platform, message.id))
                and not held.hides(message)
            ]
            return self._names.tagged(tx, remaining[:limit])

        return await self._store.read(work)

    async def speaker(self, message: Message) -> str:
        """The name of a message's author, with a tag where it could be mistaken for another's."""
        return speaker((await self._store.read(lambda tx: self._names.tagged(tx, [message])))[0])

    async def keep_prompt(self, prompt: SentPrompt, limit: int, since: int) -> bool:
        """Store a request to a chat model for the operator; `since` is the last event before it."""
        return await self._store.write(lambda tx: sent_prompts.keep(tx, prompt, limit, since), background=True)

    async def memo(self, scope: str, memo_id: str) -> Memo | None:
        """A memo of any status that an event names."""
        return await self._store.read(lambda tx: tx.memos.get(Subject.of_scope(scope), memo_id))

    async def memos(self, named: Sequence[tuple[str, str]]) -> list[Memo | None]:
        """Memos of any status by their scopes and ids, in one read."""
        return await self._store.read(lambda tx: [tx.memos.get(Subject.of_scope(scope), name) for scope, name in named])

    async def memo_count(self, user: str) -> int:
        """How many memos of any status there are about someone."""
        return await self._store.read(lambda tx: tx.memos.count(Subject(user)))

    async def summary(self, session: str, place: Place) -> Summary | None:
        """The summary of a conversation that may be told in a place, without what is withheld."""
        return await self._store.read(lambda tx: withheld.screened_summary(tx, session, place))

    async def changed_summaries(self, events: Sequence[Event], sessions: Collection[str]) -> list[str]:
        """The sessions whose summary repeats what these events retired or restored."""
        return await self._store.read(lambda tx: summary_changes.affected_sessions(tx, events, sessions))

    async def events_after(self, event_id: int, limit: int) -> list[Event]:
        """Events after this one, oldest first."""
        return await self._store.read(lambda tx: tx.events.after(event_id, limit))

    async def events_of(self, scope: str, kinds: Collection[str], limit: int) -> list[Event]:
        """The newest events of these kinds about a person or a guild."""
        return await self._store.read(lambda tx: tx.events.list(scope=scope, limit=limit, kinds=kinds))

    async def last_event_id(self) -> int:
        """The id of the newest event; 0 when there is none."""
        newest = await self._store.read(lambda tx: tx.events.list(limit=1))
        return newest[0].id if newest else 0

    async def job_counts(self) -> dict[str, int]:
        """The number of jobs in each state."""
        return await self._store.read(lambda tx: tx.jobs.counts())
