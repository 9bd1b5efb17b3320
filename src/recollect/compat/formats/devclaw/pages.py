"""DevClaw's Markdown: a page per memory in its category's folder, `MEMORY.md` with a line per memory, daily logs.

Also the pages that recollect writes, where folders say whose they are. Times in MEMORY.md have no zone: they are UTC.
"""

import base64
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, Owner, PageEntry, Problem
from recollect.core.types import EVERYWHERE, Origin, Provenance, Status
from recollect.policy.kinds import CATEGORIES, from_kind, to_category
from recollect.transfer.readers import fields as values
from recollect.workspace.front_matter import fields, read_audience, read_text, read_words, split_front_matter, time_of
from recollect.workspace.names import safe_id

NOTES = "MEMORY.md"
_OWN_FIELDS = frozenset(
    {"category", "created_at", "updated_at", "keywords", "id", "user", "guild", "kind", "audience", "source"}
)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})-")
_LINE = re.compile(
    r"- (?P<stale>\[stale\] ?)?(?:\[(?P<at>\d{4}-\d{2}-\d{2} \d{2}:\d{2})\] ?)?(?:\[(?P<category>[a-z_]+)\] ?)?"
    r"(?:\[expires:(?P<expires>[\d-]+)\] ?)?(?:\[meta:(?P<meta>[A-Za-z0-9+/=]*)\] ?)?(?P<text>.*)"
)
_STAMPED = re.compile(r"^- \[\d{4}-\d{2}-\d{2} \d{2}:\d{2}\] \[", re.MULTILINE)
_TITLE = "# DevClaw Memory"


def matches(path: Path) -> bool:
    """Whether a folder holds pages by category, or notes as DevClaw writes them."""
    if any(map(is_notes, _notes_in(path))):
        return True
    pages = (page for root in _roots(path) for page, _ in _pages(root))
    return any(values.opening(page, 8).startswith("---") for page in pages)


def is_notes(path: Path) -> bool:
    start = values.opening(path)
    return path.suffix == ".md" and (start.startswith(_TITLE) or bool(_STAMPED.search(start)))


def pages(path: Path, owner: Owner) -> Iterator[Item]:
    """The pages by category."""
    for root in _roots(path):
        for page, home in _pages(root):
            yield _page(page, page.relative_to(root).as_posix(), home, owner)


def notes_in(path: Path, owner: Owner) -> Iterator[Item]:
    """The lines of MEMORY.md, where it lies in DevClaw's folder."""
    for page in filter(is_notes, _notes_in(path)):
        yield from notes(page, NOTES, owner)


def logs(path: Path) -> Iterator[Item]:
    """The log of each day, as a page."""
    for root in _roots(path):
        yield from (_log(log) for log in values.files_in(root, "*.md") if _DAY.fullmatch(log.stem))


def notes(path: Path, where: str, owner: Owner) -> Iterator[Item]:
    """The lines of MEMORY.md; lines that belong to the one above are joined to it."""
    try:
        lines = values.page(path).split("\n")
    except BadInput as error:
        yield Problem(where, str(error))
        return
    first = next((number for number, line in enumerate(lines) if line.startswith("- ")), len(lines))
    points: list[tuple[int, str]] = []
    for number, line in enumerate(lines[first:], first + 1):
        if line.startswith("- "):
            points.append((number, line))
        elif line.strip() and not line.startswith("#"):
            points[-1] = points[-1][0], f"{points[-1][1]} {line.strip()}"
    for number, point in points:
        yield _read_line(point, f"{where} line {number}", owner)


def _roots(path: Path) -> list[Path]:
    places = (path, path / "memory", path / "data" / "memory")
    return [place for place in places if place.is_dir() and values.is_inside(path, place)]


def _notes_in(path: Path) -> list[Path]:
    return [page for root in _roots(path) for page in values.files_in(root, NOTES)]


def _pages(root: Path) -> Iterator[tuple[Path, Owner | None]]:
    """Every page with whose it is, where its folder says so."""
    for category in CATEGORIES:
        yield from ((page, None) for page in values.files_in(root, f"{category}/**/*.md"))
    for name, home in _homes(root / "users"):
        for category in CATEGORIES:
            yield from ((page, Owner(user=name)) for page in values.files_in(home, f"{category}/**/*.md"))
    for name, home in _homes(root / "lore"):
        yield from ((page, Owner(guild=name)) for page in values.files_in(home, "**/*.md"))


def _homes(folder: Path) -> Iterator[tuple[str | None, Path]]:
    """The folders in a folder, with the id that each is named after if that is known."""
    homes = sorted(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []
    for home in (home for home in homes if not home.is_symlink()):
        decoded = unquote(home.name)
        yield decoded if safe_id(decoded) == home.name else None, home


def _page(path: Path, where: str, home: Owner | None, owner: Owner) -> Item:
    try:
        return _read_page(path, where, home, owner)
    except BadInput as error:
        return Problem(where, str(error))


def _read_page(path: Path, where: str, home: Owner | None, owner: Owner) -> Entry:
    front_matter, body = split_front_matter(values.page(path))
    page_fields, _ = fields(front_matter or "", _OWN_FIELDS)
    user, guild = _page_owner(read_text(page_fields, "user"), read_text(page_fields, "guild"), home, owner)
    category = (read_text(page_fields, "category") or _category_at(where) or "fact").lower()
    kind = read_text(page_fields, "kind")
    named = read_text(page_fields, "id")
    created = time_of(page_fields, "created_at")
    return Entry(
        location=where,
        user=user,
        guild=None if user else guild,
        kind="lore" if user is None else _kind(kind, category),
        label=category if kind in (None, category) else None,
        text=values.text(body.strip(), "text"),
        tags=values.words(read_words(page_fields, "keywords"), "keywords"),
        created=created,
        updated=time_of(page_fields, "updated_at") or created,
        happened=_event_time(path, created, category if named is None else None),
        audience=read_audience(page_fields),
        shared=read_text(page_fields, "audience") == str(EVERYWHERE),  # never written by recollect: a person decided it
        source=Provenance(origin=_origin(read_text(page_fields, "source")), actor=user or "", guild=guild),
        id=named,
    )


def _page_owner(user: str | None, guild: str | None, home: Owner | None, owner: Owner) -> tuple[str | None, str | None]:
    """The user, or the guild, that a page is of; a page in one person's folder can't be another's."""
    if home is not None:
        claimed = user or home.user, guild or home.guild
        if home != Owner() and claimed != (home.user, home.guild):
            raise BadInput(f"it says that it is of {(user or guild or '')[:60]!r}, in whose folder it does not lie")
        return claimed
    return (user, guild) if user or guild else (owner.user, None if owner.user else owner.guild)


def _kind(named: str | None, category: str) -> str:
    """The kind that a page names, if that is of its category."""
    kind = from_kind(named)[0] if named else None
    return kind.value if kind and to_category(kind) == category else category if category in CATEGORIES else "fact"


def _category_at(where: str) -> str | None:
    return next((part for part in where.split("/")[:-1] if part in CATEGORIES), None)


def _event_time(path: Path, created: datetime | None, category: str | None) -> datetime | None:
    """The day in the name of a page where it isn't the one that it was written on; an event is of its time."""
    dated = _DATED.match(path.name)
    if dated and created and dated[1] != f"{created:%Y-%m-%d}":
        return values.timestamp(dated[1], "date")
    return created if category == "event" else None


def _origin(text: str | None) -> Origin:
    return Origin(text) if text in set(Origin) else Origin.IMPORT


def _log(path: Path) -> Item:
    try:
        return PageEntry(path.name, f"memory/{path.name}", values.page(path))
    except BadInput as error:
        return Problem(path.name, str(error))


def _read_line(point: str, where: str, owner: Owner) -> Item:
    match = _LINE.fullmatch(point)
    text = match["text"].replace("[expires\\:", "[expires:").replace("[meta\\:", "[meta:") if match else ""
    if match is None or not text.strip():
        return Problem(where, "it says nothing")
    more = _meta(match["meta"])
    category = match["category"] or "fact"
    is_out = match["stale"] or more.get("sd") is True
    try:
        time = _stamp(match["at"])
        return Entry(
            location=where,
            user=owner.user,
            guild=None if owner.user else owner.guild,
            kind=category if category in CATEGORIES else "fact",
            label=category,
            text=values.text(text, "text").strip(),
            status=Status.SUPERSEDED if is_out else Status.ACTIVE,
            created=time,
            updated=time,
            happened=time if category == "event" else None,
            expires=values.timestamp(match["expires"], "expires"),
            pinned=more.get("p") is True,
            source=Provenance(origin=Origin.IMPORT, actor=owner.user or ""),
        )
    except BadInput as error:
        return Problem(where, str(error))


def _stamp(text: str | None) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC) if text else None
    except ValueError:
        raise BadInput(f"its time {text!r} is not a time") from None


def _meta(text: str | None) -> dict[str, Any]:
    """What DevClaw adds to a line; nothing where that is damaged, as the line holds without it."""
    try:
        value: Any = json.loads(base64.b64decode(text, validate=True)) if text else {}
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
