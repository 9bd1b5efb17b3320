"""The seams: what a store, an embedder, a layer and their parts promise. Plug-ins implement these, flows use them."""

from recollect.core.ports.embedder import Embedder, EmbedderOptions
from recollect.core.ports.events import Events
from recollect.core.ports.handler import Handler, Stale, Work
from recollect.core.ports.jobs import Counters, Jobs
from recollect.core.ports.layer import Layer, Reader, Scene, Searches
from recollect.core.ports.model import Hearing, Model, ModelOptions, Proposal, Proposed, Retraction, Usage, Written
from recollect.core.ports.search import Corpus, Filters, Finding, Texture, Vector, VectorSet, WordHit
from recollect.core.ports.store import Exchanges, Journal, Lanes, Memos, Progress, Store, Summaries, Tx

__all__ = [
    "Corpus",
    "Counters",
    "Embedder",
    "EmbedderOptions",
    "Events",
    "Exchanges",
    "Filters",
    "Finding",
    "Handler",
    "Hearing",
    "Jobs",
    "Journal",
    "Lanes",
    "Layer",
    "Memos",
    "Model",
    "ModelOptions",
    "Progress",
    "Proposal",
    "Proposed",
    "Reader",
    "Retraction",
    "Scene",
    "Searches",
    "Stale",
    "Store",
    "Summaries",
    "Texture",
    "Tx",
    "Usage",
    "Vector",
    "VectorSet",
    "WordHit",
    "Work",
    "Written",
]
