"""The checks of `recollect doctor`; they write nothing, and work whatever is broken."""

import asyncio
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from recollect import plugins
from recollect.app import make_embedders, make_model
from recollect.core import ports
from recollect.core.errors import ConfigError, RecollectError
from recollect.faces.cli.invocation import Invocation
from recollect.settings import Settings
from recollect.settings.wiring import file_of
from recollect.workspace.disk import upgrade_copies

_SYMBOLS = {"ok": "✓", "note": "!", "broken": "✗"}
_ADVICE = {
    "schema": "update recollect: pip install --upgrade recollect",
    "file opens": "check the path and its permissions, or restore a backup",
    "file is a recollect store": "choose another file with --store or RECOLLECT_STORE, or restore a backup",
    "file holds a store": "restore a backup, or start with an empty memory on purpose, as above",
    "file is sound": "keep a copy of the file, then restore a backup",
    "jobs": "see 'recollect log'",
    "server answers": "start the server, or set RECOLLECT_STORE",
    "extension vector": "then run 'recollect doctor' again",
    "locks": "find out whose they are, and end them",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One result; a note is worth knowing but breaks nothing."""

    check: str
    state: Literal["ok", "note", "broken"]
    detail: str = ""
    advice: str = ""

    @property
    def text(self) -> str:
        line = f"{_SYMBOLS[self.state]} {self.check}" + (f": {self.detail}" if self.detail else "")
        return f"{line}\n    → {self.advice}" if self.advice else line


def examine(call: Invocation) -> list[Finding]:
    try:
        loaded = call.load()
    except ConfigError as error:
        return [Finding("settings", "broken", "; ".join(str(error).splitlines()), "correct the value, or take it out")]
    settings = loaded.settings
    missing_keys = [warning for warning in loaded.warnings if warning.endswith(" is not set.")]
    return [
        Finding("settings", "ok", f"profile {settings.profile}"),
        *(Finding("settings", "note", warning) for warning in loaded.warnings if warning not in missing_keys),
        _data_dir(settings.data_dir),
        *_store(settings.store),
        _embedder(settings),
        *_model(settings, missing_keys),
    ]


def _data_dir(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Finding(
            "data folder",
            "broken",
            f"{existing} cannot be written",
            "change its permissions, or set RECOLLECT_DATA_DIR",
        )
    return Finding(
        "data folder", "ok", str(folder) if folder.exists() else f"{folder} will be created with the first memory"
    )


def _store(spec: str) -> Iterator[Finding]:
    path = file_of(spec)
    try:
        examine_store: Callable[[str], list[ports.HealthCheck]] = getattr(
            plugins.find("stores", spec), "examine", lambda _: []
        )
        checks = examine_store(spec)
    except RecollectError as error:
        yield Finding("store", "broken", str(error), "set RECOLLECT_STORE, or use --store")
        return
    if [check.check for check in checks] == ["file exists"]:
        advice = "the first memory creates it: recollect remember I like tea"
        yield Finding("store", "note", f"{path} is not there yet", advice)
        return
    for check in checks:
        advice = "" if check.ok or "recollect reindex" in check.detail else _ADVICE.get(check.check, "restore a backup")
        yield Finding(f"store, {check.check}", "ok" if check.ok else "broken", check.detail, advice)
    for copy in upgrade_copies(path) if path is not None else ():
        detail = f"{copy} holds what the store held before an upgrade, also what was erased since"
        yield Finding(
            "store, earlier copy", "note", detail, f"when all is well, delete it: rm {shlex.quote(str(copy))}"
        )


def _embedder(settings: Settings) -> Finding:
    name = settings.embedder
    try:
        usable = asyncio.run(_usable_embedders(settings))
    except RecollectError as error:
        return Finding("embedder", "broken", f"{name}: {error}", "set RECOLLECT_EMBEDDER; null searches by words only")
    if usable or name == "null":
        return Finding("embedder", "ok", ", ".join(usable) or "null: searching by words only")
    missing = "pip install 'recollect[vectors]', or set RECOLLECT_EMBEDDER=null"
    return Finding("embedder", "note", f"{name} is not installed: searching by words only", missing)


async def _usable_embedders(settings: Settings) -> list[str]:
    """Names of the embedders of the chain that work; a remote one is not contacted."""
    chain = [embedder for embedder in make_embedders(settings) if embedder.name != "null"]
    for embedder in chain:
        try:
            if embedder.local:
                await embedder.embed(["hello"])
        finally:
            await embedder.close()
    return [embedder.name for embedder in chain]


def _model(settings: Settings, missing_keys: Sequence[str]) -> Iterator[Finding]:
    for warning in missing_keys:
        yield Finding("key", "broken", warning, "set it, or choose what works offline: RECOLLECT_MODEL=local")
    if missing_keys:
        return
    models = {
        "model": (settings.model, settings.model_base_url),
        "extraction.model": (settings.extraction.model, settings.extraction.base_url),
        "summary.model": (settings.summary.model, settings.summary.base_url),
    }
    broken = False
    for name, model in models.items():
        try:
            make_model(*model)  # opens and contacts nothing
        except RecollectError as error:
            broken = True
            yield Finding(
                "model", "broken", f"{name}: {error}", "name one as provider:model, or use RECOLLECT_MODEL=local"
            )
    if not broken:
        quality = ": works offline, at lower quality" if settings.model == "local" else ""
        yield Finding("model", "ok", f"{settings.model}{quality}")
