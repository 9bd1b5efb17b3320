"""The last requests to a chat model as they were sent, for the operator, if `keep_prompts` is set.

A request quotes messages, memos and summaries. It is hidden while something in it is forgotten, and removed when a
message that it may quote is deleted or edited, and whenever anything is erased.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from recollect.core.clock import from_ms, to_ms
from recollect.core.events import EventKind
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.text import normalize
from recollect.core.types import Message, Place
from recollect.policy.redaction import redact
from recollect.recall import withheld
from recollect.recall.withheld import Withheld

_CHUNK_CHARS = 600
"""PostgreSQL indexes a record as a whole, up to 2.7 kB of it."""
_MAX_EVENTS = 200
_REMOVALS = (EventKind.MESSAGE_DELETED, EventKind.MESSAGE_EDITED, EventKind.MEMO_ERASED, EventKind.SUMMARY_RESET)


@dataclass(frozen=True, slots=True)
class SentPart:
    name: str
    text: str
    remembered: bool
    """The part that quotes people; the rest is the same in each request."""


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """A request: to whom the reply went and where, and its parts in the order in which a provider reads them."""

    at: datetime
    user: str
    """As `person_key`."""
    place: Place
    model: str
    parts: tuple[SentPart, ...]
    id: str = ""
    is_hidden: bool = False
    """Whether something in it has been forgotten since: its parts are left out."""

    @property
    def quoted(self) -> str:
        return "\n".join(part.text for part in self.parts if part.remembered)

    @property
    def chars(self) -> int:
        return sum(len(part.text) for part in self.parts)


def keep(tx: Tx, prompt: SentPrompt, limit: int, since: int) -> bool:
    """Store a request among the last ones, unless something that it may quote was removed after the event `since`."""
    _keys(tx)
    events = tx.events.after(since, _MAX_EVENTS)
    if not limit or len(events) == _MAX_EVENTS or any(event.kind in _REMOVALS for event in events):
        return False
    key = f"{to_ms(prompt.at):014d}-{secrets.token_hex(4)}"
    owner = Owner.member(prompt.user, prompt.place.guild_key)
    text = json.dumps(_to_json(prompt), ensure_ascii=False)
    for number, start in enumerate(range(0, len(text), _CHUNK_CHARS)):
        tx.state.append(StateKind.SENT_PROMPT, key, f"{number:05d}{text[start : start + _CHUNK_CHARS]}", owner)
    _drop(tx, _keys(tx)[:-limit])
    return True


def newest(tx: Tx, limit: int) -> list[SentPrompt]:
    """The kept requests, newest first."""
    return [prompt for key in _keys(tx)[::-1][:limit] if (prompt := read(tx, key)) is not None]


def read(tx: Tx, key: str) -> SentPrompt | None:
    prompt = _read(tx, key)
    if prompt is None:
        return None
    screen = withheld.collect(tx, prompt.place, [prompt.user])
    if not _repeats(prompt, screen):
        return prompt
    return SentPrompt(prompt.at, prompt.user, prompt.place, prompt.model, (), key, is_hidden=True)


def remove_repeating(tx: Tx, screen: Withheld) -> None:
    """Remove the requests that repeat statements."""
    _drop(tx, [key for key, prompt in _all(tx) if _repeats(prompt, screen)])


def remove_quoting(tx: Tx, message: Message) -> None:
    """Remove the requests that may quote a message: those of its server or DM since then, and those with its words."""
    words = normalize(message.text)

    def may_quote(prompt: SentPrompt) -> bool:
        is_near = prompt.place.guild_key == message.place.guild_key and prompt.place.person == message.place.person
        return (is_near and prompt.at >= message.at) or bool(words and words in normalize(prompt.quoted))

    _drop(tx, [key for key, prompt in _all(tx) if may_quote(prompt)])


def remove_all(tx: Tx) -> None:
    _drop(tx, _keys(tx))


def _repeats(prompt: SentPrompt, screen: Withheld) -> bool:
    if not screen.items:
        return False
    text = normalize(prompt.quoted)
    return any(item.text and normalize(item.text) in text for item in screen.items) or screen.repeats(prompt.quoted)


def _all(tx: Tx) -> list[tuple[str, SentPrompt]]:
    prompts = ((key, _read(tx, key)) for key in _keys(tx))
    return [(key, prompt) for key, prompt in prompts if prompt is not None]


def _keys(tx: Tx) -> list[str]:
    """All stored ones, oldest first. Counting them takes a lock, so that adding and removing wait for each other."""
    tx.state.count(StateKind.SENT_PROMPT)
    return tx.state.keys(StateKind.SENT_PROMPT)


def _drop(tx: Tx, keys: Sequence[str]) -> None:
    for key in keys:
        tx.state.clear(StateKind.SENT_PROMPT, key)


def _to_json(prompt: SentPrompt) -> dict[str, object]:
    return {
        "at": to_ms(prompt.at),
        "user": prompt.user,
        "place": {name: value for name, value in asdict(prompt.place).items() if value},
        "model": prompt.model,
        "parts": [
            (part.name, redact(part.text).text if part.remembered else part.text, part.remembered)
            for part in prompt.parts
        ],
    }


def _read(tx: Tx, key: str) -> SentPrompt | None:
    text = "".join(item[5:] for item in tx.state.items(StateKind.SENT_PROMPT, key))
    if not text:
        return None
    record, known = json.loads(text), {field.name for field in fields(Place)}
    place = Place(**{name: value for name, value in record["place"].items() if name in known})
    parts = tuple(SentPart(*part) for part in record["parts"])
    return SentPrompt(from_ms(record["at"]), record["user"], place, record["model"], parts, key)
