"""Memos and messages as lines of a prompt; quoted text can't pass for structure."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Exchange, Memo, Message, Origin, Place, Provenance, Status
from recollect.language.requests import without_filler
from recollect.policy.kinds import to_category, to_kind
from recollect.policy.visibility import is_source_visible

_SEPARATOR = re.compile(r"[-\u2010-\u2015\u2212]{3,}")
# A quoted or listed line, as in `> [Ann]: I quit`, must not pass for a turn of that person.
_MARK = r"(?:[>*+•·‣–—_`~-]|\d{1,3}[.)])"
_TURN = re.compile(
    rf"(?<=\n)[^\S\n]*(?=(?:{_MARK}[^\S\n]*)*[\[［【〔⟦][^\[\]\n]{{1,100}}[\]］】〕⟧][^\w\n]{{0,5}}[:：∶꞉])"
)
# Invisible characters that can hide or reorder words: control characters, bidi marks, tags, selectors.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
_JOINERS = re.compile("[\u200c\u200d]")
BARS = "|｜¦ǀ‖│┃∣∥❘❙❚⏐⏽"
_NAME_DELIMITERS = frozenset("[]:#\u115f\u1160\u3164\u2800ː˸։׃܃܄᛬᠃᠉⁚∶꞉ꓽ" + BARS)
"""Colons and bars, and what looks like them; brackets; a number sign, which begins a tag; and invisible characters."""
MAX_TITLE_CHARS = 60
MAX_NAME_CHARS = 100
MIN_LINE_CHARS = 20
"""Minimum length to which a message may be cut."""
_TOOLS = r"(?:antml:)?(?:tool|function)[\w-]*|(?:antml:)?(?:invoke|parameter|thinking)|discord-actions?"
_TOOL_CALL = re.compile(rf"<({_TOOLS})\b[^>]*>.*?</\1\s*>|</?(?:{_TOOLS})\b[^>]*>", re.DOTALL | re.IGNORECASE)


def render_plain(memo: Memo, place: Place | None = None) -> str:
    """`- [fact] Prefers Rust (src: manual, #dev, updated 2025-01-15)`

    `place` is where the line is read: the channel is named only where the source is visible.
    """
    source = ["src: " + _origin(memo)]
    if memo.source.channel_name and _is_channel_visible(memo, place):
        source.append(channel_title(memo.source.channel_name))
    source.append(f"updated {memo.updated.date()}")
    return f"- [{to_kind(memo.kind)}] {collapse_spaces(memo.text)} ({', '.join(source)})"


def render_end(memo: Memo) -> str:
    """` (until 2026-06-09)` behind what another memo replaced; empty for what still holds."""
    return f" (until {memo.updated.date()})" if memo.status is Status.SUPERSEDED else ""


def discord_url(source: Provenance) -> str | None:
    """The link to the message on Discord from which a memo comes; None elsewhere."""
    parts = (source.guild or "@me", source.thread or source.channel or "", source.message or "")
    numbers = parts[1:] if source.guild is None else parts
    if source.platform != "discord" or not all(part.isascii() and part.isdecimal() for part in numbers):
        return None
    return f"https://discord.com/channels/{'/'.join(parts)}"


def render_with_source(memo: Memo, place: Place | None = None) -> str:
    """`- [preference] text (src: discord:<channel>/<message>, updated 2026-02-09)`; `place` is where it is read."""
    source = _origin(memo)
    channel, message = memo.source.channel, memo.source.message
    if memo.source.origin is not Origin.MANUAL and channel and message and _is_channel_visible(memo, place):
        source = f"discord:{channel}/{message}"
    return f"- [{to_kind(memo.kind)}] {collapse_spaces(memo.text)} (src: {source}, updated {memo.updated.date()})"


def render_with_category(memo: Memo, place: Place | None = None) -> str:  # noqa: ARG001 - shows no source in any place
    """`- [category] content`"""
    return f"- [{to_category(memo.kind)}] {collapse_spaces(memo.text)}"


def _is_channel_visible(memo: Memo, place: Place | None) -> bool:
    """Whether the channel may be named; without a place, such as in an operator's file, it may."""
    return place is None or is_source_visible(memo, place)


def _origin(memo: Memo) -> str:
    shown_origins = (Origin.MANUAL, Origin.DISCORD, Origin.SUMMARY)
    return memo.source.origin.value if memo.source.origin in shown_origins else "summary"


def render_message(message: Message) -> str:
    """`[Name]: text`; empty for a bot's message that only called tools, or only said that it listens."""
    return _turn(speaker(message), message.text, message.bot)


@lru_cache(maxsize=4096)  # cached: a prompt measures lines before choosing, and the next prompt has most of them again
def _turn(name: str, text: str, is_bot: bool) -> str:
    said = "\n".join((without_filler(_TOOL_CALL.sub("", text)) if is_bot else text).splitlines())
    return f"[{name}]: {neutralize(_TURN.sub('· ', said))}" if said.strip() else ""


def speaker(message: Message) -> str:
    """The author's display name, with the tag that distinguishes them from others of that name."""
    return f"{display_name(message.name or message.author)}{message.tag}"


@lru_cache(maxsize=4096)
def display_name(name: str) -> str:
    """A name without characters that delimit names in a prompt."""
    shown = name[:MAX_NAME_CHARS]
    return collapse_spaces("".join(" " if _delimits(char) else char for char in shown)) or "someone"


@lru_cache(maxsize=4096)
def _delimits(char: str) -> bool:
    plain = unicodedata.normalize("NFKC", char)
    return not _NAME_DELIMITERS.isdisjoint(plain) or (unicodedata.category(char) in ("Ps", "Pe") and plain not in "()")


def channel_title(name: str) -> str:
    """`#dev`. A thread's title is arbitrary text of a member, so it is cut too short to imitate a turn."""
    return f"#{clip(display_name(name), MAX_TITLE_CHARS)}"


def render_exchange(exchange: Exchange) -> str:
    """`- #dev, 10:42: text`"""
    text = clip(collapse_spaces(exchange.text), 200)
    return f"- {channel_title(exchange.channel_name)}, {exchange.at.isoformat()[11:16]}: {text}"


@lru_cache(maxsize=4096)
def neutralize(text: str, headers: tuple[str, ...] = (), indent: str = "  ") -> str:
    """Text in which no line can pass for a separator or for one of these headers (in lower case).

    Cached, because the same messages appear in prompt after prompt.
    """
    # Invisible characters would hide a header from the comparison, but not from the model.
    first, *others = _INVISIBLE.sub("", text).strip().splitlines() or [""]
    return "\n".join([_defuse(first, headers), *(indent + _defuse(line, headers) for line in others)])


def _defuse(line: str, headers: tuple[str, ...]) -> str:
    visible = _JOINERS.sub("", collapse_spaces(line)).casefold()
    return f"· {line.strip()}" if visible.startswith(headers) or _SEPARATOR.fullmatch(visible) else line


def window(messages: Sequence[Message], budget: int | None) -> list[str]:
    """The newest lines that fit, oldest first."""
    lines: list[str] = []
    remaining = 1 << 60 if budget is None else budget
    for message in reversed(messages):
        line = render_message(message)
        if len(line) > remaining:
            # Only replies are cut: half of what a person said could say something else.
            if not message.bot or remaining < MIN_LINE_CHARS:
                break
            line = clip(line, remaining)
        if line:
            lines.append(line)
            remaining -= len(line) + 1
    return lines[::-1]
