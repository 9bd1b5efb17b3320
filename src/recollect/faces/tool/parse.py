"""Parses and validates calls written by models; errors are phrased so that a model can act on them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from pydantic import ValidationError

from recollect.core.errors import BadInput
from recollect.faces.tool.actions import ACTIONS, Call
from recollect.policy.kinds import CATEGORIES

_EMPTY_VALUES: tuple[object, ...] = (None, "", [], {})


def parse_call(arguments: object) -> tuple[str, Call]:
    """The action and its parameters, from an object or its JSON text; raises BadInput.

    Empty values count as absent: some models fill in every parameter they know of.
    """
    parameters = {name: value for name, value in _object(arguments).items() if not _is_empty(value)}
    action = parameters.pop("action", None)
    names = ", ".join(ACTIONS)
    if action is None:
        raise BadInput(f"say which action; use one of {names}")
    if not isinstance(action, str) or action not in ACTIONS:
        raise BadInput(f"unknown action {_clip_repr(action)}; use one of {names}")
    try:
        return action, ACTIONS[action].model_validate(parameters)
    except ValidationError as error:
        problems = (_describe_problem(action, problem) for problem in error.errors(include_url=False))
        raise BadInput("; ".join(dict.fromkeys(problems))) from None


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
    return value in _EMPTY_VALUES or (isinstance(value, str) and not value.strip())


def _describe_problem(action: str, problem: Mapping[str, Any]) -> str:
    name, *inner_path = problem["loc"]
    match problem["type"]:
        case "missing":
            return f"{action} needs {name}"
        case "extra_forbidden":
            return f"{action} takes no {_clip_repr(name)}; it takes {_parameter_names(action)}"
        case "literal_error":
            return f"unknown {name} {_clip_repr(problem['input'])}; use one of {', '.join(CATEGORIES)}"
        case _:
            location = ".".join(map(str, [name, *_indices(inner_path)]))
            return f"{location}: {problem['msg'].replace('Input', 'it', 1)}"


def _indices(path: Iterable[object]) -> list[int]:
    """The list positions in a path; its other parts are pydantic's own names."""
    return [part for part in path if isinstance(part, int)]


def _parameter_names(action: str) -> str:
    return ", ".join(ACTIONS[action].model_fields) or "no parameters"


def _clip_repr(value: object) -> str:
    """A value as shown in an answer, clipped: it may be anything."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
