"""An opened memory as the source of exports, and as the target of imports and of edited files."""

from collections.abc import AsyncIterator, Sequence

from recollect.core.ports.format import Canonical, Owner, Vectors
from recollect.core.types import Memo
from recollect.engine import Engine
from recollect.learning import ingest
from recollect.privacy.target import ErasureTarget
from recollect.settings import wiring
from recollect.transfer.exporting import iter_export, vectors
from recollect.transfer.importing.limits import Limits
from recollect.transfer.importing.run import Destination
from recollect.transfer.mirror.pages.sync import PageSync
from recollect.workspace import Workspace


async def export_records(engine: Engine, target: ErasureTarget) -> AsyncIterator[Canonical]:
    """Everything canonical about a person or a guild, in the order of `iter_export`."""
    async for record in iter_export(engine.store, target, await engine.privacy.memos(target)):
        yield record


async def export_vectors(engine: Engine, memos: Sequence[Memo]) -> Vectors:
    """The vectors of memos, for formats that have a place for them."""
    return await vectors(engine.store, memos)


def import_destination(engine: Engine, actor: str, owner: Owner) -> Destination:
    """A memory as the destination of an import; pages go to their owner's folder of the workspace."""
    settings = engine.settings

    def workspace(user: str | None) -> Workspace:
        user_or_owner = user or (owner.user or actor if settings.workspace.per_user else None)
        return Workspace(settings.workspace.dir, user_or_owner)

    return Destination(
        store=engine.store,
        actor=actor,
        limits=Limits(wiring.memo_limits(settings), wiring.memo_limits(settings, lore=True)),
        model=engine.vectors.model,
        workspace=workspace,
        add_message=lambda tx, message: ingest.add_message(tx, message, engine.clock()),
        max_message_chars=ingest.MAX_MESSAGE_CHARS,
    )


def page_sync(engine: Engine, actor: str) -> PageSync:
    """Takes over what people edited in the files that follow the store."""
    paths, options = wiring.page_paths(engine.settings), wiring.page_sync_options(engine.settings, actor)
    return PageSync(engine.store, paths, engine.vectors.embed_text, options, engine.clock)
