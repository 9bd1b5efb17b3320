"""mem0's filters on metadata: exact values, operators, and AND, OR, NOT of further filters."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from recollect.core.errors import BadInput

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, other: value == other,
    "ne": lambda value, other: value != other,
    "in": lambda value, others: value in others,
    "nin": lambda value, others: value not in others,
    "gt": lambda value, other: value > other,
    "gte": lambda value, other: value >= other,
    "lt": lambda value, other: value < other,
    "lte": lambda value, other: value <= other,
    "contains": lambda value, part: part in value,
    "icontains": lambda value, part: str(part).casefold() in str(value).casefold(),
}


def passes(result: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a result has what the filters ask for, in its metadata or among its own fields; raises BadInput."""
    return all(_passes(result, name, wanted) for name, wanted in filters.items())


def _passes(result: Mapping[str, Any], name: str, wanted: Any) -> bool:
    match name:
        case "AND":
            return all(passes(result, filters) for filters in _filters(name, wanted))
        case "OR":
            return any(passes(result, filters) for filters in _filters(name, wanted))
        case "NOT":
            return not any(passes(result, filters) for filters in _filters(name, wanted))
        case _:
            metadata: Mapping[str, Any] = result.get("metadata") or {}
            return _matches(metadata.get(name, result.get(name)), name, wanted)


def _matches(value: Any, name: str, wanted: Any) -> bool:
    if wanted == "*":
        return value is not None
    if not isinstance(wanted, Mapping):
        return value == wanted
    for operator, operand in cast("Mapping[str, Any]", wanted).items():
        if operator not in _OPERATORS:
            raise BadInput(f"filters= has an unknown operator {operator!r} for {name!r}: {', '.join(_OPERATORS)}")
        try:
            if value is None or not _OPERATORS[operator](value, operand):
                return operator in ("ne", "nin") and value is None
        except TypeError:  # values that can't be compared
            return False
    return True


def _filters(name: str, wanted: Any) -> Sequence[Mapping[str, Any]]:
    if not isinstance(wanted, list | tuple) or not all(isinstance(item, Mapping) for item in wanted):  # pyright: ignore[reportUnknownVariableType]
        raise BadInput(f"filters= needs a list of filters under {name}")
    return cast("Sequence[Mapping[str, Any]]", wanted)
