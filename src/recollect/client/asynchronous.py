"""The client itself, asynchronous; `recollect.client` says how it is used."""

import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal, Self
from uuid import uuid4

from recollect.client.wire import (
    ApiError,
    Guild,
    Listing,
    MessageDetails,
    MessagePage,
    Page,
    Person,
    Preview,
    Why,
    api_error,
    encode,
    httpx,
    memo_ref,
    place_to_json,
    read_event,
    read_hit,
    read_memo,
    read_message,
    read_owner,
    read_section,
    read_summary,
)
from recollect.core.events import Event
from recollect.core.outcomes import Refused
from recollect.core.reasons import Reason
from recollect.core.types import Audience, Kind, Memo, Message, Place, Status, Summary
from recollect.recall.query import Hit

ROOT = "/api/v1"


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
        """Add a message; True when it is new."""
        return (await self._send("POST", "/observe", _message_body(message)))["new"]

    async def add_many(self, messages: Sequence[Message]) -> int:
        """Add up to 500 messages in one transaction, with the times at which they were said; returns how many are
        new.
        """
        body = {"messages": [_message_body(message) for message in messages]}
        return (await self._send("POST", "/messages", body))["added"]

    async def messages(
        self,
        *,
        user: str | None = None,
        guild: str | None = None,
        session: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        order: Literal["oldest", "newest"] = "oldest",
        limit: int = 50,
        cursor: str | None = None,
    ) -> MessagePage:
        """Messages that match all that is given; `next` of one page is the `cursor` of the next one."""
        params = {"user": user, "guild": guild, "session": session, "since": since, "until": until}
        document = await self._get("/messages", {**params, "order": order, "limit": limit, "cursor": cursor})
        return MessagePage(tuple(map(read_message, document["messages"])), document["next"])

    async def message(self, message_id: str, *, platform: str = "local") -> MessageDetails:
        """A message, what was learned from it, and what was not and why."""
        document = await self._get("/message", {"id": message_id, "platform": platform})
        memos, refused = map(read_memo, document["memos"]), map(read_event, document["refused"])
        return MessageDetails(read_message(document["message"]), tuple(memos), tuple(refused))

    async def message_edited(
        self, platform: str, message_id: str, text: str, at: datetime | None = None, place: Place | None = None
    ) -> bool:
        body = encode({"platform": platform, "id": message_id, "text": text, "at": at})
        body |= {} if place is None else {"place": place_to_json(place)}
        return (await self._send("POST", "/observe/edited", body))["changed"]

    async def message_deleted(self, platform: str, message_id: str, at: datetime | None = None) -> bool:
        body = encode({"platform": platform, "id": message_id, "at": at})
        return (await self._send("POST", "/observe/deleted", body))["changed"]

    async def context(self, message: Message, *, actions: str = "", count_use: bool = True) -> Preview:
        """The prompt for answering a message; what it shows counts as used unless told otherwise."""
        body = {
            "author": message.author,
            "place": place_to_json(message.place),
            "text": message.text,
            "actions": actions,
        }
        document = await self._send(
            "POST", "/context", {**body, "count_use": count_use, **encode({"id": message.id or None})}
        )
        sections = tuple(map(read_section, document["sections"]))
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
        """Hits that are visible in the place, best first, with the parts of each score."""
        place_params = {} if place is None or place.dm is not None else place_to_json(place)
        place_params.pop("name", None)
        params = {"q": query, "user": user, "over": over, "ranker": ranker, "strict": strict, "limit": limit}
        document = await self._get("/search", {**params, **place_params})
        return [read_hit(value) for value in document["results"]]

    async def compare_rankers(self, query: str, *, user: str, limit: int = 10) -> dict[str, list[Hit]]:
        """The same question by every ranker, in the person's direct messages."""
        document = await self._get("/search/rankers", {"q": query, "user": user, "limit": limit})
        return {name: [read_hit(value) for value in hits] for name, hits in document["rankers"].items()}

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
        happened: datetime | None = None,
        expires: datetime | None = None,
        said: datetime | None = None,
    ) -> Memo | Refused:
        """Add a memo, heard by the person alone unless an audience is given. Returns the memo that holds it now, which
        may be an earlier one; or why it may not be remembered. `said` is when it was stated, now unless given.
        """
        hearers = None if audience is None else str(audience)
        fields = {"user": user, "guild": guild, "text": text, "kind": kind, "tags": list(tags), "audience": hearers}
        fields |= {"happened": happened, "expires": expires, "said": said}
        try:
            document = await self._send("POST", "/memos", {**encode(fields), "pinned": pinned})
        except ApiError as error:
            if error.reason is None or error.reason.upper() not in Reason.__members__:
                raise
            return Refused(Reason[error.reason.upper()])
        return read_memo(document["memo"])

    async def update(
        self, memo: Memo, text: str | None = None, tags: Sequence[str] | None = None, *, version: int | None = None
    ) -> Memo:
        """Change a memo's text, tags, or both. Here as below: with `version=memo.version` only if it is still as you
        have seen it, else ApiError 409, with its present `version`.
        """
        body = encode({"text": text, "tags": None if tags is None else list(tags), "version": version})
        return read_memo(await self._send("PATCH", "/memo", body, memo_ref(memo)))

    async def forget(self, memo: Memo, *, version: int | None = None) -> Memo:
        """Retire a memo; `undo` restores it."""
        return read_memo(await self._send("DELETE", "/memo", None, {**memo_ref(memo), "version": version}))

    async def restore(self, memo: Memo, *, version: int | None = None) -> Memo:
        """Bring a retired memo back, whatever happened since; ApiError 409 when its message no longer says so."""
        body = {"version": version}
        return read_memo((await self._send("POST", "/memo/restore", body, memo_ref(memo)))["memo"])

    async def pin(self, memo: Memo, pinned: bool = True, *, version: int | None = None) -> Memo:
        body = {"pinned": pinned, "version": version}
        return read_memo(await self._send("POST", "/memo/pin", body, memo_ref(memo)))

    async def share(self, memo: Memo, audience: Audience, *, version: int | None = None) -> Memo:
        body = {"audience": str(audience), "version": version}
        return read_memo(await self._send("POST", "/memo/share", body, memo_ref(memo)))

    async def merge(
        self, keep: Memo, others: Sequence[Memo], text: str | None = None, *, versions: Mapping[str, int] | None = None
    ) -> Memo:
        """Let one memo stand for others, as one change; with `versions` by id, only if they still have these."""
        owner = {name: value for name, value in memo_ref(keep).items() if name != "id"}
        body = {
            **owner,
            "keep": keep.id,
            "others": [memo.id for memo in others],
            **encode({"text": text, "versions": versions}),
        }
        return read_memo(await self._send("POST", "/memos/merge", body))

    async def preview_relearning(self, **selection: Any) -> dict[str, Any]:
        """What learning from messages again would change: `message`, `user`, `session`, `since`, `until`, `degraded` or
        `everyone` say from which ones.
        """
        return await self._send("POST", "/relearn/preview", encode(selection))

    async def relearn(self, **selection: Any) -> dict[str, Any]:
        """Learn from messages again, in the background; `run` is the id of it."""
        return await self._send("POST", "/relearn", encode(selection))

    async def relearning(self, run: str) -> dict[str, Any]:
        """How far it is."""
        return await self._get("/relearn", {"run": run})

    async def undoable(
        self, *, user: str | None = None, guild: str | None = None, change: int | None = None
    ) -> dict[str, Any]:
        """What `undo` would revert now, the last change or the given one: `change` is its id, `refused` says why it
        can't be undone.
        """
        return await self._get("/memos/undo", {"user": user, "guild": guild, "change": change})

    async def undo(self, *, user: str | None = None, guild: str | None = None, change: int | None = None) -> bool:
        """Undo the last change, or the given one if its memos were not changed since; False when there is none."""
        body = encode({"user": user, "guild": guild, "change": change})
        return (await self._send("POST", "/memos/undo", body))["undone"]

    async def redo(self, *, user: str | None = None, guild: str | None = None) -> bool:
        """Take back the last undo; False when there is none, or something was changed since."""
        return (await self._send("POST", "/memos/redo", encode({"user": user, "guild": guild})))["redone"]

    async def get(self, memo_id: str, *, user: str | None = None, guild: str | None = None) -> Memo:
        """A memo of whatever status; ApiError 404 where there is none."""
        return read_memo(await self._get("/memo", {"user": user, "guild": guild, "id": memo_id}))

    async def history(self, memo: Memo) -> list[Event]:
        return [read_event(value) for value in (await self._get("/memo/history", memo_ref(memo)))["events"]]

    async def why(self, memo: Memo) -> Why:
        """Where a memo comes from, and what happened to it."""
        document = await self._get("/memo/why", memo_ref(memo))
        message = None if document["message"] is None else read_message(document["message"])
        return Why(read_memo(document["memo"]), tuple(map(read_event, document["events"])), message)

    async def people(self, part: str = "", limit: int = 50, cursor: str | None = None) -> Listing[Person]:
        """Who has memos, by id; `part` is looked for in ids and names."""
        document = await self._get("/people", {"part": part, "limit": limit, "cursor": cursor})
        return Listing(tuple(Person(**read_owner(value)) for value in document["people"]), document["next"])

    async def guilds(self, part: str = "", limit: int = 50, cursor: str | None = None) -> Listing[Guild]:
        """Which guilds have lore, by id."""
        document = await self._get("/guilds", {"part": part, "limit": limit, "cursor": cursor})
        return Listing(tuple(Guild(**read_owner(value)) for value in document["guilds"]), document["next"])

    async def is_learning(self, *, user: str) -> bool:
        return (await self._get("/people/learning", {"user": user}))["learning"]

    async def pause(self, *, user: str | None = None, session: str | None = None, guild: str | None = None) -> bool:
        """Learn nothing from a person, a conversation or a guild; False when that was so already."""
        path, body = _paused("pause", user, session, guild)
        return (await self._send("POST", path, body))["changed"]

    async def resume(self, *, user: str | None = None, session: str | None = None, guild: str | None = None) -> bool:
        """Learn from them again; False when they were not paused."""
        path, body = _paused("resume", user, session, guild)
        return (await self._send("POST", path, body))["changed"]

    async def sessions(self, part: str = "", limit: int = 200, cursor: str | None = None) -> Listing[str]:
        """Conversations that have a summary, by name."""
        document = await self._get("/sessions", {"part": part, "limit": limit, "cursor": cursor})
        return Listing(tuple(document["sessions"]), document["next"])

    async def summary(self, session: str) -> Summary:
        """The rolling summary of a conversation; ApiError 404 where there is none."""
        return read_summary(await self._get("/summary", {"session": session}))

    async def summary_history(self, session: str, limit: int = 20) -> list[Summary]:
        """The summary of a conversation and those before it, newest first."""
        document = await self._get("/summary/history", {"session": session, "limit": limit})
        current = [] if document["current"] is None else [document["current"]]
        return [read_summary(value) for value in (*current, *document["earlier"])]

    async def reset(self, session: str) -> bool:
        """Clear the summary of a conversation; False when there is none."""
        return (await self._send("POST", "/sessions/reset", {"session": session}))["reset"]

    async def jobs(self, state: str | None = None, limit: int = 100, cursor: str | None = None) -> dict[str, Any]:
        """Counts by state, and the jobs themselves, oldest first."""
        return await self._get("/jobs", {"state": state, "limit": limit, "cursor": cursor})

    async def retry_jobs(self, job: int | None = None) -> int:
        """Retry a failed job, or all of them; returns how many."""
        return (await self._send("POST", "/jobs/retry", encode({"id": job})))["retried"]

    async def drop_job(self, job: int) -> None:
        await self._send("POST", "/jobs/drop", {"id": job})

    async def events(
        self, kinds: Collection[str] = (), scope: str | None = None, limit: int = 100, cursor: str | None = None
    ) -> Listing[Event]:
        """The log, newest first."""
        params = {"kind": list(kinds), "scope": scope, "limit": limit, "cursor": cursor}
        document = await self._get("/events", params)
        return Listing(tuple(map(read_event, document["events"])), document["next"])

    async def follow(self, after: int | None = None) -> AsyncIterator[Event]:
        """The log as it is written, until the server stops; resume with the id of the last event as `after`."""
        params = encode({"after": after})
        async with self._http.stream("GET", f"{ROOT}/events/stream", params=params, timeout=60) as response:
            if response.is_error:
                await response.aread()
                raise api_error(response)
            async for line in response.aiter_lines():
                if line.startswith("data: "):
                    yield read_event(json.loads(line.removeprefix("data: ")))

    async def stats(self) -> dict[str, Any]:
        return await self._get("/stats", {})

    async def export(self, *, user: str | None = None, guild: str | None = None) -> dict[str, Any]:
        """Everything about a person or a guild."""
        return await self._get("/export", {"user": user, "guild": guild})

    async def preview_erasure(self, *, user: str | None = None, guild: str | None = None) -> dict[str, Any]:
        """What erasing would remove, and what `confirm` has to be; changes nothing."""
        return await self._send("POST", "/erase/survey", encode({"user": user, "guild": guild}))

    async def erase(self, *, user: str | None = None, guild: str | None = None, confirm: str) -> dict[str, Any]:
        """Permanently remove everything about them; `confirm` repeats the name. Returns the receipt."""
        body = encode({"user": user, "guild": guild, "confirm": confirm})
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
        cursor: str | None = None,
    ) -> Page:
        """A person's memos or a guild's lore, newest first."""
        params = {"user": user, "guild": guild, "part": part, "limit": limit, "cursor": cursor}
        document = await self._get("/memos", {**params, "kind": list(kinds), "status": list(statuses)})
        return Page(tuple(map(read_memo, document["memos"])), document["total"], document["next"])

    async def _get(self, path: str, params: Mapping[str, Any]) -> Any:
        return await self._send("GET", path, None, params)

    async def _send(
        self, method: str, path: str, body: Any = None, params: Mapping[str, Any] | None = None, **options: Any
    ) -> Any:
        """Changes carry an idempotency key, so that they can be retried when the connection breaks."""
        headers = {} if method == "GET" else {"Idempotency-Key": uuid4().hex}
        request = self._http.build_request(
            method, ROOT + path, params=encode(params or {}), json=body, headers=headers, **options
        )
        try:
            try:
                response = await self._http.send(request)
            except (httpx.RemoteProtocolError, httpx.ReadError):
                response = await self._http.send(request)
        except httpx.TransportError as error:
            raise ApiError(0, f"{self._http.base_url} can't be reached: {error or type(error).__name__}") from error
        if not response.is_success:
            raise api_error(response)
        return response.json()


def _message_body(message: Message) -> dict[str, Any]:
    body = {**encode(asdict(message)), "place": place_to_json(message.place), "at": message.at.isoformat()}
    del body["tag"]  # only about how a message is displayed
    return body


def _paused(verb: str, user: str | None, session: str | None, guild: str | None) -> tuple[str, dict[str, Any]]:
    if user is not None:
        return f"/people/{verb}", {"user": user}
    return f"/places/{verb}", encode({"session": session, "guild": guild})
