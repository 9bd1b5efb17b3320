"""One memory as one line of a prompt, in the style of each design; text from people stays inert."""

import re
from functools import lru_cache

from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Exchange, Memo, Message, Origin, Place
from recollect.policy.kinds import to_category, to_kind
from recollect.policy.visibility import is_source_visible

_SEPARATOR = re.compile(r"[-\u2010-\u2015\u2212]{3,}")
# What shows nothing but can hide words or turn them round: control characters, bidi marks, tags, selectors.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
_JOINERS = re.compile("[\u200c\u200d]")
# Brackets and colons delimit a name, a number sign begins the tag of one, and the last four show nothing.
_MARKS = str.maketrans(dict.fromkeys("[]:#＃﹟\u115f\u1160\u3164\u2800", " "))
_TOOLS = r"(?:antml:)?(?:tool|function)[\w-]*|(?:antml:)?(?:invoke|parameter|thinking)|discord-actions?"
_TOOL_CALL = re.compile(rf"<({_TOOLS})\b[^>]*>.*?</\1\s*>|</?(?:{_TOOLS})\b[^>]*>", re.DOTALL | re.IGNORECASE)


def render_plain(memo: Memo, here: Place | None = None) -> str:
    """`- [fact] Prefers Rust (src: manual, #dev, updated 2025-01-15)`

    `here` is where the line is read: a channel is named only to those who may know what was said in it.
    """
    source = ["src: " + _origin(memo)]
    if memo.source.channel_name and _is_named(memo, here):
        source.append("#" + collapse_spaces(memo.source.channel_name).removeprefix("#"))
    source.append(f"updated {memo.updated.date()}")
    return f"- [{to_kind(memo.kind)}] {collapse_spaces(memo.text)} ({', '.join(source)})"


def render_with_source(memo: Memo, here: Place | None = None) -> str:
    """`- [preference] text (src: discord:<channel>/<message>, updated 2026-02-09)`; `here` is where it is read."""
    where = memo.source
    source = "manual"
    if where.origin is not Origin.MANUAL and where.channel and where.message and _is_named(memo, here):
        source = f"discord:{where.channel}/{where.message}"
    elif where.origin is not Origin.MANUAL:
        source = _origin(memo)
    return f"- [{to_kind(memo.kind)}] {collapse_spaces(memo.text)} (src: {source}, updated {memo.updated.date()})"


def render_with_category(memo: Memo, here: Place | None = None) -> str:  # noqa: ARG001 - it tells no source, wherever it is read
    """`- [category] content`"""
    return f"- [{to_category(memo.kind)}] {collapse_spaces(memo.text)}"


def _is_named(memo: Memo, here: Place | None) -> bool:
    """Whether the channel may be named; in no place, such as in an operator's file, it may."""
    return here is None or is_source_visible(memo, here)


def _origin(memo: Memo) -> str:
    known = (Origin.MANUAL, Origin.DISCORD, Origin.SUMMARY)
    return memo.source.origin.value if memo.source.origin in known else "summary"


def render_message(message: Message) -> str:
    """`[Name]: text`; empty when nothing is left of a bot's message that only called tools."""
    text = _TOOL_CALL.sub("", message.text) if message.bot else message.text
    return f"[{speaker(message)}]: {neutralize(text)}" if text.strip() else ""


def speaker(message: Message) -> str:
    """What the author is called, with the tag that tells them from others of that name."""
    return f"{display_name(message.name or message.author)}{message.tag}"


def display_name(name: str) -> str:
    """A name that can't pass for anything else."""
    return collapse_spaces(name.translate(_MARKS)) or "someone"


def recent(exchange: Exchange) -> str:
    """`- #dev, 10:42: text`"""
    name = collapse_spaces(exchange.channel_name).removeprefix("#")
    return f"- #{name}, {exchange.at.isoformat()[11:16]}: {clip(collapse_spaces(exchange.text), 200)}"


@lru_cache(maxsize=4096)
def neutralize(text: str, headers: tuple[str, ...] = (), indent: str = "  ") -> str:
    """Text of several lines in which none can pass for a separator or for one of these headers, in small letters.

    The same lines come turn after turn.
    """
    first, *rest = _INVISIBLE.sub("", text).strip().splitlines() or [""]
    return "\n".join([_defused(first, headers), *(indent + _defused(line, headers) for line in rest)])


def _defused(line: str, headers: tuple[str, ...]) -> str:
    shown = _JOINERS.sub("", collapse_spaces(line)).casefold()
    return f"· {line.strip()}" if shown.startswith(headers) or _SEPARATOR.fullmatch(shown) else line
