"""Value types of the settings: each parses what a person writes in a variable, a file or a flag.

A parser raises ValueError with a text that says what is accepted; `loading` adds where the value came from.
"""

import math
import re
from pathlib import Path
from typing import Annotated, cast

from recollect import plugins
from recollect.core.errors import ConfigError
from recollect.settings.tree import Adjust, Parse

HAIKU = "anthropic:claude-haiku-4-5"
SHORT_NAMES = {"haiku": HAIKU, "sonnet": "anthropic:claude-sonnet-4-5", "opus": "anthropic:claude-opus-4-5"}
"""Short names of models."""
_YES = {"1", "true", "yes", "on"}
_NO = {"0", "false", "no", "off"}
_NONE_WORDS = {"none", "null", "unlimited"}
_UNIT_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][\w+.-]+:")
_SHARDS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?/(\d{1,6})")
_LOGIN = re.compile(r"//([^:/@\s]*):.*@")
_PASSWORD = re.compile(r"((?:password|passwd|pwd|token|secret|key)=)('[^']*'|[^&\s]+)", re.IGNORECASE)


def flag(raw: object) -> bool:
    word = str(raw).strip().casefold()
    if word in _YES:
        return True
    if word in _NO:
        return False
    raise ValueError("is neither yes nor no; accepted are 1, true, yes, on and 0, false, no, off")


def integer(raw: object) -> int:
    if isinstance(raw, float) and math.isfinite(raw) and raw.is_integer():
        return int(raw)
    if isinstance(raw, bool) or not re.fullmatch(r"[+-]?\d{1,18}", str(raw).strip()):
        raise ValueError("is not a whole number")
    return int(str(raw))


def limit(raw: object) -> int | None:
    if raw is None or str(raw).strip().casefold() in _NONE_WORDS:
        return None
    value = integer(raw)
    if value < 0:
        raise ValueError("is below zero; accepted are whole numbers from 0, or none for no limit")
    return value


def _duration(raw: object, default_unit: str) -> float:
    match = None if isinstance(raw, bool) else _DURATION.fullmatch(str(raw).strip())
    if not match:
        raise ValueError("is not a duration; accepted are numbers such as 30, 30s, 5m and 6h")
    return float(match[1]) * _UNIT_SECONDS[(match[2] or default_unit).lower()]


def seconds(raw: object) -> float:
    return _duration(raw, "s")


def hours(raw: object) -> float:
    return _duration(raw, "h") / 3600


def optional_seconds(raw: object) -> float | None:
    """A duration, or None for `never`; a file may say null, and YAML 1.1 reads a bare `off` as false."""
    is_never = raw is None or raw is False or str(raw).strip().casefold() in (*_NONE_WORDS, "never", "off")
    return None if is_never else seconds(raw)


def words(raw: object) -> tuple[str, ...]:
    """The items of a comma-separated text or a YAML list; `none` is the empty list."""
    if isinstance(raw, list | tuple):
        return tuple(str(word).strip() for word in cast("list[object]", raw))
    parts = [part.strip() for part in str(raw).split(",")]
    return tuple(part for part in parts if part and part.casefold() not in _NONE_WORDS)


def off(raw: object) -> object:
    """YAML 1.1 reads a bare `off` as false."""
    return "off" if raw is False else raw


def text(raw: object) -> str:
    if raw is None or isinstance(raw, dict | list):
        raise ValueError("is not a text")
    return str(raw).strip()


def model_name(raw: object) -> str:
    name = text(raw)
    return SHORT_NAMES.get(name.casefold(), name)


def address(raw: object) -> str:
    """The address of a server; `none` and YAML's null stand for the provider's own."""
    return "" if raw is None or str(raw).strip().casefold() in _NONE_WORDS else text(raw)


def embedder_name(raw: object) -> str:
    """The name with a provider for a bare OpenAI model; YAML's null is the embedder `null`."""
    name = "null" if raw is None else text(raw)
    return f"openai:{name}" if name.startswith("text-embedding-") else name


def reranker_name(raw: object) -> str:
    """A name, or the path of a model; empty for none. YAML 1.1 reads bare `on` and `off` as true and false."""
    if raw is None or isinstance(raw, bool):
        return "on" if raw else ""
    name, word = text(raw), text(raw).casefold()
    if word in _NO or word in _NONE_WORDS:
        return ""
    return "on" if word in _YES else name


def store_url(raw: object) -> str:
    """A URL; a file path becomes an `sqlite:///` URL."""
    url = text(raw)
    if not _SCHEME.match(url):
        url = f"sqlite:///{url}"
    scheme, slashes, path = url.partition(":///")
    return f"{scheme}{slashes}{directory(path)}" if path.startswith("~") else url


def shard(raw: object) -> str:
    """`0/4` is the first of four shards, `0-1/4` the first two; empty for all."""
    spec = text(raw)
    shards_of(spec)
    return spec


def shards_of(spec: str) -> tuple[range, int] | None:
    """The range of shards and the total number of shards; None for an empty specification."""
    if not spec:
        return None
    match = _SHARDS.fullmatch(spec)
    first, last, count = (int(part) for part in (match[1], match[2] or match[1], match[3])) if match else (0, 0, 0)
    if not first <= last < count:
        raise ValueError("is no shard; accepted are a number below how many there are, as 0/4, or several, as 0-1/4")
    return range(first, last + 1), count


def directory(raw: object) -> Path:
    try:
        return Path(text(raw)).expanduser()
    except RuntimeError as error:
        raise ValueError("begins with ~, but there is no such home directory") from error


def clamp(low: int, high: int | None = None) -> Adjust:
    """Limits a number to a range instead of refusing it."""

    def clamp_value(value: int) -> int:
        return max(low, value if high is None else min(high, value))

    return Adjust(clamp_value)


def Plugin(kind: str) -> Adjust:  # noqa: N802 - reads as a type in the model
    """The name of an installed plug-in of this kind."""

    def check_name(name: str) -> str:
        try:
            plugins.find(kind, name)
        except ConfigError:
            *others, last = map(repr, plugins.names(kind))
            raise ValueError(f"is not accepted: it should be {', '.join(others)} or {last}") from None
        return name

    return Adjust(check_name)


def redacted(value: str) -> str:
    """An address without its password, safe to display."""
    return _PASSWORD.sub(r"\1***", _LOGIN.sub(r"//\1:***@", value))


Flag = Annotated[bool, Parse(flag)]
Count = Annotated[int, Parse(integer)]
Limit = Annotated[int | None, Parse(limit)]
Seconds = Annotated[float, Parse(seconds)]
Hours = Annotated[float, Parse(hours)]
OptionalSeconds = Annotated[float | None, Parse(optional_seconds)]
Words = Parse(words)
Off = Parse(off)
Text = Annotated[str, Parse(text)]
Model = Annotated[str, Parse(model_name)]
Address = Annotated[str, Parse(address)]
Embedder = Annotated[str, Parse(embedder_name)]
Reranker = Annotated[str, Parse(reranker_name)]
Shard = Annotated[str, Parse(shard)]
Store = Annotated[str, Parse(store_url)]
Directory = Annotated[Path, Parse(directory)]
