"""Cross-encoders that `fastembed` can load: `fastembed:Xenova/ms-marco-MiniLM-L-6-v2`.

The model is downloaded from its hub on first use, or read from a folder: `fastembed:<model>@<folder>`, which contains
the ONNX file at the path that fastembed expects, and the tokenizer.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from recollect.core.errors import MissingExtra
from recollect.rerankers._thread import Score, ThreadReranker

if find_spec("fastembed") is None:
    raise MissingExtra("the reranker 'fastembed'", "fastembed")

DEFAULT_MODEL = "Xenova/ms-marco-MiniLM-L-6-v2"
MAX_TEXT_CHARS = 2_000
"""Characters read of one text: a longer one takes longer, and the deadline is short."""


def create(spec: str) -> ThreadReranker:
    model, _, folder = spec.partition(":")[2].strip().partition("@")
    model = model or DEFAULT_MODEL
    return ThreadReranker(f"fastembed:{model}" + (f"@{folder}" if folder else ""), lambda: load(model, folder))


def load(model: str, folder: str) -> Score:
    module: Any = import_module("fastembed.rerank.cross_encoder")
    options = {"specific_model_path": folder} if folder else {}
    encoder: Any = module.TextCrossEncoder(model_name=model, **options)

    def score(question: str, texts: Sequence[str]) -> list[float]:
        return [float(logit) for logit in encoder.rerank(question, [text[:MAX_TEXT_CHARS] for text in texts])]

    return score
