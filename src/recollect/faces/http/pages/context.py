"""Shared by all pages: rendering of templates, the visitor, and redirects after a form."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context

from recollect.core.errors import BadInput, RecollectError
from recollect.core.ports.jobs import JobState
from recollect.core.types import Memo, Place, Subject
from recollect.core.version import __version__
from recollect.faces.http.auth import Role, Session
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.pages import format as formatting
from recollect.faces.http.pages import labels
from recollect.faces.outcome_text import label_erased
from recollect.policy.merge import is_live
from recollect.policy.rendering import discord_url

ROOT = Path(__file__).parent.parent
TEMPLATES, STATIC = ROOT / "templates", ROOT / "static"
FRAGMENT = "x-fragment"
"""The header by which the script asks for only the part of a page that a filter changes."""
SURROUNDINGS_SECONDS = 5.0
"""Maximum age of the cached values that every page shows."""
MAX_NUMBER_DIGITS = 18
"""Digits of a number in a URL."""

MENU = (
    ("", (("/", "Overview"), ("/search", "Search"))),
    (
        "Memory",
        (
            ("/people", "People"),
            ("/servers", "Servers"),
            ("/messages", "Messages"),
            ("/sessions", "Summaries"),
            ("/refused", "Refused"),
        ),
    ),
    ("Try", (("/prompt", "Prompt"),)),
    (
        "Operate",
        (
            ("/jobs", "Jobs"),
            ("/journal", "Timeline"),
            ("/erase", "Erase & export"),
            ("/system", "System"),
        ),
    ),
)
"""The menu: groups of pages."""
NAVIGATION = tuple(entry for _, entries in MENU for entry in entries)
_SECTIONS = {
    "/memo": "/people",
    "/merge": "/people",
    "/contradictions": "/people",
    "/lore": "/servers",
    "/session": "/sessions",
    "/message": "/messages",
    "/relearn": "/jobs",
    "/prompts": "/prompt",
}
"""Pages that are not in the navigation, and the section that they belong to."""


@pass_context
def _describe_place(values: Context, place: Place) -> str:
    return formatting.describe_place(place, values["guild_names"])


@pass_context
def _describe_memo_audience(values: Context, memo: Memo) -> str:
    return formatting.describe_memo_audience(memo, values["guild_names"])


@pass_context
def _describe_hearers(values: Context, place: Place) -> str:
    return formatting.describe_audience(place.audience, place.name, values["guild_names"])


_FILTERS = (
    formatting.reveal_hidden,
    formatting.strip_hidden,
    formatting.brief,
    formatting.initials,
    formatting.hue,
    formatting.timestamp,
    formatting.format_number,
    _describe_memo_audience,
    formatting.audience_chip,
    formatting.reference_url,
    _describe_place,
    _describe_hearers,
    formatting.format_score,
    formatting.with_breaks,
    labels.event_label,
    label_erased,
    labels.job_label,
    labels.section_label,
)
_LINKS = (
    formatting.url,
    formatting.subject_query,
    formatting.memos_url,
    formatting.memo_url,
    formatting.message_url,
    discord_url,
)


@cache
def _environment() -> Environment:
    """Shared by all apps of a process, so that templates are compiled once."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    stamp = sha256(b"".join(path.read_bytes() for path in sorted(STATIC.iterdir()))).hexdigest()[:12]
    filters: dict[str, Any] = environment.filters
    filters |= {function.__name__.removeprefix("_"): function for function in _FILTERS}
    names: dict[str, Any] = environment.globals
    names |= {function.__name__: function for function in _LINKS}
    names |= {"is_live": is_live, "menu": MENU, "version": __version__, "stamp": stamp}
    return environment


@dataclass(frozen=True, slots=True)
class PageContext:
    """Renders templates."""

    state: AppState
    templates: Environment
    surroundings: "Surroundings"

    @property
    def guild_names(self) -> formatting.GuildNames:
        return self.surroundings.guild_names

    def render(self, request: Request, name: str, status: int = 200, /, **values: Any) -> HTMLResponse:
        """A page; or only its `part`, a template of its own, if the script asks for that."""
        part: str | None = values.get("part") if FRAGMENT in request.headers else None
        text = self.render_fragment(part or name, **{"names": {}, **values, **self._visit(request)})
        # Stored texts may hold half characters, which can't be encoded.
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def render_fragment(self, name: str, /, **values: Any) -> str:
        now = self.state.clock()
        own = {"now": now, "ago": partial(formatting.ago, now=now), "guild_names": self.guild_names}
        return self.templates.get_template(name).render(**values, **own)

    def _visit(self, request: Request) -> Mapping[str, Any]:
        """The visitor's role, the current section, and the outcome of what they just did."""
        session: Session | None = getattr(request.state, "session", None)
        role: Role | None = getattr(request.state, "role", None) or (session.role if session else None)
        done = request.query_params.get("done", "")
        return {
            "role": role,
            "may_change": role is Role.OPERATOR,
            "form_token": self.state.sessions.form_token(session) if session else "",
            "current_section": _section(request),
            "back": current_url(request),
            "notice": formatting.NOTICES.get(done),
            "is_undone": done == "undone",
            "failed_jobs": self.surroundings.failed_jobs,
            "undo": as_number(request.query_params.get("undo", "")),
        }


def _section(request: Request) -> str:
    """The entry of the navigation that a page belongs to."""
    path = _SECTIONS.get(request.url.path, request.url.path)
    if "guild" in request.query_params and path == "/people":
        path = "/servers"
    return next((to for to, _ in NAVIGATION if path == to or (to != "/" and path.startswith(f"{to}/"))), "")


def create(state: AppState) -> PageContext:
    return PageContext(state, _environment(), Surroundings(state))


class Surroundings:
    """Values that every page may show: the number of failed jobs, and names of servers. Cached for some seconds."""

    def __init__(self, state: AppState) -> None:
        self.failed_jobs = 0
        self.guild_names: formatting.GuildNames = {}
        self._state, self._read_at = state, float("-inf")

    async def refresh(self) -> None:
        if monotonic() - self._read_at <= SURROUNDINGS_SECONDS:
            return
        # Before reading, so that of many requests at once only one reads.
        self._read_at = monotonic()
        try:
            counts, _ = await self._state.admin.jobs(limit=1)
            self.failed_jobs = counts.get(JobState.FAILED, 0)
            self.guild_names = await self._state.admin.guild_names()
        except RecollectError:
            self.failed_jobs = 0


async def _context(request: Request) -> PageContext:
    page: PageContext = request.app.state.pages
    if hasattr(request.state, "role"):
        await page.surroundings.refresh()
    return page


PageDep = Annotated[PageContext, Depends(_context)]
"""The type of a handler's parameter that receives the page context."""


def parse_subject(user: str = "", guild: str = "") -> Subject:
    """The subject that a URL names."""
    if bool(user) == bool(guild):
        raise BadInput("say whose: ?user= for a person, ?guild= for the lore of a server")
    return Subject(user) if user else Subject.lore(guild)


async def find_subject(page: PageContext, user: str = "", guild: str = "", *, changes: bool = False) -> Subject:
    """The subject with a person's platform; raises BadInput where that has to be named."""
    subject = parse_subject(user, guild)
    return subject if subject.is_lore else Subject(await page.state.admin.resolve(subject.id, changes=changes))


def current_url(request: Request) -> str:
    """The URL of this page, without the outcome of the last form."""
    return _join(request.url.path, _without_outcome(request.query_params.multi_items()))


def local_path(path: str, otherwise: str = "/") -> str:
    """The path, if it leads to a page of this site and nowhere else."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if is_local and path.isprintable() and "\\" not in path else otherwise


def after(path: str, done: str, undo: int | None = None) -> RedirectResponse:
    """Redirect to a page of this site, with the outcome of a form."""
    split = urlsplit(local_path(path))
    query = _without_outcome(parse_qsl(split.query, keep_blank_values=True))
    outcome = [("done", done), *([("undo", str(undo))] if undo else [])]
    return RedirectResponse(_join(split.path, [*query, *outcome]), 303)


def _without_outcome(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if pair[0] not in ("done", "undo")]


def _join(path: str, pairs: list[tuple[str, str]]) -> str:
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    return formatting.url(path, **query)


def seen_version(versions: Sequence[str], memo_id: str) -> int | None:
    """The version of a memo that a page showed: alone in its form, or before the id of each of several memos."""
    pairs = (value.partition(" ") for value in versions)
    return next((as_number(version) for version, _, name in pairs if name in ("", memo_id)), None)


def seen_versions(versions: Sequence[str]) -> dict[str, int]:
    """The versions of several memos that a page showed, each before the id of its memo."""
    pairs = ((name, as_number(version)) for version, _, name in (value.partition(" ") for value in versions))
    return {name: version for name, version in pairs if version is not None}


def as_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_NUMBER_DIGITS else None
