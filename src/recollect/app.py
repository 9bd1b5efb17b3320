"""Put a memory together from settings: the one place where plug-ins are chosen and opened."""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from recollect import plugins, rules
from recollect.calls import Calls
from recollect.clock import Clock, now
from recollect.courtesy import Courtesy
from recollect.dream import Dreams
from recollect.errors import MissingExtra, RecollectError, StoreUnreachable, StoreUnwritable
from recollect.extraction import Extraction
from recollect.files import Journal, Keeper
from recollect.kinds import embedded
from recollect.memory import PATIENCE, Memory
from recollect.names import Names
from recollect.ports import Embedder, EmbedderOptions, Model, ModelOptions, Store, Tx
from recollect.privacy import ERASE
from recollect.settings import Loaded, Settings, load, secret
from recollect.summaries import Summaries
from recollect.triggers import EXTRACT, JOURNAL, REFLECT, SUMMARISE
from recollect.vectors import Vectors
from recollect.worker import Worker

T = TypeVar("T")

log = logging.getLogger("recollect")

FALLBACK, NO_MODEL = "local", "null"
"""The model that learns where the chosen one only babbles, and the one that means to learn nothing."""


class Watched:
    """A store, and what it last said when it had no space or no right to write: all writes of a process pass here."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._refusal: StoreUnwritable | None = None

    async def write(self, work: Callable[[Tx], T], *, patient: bool = False) -> T:
        try:
            return await self._store.write(work, patient=patient)
        except StoreUnwritable as error:
            self._refusal = error
            raise

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
    store = cast("Store", Watched(plugins.load("stores", settings.store)))
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
                dreams = Dreams(store, learner, rules.reflection(settings), clock)
                names = Names(settings.bot.name)
                worker = make_worker(store, vectors, settings, clock, model, dreams, names) if works else None
                keeper = Keeper(store, rules.folders(settings), clock)
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
    embed, courtesy, pace = partial(vectors.of_text, patience=PATIENCE), Courtesy(), rules.pace(settings)
    calls, asked = Calls(pace.width), model(settings.extraction.model, settings.extraction.base_url)
    floor: Model | None = None
    if asked.name not in (FALLBACK, NO_MODEL):
        floor = plugins.load("models", FALLBACK, ModelOptions())
    learning = Extraction(store, embed, asked, rules.extraction(settings), clock, courtesy, calls, names, floor)
    writer = model(settings.summary.model, settings.summary.base_url)
    summing = Summaries(store, writer, rules.form(settings), clock, names)
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
