"""What people forgot, or took back by deleting a message, and what says it again: such words are not told any more.

Each person and each guild has a short list of it in the store, newest last. Stating or restoring the fact takes it off
the list, and what was held back shows again.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from recollect.core import serialization
from recollect.core.clock import from_ms, to_ms
from recollect.core.events import Event
from recollect.core.ports import Corpus, Tx
from recollect.core.text import clip, fold, normalize, unescape
from recollect.core.types import Memo, Message, Place, Subject, Summary, guild_key
from recollect.policy import repetition
from recollect.policy.viewer import Viewer

MOST = 60
"""Retired statements of one person, or one guild, that are kept in mind; the oldest fall off."""
MOST_PEOPLE = 6
"""People of a conversation whose lists are read besides their guild's."""
LONGEST = 500
"""Characters of a statement that are compared."""
LIST = "retired:"
"""How the names of the lists begin."""
_CHANGES = ("memo.retired", "memo.revised", "memo.undone")


@dataclass(frozen=True, slots=True)
class Retired:
    """A statement that is not to be repeated."""

    scope: str
    memo: str
    text: str
    at: datetime
    name: str = ""
    """What its owner was called."""
    message: tuple[str, str] | None = None
    """The message that said it, by platform and id."""
    gone: bool = False
    """That message no longer says it, and its owner has forgotten nothing."""
    realms: tuple[str, ...] = ()
    """Guilds in which it could be told."""


def retire(tx: Tx, memo: Memo, at: datetime, *, name: str = "", gone: bool = False) -> None:
    """Its owner forgot a memo, or the message is `gone` that said it: from now on nothing repeats it."""
    source = memo.source
    guild = None if source.guild is None else guild_key(source.platform, source.guild)
    realms = dict.fromkeys(filter(None, (guild, memo.audience.guild or None, memo.subject.guild)))
    message = (source.platform, source.message) if source.message else None
    text = clip(memo.text, LONGEST)
    item = Retired(memo.subject.scope, memo.id, text, at, name, message, gone, tuple(realms))
    for list_name in _lists(item):
        if tx.state.append(list_name, _packed(item)) > 2 * MOST:
            _write(tx, list_name, _listed(tx, list_name)[-MOST:])


def lift(tx: Tx, memos: Sequence[Memo]) -> None:
    """Memos of one person or guild count again: what repeats them may be told."""
    ids = {memo.id for memo in memos}
    for scope in {memo.subject.scope for memo in memos}:
        _lift(tx, scope, lambda item: item.memo in ids)


def lift_stated(tx: Tx, memo: Memo) -> None:
    """Something was stated: whatever it says again, in these words or others, may be told."""
    text = normalize(memo.text)
    _lift(
        tx,
        memo.subject.scope,
        lambda item: (
            item.memo == memo.id
            or normalize(item.text) == text
            or repetition.repeats(memo.text, item.text, about=True, owner=_called(item))
        ),
    )


def _lift(tx: Tx, scope: str, is_meant: Callable[[Retired], bool]) -> None:
    lifted = [item for item in _listed(tx, LIST + scope) if is_meant(item)]
    for name in dict.fromkeys(name for item in lifted for name in _lists(item)):
        _write(tx, name, [item for item in _listed(tx, name) if item not in lifted])


def _lists(item: Retired) -> list[str]:
    return [LIST + item.scope, *(_of_guild(realm) for realm in item.realms)]


def _of_guild(realm: str) -> str:
    return f"{LIST}guild:{realm}"


def _write(tx: Tx, name: str, items: Sequence[Retired]) -> None:
    tx.state.clear(name)
    for item in items:
        tx.state.append(name, _packed(item))


def _packed(item: Retired) -> str:
    values = [item.scope, item.memo, item.text, to_ms(item.at), item.name, item.message, item.gone, item.realms]
    return json.dumps(values, ensure_ascii=False)


def _listed(tx: Tx, name: str) -> list[Retired]:
    return [read(line) for line in tx.state.items(name)]


def read(line: str) -> Retired:
    """An item of a list."""
    scope, memo, text, at, name, message, gone, realms = json.loads(line)
    return Retired(
        scope, memo, text, from_ms(at), name, None if message is None else tuple(message), gone, tuple(realms)
    )


@dataclass(frozen=True, slots=True)
class Withheld:
    """What is not to be repeated in one place, and who takes part there."""

    items: Sequence[Retired] = ()
    others: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Names of people who take part, folded, and the words that each is made of."""
    by_head: Mapping[str, Sequence[int]] = field(default_factory=dict[str, Sequence[int]])
    """Which items have words that begin so: most sentences share nothing with any of them."""

    @property
    def memos(self) -> frozenset[tuple[str, str]]:
        """What is withheld, by scope and id."""
        return frozenset((item.scope, item.memo) for item in self.items)

    def hides(self, message: Message, asked: Message | None = None) -> bool:
        """Whether a message is not to be told: it said what was forgotten, is the answer to that, or repeats it.
        `asked` is the message that it answers.
        """
        if not self.items:
            return False
        sources = {item.message for item in self.items if not item.gone}
        platform = message.place.platform
        if (platform, message.id) in sources:
            return True
        if message.bot:
            return (platform, message.reply_to) in sources or self.repeats(message.text, asked)
        scope = Subject(message.author).scope
        return any(
            repetition.repeats(sentence, item.text, about=True)
            for sentence in repetition.sentences(message.text)
            for item in self._near(sentence)
            if item.scope == scope and not item.gone and message.at <= item.at
        )

    def repeats(self, text: str, asked: Message | None = None) -> bool:
        """Whether something that the assistant said, asked this, repeats what is withheld."""
        question, to = ("", None) if asked is None else (asked.text, asked.author)
        return bool(self.items) and any(self._told(part, question, to) for part in repetition.sentences(text))

    def quotes(self, excerpt: str, author: str) -> bool:
        """The same for a question of this author and its answer in one line."""
        return bool(self.items) and self._told(excerpt, "", author)

    def without(self, text: str) -> str:
        """A summary without the sentences that repeat it."""
        if not self.items:
            return text
        lines = ((line, repetition.sentences(line)) for line in text.splitlines())
        kept = (
            (line, parts, [part for part in parts if not self._told(part, "", None, line)]) for line, parts in lines
        )
        return "\n".join(line if parts == left else " ".join(left) for line, parts, left in kept if left or not parts)

    def _told(self, sentence: str, asked: str, to: str | None, line: str = "") -> bool:
        """Whether a sentence, said to someone and standing in a line, repeats one of the items."""
        return any(
            repetition.repeats(sentence, item.text, asked=asked, about=_names(sentence, item), owner=_called(item))
            for item in self._near(f"{sentence} {asked}")
            if not self._is_of_another(f"{line or sentence} {asked}", item, to)
        )

    def _near(self, text: str) -> list[Retired]:
        heads = repetition.sense(text).heads
        return [self.items[number] for number in sorted({n for head in heads for n in self.by_head.get(head, ())})]

    def _is_of_another(self, line: str, item: Retired, to: str | None) -> bool:
        """Whether a line is said by, to or of someone else, and not of the owner."""
        to_owner = to is not None and Subject(to).scope == item.scope
        if _names(line, item) or (to_owner and repetition.speaks_to_someone(line)):
            return False
        words = repetition.sense(line).words
        if repetition.speaker(line) in self.others or any(name and name <= words for name in self.others.values()):
            return True
        return to is not None and not to_owner and not repetition.speaks_of_a_third(line)


NOTHING = Withheld()


def _names(text: str, item: Retired) -> bool:
    """Whether a text names the owner of an item."""
    return not repetition.sense(_called(item)).words.isdisjoint(repetition.sense(text).words)


def _called(item: Retired) -> str:
    return f"{item.name} {Subject.of_scope(item.scope).id}"


def gather(tx: Tx, place: Place, people: Iterable[str], said: Sequence[Message] = ()) -> Withheld:
    """What is withheld in a place where these people take part; `said` are messages of theirs, newest last."""
    spoke = [message.author for message in reversed(said) if not message.bot]
    listed = [*people, *([place.dm] if place.dm else []), *spoke]
    chosen = list(dict.fromkeys(listed))[:MOST_PEOPLE]
    names = {message.author: message.name for message in said if not message.bot and message.name}
    return _gathered(tx, place.guild_key, chosen, names)


def of_session(tx: Tx, session: str) -> Withheld:
    """The same for a conversation by its name."""
    platform, *rest = (unescape(part, ":") for part in session.split(":"))
    people = [rest[1]] if rest[:1] == ["dm"] and len(rest) > 1 else []
    people += [rest[-1]] if len(rest) > 3 and rest[-2] == "user" else []
    in_guild = len(rest) > 2 and rest[1] in ("channel", "thread")
    return _gathered(tx, guild_key(platform, rest[0]) if in_guild else None, people, {})


def _gathered(tx: Tx, realm: str | None, people: Collection[str], names: Mapping[str, str]) -> Withheld:
    lists = [] if realm is None else [_of_guild(realm)]
    lists += [LIST + Subject(user).scope for user in people]
    found = dict.fromkeys(item for name in lists for item in _listed(tx, name)[-MOST:])
    if not found:
        return NOTHING
    items = [_named(item, names) for item in found]
    others = {fold(name): repetition.sense(name).words for name in names.values()}
    return Withheld(items, others, _by_head(items))


def _by_head(items: Sequence[Retired]) -> dict[str, list[int]]:
    by_head: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        for head in repetition.sense(item.text).heads:
            by_head.setdefault(head, []).append(number)
    return by_head


def _named(item: Retired, names: Mapping[str, str]) -> Retired:
    name = names.get(Subject.of_scope(item.scope).id, item.name)
    return item if name == item.name else replace(item, name=f"{item.name} {name}".strip())


def shown(tx: Tx, withheld: Withheld, messages: Sequence[Message]) -> list[Message]:
    """Those of the messages that may be told; an answer is read together with its question."""
    if not withheld.items:
        return list(messages)
    known = {message.id: message for message in messages}
    return [one for one in messages if not withheld.hides(one, question(tx, one, known.get))]


def question(tx: Tx, message: Message, known: Callable[[str], Message | None] = lambda _: None) -> Message | None:
    """What was asked that a message answers, if it is the assistant's."""
    if not message.bot or message.reply_to is None:
        return None
    return known(message.reply_to) or tx.messages.get(message.place.platform, message.reply_to)


def is_source(tx: Tx, message: Message) -> bool:
    """Whether a message said what its author forgot since."""
    items = _listed(tx, LIST + Subject(message.author).scope)
    return any(not item.gone and item.message == (message.place.platform, message.id) for item in items)


def summary(tx: Tx, session: str) -> Summary | None:
    """The summary of a conversation as it may be told."""
    found = tx.summaries.get(session)
    return None if found is None else screened(found, of_session(tx, session))


def screened(found: Summary, withheld: Withheld) -> Summary | None:
    """Without what is withheld; None when nothing is left of it."""
    text = withheld.without(found.text)
    return found if text == found.text else replace(found, text=text) if text.strip() else None


def touched(tx: Tx, events: Iterable[Event], sessions: Iterable[str]) -> list[str]:
    """Which of these conversations have a summary that repeats what these events took out of use or brought back: it
    reads differently now.
    """
    items = [item for event in events if event.kind in _CHANGES for item in _changed(tx, event)]
    if not items:
        return []
    changed = Withheld(items, {}, _by_head(items))
    return [session for session in sessions if (found := tx.summaries.get(session)) and changed.repeats(found.text)]


def _changed(tx: Tx, event: Event) -> list[Retired]:
    """The words that a memo had before an event, and has now; none where it merely was said again."""
    if not event.memo:
        return []
    before = serialization.memo_from_json(event.data["before"]) if "before" in event.data else None
    now = tx.memos.get(Subject.of_scope(event.scope), event.memo)
    if event.kind == "memo.revised" and before and before.active and now and before.text == now.text:
        return []
    texts = dict.fromkeys(memo.text for memo in (before, now) if memo is not None)
    return [Retired(event.scope, event.memo, clip(text, LONGEST), event.at) for text in texts]


def tellable(tx: Tx, audible: Viewer, over: Corpus) -> Callable[[Any], bool]:
    """What may be heard; of messages, only those that repeat nothing that was forgotten or taken back."""
    held = gather(tx, audible.place, [audible.user]) if over == "messages" else NOTHING
    if not held.items:
        return audible
    return lambda said: audible(said) and not held.hides(said, question(tx, said))
