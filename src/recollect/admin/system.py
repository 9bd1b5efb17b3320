"""The installation as the operator sees it: version, settings and where they come from, store, backups, models."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

from recollect import app
from recollect.admin.base import AdminBase
from recollect.core.errors import RecollectError
from recollect.core.version import __version__
from recollect.settings import Row, rows

BACKUPS = "backups"
MODEL_TIMEOUT_SECONDS = 30.0
_MAX_BACKUPS = 20


@dataclass(frozen=True, slots=True)
class Backup:
    name: str
    at: datetime
    size: int


@dataclass(frozen=True, slots=True)
class System:
    """What runs here, and on what."""

    version: str
    profile: str
    store: str
    """Which store, without its password."""
    size: int | None
    """Bytes of its files; None where it is on a server."""
    data_dir: str
    settings: Sequence[Row]
    changed: int
    """How many settings differ from their defaults."""
    warnings: Sequence[str]
    backups: Sequence[Backup]


@dataclass(frozen=True, slots=True)
class ModelTest:
    """The result of one tiny call of a model."""

    name: str
    ok: bool
    text: str


class SystemAdmin(AdminBase):
    async def system(self) -> System:
        """Everything about the installation that needs no call of a model."""
        loaded, settings = self.memory.loaded, self.memory.settings
        listed = rows(loaded)
        store = next((row.value for row in listed if row.name == "store"), "")
        folder = Path(settings.data_dir) / BACKUPS
        return System(
            __version__,
            settings.profile,
            str(store),
            await asyncio.to_thread(_store_size, settings.store),
            str(settings.data_dir),
            listed,
            sum(row.origin != "default" for row in listed),
            loaded.warnings,
            await asyncio.to_thread(_backups, folder),
        )

    async def backup(self) -> Backup:
        """Copy the store now, while it is in use, to the folder where `recollect backup` puts it."""
        settings = self.memory.settings
        kind = "db" if settings.store.startswith("sqlite:") else "dump"
        path = Path(settings.data_dir) / BACKUPS / f"memory-{self._clock():%Y-%m-%d-%H%M%S}.{kind}"
        await self.memory.backup(path)
        return await asyncio.to_thread(_backup, path)

    async def test_models(self) -> list[ModelTest]:
        """Ask each configured model for one word."""
        settings = self.memory.settings
        specs = dict.fromkeys(
            (
                (settings.model, settings.model_base_url),
                (settings.extraction.model, settings.extraction.base_url),
                (settings.summary.model, settings.summary.base_url),
            )
        )
        return [await _test_model(spec, base_url) for spec, base_url in specs]


async def _test_model(spec: str, base_url: str) -> ModelTest:
    started = monotonic()
    try:
        model = app.make_model(spec, base_url)
        try:
            async with asyncio.timeout(MODEL_TIMEOUT_SECONDS):
                answer = await model.summarize(None, "[Ann]: hello", 40)
        finally:
            await model.close()
    except TimeoutError:
        return ModelTest(spec, False, f"no answer within {MODEL_TIMEOUT_SECONDS:.0f} seconds")
    except RecollectError as error:
        return ModelTest(spec, False, str(error))
    seconds = f"{monotonic() - started:.1f} s"
    if not answer.usage.requests:
        return ModelTest(spec, True, "works offline")
    return ModelTest(
        spec, True, f"answered in {seconds}; {answer.usage.input} tokens read, {answer.usage.output} written"
    )


def _store_size(spec: str) -> int | None:
    if not spec.startswith("sqlite:"):
        return None
    path = Path(spec.removeprefix("sqlite:///"))
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _backups(folder: Path) -> list[Backup]:
    if not folder.is_dir():
        return []
    files = [path for path in folder.iterdir() if path.is_file() and path.suffix in (".db", ".dump")]
    return sorted(map(_backup, files), key=lambda backup: backup.at, reverse=True)[:_MAX_BACKUPS]


def _backup(path: Path) -> Backup:
    stat = path.stat()
    return Backup(path.name, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size)
