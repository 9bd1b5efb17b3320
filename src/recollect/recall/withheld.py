"""Retired statements (forgotten, or withdrawn by deleting a message): neither they nor what repeats them is shown.

Each person and each guild has a short list of them in the store, newest last. Stating or restoring the fact removes it
from the list, and what repeats it is shown again.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Any

from recollect.core.clock import from_ms, to_ms
from recollect.core.ports import Corpus, Tx
from recollect.core.sessions import parse_session
from recollect.core.state import Owner, StateKind
from recollect.core.text import clip, fold, normalize, unescape
from recollect.core.types import (
    Memo,
    Message,
    Place,
    Subject,
    Summary,
    guild_key,
    split_person,
)
from recollect.policy import repetition
from recollect.policy.viewer import Viewer
from recollect.recall.summaries import latest_for

MAX_ITEMS = 500
"""Retired statements per person or guild; beyond that, the oldest of the owner with the most are dropped."""
MAX_PEOPLE = 6
"""People of a conversation whose lists are read in addition to their guild's."""
MAX_TEXT_CHARS = 500
"""Characters of a statement that are compared."""


@dataclass(frozen=True, slots=True)
class Retired:
    """A statement that must not be repeated."""

    scope: str
    memo: str
    text: str
    at: datetime
    name: str = ""
    """Display name of its owner."""
    message: tuple[str, str] | None = None
    """The message that said it, by platform and id."""
    source_gone: bool = False
    """The message was deleted or edited; its owner has not forgotten anything."""
    guilds: tuple[str, ...] = ()
    """Guilds in which it was visible."""


def retire(tx: Tx, memo: Memo, now: datetime, *, name: str = "") -> Retired:
    """Withhold a memo that its owner forgot, and whatever repeats it."""
    item = statement(tx, memo, now, name=name)
    _append(tx, item)
    return item


def _append(tx: Tx, item: Retired) -> None:
    for kind, key, owner in _lists(item):
        tx.state.append(kind, key, _pack(item), owner)
        # Pruned at twice the limit, so that the whole list is not read again at each new item.
        if tx.state.count(kind, key) > 2 * MAX_ITEMS:
            lines = {_unpack(line): line for line in tx.state.items(kind, key)}
            newest = set(newest_of_each(lines))
            tx.state.remove(kind, key, [line for item, line in lines.items() if item not in newest])


def newest_of_each(items: Collection[Retired], limit: int = MAX_ITEMS) -> list[Retired]:
    """At most so many, in their order: the newest, round-robin by owner, so that no owner displaces another."""
    by_owner: dict[str, list[Retired]] = {}
    for item in items:
        by_owner.setdefault(item.scope, []).append(item)
    turns = zip_longest(*(reversed(owned) for owned in by_owner.values()))
    newest = set(islice((item for turn in turns for item in turn if item is not None), limit))
    return [item for item in items if item in newest]


def statement(tx: Tx, memo: Memo, now: datetime, *, name: str = "") -> Retired:
    """What a memo says, and where it may have been told."""
    source = memo.source
    guild = None if source.guild is None else guild_key(source.platform, source.guild)
    guilds = guilds_of(tx, memo.subject, filter(None, (guild, memo.audience.guild or None, memo.subject.guild)))
    message = (source.platform, source.message) if source.message else None
    text = clip(memo.text, MAX_TEXT_CHARS)
    return Retired(memo.subject.scope, memo.id, text, now, name, message, guilds=guilds)


def guilds_of(tx: Tx, subject: Subject, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Guilds in which a person took part according to the records, and those already known."""
    if subject.is_lore:
        return tuple(dict.fromkeys([*known, *filter(None, [subject.guild])]))
    rows = tx.state.owned_by(Owner.person(subject.id))
    platform, guilds = split_person(subject.id)[0], {row.owner.guild_id: None for row in rows if row.owner.guild_id}
    # Some records have the guild's id on its platform, others its key.
    keys = (guild if "~" in guild else guild_key(platform, guild) for guild in guilds)
    return tuple(dict.fromkeys([*known, *guilds, *keys]))


def guild_place(guild: str) -> Place:
    """A place in a guild, by what `core.types.guild_key` made of its platform and id."""
    platform, separator, guild_id = guild.partition("~")
    return Place(unescape(platform, "~"), guild_id) if separator else Place("discord", guild)


def release_restored(tx: Tx, memos: Sequence[Memo]) -> None:
    """Memos were restored: what repeats them is shown again."""
    ids = {memo.id for memo in memos}
    for scope in {memo.subject.scope for memo in memos}:
        _release(tx, scope, lambda item: item.memo in ids)


def release_stated(tx: Tx, memo: Memo) -> None:
    """A memo was stated: what repeats it, in these words or others, is shown again."""
    text = normalize(memo.text)
    _release(
        tx,
        memo.subject.scope,
        lambda item: (
            item.memo == memo.id
            or normalize(item.text) == text
            or repetition.repeats(memo.text, item.text, about=True, owner=_owner_names(item))
        ),
    )


def _release(tx: Tx, scope: str, matches: Callable[[Retired], bool]) -> None:
    for line in tx.state.items(StateKind.WITHHELD, scope):
        item = _unpack(line)
        if matches(item):
            for kind, key, _ in _lists(item):
                tx.state.remove(kind, key, [line])


def _lists(item: Retired) -> list[tuple[StateKind, str, Owner]]:
    """The lists that hold an item, with the owner of each: its owner's, and those of guilds where it was visible."""
    subject = Owner.of_subject(Subject.of_scope(item.scope))
    owner = Owner.member(subject.person_id, subject.guild_id or next(iter(item.guilds), None))
    in_guilds = [(StateKind.WITHHELD_IN_GUILD, guild, Owner.member(subject.person_id, guild)) for guild in item.guilds]
    return [(StateKind.WITHHELD, item.scope, owner), *in_guilds]


def _pack(item: Retired) -> str:
    values = [item.scope, item.memo, item.text, to_ms(item.at), item.name, item.message, item.source_gone, item.guilds]
    return json.dumps(values, ensure_ascii=False)


def _read_list(tx: Tx, kind: StateKind, key: str) -> list[Retired]:
    return [_unpack(line) for line in tx.state.items(kind, key)]


@lru_cache(maxsize=8192)
def _unpack(line: str) -> Retired:
    """An item of a list."""
    scope, memo, text, at, name, message, source_gone, guilds = json.loads(line)
    return Retired(
        scope, memo, text, from_ms(at), name, None if message is None else tuple(message), source_gone, tuple(guilds)
    )


@dataclass(frozen=True, slots=True)
class Withheld:
    """The retired statements that concern one place, and who takes part there."""

    items: Sequence[Retired] = ()
    participants: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Folded names of the people who take part, and the words of each name."""
    by_head: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    """Indexes of items by the stems of their distinctive words: most sentences share none of these."""
    sources: frozenset[tuple[str, str] | None] = frozenset()
    """The messages that said what was forgotten."""

    @property
    def memos(self) -> frozenset[tuple[str, str]]:
        """Scope and id of what is withheld."""
        return frozenset((item.scope, item.memo) for item in self.items if item.text)

    def hides(self, message: Message, question: Message | None = None) -> bool:
        """Whether a message is withheld: it is the source of a retired statement, the reply to it, or repeats it.
        `question` is the message that it answers.
        """
        if not self.items:
            return False
        platform = message.place.platform
        if (platform, message.id) in self.sources:
            return True
        # The assistant may repeat anyone's words; a person only withdraws their own.
        if message.bot:
            return (platform, message.reply_to) in self.sources or self.repeats(message.text, question)
        scope = Subject(message.person).scope
        return any(
            repetition.repeats(sentence, item.text, about=True)
            for sentence in repetition.sentences(message.text)
            for item in self._items_near(sentence)
            # Said again after forgetting it is a new statement, and stays.
            if item.scope == scope and not item.source_gone and message.at <= item.at
        )

    def repeats(self, text: str, question: Message | None = None) -> bool:
        """Whether the assistant's text, as the answer to a question, repeats what is withheld."""
        question_text, addressee = ("", None) if question is None else (question.text, question.person)
        return bool(self.items) and any(
            self._repeats_item(part, question_text, addressee) for part in repetition.sentences(text)
        )

    def quotes(self, excerpt: str, author: str) -> bool:
        """The same for a question of this author and its answer in one line, with a bar between them."""
        question, _, answer = excerpt.partition(" | ")
        return bool(self.items) and (
            self._repeats_item(excerpt, "", author)
            or any(self._is_brought_up(part, question, author) for part in repetition.sentences(answer))
        )

    def without(self, text: str, question: Message | None = None) -> str:
        """A summary, or the answer to a question, without the sentences that repeat what is withheld."""
        if not self.items:
            return text
        asked, addressee = ("", None) if question is None else (question.text, question.person)
        lines = ((line, repetition.sentences(line)) for line in text.splitlines())
        parsed = (
            (line, parts, [part for part in parts if not self._repeats_item(part, asked, addressee, line)])
            for line, parts in lines
        )
        return "\n".join(
            line if parts == retained else " ".join(retained)
            for line, parts, retained in parsed
            if retained or not parts
        )

    def _repeats_item(self, sentence: str, question: str, addressee: str | None, line: str = "") -> bool:
        """Whether a sentence to someone, as part of a line, repeats one of the items."""
        return self._is_brought_up(sentence, question, addressee) or any(
            repetition.repeats(
                words,
                item.text,
                question=question,
                about=_mentions_owner(sentence, item),
                owner=_owner_names(item),
                addressed=_mentions_owner(sentence, item) or _is_addressed(sentence, item, addressee),
            )
            for words in {repetition.unlabeled(sentence), sentence}  # "Allergies: nuts" has no speaker
            for item in self._items_near(words)
            if not self._is_about_someone_else(f"{line or sentence} {question}", item, addressee)
        )

    def _is_brought_up(self, sentence: str, question: str, addressee: str | None) -> bool:
        """Whether a sentence has, unasked, what was said by whom it is about; "you" in a summary may be anyone."""
        line = f"{sentence} {question}"
        is_turn = repetition.speaker(sentence) is not None and repetition.addresses_someone(sentence)
        return any(
            repetition.brings_up(sentence, item.text, question=question, owner=_owner_names(item))
            for item in self._items_near(sentence)
            if _is_owner(addressee, item)
            or (is_turn and not _mentions_owner(sentence, item) if addressee is None else _mentions_owner(line, item))
        )

    def _items_near(self, text: str) -> list[Retired]:
        heads = repetition.sense(text).heads
        return [self.items[index] for index in sorted({n for head in heads for n in self.by_head.get(head, ())})]

    def _is_about_someone_else(self, line: str, item: Retired, addressee: str | None) -> bool:
        """Whether a line is said by, to or about someone else than the owner."""
        is_to_owner = _is_owner(addressee, item)
        if _mentions_owner(line, item) or (is_to_owner and repetition.addresses_someone(line)):
            return False
        words = repetition.sense(line).words
        if repetition.speaker(line) in self.participants or any(
            name and name <= words for name in self.participants.values()
        ):
            return True
        return addressee is not None and not is_to_owner and not repetition.mentions_third_person(line)


NOTHING = Withheld()


def _mentions_owner(text: str, item: Retired) -> bool:
    """Whether a text names the owner of an item."""
    return not repetition.sense(_owner_names(item)).words.isdisjoint(repetition.sense(text).words)


def _is_owner(user: str | None, item: Retired) -> bool:
    return user is not None and Subject(user).scope == item.scope


def _is_addressed(sentence: str, item: Retired, addressee: str | None) -> bool:
    """Whether a sentence is said to the owner; "you" in a summary may be anyone there."""
    if addressee is None:
        return repetition.addresses_someone(sentence)
    return _is_owner(addressee, item)


def _owner_names(item: Retired) -> str:
    return f"{item.name} {split_person(Subject.of_scope(item.scope).id)[1]}"


def collect(tx: Tx, place: Place, people: Iterable[str], messages: Sequence[Message] = ()) -> Withheld:
    """What is withheld in a place where these people take part; `messages` are recent ones there, newest last."""
    speakers = [message.person for message in reversed(messages) if not message.bot]
    candidates = [*people, *([place.person] if place.person else []), *speakers]
    chosen = list(dict.fromkeys(candidates))[:MAX_PEOPLE]
    names = {message.person: message.name for message in messages if not message.bot and message.name}
    return _collect(tx, place.guild_key, chosen, names)


def of_session(tx: Tx, session: str) -> Withheld:
    """What is withheld in a conversation, given its session name."""
    named = parse_session(session)
    if named is None:
        return NOTHING
    owner = Owner.of_session(session).person_id
    people = [owner] if owner else []
    return _collect(tx, named.place.guild_key, people, {})


def _collect(tx: Tx, guild: str | None, people: Collection[str], names: Mapping[str, str]) -> Withheld:
    lists = [] if guild is None else [(StateKind.WITHHELD_IN_GUILD, guild)]
    lists += [(StateKind.WITHHELD, Subject(user).scope) for user in people]
    stored = dict.fromkeys(item for kind, key in lists for item in newest_of_each(_read_list(tx, kind, key)))
    if not stored:
        return NOTHING
    return screen([_with_name(item, names) for item in stored], names.values())


def screen(items: Sequence[Retired], names: Iterable[str] = ()) -> Withheld:
    """These statements, where people of these names take part."""
    sources = frozenset(item.message for item in items if item.message and not item.source_gone)
    return Withheld(items, {fold(name): repetition.sense(name).words for name in names}, _by_head(items), sources)


def _by_head(items: Sequence[Retired]) -> dict[str, list[int]]:
    by_head: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        for head in repetition.distinctive_heads(item.text):
            by_head.setdefault(head, []).append(index)
    return by_head


def _with_name(item: Retired, names: Mapping[str, str]) -> Retired:
    name = names.get(Subject.of_scope(item.scope).id, item.name)
    return item if name == item.name else replace(item, name=f"{item.name} {name}".strip())


def visible_messages(tx: Tx, withheld: Withheld, messages: Sequence[Message]) -> list[Message]:
    """The messages that are not withheld; a reply is judged together with its question."""
    if not withheld.items:
        return list(messages)
    by_id = {message.id: message for message in messages}
    return [message for message in messages if not withheld.hides(message, question(tx, message, by_id.get))]


def question(tx: Tx, message: Message, lookup: Callable[[str], Message | None] = lambda _: None) -> Message | None:
    """The message that the assistant's reply answers."""
    if not message.bot or message.reply_to is None:
        return None
    return lookup(message.reply_to) or tx.messages.get(message.place.platform, message.reply_to)


def is_hidden(tx: Tx, message: Message) -> bool:
    """Whether a message says something that its author has forgotten."""
    return _collect(tx, None, [message.person], {}).hides(message)


def screened_summary(tx: Tx, session: str, place: Place | None = None) -> Summary | None:
    """The summary of a conversation without what is withheld; for a place, the one that may be told there."""
    stored = tx.summaries.get(session) if place is None else latest_for(tx, session, place)
    return None if stored is None else screen_summary(stored, of_session(tx, session))


def screen_summary(summary: Summary, withheld: Withheld) -> Summary | None:
    """The summary without what is withheld; None when nothing remains."""
    text = withheld.without(summary.text)
    return summary if text == summary.text else replace(summary, text=text) if text.strip() else None


def search_filter(tx: Tx, viewer: Viewer, over: Corpus) -> Callable[[Any], bool]:
    """The visibility check for a search; over messages it also hides what is withheld."""
    held = collect(tx, viewer.place, [viewer.user]) if over == "messages" else NOTHING
    if not held.items:
        return viewer
    return lambda message: viewer(message) and not held.hides(message, question(tx, message))
