"""Namespaces of a LangGraph store: whose memory one names, and what a caller's conditions and filters let pass."""

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
    """All of the form `template`, in which one label stands for the user; more labels may follow."""

    template: Namespace

    def __post_init__(self) -> None:
        if self.template.count(USER) != 1:
            raise BadInput(f"the namespace has to have one label {USER!r}, as in ('memories', {USER!r})")

    def owner(self, namespace: Namespace) -> tuple[str, Namespace] | None:
        """Whose it is, and the labels below; None when it is not one of ours."""
        size = len(self.template)
        if len(namespace) < size or not self.leads_to(namespace[:size]):
            return None
        user = _plain(namespace[self.template.index(USER)])
        return None if user == LORE or not user.strip() else (user, namespace[size:])

    def leads_to(self, namespace: Namespace) -> bool:
        """Whether some of ours begin like this."""
        return all(want in (USER, label) for want, label in zip(self.template, namespace, strict=False))

    def name(self, user: str, path: Namespace = ()) -> Namespace:
        return tuple(_label(user) if label == USER else label for label in self.template) + path

    def __str__(self) -> str:
        return f"({', '.join(repr(label) for label in self.template)}, …)"


def _label(user: str) -> str:
    """A user's id as a label, which may have no period."""
    return user.replace("%", "%25").replace(".", "%2E")


def _plain(label: str) -> str:
    return label.replace("%2E", ".").replace("%25", "%")


def fits_all(namespace: Namespace, conditions: Collection[Condition]) -> bool:
    return all(_fits(namespace, kind, path) for kind, path in conditions)


def may_lead_to(namespace: Namespace, conditions: Collection[Condition]) -> bool:
    """Whether something below this namespace may fit, as far as the beginnings tell."""
    starts = [path[: len(namespace)] for kind, path in conditions if kind == "prefix"]
    return all(_fits(namespace, "prefix", start) for start in starts)


def _fits(namespace: Namespace, kind: str, path: Sequence[str]) -> bool:
    if len(namespace) < len(path):
        return False
    if kind == "suffix":
        namespace, path = namespace[::-1], path[::-1]
    return all(want in ("*", label) for want, label in zip(path, namespace, strict=False))


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Whether a value has what a filter asks for; what can't be compared does not."""
    return all(_agrees(value.get(name), each) for name, each in (wanted or {}).items())


def _agrees(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        asked = cast("dict[str, Any]", wanted)
        if any(name.startswith("$") for name in asked):
            return all(_compares(value, name, each) for name, each in asked.items())
        return isinstance(value, dict) and passes(cast("dict[str, Any]", value), asked)
    if isinstance(wanted, list | tuple):
        row = cast("Sequence[Any]", wanted)
        have = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else None
        return have is not None and len(have) == len(row) and all(map(_agrees, have, row))
    return bool(value == wanted)


def _compares(value: Any, operator: str, wanted: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return (value == wanted) is (operator == "$eq")
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise BadInput(f"unknown operator {operator!r}; there are $eq, $ne, $gt, $gte, $lt and $lte")
    try:
        left, right = float(value), float(wanted)
    except (TypeError, ValueError):
        return False
    return {"$gt": left > right, "$gte": left >= right, "$lt": left < right, "$lte": left <= right}[operator]
