"""What the verbs take: one rule for each argument, by its name, for `Memory`, `AsyncMemory` and their views.

A value that can't be used raises `BadInput` with the name of the argument. A call that Python itself refuses, such as
one with another library's name for an argument, is answered with the name that it has here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import wraps
from inspect import Parameter, iscoroutinefunction, signature
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recollect.core.errors import BadInput
from recollect.core.types import Audience, Message, Origin, Status
from recollect.inputs import clip_value, id_text, place_of, plain_text, text_list, with_time_zone

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from enum import StrEnum

C = TypeVar("C", bound=type[Any])

_USER = 'user=, as in user="ada"'
_MEM0 = "; programs written for mem0 run with `from recollect.adapters.mem0 import Memory`"
ARGUMENTS = {
    **dict.fromkeys(("user_id", "username", "person", "owner"), _USER + _MEM0),
    **dict.fromkeys(("agent_id", "run_id", "app_id"), "place=Place(…)" + _MEM0),
    **dict.fromkeys(("session_id", "thread_id", "conversation_id", "session"), "place=Place(…)"),
    **dict.fromkeys(("top_k", "k", "n", "n_results", "max_results", "num_results", "page_size"), "limit="),
    **dict.fromkeys(("threshold", "score_threshold", "cutoff"), "min_score=, from 0 to 1, or strict=True"),
    **dict.fromkeys(("block", "sync"), "wait=True"),
    **dict.fromkeys(("time", "timestamp", "when", "created_at"), "at="),
    **dict.fromkeys(("expires_at", "expiration_date", "ttl"), "expires="),
    **dict.fromkeys(("filter", "where"), "filters="),
    "channel": "place=Place(…)",
}
"""Names of arguments in other libraries, and ours."""

_ADD, _SEARCH, _ALL = "add(…, user=…)", "search(…, user=…)", "list(user=…)"
METHODS = {
    **dict.fromkeys(("get_all", "all", "memories", "get_memories", "list_memories"), _ALL),
    **dict.fromkeys(("delete", "remove", "delete_memory"), "forget(memo, user=…)"),
    **dict.fromkeys(("delete_all", "clear", "delete_user", "wipe"), "erase(user=…)"),
    **dict.fromkeys(
        ("save", "insert", "observe", "learn", "put", "append", "store", "add_message", "add_messages"), _ADD
    ),
    **dict.fromkeys(("save_context", "add_memory", "add_texts", "add_documents", "store_memory"), _ADD),
    **dict.fromkeys(("query", "retrieve", "recall", "similarity_search", "find", "invoke", "ask"), _SEARCH),
    **dict.fromkeys(("get_context", "load_memory_variables", "prompt", "get_prompt", "chat"), "context(…, user=…)"),
    **dict.fromkeys(("edit", "revise", "modify"), "update(memo, text, user=…)"),
}
"""Names of verbs in other libraries, and ours."""


_STORE = 'the store comes first, as in Memory("memory.db")'
OPTIONS = {
    **dict.fromkeys(("path", "db", "db_path", "database", "file", "filename", "url", "dsn", "uri"), _STORE),
    "api_key": "keys come from the environment, as ANTHROPIC_API_KEY and OPENAI_API_KEY",
    "llm": 'model="provider:model"',
    "user": "every call names its user, and memory.view(user) has the calls for one",
}
"""Names of constructor arguments in other libraries, and ours."""


def check_options(store: object, config: object, clock: object, model: object, settings: Mapping[str, object]) -> None:
    """Check what a memory is made with, its settings aside; raises BadInput."""
    if store is not None and not isinstance(store, str | PathLike):
        raise BadInput(f'store= is a path or an address, such as "memory.db", not {clip_value(store)}')
    if config is not None and not isinstance(config, str | PathLike):
        raise BadInput(f'config= is the path of a YAML file, such as "recollect.yaml", not {clip_value(config)}')
    if not callable(clock):
        raise BadInput(f"clock= is a function that returns the time, not {clip_value(clock)}")
    if model is not None and not isinstance(model, str) and not hasattr(model, "name"):
        raise BadInput(f'model= is a name, such as "openai:gpt-5-mini", or a Model, not {clip_value(model)}')
    if unknown := next((name for name in settings if name in OPTIONS), None):
        raise BadInput(f"there is no setting {unknown}=: {OPTIONS[unknown]}")


def checked(cls: C) -> C:
    """The class, with the arguments of its coroutines checked."""
    for name in dir(cls):
        method = getattr(cls, name)
        if not name.startswith("_") and iscoroutinefunction(method) and len(signature(method).parameters) > 1:
            setattr(cls, name, _checked(method))
    return cls


def no_attribute(owner: object, name: str) -> AttributeError:
    """The error for an unknown attribute, with our verb if other libraries use that name."""
    known = METHODS.get(name)
    advice = f": use {known}" + (_MEM0 if name in ("get_all", "delete", "delete_all") else "") if known else ""
    return AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}{advice}")


def _checked(method: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
    verb, parameters = method.__name__, [*signature(method).parameters.values()][1:]
    positional = [each.name for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
    optional = {each.name for each in parameters if each.default is not None and each.kind is not Parameter.VAR_KEYWORD}
    rules = RULES | RULES_OF.get(verb, {})

    @wraps(method)
    async def call(self: object, *args: Any, **options: Any) -> Any:
        checked = [
            rules[name](value, name) if name in rules and (value is not None or name in optional) else value
            for name, value in zip(positional, args, strict=False)
        ]
        for name, value in options.items():
            if name in rules and (value is not None or name in optional):
                options[name] = rules[name](value, name)
        try:
            work = method(self, *checked, *args[len(checked) :], **options)
        except TypeError as error:  # the call itself failed: the arguments don't match
            problem = str(error).replace(method.__qualname__, verb)
            raise TypeError(problem + _advice(problem, [each.name for each in parameters], options)) from None
        return await work

    return call


def _advice(problem: str, names: list[str], options: Mapping[str, Any]) -> str:
    if unknown := next((name for name in options if name not in names and name in ARGUMENTS), None):
        return f": here it is {ARGUMENTS[unknown]}"
    if "positional" in problem and "user" in names and "user" not in options:
        return f": the user is named: {_USER}"
    return (
        f": say {_USER}" if "'user'" in problem else f": it takes {', '.join(names)}" if "unexpected" in problem else ""
    )


def _number(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadInput(f"{name}= is a whole number, not {clip_value(value)}")
    return value


def _count(value: object, name: str) -> int:
    if (number := _number(value, name)) < 0:
        advice = ": leave it out for no limit" if name == "limit" else ""
        raise BadInput(f"{name}={number} is negative{advice}")
    return number


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadInput(f"{name}= is a number from 0 to 1, not {clip_value(value)}")
    return value


def _seconds(value: object, name: str) -> float:
    if not isinstance(value, int | float) or not value >= 0:
        or_switch = " or True" if name == "wait" else ""
        raise BadInput(f"{name}= is a number of seconds{or_switch}, not {clip_value(value)}")
    return value


def _switch(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{name}= is True or False, not {clip_value(value)}")
    return value


def _one_of(*values: str) -> Callable[[object, str], str]:
    def check(value: object, name: str) -> str:
        if value not in values:
            raise BadInput(f"{name}= is {' or '.join(map(repr, values))}, not {clip_value(value)}")
        return cast("str", value)

    return check


def _member(kind: type[StrEnum]) -> Callable[[object, str], StrEnum]:
    def check(value: object, name: str) -> StrEnum:
        try:
            return kind(cast("str", value))
        except ValueError:
            raise BadInput(f"{name}= is one of {', '.join(kind)}, not {clip_value(value)}") from None

    return check


def _audience(value: object, name: str) -> Audience:
    if not isinstance(value, Audience):
        raise BadInput(f"{name}= is an Audience, such as recollect.EVERYWHERE, not {clip_value(value)}")
    return value


def _metadata(value: object, name: str) -> object:
    from json import dumps

    pairs = cast("Mapping[object, object]", value) if isinstance(value, Mapping) else {None: value}
    if not all(isinstance(key, str) for key in pairs):
        raise BadInput(f"{name}= is a dictionary whose keys are texts, not {clip_value(pairs)}")
    try:
        dumps(dict(pairs))
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name}= has a value that JSON can't hold: {error}") from error
    return pairs


def _statements(value: object, name: str) -> object:
    """A text, or several."""
    is_several = isinstance(value, Iterable) and not isinstance(value, bytes | Mapping)
    return cast("object", value) if is_several else plain_text(cast("object", value), name)


def _message(value: object, name: str) -> Message:
    if not isinstance(value, Message):
        raise BadInput(f"{name}= is a Message, such as one of `added.messages`, not {clip_value(value)}")
    return value


def _path(value: object, name: str) -> object:
    if not isinstance(value, str | PathLike):
        raise BadInput(f"{name}= is a path, such as {name}='copy.db', not {clip_value(value)}")
    return cast("object", value)


def _expiry(value: Any, name: str) -> object:
    return value if value == "never" else with_time_zone(value, name)


RULES: dict[str, Callable[[Any, str], object]] = {
    **dict.fromkeys(("limit", "offset"), _count),
    **dict.fromkeys(("version", "expected", "change", "before"), _number),
    **dict.fromkeys(("confidence", "min_score"), _share),
    **dict.fromkeys(("wait", "timeout"), _seconds),
    **dict.fromkeys(("pinned", "strict", "every", "lore", "count_use", "dry_run", "here", "degraded"), _switch),
    **dict.fromkeys(("at", "happened", "expires", "since", "until"), with_time_zone),
    **dict.fromkeys(("name", "actions", "evidence", "query", "ranker", "kind", "platform", "run"), plain_text),
    "message_id": id_text,
    "place": lambda value, _: place_of(value),
    "tags": lambda value, name: text_list(() if value is None else value, name),
    "audience": _audience,
    "metadata": _metadata,
    "over": _one_of("memos", "messages"),
    "subject": _one_of("mine", "lore", "both"),
    "status": _member(Status),
    "origin": _member(Origin),
    "path": _path,
}
RULES_OF: dict[str, dict[str, Callable[[Any, str], object]]] = {
    "search": {"limit": _number},  # a profile may clamp negative ones
    "update": {"expires": _expiry, "text": plain_text},
    "message_edited": {"text": plain_text},
    "remember": {"message": id_text, "text": _statements},
    "relearn": {"message": id_text},
    "undo": {"memo": plain_text},
    "wait_learned": {"message": _message},
}
