"""Calls as models write them, checked: what is wrong is said in words that a model can act on."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from recollect.core.errors import BadInput
from recollect.faces.tool.actions import ACTIONS, Call
from recollect.policy.kinds import CATEGORIES

_NOTHING: tuple[object, ...] = (None, "", [], {})


def read(arguments: object) -> tuple[str, Call]:
    """The action and its parameters, from an object or its JSON text; raises BadInput.

    What is empty counts as not given: some models fill in every parameter they know of.
    """
    given = {name: value for name, value in _object(arguments).items() if not _is_empty(value)}
    action = given.pop("action", None)
    names = ", ".join(ACTIONS)
    if action is None:
        raise BadInput(f"say which action; use one of {names}")
    if not isinstance(action, str) or action not in ACTIONS:
        raise BadInput(f"unknown action {_quoted(action)}; use one of {names}")
    try:
        return action, ACTIONS[action].model_validate(given)
    except ValidationError as error:
        complaints = (_complaint(action, problem) for problem in error.errors(include_url=False))
        raise BadInput("; ".join(dict.fromkeys(complaints))) from None


def _object(arguments: object) -> dict[str, Any]:
    if isinstance(arguments, str | bytes):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise BadInput("the arguments are not JSON; give an object with an action") from None
    if not isinstance(arguments, Mapping):
        raise BadInput("the arguments are not an object; give one with an action")
    return {str(name): value for name, value in cast("Mapping[object, Any]", arguments).items()}


def _is_empty(value: object) -> bool:
    return value in _NOTHING or (isinstance(value, str) and not value.strip())


def _complaint(action: str, problem: Mapping[str, Any]) -> str:
    name, *within = problem["loc"]
    match problem["type"]:
        case "missing":
            return f"{action} needs {name}"
        case "extra_forbidden":
            return f"{action} takes no {_quoted(name)}; it takes {_takes(action)}"
        case "literal_error":
            return f"unknown {name} {_quoted(problem['input'])}; use one of {', '.join(CATEGORIES)}"
        case _:
            where = ".".join(map(str, [name, *_indices(within)]))
            return f"{where}: {problem['msg'].replace('Input', 'it', 1)}"


def _indices(path: Iterable[object]) -> list[int]:
    """Which of several; the rest of a path are pydantic's own names."""
    return [part for part in path if isinstance(part, int)]


def _takes(action: str) -> str:
    return ", ".join(ACTIONS[action].model_fields) or "no parameters"


def _quoted(value: object) -> str:
    """A value in an answer, cut: it may be anything."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
