"""Vectors from OpenAI, or from any server that speaks its protocol: Ollama, vLLM, llama.cpp, ….

`openai:text-embedding-3-small` by default; the server is `embedder_base_url`, the key OPENAI_API_KEY. Batches of
100, in order; what may pass (429, 5xx, a lost connection) is tried again with growing pauses, the rest is an
EmbedderError at once. The key is in no message: of an answer to a wrong key nothing is repeated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from recollect.core.errors import EmbedderError, MissingExtra
from recollect.core.ports import EmbedderOptions, Vector

if find_spec("openai") is None:
    raise MissingExtra("the embedder 'openai'", "llm")
if find_spec("numpy") is None:
    raise MissingExtra("the embedder 'openai'", "vectors")

from recollect.embedders._isolate import Refused, salvaged
from recollect.embedders._response import vectors_of
from recollect.embedders._vectors import zeros

if TYPE_CHECKING:  # it takes half a second to import: done in a thread, when first needed
    from openai import APIStatusError, AsyncOpenAI

MODEL = "text-embedding-3-small"
ADDRESS = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
BATCH = 100
MAX_BYTES = 8_000
"""Bytes of one text that are sent: no text of that size has more than the 8,191 tokens that OpenAI accepts."""
BLANK = "."
"""Sent instead of an empty text, which servers refuse; its vector is not used."""
TIMEOUT = 30.0
PAUSES = (0.5, 1.0, 2.0)
"""Seconds between tries; a server that asks for more than LONGEST_PAUSE is left to the healer."""
LONGEST_PAUSE = 20.0

Sleep = Callable[[float], Awaitable[None]]


class OpenAIEmbedder:
    local = False

    def __init__(
        self, model: str, options: EmbedderOptions, *, timeout: float = TIMEOUT, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._options = options
        self._timeout = timeout
        self._sleep = sleep
        self._client: asyncio.Task[AsyncOpenAI] | None = None
        self._dims: int | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, or EmbedderError: never a part of them."""
        made: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            try:
                made += await self._embed(batch)
            except EmbedderError as error:
                if len(texts) <= BATCH:
                    raise
                numbers = f"texts {start + 1} to {start + len(batch)} of {len(texts)}"
                raise EmbedderError(f"{numbers} were not embedded: {error}") from error
        return made

    async def close(self) -> None:
        if self._client is not None:
            await asyncio.wait([self._client])
            if not self._client.exception():
                await self._client.result().close()

    async def _embed(self, texts: Sequence[str]) -> list[Vector]:
        short = [_cut(text) for text in texts]
        vectors = await salvaged(self._request, [text or BLANK for text in short])
        return [vector if text else zeros(len(vector) // 4) for text, vector in zip(short, vectors, strict=True)]

    async def _request(self, texts: Sequence[str]) -> list[Vector]:
        """One request, tried again as long as that makes sense."""
        for pause in PAUSES:
            try:
                return await self._try(texts)
            except _MayPass as trouble:
                if trouble.pause > LONGEST_PAUSE:
                    raise
                await self._sleep(max(pause, trouble.pause))
        try:
            return await self._try(texts)
        except _ServerFailed as trouble:  # every time: it may be these texts, some servers fail at long ones
            raise Refused(str(trouble)) from trouble

    async def _try(self, texts: Sequence[str]) -> list[Vector]:
        import openai

        client = await self._connected()
        try:
            answer = await client.embeddings.with_raw_response.create(
                input=list(texts), model=self._model, encoding_format="float"
            )
        except openai.APIStatusError as error:
            self._explain(error)
        except openai.APITimeoutError as error:
            raise _MayPass(f"{self._server} did not answer within {self._timeout:g} s") from error
        except openai.APIConnectionError as error:
            raise _MayPass(f"{self._server} can't be reached: {error.__cause__ or error}") from error
        return self._checked(await asyncio.to_thread(vectors_of, answer.content, len(texts)))

    def _explain(self, error: "APIStatusError") -> NoReturn:
        """Turn an answer that is not 200 into the error that fits."""
        code = error.status_code
        if code in {401, 403}:
            raise EmbedderError(f"{self._server} answered {code}: is {KEY} set to a valid key?") from None
        said = f"{self._server} answered {code}: {self._without_key(str(error.message))}"
        if code == 404:
            raise EmbedderError(f"{said} (is there a model {self._model!r}?)") from None
        if code >= 500:
            raise _ServerFailed(said, _seconds(error.response.headers)) from None
        if code in {408, 409, 429} and error.code != "insufficient_quota":
            raise _MayPass(said, _seconds(error.response.headers)) from None
        raise (Refused if code in {400, 413, 422} else EmbedderError)(said) from None

    def _checked(self, vectors: list[Vector]) -> list[Vector]:
        dims = len(vectors[0]) // 4
        if self._dims not in {None, dims}:
            raise EmbedderError(f"{self._server} gave vectors of {dims} numbers, and of {self._dims} before")
        self._dims = dims
        return vectors

    async def _connected(self) -> "AsyncOpenAI":
        if self._client is None or (self._client.done() and self._client.exception()):
            self._client = asyncio.create_task(asyncio.to_thread(self._connect), name="recollect-openai")
        return await asyncio.shield(self._client)

    def _connect(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        key = self._options.secret(KEY)
        if not key and not self._options.base_url:
            raise EmbedderError(f"{self.name} needs a key: set {KEY}, or embedder_base_url for a server without one")
        address = self._options.base_url or ADDRESS
        return AsyncOpenAI(api_key=key or "none", base_url=address, timeout=self._timeout, max_retries=0)

    @property
    def _server(self) -> str:
        """Which server it is, without the password that its address may carry."""
        return urlsplit(self._options.base_url or ADDRESS).netloc.rpartition("@")[2]

    def _without_key(self, text: str) -> str:
        key = self._options.secret(KEY)
        return (text.replace(key, "***") if key else text)[:300]


class _MayPass(EmbedderError):
    """Trouble that may be over in a moment; the server may say in how many seconds."""

    def __init__(self, message: str, pause: float = 0.0) -> None:
        super().__init__(message)
        self.pause = pause


class _ServerFailed(_MayPass):
    """An answer of 500 or more."""


def _seconds(headers: Mapping[str, str]) -> float:
    """What Retry-After asks for, if it is a number of seconds."""
    asked = headers.get("retry-after", "")
    return float(asked) if asked.isdecimal() else 0.0


def _cut(text: str) -> str:
    """As much of a text as is sent; no half characters."""
    return text.encode("utf-8", "replace")[:MAX_BYTES].decode("utf-8", "ignore").strip()


def create(spec: str, options: EmbedderOptions) -> OpenAIEmbedder:
    return OpenAIEmbedder(spec.partition(":")[2].strip() or MODEL, options)
