"""Merges the sources into `Settings`, recording the origin of each value.

The only module that reads the process environment.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from recollect.core.errors import ConfigError
from recollect.settings import sources
from recollect.settings.catalog import ALIASES, CONFIG_VARIABLE, SECRETS, nearest
from recollect.settings.model import Settings
from recollect.settings.origins import DEFAULT, is_from_profile, locate
from recollect.settings.sources import Layer
from recollect.settings.tree import InvalidValues, build
from recollect.settings.values import HAIKU, SHORT_NAMES, embedder_name, redacted

DEFAULT_FILE = Path("recollect.yaml")
_KEY_OF = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_CHEAP = {
    "anthropic": HAIKU,
    "openai": "openai:gpt-5-mini",
    "openai-chat": "openai-chat:gpt-5-mini",
    "openai-responses": "openai-responses:gpt-5-mini",
    "google": "google:gemini-2.5-flash",
    "google-gla": "google-gla:gemini-2.5-flash",
}
"""The cheap model of a provider, for learning and summaries."""
_CHEAP_WORDS = ("haiku", "mini", "nano", "flash", "lite", "small")
"""What a provider calls its cheap models."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, the origin of each by dotted name, and warnings for the operator."""

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    missing_keys: tuple[str, ...] = ()
    """The warnings about missing keys of models."""


def load(env: Mapping[str, str] | None = None, file: Path | None = None, **overrides: Any) -> Loaded:
    """Settings by precedence: arguments, environment, YAML file, profile, default."""
    process, env = env is None, os.environ if env is None else env
    path = _config_path(env, file)
    data = sources.read_file(path)
    held = _keys_in_file(data, path)
    if process:
        provide_keys(held)
    keys = frozenset(name for name in SECRETS if name in held or secret(name, env))
    values = _merge(env, sources.config_file(data, path) if path else {}, overrides)
    _resolve_folders(values)
    models = _resolve_models(values, keys)
    warnings = [*sources.unknown_variables(env), *sources.renamed(env, data), *models]
    warnings += _offline_embedder(values, keys)
    if held and path is not None and path.stat().st_mode & 0o077:
        warnings.append(f"{path} holds a key, and others can read it: chmod 600 {path}")
    settings = _validate(values, keys)
    origins = {name: origin for name, (_, origin) in values.items()}
    missing_keys = tuple(_missing_keys(settings))
    return Loaded(settings, origins, (*warnings, *missing_keys), missing_keys)


def secret(name: str, env: Mapping[str, str] | None = None) -> str | None:
    """The value of a key, read on demand and never stored."""
    if name not in SECRETS:
        raise ConfigError(f"{name} is not a known key; did you mean {nearest(name, SECRETS)}?")
    env = os.environ if env is None else env
    values = (env.get(variable, "").strip() for variable in (name, *ALIASES.secrets.get(name, ())))
    return next(filter(None, values), None)


def _merge(env: Mapping[str, str], file: Layer, overrides: Mapping[str, Any]) -> Layer:
    ordinary, fallback = sources.variables(env)
    explicit = file | ordinary | sources.arguments(overrides)
    name, origin = explicit.get("profile", ("unified", DEFAULT))
    values = sources.defaults() | sources.profile(str(name)) | fallback | explicit
    return values | {"profile": (name, origin)}


def provide_keys(keys: Mapping[str, str]) -> None:
    """Let the libraries of providers find these keys, unless the environment has others."""
    for name, value in keys.items():
        os.environ.setdefault(name, value)


def _keys_in_file(data: dict[str, Any], path: Path | None) -> dict[str, str]:
    """Remove the keys from a file's data and return them, by the names of their variables."""
    table: Any = data.pop("keys", None) or {}
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: keys is a table, such as keys: {{ANTHROPIC_API_KEY: …}}")
    held = cast("dict[str, Any]", table)
    for name in held:
        if name not in SECRETS:
            raise ConfigError(f"{path}: keys: {name} is not a known key; did you mean {nearest(str(name), SECRETS)}?")
    return {name: str(value).strip() for name, value in held.items() if str(value or "").strip()}


def config_path(file: Path | None = None) -> Path:
    """The file of settings, whether it is there or not."""
    return _config_path(os.environ, file) or DEFAULT_FILE


def _config_path(env: Mapping[str, str], file: Path | None) -> Path | None:
    if file:
        return file
    if path := env.get(CONFIG_VARIABLE, "").strip():
        return Path(path)
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def _resolve_folders(values: Layer) -> None:
    data_dir = str(values["data_dir"][0])
    for name, (value, origin) in values.items():
        if isinstance(value, str) and "{data_dir}" in value:
            values[name] = (value.replace("{data_dir}", data_dir), origin)


def _resolve_models(values: Layer, keys: frozenset[str]) -> list[str]:
    """Resolve, in place, `auto` and the short names of models; returns notes about what they stand for."""
    notes: list[str] = []
    server = values["model_base_url"][0]
    main = _named(values, "model", "local", bool(server), keys, notes)
    if main == "auto":
        main = HAIKU if "ANTHROPIC_API_KEY" in keys else "local"
    values["model"] = (main, values["model"][1])
    for group in ("extraction", "summary"):
        address, origin = values[f"{group}.base_url"]
        if address == "auto":
            values[f"{group}.base_url"] = (server, origin)
        has_server = bool(values[f"{group}.base_url"][0])
        cheap = main if has_server else _cheap(str(main))
        model = _named(values, f"{group}.model", cheap, has_server, keys, notes)
        values[f"{group}.model"] = (cheap if model == "auto" else model, values[f"{group}.model"][1])
    return notes


def _named(values: Layer, name: str, cheap: str, has_server: bool, keys: frozenset[str], notes: list[str]) -> Any:
    """The model that a setting names; `haiku` is the cheap model at hand where there is no key for Anthropic's."""
    value, origin = values[name]
    word = str(value).strip().casefold()
    if word not in SHORT_NAMES:
        return value
    if "ANTHROPIC_API_KEY" in keys or (has_server and (name == "model" or word != "haiku")):
        return SHORT_NAMES[word]
    if word != "haiku":
        raise ConfigError(
            f"{locate(origin, name)}={value!r} is {SHORT_NAMES[word]}, but ANTHROPIC_API_KEY is not set; "
            "set it, or name another model as provider:model"
        )
    if name == "model" and "OPENAI_API_KEY" in keys:
        cheap = _CHEAP["openai"]
    notes.append(f"{name} is haiku; without ANTHROPIC_API_KEY that is {cheap} here.")
    return cheap


def _cheap(model: str) -> str:
    """The cheap model of the same provider; the model itself if it is one, or none is known."""
    provider, _, name = model.partition(":")
    return model if any(word in name for word in _CHEAP_WORDS) else _CHEAP.get(provider, model)


def _offline_embedder(values: Layer, keys: frozenset[str]) -> list[str]:
    """Replace a profile's embedder if its key is missing, to allow an offline start; an explicit one is kept."""
    requested, origin = values["embedder"]
    if not is_from_profile(origin) or not isinstance(requested, str):
        return []
    key = _missing_key(embedder_name(requested), values["embedder_base_url"][0], keys)
    if not key:
        return []
    values["embedder"] = ("static", f"{origin}, without {key}")
    return [f"{origin} asks for the embedder {requested}; without {key} the embedder static is used."]


def _missing_keys(settings: Settings) -> list[str]:
    """Warnings about models whose key is not set."""
    models = {
        "model": (settings.model, settings.model_base_url),
        "extraction.model": (settings.extraction.model, settings.extraction.base_url),
        "summary.model": (settings.summary.model, settings.summary.base_url),
        "embedder": (settings.embedder, settings.embedder_base_url),
    }
    missing = {name: _missing_key(*model, settings.keys) for name, model in models.items()}
    return [f"{name} is {models[name][0]}, but {key} is not set." for name, key in missing.items() if key]


def _missing_key(spec: str, base_url: Any, keys: frozenset[str]) -> str | None:
    required = _KEY_OF.get(spec.partition(":")[0])
    return None if base_url or required in keys else required


def _validate(values: Layer, keys: frozenset[str]) -> Settings:
    tree: dict[str, Any] = {"keys": keys}
    for name, (value, _) in values.items():
        group, dot, leaf = name.rpartition(".")
        (tree.setdefault(group, {}) if dot else tree)[leaf] = value
    try:
        return build(Settings, tree)
    except InvalidValues as error:
        raise ConfigError("\n".join(_describe(name, why, values) for name, why in error.problems)) from None


def _describe(name: str, why: str, values: Layer) -> str:
    value, origin = values[name]
    return f"{locate(origin, name)}={redacted(str(value))!r} {why}"
