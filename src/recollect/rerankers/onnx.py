"""A cross-encoder in an ONNX file, with its `tokenizer.json` beside it: `onnx:path/to/model.onnx`, or just the path.

`docs/reranking.md` says how to make one. Any model will do that takes the ids of the two texts, as BERT does, and
gives one number.
"""

import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from recollect.core.errors import ConfigError, MissingExtra
from recollect.rerankers._thread import Score, ThreadReranker

if find_spec("onnxruntime") is None or find_spec("tokenizers") is None or find_spec("numpy") is None:
    raise MissingExtra("the reranker 'onnx'", "rerank")

MAX_TOKENS = 96
"""Of question and text together; what is beyond is not read."""
BATCH_SIZE = 10
"""Texts of similar length go together: a batch takes as long as its longest text."""
MAX_THREADS = 4


def create(spec: str) -> ThreadReranker:
    text = spec.removeprefix("onnx").removeprefix(":").strip()
    if not text:
        raise ConfigError("the reranker 'onnx' needs the path of a model, as in onnx:path/to/model.onnx")
    path = Path(text).expanduser()
    path = path / "model.onnx" if path.is_dir() else path
    for file in (path, path.with_name("tokenizer.json")):
        if not file.is_file():
            raise ConfigError(f"the reranker {path} needs the file {file}, which is not there")
    return ThreadReranker(f"onnx:{path}", lambda: load(path))


def load(path: Path) -> Score:
    np: Any = import_module("numpy")
    runtime: Any = import_module("onnxruntime")
    tokenizer: Any = import_module("tokenizers").Tokenizer.from_file(str(path.with_name("tokenizer.json")))
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    tokenizer.no_padding()
    options = runtime.SessionOptions()
    options.intra_op_num_threads = min(MAX_THREADS, os.cpu_count() or 1)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # an error of each search would be printed besides our warning
    session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    inputs = {node.name for node in session.get_inputs()}

    def run(encodings: Sequence[Any]) -> list[float]:
        length = max(len(encoding.ids) for encoding in encodings)

        def padded(rows: Sequence[Sequence[int]]) -> Any:
            return np.array([[*row, *[0] * (length - len(row))] for row in rows], np.int64)

        feeds = {
            "input_ids": padded([encoding.ids for encoding in encodings]),
            "attention_mask": padded([encoding.attention_mask for encoding in encodings]),
            "token_type_ids": padded([encoding.type_ids for encoding in encodings]),
        }
        (logits, *_) = session.run(None, {name: value for name, value in feeds.items() if name in inputs})
        if logits.size != len(encodings):
            raise ValueError(f"it gives {logits.size / len(encodings):g} numbers for a text, where one is expected")
        return [float(logit) for logit in logits.ravel()]

    def score(question: str, texts: Sequence[str]) -> list[float]:
        encodings = tokenizer.encode_batch([(question, text) for text in texts])
        order = sorted(range(len(texts)), key=lambda number: len(encodings[number].ids))
        logits = [0.0] * len(texts)
        for start in range(0, len(order), BATCH_SIZE):
            numbers = order[start : start + BATCH_SIZE]
            for number, logit in zip(numbers, run([encodings[number] for number in numbers]), strict=True):
                logits[number] = logit
        return logits

    return score
