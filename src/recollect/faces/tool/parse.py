"""Parses and validates calls written by models; errors are phrased so that a model can act on them."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from pydantic import ValidationError

from recollect.core.errors import BadInput
from recollect.faces.tool.actions import ACTIONS, Call
from recollect.policy.kinds import CATEGORIES

Kind = TypeVar("Kind", bound=Call)

_NUMBERS = ("limit", "offset", "version")
_INTEGER = re.compile(r"(-?[0-9]{1,9})(?:\.0+)?")
_SUBJECT = re.compile(r"^(?:Input|String|List|Value)\b")
_EMPTY_VALUES: tuple[object, ...] = (None, "", [], {})


def parse_call(arguments: object) -> tuple[str, Call]:
    """The action and its parameters, from an object or its JSON text; raises BadInput."""
    parameters = parse_object(arguments)
    action = parameters.pop("action", None)
    names = ", ".join(ACTIONS)
    if action is None:
        raise BadInput(f"say which action; use one of {names}")
    if not isinstance(action, str) or action not in ACTIONS:
        raise BadInput(f"unknown action {_clip_repr(action)}; use one of {names}")
    return action, validate(action, ACTIONS[action], parameters)


def validate(action: str, kind: type[Kind], parameters: Mapping[str, Any]) -> Kind:
    """The parameters as a call of this kind; raises BadInput, which names the action."""
    try:
        return kind.model_validate(parameters)
    except ValidationError as error:
        problems = (_describe_problem(action, kind, problem) for problem in error.errors(include_url=False))
        raise BadInput("; ".join(dict.fromkeys(problems))) from None


def parse_object(arguments: object) -> dict[str, Any]:
    """The parameters that are not empty, from an object or its JSON text: some models fill in all that they know of.

    Numbers may be written as text, and ids as numbers. Raises BadInput.
    """
    arguments_given = {name: value for name, value in _object(arguments).items() if not _is_empty(value)}
    return {name: _coerced(name, value) for name, value in arguments_given.items()}


def _coerced(name: str, value: Any) -> Any:
    if name in _NUMBERS and isinstance(value, str) and (number := _INTEGER.fullmatch(value.strip())):
        return int(number[1])
    return str(value) if name == "id" and isinstance(value, int) and not isinstance(value, bool) else value


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


def _describe_problem(action: str, kind: type[Call], problem: Mapping[str, Any]) -> str:
    name, *inner_path = problem["loc"]
    match problem["type"]:
        case "missing":
            return f"{action} needs {name}"
        case "extra_forbidden":
            return f"{action} takes no {_clip_repr(name)}; it takes {', '.join(kind.model_fields) or 'no parameters'}"
        case "literal_error":
            return f"unknown {name} {_clip_repr(problem['input'])}; use one of {', '.join(CATEGORIES)}"
        case _:
            location = ".".join(map(str, [name, *_indices(inner_path)]))
            return f"{location}: {_SUBJECT.sub('it', problem['msg'])}"


def _indices(path: Iterable[object]) -> list[int]:
    """The list positions in a path; its other parts are pydantic's own names."""
    return [part for part in path if isinstance(part, int)]


def _clip_repr(value: object) -> str:
    """A value as shown in an answer, clipped: it may be anything."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
