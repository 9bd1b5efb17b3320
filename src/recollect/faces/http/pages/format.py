"""Records as text and links for the pages: times, audiences, places; and text with its hidden characters revealed."""

import re
from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote, urlencode

from markupsafe import Markup, escape

from recollect.core.text import clip
from recollect.core.types import (
    Audience,
    AudienceLevel,
    Memo,
    Place,
    Provenance,
    Subject,
    guild_key,
    parse_message_ref,
)

# Invisible and bidirectional control characters. Joiners are not included: emoji and some scripts need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_UNITS = ((365 * 86_400, "year"), (30 * 86_400, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"))

GuildNames = Mapping[str, str]
"""Names of guilds, by `guild_key`."""
NO_NAMES: GuildNames = {}
MAX_ID_DIGITS = 12
MAX_BRIEF_CHARS, MAX_BRIEF_LINES = 300, 6
"""Characters of a text that a list shows."""

NOTICES = {
    "added": "Added to memory.",
    "known": "That was known already; it counts as said again.",
    "revised": "Saved.",
    "unchanged": "Nothing to change: it says that already.",
    "pinned": "Pinned: it never gives way to others.",
    "unpinned": "No longer pinned.",
    "retired": "Forgotten: it is not recalled any more, and not learned again.",
    "restored": "Restored: it is recalled again.",
    "replacing": "Restored: it is recalled again, and others gave way to it. The history and an undo name them.",
    "active": "It is in use already.",
    "unsupported": "Its message was deleted, or no longer says so, so it can't be restored.",
    "shared": "Its audience is changed.",
    "merged": "Merged into one memory.",
    "undone": "The change is undone.",
    "redone": "The change holds again.",
    "not_redone": "Something else was changed meanwhile, so nothing was redone. Look at the history first.",
    "outdated": "It was changed since you opened it, so nothing was done. This is how it is now.",
    "meanwhile": "It was changed meanwhile, so nothing was undone. Look at the history first.",
    "paused": "Learning is paused: nothing new is learned. What is known stays.",
    "resumed": "Learning goes on.",
    "forgotten": "Forgotten: they are not recalled any more, and not learned again.",
    "restored_many": "Restored: they are recalled again.",
    "tagged": "Tagged.",
    "some": "Done; some were left out, as it did not apply to them.",
    "nothing": "Nothing was changed: it did not apply to any of them.",
    "settled": "Settled: the other one gave way to it.",
    "reset": "The summary is cleared.",
    "empty": "There was no summary to clear.",
    "retried": "It is tried now.",
    "dropped": "The job is dropped; the message itself stays.",
    "gone": "That job is no longer there, or is being done right now.",
    "revoked": "The token is revoked: it opens nothing any more.",
    "backed_up": "The store was copied.",
    "out": "You are signed out.",
}
"""What a page says after a change, by the code in its URL; text from a URL is never shown itself."""


def reveal_hidden(text: object) -> Markup:
    """HTML in which invisible and bidirectional control characters are replaced by their code points."""
    pieces: list[Markup] = []
    start = 0
    value = str(text)
    for match in _HIDDEN.finditer(value):
        code = f"U+{ord(match.group()):04X}"
        pieces += [escape(value[start : match.start()]), Markup('<span class="unseen">{}</span>').format(code)]
        start = match.end()
    return Markup("").join([*pieces, escape(value[start:])])


def with_breaks(html: Markup) -> Markup:
    """An id or a path that may be broken after its separators, so that it is not broken between letters."""
    return Markup(re.sub(r"([._:/])(?=\w)", r"\1<wbr>", str(html)))  # noqa: S704 - adds nothing but breaks to safe HTML


def strip_hidden(text: object) -> str:
    """The text without such characters, for titles and options."""
    return _HIDDEN.sub("", str(text))


def brief(text: object) -> str:
    """A text clipped for a list; short ones unchanged."""
    value = str(text)
    fits = len(value) <= MAX_BRIEF_CHARS and value.count("\n") < MAX_BRIEF_LINES
    return value if fits else clip(" ".join(value.split()), MAX_BRIEF_CHARS)


def initials(name: object) -> str:
    """One or two letters that stand for a name, or the last digits of an id."""
    value = strip_hidden(name)
    digits = value.rpartition(":")[2]
    if digits.isdecimal():
        return digits[-2:]
    words = [word for word in re.split(r"[\W_]+", value) if word]
    letters = [word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)]
    return "".join(letters).upper() or "?"


def hue(name: object) -> int:
    """One of six colors for a name, always the same."""
    return sum(str(name).encode("utf-8", "replace")) % 6


def timestamp(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}"


def ago(time: datetime, now: datetime) -> str:
    seconds = (now - time).total_seconds()
    for length, unit in _UNITS:
        if abs(seconds) >= length:
            return _count_units(int(abs(seconds) // length), unit, seconds < 0)
    return "just now" if seconds >= 0 else "in a moment"


def _count_units(count: int, unit: str, is_future: bool) -> str:
    words = f"{count} {unit}" if count == 1 else f"{count} {unit}s"
    return f"in {words}" if is_future else f"{words} ago"


def format_number(value: float) -> str:
    """`12,345`, or `1.235` with three decimals for a fraction."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def format_score(value: float) -> str:
    return f"{value:.3f}".replace("-0.000", "0.000")


def describe_audience(audience: Audience, channel_name: str | None = None, guilds: GuildNames = NO_NAMES) -> str:
    """Who may hear something, in a few words; with the names of the channel and the guild, if they are known."""
    match audience.level:
        case "everywhere":
            return "wherever they speak"
        case "guild":
            return f"{_members(audience)} {name_server(audience.id, guilds)}"
        case "channel":
            return f"those in #{(channel_name or audience.id).removeprefix('#')}"
        case "dm" | "unknown":
            return "their DM only"
        case _:
            return str(audience)


def _members(audience: Audience) -> str:
    return "those who read the ordinary channels of" if audience.readers else "everyone on"


def describe_memo_audience(memo: Memo, guilds: GuildNames = NO_NAMES) -> str:
    source, level = memo.source, memo.audience.level
    if level == AudienceLevel.GUILD and source.guild and memo.audience.id == guild_key(source.platform, source.guild):
        return f"{_members(memo.audience)} {guilds.get(memo.audience.id) or 'its server'}"
    is_source = level == AudienceLevel.CHANNEL and memo.audience.id in (source.channel, source.thread)
    return describe_audience(memo.audience, source.channel_name if is_source else None, guilds)


def audience_chip(memo: Memo) -> str:
    """Who may hear a memo, as short as it gets."""
    match memo.audience.level:
        case "everywhere":
            return "everywhere"
        case "guild":
            return "server"
        case "channel":
            is_source = memo.audience.id in (memo.source.channel, memo.source.thread)
            name = memo.source.channel_name if is_source and memo.source.channel_name else memo.audience.id
            return f"#{name.removeprefix('#')}"
        case _:
            return "DM only"


def describe_place(place: Place, guilds: GuildNames = NO_NAMES) -> str:
    """`#general, Repair Café`, `#general, server 42`, `DM with ann`"""
    if place.dm is not None:
        return f"DM with {place.dm}"
    name = (place.name or place.thread or place.channel or "?").removeprefix("#")
    closed = "" if place.public and not place.private_thread else " (closed)"
    return f"#{name}{closed}, {name_server(place.guild_key, guilds) if place.guild_key else place.platform}"


def name_server(guild: str, guilds: GuildNames) -> str:
    """The name of a guild; its id where no name is known."""
    return guilds.get(guild) or f"server {shorten_id(guild)}"


def shorten_id(text: str) -> str:
    """A long numeric id, such as Discord's, by its first and last digits."""
    return f"{text[:4]}…{text[-4:]}" if text.isdecimal() and len(text) > MAX_ID_DIGITS else text


def url(path: str, /, **query: object) -> str:
    """A URL of this site; empty values are left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        values: list[object] = list(value) if isinstance(value, list | tuple) else [value]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - of any type
        pairs += [(name, str(item)) for item in values if item not in (None, "", False)]
    return f"{path}?{urlencode(pairs, quote_via=quote, errors='replace')}" if pairs else path


def subject_query(subject: Subject) -> dict[str, str]:
    """A subject as the query of a URL."""
    return {"guild": subject.guild or ""} if subject.is_lore else {"user": subject.id}


def memos_url(subject: Subject, **query: object) -> str:
    return url("/lore" if subject.is_lore else "/people/memos", **subject_query(subject), **query)


def memo_url(subject: Subject, memo_id: str, **query: object) -> str:
    return url("/memo", **subject_query(subject), id=memo_id, **query)


def reference_url(reference: str) -> str:
    platform, message = parse_message_ref(reference)
    return url("/message", platform=platform, id=message)


def message_url(source: Provenance) -> str | None:
    return url("/message", platform=source.platform, id=source.message) if source.message else None
