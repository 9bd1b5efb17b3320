"""mem0's filters on metadata: exact values, operators, and AND, OR, NOT of further filters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from recollect.core.errors import BadInput

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, other: _is_any(value, [other]),
    "ne": lambda value, other: not _is_any(value, [other]),
    "in": lambda value, others: _is_any(value, others),
    "nin": lambda value, others: not _is_any(value, others),
    "gt": lambda value, other: value > other,
    "gte": lambda value, other: value >= other,
    "lt": lambda value, other: value < other,
    "lte": lambda value, other: value <= other,
    "contains": lambda value, part: part in value,
    "icontains": lambda value, part: str(part).casefold() in str(value).casefold(),
}


def matches_filters(result: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a result has what the filters ask for, in its metadata or among its own fields."""
    return all(_passes(result, name, wanted) for name, wanted in filters.items())


def check(filters: Mapping[str, Any]) -> None:
    """Raises BadInput for an operator that there is not, also where no memory would be compared by it."""
    for name, wanted in filters.items():
        if name in ("AND", "OR", "NOT"):
            for part in _filters(name, wanted):
                check(part)
        elif isinstance(wanted, Mapping):
            for operator in cast("Mapping[str, Any]", wanted):
                if operator not in _OPERATORS:
                    known = ", ".join(_OPERATORS)
                    raise BadInput(f"filters= has an unknown operator {operator!r} for {name!r}: {known}")


def _passes(result: Mapping[str, Any], name: str, wanted: Any) -> bool:
    match name:
        case "AND":
            return all(matches_filters(result, filters) for filters in _filters(name, wanted))
        case "OR":
            return any(matches_filters(result, filters) for filters in _filters(name, wanted))
        case "NOT":
            return not any(matches_filters(result, filters) for filters in _filters(name, wanted))
        case "user_id" | "agent_id" | "run_id":
            return _matches(result.get(name), _as_texts(wanted))
        case _:
            metadata: Mapping[str, Any] = result.get("metadata") or {}
            return _matches(metadata.get(name, result.get(name)), wanted)


def _matches(value: Any, wanted: Any) -> bool:
    if wanted == "*":
        return value is not None
    if not isinstance(wanted, Mapping):
        return _is_any(value, [wanted] if not isinstance(wanted, list) else cast("list[Any]", wanted))
    for operator, operand in cast("Mapping[str, Any]", wanted).items():
        try:
            if value is None or not _OPERATORS[operator](value, operand):
                return operator in ("ne", "nin") and value is None
        except TypeError:  # values that can't be compared
            return False
    return True


def _is_any(value: Any, wanted: Sequence[Any]) -> bool:
    """Whether a value, or one of the values in a list, is among those wanted; or the list as a whole is wanted."""
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return value == wanted or any(item in wanted for item in values)


def _as_texts(wanted: Any) -> Any:
    """Ids are texts: a number means the same."""
    match wanted:
        case list() | tuple():
            return [_as_texts(item) for item in cast("Sequence[Any]", wanted)]
        case Mapping():
            return {name: _as_texts(item) for name, item in cast("Mapping[str, Any]", wanted).items()}
        case int():
            return str(wanted)
        case _:
            return wanted


def _filters(name: str, wanted: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(wanted, list | tuple) or not all(isinstance(item, Mapping) for item in wanted):  # pyright: ignore[reportUnknownVariableType]
        raise BadInput(f"filters= needs a list of filters under {name}")
    return cast("Sequence[Mapping[str, Any]]", wanted)
