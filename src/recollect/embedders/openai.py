"""Vectors from OpenAI, or from any server with a compatible API: Ollama, vLLM, llama.cpp, ….

`openai:text-embedding-3-small` by default; the server is `embedder_base_url`, the key OPENAI_API_KEY. Texts are sent
in batches; transient errors (429, 5xx, a lost connection) are retried with backoff, all others raise EmbedderError at
once. No message contains the key: the answer to an invalid key is not quoted.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from recollect.core.errors import EmbedderError, MissingExtra
from recollect.core.loading import load_in_thread
from recollect.core.ports import EmbedderOptions, Vector

if find_spec("openai") is None:
    raise MissingExtra("the embedder 'openai'", "llm")
if find_spec("numpy") is None:
    raise MissingExtra("the embedder 'openai'", "vectors")

from recollect.embedders._isolate import TextsRefused, embed_with_isolation
from recollect.embedders._response import parse_vectors
from recollect.embedders._vectors import zero_vector

if TYPE_CHECKING:  # importing it takes half a second, so that happens in a thread when first needed
    from openai import APIStatusError, AsyncOpenAI

DEFAULT_MODEL = "text-embedding-3-small"
DEFAULT_BASE_URL = "https://api.openai.com/v1"
KEY_NAME = "OPENAI_API_KEY"
BATCH_SIZE = 100
MAX_TEXT_BYTES = 8_000
"""Bytes sent of one text: no text of that size exceeds the 8,191 tokens that OpenAI accepts."""
BLANK_TEXT = "."
"""Sent in place of an empty text, which servers refuse; its vector is not used."""
REQUEST_TIMEOUT_SECONDS = 30.0
RETRY_DELAYS_SECONDS = (0.5, 1.0, 2.0)
MAX_RETRY_DELAY_SECONDS = 20.0
"""A server that asks for a longer delay is not retried here: the texts are embedded in the background later."""

Sleep = Callable[[float], Awaitable[None]]


class OpenAIEmbedder:
    local = False

    def __init__(
        self,
        model: str,
        options: EmbedderOptions,
        *,
        timeout: float = REQUEST_TIMEOUT_SECONDS,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._options = options
        self._timeout = timeout
        self._sleep = sleep
        self._client: asyncio.Task[AsyncOpenAI] | None = None
        self._dims: int | None = None

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text; raises EmbedderError if any of them is missing."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH_SIZE):
            batch = texts[start : start + BATCH_SIZE]
            try:
                vectors += await self._embed_batch(batch)
            except EmbedderError as error:
                if len(texts) <= BATCH_SIZE:
                    raise
                batch_range = f"texts {start + 1} to {start + len(batch)} of {len(texts)}"
                raise EmbedderError(f"{batch_range} were not embedded: {error}") from error
        return vectors

    async def close(self) -> None:
        if self._client is not None:
            await asyncio.wait([self._client])
            if not self._client.exception():
                await self._client.result().close()

    async def _embed_batch(self, texts: Sequence[str]) -> list[Vector]:
        clipped = [_clip(text) for text in texts]
        vectors = await embed_with_isolation(self._request, [text or BLANK_TEXT for text in clipped])
        return [
            vector if text else zero_vector(len(vector) // 4) for text, vector in zip(clipped, vectors, strict=True)
        ]

    async def _request(self, texts: Sequence[str]) -> list[Vector]:
        """One request, with retries."""
        for delay in RETRY_DELAYS_SECONDS:
            try:
                return await self._send(texts)
            except _TransientError as error:
                if error.retry_after > MAX_RETRY_DELAY_SECONDS:
                    raise
                await self._sleep(max(delay, error.retry_after))
        try:
            return await self._send(texts)
        except _ServerError as error:  # persistent: perhaps because of the texts, as some servers fail on long ones
            raise TextsRefused(str(error)) from error

    async def _send(self, texts: Sequence[str]) -> list[Vector]:
        import openai

        client = await self._get_client()
        try:
            answer = await client.embeddings.with_raw_response.create(
                input=list(texts), model=self._model, encoding_format="float"
            )
        except openai.APIStatusError as error:
            self._raise_for_status(error)
        except openai.APITimeoutError as error:
            raise _TransientError(f"{self._server} did not answer within {self._timeout:g} s") from error
        except openai.APIConnectionError as error:
            raise _TransientError(f"{self._server} can't be reached: {error.__cause__ or error}") from error
        return self._check_dims(await asyncio.to_thread(parse_vectors, answer.content, len(texts)))

    def _raise_for_status(self, error: "APIStatusError") -> NoReturn:
        """Raise the error that fits the answer's status."""
        status = error.status_code
        if status in {401, 403}:
            raise EmbedderError(f"{self._server} answered {status}: is {KEY_NAME} set to a valid key?") from None
        answer = f"{self._server} answered {status}: {self._without_key(str(error.message))}"
        if status == 404:
            raise EmbedderError(f"{answer} (is there a model {self._model!r}?)") from None
        if status >= 500:
            raise _ServerError(answer, _retry_after(error.response.headers)) from None
        if status in {408, 409, 429} and error.code != "insufficient_quota":
            raise _TransientError(answer, _retry_after(error.response.headers)) from None
        raise (TextsRefused if status in {400, 413, 422} else EmbedderError)(answer) from None

    def _check_dims(self, vectors: list[Vector]) -> list[Vector]:
        dims = len(vectors[0]) // 4
        if self._dims not in {None, dims}:
            raise EmbedderError(f"{self._server} gave vectors of {dims} numbers, and of {self._dims} before")
        self._dims = dims
        return vectors

    async def _get_client(self) -> "AsyncOpenAI":
        if self._client is None or (self._client.done() and self._client.exception()):
            self._client = asyncio.create_task(load_in_thread(self._connect), name="recollect-openai")
        return await asyncio.shield(self._client)

    def _connect(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        key = self._options.secret(KEY_NAME)
        if not key and not self._options.base_url:
            raise EmbedderError(
                f"{self.name} needs a key: set {KEY_NAME}, or embedder_base_url for a server without one"
            )
        base_url = self._options.base_url or DEFAULT_BASE_URL
        return AsyncOpenAI(api_key=key or "none", base_url=base_url, timeout=self._timeout, max_retries=0)

    @property
    def _server(self) -> str:
        """The server's host, without the credentials that its address may contain."""
        return urlsplit(self._options.base_url or DEFAULT_BASE_URL).netloc.rpartition("@")[2]

    def _without_key(self, text: str) -> str:
        key = self._options.secret(KEY_NAME)
        return (text.replace(key, "***") if key else text)[:300]


class _TransientError(EmbedderError):
    """An error that may go away; the server may say after how many seconds."""

    def __init__(self, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class _ServerError(_TransientError):
    """An answer with a status of 500 or above."""


def _retry_after(headers: Mapping[str, str]) -> float:
    """The value of Retry-After, if it is a number of seconds."""
    seconds = headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() else 0.0


def _clip(text: str) -> str:
    """The part of a text that is sent; characters are not split."""
    return text.encode("utf-8", "replace")[:MAX_TEXT_BYTES].decode("utf-8", "ignore").strip()


def create(spec: str, options: EmbedderOptions) -> OpenAIEmbedder:
    return OpenAIEmbedder(spec.partition(":")[2].strip() or DEFAULT_MODEL, options)
