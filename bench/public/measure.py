"""The measurements: in each round all sides do the same work in turn, and the ratio within a round is what counts."""

import random
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from bench.public.sides import Side, started
from bench.sentences import questions, sentence

WRITERS = 64
EVERYONE, ONE = "everyone", "one"
Step = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    sizes: tuple[int, ...] = (1_000, 10_000)
    """Memos of all people together, after each of which saves and searches are measured."""
    large: tuple[int, ...] = (1_000, 5_000)
    """Memos of one person."""
    users: int = 100
    rounds: int = 5
    saves: int = 60
    """Saved one at a time, per round."""
    concurrent: int = 320
    batch: int = 1_000
    """Saved together."""
    questions: int = 40
    messages: int = 40
    starts: int = 3
    kills: int = 0


@dataclass(frozen=True)
class Work:
    """One row of the table."""

    name: str
    unit: str
    """"/s" is better when higher, everything else when lower."""


@dataclass
class Figures:
    """A value per round of each work and side."""

    values: dict[Work, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    def add(self, work: Work, side: Side, value: float) -> None:
        self.values[work][side.name].append(value)

    def median(self, work: Work, side: str) -> float | None:
        values = self.values[work].get(side)
        return statistics.median(values) if values else None

    def ratio(self, work: Work, side: str, base: str) -> float | None:
        """The median of the ratios within a round; rounds that one of both sat out don't count."""
        pairs = zip(self.values[work].get(side, ()), self.values[work].get(base, ()), strict=False)
        ratios = [value / reference for value, reference in pairs if reference]
        return statistics.median(ratios) if ratios else None


class Run:
    """One run: the sides, what they are given and what it took them."""

    def __init__(self, sides: list[Side], size: Size, step: Step) -> None:
        self.sides, self.size, self.figures, self._step = sides, size, Figures(), step
        self._random, self._questions = random.Random(7), questions()
        self._texts = (sentence(self._random, number) for number in range(10_000_000))
        self._saved: dict[str, int] = {EVERYONE: 0, ONE: 0}
        self._turn = 0

    def all(self, folder: Path) -> Figures:
        with started(self.sides, folder):
            self.among_many()
            self.memory()
            self.conversation()
            self.one_large()
            for side in self.sides:
                side.close()
        self.disk(folder)
        with tempfile.TemporaryDirectory() as fresh:
            self.startup(Path(fresh))
            self.kills(Path(fresh))
        return self.figures

    def turns(self, memos: int = 0) -> Iterator[Side]:
        """The sides that hold as many memos, each time beginning with another."""
        self._turn += 1
        first = self._turn % len(self.sides)
        for side in (*self.sides[first:], *self.sides[:first]):
            limit = side.facts.get("max_memos")
            if limit is None or memos <= limit:
                yield side

    def _pairs(self, count: int, scope: str = EVERYONE) -> list[tuple[str, str]]:
        first = self._saved[scope]
        self._saved[scope] += count
        users = (f"u{number % self.size.users}" if scope == EVERYONE else ONE for number in range(first, first + count))
        return list(zip(users, islice(self._texts, count), strict=False))

    def _fill(self, count: int, scope: str, size: int) -> None:
        """Up to `count` memos in batches, which are measured when they are whole."""
        while (missing := count - self._saved[scope]) > 0:
            pairs = self._pairs(min(self.size.batch, missing), scope)
            for side in self.turns(size):
                (took,) = side.ask("save_all", pairs=pairs)["times"]
                if scope == EVERYONE:
                    self.figures.add(
                        Work(f"save, {self.size.batch:,} at once, up to {size:,} there", "/s"), side, len(pairs) / took
                    )

    def among_many(self) -> None:
        """Saves and searches of many people, as the store grows."""
        for size in self.size.sizes:
            self._step(f"{size:,} memos of {self.size.users:,} people")
            self._fill(size, EVERYONE, size)
            self._warm_up(size)
            for _ in range(self.size.rounds):
                self._saves(size)
                self._searches(f"search, one of {self.size.users:,} people, {size:,} memos", EVERYONE, size)

    def _warm_up(self, size: int) -> None:
        pairs, asked = self._pairs(10), self._asked(10, EVERYONE)
        for side in self.turns(size):
            side.ask("save", pairs=pairs)
            side.ask("search", asked=asked)

    def _saves(self, size: int) -> None:
        pairs = self._pairs(self.size.saves)
        for side in self.turns(size):
            times = side.ask("save", pairs=pairs)["times"]
            self.figures.add(Work(f"save, one at a time, {size:,} there", "/s"), side, len(times) / sum(times))
        pairs = self._pairs(self.size.concurrent)
        for side in self.turns(size):
            (took,) = side.ask("save_concurrently", pairs=pairs, writers=WRITERS)["times"]
            self.figures.add(Work(f"save, {WRITERS} at a time, {size:,} there", "/s"), side, len(pairs) / took)

    def _asked(self, count: int, scope: str) -> list[tuple[str, str]]:
        users = (f"u{self._random.randrange(self.size.users)}" if scope == EVERYONE else ONE for _ in range(count))
        return list(zip(users, islice(self._questions, count), strict=False))

    def _searches(self, name: str, scope: str, size: int) -> None:
        asked = self._asked(self.size.questions, scope)
        for side in self.turns(size):
            answer = side.ask("search", asked=asked)
            assert min(answer["hits"]) > 0, f"{side.name} found nothing"
            self.figures.add(Work(name, "ms"), side, 1000 * statistics.median(answer["times"]))

    def one_large(self) -> None:
        """Searches and prompts of one person who has nearly everything."""
        for size in self.size.large:
            self._step(f"{size:,} memos of one person")
            self._fill(size, ONE, size)
            for _ in range(self.size.rounds):
                self._searches(f"search, {size:,} memos of one person", ONE, size)
                self._prompts(f"context, {size:,} memos of one person", size)

    def _prompts(self, name: str, size: int) -> None:
        asked = [(f"p{self._turn}-{place}", ONE, next(self._questions)) for place in range(self.size.messages)]
        for side in self.turns(size):
            if side.facts["converses"]:
                times = side.ask("context", talk=asked)["times"]
                self.figures.add(Work(name, "ms"), side, 1000 * statistics.median(times))

    def memory(self) -> None:
        for side in self.turns(max(self.size.sizes)):
            self.figures.add(
                Work(f"memory with {max(self.size.sizes):,} memos", "MB"), side, side.ask("memory")["rss"] / 1e6
            )

    def conversation(self) -> None:
        """Messages in, what is learned from them, and prompts; of those sides that converse."""
        self._step("conversation")
        number = 0
        for round_number in range(self.size.rounds + 1):  # the first one warms up
            users = [f"u{self._random.randrange(self.size.users)}" for _ in range(2 * self.size.messages)]
            said = [(f"m{number + place}", user, next(self._texts)) for place, user in enumerate(users)]
            asked = [(f"q{number + place}", user, next(self._questions)) for place, user in enumerate(users[::2])]
            number += len(said)
            for side in self.turns():
                if side.facts["converses"]:
                    added = side.ask("add", talk=said[::2])["times"]
                    (learned,) = side.ask("learn", talk=said[1::2])["times"]
                    prompts = side.ask("context", talk=asked)["times"]
                    if round_number:
                        figures = self.figures
                        figures.add(Work("add a message, learning on", "ms"), side, 1000 * statistics.median(added))
                        figures.add(Work("messages added at once and learned", "/s"), side, len(said[1::2]) / learned)
                        figures.add(Work("context", "ms"), side, 1000 * statistics.median(prompts))

    def disk(self, folder: Path) -> None:
        """Bytes on disk for each memo, of those sides that hold everything; messages are part of it."""
        count = sum(self._saved.values())
        limit = max((*self.size.sizes, *self.size.large))
        for side in self.turns(limit):
            files = (path for path in (folder / side.name).rglob("*") if path.is_file())
            total = sum(path.stat().st_size for path in files if "plug-ins" not in path.parts)
            self.figures.add(Work("bytes on disk per memo", "B"), side, total / count)

    def startup(self, folder: Path) -> None:
        self._step("start")
        for number in range(self.size.starts):
            for side in self.turns():
                fresh = folder / f"{side.name}-{number}"
                fresh.mkdir()
                self.figures.add(
                    Work("import, new process", "ms"), side, 1000 * side.run(side.program("IMPORT"), fresh)
                )
                took = 1000 * side.run(side.program("START"), fresh)
                self.figures.add(Work("import, open, first save and search", "ms"), side, took)

    def kills(self, folder: Path) -> None:
        """Saves that are acknowledged, then `kill -9`: which of them are lost?"""
        lost = dict.fromkeys((side.name for side in self.sides), 0)
        for number in range(self.size.kills):
            self._step(f"kill -9, {number + 1} of {self.size.kills}")
            for side in self.turns():
                lost[side.name] += self._lost_by_kill(side, folder / f"{side.name}-kill")
        for side in self.sides if self.size.kills else ():
            self.figures.add(Work(f"acknowledged saves lost by {self.size.kills} kill -9", ""), side, lost[side.name])

    def _lost_by_kill(self, side: Side, folder: Path) -> int:
        folder.mkdir(exist_ok=True)
        user, texts = f"k{self._turn}", list(islice(self._texts, 2_000))
        side.start(folder)
        side.tell("save_until_killed", pairs=[(user, text) for text in texts])
        survivors = self._random.randrange(20, 400)
        saved = [texts[side.answer()["saved"]] for _ in range(survivors)]
        side.kill()
        side.start(folder)
        there = set(side.ask("texts", user=user)["texts"])
        side.close()
        return sum(text not in there for text in saved)
