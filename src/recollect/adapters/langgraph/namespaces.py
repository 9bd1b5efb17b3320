"""Namespaces of a LangGraph store: the user that one names, and matching of conditions and filters."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from recollect.core.errors import BadInput
from recollect.core.types import LORE

USER = "{user}"
Namespace = tuple[str, ...]
Condition = tuple[Literal["prefix", "suffix"], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Namespaces:
    """All namespaces of the form `template`, in which one label is the user; more labels may follow."""

    template: Namespace

    def __post_init__(self) -> None:
        if self.template.count(USER) != 1:
            raise BadInput(f"the namespace has to have one label {USER!r}, as in ('memories', {USER!r})")

    def owner(self, namespace: Namespace) -> tuple[str, Namespace] | None:
        """The user of a namespace and the labels below; None when it does not match the template."""
        size = len(self.template)
        if len(namespace) < size or not self.matches_start(namespace[:size]):
            return None
        user = _unescape_label(namespace[self.template.index(USER)])
        return None if user == LORE or not user.strip() else (user, namespace[size:])

    def matches_start(self, namespace: Namespace) -> bool:
        """Whether some matching namespaces begin like this."""
        return all(expected in (USER, label) for expected, label in zip(self.template, namespace, strict=False))

    def name(self, user: str, path: Namespace = ()) -> Namespace:
        return tuple(_escape_label(user) if label == USER else label for label in self.template) + path

    def __str__(self) -> str:
        return f"({', '.join(repr(label) for label in self.template)}, …)"


def _escape_label(user: str) -> str:
    """A user's id as a label, which must not contain a period."""
    return user.replace("%", "%25").replace(".", "%2E")


def _unescape_label(label: str) -> str:
    return label.replace("%2E", ".").replace("%25", "%")


def fits_all(namespace: Namespace, conditions: Collection[Condition]) -> bool:
    return all(_fits(namespace, kind, path) for kind, path in conditions)


def may_match_below(namespace: Namespace, conditions: Collection[Condition]) -> bool:
    """Whether a namespace below this one may fit, judging by the prefixes."""
    prefixes = [path[: len(namespace)] for kind, path in conditions if kind == "prefix"]
    return all(_fits(namespace, "prefix", prefix) for prefix in prefixes)


def _fits(namespace: Namespace, kind: str, path: Sequence[str]) -> bool:
    if len(namespace) < len(path):
        return False
    if kind == "suffix":
        namespace, path = namespace[::-1], path[::-1]
    return all(expected in ("*", label) for expected, label in zip(path, namespace, strict=False))


def matches_filter(value: Mapping[str, Any], expected: Mapping[str, Any] | None) -> bool:
    """Whether a value passes a filter; what can't be compared does not."""
    return all(_matches_value(value.get(name), expected_value) for name, expected_value in (expected or {}).items())


def _matches_value(value: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        conditions = cast("dict[str, Any]", expected)
        if any(name.startswith("$") for name in conditions):
            return all(_satisfies(value, name, expected_value) for name, expected_value in conditions.items())
        return isinstance(value, dict) and matches_filter(cast("dict[str, Any]", value), conditions)
    if isinstance(expected, list | tuple):
        expected_items = cast("Sequence[Any]", expected)
        items = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else None
        return (
            items is not None and len(items) == len(expected_items) and all(map(_matches_value, items, expected_items))
        )
    return bool(value == expected)


def _satisfies(value: Any, operator: str, expected: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return (value == expected) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise BadInput(f"unknown operator {operator!r}; there are $eq, $ne, $gt, $gte, $lt and $lte")
    try:
        left, right = float(value), float(expected)
    except (TypeError, ValueError):
        return False
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[operator]
