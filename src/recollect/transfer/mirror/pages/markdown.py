"""One memo as a page of Markdown: front matter that programs read, and the words below it.

Reading makes no object out of YAML, only texts and lists of texts. What is not ours in the front matter, and how a
person laid out the words, stays as it is whenever a page is written again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import yaml

from recollect.core.errors import BadInput
from recollect.core.text import collapse_spaces
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo
from recollect.policy.kinds import CATEGORIES, from_category, from_kind, to_category
from recollect.policy.redaction import Redacted, redact, redact_memo
from recollect.workspace.front_matter import fields, read_audience, read_text, read_words, split_front_matter, time_of

MAX_PAGE_BYTES = 65_536
"""Bytes of a page: more is a document, not something to remember."""
_MAX_TAGS = 100
_OWN_FIELDS = frozenset({"category", "created_at", "keywords", "id", "user", "guild", "kind", "audience", "source"})
_REWRITTEN = _OWN_FIELDS | {"updated_at"}


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
        return redact_memo(self.body)


def parse(data: bytes) -> Page:
    """The page that a file holds; raises BadInput with the reason when it is not one."""
    if len(data) > MAX_PAGE_BYTES:
        raise BadInput(f"it has {len(data):,} bytes; the limit is {MAX_PAGE_BYTES:,}")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise BadInput("it is not a text in UTF-8") from None
    if "\0" in text:
        raise BadInput("it is binary, not a text")
    front_matter, body = split_front_matter(text)
    if not body.strip():
        raise BadInput("it has no text below the front matter" if front_matter is not None else "it is empty")
    return _read(front_matter, body) if front_matter is not None else Page(body)


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
        _dump(named),
        f"updated_at: {_iso(memo.updated)}\n",
        extra if not extra or extra.endswith("\n") else f"{extra}\n",
        "---\n",
        body if body is not None else f"\n{memo.text}\n",
    ]
    return "".join(lines).encode("utf-8", "replace")


def rerender(memo: Memo, before: bytes | None) -> bytes:
    """The page of a memo in place of an earlier one: what a person added to that stays."""
    try:
        page = None if before is None else parse(before)
        if page is None:
            return render(memo)
        same = collapse_spaces(page.words.text) == collapse_spaces(memo.text)
    except BadInput:
        return render(memo)
    return render(memo, page.extra, page.body if same else None)


def loses_edits(before: bytes, after: bytes | None) -> bool:
    """Whether something of a person's own would go with a page: its layout, lines of theirs, a secret."""
    try:
        page = parse(before)
        is_generated = page.body.strip() == collapse_spaces(page.words.text)
        if after is None:
            return bool(page.extra) or not is_generated
        return not is_generated and parse(after).body != page.body
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


def _read(front_matter: str, body: str) -> Page:
    values, extra = fields(front_matter, _OWN_FIELDS, _REWRITTEN)
    category = read_text(values, "category")
    if category is not None and (category := category.lower()) not in CATEGORIES:
        raise BadInput(f"unknown category {category[:40]!r}; use {', '.join(CATEGORIES)}")
    kind = read_text(values, "kind")
    return Page(
        body=body,
        category=category,
        kind=from_kind(kind[:40])[0] if kind else None,
        keywords=_keywords(values),
        created=time_of(values, "created_at"),
        id=read_text(values, "id"),
        user=read_text(values, "user"),
        guild=read_text(values, "guild"),
        audience=read_audience(values),
        extra=extra,
    )


def _keywords(values: Mapping[str, yaml.Node]) -> tuple[str, ...] | None:
    parts = read_words(values, "keywords")
    if parts is None:
        return None
    keywords = dict.fromkeys(collapse_spaces(redact(part).text).lower() for part in parts)
    if len(keywords) > _MAX_TAGS:
        raise BadInput(f"it has {len(keywords)} keywords; the limit is {_MAX_TAGS}")
    return tuple(filter(None, keywords))


def _dump(value: Mapping[str, object]) -> str:
    return yaml.safe_dump(dict(value), sort_keys=False, allow_unicode=True, default_flow_style=None, width=1_000_000)


def _iso(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%S}Z"


def _seconds(time: datetime) -> datetime:
    return time.replace(microsecond=0)
