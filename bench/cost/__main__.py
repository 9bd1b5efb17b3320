"""`python -m bench.cost [--data DIR] [--messages 1000] [--json FILE]`: what learning costs per 1,000 messages.

Replays real chats (LoCoMo between two people in a channel and, again, in their DMs with the assistant; BEAM between a
person and an assistant) through the public object. A server on this machine stands for the model and counts requests
and tokens, taken as four characters each, the schema of the answer included. Beside it, one call per message. Data sets
are in the plain form of `bench.recall`, and no word of them is stored. The gate's misses come from the labelled corpus.
"""

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.cost.measure import Chat, Cost, read_chat, replay
from bench.extract.corpus import load
from recollect import Place
from recollect.policy.gate import may_contain_facts

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PRICES = {"small": (0.10, 0.40), "middle": (1.0, 5.0), "large": (3.0, 15.0)}
"""Dollars per million tokens read and written, of three classes of models."""
GOAL = {"calls": 120, "tokens_in": 400_000}


def chats(folder: Path, limit: int) -> list[Chat]:
    found: list[Chat] = []
    if (folder / "locomo" / "documents.jsonl").exists():
        people = read_chat(folder / "locomo", "personal", limit, with_assistant=False)
        moved = [replace(said, place=Place("discord", dm=said.author), reply_to=None) for said in people.messages]
        found += [people, Chat("personal, in DMs with the assistant", moved)]
    if (folder / "long-chats" / "documents.jsonl").exists():
        found.append(read_chat(folder / "long-chats", "with an assistant", limit, with_assistant=True))
    return found


def dollars(cost: Cost) -> dict[str, float]:
    each = cost.per_thousand()
    return {
        name: round((each["tokens_in"] * read + each["tokens_out"] * written) / 1e6, 3)
        for name, (read, written) in PRICES.items()
    }


def gate_report() -> dict[str, Any]:
    """How many messages with a fact the gate keeps from the model, on the labelled corpus."""
    samples = load()
    facts = [each for each in samples if each.retracts or any(not learn.optional for learn in each.learn)]
    missed = [each.text for each in facts if not may_contain_facts(each.text)]
    return {"with a fact": len(facts), "missed": len(missed), "rate": round(len(missed) / max(1, len(facts)), 4)}


def show(rows: dict[str, dict[str, Any]]) -> None:
    table = Table("per 1,000 messages", "calls", "tokens in", "tokens out", *(f"$ {name}" for name in PRICES))
    for name, row in rows.items():
        for kind in ("batches", "each message"):
            numbers = row[kind]
            cells = [f"{numbers[key]:,.0f}" for key in ("calls", "tokens_in", "tokens_out")]
            table.add_row(f"{name}: {kind}", *cells, *(f"{numbers['dollars'][price]:.2f}" for price in PRICES))
    Console(width=120).print(table)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.cost", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--messages", type=int, default=1_000)
    parser.add_argument("--json", type=Path, default=Path("bench/results/cost.json"))
    args = parser.parse_args()
    gate = gate_report()
    print(f"gate: {gate['missed']} of {gate['with a fact']} messages with a fact are kept from the model")
    material = chats(args.data, args.messages)
    if not material:
        print(f"no data sets in {args.data}: nothing is replayed; give a folder with --data DIR", file=sys.stderr)
        return 0
    rows: dict[str, dict[str, Any]] = {}
    for chat in material:
        rows[chat.name] = {"messages": len(chat.messages)}
        for kind, trigger in (("batches", "batch"), ("each message", "on_ingest")):
            cost = asyncio.run(replay(chat, trigger))
            rows[chat.name][kind] = {**cost.per_thousand(), "dollars": dollars(cost), "seconds": round(cost.seconds, 1)}
    show(rows)
    args.json.write_text(json.dumps({"goal": GOAL, "gate": gate, "chats": rows}, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
