"""`python -m bench.rerank.evaluate --model model.onnx --candidates FILE [--half reporting] [--json FILE]`.

The figures of an exported model over the candidates of `bench.rerank.candidates`, with the code that a search runs:
recall, what is called relevant, and how long thirty candidates take in one thread. Through a memory of its own it is
`RECOLLECT_RERANK=model.onnx RECOLLECT_RERANK_TIMEOUT=60 python -m bench.recall --data DIR --rankers unified`.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from bench.rerank.ranking import CUTS, figures
from recollect.recall.calibration import RELEVANT_SCORE
from recollect.recall.reranking import WEIGHT
from recollect.rerankers import onnx

Row = dict[str, Any]


def lost(row: Row, logits: list[float], weight: float, cut: int) -> float:
    """The share of the evidence among the first that is not called relevant: the n-th hit has the n-th score."""
    best = max((score for _, score, _ in row["hits"]), default=0.0) or 1.0
    fused = [score / best + weight * logit for (_, score, _), logit in zip(row["hits"], logits, strict=True)]
    order = sorted(range(len(fused)), key=lambda number: -fused[number])
    scores = sorted((score for _, score, _ in row["hits"]), reverse=True)
    places = enumerate(order[:cut])
    return sum(row["hits"][one][2] and scores[place] < RELEVANT_SCORE for place, one in places) / row["evidence"]


def main() -> int:
    parser = argparse.ArgumentParser("bench.rerank.evaluate", description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--half", choices=["tuning", "reporting"], default="reporting")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    onnx.MAX_THREADS = 1
    score = onnx.load(given.model)
    rows = [json.loads(line) for line in given.candidates.read_text("utf-8").splitlines()]
    parts: dict[str, list[Row]] = {}
    for row in rows:
        if row["half"] == given.half:
            parts.setdefault(row["corpus"], []).append(row)
    found: dict[str, Any] = {}
    for corpus, part in parts.items():
        logits: list[list[float]] = []
        times: list[float] = []
        for row in part:
            began = time.thread_time()
            logits.append(score(row["question"], [text for text, _, _ in row["hits"]]))
            times.append((time.thread_time() - began) * 1000)
        found[corpus] = {"questions": len(part)}
        for name, weight in (("unified", 0.0), ("reranked", WEIGHT)):
            table = figures(part, logits, weight)
            for cut in CUTS:
                shares = [lost(row, rated, weight, cut) for row, rated in zip(part, logits, strict=True)]
                table[f"lost@{cut}"] = statistics.fmean(shares)
            found[corpus][name] = {key: round(value, 4) for key, value in table.items()}
        found[corpus]["ms for thirty"] = {
            "median": round(statistics.median(times), 1),
            "p95": round(sorted(times)[len(times) * 95 // 100], 1),
        }
        print(corpus, json.dumps(found[corpus]), flush=True)
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
