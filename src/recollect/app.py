"""The composition root: choose and open plug-ins as the settings say.

What learns, consolidates or writes files is loaded with the first job that needs it: opening a store must not wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recollect import learning, plugins
from recollect.core.clock import Clock
from recollect.core.errors import MissingExtra, RecollectError, StoreUnreachable, StoreUnwritable
from recollect.core.loading import load_in_thread
from recollect.core.ports import Embedder, EmbedderOptions, Handler, HasNotice, Layer, Model, ModelOptions, Store, Tx
from recollect.core.ports.jobs import ACKNOWLEDGE, CONSOLIDATE, DAILY_LOG, EXTRACT, RELEARN, SUMMARIZE, Job
from recollect.core.ports.layout import Layout
from recollect.core.ports.reranker import Reranker
from recollect.core.ports.store import SupportsMemoriesFts
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.priority import ForegroundPriority
from recollect.jobs.worker import Worker
from recollect.policy.visibility import VisibilityPolicy
from recollect.recall import audience_migration, identity_migration
from recollect.recall.display_names import Names
from recollect.recall.vectors.index import CORPORA, VectorIndexer
from recollect.settings import Loaded, Settings, secret, wiring
from recollect.transfer.mirror.follower import MirrorWriter
from recollect.workspace.disk import keep_private

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.core.ports import UnitOfWork
    from recollect.learning.consolidate import Consolidator
    from recollect.learning.extract import Extractor
    from recollect.learning.relearn import Relearner

T = TypeVar("T")

log = logging.getLogger("recollect")

FALLBACK_MODEL, NO_MODEL = wiring.OFFLINE_MODELS
"""The model that extracts where the chosen one gives no usable answer, and the one that never learns."""
SPLIT_WARNING = (
    "people are now told apart by their platform. These ids were used on two platforms, and each memory went to the "
    "person of the platform where it was said: %s"
)
NARROWED_WARNING = (
    "%s could be heard everywhere without having been shared, and can now be heard only where it was said; "
    "'recollect share' lets a memory be heard wherever its owner speaks"
)
JOB_KINDS = (ACKNOWLEDGE, EXTRACT, RELEARN, SUMMARIZE, DAILY_LOG, CONSOLIDATE)
OWN_NAMES = frozenset(
    "memory summaries workspace backups reranker tokens.json chat_history ended-sessions context".split()
)
"""Files and folders in the data folder, besides the store."""


class WriteMonitor:
    """Wraps a store: prepares it before the first access, and remembers the last refused write.

    While preparing fails, nothing is read.
    """

    def __init__(self, store: Store, prepare: Callable[[Store], Awaitable[None]]) -> None:
        self._store = store
        self._refusal: StoreUnwritable | None = None
        self._prepare = prepare
        self._is_ready = False
        self._ready_lock = asyncio.Lock()

    async def read(self, work: Callable[[Tx], T]) -> T:
        if not self._is_ready:
            await self._ensure_ready()
        return await self._store.read(work)

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        if not self._is_ready:
            await self._ensure_ready()
        try:
            return await self._store.write(work, background=background)
        except StoreUnwritable as error:
            self._refusal = error
            raise

    async def _ensure_ready(self) -> None:
        # Asked again inside: another caller may have prepared it while this one waited.
        async with self._ready_lock:
            if not self._is_ready:
                await self._prepare(self._store)
                self._is_ready = True

    def refused(self) -> StoreUnwritable | None:
        """The last refused write since the previous call."""
        refusal, self._refusal = self._refusal, None
        return refusal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


@dataclass(frozen=True, slots=True)
class Parts:
    """The opened parts of a memory."""

    store: Store
    write_monitor: WriteMonitor
    """The same store, as the monitor of its refused writes."""
    vectors: VectorIndexer
    reranker: Reranker | None
    settings: Settings
    layers: Mapping[str, Layer]
    layout: Layout
    worker: Worker | None
    """None where other processes do the background work."""
    mirror: MirrorWriter
    consolidator: Callable[[], Consolidator]
    relearner: Callable[[], Relearner]
    names: Names
    learner: str
    """Name of the model that learns."""


@asynccontextmanager
async def open_parts(loaded: Loaded, clock: Clock, run_worker: bool, model: Model | None) -> AsyncGenerator[Parts]:
    """Open everything that the settings name, and close it in reverse order; see `AsyncMemory`."""
    for warning in loaded.warnings:
        log.warning(warning)
    settings = loaded.settings
    _keep_folder_private(settings.data_dir)
    prepare = partial(_migrate, policy=VisibilityPolicy(settings.visibility), clock=clock)
    async with AsyncExitStack() as closing:
        bare_store: Store = plugins.load("stores", settings.store)
        write_monitor = WriteMonitor(bare_store, prepare)
        store = cast("Store", write_monitor)
        # Registered first, so it is closed last: everything below may still write.
        closing.push_async_callback(store.close)
        if settings.compat.memories_fts and isinstance(bare_store, SupportsMemoriesFts):
            with suppress(StoreUnwritable):  # a read-only store keeps what it has
                await bare_store.install_memories_fts()
        payload = None
        if settings.embed_evidence:
            from recollect.policy.kinds import embedding_text as payload
        chain, revive = make_embedders(settings), partial(make_embedder, settings=settings)
        corpora = CORPORA if settings.embed_messages else ("memos",)
        vectors = VectorIndexer(store, chain, revive, payload=payload, corpora=corpora, clock=clock)
        vectors.start()
        closing.push_async_callback(vectors.close)
        if reranker := make_reranker(settings):
            closing.push_async_callback(reranker.close)
        models = partial(_model, closing=closing, models={}, override=model, assistant=settings.discord.name)
        learner = partial(models, settings.extraction.model, settings.extraction.base_url)
        names = Names(settings.discord.name)
        priority, limiter = ForegroundPriority(), ModelLimiter(wiring.worker_options(settings).max_model_calls)

        @cache
        def extractor() -> Extractor:
            return make_extractor(store, vectors, settings, clock, learner(), priority, limiter, names)

        @cache
        def consolidator() -> Consolidator:
            options = wiring.consolidation_options(settings)
            return learning.consolidate.Consolidator(store, learner, options, clock)

        @cache
        def relearner() -> Relearner:
            guilds_only = wiring.schedule(settings, learner_name).guilds_only
            return learning.relearn.Relearner(store, extractor, clock, guilds_only)

        def handlers() -> Mapping[str, Handler]:
            floor = make_floor(store, vectors, settings, clock, learner(), priority, names)
            parts = extractor(), floor, relearner(), consolidator()
            return make_handlers(store, settings, clock, models, *parts, names, limiter)

        learner_name = settings.extraction.model if model is None else model.name
        worker = None
        if run_worker:
            if model is None:
                log.info("model: %s", wiring.describe_models(settings))
            is_offline = {settings.extraction.model, settings.summary.model} <= {*wiring.OFFLINE_MODELS}
            # Problems of a model are reported now, not in the background.
            job_handlers = _made_on_demand(JOB_KINDS, handlers) if model is None and is_offline else handlers()
            worker = Worker(store, job_handlers, clock, wiring.worker_options(settings), priority, limiter)
        mirror = MirrorWriter(store, wiring.mirror_targets(settings), clock)
        closing.push_async_callback(mirror.close)
        yield Parts(
            store=store,
            write_monitor=write_monitor,
            vectors=vectors,
            reranker=reranker,
            settings=settings,
            layers={name: plugins.load("layers", name, settings) for name in settings.layers if settings.enabled},
            layout=plugins.load("layouts", settings.layout),
            worker=worker,
            mirror=mirror,
            consolidator=consolidator,
            relearner=relearner,
            names=names,
            learner=learner_name,
        )


def _keep_folder_private(folder: Path) -> None:
    """Make the data folder private, as the first edition did not, if it contains nothing but our files: people may
    have chosen a folder that they also use for other things.
    """
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return  # missing, or the caller that needs it gets the error
    if all(name in OWN_NAMES or name.startswith("memory.db") for name in names):
        for path in (folder, *(folder / name for name in names if name in OWN_NAMES)):
            keep_private(path)


async def _migrate(store: Store, policy: VisibilityPolicy, clock: Clock) -> None:
    """See `recall.identity_migration` and `recall.audience_migration`."""
    if people := await identity_migration.split(store, clock()):
        log.warning(SPLIT_WARNING, "; ".join(people))
    if policy is VisibilityPolicy.USER_GLOBAL:
        await audience_migration.keep_wide(store)
    elif count := await audience_migration.narrow(store, clock()):
        log.warning(NARROWED_WARNING, f"{count:,} memories" if count != 1 else "1 memory")


async def close_if_unreachable(store: Store) -> None:
    """Close an unreachable store early, so that its users don't wait for a last write."""
    try:
        await store.read(lambda tx: tx.generation())
    except StoreUnreachable as error:
        log.warning("closing without the store, nothing acknowledged is lost: %s", error)
        await store.close()
    except RecollectError:
        pass  # the caller that needs it gets the error


def make_extractor(
    store: Store,
    vectors: VectorIndexer,
    settings: Settings,
    clock: Clock,
    learner: Model,
    priority: ForegroundPriority,
    limiter: ModelLimiter,
    names: Names,
) -> Extractor:
    """Extraction with this model, and with the local one where its answer can't be used."""
    fallback: Model | None = None
    if learner.name not in (FALLBACK_MODEL, NO_MODEL):
        fallback = plugins.load("models", FALLBACK_MODEL, ModelOptions())
    options = wiring.extraction_options(settings)
    return learning.extract.Extractor(
        store, vectors.embed_text, learner, options, clock, priority, limiter, names, fallback
    )


def make_floor(
    store: Store,
    vectors: VectorIndexer,
    settings: Settings,
    clock: Clock,
    learner: Model,
    priority: ForegroundPriority,
    names: Names,
) -> Extractor:
    """The extractor that needs no server: the local model, unless the chosen one is local as well."""
    is_offline = learner.name in (FALLBACK_MODEL, NO_MODEL)
    floor = learner if is_offline else plugins.load("models", FALLBACK_MODEL, ModelOptions())
    return learning.extract.Extractor(
        store, vectors.embed_text, floor, wiring.extraction_options(settings), clock, priority, names=names
    )


def _made_on_demand(kinds: Collection[str], make: Callable[[], Mapping[str, Handler]]) -> dict[str, Handler]:
    """Handlers that are created, in a thread, with the first job."""
    created: dict[str, Handler] = {}
    lock = asyncio.Lock()

    async def handle(kind: str, job: Job) -> UnitOfWork:
        if not created:
            async with lock:
                # A second job may have waited for the lock while the first one made them.
                created.update(created or await load_in_thread(make))
        return await created[kind](job)

    return {kind: partial(handle, kind) for kind in kinds}


def make_handlers(
    store: Store,
    settings: Settings,
    clock: Clock,
    model: Callable[[str, str], Model],
    extractor: Extractor,
    floor: Extractor,
    relearner: Relearner,
    consolidator: Consolidator,
    names: Names,
    limiter: ModelLimiter,
) -> Mapping[str, Handler]:
    """The handlers of all jobs; `model` returns the model for a specification and a base URL."""
    from recollect.transfer.mirror.daily_log import DailyLog

    writer, budget = model(settings.summary.model, settings.summary.base_url), wiring.budget(settings)
    summarizer = learning.summarize.Summarizer(store, writer, wiring.summary_options(settings), clock, names)
    budgeted = learning.budget.Budgeted
    return {
        ACKNOWLEDGE: learning.acknowledge.Acknowledger(floor, clock),
        EXTRACT: budgeted(extractor, store, budget, clock, floor),
        RELEARN: relearner,
        SUMMARIZE: budgeted(limiter.limited(summarizer), store, budget, clock),
        DAILY_LOG: DailyLog(store, settings.mirror.dir, settings.extraction.max_chars, clock, names),
        CONSOLIDATE: limiter.limited(consolidator),
    }


def _model(
    spec: str,
    base_url: str,
    closing: AsyncExitStack,
    models: dict[tuple[str, str], Model],
    override: Model | None,
    assistant: str,
) -> Model:
    """The model for a specification and a base URL, created once and closed with the stack; or the override."""
    if override is not None:
        return override
    key = spec, base_url
    if key not in models:
        models[key] = make_model(*key, assistant)
        closing.push_async_callback(models[key].close)
    return models[key]


def make_model(spec: str, base_url: str, assistant: str = "") -> Model:
    """A model by its name, or as `provider:model`; the local one where its package is not installed."""
    is_plugin = plugins.find_or_none("models", spec) is not None
    options = ModelOptions(base_url, secret, assistant)
    try:
        model: Model = plugins.load("models", spec if is_plugin else f"pydantic_ai:{spec}", options)
    except MissingExtra as error:
        log.warning("%s; learning by simple patterns instead", error)
        model = plugins.load("models", "local", options)
    if isinstance(model, HasNotice):
        log.info(model.notice)
    return model


def make_embedders(settings: Settings) -> list[Embedder]:
    """The configured chain, without embedders whose package is missing; an empty chain means word search only."""
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


def make_reranker(settings: Settings) -> Reranker | None:
    """The configured reranker; None where there is none, or its package is missing."""
    try:
        return load_reranker(settings)
    except MissingExtra as error:
        log.warning("%s; results keep their order", error)
        return None


def load_reranker(settings: Settings) -> Reranker | None:
    """Like `make_reranker`, but raises MissingExtra."""
    spec = settings.rerank
    if spec == "on":
        spec = str(settings.data_dir / "reranker" / "model.onnx")
    if not spec:
        return None
    is_path = ":" not in spec[2:] and (spec.endswith(".onnx") or "/" in spec or "\\" in spec)
    return plugins.load("rerankers", f"onnx:{spec}" if is_path else spec)
