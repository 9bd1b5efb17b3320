"""Messages as the operator reads them: conversations, transcripts with what was learned from each line, and lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.admin.base import AdminBase, clamp
from recollect.admin.names import Names
from recollect.admin.places import conversation_streams, guild_places, resolve_place
from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.sessions import parse_session
from recollect.core.types import LOCAL, Memo, Message, Place, Subject, message_ref
from recollect.learning import consent

CONTEXT_LINES = 8
"""Messages shown before and after the selected one."""
MAX_CONVERSATIONS, _MAX_CONVERSATIONS_READ = 200, 2_000
_MAX_EVENTS_SCANNED = 300
"""Newest refusals of a speaker among which those of a page's lines are looked up."""
_MAX_GAP = 20
"""Reads for one page of a list, where most messages don't match."""
_RESOLUTION = timedelta(milliseconds=1)
_WHY_NOTHING = (EventKind.MEMO_REFUSED, EventKind.LEARNING_SKIPPED, EventKind.EXTRACT_DEGRADED)


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """A message, what was learned from it, and what was not and why."""

    message: Message
    name: str
    """Its author's; the id where no name is known."""
    memos: tuple[Memo, ...]
    refused: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A stretch of a conversation, oldest line first."""

    place: Place
    lines: tuple[TranscriptLine, ...]
    is_first: bool
    """Whether the conversation starts here."""
    is_last: bool
    """Whether the conversation ends here."""
    paused: str
    """What is paused here: `channel`, `server`, or empty."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A channel, a thread or a DM with stored messages."""

    place: Place
    last: Message | None
    person: str
    """In a DM, the name of the person if it is known."""
    paused: bool = False


@dataclass(frozen=True, slots=True)
class MessagePage:
    """Some messages, and where the list goes on; empty at its end."""

    messages: tuple[Message, ...]
    after: str


class MessageAdmin(AdminBase):
    async def message(self, platform: str, message_id: str) -> Message | None:
        """A message; None when it is unknown, emptied when it was deleted."""
        return await self._read(lambda tx: tx.messages.get(platform, message_id))

    async def find_message(self, reference: str, platforms: Sequence[str] = ("discord", LOCAL)) -> Message | None:
        """A message by its link, by platform and id as in `discord/1042`, or by its id alone."""
        return await self._read(lambda tx: find_message(tx, reference, platforms))

    async def message_line(self, platform: str, message_id: str) -> TranscriptLine | None:
        """A message with what was learned from it; None when it is unknown."""

        def work(tx: Tx) -> TranscriptLine | None:
            message = tx.messages.get(platform, message_id)
            return None if message is None else _lines(tx, [message])[0]

        return await self._read(work)

    async def transcript(
        self, place: Place, *, before: datetime | None = None, after: datetime | None = None, limit: int = 50
    ) -> Transcript:
        """The newest lines of a conversation; those before a time, or those after it."""

        def work(tx: Tx) -> Transcript:
            if after is not None:
                messages = tx.messages.after(place, after, clamp(limit))
            else:
                messages = _recent(tx, place, clamp(limit), before)
            return _transcript(tx, resolve_place(tx, place), messages)

        return await self._read(work)

    async def around(self, message: Message, lines: int = CONTEXT_LINES) -> Transcript:
        """The conversation around a message."""

        def work(tx: Tx) -> Transcript:
            earlier = _recent(tx, message.place, lines, message.at)
            later = tx.messages.after(message.place, message.at - _RESOLUTION, lines + 1)
            return _transcript(tx, resolve_place(tx, message.place), [*earlier, *later])

        return await self._read(work)

    async def conversations(self, guild: str | None = None, limit: int = MAX_CONVERSATIONS) -> list[Conversation]:
        """Conversations with stored messages, in a guild or anywhere; the busiest first."""

        return await self._read(lambda tx: read_conversations(tx, guild, limit))

    async def messages(
        self,
        *,
        user: str | None = None,
        guild: str | None = None,
        place: Place | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        newest: bool = False,
        limit: int = 50,
        after: str = "",
    ) -> MessagePage:
        """Messages that match all that is given, deleted ones left out: of a conversation in order, or with `newest`
        backwards; without one by conversation, each in order. `after` is where the page before said that it goes on.
        """

        def is_match(message: Message) -> bool:
            return (
                bool(message.text)
                and user in (None, message.person)
                and guild in (None, message.place.guild_key)
                and (since is None or message.at >= since)
                and (until is None or message.at < until)
            )

        def work(tx: Tx) -> MessagePage:
            position, matching = after, list[Message]()
            for _ in range(_MAX_GAP):
                if place is not None:
                    page, position = _read_place(tx, place, position, since, until, limit, newest=newest)
                else:
                    page, position = _read_keys(tx, user, guild, since, until, limit, position)
                matching += filter(is_match, page)
                if not position or len(matching) >= limit:
                    break
            return MessagePage(tuple(matching), position)

        return await self._read(work)

    async def pause_place(self, place: Place) -> bool:
        """Learn nothing from a channel, or without one from a whole server; False when that was so already."""
        now = self._clock()
        return await self._write(lambda tx: consent.pause_place(tx, place, now, self.name))

    async def resume_place(self, place: Place) -> bool:
        """Resume learning there; False when it was not paused."""
        now = self._clock()
        return await self._write(lambda tx: consent.resume_place(tx, place, now, self.name))

    async def paused_places(self) -> list[Place]:
        """Channels and servers from which nothing is learned."""
        return await self._read(lambda tx: [resolve_place(tx, place) for place in consent.paused_places(tx)])


def find_message(tx: Tx, reference: str, platforms: Sequence[str]) -> Message | None:
    """See `MessageAdmin.find_message`."""
    typed = reference.strip().rstrip("/")
    platform, slash, message_id = typed.partition("/")
    is_link = "://" in typed
    if slash and not is_link and (message := tx.messages.get(platform, message_id)) is not None:
        return message
    last = typed.rpartition("/")[2] if is_link else typed
    matches = (tx.messages.get(name, last) for name in platforms)
    return next((message for message in matches if message is not None), None) if last else None


def _recent(tx: Tx, place: Place, limit: int, before: datetime | None) -> list[Message]:
    """The newest messages before a time; messages with the time of the first stay together."""
    messages = tx.messages.recent(place, limit, before)
    if len(messages) < limit:
        return messages
    same = tx.messages.after(place, messages[0].at - _RESOLUTION, 1)
    known = {message.id for message in messages}
    return [*(message for message in same if message.id not in known and message.at == messages[0].at), *messages]


def _read_place(
    tx: Tx,
    place: Place,
    after: str,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    *,
    newest: bool,
) -> tuple[list[Message], str]:
    position = from_ms(int(after)) if after else None
    if newest:
        page = list(reversed(_recent(tx, place, limit, position or until)))
        is_over = len(page) < limit or (since is not None and page[-1].at < since)
    else:
        page = tx.messages.after(place, position or (since - _RESOLUTION if since else None), limit)
        is_over = len(page) < limit or (until is not None and page[-1].at >= until)
    return page, "" if is_over else str(to_ms(page[-1].at))


def _read_keys(
    tx: Tx,
    user: str | None,
    guild: str | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    after: str,
) -> tuple[list[Message], str]:
    position = int(after or 0)
    if user is None and guild is None:
        rows = tx.messages.between(since, until, limit, position)
    else:
        rows = tx.messages.written_by(user, None if guild is None else guild_places(guild)[0].guild, limit, position)
    return [message for _, message in rows], str(rows[-1][0]) if len(rows) == limit else ""


def _transcript(tx: Tx, place: Place, messages: Sequence[Message]) -> Transcript:
    first = not messages or not tx.messages.recent(place, 1, messages[0].at)
    last = not messages or not tx.messages.after(place, messages[-1].at, 1)
    return Transcript(place, tuple(_lines(tx, messages)), first, last, consent.paused_part(tx, place))


def _lines(tx: Tx, messages: Sequence[Message]) -> list[TranscriptLine]:
    names, refused = Names(tx), _refusals(tx, messages)
    return [
        TranscriptLine(
            message,
            message.name or names(message.person) or message.author,
            tuple(tx.memos.from_message(message.place.platform, message.id)),
            tuple(refused.get(message_ref(message), ())),
        )
        for message in messages
    ]


def _refusals(tx: Tx, messages: Sequence[Message]) -> dict[str, list[Event]]:
    """Why nothing was learned from these messages, by their references."""
    reasons: dict[str, list[Event]] = {}
    for person in dict.fromkeys(message.person for message in messages if not message.bot):
        for event in tx.events.list(Subject(person).scope, None, _MAX_EVENTS_SCANNED, None, _WHY_NOTHING):
            for reference in _references(event):
                reasons.setdefault(reference, []).append(event)
    return reasons


def _references(event: Event) -> list[str]:
    message, several = event.data.get("message"), event.data.get("messages")
    if isinstance(message, str) and message:
        platform = event.data.get("platform")
        return [f"{platform}/{message}" if isinstance(platform, str) else message]
    return [str(reference) for reference in several] if isinstance(several, list) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - JSON


def read_conversations(tx: Tx, guild: str | None, limit: int = MAX_CONVERSATIONS) -> list[Conversation]:
    """See `MessageAdmin.conversations`."""
    names = Names(tx)
    sessions = map(parse_session, conversation_streams(tx, guild)[:_MAX_CONVERSATIONS_READ])
    conversations = [_conversation(tx, session.place, names) for session in sessions if session]
    return sorted(conversations, key=lambda item: item.last.at.timestamp() if item.last else 0.0, reverse=True)[:limit]


def _conversation(tx: Tx, place: Place, names: Names) -> Conversation:
    messages = tx.messages.recent(place, 1, whole_stream=True)
    last = messages[-1] if messages else None
    person = (names(place.person) or place.person) if place.person else ""
    shown = last.place if last is not None and last.place.session == place.session else place
    return Conversation(shown, last, person, consent.is_place_paused(tx, place))
