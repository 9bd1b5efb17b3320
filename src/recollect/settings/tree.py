"""What `Settings` is made of: groups of fields with types, frozen once they are built.

Pydantic would do, but each start of a program loads settings, and importing pydantic takes longer than all of that.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin

_BOUNDS: dict[str, tuple[str, Callable[[Any, float], bool]]] = {
    "ge": ("greater than or equal to", lambda value, bound: value >= bound),
    "gt": ("greater than", lambda value, bound: value > bound),
    "le": ("less than or equal to", lambda value, bound: value <= bound),
}


@dataclass(frozen=True, slots=True)
class Parse:
    """Reads what a person wrote, before the type is checked; raises ValueError."""

    function: Callable[[object], object]


@dataclass(frozen=True, slots=True)
class Adjust:
    """Changes or refuses a value of the right type; raises ValueError."""

    function: Callable[[Any], Any]


class Field:
    """One setting: its default, what it does, and the bounds of its value (`ge`, `gt`, `le`)."""

    def __init__(self, default: Any, description: str, *, advanced: bool, repr: bool = True, **bounds: float) -> None:
        self.default, self.description, self.advanced, self.repr = default, description, advanced, repr
        self.bounds = bounds

    def parsed(self, raw: object, annotation: Any) -> Any:
        """The value of what a person wrote; raises ValueError with the reason."""
        steps = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
        value: Any = raw
        for step in steps:
            if isinstance(step, Parse):
                value = step.function(value)
        value = _checked(value, kind_of(annotation))
        for step in steps:
            if isinstance(step, Adjust):
                value = step.function(value)
        for name, bound in self.bounds.items() if value is not None else ():
            text, is_within = _BOUNDS[name]
            if not is_within(value, bound):
                raise ValueError(f"is not accepted: it should be {text} {bound}")
        return value


class InvalidValues(Exception):
    """Values that are not accepted: the name of each, and why."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__(problems)
        self.problems = problems


class Group:
    """Annotated fields, some of which are groups. Instances hold their values and are immutable.

    What is done with a group is a function of this module: a method would share its namespace with settings.
    """

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"settings can't be changed: load others, with another {name}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))

    def __repr__(self) -> str:
        shown = [name for name, _, field in members_of(type(self)) if field is None or field.repr]
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


GroupT = TypeVar("GroupT", bound=Group)


def members_of(kind: type[Group]) -> Iterator[tuple[str, Any, Field | None]]:
    """Name, annotation and field of each member; groups have no field."""
    for name, annotation in kind.__annotations__.items():
        yield name, annotation, getattr(kind, name, None)


def build(kind: type[GroupT], values: Mapping[str, Any]) -> GroupT:
    """The group with these values, of which none may be missing; raises InvalidValues."""
    problems: list[tuple[str, str]] = []
    group = _built(kind, values, "", problems)
    if problems:
        raise InvalidValues(problems)
    return group


def _built(kind: type[GroupT], values: Mapping[str, Any], prefix: str, problems: list[tuple[str, str]]) -> GroupT:
    group = kind()
    for name, annotation, field in members_of(kind):
        value = values[name]
        try:
            if is_group(annotation):
                value = _built(annotation, value, f"{prefix}{name}.", problems)
            group.__dict__[name] = value if field is None else field.parsed(value, annotation)
        except ValueError as error:
            problems.append((prefix + name, str(error)))
    return group


def is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Group)


def kind_of(annotation: Any) -> Any:
    """The type without its annotations."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def choices_of(kind: Any) -> tuple[str, ...]:
    """The values that a type names one by one."""
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(member.value for member in kind)
    return get_args(kind) if get_origin(kind) is Literal else ()


def _checked(value: Any, kind: Any) -> Any:
    """The value, if it has the type; what a `Parse` returns for other types has it already."""
    if choices := choices_of(kind):
        if value not in choices:
            *others, last = map(repr, choices)
            raise ValueError(f"is not accepted: it should be {' or '.join(filter(None, (', '.join(others), last)))}")
        return value if get_origin(kind) is Literal else kind(value)
    if get_origin(kind) is tuple:
        return tuple(_checked(item, get_args(kind)[0]) for item in cast("tuple[Any, ...]", value))
    if kind is float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError("is not accepted: it should be a valid number") from None
    if kind is str and not isinstance(value, str):
        raise ValueError("is not accepted: it should be a valid string")
    return value
