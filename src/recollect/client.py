"""A typed client for the REST API of `recollect serve`.

    async with Client("http://127.0.0.1:8420", token) as memory:
        await memory.remember("I prefer tea", user="ada")

In synchronous code, call it from one `asyncio.run(main())`.
"""

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any, Literal, Self

from recollect.core import serialization
from recollect.core.errors import MissingExtra, RecollectError
from recollect.core.events import Event, parse_kind
from recollect.core.outcomes import Refused
from recollect.core.ports.layer import Line
from recollect.core.reasons import Reason, decode_reason
from recollect.core.types import Audience, Kind, Memo, Message, Place, Status, Subject
from recollect.prompting.assemble import Section
from recollect.recall.query import Hit

try:
    import httpx
except ModuleNotFoundError as error:
    raise MissingExtra("the client", "client") from error

ROOT = "/api/v1"
_PLACE_FIELDS = tuple(field.name for field in fields(Place))


class ApiError(RecollectError):
    """The server refused a request; `status` is 0 when it could not be reached."""

    def __init__(self, status: int, detail: str, version: int | None = None, reason: str | None = None) -> None:
        super().__init__(f"{detail} ({status})" if status else detail)
        self.status = status
        self.version = version
        """The one that the memo has now, where the request named another one."""
        self.reason = reason
        """Why a statement is refused: the name of a `Reason`."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of memos, and the total count."""

    memos: tuple[Memo, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Preview:
    """The prompt for answering a message, and what it is made of."""

    text: str
    blocks: list[dict[str, Any]]
    sections: tuple[Section, ...]
    missing: tuple[str, ...]


class Client:
    """A client of one server; use it as a context manager, or close it."""

    def __init__(self, url: str, token: str, *, timeout: float = 10.0, transport: Any = None) -> None:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._http = httpx.AsyncClient(
            base_url=url, headers=headers, timeout=timeout, transport=transport, follow_redirects=False
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def add(self, message: Message) -> bool:
        """Report a message; True when it is new."""
        body = {**_encode(asdict(message)), "place": _place(message.place), "at": message.at.isoformat()}
        del body["tag"]  # only about how a message is displayed
        return (await self._send("POST", "/observe", body))["new"]

    async def message_edited(
        self, platform: str, message_id: str, text: str, at: datetime | None = None, place: Place | None = None
    ) -> bool:
        body = _encode({"platform": platform, "id": message_id, "text": text, "at": at})
        body |= {} if place is None else {"place": _place(place)}
        return (await self._send("POST", "/observe/edited", body))["changed"]

    async def message_deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        body = _encode({"platform": platform, "id": message_id, "at": at})
        return (await self._send("POST", "/observe/deleted", body))["changed"]

    async def context(self, message: Message, *, actions: str = "", count_use: bool = True) -> Preview:
        """The prompt for answering a message; what it shows counts as used unless told otherwise."""
        body = {"author": message.author, "place": _place(message.place), "text": message.text, "actions": actions}
        document = await self._send(
            "POST", "/context", {**body, "trial": not count_use, **_encode({"id": message.id or None})}
        )
        sections = tuple(map(_section, document["sections"]))
        return Preview(document["text"], document["blocks"], sections, tuple(document["missing"]))

    async def search(
        self,
        query: str,
        *,
        user: str,
        place: Place | None = None,
        over: Literal["memos", "messages"] = "memos",
        ranker: str | None = None,
        strict: bool = False,
        limit: int = 10,
    ) -> list[Hit]:
        """What matches and may be heard in the place, best first, with the parts of each score."""
        place_params = {} if place is None or place.dm is not None else _place(place)
        place_params.pop("name", None)
        params = {"q": query, "user": user, "over": over, "ranker": ranker, "strict": strict, "limit": limit}
        document = await self._get("/search", {**params, **place_params})
        return [_hit(value) for value in document["results"]]

    async def remember(
        self,
        text: str,
        *,
        user: str | None = None,
        guild: str | None = None,
        kind: Kind | None = None,
        tags: Sequence[str] = (),
        audience: Audience | None = None,
        pinned: bool = False,
    ) -> Memo | Refused:
        """Add a memo, heard by the person alone unless an audience is given. Returns the memo that holds it now, which
        may be an earlier one; or why it may not be remembered.
        """
        hearers = None if audience is None else str(audience)
        fields = {"user": user, "guild": guild, "text": text, "kind": kind, "tags": list(tags), "audience": hearers}
        try:
            document = await self._send("POST", "/memos", {**_encode(fields), "pinned": pinned})
        except ApiError as error:
            if error.reason is None or error.reason.upper() not in Reason.__members__:
                raise
            return Refused(Reason[error.reason.upper()])
        return _memo(document["memo"])

    async def update(
        self, memo: Memo, text: str | None = None, tags: Sequence[str] | None = None, *, version: int | None = None
    ) -> Memo:
        """Change a memo's text, tags, or both. Here as below: with `version=memo.version` only if it is still as you
        have seen it, else ApiError 409, with its present `version`.
        """
        body = _encode({"text": text, "tags": None if tags is None else list(tags), "version": version})
        return _memo(await self._send("PATCH", "/memo", body, _memo_ref(memo)))

    async def forget(self, memo: Memo, *, version: int | None = None) -> Memo:
        """Retire a memo; `undo` restores it."""
        return _memo(await self._send("DELETE", "/memo", None, {**_memo_ref(memo), "version": version}))

    async def restore(self, memo: Memo, *, version: int | None = None) -> Memo:
        """Bring a retired memo back, whatever happened since; ApiError 409 when its message no longer says so."""
        body = {"version": version}
        return _memo((await self._send("POST", "/memo/restore", body, _memo_ref(memo)))["memo"])

    async def pin(self, memo: Memo, pinned: bool = True, *, version: int | None = None) -> Memo:
        body = {"pinned": pinned, "version": version}
        return _memo(await self._send("POST", "/memo/pin", body, _memo_ref(memo)))

    async def share(self, memo: Memo, audience: Audience, *, version: int | None = None) -> Memo:
        body = {"audience": str(audience), "version": version}
        return _memo(await self._send("POST", "/memo/share", body, _memo_ref(memo)))

    async def preview_relearning(self, **selection: Any) -> dict[str, Any]:
        """What learning from messages again would change: `message`, `user`, `session`, `since`, `until`, `degraded` or
        `everyone` say from which ones.
        """
        return await self._send("POST", "/relearn/preview", _encode(selection))

    async def relearn(self, **selection: Any) -> dict[str, Any]:
        """Learn from messages again, in the background; `run` is the id of it."""
        return await self._send("POST", "/relearn", _encode(selection))

    async def relearning(self, run: str) -> dict[str, Any]:
        """How far it is."""
        return await self._get("/relearn", {"run": run})

    async def undoable(self, *, user: str | None = None, guild: str | None = None) -> dict[str, Any]:
        """The change that `undo` would revert now: `change` is its id, `refused` says why it can't be undone."""
        return await self._get("/memos/undo", {"user": user, "guild": guild})

    async def undo(self, *, user: str | None = None, guild: str | None = None, change: int | None = None) -> bool:
        """Undo the last change, or the given one if its memos were not changed since; False when there is none."""
        body = _encode({"user": user, "guild": guild, "change": change})
        return (await self._send("POST", "/memos/undo", body))["undone"]

    async def redo(self, *, user: str | None = None, guild: str | None = None) -> bool:
        """Take back the last undo; False when there is none, or something was changed since."""
        return (await self._send("POST", "/memos/redo", _encode({"user": user, "guild": guild})))["redone"]

    async def history(self, memo: Memo) -> list[Event]:
        return [_event(value) for value in (await self._get("/memo/history", _memo_ref(memo)))["events"]]

    async def events(
        self, kinds: Collection[str] = (), scope: str | None = None, limit: int = 100, before: int | None = None
    ) -> list[Event]:
        """The log, newest first."""
        params = {"kind": list(kinds), "scope": scope, "limit": limit, "before": before}
        return [_event(value) for value in (await self._get("/events", params))["events"]]

    async def follow(self, after: int | None = None) -> AsyncIterator[Event]:
        """The log as it is written, until the server stops; resume with the id of the last event as `after`."""
        params = _encode({"after": after})
        async with self._http.stream("GET", f"{ROOT}/events/stream", params=params, timeout=60) as response:
            if response.is_error:
                await response.aread()
                raise _api_error(response)
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    yield _event(json.loads(line.removeprefix("data: ")))

    async def stats(self) -> dict[str, Any]:
        return await self._get("/stats", {})

    async def export(self, *, user: str | None = None, guild: str | None = None) -> dict[str, Any]:
        """Everything about a person or a guild."""
        return await self._get("/export", {"user": user, "guild": guild})

    async def erase(self, *, user: str | None = None, guild: str | None = None, confirm: str) -> dict[str, Any]:
        """Permanently remove everything about them; `confirm` repeats the name. Returns the receipt."""
        body = _encode({"user": user, "guild": guild, "confirm": confirm})
        return await self._send("POST", "/erase", body, timeout=600)

    async def list(
        self,
        *,
        user: str | None = None,
        guild: str | None = None,
        part: str = "",
        kinds: Collection[Kind] = (),
        statuses: Collection[Status] = (Status.ACTIVE,),
        limit: int = 50,
        offset: int = 0,
    ) -> Page:
        """A person's memos or a guild's lore, newest first."""
        params = {"user": user, "guild": guild, "part": part, "limit": limit, "offset": offset}
        document = await self._get("/memos", {**params, "kind": list(kinds), "status": list(statuses)})
        return Page(tuple(map(_memo, document["memos"])), document["total"])

    async def _get(self, path: str, params: Mapping[str, Any]) -> Any:
        return await self._send("GET", path, None, params)

    async def _send(
        self, method: str, path: str, body: Any = None, params: Mapping[str, Any] | None = None, **options: Any
    ) -> Any:
        try:
            response = await self._http.request(method, ROOT + path, params=_encode(params or {}), json=body, **options)
        except httpx.TransportError as error:
            raise ApiError(0, f"{self._http.base_url} can't be reached: {error or type(error).__name__}") from error
        if not response.is_success:
            raise _api_error(response)
        return response.json()


def _api_error(response: httpx.Response) -> ApiError:
    try:
        document = response.json()
        more = document.get("version"), document.get("reason")
        return ApiError(response.status_code, str(document["detail"]), *more)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ApiError(response.status_code, "the server gave no reason")


def _encode(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without None values; times as ISO 8601."""
    present = {name: value for name, value in values.items() if value is not None}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in present.items()}


def _place(place: Place) -> dict[str, Any]:
    return _encode({name: getattr(place, name) for name in _PLACE_FIELDS})


def _memo_ref(memo: Memo) -> dict[str, Any]:
    owner = {"guild": memo.subject.guild} if memo.subject.is_lore else {"user": memo.subject.id}
    return {**owner, "id": memo.id}


def _memo(value: Mapping[str, Any]) -> Memo:
    owner = Subject.lore(value["guild"]) if value["user"] is None else Subject(value["user"])
    return serialization.memo_from_json({**value, "subject": owner.id, "subject_guild": owner.guild})


def _message(value: Mapping[str, Any]) -> Message:
    place = Place(**{name: value["place"][name] for name in _PLACE_FIELDS})
    fields: dict[str, Any] = {**value, "place": place, "at": datetime.fromisoformat(value["at"])}
    return Message(**fields)


def _hit(value: Mapping[str, Any]) -> Hit:
    item = _message(value["message"]) if value["memo"] is None else _memo(value["memo"])
    return Hit(item, value["score"], value["parts"])


def _event(value: Mapping[str, Any]) -> Event:
    name, (reason, detail) = str(value.get("code")).upper(), decode_reason(value["reason"])
    if name in Reason.__members__:
        reason, detail = Reason[name], value["detail"]
    fields = {name: value[name] for name in ("id", "actor", "scope", "memo", "data")}
    return Event(parse_kind(value["kind"]), datetime.fromisoformat(value["at"]), reason=reason, detail=detail, **fields)


def _section(value: Mapping[str, Any]) -> Section:
    lines = tuple(Line(line["text"], line["reason"]) for line in value["lines"])
    return Section(value["name"], value["text"], lines, value["used"], value["limit"], value["left_out"])
