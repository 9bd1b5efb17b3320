"""The ports: protocols that plug-ins implement and the rest of the package uses."""

from recollect.core.ports.changes import Changes
from recollect.core.ports.embedder import Embedder, EmbedderOptions
from recollect.core.ports.events import Events
from recollect.core.ports.handler import Handler, PutOff, StaleResult, UnitOfWork
from recollect.core.ports.jobs import Jobs, State
from recollect.core.ports.layer import Layer, PromptRequest, ReadOnlyStore, SearchFunction
from recollect.core.ports.model import (
    ChatModel,
    ExtractionInput,
    ExtractionResult,
    GeneratedText,
    HasNotice,
    KnowsLanguages,
    Model,
    ModelOptions,
    Proposal,
    Retraction,
    Usage,
)
from recollect.core.ports.search import Corpus, CorpusSample, Filters, HealthCheck, Vector, VectorSet, WordHit
from recollect.core.ports.store import Exchanges, Memos, Messages, Progress, SearchIndex, Store, Summaries, Tx

__all__ = [
    "Changes",
    "ChatModel",
    "Corpus",
    "CorpusSample",
    "Embedder",
    "EmbedderOptions",
    "Events",
    "Exchanges",
    "ExtractionInput",
    "ExtractionResult",
    "Filters",
    "GeneratedText",
    "Handler",
    "HasNotice",
    "HealthCheck",
    "Jobs",
    "KnowsLanguages",
    "Layer",
    "Memos",
    "Messages",
    "Model",
    "ModelOptions",
    "Progress",
    "PromptRequest",
    "Proposal",
    "PutOff",
    "ReadOnlyStore",
    "Retraction",
    "SearchFunction",
    "SearchIndex",
    "StaleResult",
    "State",
    "Store",
    "Summaries",
    "Tx",
    "UnitOfWork",
    "Usage",
    "Vector",
    "VectorSet",
    "WordHit",
]
