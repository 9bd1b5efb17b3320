"""Value types of the settings: each turns what a person writes in a variable, a file or a flag into a value.

A parser raises ValueError with words that say what is accepted; `loading` adds where the value came from.
"""

import math
import re
from pathlib import Path
from typing import Annotated, cast

from pydantic import AfterValidator, BeforeValidator

from recollect import plugins
from recollect.core.errors import ConfigError

HAIKU = "anthropic:claude-haiku-4-5"
_MODELS = {"haiku": HAIKU, "sonnet": "anthropic:claude-sonnet-4-5", "opus": "anthropic:claude-opus-4-5"}
"""Models that have a short name."""
_YES = {"1", "true", "yes", "on"}
_NO = {"0", "false", "no", "off"}
_NOTHING = {"none", "null", "unlimited"}
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
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


def whole(raw: object) -> int:
    if isinstance(raw, float) and math.isfinite(raw) and raw.is_integer():
        return int(raw)
    if isinstance(raw, bool) or not re.fullmatch(r"[+-]?\d{1,18}", str(raw).strip()):
        raise ValueError("is not a whole number")
    return int(str(raw))


def limit(raw: object) -> int | None:
    if raw is None or str(raw).strip().casefold() in _NOTHING:
        return None
    number = whole(raw)
    if number < 0:
        raise ValueError("is below zero; accepted are whole numbers from 0, or none for no limit")
    return number


def _duration(raw: object, default_unit: str) -> float:
    found = None if isinstance(raw, bool) else _DURATION.fullmatch(str(raw).strip())
    if not found:
        raise ValueError("is not a duration; accepted are numbers such as 30, 30s, 5m and 6h")
    return float(found[1]) * _UNITS[(found[2] or default_unit).lower()]


def seconds(raw: object) -> float:
    return _duration(raw, "s")


def hours(raw: object) -> float:
    return _duration(raw, "h") / 3600


def patience(raw: object) -> float | None:
    """A time to wait, or `never`; a file may say null, and YAML 1.1 reads a bare `off` as false."""
    never = raw is None or raw is False or str(raw).strip().casefold() in (*_NOTHING, "never", "off")
    return None if never else seconds(raw)


def words(raw: object) -> tuple[str, ...]:
    """A comma-separated text or a YAML list; `none` is the empty list."""
    if isinstance(raw, list | tuple):
        return tuple(str(word).strip() for word in cast("list[object]", raw))
    parts = [part.strip() for part in str(raw).split(",")]
    return tuple(part for part in parts if part and part.casefold() not in _NOTHING)


def off(raw: object) -> object:
    """YAML 1.1 reads a bare `off` as false."""
    return "off" if raw is False else raw


def text(raw: object) -> str:
    if raw is None or isinstance(raw, dict | list):
        raise ValueError("is not a text")
    return str(raw).strip()


def model_name(raw: object) -> str:
    name = text(raw)
    return _MODELS.get(name.casefold(), name)


def address(raw: object) -> str:
    """The address of a server; `none` is the provider's own, and so is YAML's null."""
    return "" if raw is None or str(raw).strip().casefold() in _NOTHING else text(raw)


def embedder_name(raw: object) -> str:
    """A bare OpenAI model name gets its provider; YAML's null is the embedder `null`."""
    name = "null" if raw is None else text(raw)
    return f"openai:{name}" if name.startswith("text-embedding-") else name


def store_url(raw: object) -> str:
    """A plain file path becomes an `sqlite:///` address."""
    address = text(raw)
    if not _SCHEME.match(address):
        address = f"sqlite:///{address}"
    scheme, slashes, path = address.partition(":///")
    return f"{scheme}{slashes}{directory(path)}" if path.startswith("~") else address


def shard(raw: object) -> str:
    """`0/4` is the first of four shards, `0-1/4` the first two; empty for all."""
    written = text(raw)
    shards_of(written)
    return written


def shards_of(written: str) -> tuple[range, int] | None:
    """The numbers of the shards, and how many there are; None when nothing is said."""
    if not written:
        return None
    found = _SHARDS.fullmatch(written)
    first, last, count = (int(part) for part in (found[1], found[2] or found[1], found[3])) if found else (0, 0, 0)
    if not first <= last < count:
        raise ValueError("is no shard; accepted are a number below how many there are, as 0/4, or several, as 0-1/4")
    return range(first, last + 1), count


def directory(raw: object) -> Path:
    try:
        return Path(text(raw)).expanduser()
    except RuntimeError as error:
        raise ValueError("begins with ~, but there is no such home directory") from error


def clamp(low: int, high: int | None = None) -> AfterValidator:
    def clamped(number: int) -> int:
        return max(low, number if high is None else min(high, number))

    return AfterValidator(clamped)


def Plugin(kind: str) -> AfterValidator:  # noqa: N802 - reads as a type in the model
    """The name of a plug-in of this kind that can be found, ours or somebody else's."""

    def known(name: str) -> str:
        try:
            plugins.find(kind, name)
        except ConfigError:
            *others, last = map(repr, plugins.names(kind))
            raise ValueError(f"is not accepted: it should be {', '.join(others)} or {last}") from None
        return name

    return AfterValidator(known)


def redacted(value: str) -> str:
    """An address without its password, fit to be shown."""
    return _PASSWORD.sub(r"\1***", _LOGIN.sub(r"//\1:***@", value))


Flag = Annotated[bool, BeforeValidator(flag)]
Count = Annotated[int, BeforeValidator(whole)]
Limit = Annotated[int | None, BeforeValidator(limit)]
Seconds = Annotated[float, BeforeValidator(seconds)]
Hours = Annotated[float, BeforeValidator(hours)]
Patience = Annotated[float | None, BeforeValidator(patience)]
Words = BeforeValidator(words)
Off = BeforeValidator(off)
Text = Annotated[str, BeforeValidator(text)]
Model = Annotated[str, BeforeValidator(model_name)]
Address = Annotated[str, BeforeValidator(address)]
Embedder = Annotated[str, BeforeValidator(embedder_name)]
Shard = Annotated[str, BeforeValidator(shard)]
Store = Annotated[str, BeforeValidator(store_url)]
Directory = Annotated[Path, BeforeValidator(directory)]
