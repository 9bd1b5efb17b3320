"""What the assistant derived from a statement: its own sentences that repeat it, summaries, short-term entries, lore.

They go with the statement. Forgetting hides them (`recall/withheld`) and counts them here; what a deleted or edited
message said, and what is erased, is removed from every row.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.ports.ranker import content_words
from recollect.core.reasons import Reason
from recollect.core.sessions import Session, parse_session
from recollect.core.text import join_escaped
from recollect.core.types import LOCAL, Memo, Message, Origin, Place, Subject, Summary, split_person
from recollect.policy import repetition
from recollect.recall import sent_prompts, withheld
from recollect.recall.withheld import Retired, Withheld

MAX_STATEMENTS = 40
"""Statements of a message, or memos of a request, whose repetitions are searched."""
MAX_HITS = 300
"""Messages that share words with a statement, best first."""
MAX_SPEAKERS_READ = 60
"""Recent messages of a conversation that are read for the names of those who take part."""
_CLOCK_SKEW = timedelta(hours=1)
"""Tolerance: a statement may be repeated before it is learned, and platforms stamp messages by their own clocks."""


@dataclass(frozen=True, slots=True)
class Derived:
    """Where the assistant repeats statements."""

    messages: tuple[Message, ...] = ()
    """Its messages without the sentences that do; empty if they say nothing else."""
    summary_lines: int = 0


def statements_of(message: Message, memos: Iterable[Memo], now: datetime, new_text: str = "") -> list[Retired]:
    """The text of a message and what was learned from it, except for what its new text still says."""
    # A question states nothing that could be repeated.
    sentences = [
        part for part in repetition.sentences(message.text)[:MAX_STATEMENTS] if not part.rstrip().endswith("?")
    ]
    texts = dict.fromkeys([*(memo.text for memo in memos), *sentences])
    scope, guild = Subject(message.person).scope, message.place.guild_key
    guilds = () if guild is None else (guild,)
    return [
        Retired(scope, "", text, now, message.name, source_gone=True, guilds=guilds)
        for text in texts
        if not any(repetition.repeats(part, text, about=True) for part in repetition.sentences(new_text))
    ]


def count(tx: Tx, subject: Subject, items: Sequence[Retired], since: datetime) -> Derived:
    """What repeats these statements of a subject."""
    search = _Search(tx, subject, items[:MAX_STATEMENTS], since)
    summaries = [summary for name in search.sessions() if (summary := tx.summaries.get(name)) is not None]
    lines = (
        len(repetition.sentences(summary.text)) - len(repetition.sentences(search.without_removed(summary)))
        for summary in summaries
    )
    return Derived(tuple(search.messages()), sum(lines))


def messages_repeating(tx: Tx, memo: Memo, now: datetime) -> list[Message]:
    """The messages in which its owner said what a memo says: they are hidden with it."""
    search = _Search(tx, memo.subject, [withheld.statement(tx, memo, now)], memo.created)
    return [row for row in search.candidates() if not row.bot and search.screen.hides(row)]


def remove(tx: Tx, subject: Subject, items: Sequence[Retired], since: datetime, now: datetime) -> Derived:
    """Remove what repeats these statements from messages, short-term entries, summaries and the assistant's lore."""
    search = _Search(tx, subject, items, since)
    messages = search.messages()
    for message in messages:
        platform = message.place.platform
        if message.text:
            tx.messages.edit(platform, message.id, message.text, now)
        else:
            tx.messages.delete(platform, message.id, now)
        if message.place.guild_key is not None:
            tx.exchanges.remove_quoting(message.place.guild_key, message.id)
    for guild in search.guilds:
        for entry in tx.exchanges.by_author(guild=guild):
            if search.screen.quotes(entry.text, entry.author):
                tx.exchanges.remove(entry)
        for memo in tx.memos.list(Subject.lore(guild)):
            if memo.source.origin is Origin.TOOL and search.screen.repeats(memo.text):
                tx.memos.remove(memo)
                tx.events.add(
                    Event(EventKind.MEMO_RETIRED, now, "", memo.subject.scope, memo.id, Reason.SOURCE_DELETED)
                )
    sent_prompts.remove_repeating(tx, search.screen)
    sessions = [
        name for prefix in search.prefixes for name in tx.summaries.rewrite(prefix, since, search.without_removed)
    ]
    for session in sessions:
        tx.events.add(Event(EventKind.SUMMARY_RESET, now, "", session, reason=Reason.MESSAGE_DELETED))
    return Derived(tuple(messages), len(sessions))


class _Search:
    """Looks for statements of one subject wherever they may have been repeated: in their guilds and their DM."""

    def __init__(self, tx: Tx, subject: Subject, items: Sequence[Retired], since: datetime) -> None:
        self._tx = tx
        self._subject = subject
        self._items = items
        self._since = since - _CLOCK_SKEW
        self.guilds = withheld.guilds_of(tx, subject, (guild for item in items for guild in item.guilds))
        self.screen = withheld.screen(items)
        guilds = (withheld.guild_place(guild) for guild in self.guilds)
        self.prefixes = [join_escaped(":", place.platform, place.guild or "") + ":" for place in guilds]
        if not subject.is_lore:
            platforms = {split_person(subject.id)[0], LOCAL}  # the library may speak for people of any platform
            self.prefixes += [Place(platform, dm=subject.id).stream for platform in sorted(platforms)]
        self._screens: dict[str, Withheld] = {}

    def messages(self) -> list[Message]:
        """The assistant's messages that repeat a statement, without the sentences that do."""
        replies = (row for row in self.candidates() if row.bot and row.at >= self._since)
        rewritten = ((reply, self._rewritten(reply)) for reply in replies)
        return [replace(reply, text=text) for reply, text in rewritten if text != reply.text]

    def candidates(self) -> Iterable[Message]:
        """Messages that share words with a statement."""
        streams, keys = self.sessions(), dict[int, None]()
        for item in self._items if streams else ():
            hits = self._tx.index.words("messages", streams, content_words(item.text), MAX_HITS)
            keys |= dict.fromkeys(hit.key for hit in hits)
        return self._tx.messages.fetch(keys).values()

    def sessions(self) -> list[str]:
        """Channels and conversations where it may have been repeated."""
        names = (name for prefix in self.prefixes for name in self._tx.messages.streams(prefix))
        return [name for name in names if self._is_of_person(parse_session(name))]

    def without_removed(self, summary: Summary) -> str:
        session = parse_session(summary.session)
        if session is None or not self._is_of_person(session):
            return summary.text
        return self._screen(session.place).without(summary.text)

    def _is_of_person(self, session: Session | None) -> bool:
        """Whether it is not the DM of someone else whose id begins with theirs."""
        return session is None or session.place.person in (None, self._subject.id)

    def _rewritten(self, reply: Message) -> str:
        return self._screen(reply.place).without(reply.text, withheld.question(self._tx, reply))

    def _screen(self, place: Place) -> Withheld:
        """The statements, and who takes part there: what is said about someone else stays."""
        if place.session not in self._screens:
            recent = self._tx.messages.recent(place, MAX_SPEAKERS_READ)
            owners = {item.scope for item in self._items}
            names = {row.name for row in recent if not row.bot and row.name and Subject(row.person).scope not in owners}
            self._screens[place.session] = withheld.screen(self._items, names)
        return self._screens[place.session]
