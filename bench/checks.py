"""`python -m bench.checks`: what the checks of a text take before it is saved, beside the whole save of the script.

Processor time of one thread, in microseconds per text: the least of five rounds. Every text is new to every check, as
nobody states the same twice. The benchmark's sentences end with a number, and numbers may be codes: the same sentences
without it show what most statements cost.
"""

import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.baseline import Row, Script
from bench.public.vectors import DIMS, vector
from bench.sentences import sentence
from recollect.policy import kinds, similarity
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.statements import is_about_another
from recollect.policy.redaction import redact_memo

TEXTS, ROUNDS = 1_000, 5
CHECKS: dict[str, Callable[[str], object]] = {
    "secrets": redact_memo,
    "instructions in disguise": is_instruction,
    "about somebody else": is_about_another,
    "its kind": kinds.infer,
    "the words to look for": similarity.match_cues,
}
SAVE = "the script's whole save, 1,000 in a transaction"


def statements() -> list[str]:
    random_ = random.Random(11)
    return [sentence(random_, number) for number in range(TEXTS * ROUNDS)]


def least(work: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    """Microseconds per text of the quickest round; the first one warms up."""
    rounds: list[float] = []
    for start in range(0, len(texts), TEXTS):
        began = time.thread_time()
        work(texts[start : start + TEXTS])
        rounds.append((time.thread_time() - began) / TEXTS * 1e6)
    return min(rounds[1:])


def save(texts: Sequence[str], folder: Path) -> float:
    script, rows = Script(folder / "script.db", DIMS), iter(range(len(texts)))
    for text in texts:
        vector(text)  # made before the clock starts

    def save_all(batch: Sequence[str]) -> None:
        script.save_all((Row(f"u{(n := next(rows)) % 100}", f"m{n}", text, n), vector(text)) for text in batch)

    took = least(save_all, texts)
    script.close()
    return took


def main() -> None:
    numbered = statements()
    plain = [re.sub(r" entry \d+ of \d+$", f" {_word(number)}", text) for number, text in enumerate(numbered)]
    table = Table(title="Microseconds of processor time per text", header_style="bold")
    for name in ("check", "with a number", "without"):
        table.add_column(name, justify="left" if name == "check" else "right")
    sums = [0.0, 0.0]
    for name, check in CHECKS.items():
        took = [least(lambda texts, check=check: [check(text) for text in texts], kind) for kind in (numbered, plain)]
        sums = [total + part for total, part in zip(sums, took, strict=True)]
        table.add_row(name, *(f"{part:.0f}" for part in took))
    table.add_row("all checks", *(f"{total:.0f}" for total in sums), style="bold")
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder:
        table.add_row(SAVE, f"{save(numbered, Path(folder)):.0f}", "")
    Console().print(table)


def _word(number: int) -> str:
    """A word of its own for each text."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


if __name__ == "__main__":
    main()
