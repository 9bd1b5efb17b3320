"""A stage whose memory lies in a folder, with files beside it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recollect.testing.models import FakeModel, propose_nothing
from tests import ground
from tests.scenes import Stage, opened


@asynccontextmanager
async def keeping(folder: Path, profile: str = "unified", **settings: object) -> AsyncIterator[Stage]:
    settings = {"data_dir": folder, "model": FakeModel(propose_nothing), "run_worker": True, **settings}
    async with opened(profile, ground.at(folder / "memory.db"), **settings) as stage:
        yield stage


async def written(stage: Stage) -> None:
    """Let everything that is due be done, and the files follow."""
    if stage.memory.worker.is_running:
        await stage.settle()
    await stage.memory.mirror.catch_up()


def kept(folder: Path) -> list[str]:
    """Names of the files in a folder that somebody would see."""
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
