"""A language model's answer in three protocols: Anthropic's messages, OpenAI's chat completions and responses.

Each function turns a `Turn`, what a model says and calls, into the bytes that a server sends, in one piece or as a
stream of server-sent events.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PIECES = 8
"""A streamed text is broken into at most so many pieces."""

ANTHROPIC, CHAT, RESPONSES = "anthropic", "openai-chat", "openai-responses"
PATHS = {"/v1/messages": ANTHROPIC, "/v1/chat/completions": CHAT, "/v1/responses": RESPONSES}

Body = Mapping[str, Any]
Event = tuple[str | None, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of a model, whatever the protocol; `stop` is `end`, `length` or `refusal`."""

    model: str
    text: str
    calls: Sequence[tuple[str, Mapping[str, Any]]]
    stop: str
    input: int
    output: int


def rendered(protocol: str, turn: Turn, body: Body) -> tuple[str, bytes]:
    """Content type and bytes of an answer, streamed if the request asks for that."""
    whole, events = _PROTOCOLS[protocol]
    if not body.get("stream"):
        return "application/json", json.dumps(whole(turn)).encode()
    lines = [(f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events(turn)]
    return "text/event-stream", ("".join(lines) + ("data: [DONE]\n\n" if protocol == CHAT else "")).encode()


def error_body(protocol: str | None, status: int, message: str, code: str | None) -> bytes:
    """An error in the form of the protocol."""
    kind = code or _ANTHROPIC_ERRORS.get(status, "api_error")
    if protocol == ANTHROPIC:
        return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()


_ANTHROPIC_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def model_list(names: Iterable[str]) -> bytes:
    """What `GET /v1/models` says, with the fields of both providers."""
    fields = {"object": "model", "type": "model", "created": 0, "created_at": "1970-01-01T00:00:00Z"}
    data = [{"id": name, "display_name": name, "owned_by": "recollect", **fields} for name in names]
    return json.dumps({"object": "list", "data": data, "has_more": False}).encode()


def _pieces(text: str) -> list[str]:
    size = max(1, -(-len(text) // PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]


def _anthropic(turn: Turn) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": turn.text}] if turn.text else []
    content += [
        {"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": dict(arguments)}
        for place, (name, arguments) in enumerate(turn.calls)
    ]
    stop = {"end": "end_turn", "length": "max_tokens"}.get(turn.stop, turn.stop)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": content,
        "stop_reason": "tool_use" if turn.calls else stop,
        "stop_sequence": None,
        "usage": {"input_tokens": turn.input, "output_tokens": turn.output},
    }


def _anthropic_events(turn: Turn) -> Iterable[Event]:
    message = _anthropic(turn)
    opening: dict[str, Any] = message | {
        "content": [],
        "stop_reason": None,
        "usage": message["usage"] | {"output_tokens": 1},
    }
    yield _named({"type": "message_start", "message": opening})
    for index, block in enumerate(message["content"]):
        empty = block | ({"text": ""} if block["type"] == "text" else {"input": {}})
        yield _named({"type": "content_block_start", "index": index, "content_block": empty})
        for delta in _anthropic_deltas(block):
            yield _named({"type": "content_block_delta", "index": index, "delta": delta})
        yield _named({"type": "content_block_stop", "index": index})
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": ending, "usage": {"output_tokens": turn.output}})
    yield _named({"type": "message_stop"})


def _anthropic_deltas(block: Mapping[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
    return [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(json.dumps(block["input"]))]


def _named(data: dict[str, Any]) -> Event:
    return data["type"], data


def _chat_calls(turn: Turn) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(dict(arguments))},
        }
        for place, (name, arguments) in enumerate(turn.calls)
    ]


def _chat_usage(turn: Turn) -> dict[str, int]:
    return {
        "prompt_tokens": turn.input,
        "completion_tokens": turn.output,
        "total_tokens": turn.input + turn.output,
    }


def _chat_stop(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "length" if turn.stop == "length" else "stop"


def _chat(turn: Turn) -> dict[str, Any]:
    answer = {"refusal": turn.text} if turn.stop == "refusal" else {"content": turn.text or None}
    message: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None, **answer}
    if turn.calls:
        message["tool_calls"] = _chat_calls(turn)
    choice = {"index": 0, "message": message, "finish_reason": _chat_stop(turn), "logprobs": None}
    header = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": turn.model}
    return {**header, "choices": [choice], "usage": _chat_usage(turn)}


def _chat_events(turn: Turn) -> Iterable[Event]:
    header = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": turn.model}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
        return None, {**header, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    field = "refusal" if turn.stop == "refusal" else "content"
    yield chunk({"role": "assistant", "content": ""})
    yield from (chunk({field: piece}) for piece in _pieces(turn.text))
    yield from (chunk({"tool_calls": [{"index": place, **call}]}) for place, call in enumerate(_chat_calls(turn)))
    yield chunk({}, _chat_stop(turn))
    yield None, {**header, "choices": [], "usage": _chat_usage(turn)}


def _output(turn: Turn) -> list[dict[str, Any]]:
    content: Body = {"type": "output_text", "text": turn.text, "annotations": []}
    if turn.stop == "refusal":
        content = {"type": "refusal", "refusal": turn.text}
    message: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "content": [content]}
    calls: list[dict[str, Any]] = [
        {
            "type": "function_call",
            "id": f"fc_{place}",
            "call_id": f"call_{place}",
            "name": name,
            "arguments": json.dumps(dict(arguments)),
        }
        for place, (name, arguments) in enumerate(turn.calls)
    ]
    return [item | {"status": "completed"} for item in ([message] if turn.text or not calls else []) + calls]


def _responses(turn: Turn) -> dict[str, Any]:
    cut = turn.stop == "length"
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": turn.model,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": _output(turn),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": turn.input,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": turn.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": turn.input + turn.output,
        },
    }


def _responses_events(turn: Turn) -> Iterable[Event]:
    whole = _responses(turn)
    steps: list[dict[str, Any]] = [
        {"type": "response.created", "response": whole | {"status": "in_progress", "output": [], "usage": None}}
    ]
    for index, item in enumerate(whole["output"]):
        steps += [step | {"output_index": index} for step in _item_steps(item)]
    steps.append({"type": f"response.{whole['status']}", "response": whole})
    yield from (_named(step | {"sequence_number": number}) for number, step in enumerate(steps))


def _item_steps(item: dict[str, Any]) -> list[dict[str, Any]]:
    """How one item of the output comes in: empty, piece by piece, whole."""
    is_call = item["type"] == "function_call"
    empty: Body = {"arguments": ""} if is_call else {"content": []}
    added = {"type": "response.output_item.added", "item": item | {"status": "in_progress"} | dict(empty)}
    completed = {"type": "response.output_item.done", "item": item}
    return [added, *(_call_steps if is_call else _message_steps)(item), completed]


def _call_steps(item: dict[str, Any]) -> list[dict[str, Any]]:
    kind, position = "response.function_call_arguments", {"item_id": item["id"]}
    deltas = [{"type": f"{kind}.delta", "delta": piece, **position} for piece in _pieces(item["arguments"])]
    return [*deltas, {"type": f"{kind}.done", "arguments": item["arguments"], "name": item["name"], **position}]


def _message_steps(item: dict[str, Any]) -> list[dict[str, Any]]:
    part: dict[str, Any] = item["content"][0]
    field = "text" if "text" in part else "refusal"
    kind = f"response.{part['type']}"
    position: Body = {"item_id": item["id"], "content_index": 0, "logprobs": []}
    return [
        {"type": "response.content_part.added", "part": part | {field: ""}, **position},
        *({"type": f"{kind}.delta", "delta": piece, **position} for piece in _pieces(part[field])),
        {"type": f"{kind}.done", field: part[field], **position},
        {"type": "response.content_part.done", "part": part, **position},
    ]


_PROTOCOLS: dict[str, tuple[Callable[[Turn], dict[str, Any]], Callable[[Turn], Iterable[Event]]]] = {
    ANTHROPIC: (_anthropic, _anthropic_events),
    CHAT: (_chat, _chat_events),
    RESPONSES: (_responses, _responses_events),
}
