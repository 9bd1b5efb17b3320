"""`python -m bench.rerank.export --minilm DIR --model DIR --candidates FILE`: `model.pt` as `model.onnx`, in int8.

Beside it lies the tokenizer that it needs. With candidates, what eight bits a number cost is measured as well.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer

from bench.rerank.encoder import CrossEncoder
from bench.rerank.ranking import figures
from bench.rerank.train import MAX_TOKENS, WEIGHT, read

INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


def export(minilm: Path, folder: Path) -> None:
    encoder = CrossEncoder(json.loads((minilm / "config.json").read_text("utf-8")))
    weights = torch.load(folder / "model.pt", map_location="cpu")
    encoder.load_state_dict({name: tensor.float() for name, tensor in weights.items()})
    encoder.eval()
    example = (torch.ones(2, 12, dtype=torch.long),) * 3
    axes = {name: {0: "batch", 1: "length"} for name in INPUTS} | {"logits": {0: "batch"}}
    with tempfile.TemporaryDirectory() as place:
        whole = str(Path(place) / "model.onnx")
        torch.onnx.export(
            encoder, example, whole, input_names=INPUTS, output_names=["logits"], dynamic_axes=axes, opset_version=17,
            dynamo=False,
        )  # fmt: skip
        quantize_dynamic(whole, folder / "model.onnx", per_channel=True, weight_type=QuantType.QInt8)
    shutil.copy(minilm / "tokenizer.json", folder / "tokenizer.json")


def rate(folder: Path, rows: Sequence[dict[str, Any]], threads: int) -> list[list[float]]:
    """The logits of the exported model, with the text cut as `recollect.rerankers.onnx` does."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
    encodings = tokenizer.encode_batch([(row["question"], hit[0]) for row in rows for hit in row["hits"]])
    order = sorted(range(len(encodings)), key=lambda number: len(encodings[number].ids))
    logits = [0.0] * len(order)
    for start in range(0, len(order), 64):
        numbers = order[start : start + 64]
        length = max(len(encodings[number].ids) for number in numbers)
        given = {name: np.zeros((len(numbers), length), np.int64) for name in INPUTS}
        for place, number in enumerate(numbers):
            one = encodings[number]
            for name, values in zip(INPUTS, (one.ids, one.attention_mask, one.type_ids), strict=True):
                given[name][place, : len(values)] = values
        for number, logit in zip(numbers, session.run(None, given)[0].reshape(-1), strict=True):
            logits[number] = float(logit)
    rated = iter(logits)
    return [[next(rated) for _ in row["hits"]] for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser("bench.rerank.export", description=__doc__)
    parser.add_argument("--minilm", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="folder with model.pt")
    parser.add_argument("--candidates", type=Path)
    parser.add_argument("--threads", type=int, default=4)
    given = parser.parse_args()
    export(given.minilm, given.model)
    if given.candidates is not None:
        parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in read(given.candidates):
            parts.setdefault((row["corpus"], row["half"]), []).append(row)
        found = {
            f"{corpus}, {half}": figures(part, rate(given.model, part, given.threads), WEIGHT)
            for (corpus, half), part in parts.items()
        }
        (given.model / "int8.json").write_text(json.dumps(found, indent=2) + "\n", "utf-8")
        for name, table in found.items():
            print(f"  int8, {name}: " + "/".join(f"{value:.3f}" for value in table.values()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
