"""The front matter of a Markdown page: lines of YAML between two fences, before the body.

Reading yields only strings and lists of strings; every error says in one line what is wrong.
"""

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import cast

import yaml

from recollect.core.errors import BadInput
from recollect.core.text import collapse_spaces
from recollect.core.types import Audience, AudienceLevel

_FENCE = re.compile(r"---[ \t]*")
_PLAIN_TAG = re.compile(r"tag:yaml\.org,2002:(?:str|int|float|bool|null|timestamp|seq|map|merge|value)")


class _Loader(yaml.SafeLoader):
    """Refuses aliases, with which a few lines can expand endlessly."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType] - untyped in PyYAML
            raise BadInput("its front matter uses an alias, which is not allowed")
        return super().compose_node(parent, index)


def split_front_matter(text: str) -> tuple[str | None, str]:
    """Front matter and body; the front matter is None if the text doesn't begin with a fence."""
    first, _, remaining = text.partition("\n")
    if not _FENCE.fullmatch(first):
        return None, text
    lines = remaining.split("\n")
    end = next((index for index, line in enumerate(lines) if _FENCE.fullmatch(line)), None)
    if end is None:
        raise BadInput("its front matter has no end: a line of three dashes is missing")
    return "\n".join(lines[:end]) + "\n" if end else "", "\n".join(lines[end + 1 :])


def fields(header: str, ours: Collection[str], dropped: Collection[str] = ()) -> tuple[Mapping[str, yaml.Node], str]:
    """Our fields as nodes, and the lines of all others except those `dropped`."""
    root = _compose(header)
    if root is None:
        return {}, header
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise BadInput("its front matter is not a list of 'name: value' lines")
    _check_tags(root)
    lines = header.split("\n")[:-1]
    starts = [key.start_mark.line for key, _ in root.value] + [len(lines)]
    values: dict[str, yaml.Node] = {}
    extra = lines[: starts[0]]
    for (key, value), start, end in zip(root.value, starts, starts[1:], strict=False):
        if key.value in ours:
            values[key.value] = value
        elif key.value not in dropped:
            extra += lines[start:end]
    return values, "".join(f"{line}\n" for line in extra)


def read_text(values: Mapping[str, yaml.Node], name: str) -> str | None:
    """The value of a field as one line; None if it is missing or empty."""
    node = values.get(name)
    if node is None:
        return None
    if not isinstance(node, yaml.ScalarNode):
        raise BadInput(f"its {name} is not a text")
    return collapse_spaces(cast("str", node.value)) or None


def read_audience(values: Mapping[str, yaml.Node]) -> Audience | None:
    text = read_text(values, "audience")
    if text is None:
        return None
    audience = Audience.parse(text)
    if not isinstance(audience.level, AudienceLevel) or str(audience) != text:
        raise BadInput(f"unknown audience {text[:40]!r}")
    return audience


def read_words(values: Mapping[str, yaml.Node], name: str) -> list[str] | None:
    """The words of a list or of a comma-separated text; None if the field is missing."""
    node = values.get(name)
    if node is None:
        return None
    if isinstance(node, yaml.ScalarNode):
        return cast("str", node.value).split(",")
    parts = [str(item.value) for item in node.value if isinstance(item, yaml.ScalarNode)]
    if not isinstance(node, yaml.SequenceNode) or len(parts) < len(node.value):
        raise BadInput(f"its {name} are not a list of words")
    return parts


def time_of(values: Mapping[str, yaml.Node], name: str) -> datetime | None:
    """A time in UTC, to the second; a naive one is taken as UTC."""
    text = read_text(values, name)
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"its {name} {text[:40]!r} is not a time such as 2024-01-15T10:30:00Z") from None
    return time.replace(microsecond=0)


def _compose(header: str) -> yaml.Node | None:
    try:
        return cast("yaml.Node | None", yaml.compose(header, Loader=_Loader))  # pyright: ignore[reportUnknownMemberType] - untyped in PyYAML
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"its front matter is not YAML: {_reason(error)}") from None


def _check_tags(root: yaml.Node) -> None:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if not _PLAIN_TAG.fullmatch(node.tag):
            raise BadInput(f"its front matter has the tag {node.tag[:60]!r}, which is not allowed")
        if isinstance(node, yaml.MappingNode):
            nodes += [child for pair in node.value for child in pair]
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value


def _reason(error: Exception) -> str:
    """One line, without content of the file."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"{error.problem} in line {error.problem_mark.line + 2}"
    return "it nests too deeply" if isinstance(error, RecursionError) else "it can't be read"
