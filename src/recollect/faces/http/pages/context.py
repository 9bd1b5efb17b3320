"""What all pages share: the templates, who looks, and where a form leads."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from recollect.core.errors import BadInput
from recollect.core.types import Subject
from recollect.core.version import __version__
from recollect.faces.http.auth import Role, Session
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.pages import format as words

ROOT = Path(__file__).parent.parent
TEMPLATES, STATIC = ROOT / "templates", ROOT / "static"
FRAGMENT = "x-fragment"
"""The header with which a script asks for the part of a page that a filter changes."""
_MOST = 18
"""Digits of a number in an address."""

NAVIGATION = (
    ("/", "Overview"),
    ("/people", "People"),
    ("/lore", "Lore"),
    ("/search", "Search"),
    ("/prompt", "Prompt"),
    ("/sessions", "Sessions"),
    ("/journal", "Journal"),
    ("/refused", "Refused"),
    ("/jobs", "Jobs"),
    ("/erase", "Erase & export"),
)
_BELONGS = {"/memo": "/people", "/merge": "/people", "/session": "/sessions", "/message": "/journal"}


@cache
def _environment() -> Environment:
    """One for all apps of a process: templates are compiled once."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names = ("shown", "plain", "brief", "when", "number", "heard", "heard_memo", "place", "short", "score")
    filters: dict[str, Any] = made.filters
    filters.update({name: getattr(words, name) for name in names})
    links = ("url", "whose", "memos_url", "memo_url", "message_url", "discord_url")
    given: dict[str, Any] = made.globals
    given.update({name: getattr(words, name) for name in links})
    stamp = sha256(b"".join(path.read_bytes() for path in sorted(STATIC.iterdir()))).hexdigest()[:12]
    given |= {"navigation": NAVIGATION, "version": __version__, "stamp": stamp}
    return made


@dataclass(frozen=True, slots=True)
class PageContext:
    """Fills in templates."""

    house: AppState
    templates: Environment

    def page(self, request: Request, name: str, status: int = 200, /, **values: Any) -> HTMLResponse:
        """A page; or the `part` of it that was asked for, which is a template of its own."""
        part: str | None = values.get("part") if FRAGMENT in request.headers else None
        text = self.fragment(part or name, **{"named": {}, **values, **self._visit(request)})
        return HTMLResponse(text.encode("utf-8", "replace"), status)

    def fragment(self, name: str, /, **values: Any) -> str:
        now = self.house.clock()
        return self.templates.get_template(name).render(**values, now=now, ago=partial(words.ago, now=now))

    def _visit(self, request: Request) -> Mapping[str, Any]:
        """Who looks, at what, and what they just did."""
        session: Session | None = getattr(request.state, "session", None)
        role: Role | None = getattr(request.state, "role", None) or (session.role if session else None)
        path = request.url.path
        here = _BELONGS.get(path, path)
        if "guild" in request.query_params and here == "/people":
            here = "/lore"
        return {
            "role": role,
            "may_change": role is Role.OPERATOR,
            "form_token": self.house.sessions.form_token(session) if session else "",
            "here": next((to for to, _ in NAVIGATION if here == to or (to != "/" and here.startswith(f"{to}/"))), ""),
            "back": address(request),
            "done": words.DONE.get(request.query_params.get("done", "")),
            "is_undone": request.query_params.get("done") == "undone",
            "undo": as_number(request.query_params.get("undo", "")),
        }


def make(house: AppState) -> PageContext:
    return PageContext(house, _environment())


def _desk(request: Request) -> PageContext:
    return request.app.state.desk


At = Annotated[PageContext, Depends(_desk)]
"""The type of a handler's parameter that gets the desk."""


def whom(user: str = "", guild: str = "") -> Subject:
    """Whose memos an address means."""
    if bool(user) == bool(guild):
        raise BadInput("say whose: ?user= for a person, ?guild= for the lore of a guild")
    return Subject(user) if user else Subject.lore(guild)


def address(request: Request) -> str:
    """Where we are, without what was just done."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name not in ("done", "undo")]
    return _joined(request.url.path, kept)


def own(path: str, otherwise: str = "/") -> str:
    """The path, if it leads to a page of ours and nowhere else."""
    is_ours = path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if is_ours and path.isprintable() and "\\" not in path else otherwise


def after(path: str, done: str, undo: int | None = None) -> RedirectResponse:
    """Show the page at this path of ours, and what was done."""
    split = urlsplit(own(path))
    kept = [pair for pair in parse_qsl(split.query, keep_blank_values=True) if pair[0] not in ("done", "undo")]
    more = [("done", done), *([("undo", str(undo))] if undo else [])]
    return RedirectResponse(_joined(split.path, [*kept, *more]), 303)


def _joined(path: str, pairs: list[tuple[str, str]]) -> str:
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    return words.url(path, **query)


def as_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MOST else None
