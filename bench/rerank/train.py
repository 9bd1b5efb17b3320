"""`python -m bench.rerank.train --minilm DIR --data train.jsonl --candidates candidates.jsonl --out DIR --seed N`.

Trains a cross-encoder on a GPU, chooses its weight on the tuning halves, and writes `model.pt`, whose logits are scaled
so that `recollect.recall.reranking.WEIGHT` is the best weight.
"""

import argparse
import json
import lzma
import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from bench.rerank.encoder import CrossEncoder, from_minilm
from bench.rerank.ranking import choose_weight, figures

MAX_TOKENS = 96
LISTS, ITEMS = 48, 16
"""Questions in a batch, and texts for each."""
WEIGHT = 0.1
"""As in `recollect.recall.reranking`."""


def read(path: Path) -> list[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") if path.suffix == ".xz" else path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Encoded:
    """Texts as numbers of tokens, each encoded once; a pair is put together when it is needed."""

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[str]) -> None:
        unique = list(dict.fromkeys(texts))
        found = tokenizer.encode_batch_fast(unique, add_special_tokens=False)
        self._ids = {text: one.ids for text, one in zip(unique, found, strict=True)}
        self._cls, self._sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")

    def pair(self, question: str, text: str, limit: int) -> tuple[list[int], int]:
        """The tokens, and where the second text starts; the longer one is cut."""
        first, second = self._ids[question][: limit // 2], self._ids[text]
        second = second[: limit - 3 - len(first)]
        return [self._cls, *first, self._sep, *second, self._sep], len(first) + 2

    def batch(self, pairs: Sequence[tuple[str, str]], limit: int) -> tuple[Tensor, Tensor, Tensor]:
        rows = [self.pair(question, text, limit) for question, text in pairs]
        length = -(-max(len(ids) for ids, _ in rows) // 8) * 8
        ids = torch.zeros(len(rows), length, dtype=torch.long)
        mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
        for number, (row, start) in enumerate(rows):
            ids[number, : len(row)] = torch.tensor(row)
            mask[number, : len(row)] = 1
            types[number, start : len(row)] = 1
        return ids.cuda(non_blocking=True), mask.cuda(non_blocking=True), types.cuda(non_blocking=True)


def batches(
    rows: list[dict[str, Any]], chance: random.Random
) -> Iterator[tuple[list[tuple[str, str]], Tensor, Tensor]]:
    """Pairs, which of them are right (lists × items), and which lists are content with one of the right ones."""
    rows = rows[:]
    chance.shuffle(rows)
    for start in range(0, len(rows) - LISTS + 1, LISTS):
        pairs: list[tuple[str, str]] = []
        labels, any_of = torch.zeros(LISTS, ITEMS), torch.zeros(LISTS)
        for number, row in enumerate(rows[start : start + LISTS]):
            right = chance.sample(row["right"], min(len(row["right"]), 4))
            wrong = row["wrong"]
            # Half of the rivals are the strongest ones.
            strong = wrong[: (ITEMS - len(right)) // 2]
            rest = wrong[len(strong) :]
            texts = [*right, *strong, *chance.sample(rest, min(len(rest), ITEMS - len(right) - len(strong)))]
            while len(texts) < ITEMS:
                texts.append(chance.choice(rows)["right"][0])
            pairs += [(row["question"], text) for text in texts]
            labels[number, : len(right)] = 1
            any_of[number] = row["any"]
        yield pairs, labels.cuda(), any_of.cuda()


def loss_of(logits: Tensor, labels: Tensor, any_of: Tensor) -> Tensor:
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
def rate(encoder: CrossEncoder, encoded: Encoded, rows: Sequence[dict[str, Any]], limit: int) -> list[list[float]]:
    encoder.eval()
    pairs = [(row["question"], text) for row in rows for text, _, _ in row["hits"]]
    order = sorted(range(len(pairs)), key=lambda number: len(encoded.pair(*pairs[number], limit)[0]))
    logits = [0.0] * len(pairs)
    for start in range(0, len(order), 2048):
        numbers = order[start : start + 2048]
        with torch.autocast("cuda", torch.bfloat16):
            found = encoder(*encoded.batch([pairs[number] for number in numbers], limit)).float().tolist()
        for number, logit in zip(numbers, found, strict=True):
            logits[number] = logit
    rated = iter(logits)
    return [[next(rated) for _ in row["hits"]] for row in rows]


def evaluate(encoder: CrossEncoder, encoded: Encoded, rows: list[dict[str, Any]], limit: int) -> dict[str, Any]:
    """The best weight on the tuning halves, and all figures with it."""
    parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        parts.setdefault((row["corpus"], row["half"]), []).append(row)
    rated = {key: rate(encoder, encoded, part, limit) for key, part in parts.items()}
    weight = choose_weight([(part, rated[key]) for key, part in parts.items() if key[1] == "tuning"])
    tables = {f"{corpus}, {half}": figures(part, rated[corpus, half], weight) for (corpus, half), part in parts.items()}
    return {"weight": weight, "tokens": limit, **tables}


def train(given: argparse.Namespace) -> None:
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    chance = random.Random(given.seed)
    tokenizer = Tokenizer.from_file(str(given.minilm / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = [row for row in read(given.data) if row["right"] and (not given.sources or row["source"] in given.sources)]
    rows = [row | {"any": row["any"] and len(row["right"]) > 1} for row in rows]
    candidates = read(given.candidates)
    texts = [text for row in rows for text in (row["question"], *row["right"], *row["wrong"])]
    encoded = Encoded(
        tokenizer,
        [*texts, *(text for row in candidates for text in (row["question"], *(hit[0] for hit in row["hits"])))],
    )
    encoder = from_minilm(given.minilm).cuda()
    steps = given.epochs * (len(rows) // LISTS)
    optimizer = torch.optim.AdamW(encoder.parameters(), given.rate, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, given.rate, steps + 1, pct_start=0.08, anneal_strategy="linear"
    )
    began, done = time.monotonic(), 0
    print(f"seed {given.seed}: {len(rows)} questions, {steps} steps", flush=True)
    for epoch in range(given.epochs):
        encoder.train()
        mean = 0.0
        for pairs, labels, any_of in batches(rows, chance):
            with torch.autocast("cuda", torch.bfloat16):
                logits = encoder(*encoded.batch(pairs, MAX_TOKENS)).float().view(LISTS, ITEMS)
            loss = loss_of(logits, labels, any_of)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            mean = 0.98 * mean + 0.02 * loss.detach() if done > 1 else loss.detach()
        print(f"epoch {epoch + 1}: loss {float(mean):.3f}, {time.monotonic() - began:.0f} s", flush=True)
        print(line_of(evaluate(encoder, encoded, candidates, MAX_TOKENS)), flush=True)
    found = {limit: evaluate(encoder, encoded, candidates, limit) for limit in (64, MAX_TOKENS, 128)}
    for one in found.values():
        print(line_of(one), flush=True)
    report = {"seed": given.seed, "seconds": round(time.monotonic() - began), "figures": list(found.values())}
    save(encoder, found[MAX_TOKENS]["weight"], given.out, report)


def save(encoder: CrossEncoder, weight: float, folder: Path, report: dict[str, Any]) -> None:
    """Writes the model, scaled so that one weight fits every model of ours, and its figures."""
    with torch.no_grad():
        encoder.head.weight.mul_(weight / WEIGHT)
        encoder.head.bias.mul_(weight / WEIGHT)
    folder.mkdir(parents=True, exist_ok=True)
    torch.save({name: tensor.half().cpu() for name, tensor in encoder.state_dict().items()}, folder / "model.pt")
    (folder / "figures.json").write_text(json.dumps(report, indent=2) + "\n", "utf-8")


def line_of(found: dict[str, Any]) -> str:
    tables = (
        f"{name}: " + "/".join(f"{value:.3f}".removeprefix("0") for value in table.values())
        for name, table in found.items()
        if isinstance(table, dict)
    )
    return f"  {found['tokens']} tokens, weight {found['weight']}: " + "; ".join(tables)


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
    given = parser.parse_args()
    train(given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
