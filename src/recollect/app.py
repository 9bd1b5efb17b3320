"""Put a memory together from settings: the one place where plug-ins are chosen and opened."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from recollect import plugins
from recollect.core.clock import Clock
from recollect.core.errors import MissingExtra, RecollectError, StoreUnreachable, StoreUnwritable
from recollect.core.ports import Embedder, EmbedderOptions, Layer, Model, ModelOptions, Store, Tx
from recollect.core.ports.jobs import CONSOLIDATE, DAILY_LOG, EXTRACT, SUMMARIZE
from recollect.core.ports.layout import Layout
from recollect.core.ports.store import SupportsMemoriesFts
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.priority import ForegroundPriority
from recollect.jobs.worker import Worker
from recollect.learning.consolidate import Consolidator
from recollect.learning.extract import Extractor
from recollect.learning.summarize import Summarizer
from recollect.policy.kinds import embedded
from recollect.policy.visibility import VisibilityPolicy
from recollect.recall import audience_migration
from recollect.recall.display_names import Names
from recollect.recall.vectors.index import VectorIndexer
from recollect.settings import Loaded, Settings, secret, wiring
from recollect.transfer.mirror.daily_log import DailyLog
from recollect.transfer.mirror.follower import MirrorWriter
from recollect.workspace.disk import keep_private

T = TypeVar("T")

log = logging.getLogger("recollect")

FALLBACK, NO_MODEL = "local", "null"
"""The model that learns where the chosen one only babbles, and the one that means to learn nothing."""
NARROWED = (
    "%s could be heard everywhere without having been shared, and can now be heard only where it was said; "
    "'recollect share' lets a memory be heard wherever its owner speaks"
)
OWN_NAMES = frozenset("memory summaries workspace backups tokens.json chat_history ended-sessions context".split())
"""What lies in the folder of everything that is stored, besides the store."""


class WriteMonitor:
    """A store, and what it last said when it had no space or no right to write: all that a process reads and writes
    passes here. Before the first of it the store is made ready; while that fails, nothing is read.
    """

    def __init__(self, store: Store, make_ready: Callable[[Store], Awaitable[None]]) -> None:
        self._store = store
        self._refusal: StoreUnwritable | None = None
        self._make_ready = make_ready
        self._is_ready = False
        self._making = asyncio.Lock()

    async def read(self, work: Callable[[Tx], T]) -> T:
        if not self._is_ready:
            await self._ready()
        return await self._store.read(work)

    async def write(self, work: Callable[[Tx], T], *, patient: bool = False) -> T:
        if not self._is_ready:
            await self._ready()
        try:
            return await self._store.write(work, patient=patient)
        except StoreUnwritable as error:
            self._refusal = error
            raise

    async def _ready(self) -> None:
        async with self._making:
            if not self._is_ready:
                await self._make_ready(self._store)
                self._is_ready = True

    def refused(self) -> StoreUnwritable | None:
        """Why a write failed since somebody last asked."""
        refusal, self._refusal = self._refusal, None
        return refusal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is made of."""

    store: Store
    write_monitor: WriteMonitor
    """The same store, as what tells of writes that it refused."""
    vectors: VectorIndexer
    settings: Settings
    layers: Mapping[str, Layer]
    layout: Layout
    worker: Worker | None
    """None where learning is left to other processes."""
    mirror: MirrorWriter
    consolidator: Consolidator
    names: Names


@asynccontextmanager
async def open_parts(loaded: Loaded, clock: Clock, run_worker: bool, model: Model | None) -> AsyncGenerator[Parts]:
    """Open everything that the settings name, and close it in the reverse order; see `AsyncMemory`."""
    for warning in loaded.warnings:
        log.warning(warning)
    settings = loaded.settings
    _keep_folder_private(settings.data_dir)
    prepare = partial(_migrate_audiences, policy=VisibilityPolicy(settings.visibility), clock=clock)
    async with AsyncExitStack() as closing:
        bare_store: Store = plugins.load("stores", settings.store)
        write_monitor = WriteMonitor(bare_store, prepare)
        store = cast("Store", write_monitor)
        closing.push_async_callback(store.close)
        if settings.compat.memories_fts and isinstance(bare_store, SupportsMemoriesFts):
            await bare_store.install_memories_fts()
        payload = embedded if settings.embed_evidence else None
        chain, revive = make_embedders(settings), partial(make_embedder, settings=settings)
        vectors = VectorIndexer(store, chain, revive, payload=payload, clock=clock)
        vectors.start()
        closing.push_async_callback(vectors.close)
        models = partial(_model, closing=closing, made={}, given=model)
        learner = partial(models, settings.extraction.model, settings.extraction.base_url)
        consolidator = Consolidator(store, learner, wiring.consolidation_options(settings), clock)
        names = Names(settings.discord.name)
        mirror = MirrorWriter(store, wiring.mirror_targets(settings), clock)
        closing.push_async_callback(mirror.close)
        yield Parts(
            store=store,
            write_monitor=write_monitor,
            vectors=vectors,
            settings=settings,
            layers={name: plugins.load("layers", name, settings) for name in settings.layers if settings.enabled},
            layout=plugins.load("layouts", settings.layout),
            worker=make_worker(store, vectors, settings, clock, models, consolidator, names) if run_worker else None,
            mirror=mirror,
            consolidator=consolidator,
            names=names,
        )


def _keep_folder_private(folder: Path) -> None:
    """Earlier editions let other users of the machine look into the folder of everything that is stored. It is closed
    to them where nothing lies in it but ours: people may have chosen one that they use for other things as well.
    """
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return  # it isn't there yet, or whoever needs it hears so
    if all(name in OWN_NAMES or name.startswith("memory.db") for name in names):
        for path in (folder, *(folder / name for name in names if name in OWN_NAMES)):
            keep_private(path)


async def _migrate_audiences(store: Store, policy: VisibilityPolicy, clock: Clock) -> None:
    """See `recall.audience_migration`."""
    if policy is VisibilityPolicy.USER_GLOBAL:
        await audience_migration.keep_wide(store)
    elif count := await audience_migration.narrow(store, clock()):
        log.warning(NARROWED, f"{count:,} memories" if count != 1 else "1 memory")


async def close_if_unreachable(store: Store) -> None:
    """Close a store that is away before its users try to write a last time, and would wait for it."""
    try:
        await store.read(lambda tx: tx.generation())
    except StoreUnreachable as error:
        log.warning("closing without the store, nothing acknowledged is lost: %s", error)
        await store.close()
    except RecollectError:
        pass  # whoever needs it hears so


def make_worker(
    store: Store,
    vectors: VectorIndexer,
    settings: Settings,
    clock: Clock,
    model: Callable[[str, str], Model],
    consolidator: Consolidator,
    names: Names,
) -> Worker:
    """The worker with all that it can do; `model` gives the model of a specification, at the address of its server."""
    options, priority = wiring.worker_options(settings), ForegroundPriority()
    limiter = ModelLimiter(options.max_model_calls)
    learner = model(settings.extraction.model, settings.extraction.base_url)
    floor: Model | None = None
    if learner.name not in (FALLBACK, NO_MODEL):
        floor = plugins.load("models", FALLBACK, ModelOptions())
    extractor = Extractor(
        store, vectors.embed_text, learner, wiring.extraction(settings), clock, priority, limiter, names, floor
    )
    writer = model(settings.summary.model, settings.summary.base_url)
    handlers = {
        EXTRACT: extractor,
        SUMMARIZE: limiter.limited(Summarizer(store, writer, wiring.summary_options(settings), clock, names)),
        DAILY_LOG: DailyLog(store, settings.mirror.dir, settings.extraction.max_chars, clock),
        CONSOLIDATE: limiter.limited(consolidator),
    }
    return Worker(store, handlers, clock, options, priority, limiter)


def _model(
    spec: str, base_url: str, closing: AsyncExitStack, made: dict[tuple[str, str], Model], given: Model | None
) -> Model:
    """The one model of a specification and a server, closed with the stack; or the one that was given, for all."""
    if given is not None:
        return given
    name = spec, base_url
    if name not in made:
        made[name] = make_model(*name)
        closing.push_async_callback(made[name].close)
    return made[name]


def make_model(spec: str, base_url: str) -> Model:
    """A model by its name, or as `provider:model`; the local one where its package is not installed."""
    known = spec.partition(":")[0] in plugins.names("models")
    options = ModelOptions(base_url, secret)
    try:
        model: Model = plugins.load("models", spec if known else f"pydantic_ai:{spec}", options)
    except MissingExtra as error:
        log.warning("%s; learning by simple patterns instead", error)
        model = plugins.load("models", "local", options)
    if notice := getattr(model, "notice", None):
        log.info(notice)
    return model


def make_embedders(settings: Settings) -> list[Embedder]:
    """The chain that is asked for, without those whose package is not installed; empty, it searches by words only."""
    chain: list[Embedder] = []
    for spec in filter(None, (part.strip() for part in settings.embedder.split(","))):
        try:
            chain.append(make_embedder(spec, settings))
        except MissingExtra as error:
            log.warning("%s; searching without it", error)
    return chain


def make_embedder(spec: str, settings: Settings) -> Embedder:
    """One embedder by its specification, such as the name of one that made vectors earlier; raises MissingExtra."""
    return plugins.load("embedders", spec, EmbedderOptions(settings.embedder_base_url, secret))
