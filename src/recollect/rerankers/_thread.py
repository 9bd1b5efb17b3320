"""Runs a cross-encoder in a thread of its own, where it is also loaded, in the background."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from recollect.core.errors import RerankerError

RETRY_SECONDS = 60.0
"""Until a model that could not be loaded is tried again."""

Score = Callable[[str, Sequence[str]], list[float]]


class ThreadReranker:
    """One thread: searches at the same time take turns, and one that stopped waiting is left out."""

    def __init__(self, name: str, load: Callable[[], Score]) -> None:
        self.name = name
        self._load = load
        self._model: Score | None = None
        self._failure: tuple[float, RerankerError] | None = None
        self._thread = ThreadPoolExecutor(1, "recollect-reranker")
        self._thread.submit(self._ready)  # now, so that the first search need not wait

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._score, question, texts)

    async def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _score(self, question: str, texts: Sequence[str]) -> list[float]:
        model = self._ready()
        try:
            return model(question, texts)
        except BaseException as error:  # the runtime's are not documented, and a tokenizer's panic is no Exception
            raise RerankerError(f"{self.name} failed: {error}") from error

    def _ready(self) -> Score:
        if self._model is not None:
            return self._model
        if self._failure is not None and time.monotonic() - self._failure[0] < RETRY_SECONDS:
            raise self._failure[1]
        try:
            self._model = self._load()
        except BaseException as error:  # file, hub, ONNX and tokenizer each raise their own
            failure = RerankerError(f"{self.name} could not be loaded: {error}")
            self._failure = time.monotonic(), failure
            raise failure from error
        return self._model
