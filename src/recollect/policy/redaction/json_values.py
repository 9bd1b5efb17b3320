"""Redaction of JSON values, where the name of a field may reveal that its value is a secret."""

from typing import Any, cast

from recollect.policy.redaction import redact


def redact_value(value: Any, name: str = "") -> Any:
    """The value with the secrets in its strings redacted; `name` is the field that holds it."""
    match value:
        case str():
            label = f"{name}: " if name else ""
            redacted = redact(label + value).text
            return redacted.removeprefix(label) if redacted.startswith(label) else redact(value).text
        case list() | tuple():
            return [redact_value(item, name) for item in cast("list[Any]", value)]
        case dict():
            pairs = cast("dict[str, Any]", value)
            return {redact(key).text: redact_value(item, key) for key, item in pairs.items()}
        case _:
            return value
