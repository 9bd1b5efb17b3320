"""One memo as a page of Markdown: front matter that programs read, and the words below it.

Reading makes no object out of YAML, only texts and lists of texts. What is not ours in the front matter, and how a
person laid out the words, stays as it is whenever a page is written again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import cast

import yaml

from recollect.errors import BadInput
from recollect.kinds import CATEGORIES, from_category, from_kind, to_category
from recollect.redact import Redacted, redact
from recollect.speaking import memorable
from recollect.text import squeeze
from recollect.types import EVERYWHERE, Audience, Kind, Memo

LARGEST = 65_536
"""Bytes of a page: more is a document, not something to remember."""
_MOST_TAGS = 100
_OURS = frozenset({"category", "created_at", "keywords", "id", "user", "guild", "kind", "audience", "source"})
_REWRITTEN = _OURS | {"updated_at"}
_FENCE = re.compile(r"---[ \t]*")
_LEVELS = ("dm", "channel", "guild", "everywhere")
_PLAIN_TAG = re.compile(r"tag:yaml\.org,2002:(?:str|int|float|bool|null|timestamp|seq|map|merge|value)")


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says; None for what it leaves open."""

    body: str
    category: str | None = None
    kind: Kind | None = None
    keywords: tuple[str, ...] | None = None
    created: datetime | None = None
    id: str | None = None
    user: str | None = None
    guild: str | None = None
    audience: Audience | None = None
    extra: str = ""
    """Lines of the front matter that are a person's own."""

    @property
    def words(self) -> Redacted:
        """The words to remember, without secrets; raises BadInput when they can't be."""
        return redact(memorable(self.body))


class _Loader(yaml.SafeLoader):
    """Refuses what lets a few lines stand for endless ones."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType] - untyped in PyYAML
            raise BadInput("its front matter uses an alias, which is not allowed")
        return super().compose_node(parent, index)


def parse(data: bytes) -> Page:
    """The page that a file holds; raises BadInput with the reason when it is not one."""
    if len(data) > LARGEST:
        raise BadInput(f"it has {len(data):,} bytes; the limit is {LARGEST:,}")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadInput("it is not a text in UTF-8") from None
    if "\0" in text:
        raise BadInput("it is binary, not a text")
    head, body = _parted(text)
    if not body.strip():
        raise BadInput("it has no text below the front matter" if head is not None else "it is empty")
    return _read(head, body) if head is not None else Page(body)


def render(memo: Memo, extra: str = "", body: str | None = None) -> bytes:
    """The page of a memo; a `body` is laid out as a person did it."""
    kind, category = memo.kind, to_category(memo.kind)
    named = {
        "keywords": list(memo.tags),
        "id": memo.id,
        **({"guild": memo.subject.guild} if memo.subject.is_lore else {"user": memo.subject.id}),
        **({} if kind == category else {"kind": kind.value}),
        **({} if memo.audience == EVERYWHERE else {"audience": str(memo.audience)}),
        "source": memo.source.origin.value,
    }
    lines = [
        "---\n",
        f"category: {category}\n",
        f"created_at: {_iso(memo.created)}\n",
        _dumped(named),
        f"updated_at: {_iso(memo.updated)}\n",
        extra if not extra or extra.endswith("\n") else f"{extra}\n",
        "---\n",
        body if body is not None else f"\n{memo.text}\n",
    ]
    return "".join(lines).encode("utf-8", "replace")


def again(memo: Memo, before: bytes | None) -> bytes:
    """The page of a memo in place of an earlier one: what a person added to that stays."""
    try:
        page = None if before is None else parse(before)
        if page is None:
            return render(memo)
        same = squeeze(page.words.text) == squeeze(memo.text)
    except BadInput:
        return render(memo)
    return render(memo, page.extra, page.body if same else None)


def loses(before: bytes, after: bytes | None) -> bool:
    """Whether something of a person's own would go with a page: its layout, lines of theirs, a secret."""
    try:
        page = parse(before)
        plain = page.body.strip() == squeeze(page.words.text)
        if after is None:
            return bool(page.extra) or not plain
        return not plain and parse(after).body != page.body
    except BadInput:
        return True


def revised(memo: Memo, page: Page) -> Memo:
    """The memo with what the page says besides its words."""
    kind = kind_of(page, memo.kind)
    created = memo.created if page.created in (None, _seconds(memo.created)) else page.created
    tags = memo.tags if page.keywords is None else page.keywords
    return replace(memo, kind=kind, label=memo.label if kind is memo.kind else kind.value, tags=tags, created=created)


def kind_of(page: Page, before: Kind | None = None) -> Kind:
    """The kind that a page means: the one it names if that is of its category, else the category's own."""
    if before is Kind.LORE:
        return before
    category = page.category or (to_category(before) if before else "fact")
    for kind in (page.kind, before):
        if kind is not None and to_category(kind) == category and kind is not Kind.LORE:
            return kind
    return from_category(category)[0]


def _parted(text: str) -> tuple[str | None, str]:
    """Front matter and body; no front matter where a text doesn't begin with a fence."""
    first, _, rest = text.partition("\n")
    if not _FENCE.fullmatch(first):
        return None, text
    lines = rest.split("\n")
    end = next((number for number, line in enumerate(lines) if _FENCE.fullmatch(line)), None)
    if end is None:
        raise BadInput("its front matter has no end: a line of three dashes is missing")
    return "\n".join(lines[:end]) + "\n" if end else "", "\n".join(lines[end + 1 :])


def _read(head: str, body: str) -> Page:
    values, extra = _fields(head)
    category = _text(values, "category")
    if category is not None and (category := category.lower()) not in CATEGORIES:
        raise BadInput(f"unknown category {category[:40]!r}; use {', '.join(CATEGORIES)}")
    kind = _text(values, "kind")
    return Page(
        body=body,
        category=category,
        kind=from_kind(kind[:40])[0] if kind else None,
        keywords=_keywords(values),
        created=_moment(_text(values, "created_at")),
        id=_text(values, "id"),
        user=_text(values, "user"),
        guild=_text(values, "guild"),
        audience=_audience(_text(values, "audience")),
        extra=extra,
    )


def _fields(head: str) -> tuple[Mapping[str, yaml.Node], str]:
    """Our fields as nodes, and the lines of all others."""
    try:
        root = cast("yaml.Node | None", yaml.compose(head, Loader=_Loader))  # pyright: ignore[reportUnknownMemberType] - untyped in PyYAML
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"its front matter is not YAML: {_reason(error)}") from None
    if root is None:
        return {}, head
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise BadInput("its front matter is not a list of 'name: value' lines")
    _check_tags(root)
    lines = head.split("\n")[:-1]
    starts = [key.start_mark.line for key, _ in root.value] + [len(lines)]
    ours: dict[str, yaml.Node] = {}
    extra = lines[: starts[0]]
    for (key, value), start, end in zip(root.value, starts, starts[1:], strict=False):
        if key.value in _OURS:
            ours[key.value] = value
        if key.value not in _REWRITTEN:
            extra += lines[start:end]
    return ours, "".join(f"{line}\n" for line in extra)


def _check_tags(root: yaml.Node) -> None:
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if not _PLAIN_TAG.fullmatch(node.tag):
            raise BadInput(f"its front matter has the tag {node.tag[:60]!r}, which is not allowed")
        if isinstance(node, yaml.MappingNode):
            nodes += [each for pair in node.value for each in pair]
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value


def _text(values: Mapping[str, yaml.Node], name: str) -> str | None:
    node = values.get(name)
    if node is None:
        return None
    if not isinstance(node, yaml.ScalarNode):
        raise BadInput(f"its {name} is not a text")
    return squeeze(cast("str", node.value)) or None


def _keywords(values: Mapping[str, yaml.Node]) -> tuple[str, ...] | None:
    node = values.get("keywords")
    if node is None:
        return None
    if isinstance(node, yaml.SequenceNode):
        parts = [each.value for each in node.value if isinstance(each, yaml.ScalarNode)]
        if len(parts) < len(node.value):
            raise BadInput("its keywords are not a list of words")
    elif isinstance(node, yaml.ScalarNode):
        parts = cast("str", node.value).split(",")
    else:
        raise BadInput("its keywords are not a list of words")
    found = dict.fromkeys(squeeze(redact(str(part)).text).lower() for part in parts)
    if len(found) > _MOST_TAGS:
        raise BadInput(f"it has {len(found)} keywords; the limit is {_MOST_TAGS}")
    return tuple(filter(None, found))


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
        return _seconds(moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC))
    except (ValueError, OverflowError):
        raise BadInput(f"its created_at {text[:40]!r} is not a time such as 2024-01-15T10:30:00Z") from None


def _audience(text: str | None) -> Audience | None:
    if text is None:
        return None
    audience = Audience.parse(text)
    if audience.level not in _LEVELS or str(audience) != text:
        raise BadInput(f"unknown audience {text[:40]!r}")
    return audience


def _dumped(value: Mapping[str, object]) -> str:
    return yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, default_flow_style=None, width=1_000_000)


def _iso(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"


def _seconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=0)


def _reason(error: Exception) -> str:
    """One line, without what the file says."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"{error.problem} in line {error.problem_mark.line + 2}"
    return "it nests too deeply" if isinstance(error, RecursionError) else "it can't be read"
