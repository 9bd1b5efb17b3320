"""A server on this machine that speaks OpenAI's embeddings protocol, and misbehaves on demand.

    async with EmbeddingServer() as server:
        server.next(status(429, retry_after=2), cut())   # the next two requests, then it is well again
        server.always(status(500))                       # until `server.always(well)`
        ...  # base URL: server.url; what arrived: server.requests

Its vectors come from words alone: texts that share words are alike. The standard library only.
"""

import asyncio
import json
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.testing.loopback import Loopback

DIMS = 64


@dataclass(frozen=True, slots=True)
class Request:
    model: str
    texts: tuple[str, ...]
    key: str
    """What stood behind `Bearer` in its header."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server sends; `body` None hangs up without a word, `after` waits for an event first."""

    body: bytes | None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    after: asyncio.Event | None = None


Behavior = Callable[[Request], Reply]


def numbers(text: str, dims: int = DIMS) -> list[float]:
    """The vector of a text, not of unit length: how often it has words of each of `dims` classes."""
    row = [0.0] * dims
    for word in text.lower().split():
        row[zlib.crc32(word.strip(".,!?").encode("utf-8", "replace")) % dims] += 1.0
    return row


def answer(rows: Sequence[tuple[int, Any]]) -> Reply:
    """Numbered vectors in the protocol's form."""
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in rows]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Reply(json.dumps({"object": "list", "data": data, "model": "m", "usage": usage}).encode())


def valid_vectors(request: Request) -> Reply:
    return of_dims(DIMS)(request)


def of_dims(dims: int) -> Behavior:
    return lambda request: answer([(place, numbers(text, dims)) for place, text in enumerate(request.texts)])


def filled_with(value: Any) -> Behavior:
    """Vectors of nothing but this number: 0, `float("nan")`, None, …"""
    return lambda request: answer([(place, [value] * DIMS) for place, _ in enumerate(request.texts)])


def shuffled(request: Request) -> Reply:
    """All vectors, numbered rightly, the last one first."""
    return answer([(place, numbers(text)) for place, text in enumerate(request.texts)][::-1])


def short(request: Request) -> Reply:
    """One vector too few."""
    return answer([(place, numbers(text)) for place, text in enumerate(request.texts[1:])])


def saying(body: bytes) -> Behavior:
    return lambda _: Reply(body)


def status(code: int, message: str = "no", retry_after: float | None = None, error: str | None = None) -> Behavior:
    """An error in the protocol's form."""
    headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
    body = json.dumps({"error": {"message": message, "type": "error", "code": error}}).encode()
    return lambda _: Reply(body, code, headers)


def cut() -> Behavior:
    return lambda _: Reply(None)


def held(until: asyncio.Event, then: Behavior = valid_vectors) -> Behavior:
    """Answers when the event is set; one that never is makes a server that hangs."""

    def behave(request: Request) -> Reply:
        reply = then(request)
        return Reply(reply.body, reply.status, reply.headers, until)

    return behave


def refusing(bad: Callable[[str], bool], trouble: Behavior | None = None) -> Behavior:
    """Well, except for requests with such a text: they get a 400, or the trouble that is named."""
    refusal = trouble or status(400, "bad text")
    return lambda request: (refusal if any(map(bad, request.texts)) else valid_vectors)(request)


class EmbeddingServer(Loopback):
    def __init__(self) -> None:
        super().__init__()
        self.requests: list[Request] = []
        self._always: Behavior = valid_vectors
        self._next: deque[Behavior] = deque()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def texts(self) -> list[str]:
        """Every text that arrived, in order."""
        return [text for request in self.requests for text in request.texts]

    def next(self, *behaviors: Behavior) -> None:
        self._next.extend(behaviors)

    def always(self, behavior: Behavior) -> None:
        self._always = behavior

    async def _serve(self, reader: asyncio.StreamReader) -> bytes:
        request = await _received(reader)
        self.requests.append(request)
        reply = (self._next.popleft() if self._next else self._always)(request)
        if reply.after is not None:
            await reply.after.wait()
        return _sent(reply)


async def _received(reader: asyncio.StreamReader) -> Request:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(": ") for line in lines[1:])
    headers = {name.lower(): value for name, _, value in pairs}
    content = json.loads(await reader.readexactly(int(headers["content-length"])))
    return Request(content["model"], tuple(content["input"]), headers.get("authorization", "").removeprefix("Bearer "))


def _sent(reply: Reply) -> bytes:
    if reply.body is None:
        return b""
    headers = {"Content-Type": "application/json", "Content-Length": str(len(reply.body)), "Connection": "close"}
    lines = [f"{name}: {value}" for name, value in (headers | reply.headers).items()]
    return "\r\n".join([f"HTTP/1.1 {reply.status} X", *lines, "", ""]).encode() + reply.body
