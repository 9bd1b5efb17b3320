"""Put a memory together from settings: the one place where plug-ins are chosen and opened."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from recollect import plugins
from recollect.core.clock import Clock, now
from recollect.core.errors import MissingExtra, RecollectError, StoreUnreachable, StoreUnwritable
from recollect.core.ports import Embedder, EmbedderOptions, Model, ModelOptions, Store, Tx
from recollect.core.ports.jobs import EXTRACT, JOURNAL, REFLECT, SUMMARISE
from recollect.jobs.limits import Calls
from recollect.jobs.priority import Courtesy
from recollect.jobs.worker import Worker
from recollect.learning.consolidate import Dreams
from recollect.learning.extract import Extraction
from recollect.learning.summarize import Summaries
from recollect.memory import PATIENCE, Memory
from recollect.policy.kinds import embedded
from recollect.policy.visibility import Policy
from recollect.privacy.planned import ERASE
from recollect.recall import audience_migration
from recollect.recall.display_names import Names
from recollect.recall.vectors.index import Vectors
from recollect.settings import Loaded, Settings, load, secret, wiring
from recollect.transfer.mirror.daily_log import Journal
from recollect.transfer.mirror.follower import Keeper
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


class Watched:
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


@asynccontextmanager
async def open(
    store: str | None = None,
    *,
    config: Path | None = None,
    clock: Clock = now,
    works: bool = True,
    using: Model | None = None,
    **overrides: Any,
) -> AsyncGenerator[Memory]:
    """Open a memory: `async with recollect.open("sqlite:///memory.db") as memory`.

    Without arguments everything comes from the environment, `recollect.yaml` and the profile; keyword arguments
    override single settings, as in `open(embedder="null", summary={"enabled": False})`. A memory that `works` learns
    in the background, `using` a model of your own if you give one; otherwise that is left to other processes.
    """
    loaded = load(file=config, store=store, **overrides)
    async with open_loaded(loaded, clock, works=works, using=using) as memory:
        yield memory


@asynccontextmanager
async def open_loaded(
    loaded: Loaded, clock: Clock = now, *, works: bool = True, using: Model | None = None
) -> AsyncGenerator[Memory]:
    """Open a memory with settings that are loaded already."""
    for warning in loaded.warnings:
        log.warning(warning)
    settings = loaded.settings
    _keep_folder_private(settings.data_dir)
    ready = partial(_settle_audiences, policy=Policy(settings.privacy), clock=clock)
    store = cast("Store", Watched(plugins.load("stores", settings.store), ready))
    try:
        if settings.search.mirror_words and (mirror := getattr(store, "mirror_words", None)):
            await mirror()
        payload = embedded if settings.embed_evidence else None
        chain, revive = make_embedders(settings), partial(make_embedder, settings=settings)
        vectors = Vectors(store, chain, revive, payload=payload, clock=clock)
        vectors.start()
        try:
            layers = {name: plugins.load("layers", name, settings) for name in settings.layers}
            async with AsyncExitStack() as closing:
                model = partial(_model, closing=closing, made={}, using=using)
                learner = partial(model, settings.extraction.model, settings.extraction.base_url)
                dreams = Dreams(store, learner, wiring.reflection(settings), clock)
                names = Names(settings.bot.name)
                worker = make_worker(store, vectors, settings, clock, model, dreams, names) if works else None
                keeper = Keeper(store, wiring.folders(settings), clock)
                closing.push_async_callback(keeper.close)
                memory = Memory(
                    store, vectors, settings, clock, layers, worker=worker, keeper=keeper, dreams=dreams, names=names
                )
                if works:
                    memory.worker.take_on(ERASE, memory.privacy.erasures)
                    memory.worker.start()
                    keeper.start()
                try:
                    yield memory
                finally:
                    await _close_if_away(store)
                    await keeper.hasten()
                    await memory.close()
        finally:
            await vectors.close()
    finally:
        await store.close()


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


async def _settle_audiences(store: Store, policy: Policy, clock: Clock) -> None:
    """See `recall.audience_migration`."""
    if policy is Policy.USER_GLOBAL:
        await audience_migration.keep_wide(store)
    elif count := await audience_migration.narrow(store, clock()):
        log.warning(NARROWED, f"{count:,} memories" if count != 1 else "1 memory")


async def _close_if_away(store: Store) -> None:
    """Close a store that is away before all that would like to write into it a last time, and would wait for it."""
    try:
        await store.read(lambda tx: tx.generation())
    except StoreUnreachable as error:
        log.warning("closing without the store, nothing acknowledged is lost: %s", error)
        await store.close()
    except RecollectError:
        pass  # whoever needs it hears so


def make_worker(
    store: Store,
    vectors: Vectors,
    settings: Settings,
    clock: Clock,
    model: Callable[[str, str], Model],
    dreams: Dreams,
    names: Names,
) -> Worker:
    """The worker with all that it can do; `model` gives the model of a specification, at the address of its server."""
    embed, courtesy, pace = partial(vectors.of_text, patience=PATIENCE), Courtesy(), wiring.pace(settings)
    calls, asked = Calls(pace.width), model(settings.extraction.model, settings.extraction.base_url)
    floor: Model | None = None
    if asked.name not in (FALLBACK, NO_MODEL):
        floor = plugins.load("models", FALLBACK, ModelOptions())
    learning = Extraction(store, embed, asked, wiring.extraction(settings), clock, courtesy, calls, names, floor)
    writer = model(settings.summary.model, settings.summary.base_url)
    summing = Summaries(store, writer, wiring.form(settings), clock, names)
    journal = Journal(store, settings.memory_dir, settings.ingest.max_chars, clock)
    handlers = {
        EXTRACT: learning,
        SUMMARISE: calls.around(summing),
        JOURNAL: journal,
        REFLECT: calls.around(dreams),
    }
    return Worker(store, handlers, clock, pace, courtesy, calls)


def _model(
    spec: str, base_url: str, closing: AsyncExitStack, made: dict[tuple[str, str], Model], using: Model | None
) -> Model:
    """The one model of a specification and a server, closed with the stack; or the one that was given, for all."""
    if using is not None:
        return using
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
