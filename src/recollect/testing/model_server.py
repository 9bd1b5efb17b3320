"""A server on this machine that speaks Anthropic's and OpenAI's protocols, and misbehaves on demand.

    async with ModelServer([Says("Hello."), Status(429, retry_after=2), CutOff(40)]) as server:
        ...                                  # three requests in this order, `Says("ok")` from then on
        assert server.requests[0].text == "Hi."

    async with ModelServer(lambda request: Says(request.text.upper())) as server: ...

It serves `POST /v1/messages`, `/v1/chat/completions`, `/v1/responses`, each streamed too, and `GET /v1/models`.
Give clients `server.url` as base URL (Anthropic's own client wants `server.root`) and any key. `server.next(…)` puts
answers in line, `server.always(…)` changes what follows them. The standard library only; nothing leaves the machine.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from recollect.testing.loopback import Loopback
from recollect.testing.model_protocols import PATHS, Turn, error_body, model_list, rendered

SECRET_HEADERS = ("authorization", "x-api-key")
HIDDEN = "***"


@dataclass(frozen=True, slots=True)
class Request:
    """What arrived, with the values of headers that carry a key replaced by `***`."""

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def instructions(self) -> str:
        """The system prompt, wherever the protocol puts it."""
        contents = [self.body.get("system"), self.body.get("instructions")]
        return "\n".join(filter(None, [*map(_text_of, contents), *self._said_by("system", "developer")]))

    @property
    def text(self) -> str:
        """All that the user said."""
        return "\n".join(self._said_by("user"))

    @property
    def turns(self) -> list[tuple[str, str]]:
        """The conversation, as pairs of role and text, oldest first."""
        turns: Any = self.body.get("messages") or self.body.get("input") or []
        if isinstance(turns, str):
            return [("user", turns)]
        return [(str(turn.get("role")), _text_of(turn.get("content"))) for turn in turns]

    @property
    def tools(self) -> Sequence[Any]:
        return self.body.get("tools") or []

    def _said_by(self, *roles: str) -> list[str]:
        return [text for role, text in self.turns if role in roles]


def _text_of(content: Any) -> str:
    """A text, or the texts of blocks, in one."""
    if not isinstance(content, list):
        return str(content or "")
    blocks = cast("list[str | dict[str, Any]]", content)
    return "\n".join(block if isinstance(block, str) else str(block.get("text", "")) for block in blocks)


@dataclass(frozen=True, slots=True)
class Says:
    """Plain text; tokens are about four characters each unless told; `stop` is `end`, `length` or `refusal`."""

    text: str
    stop: str = "end"
    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Calls:
    """A call of one of the client's tools, perhaps after some text."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    text: str = ""


@dataclass(frozen=True, slots=True)
class Slow:
    """An answer that comes after some seconds, or once an event is set; never, if it isn't."""

    until: float | asyncio.Event
    then: "Answer" = Says("ok")


@dataclass(frozen=True, slots=True)
class Status:
    """An error in the form of the protocol."""

    code: int
    message: str = "no"
    retry_after: float | None = None
    error: str | None = None
    """The machine-readable code, such as `insufficient_quota`."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """The connection ends after so many bytes of the body."""

    after: int = 0
    of: "Answer" = Says("ok" * 100)


@dataclass(frozen=True, slots=True)
class Garbage:
    """Status 200, and no JSON at all."""

    body: bytes = b"<html><body>\xff Please sign in</body></html>"
    type: str = "application/json"


@dataclass(frozen=True, slots=True)
class WrongShape:
    """JSON that is of no protocol."""

    value: Any = field(default_factory=lambda: {"result": [1, 2, 3]})


@dataclass(frozen=True, slots=True)
class Overlong:
    """A text far longer than anyone asked for."""

    size: int = 1_000_000
    word: str = "blah "


Answer = Says | Calls | Slow | Status | CutOff | Garbage | WrongShape | Overlong
Behavior = Answer | Callable[[Request], Answer]
WELL = Says("ok")


@dataclass(frozen=True, slots=True)
class _Reply:
    body: bytes
    status: int = 200
    type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: int | None = None


class ModelServer(Loopback):
    def __init__(self, answer: Behavior | Sequence[Answer] = WELL, *, models: Sequence[str] = ("some-model",)) -> None:
        super().__init__()
        self.requests: list[Request] = []
        """What arrived, in order, also what was answered with a fault."""
        self._models = models
        self._always: Behavior = WELL
        self._next: deque[Answer] = deque()
        if isinstance(answer, Sequence):
            self.next(*cast("Sequence[Answer]", answer))
        else:
            self.always(answer)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def next(self, *answers: Answer) -> None:
        """Answers to the next requests, after those that are in line already."""
        self._next.extend(answers)

    def always(self, answer: Behavior) -> None:
        """What follows once no answer is in line."""
        self._always = answer

    async def _serve(self, reader: asyncio.StreamReader) -> bytes:
        method, request = await _received(reader)
        return _sent(await self._reply(method, request))

    async def _reply(self, method: str, request: Request) -> _Reply:
        if (method, request.path) == ("GET", "/v1/models"):
            return _Reply(model_list(self._models))
        if method != "POST" or request.path not in PATHS:
            return _Reply(error_body(None, 404, f"there is no {method} {request.path}", None), 404)
        self.requests.append(request)
        if self._next:
            return await _answered(self._next.popleft(), request)
        always = self._always
        return await _answered(always(request) if callable(always) else always, request)


async def _answered(answer: Answer, request: Request) -> _Reply:
    """What is sent for an answer, once it is time."""
    match answer:
        case Slow(until, then):
            await (until.wait() if isinstance(until, asyncio.Event) else asyncio.sleep(until))
            return await _answered(then, request)
        case CutOff(after, of):
            whole = await _answered(of, request)
            return _Reply(whole.body, whole.status, whole.type, whole.headers, after)
        case Status(code, message, retry_after, error):
            headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
            return _Reply(error_body(PATHS[request.path], code, message, error), code, headers=headers)
        case Garbage(body, kind):
            return _Reply(body, type=kind)
        case WrongShape(value):
            return _Reply(json.dumps(value).encode())
        case Overlong(size, word):
            return _spoken(Says((word * (size // len(word) + 1))[:size]), request)
        case Says() | Calls():
            return _spoken(answer, request)


def _spoken(answer: Says | Calls, request: Request) -> _Reply:
    called = (answer.tool, answer.arguments) if isinstance(answer, Calls) else None
    spoken = answer if isinstance(answer, Says) else Says(answer.text)
    turn = Turn(
        request.model,
        answer.text,
        [called] if called else [],
        spoken.stop,
        spoken.input if spoken.input is not None else _tokens(request.instructions + request.text),
        spoken.output if spoken.output is not None else _tokens(answer.text + (json.dumps(called) if called else "")),
    )
    kind, body = rendered(PATHS[request.path], turn, request.body)
    return _Reply(body, type=kind)


def _tokens(text: str) -> int:
    return -(-len(text) // 4)


async def _received(reader: asyncio.StreamReader) -> tuple[str, Request]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    content = await reader.readexactly(int(headers.get("content-length", 0)))
    hidden = {name: HIDDEN for name in SECRET_HEADERS if name in headers}
    return method, Request(target.partition("?")[0], headers | hidden, json.loads(content) if content else {})


def _sent(reply: _Reply) -> bytes:
    headers = {"Content-Type": reply.type, "Content-Length": str(len(reply.body)), "Connection": "close"}
    lines = [f"{name}: {value}" for name, value in {**headers, **reply.headers}.items()]
    return "\r\n".join([f"HTTP/1.1 {reply.status} X", *lines, "", ""]).encode() + reply.body[: reply.cut]
