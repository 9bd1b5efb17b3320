"""`python -m bench.rerank.average --minilm DIR --models DIR … --candidates FILE --out DIR`: the mean of several runs.

Runs that started from the same weights end near each other, and their mean is better than each; it costs a search
nothing. Measured like a run of `bench.rerank.train`, and written as one: `model.pt` and `figures.json`.
"""

import argparse
import json
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer

from bench.rerank.batches import Encoded
from bench.rerank.encoder import CrossEncoder
from bench.rerank.train import MAX_TOKENS, WEIGHT, evaluate, line_of, read


def mean(folders: list[Path]) -> dict[str, torch.Tensor]:
    runs = [torch.load(folder / "model.pt", map_location="cpu") for folder in folders]
    return {name: torch.stack([run[name].float() for run in runs]).mean(0) for name in runs[0]}


def main() -> int:
    parser = argparse.ArgumentParser("bench.rerank.average", description=__doc__)
    parser.add_argument("--minilm", type=Path, required=True)
    parser.add_argument("--models", type=Path, nargs="+", required=True, help="folders with model.pt")
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    encoder = CrossEncoder(json.loads((given.minilm / "config.json").read_text("utf-8")))
    weights = mean(given.models)
    encoder.load_state_dict(weights)
    given.out.mkdir(parents=True, exist_ok=True)
    torch.save({name: tensor.half() for name, tensor in weights.items()}, given.out / "model.pt")

    rows = read(given.candidates)
    tokenizer = Tokenizer.from_file(str(given.minilm / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encoded = Encoded(tokenizer, [text for row in rows for text in (row["question"], *(hit[0] for hit in row["hits"]))])
    figures = evaluate(encoder.cuda(), encoded, rows, MAX_TOKENS, WEIGHT)
    print(line_of(figures), flush=True)
    report = {"mean of": [folder.name for folder in given.models], "figures": [figures]}
    (given.out / "figures.json").write_text(json.dumps(report, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
