"""One memory as one line of a prompt, in the style of each design; text from people stays inert."""

import re
from collections.abc import Collection

from recollect.kinds import to_category, to_kind
from recollect.text import clip, squeeze
from recollect.types import Exchange, Memo, Message, Origin

_SEPARATOR = re.compile(r"^\s*(?:-{3,}|={3,}|#{1,6}\s.*|<\/?[a-zA-Z][^>]*>.*)\s*$")


def documented(memo: Memo) -> str:
    """`- [fact] Prefers Rust (src: manual, #dev, updated 2025-01-15)`"""
    source = ["src: " + _origin(memo)]
    if memo.source.channel_name:
        source.append("#" + squeeze(memo.source.channel_name).removeprefix("#"))
    source.append(f"updated {memo.updated:%Y-%m-%d}")
    return f"- [{to_kind(memo.kind)}] {squeeze(memo.text)} ({', '.join(source)})"


def cited(memo: Memo) -> str:
    """`- [preference] text (src: discord:<channel>/<message>, updated 2026-02-09)`"""
    where = memo.source
    source = "manual"
    if where.origin is not Origin.MANUAL and where.channel and where.message:
        source = f"discord:{where.channel}/{where.message}"
    elif where.origin is not Origin.MANUAL:
        source = _origin(memo)
    return f"- [{to_kind(memo.kind)}] {squeeze(memo.text)} (src: {source}, updated {memo.updated:%Y-%m-%d})"


def categorised(memo: Memo) -> str:
    """`- [category] content`"""
    return f"- [{to_category(memo.kind)}] {squeeze(memo.text)}"


def _origin(memo: Memo) -> str:
    known = (Origin.MANUAL, Origin.DISCORD, Origin.SUMMARY)
    return memo.source.origin.value if memo.source.origin in known else "summary"


def said(message: Message) -> str:
    """`[Name]: text`"""
    return f"[{speaker(message)}]: {inert(message.text)}"


def speaker(message: Message) -> str:
    """A name that can't pass for anything else."""
    return squeeze(re.sub(r"[\[\]:\n]", " ", message.name or message.author)) or "someone"


def recent(exchange: Exchange) -> str:
    """`- #dev, 10:42: text`"""
    name = squeeze(exchange.channel_name).removeprefix("#")
    return f"- #{name}, {exchange.at:%H:%M}: {clip(squeeze(exchange.text), 200)}"


def inert(text: str, headers: Collection[str] = (), indent: str = "  ") -> str:
    """Text of several lines in which none can pass for a section's header or a separator."""
    first, *rest = text.strip().splitlines() or [""]
    return "\n".join([_defused(first, headers), *(indent + _defused(line, headers) for line in rest)])


def _defused(line: str, headers: Collection[str]) -> str:
    return f"· {line.strip()}" if _SEPARATOR.match(line) or line.strip() in headers else line
