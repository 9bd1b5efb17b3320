"""Put a memory together from settings: the one place where plug-ins are chosen and opened."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from recollect import plugins
from recollect.clock import Clock, now
from recollect.errors import MissingExtra
from recollect.memory import Memory
from recollect.ports import Embedder, EmbedderOptions, Store
from recollect.settings import Loaded, Settings, load, secret
from recollect.vectors import Vectors

log = logging.getLogger("recollect")


@asynccontextmanager
async def open(
    store: str | None = None, *, config: Path | None = None, clock: Clock = now, **overrides: Any
) -> AsyncGenerator[Memory]:
    """Open a memory: `async with recollect.open("sqlite:///memory.db") as memory`.

    Without arguments everything comes from the environment, `recollect.yaml` and the profile; keyword arguments
    override single settings, as in `open(embedder="null", summary={"enabled": False})`.
    """
    loaded = load(file=config, store=store, **overrides)
    async with open_loaded(loaded, clock) as memory:
        yield memory


@asynccontextmanager
async def open_loaded(loaded: Loaded, clock: Clock = now) -> AsyncGenerator[Memory]:
    """Open a memory with settings that are loaded already."""
    for warning in loaded.warnings:
        log.warning(warning)
    settings = loaded.settings
    store: Store = plugins.load("stores", settings.store)
    try:
        vectors = Vectors(store, make_embedders(settings), lambda name: make_embedder(name, settings))
        vectors.start()
        try:
            layers = {name: plugins.load("layers", name, settings) for name in settings.layers}
            memory = Memory(store, vectors, settings, clock, layers)
            try:
                yield memory
            finally:
                await memory.close()
        finally:
            await vectors.close()
    finally:
        await store.close()


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
