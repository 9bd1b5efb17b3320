"""A memory that things are brought to, and taken out of again."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import recollect
from recollect import AsyncMemory
from recollect.core.ports.format import Entry, Format, Item, Owner
from recollect.core.types import Memo, Origin, Provenance, Subject
from recollect.policy.visibility import VisibilityPolicy
from recollect.privacy.target import ErasureTarget
from recollect.testing.clock import START, FakeClock
from recollect.transfer.exporting import iter_export
from recollect.transfer.formats.jsonl import header, line
from recollect.transfer.importing.convert import ImportOptions
from recollect.transfer.importing.report import Report
from recollect.transfer.importing.run import run_import
from recollect.transfers import import_destination
from tests import ground
from tests.transfer.forms import recognise

ANN = Owner("ann")


@asynccontextmanager
async def opened(folder: Path, clock: FakeClock | None = None, **settings: Any) -> AsyncIterator[AsyncMemory]:
    settings = {"embedder": "null", "data_dir": folder / "data", **settings}
    path = folder / "memory.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    async with recollect.AsyncMemory(
        ground.at(path), clock=clock or FakeClock(), run_worker=False, **settings
    ) as memory:
        yield memory


async def import_(
    memory: AsyncMemory,
    what: Path | Iterable[Item],
    form: Format | None = None,
    owner: Owner = ANN,
    *,
    everywhere: bool = False,
    dry_run: bool = False,
    at: datetime = START,
) -> Report:
    """Import a file or folder, recognised unless its format is given; or items as if read from one."""
    name = "test"
    if isinstance(what, Path):
        form = form or recognise(what)
        name, what = form.name, form.read(what, owner)
    terms = ImportOptions(name, at, everywhere, VisibilityPolicy(memory.settings.visibility))
    return await run_import(import_destination(memory.engine, "root", owner), what, terms, dry_run=dry_run)


async def export(memory: AsyncMemory, target: ErasureTarget) -> bytes:
    """All of someone as JSON lines."""
    found = iter_export(memory.store, target, await memory.privacy.memos(target))
    shared = memory.settings.visibility != VisibilityPolicy.USER_GLOBAL
    return header() + b"".join([line(one, shared=shared) async for one in found])


async def memos_of(memory: AsyncMemory, user: str = "ann") -> dict[str, Memo]:
    """A user's memos of any status, by their text."""
    found = await memory.store.read(lambda tx: tx.memos.list(Subject(user)))
    return {memo.text: memo for memo in found}


async def state(memory: AsyncMemory) -> list[object]:
    """Everything that an import may change, to be compared."""

    def read(tx: Any) -> list[object]:
        memos = [memo for subject in tx.memos.subjects() for memo in tx.memos.list(subject)]
        summaries = [tx.summaries.history(session, 100) for session in tx.summaries.sessions()]
        return [memos, summaries, tx.events.list(limit=10_000)]

    return await memory.store.read(read)


def entry(text: str, **more: Any) -> Entry:
    """Something that ann knows, read at a line of a file."""
    given = {"location": "line 1", "user": "ann", "guild": None, "kind": None, "source": Provenance(Origin.IMPORT)}
    return Entry(**{**given, "text": text, **more})
