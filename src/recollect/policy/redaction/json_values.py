"""Secrets out of a value of JSON: a field's name may say that what it holds is one."""

from typing import Any, cast

from recollect.policy.redaction import redact


def redact_value(value: Any, name: str = "") -> Any:
    """The same value with no secret in any text of it; `name` is the field that it stands in."""
    match value:
        case str():
            label = f"{name}: " if name else ""
            found = redact(label + value).text
            return found.removeprefix(label) if found.startswith(label) else redact(value).text
        case list() | tuple():
            return [redact_value(each, name) for each in cast("list[Any]", value)]
        case dict():
            pairs = cast("dict[str, Any]", value)
            return {redact(key).text: redact_value(each, key) for key, each in pairs.items()}
        case _:
            return value
