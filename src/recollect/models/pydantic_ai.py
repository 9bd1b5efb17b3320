"""Language models of any provider, through pydantic-ai: `anthropic:claude-haiku-4-5`, `openai:gpt-5-mini`, ….

The key is the provider's variable (ANTHROPIC_API_KEY, OPENAI_API_KEY, …); `model_base_url` names another server, such
as Ollama, vLLM or llama.cpp behind `openai:<model>`, which needs no key. A request has no tools and no session, and
is sent once: the job that caused it is what is tried again. Nothing is imported or opened before the first request.
"""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from recollect.core.errors import ConfigError, MissingExtra, ModelError
from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, ModelOptions, Usage
from recollect.core.types import Memo
from recollect.models import _prompts as prompts
from recollect.models._response_parser import parse_response

if find_spec("pydantic_ai") is None:
    raise MissingExtra("a language model", "llm")

if TYPE_CHECKING:  # importing it takes a second or two: done in a thread, when first needed
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as Client
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

TIMEOUT = 120.0
"""Seconds after which any request is given up; whoever asks may be less patient."""
ANSWER_CHARS = 100_000
"""Of an answer that are read."""
THINKING_TOKENS = 4_000
"""For models that can't be kept from thinking: it counts as output."""
NO_KEY = "none"
"""Sent to a server of one's own when there is no key: clients insist on one."""

_FAMILIES = {"anthropic": "anthropic", "openai": "openai", "openai-chat": "openai", "openai-responses": "openai"}
"""Package, and name of the key, of the providers that come with the extra `llm`."""


class MissingProvider(MissingExtra, ModelError):
    """The package of a provider is not installed."""

    def __init__(self, name: str, message: str) -> None:
        ImportError.__init__(self, f"{name} needs an optional package: {message}")
        self.extra = name


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    usage: Usage
    problems: tuple[str, ...] = ()


class PydanticAIModel:
    def __init__(self, provider: str, model: str, options: ModelOptions, *, timeout: float = TIMEOUT) -> None:
        self.name = f"{provider}:{model}"
        self._provider = provider
        self._model = model
        self._options = options
        self._timeout = timeout
        self._native = True
        """Whether the server takes a JSON schema, as far as is known."""
        self._opened = AsyncExitStack()
        self._client: asyncio.Task[Client] | None = None

    async def extract(self, hearing: ExtractionInput) -> ExtractionResult:
        if not hearing.messages:
            return ExtractionResult()
        return await self._changes(
            prompts.extraction(hearing), hearing.max_proposals, {each.id for each in hearing.messages}
        )

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        return await self._changes(prompts.consolidation(memos), prompts.REFLECTION) if memos else ExtractionResult()

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        return await self._text(prompts.summary(previous, exchange, limit))

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        return await self._text(prompts.shortening(summary, limit))

    async def close(self) -> None:
        """Close the connections; nothing is left open."""
        if self._client is not None:
            await asyncio.wait([self._client])
            self._client.exception()  # seen: nobody may have waited for it
            self._client = None
        await self._opened.aclose()

    async def _changes(
        self, prompt: prompts.Prompt, most: int | None, messages: Collection[str] = frozenset()
    ) -> ExtractionResult:
        """What the model proposes; a message that it was not shown is not named."""
        answer = await self._ask(prompt)
        found = parse_response(answer.text, most)
        proposals = tuple(each if each.message in messages else replace(each, message="") for each in found.proposals)
        problems = (*prompt.problems, *answer.problems, *found.problems)
        flaw = "; ".join((*answer.problems, *found.problems)) if found.flaw else ""
        return replace(found, proposals=proposals, problems=problems, usage=answer.usage, flaw=flaw)

    async def _text(self, prompt: prompts.Prompt) -> GeneratedText:
        answer = await self._ask(prompt)
        return GeneratedText(answer.text.strip(), answer.usage)

    async def _ask(self, prompt: prompts.Prompt) -> _Answer:
        client = await self.client()
        from recollect.models._errors import FAILURES

        try:
            return await self._tried(client, prompt)
        except FAILURES as error:
            # `from None`: what the library says may hold the conversation, and would end up in logs
            raise self.explained(error) from None

    def explained(self, error: Exception) -> ModelError:
        """What went wrong, in words without the conversation; what is not the model's fault is raised as it is."""
        from recollect.models._errors import FAILURES, explained

        if not isinstance(error, FAILURES):
            raise error
        return explained(error, self._server, self.name, self._key_name)

    async def _tried(self, client: "Client", prompt: prompts.Prompt) -> _Answer:
        """Ask once; a server of one's own that may not take schemas is asked again without."""
        from pydantic_ai.exceptions import ModelHTTPError

        native = prompt.structured and self._native and client.profile.get("supports_json_schema_output", False)
        try:
            return self._answer(await self._request(client, prompt, native), 1)
        except ModelHTTPError as error:
            if not (native and self._options.base_url and error.status_code in {400, 422}):
                raise
        answer = self._answer(await self._request(client, prompt, native=False), 2)
        self._native = False
        return answer

    async def _request(self, client: "Client", prompt: prompts.Prompt, native: bool) -> "ModelResponse":
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        return await model_request(
            client,
            [ModelRequest(parts=[UserPromptPart(prompt.data)], instructions=prompt.instructions)],
            model_settings=self._settings(client.profile, prompt.tokens),
            model_request_parameters=_form(native) if prompt.structured else None,
            instrument=False,
        )

    def _answer(self, response: "ModelResponse", requests: int) -> _Answer:
        from recollect.models._errors import refused, strange

        if response.finish_reason == "content_filter":
            raise refused(self._server)
        if not response.parts and response.finish_reason is None:
            raise strange(self._server)
        text = response.text or ""
        problems = [
            *(["the answer was cut off at its limit"] if response.finish_reason == "length" else []),
            *(["the answer was far too long"] if len(text) > ANSWER_CHARS else []),
        ]
        usage = Usage(requests, response.usage.input_tokens, response.usage.output_tokens)
        return _Answer(text[:ANSWER_CHARS], usage, tuple(problems))

    def _settings(self, profile: "ModelProfile", tokens: int) -> "ModelSettings":
        thinks = _must_think(profile)
        settings: dict[str, Any] = {
            "max_tokens": tokens + (THINKING_TOKENS if thinks else 0),
            "timeout": self._timeout,
            "request_timeout": self._timeout,
            "max_retries": 0,
            "thinking": False,
        }
        if not thinks and not profile.get("anthropic_disallows_sampling_settings"):
            settings["temperature"] = 0.0
        if self._api in {"openai", "openai-responses"}:
            settings["openai_store"] = False  # else OpenAI keeps what was said for a month
        return cast("ModelSettings", settings)

    async def client(self) -> "Client":
        """The provider's client, connected when it is first asked for."""
        if self._client is None or (self._client.done() and self._client.exception()):
            self._client = asyncio.create_task(self._connect(), name=f"recollect-{self._provider}")
        return await asyncio.shield(self._client)

    async def _connect(self) -> "Client":
        return await self._opened.enter_async_context(await asyncio.to_thread(self._make))

    def _make(self) -> "Client":
        if self._provider in _FAMILIES and not (self._key or self._options.base_url):
            raise ModelError(
                f"{self.name} needs a key: set {self._key_name}, or model_base_url for a server without one"
            )
        import_module("pydantic_ai.direct")  # for later: here in the thread it holds up nobody
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model

        try:
            return infer_model(f"{self._api}:{self._model}", self._door)
        except ImportError as error:
            raise MissingProvider(self.name, str(error)) from error
        except (UserError, ValueError) as error:
            raise ModelError(f"{self.name} can't be used: {error}") from None

    def _door(self, name: str) -> "Provider[Any]":
        """The provider, with the key and the address that were given, as far as it takes them."""
        from pydantic_ai.providers import infer_provider, infer_provider_class

        key = self._key or (NO_KEY if self._options.base_url else None)
        given = {"api_key": key, "base_url": self._address or None}
        if not any(given.values()) or name.startswith("gateway/"):
            return infer_provider(name)
        kind = infer_provider_class(name)
        taken = signature(kind).parameters
        return kind(**{part: value for part, value in given.items() if value and part in taken})

    @property
    def _api(self) -> str:
        """Compatible servers speak chat completions; only OpenAI itself is sure to speak responses."""
        return "openai-chat" if self._provider == "openai" and self._options.base_url else self._provider

    @property
    def _address(self) -> str:
        """The base URL as the provider's client wants it: Anthropic's adds the version itself."""
        address = self._options.base_url.rstrip("/")
        return address.removesuffix("/v1") if self._provider == "anthropic" else address

    @property
    def _key_name(self) -> str:
        family = _FAMILIES.get(self._provider, self._provider)
        return f"{family.upper().replace('-', '_')}_API_KEY"

    @property
    def _key(self) -> str | None:
        return self._options.secret(self._key_name)

    @property
    def _server(self) -> str:
        """Which server it is, without the password that its address may carry."""
        return urlsplit(self._options.base_url).netloc.rpartition("@")[2] or self._provider


def _form(native: bool) -> "ModelRequestParameters":
    """No tools at all; the answer keeps to a JSON schema, or is told of it in words."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    shape = OutputObjectDefinition(prompts.Changes.model_json_schema(), "changes", strict=True if native else None)
    return ModelRequestParameters(output_mode="native" if native else "prompted", output_object=shape)


def _must_think(profile: "ModelProfile") -> bool:
    """Whether a model thinks before each answer whatever it is told; such models take no temperature."""
    if profile.get("openai_supports_reasoning"):
        return not profile.get("openai_supports_reasoning_effort_none")
    return bool(profile.get("thinking_always_enabled"))


def create(spec: str, options: ModelOptions) -> PydanticAIModel:
    """`pydantic_ai:<provider>:<model>`."""
    provider, _, model = spec.partition(":")[2].partition(":")
    provider, model = provider.strip(), model.strip()
    if not provider or not model:
        raise ConfigError(
            f"a model is named provider:model, as in anthropic:claude-haiku-4-5; not {spec.partition(':')[2]!r}"
        )
    package = _FAMILIES.get(provider)
    if package and find_spec(package) is None:
        raise MissingExtra(f"the model {provider}:{model}", "llm")
    return PydanticAIModel(provider, model, options)
