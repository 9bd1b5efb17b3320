"""Idempotency keys: a change that is repeated with the same key gets the same answer, and is not made twice.

Answers are held in memory for an hour: they contain people's words, which must not outlast an erasure. An erasure by
any process drops them all. After anything was deleted, edited or forgotten, an earlier answer is not repeated, and its
change is not made again either.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.faces.http.problems import problem

KEY_HEADER = "Idempotency-Key"
REPLAYED_HEADER = b"idempotency-replayed"
API_PATH = "/api/"
READING_PATHS = ("/api/v1/context", "/api/v1/erase/survey")
"""Requests that change nothing, and are not cached."""
ERASING_PATHS = ("/api/v1/erase", "/erase")
MAX_KEY_CHARS = 255
LIFETIME_SECONDS = 3600.0
MAX_HELD_BYTES = 16_000_000
"""Bytes of all answers together; the oldest are dropped first."""
_MADE_TEXT = (
    "this change was made already; its answer is no longer held, as something was deleted, edited or forgotten since"
)


@dataclass(slots=True)
class _Answer:
    """The answer to one key: empty while the first request is still worked on."""

    fingerprint: str
    at: float
    removal: int = 0
    """The id of the newest removal when it was given."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    messages: list[Message] = field(default_factory=list[Message])

    @property
    def size(self) -> int:
        return sum(len(message.get("body", b"")) for message in self.messages)


class IdempotencyMiddleware:
    """Answers repeated changes of the API from its cache. Belongs inside the check of tokens."""

    def __init__(
        self,
        app: ASGIApp,
        last_erasure: Callable[[], Awaitable[int]],
        last_removal: Callable[[], Awaitable[int]],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._app, self._clock, self._last_erasure, self._last_removal = app, clock, last_erasure, last_removal
        self._erasure_seen = 0
        self._answers: OrderedDict[tuple[Any, ...], _Answer] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        key = Headers(scope=scope).get(KEY_HEADER.lower()) if scope["type"] == "http" else None
        is_change = (
            scope["type"] == "http"
            and scope["method"] not in ("GET", "HEAD", "OPTIONS")
            and scope["path"] not in READING_PATHS
        )
        if key is None or not is_change or not scope["path"].startswith(API_PATH):
            await self._app(scope, receive, send)
        elif not key.strip() or len(key) > MAX_KEY_CHARS:
            await problem(422, f"{KEY_HEADER} has to have 1 to {MAX_KEY_CHARS} characters")(scope, receive, send)
        else:
            await self._answer_once(key, scope, receive, send)
        if is_change and scope["path"] in ERASING_PATHS:
            self._answers.clear()  # at once, without waiting for the next request with a key

    async def _answer_once(self, key: str, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        if (erasure := await self._last_erasure()) != self._erasure_seen:
            self._answers.clear()
            self._erasure_seen = erasure
        # A key that is used for another request is a bug of the client; answering it would hide that.
        target = (scope["method"], scope["path"], scope.get("query_string", b""))
        fingerprint = hashlib.sha256(repr(target).encode() + body).hexdigest()
        answer = self._find((_caller(scope), key), fingerprint)
        if answer.fingerprint != fingerprint:
            detail = f"this {KEY_HEADER} came with another request before; take a new one for each change"
            await problem(422, detail)(scope, receive, send)
            return
        async with answer.lock:  # a second request waits for the first
            # The recorded answer may quote what was removed since.
            if answer.messages and answer.removal != await self._last_removal():
                await problem(409, _MADE_TEXT)(scope, receive, send)
                return
            if answer.messages:
                for message in answer.messages:
                    await send(_marked(message))
                return
            recorded: list[Message] = []

            async def record(message: Message) -> None:
                recorded.append(message)
                await send(message)

            await self._app(scope, _replay(body, receive), record)
            # An error of ours may be temporary: the same key may try again.
            if recorded and recorded[0]["status"] < HTTPStatus.INTERNAL_SERVER_ERROR:
                answer.messages, answer.removal = recorded, await self._last_removal()
        self._drop_excess()

    def _find(self, key: tuple[Any, ...], fingerprint: str) -> _Answer:
        now = self._clock()
        while self._answers and now - next(iter(self._answers.values())).at > LIFETIME_SECONDS:
            self._answers.popitem(last=False)
        return self._answers.setdefault(key, _Answer(fingerprint, now))

    def _drop_excess(self) -> None:
        stored_bytes = sum(answer.size for answer in self._answers.values())
        # Oldest first: a retry comes within seconds.
        while stored_bytes > MAX_HELD_BYTES:
            _, oldest = self._answers.popitem(last=False)
            stored_bytes -= oldest.size


def _caller(scope: Scope) -> str:
    """The caller, by token or session: nobody gets another caller's answer."""
    headers = Headers(scope=scope)
    credentials = f"{headers.get('authorization', '')}\0{headers.get('cookie', '')}"
    return hashlib.sha256(credentials.encode("latin-1", "replace")).hexdigest()


async def _read(receive: Receive) -> bytes:
    chunks: list[bytes] = []
    more = True
    while more:
        message = await receive()
        chunks.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(chunks)


def _replay(body: bytes, receive: Receive) -> Receive:
    is_sent = False

    async def replayed() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _marked(message: Message) -> Message:
    """The recorded message, marked as a repetition."""
    if message["type"] != "http.response.start":
        return message
    return {**message, "headers": [*message["headers"], (REPLAYED_HEADER, b"true")]}
