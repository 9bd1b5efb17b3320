"""Records in words for people who look at a page: times, audiences, places; and text shown so that it can't mislead."""

import re
from datetime import datetime
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from recollect.core.text import clip
from recollect.core.types import Audience, Memo, Place, Provenance, Subject, guild_key

# What shows nothing, or turns round what stands beside it. Joiners are left: emoji and some scripts need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_UNITS = ((365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))

_LONG = 12
_LISTED, _LINES = 300, 6
"""Characters and lines that a list shows of a text."""

DONE = {
    "added": "Added to memory.",
    "known": "That was known already; it counts as said again.",
    "revised": "Saved.",
    "unchanged": "Nothing to change: it says that already.",
    "pinned": "Pinned: it never gives way to others.",
    "unpinned": "No longer pinned.",
    "retired": "Retired: it is not recalled any more, and not learned again.",
    "shared": "Its audience is changed.",
    "merged": "Merged into one memory.",
    "undone": "The last change is undone.",
    "meanwhile": "Something else was changed meanwhile, so nothing was undone. Look at the history first.",
    "reset": "The summary is cleared.",
    "empty": "There was no summary to clear.",
    "retried": "It will be tried again.",
    "dropped": "The job is given up; the message itself stays.",
    "gone": "That job is no longer there, or is being done right now.",
    "out": "You are signed out.",
}
"""What a page says after a change, by the code in its address: nothing from an address is ever shown itself."""


def shown(text: object) -> Markup:
    """Text in which characters that hide or turn round what is read are named instead."""
    pieces: list[Markup] = []
    start = 0
    value = str(text)
    for found in _HIDDEN.finditer(value):
        code = f"U+{ord(found.group()):04X}"
        pieces += [escape(value[start : found.start()]), Markup('<span class="unseen">{}</span>').format(code)]
        start = found.end()
    return Markup("").join([*pieces, escape(value[start:])])


def plain(text: object) -> str:
    """The same without them, for titles and lists to choose from."""
    return _HIDDEN.sub("", str(text))


def brief(text: object) -> str:
    """As much of a text as a list has room for; short ones as they are."""
    value = str(text)
    fits = len(value) <= _LISTED and value.count("\n") < _LINES
    return value if fits else clip(" ".join(value.split()), _LISTED)


def when(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


def ago(moment: datetime, now: datetime) -> str:
    seconds = (now - moment).total_seconds()
    for length, unit in _UNITS:
        if abs(seconds) >= length:
            return _told(int(abs(seconds) // length), unit, seconds < 0)
    return "just now" if seconds >= 0 else "in a moment"


def _told(count: int, unit: str, ahead: bool) -> str:
    words = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return f"in {words}" if ahead else f"{words} ago"


def number(value: float) -> str:
    """`12,345`, or with three digits behind the point where there are any."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def score(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000")


def heard(audience: Audience, name: str | None = None) -> str:
    """Who may hear something, in a few words; `name` is what the channel is called, if that is known."""
    match audience.level:
        case "everywhere":
            return "wherever they speak"
        case "guild":
            return f"everyone in guild {short(audience.id)}"
        case "channel":
            return f"those in #{(name or audience.id).removeprefix('#')}"
        case "dm":
            return "their DM only"
        case _:
            return str(audience)


def heard_memo(memo: Memo) -> str:
    source = memo.source
    if memo.audience.level == "guild" and source.guild and memo.audience.id == guild_key(source.platform, source.guild):
        return "everyone in its guild"
    here = memo.audience.level == "channel" and memo.audience.id in (source.channel, source.thread)
    return heard(memo.audience, source.channel_name if here else None)


def place(where: Place) -> str:
    """`#general, guild 42`, `DM with ann`"""
    if where.dm is not None:
        return f"DM with {where.dm}"
    name = (where.name or where.thread or where.channel or "?").removeprefix("#")
    closed = "" if where.public and not where.private_thread else " (closed)"
    return f"#{name}{closed}, {f'guild {short(where.guild)}' if where.guild else where.platform}"


def short(text: str) -> str:
    """A long number, such as Discord's, by its ends."""
    return f"{text[:4]}…{text[-4:]}" if text.isdecimal() and len(text) > _LONG else text


def url(path: str, /, **query: object) -> str:
    """An address of ours; a value may hold whatever characters."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        values: list[object] = list(value) if isinstance(value, list | tuple) else [value]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - of whatever
        pairs += [(name, str(one)) for one in values if one not in (None, "", False)]
    return f"{path}?{urlencode(pairs, quote_via=quote, errors='replace')}" if pairs else path


def whose(subject: Subject) -> dict[str, str]:
    """A subject as the query of an address."""
    return {"guild": subject.guild or ""} if subject.is_lore else {"user": subject.id}


def memos_url(subject: Subject, **query: object) -> str:
    return url("/lore" if subject.is_lore else "/people/memos", **whose(subject), **query)


def memo_url(subject: Subject, memo_id: str, **query: object) -> str:
    return url("/memo", **whose(subject), id=memo_id, **query)


def discord_url(source: Provenance) -> str | None:
    """Where Discord shows the message that a memo came from."""
    parts = (source.guild or "@me", source.thread or source.channel or "", source.message or "")
    numbers = parts[1:] if source.guild is None else parts
    if source.platform != "discord" or not all(part.isascii() and part.isdecimal() for part in numbers):
        return None
    return f"https://discord.com/channels/{'/'.join(parts)}"


def message_url(source: Provenance) -> str | None:
    return url("/message", platform=source.platform, id=source.message) if source.message else None
