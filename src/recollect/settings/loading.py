"""Puts the sources together into `Settings`, remembering for each value where it came from.

The one place of the package that reads the process environment.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from recollect.core.errors import ConfigError
from recollect.settings import sources
from recollect.settings.catalog import ALIASES, CONFIG_VARIABLE, SECRETS, nearest
from recollect.settings.model import Settings
from recollect.settings.sources import Layer
from recollect.settings.values import HAIKU, embedder_name, redacted

DEFAULT_FILE = Path("recollect.yaml")
_KEY_OF = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_MODELS = ("model", "extraction.model", "summary.model")
_SERVERS = ("extraction.base_url", "summary.base_url")


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, the origin of each by dotted name, and what the operator should hear about."""

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def load(env: Mapping[str, str] | None = None, file: Path | None = None, **overrides: Any) -> Loaded:
    """Settings by precedence: arguments, environment, YAML file, profile, default."""
    env = os.environ if env is None else env
    keys = frozenset(name for name in SECRETS if secret(name, env))
    values = _merged(env, file, overrides)
    _settle(values, keys)
    outdated = sources.renamed(env, _config_path(env, file))
    warnings = [*sources.unknown_variables(env), *outdated, *_offline_embedder(values, keys)]
    settings = _validated(values, keys)
    origins = {name: origin for name, (_, origin) in values.items()}
    return Loaded(settings, origins, (*warnings, *_keyless(settings)))


def secret(name: str, env: Mapping[str, str] | None = None) -> str | None:
    """The value of a key, read when it is needed and kept nowhere."""
    if name not in SECRETS:
        raise ConfigError(f"{name} is not a known key; did you mean {nearest(name, SECRETS)}?")
    env = os.environ if env is None else env
    values = (env.get(variable, "").strip() for variable in (name, *ALIASES.secrets.get(name, ())))
    return next(filter(None, values), None)


def _merged(env: Mapping[str, str], file: Path | None, overrides: Mapping[str, Any]) -> Layer:
    firm, weak = sources.variables(env)
    path = _config_path(env, file)
    above = (sources.config_file(path) if path else {}) | firm | sources.arguments(overrides)
    name, origin = above.get("profile", ("unified", "default"))
    values = sources.defaults() | sources.profile(str(name)) | weak | above
    return values | {"profile": (name, origin)}


def _config_path(env: Mapping[str, str], file: Path | None) -> Path | None:
    if file:
        return file
    if named := env.get(CONFIG_VARIABLE, "").strip():
        return Path(named)
    return DEFAULT_FILE if DEFAULT_FILE.exists() else None


def _settle(values: Layer, keys: frozenset[str]) -> None:
    """Replace in place what depends on other values: folders and `auto` models."""
    data_dir = str(values["data_dir"][0])
    for name, (value, origin) in values.items():
        if isinstance(value, str) and "{data_dir}" in value:
            values[name] = (value.replace("{data_dir}", data_dir), origin)
    main: Any = values["model"][0]
    if main == "auto":
        main = HAIKU if "ANTHROPIC_API_KEY" in keys else "local"
    for name in _MODELS:
        if values[name][0] == "auto":
            values[name] = (main, values[name][1])
    for name in _SERVERS:
        if values[name][0] == "auto":
            values[name] = (values["model_base_url"][0], values[name][1])


def _offline_embedder(values: Layer, keys: frozenset[str]) -> list[str]:
    """A profile's embedder must not stop an offline start; one that the operator named is left alone."""
    wanted, origin = values["embedder"]
    if not origin.startswith("profile ") or not isinstance(wanted, str):
        return []
    needs = _missing_key(embedder_name(wanted), values["embedder_base_url"][0], keys)
    if not needs:
        return []
    values["embedder"] = ("static", f"{origin}, without {needs}")
    return [f"{origin} asks for the embedder {wanted}; without {needs} the embedder static is used."]


def _keyless(settings: Settings) -> list[str]:
    models = {
        "model": (settings.model, settings.model_base_url),
        "extraction.model": (settings.extraction.model, settings.extraction.base_url),
        "summary.model": (settings.summary.model, settings.summary.base_url),
        "embedder": (settings.embedder, settings.embedder_base_url),
    }
    missing = {name: _missing_key(*model, settings.keys) for name, model in models.items()}
    return [f"{name} is {models[name][0]}, but {key} is not set." for name, key in missing.items() if key]


def _missing_key(spec: str, base_url: Any, keys: frozenset[str]) -> str | None:
    needs = _KEY_OF.get(spec.partition(":")[0])
    return None if base_url or needs in keys else needs


def _validated(values: Layer, keys: frozenset[str]) -> Settings:
    tree: dict[str, Any] = {"keys": keys}
    for name, (value, _) in values.items():
        group, dot, leaf = name.rpartition(".")
        (tree.setdefault(group, {}) if dot else tree)[leaf] = value
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        raise ConfigError("\n".join(_complaints(error, values))) from None


def _complaints(error: ValidationError, values: Layer) -> list[str]:
    lines: list[str] = []
    for problem in error.errors():
        name = _setting_at(problem["loc"], values)
        value, origin = values[name]
        where = origin.removeprefix("env ") if origin.startswith("env ") else f"{origin}: {name}"
        why = problem.get("ctx", {}).get("error") or f"is not accepted: {problem['msg'].replace('Input', 'it')}"
        lines.append(f"{where}={redacted(str(value))!r} {why}")
    return lines


def _setting_at(loc: tuple[int | str, ...], values: Layer) -> str:
    dotted = ".".join(str(part) for part in loc[:2])
    return dotted if dotted in values else str(loc[0])
