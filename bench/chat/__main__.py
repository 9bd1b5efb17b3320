"""`python -m bench.chat [SET …] [--show]`: what the chat without a model answers to questions in other words.

Each set of `sets/` has forty messages of one person and 25 questions about them. An answer is right if it says so
without reserve and each line has a key word and none a forbidden one; mixed, if only some lines have a key word;
nearest, if it is marked as the nearest and has a key word; missed, if it says that nothing fits or marks something else
as nearest; wrong in every other case. What was never said is answered right with "nothing", and nearest if marked.
`--strange` asks the questions of the other sets instead and prints what is stated without reserve, to be read.
"""

import argparse
import asyncio
import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from recollect.core.types import Message, Place
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.assistant.offline import OfflineSearch
from recollect.language.requests import answer, languages, recognize
from recollect.memory import AsyncMemory

SETS = Path(__file__).with_name("sets")
START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)
VERDICTS = ("right", "mixed", "nearest", "missed", "wrong")
USER, DM = "ada", Place(dm="ada")
Say = Callable[[str], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Judged:
    question: str
    reply: str
    verdict: str


def verdict(question: dict[str, Any], reply: str) -> str:
    """right, mixed, nearest, missed or wrong."""
    says_nothing = any(reply == answer("nothing", language) for language in languages())
    is_marked = any(reply.startswith(answer("nearest", language)) for language in languages())
    if question.get("unknown"):
        return "right" if says_nothing else "nearest" if is_marked else "wrong"
    keys = "|".join(map(re.escape, question["key"]))
    key = re.compile(rf"(?<!\d)(?:\b(?:{keys})|(?:{keys})\b)(?!\d)", re.IGNORECASE)
    lines = [line for line in reply.splitlines() if line.startswith("- ")] or [reply]
    with_key = [line for line in lines if key.search(line)]
    if is_marked:
        return "nearest" if with_key else "missed"
    if says_nothing:
        return "missed"
    has_forbidden = any(word.casefold() in reply.casefold() for word in question.get("never", ()))
    if not with_key or has_forbidden:
        return "wrong"
    return "right" if len(with_key) == len(lines) else "mixed"


async def ask_all(name: str) -> tuple[list[str], list[Judged]]:
    """What was answered to the messages of a set, and its questions."""
    data = _read(name)
    async with _told(data["messages"]) as (noted, _, say):
        judged = [
            Judged(question["ask"], reply := await say(question["ask"]), verdict(question, reply))
            for question in data["questions"]
        ]
    return noted, judged


async def ask_strange(name: str) -> list[tuple[str, str]]:
    """The questions of other sets in the same language that a set answers without reserve, each with the answer."""
    language = name.partition("_")[0]
    others = [path.stem for path in sorted(SETS.glob(f"{language}_*.toml")) if path.stem != name]
    asked = dict.fromkeys(question["ask"] for other in others for question in _read(other)["questions"])
    async with _told(_read(name)["messages"]) as (_, memory, _):
        said = [
            (
                ask,
                await OfflineSearch(memory, Message("q", USER, DM, ask, START + timedelta(days=1)), language).find(ask),
            )
            for ask in asked
            if recognize(ask) is None
        ]
    return [(ask, reply) for ask, reply in said if reply.startswith(answer("fits", language))]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((SETS / f"{name}.toml").read_text(encoding="utf-8"))


@asynccontextmanager
async def _told(
    messages: Sequence[str],
) -> AsyncGenerator[tuple[list[str], AsyncMemory, Say]]:
    """A memory to which messages were told, each with its answer, and a function that says something more."""
    clock = _Clock(START)
    with tempfile.TemporaryDirectory() as folder:
        memory = AsyncMemory(Path(folder) / "memory.db", model="local", clock=clock)
        async with memory:
            assistant = Assistant(memory, clock=clock, explains_offline=False)

            async def say(text: str) -> str:
                clock.advance(timedelta(minutes=2))
                message = Message(f"m{clock.ticks}", USER, DM, text, clock(), name="Ada")
                reply = await assistant.reply(message)
                await assistant.record_reply(reply.text, message, f"r{clock.ticks}")
                return reply.text

            noted = [f"{text} → {await say(text)}" for text in messages]
            await memory.flush()  # people are slower than that
            yield noted, memory, say
            await assistant.close()


class _Clock:
    def __init__(self, start: datetime) -> None:
        self._now, self.ticks = start, 0

    def __call__(self) -> datetime:
        return self._now

    def advance(self, by: timedelta) -> None:
        self._now += by
        self.ticks += 1


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.chat", description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of sets; all by default")
    parser.add_argument("--show", action="store_true", help="print what was answered")
    parser.add_argument("--strange", action="store_true", help="print what is stated to the questions of other sets")
    options = parser.parse_args(arguments)
    for name in options.sets or sorted(path.stem for path in SETS.glob("*.toml")):
        if options.strange:
            for ask, reply in asyncio.run(ask_strange(name)):
                print(f"{name}: {ask}\n         " + reply.replace("\n", "\n         "))
            continue
        noted, judged = asyncio.run(ask_all(name))
        if options.show:
            print("\n".join(noted), end="\n\n")
        for item in judged:
            if options.show or item.verdict in ("missed", "mixed", "wrong"):
                print(f"{item.verdict:8} {item.question}\n         " + item.reply.replace("\n", "\n         "))
        counts = Counter(item.verdict for item in judged)
        figures = ", ".join(f"{counts[kind]} {kind}" for kind in VERDICTS)
        print(f"{name}: {figures} of {len(judged)}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
