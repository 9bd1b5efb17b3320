"""The seams: what a store, an embedder, a layer and their parts promise. Plug-ins implement these, flows use them."""

from recollect.ports.embedding import Embedder, EmbedderOptions
from recollect.ports.found import Corpus, Filters, Finding, Texture, Vector, VectorSet, WordHit
from recollect.ports.log import Events
from recollect.ports.model import Hearing, Model, ModelOptions, Proposal, Proposed, Retraction, Usage, Written
from recollect.ports.queue import Counters, Jobs
from recollect.ports.scene import Layer, Reader, Scene, Searches
from recollect.ports.store import (
    Exchanges,
    Journal,
    Lanes,
    Memos,
    Progress,
    Store,
    Summaries,
    Tx,
)
from recollect.ports.work import Handler, Stale, Work

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
