"""mem0's configuration, that of `from_config`, as settings of recollect: model and embedder, with address and key.

Its vector store, graph and reranker have no counterpart: recollect has its own.
"""

import logging
from collections.abc import Callable, Mapping
from typing import Any, cast

from recollect.core.errors import BadInput
from recollect.inputs import clip_value
from recollect.settings.loading import provide_keys

log = logging.getLogger("recollect")

PROVIDERS = {
    "azure_openai": "azure",
    "azure_openai_structured": "azure",
    "aws_bedrock": "bedrock",
    "gemini": "google",
    "openai_structured": "openai",
}
"""What recollect calls providers that mem0 names otherwise."""
SERVERS = {
    "ollama": "http://localhost:11434/v1",
    "lmstudio": "http://localhost:1234/v1",
    "vllm": "http://localhost:8000/v1",
}
"""Servers that speak OpenAI's protocol, and where they are unless the configuration says so."""
EMBEDDERS = ("openai", "fastembed", *SERVERS)
"""Those that recollect has too; with another one, its own is used."""


def settings_of(config: object, **own: Any) -> dict[str, Any]:
    """Settings of recollect; those under the key `recollect` win, and `own` over them. Raises BadInput."""
    dump: Callable[[], object] | None = getattr(config, "model_dump", None)  # of a MemoryConfig
    if dump is not None:
        config = dump()
    if not isinstance(config, Mapping):
        raise BadInput(f"config= is a dictionary, as mem0's from_config takes it, not {clip_value(config)}")
    parts = cast("Mapping[str, Any]", config)
    settings: dict[str, Any] = {}
    if llm := _named(parts, "llm"):
        model, address = llm
        tasks = {"model": model}  # mem0 learns with the model that is named, not with a smaller one of its provider
        settings |= {"model": model, "extraction": dict(tasks), "summary": dict(tasks)}
        settings |= {"model_base_url": address} if address else {}
    section: Mapping[str, Any] = parts.get("embedder") or {}
    provider = section.get("provider", "openai")
    if (embedder := _named(parts, "embedder")) and provider in EMBEDDERS:
        name, address = embedder
        settings |= {"embedder": name} | ({"embedder_base_url": address} if address else {})
    ignored = sorted(set(parts) - {"recollect", "llm", "embedder", "version"})
    if embedder and provider not in EMBEDDERS:
        ignored.append(f"the embedder {provider}")
    if ignored:
        log.info("mem0's configuration of %s is not needed here", ", ".join(ignored))
    own = {**(parts.get("recollect") or {}), **own}
    if "model" in own:
        settings = {name: value for name, value in settings.items() if name not in ("extraction", "summary")}
    memos: dict[str, Any] = {"max_active": None, **(own.get("memos") or {})}  # mem0 keeps whatever is added
    return settings | own | {"memos": memos}


def _named(config: Mapping[str, Any], part: str) -> tuple[str, str | None] | None:
    """The model that a part of the configuration names, and the address of its server. Its key is handed on."""
    section: Mapping[str, Any] = config.get(part) or {}
    options: Mapping[str, Any] = section.get("config") or {}
    provider, model = str(section.get("provider", "openai")), options.get("model")
    if not model:
        return None
    address: str | None = options.get(f"{provider}_base_url") or options.get("base_url") or SERVERS.get(provider)
    if address and provider in SERVERS and not address.rstrip("/").endswith("/v1"):
        address = f"{address.rstrip('/')}/v1"
    name = "openai" if provider in SERVERS else PROVIDERS.get(provider, provider)
    if (key := options.get("api_key")) and name in ("openai", "anthropic") and provider not in SERVERS:
        provide_keys({f"{name.upper()}_API_KEY": str(key)})
    return f"{name}:{model}", address
