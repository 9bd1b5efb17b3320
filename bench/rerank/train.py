"""`python -m bench.rerank.train --minilm DIR --data train.jsonl --candidates candidates.jsonl --out DIR --seed N`.

Trains a cross-encoder on a GPU, measures it, and writes `model.pt`, whose logits are scaled so that
`recollect.recall.reranking.WEIGHT` is their weight.
"""

import argparse
import json
import lzma
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from bench.rerank.batches import ITEMS, LISTS, Batch, Encoded, Lists, batches
from bench.rerank.encoder import CrossEncoder, from_minilm
from bench.rerank.ranking import figures

MAX_TOKENS = 96
WEIGHT = 0.1
"""As in `recollect.recall.reranking`."""
TRAINED_WEIGHT = 0.05
"""Of a logit before it is scaled: the best for the mean of six runs on the tuning halves. Chosen for each run, it
differed by a factor of four, and followed the noise of the smaller corpus.
"""
AVERAGED_SHARE = 0.998
"""The weights that are kept are a moving average of those of every step."""
HEAD_SEED = 1
"""Of the new layers, for every run: weights that start at the same place can be averaged (`bench.rerank.average`)."""
DIALOGUES = 4
"""How often an epoch shows the questions of the dialogues: they are few, and most like what is searched."""
Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def loss_of(logits: Tensor, batch: Batch) -> Tensor:
    labels, any_of = batch.labels, batch.any_of
    total = torch.logsumexp(logits, 1)
    right = torch.logsumexp(logits.masked_fill(labels == 0, -1e4), 1)
    wrong = torch.logsumexp(logits.masked_fill(labels == 1, -1e4), 1, keepdim=True)
    each = (torch.logaddexp(logits, wrong) - logits) * labels  # against the wrong ones only
    lists = torch.where(any_of == 1, total - right, each.sum(1) / labels.sum(1))
    # So that a logit means the same for every question; a list that is content with one right text says little.
    sure = (any_of == 0).float()[:, None]
    absolute = binary_cross_entropy_with_logits(logits, labels, reduction="none") * (sure + (1 - sure) * (1 - labels))
    return lists.mean() + 0.2 * absolute.mean()


@torch.no_grad()
def rate(encoder: CrossEncoder, encoded: Encoded, pairs: Sequence[tuple[int, int]], limit: int) -> list[float]:
    """The logits of pairs of question and text."""
    encoder.eval()
    order = sorted(range(len(pairs)), key=lambda at: int(encoded.lengths[pairs[at][0]] + encoded.lengths[pairs[at][1]]))
    logits = torch.zeros(len(pairs))
    whole = torch.tensor([pairs[at] for at in order]).cuda()
    for start in range(0, len(order), 4096):
        chosen = whole[start : start + 4096]
        with torch.autocast("cuda", torch.bfloat16):
            found = encoder(*encoded.batch(chosen[:, 0], chosen[:, 1], limit))
        logits[order[start : start + 4096]] = found.float().cpu()
    return logits.tolist()


def rate_rows(encoder: CrossEncoder, encoded: Encoded, rows: Sequence[Row], limit: int) -> list[list[float]]:
    pairs = [(encoded.number(row["question"]), encoded.number(hit[0])) for row in rows for hit in row["hits"]]
    rated = iter(rate(encoder, encoded, pairs, limit))
    return [[next(rated) for _ in row["hits"]] for row in rows]


def evaluate(
    encoder: CrossEncoder, encoded: Encoded, rows: list[Row], limit: int, weight: float = TRAINED_WEIGHT
) -> dict[str, Any]:
    """The figures of each half of each corpus."""
    parts: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["corpus"], row["half"]), []).append(row)
    rated = {key: rate_rows(encoder, encoded, part, limit) for key, part in parts.items()}
    tables = {f"{corpus}, {half}": figures(part, rated[corpus, half], weight) for (corpus, half), part in parts.items()}
    return {"tokens": limit, **tables}


def fit(encoder: CrossEncoder, encoded: Encoded, lists: Lists, given: argparse.Namespace) -> CrossEncoder:
    """The model with the moving average of the weights."""
    chance = random.Random(given.seed)
    steps = given.epochs * (len(lists.questions) // LISTS)
    averaged = torch.optim.swa_utils.AveragedModel(
        encoder, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(given.averaged)
    )
    optimizer = torch.optim.AdamW(encoder.parameters(), given.rate, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, given.rate, steps + 1, pct_start=0.08, anneal_strategy="linear"
    )
    began = time.monotonic()
    for epoch in range(given.epochs):
        encoder.train()
        mean = torch.zeros((), device="cuda")
        for number, batch in enumerate(batches(lists, chance)):
            with torch.autocast("cuda", torch.bfloat16):
                logits = encoder(*encoded.batch(batch.questions, batch.texts, MAX_TOKENS)).float().view(LISTS, ITEMS)
            loss = loss_of(logits, batch)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            averaged.update_parameters(encoder)
            mean = 0.98 * mean + 0.02 * loss.detach() if number else loss.detach()
        print(f"epoch {epoch + 1}: loss {float(mean):.3f}, {time.monotonic() - began:.0f} s", flush=True)
    return averaged.module


def train(given: argparse.Namespace) -> None:
    torch.manual_seed(HEAD_SEED)
    encoder = from_minilm(given.minilm).cuda()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    tokenizer = Tokenizer.from_file(str(given.minilm / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = [row for row in read(given.data) if row["right"] and (not given.sources or row["source"] in given.sources)]
    rows = [row | {"any": row["any"] and len(row["right"]) > 1} for row in rows for _ in range(times(row, given))]
    candidates = read(given.candidates)
    texts = [text for row in rows for text in (row["question"], *row["right"], *row["wrong"])]
    shown = [text for row in candidates for text in (row["question"], *(hit[0] for hit in row["hits"]))]
    encoded = Encoded(tokenizer, [*texts, *shown])
    began = time.monotonic()
    print(f"seed {given.seed}: {len(rows)} questions", flush=True)
    encoder = fit(encoder, encoded, Lists(rows, encoded), given)
    given.out.mkdir(parents=True, exist_ok=True)
    found = {limit: evaluate(encoder, encoded, candidates, limit) for limit in (64, MAX_TOKENS, 128)}
    for one in found.values():
        print(line_of(one), flush=True)
    report = {"seed": given.seed, "seconds": round(time.monotonic() - began), "figures": list(found.values())}
    save(encoder, given.out, report)


def times(row: Row, given: argparse.Namespace) -> int:
    return given.dialogues if row["source"] == "dialogues" else 1


def save(encoder: CrossEncoder, folder: Path, report: dict[str, Any]) -> None:
    """Writes the model, scaled for the weight that a search gives it, and its figures."""
    with torch.no_grad():
        encoder.head.weight.mul_(TRAINED_WEIGHT / WEIGHT)
        encoder.head.bias.mul_(TRAINED_WEIGHT / WEIGHT)
    torch.save({name: tensor.half().cpu() for name, tensor in encoder.state_dict().items()}, folder / "model.pt")
    (folder / "figures.json").write_text(json.dumps(report, indent=2) + "\n", "utf-8")


def line_of(found: dict[str, Any]) -> str:
    tables = (
        f"{name}: " + "/".join(f"{value:.3f}".removeprefix("0") for value in table.values())
        for name, table in found.items()
        if isinstance(table, dict)
    )
    return f"  {found['tokens']} tokens: " + "; ".join(tables)


def main() -> int:
    parser = argparse.ArgumentParser("bench.rerank.train", description=__doc__)
    parser.add_argument("--minilm", type=Path, required=True, help="folder of MiniLM: config, tokenizer and weights")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--candidates", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--sources", nargs="*", default=[], help="only these; default: all")
    parser.add_argument("--dialogues", type=int, default=DIALOGUES, help="how often an epoch shows each dialogue")
    parser.add_argument("--averaged", type=float, default=AVERAGED_SHARE, help="0: the weights of the last step")
    given = parser.parse_args()
    train(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
