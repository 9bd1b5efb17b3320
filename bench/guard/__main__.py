"""`python -m bench.guard [--write]`: what the learned model of orders finds in sentences that others wrote.

It is trained on ours and on harmless chat, and tried on the rounds that were written for the tests of the rules; the
rules themselves take no part. `--write` trains it on all of them instead, for `policy/guard/learned.txt`.
"""

import argparse
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.guard.sentences import Lot, load
from bench.guard.train import SCALE, THRESHOLD, features_of, score, train
from recollect.policy.guard import learned

WEIGHTS = Path(learned.__file__).with_name("learned.txt")
TRAINED_ON = ("ours", "chat")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.guard")
    parser.add_argument("--write", action="store_true", help="train on every lot and keep the weights")
    lots = load()
    if parser.parse_args().write:
        write(_trained([*lots.values()]))
        return
    weights = _trained([lots[name] for name in TRAINED_ON])
    table = Table(title="Found by the model alone, of lots that it was not trained on", header_style="bold")
    for name in ("lot", "orders", "found", "harmless", "refused"):
        table.add_column(name, justify="left" if name == "lot" else "right")
    for name in (name for name in lots if name not in TRAINED_ON):
        lot = lots[name]
        found, refused = (_count(weights, texts) for texts in (lot.orders, lot.harmless))
        shares = (f"{found / len(lot.orders):.1%}", f"{refused / len(lot.harmless):.1%}")
        table.add_row(name, str(len(lot.orders)), shares[0], str(len(lot.harmless)), shares[1])
    Console().print(table)


def write(weights: dict[str, float]) -> None:
    whole = {feature: round(weight * SCALE) for feature, weight in weights.items()}
    whole[""] -= round(THRESHOLD * SCALE)
    lines = (f"{feature}\t{weight}\n" for feature, weight in sorted(whole.items()) if weight)
    WEIGHTS.write_text("".join(lines), "utf-8")


def _trained(lots: list[Lot]) -> dict[str, float]:
    orders = [form for lot in lots for text in lot.orders for form in features_of(text)]
    return train(orders, [form for lot in lots for text in lot.harmless for form in features_of(text)])


def _count(weights: dict[str, float], texts: list[str]) -> int:
    return sum(any(score(weights, form) > THRESHOLD for form in features_of(text)) for text in texts)


if __name__ == "__main__":
    main()
