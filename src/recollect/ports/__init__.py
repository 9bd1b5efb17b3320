"""The seams: what a store, an embedder, a layer and their parts promise. Plug-ins implement these, flows use them."""

from recollect.ports.embedding import Embedder, EmbedderOptions
from recollect.ports.found import Corpus, Filters, Finding, Texture, Vector, VectorSet, WordCount, WordHit
from recollect.ports.scene import Layer, Scene, Searches
from recollect.ports.store import Events, Exchanges, Jobs, Journal, Lanes, Memos, Progress, Store, Summaries, Tx

__all__ = [
    "Corpus",
    "Embedder",
    "EmbedderOptions",
    "Events",
    "Exchanges",
    "Filters",
    "Finding",
    "Jobs",
    "Journal",
    "Lanes",
    "Layer",
    "Memos",
    "Progress",
    "Scene",
    "Searches",
    "Store",
    "Summaries",
    "Texture",
    "Tx",
    "Vector",
    "VectorSet",
    "WordCount",
    "WordHit",
]
