"""A memory whose memos lie as pages in a folder, and somebody who edits them."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from recollect.settings import wiring
from recollect.transfer.mirror.pages.sync import PageSync, Report
from recollect.transfer.mirror.pages.watch import Watch
from tests.scenes import Stage
from tests.transfer.mirror.keeping import keeping


class Desk:
    """Whoever sits before the folder."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        self.memory = stage.memory
        self.folder = folder

    @property
    def pages(self) -> list[str]:
        """Everything that lies in the folder, by name."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def read(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")

    def write(self, name: str, text: str | bytes, at: datetime | None = None) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        moment = (at or self.stage.clock()).timestamp()
        os.utime(path, (moment, moment))

    def edit(self, name: str, old: str, new: str, at: datetime | None = None) -> None:
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new), at)

    def delete(self, name: str) -> None:
        (self.folder / name).unlink()

    async def keep(self) -> None:
        """Let the pages follow the store."""
        await self.memory.mirror.catch_up()

    def index(self, user: str = "ann") -> PageSync:
        settings = self.memory.settings
        terms = wiring.page_sync_options(settings, user)
        embed = partial(self.memory.vectors.embed_text, timeout=10.0)
        return PageSync(self.memory.store, wiring.page_paths(settings), embed, terms, self.stage.clock)

    def watch(self) -> Watch:
        return Watch(self.index(), wiring.page_paths(self.memory.settings))

    async def take_over(self, user: str = "ann", *, dry_run: bool = False, force: bool = False) -> Report:
        """As `recollect sync-files` does it."""
        self.stage.clock.advance(minutes=1)
        if not dry_run:
            await self.keep()
        report = await self.index(user).run(dry_run=dry_run, force=force)
        if not dry_run:
            await self.keep()
        return report


def told(report: Report) -> list[tuple[str, str]]:
    return [(note.outcome, note.path) for note in report.notes]


@asynccontextmanager
async def filing(data: Path, profile: str = "devclaw", **settings: object) -> AsyncIterator[Desk]:
    settings = {"run_worker": False, "embedder": "null", **settings}
    async with keeping(data, profile, **settings) as stage:
        yield Desk(stage, data / "memory")
