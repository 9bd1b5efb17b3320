"""Language models of any provider, through pydantic-ai: `anthropic:claude-haiku-4-5`, `openai:gpt-5-mini`, ….

The key is in the provider's variable (ANTHROPIC_API_KEY, OPENAI_API_KEY, …); `model_base_url` names another server,
such as Ollama, vLLM or llama.cpp behind `openai:<model>`, which needs no key. A request has no tools and no session,
and is sent once: jobs are retried, requests are not. Nothing is imported or opened before the first request.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from inspect import signature
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from recollect.core.errors import ConfigError, MissingExtra, ModelError
from recollect.core.loading import load_in_thread
from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, ModelOptions, Proposal, Usage
from recollect.core.types import Kind, Memo
from recollect.language import dates
from recollect.models import _prompts as prompts
from recollect.models._response_parser import parse_response

if find_spec("pydantic_ai") is None:
    raise MissingExtra("a language model", "llm")

if TYPE_CHECKING:  # importing it takes a second or two, so that happens in a thread when first needed
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model as Client
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.providers import Provider
    from pydantic_ai.settings import ModelSettings

REQUEST_TIMEOUT_SECONDS = 120.0
"""When a request is given up; the caller may have a shorter timeout."""
MAX_ANSWER_CHARS = 100_000
"""Characters read of an answer."""
THINKING_TOKENS = 4_000
"""Extra output tokens for models whose thinking can't be turned off: it counts as output."""
PLACEHOLDER_KEY = "none"
"""Sent to a self-hosted server when there is no key: clients require one."""

_BUNDLED_PROVIDERS = {
    "anthropic": "anthropic",
    "openai": "openai",
    "openai-chat": "openai",
    "openai-responses": "openai",
}
"""The package, and the prefix of the key's variable, of the providers that come with the extra `llm`."""


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
    """A model of any provider, which can also hold a conversation (`ChatModel`)."""

    def __init__(
        self, provider: str, model: str, options: ModelOptions, *, timeout: float = REQUEST_TIMEOUT_SECONDS
    ) -> None:
        self.name = f"{provider}:{model}"
        self._provider = provider
        self._model = model
        self._options = options
        self._timeout = timeout
        self._accepts_schema = True
        """Whether the server accepts a JSON schema; assumed until it refuses one."""
        self._exit_stack = AsyncExitStack()
        self._client: asyncio.Task[Client] | None = None

    async def extract(self, extraction_input: ExtractionInput) -> ExtractionResult:
        if not extraction_input.messages:
            return ExtractionResult()
        prompt = prompts.extraction(extraction_input)
        result = await self._request_changes(prompt, extraction_input.max_proposals)
        sent_at = {message.id: message.at for message in extraction_input.messages}
        return replace(result, proposals=tuple(_with_date(proposal, sent_at) for proposal in result.proposals))

    async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
        if not memos:
            return ExtractionResult()
        return await self._request_changes(prompts.consolidation(memos), prompts.MAX_CONSOLIDATION_CHANGES)

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        return await self._request_text(prompts.summary(previous, exchange, limit, self._options.assistant))

    async def shorten(self, summary: str, limit: int) -> GeneratedText:
        return await self._request_text(prompts.shortening(summary, limit))

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await asyncio.wait([self._client])
            self._client.exception()  # marks it as retrieved: it may be that nothing awaited the task
            self._client = None
        await self._exit_stack.aclose()

    async def _request_changes(self, prompt: prompts.Prompt, max_proposals: int | None) -> ExtractionResult:
        """What the model proposes, with real ids, and without those that it was not shown."""
        answer = await self._ask(prompt)
        result = parse_response(answer.text, max_proposals)
        memo_ids, message_ids = _resolver(prompt.memo_ids), _resolver(prompt.message_ids)
        proposals = tuple(
            replace(
                proposal,
                message=message_ids(proposal.message),
                id=memo_ids(proposal.id or "") or None,
                replaces=tuple(memo_id for alias in proposal.replaces if (memo_id := memo_ids(alias))),
            )
            for proposal in result.proposals
        )
        resolved = (replace(row, id=memo_ids(row.id or "") or None) for row in result.retractions)
        retractions = tuple(row for row in resolved if row.id or row.match)
        problems = (*prompt.problems, *answer.problems, *result.problems)
        flaw = "; ".join((*answer.problems, *result.problems)) if result.flaw else ""
        return replace(
            result, proposals=proposals, retractions=retractions, problems=problems, usage=answer.usage, flaw=flaw
        )

    async def _request_text(self, prompt: prompts.Prompt) -> GeneratedText:
        answer = await self._ask(prompt)
        return GeneratedText(answer.text.strip(), answer.usage)

    async def _ask(self, prompt: prompts.Prompt) -> _Answer:
        client = await self.client()
        from recollect.models._errors import FAILURES

        try:
            return await self._try_with_schema(client, prompt)
        except FAILURES as error:
            # `from None`: the library's message may contain the conversation, and would end up in logs
            raise self.explain_error(error) from None

    def explain_error(self, error: Exception) -> ModelError:
        """The error in words without the conversation; re-raises what is not the model's fault."""
        from recollect.models._errors import FAILURES, to_model_error

        if not isinstance(error, FAILURES):
            raise error
        return to_model_error(error, self._server, self.name, self._key_name)

    async def _try_with_schema(self, client: "Client", prompt: prompts.Prompt) -> _Answer:
        """Send the request once; retry without a schema if a self-hosted server seems to refuse it."""
        from pydantic_ai.exceptions import ModelHTTPError

        accepts_schema = self._accepts_schema and client.profile.get("supports_json_schema_output", False)
        with_schema = prompt.schema is not None and accepts_schema
        try:
            return self._read_answer(await self._request(client, prompt, with_schema), 1)
        except ModelHTTPError as error:
            if not (with_schema and self._options.base_url and error.status_code in {400, 422}):
                raise
        answer = self._read_answer(await self._request(client, prompt, with_schema=False), 2)
        self._accepts_schema = False
        return answer

    async def _request(self, client: "Client", prompt: prompts.Prompt, with_schema: bool) -> "ModelResponse":
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, UserPromptPart

        return await model_request(
            client,
            [ModelRequest(parts=[UserPromptPart(prompt.data)], instructions=prompt.instructions)],
            model_settings=self._settings(client.profile, prompt.tokens),
            model_request_parameters=_request_parameters(prompt.schema, with_schema) if prompt.schema else None,
            instrument=False,
        )

    def _read_answer(self, response: "ModelResponse", requests: int) -> _Answer:
        from recollect.models._errors import malformed_answer, request_refused

        if response.finish_reason == "content_filter":
            raise request_refused(self._server)
        if not response.parts and response.finish_reason is None:
            raise malformed_answer(self._server)
        text = response.text or ""
        problems = [
            *(["the answer was cut off at its limit"] if response.finish_reason == "length" else []),
            *(["the answer was far too long"] if len(text) > MAX_ANSWER_CHARS else []),
        ]
        usage = Usage(requests, response.usage.input_tokens, response.usage.output_tokens)
        return _Answer(text[:MAX_ANSWER_CHARS], usage, tuple(problems))

    def _settings(self, profile: "ModelProfile", tokens: int) -> "ModelSettings":
        must_think = _must_think(profile)
        settings: dict[str, Any] = {
            "max_tokens": tokens + (THINKING_TOKENS if must_think else 0),
            "timeout": self._timeout,
            "request_timeout": self._timeout,
            "max_retries": 0,
            "thinking": False,
        }
        if not must_think and not profile.get("anthropic_disallows_sampling_settings"):
            settings["temperature"] = 0.0
        return cast("ModelSettings", {**settings, **self.privacy_settings})

    @property
    def privacy_settings(self) -> Mapping[str, Any]:
        """By default OpenAI stores the conversation for a month; compatible servers may not know the field."""
        return {"openai_store": False} if self._api in {"openai", "openai-responses"} else {}

    async def client(self) -> "Client":
        """The provider's client, connected on first use."""
        if self._client is None or (self._client.done() and self._client.exception()):
            self._client = asyncio.create_task(self._connect(), name=f"recollect-{self._provider}")
        return await asyncio.shield(self._client)

    async def _connect(self) -> "Client":
        return await self._exit_stack.enter_async_context(await load_in_thread(self._make_client))

    def _make_client(self) -> "Client":
        if self._provider in _BUNDLED_PROVIDERS and not (self._key or self._options.base_url):
            raise ModelError(
                f"{self.name} needs a key: set {self._key_name}, or model_base_url for a server without one"
            )
        import_module("pydantic_ai.direct")  # needed later; imported here, in the thread, it blocks no one
        from pydantic_ai.exceptions import UserError
        from pydantic_ai.models import infer_model

        try:
            return infer_model(f"{self._api}:{self._model}", self._make_provider)
        except ImportError as error:
            raise MissingProvider(self.name, str(error)) from error
        except (UserError, ValueError) as error:
            raise ModelError(f"{self.name} can't be used: {error}") from None

    def _make_provider(self, name: str) -> "Provider[Any]":
        """The provider, with the configured key and base URL where its constructor accepts them."""
        from pydantic_ai.providers import infer_provider, infer_provider_class

        key = self._key or (PLACEHOLDER_KEY if self._options.base_url else None)
        arguments = {"api_key": key, "base_url": self._base_url or None}
        if not any(arguments.values()) or name.startswith("gateway/"):
            return infer_provider(name)
        kind = infer_provider_class(name)
        parameters = signature(kind).parameters
        return kind(**{argument: value for argument, value in arguments.items() if value and argument in parameters})

    @property
    def _api(self) -> str:
        """Compatible servers support chat completions; only OpenAI itself is sure to support responses."""
        return "openai-chat" if self._provider == "openai" and self._options.base_url else self._provider

    @property
    def _base_url(self) -> str:
        """The base URL as the provider's client expects it: Anthropic's adds the version itself."""
        base_url = self._options.base_url.rstrip("/")
        return base_url.removesuffix("/v1") if self._provider == "anthropic" else base_url

    @property
    def _key_name(self) -> str:
        family = _BUNDLED_PROVIDERS.get(self._provider, self._provider)
        return f"{family.upper().replace('-', '_')}_API_KEY"

    @property
    def _key(self) -> str | None:
        return self._options.secret(self._key_name)

    @property
    def _server(self) -> str:
        """The server's host, without the credentials that its address may contain."""
        return urlsplit(self._options.base_url).netloc.rpartition("@")[2] or self._provider


def _resolver(ids: Mapping[str, str]) -> Callable[[str], str]:
    """Looks up an alias; a real id stands for itself, and anything else for nothing."""
    known = {**{real: real for real in ids.values()}, **ids}
    return lambda alias: known.get(alias, "")


def _with_date(proposal: Proposal, sent_at: Mapping[str, datetime]) -> Proposal:
    """The date of an event, as its text writes it out: what can be read off is not asked for."""
    if proposal.happened is not None or proposal.kind != Kind.EVENT:
        return proposal
    at = sent_at.get(proposal.message) or next(iter(sent_at.values()))
    date = dates.find(proposal.text, at, ahead=True) or dates.find(proposal.text, at, ahead=False)
    return proposal if date is None else replace(proposal, happened=dates.start_of_day(date.day, at))


def _request_parameters(schema: Mapping[str, Any], with_schema: bool) -> "ModelRequestParameters":
    """No tools; the JSON schema is enforced by the server, or described in the prompt."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    output = OutputObjectDefinition(dict(schema), "changes", strict=True if with_schema else None)
    return ModelRequestParameters(output_mode="native" if with_schema else "prompted", output_object=output)


def _must_think(profile: "ModelProfile") -> bool:
    """Whether the model's thinking can't be turned off; such models accept no temperature."""
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
    package = _BUNDLED_PROVIDERS.get(provider)
    if package and find_spec(package) is None:
        raise MissingExtra(f"the model {provider}:{model}", "llm")
    return PydanticAIModel(provider, model, options)
