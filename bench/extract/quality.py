"""Precision, junk and recall of what a memory stores, per language and per source of real chats."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from math import sqrt
from pathlib import Path
from typing import Any

import yaml

from bench.extract.chats import ChatLine
from bench.extract.corpus import SAID
from bench.extract.expected import says
from bench.extract.learned import Learned
from recollect.core.types import Message, Place

LANGUAGES = Path(__file__).with_name("languages")
JUDGED = Path(__file__).with_name("judged")
VERDICTS = ("keep", "junk", "wrong")
Z_95 = 1.96
SECONDS_BETWEEN = timedelta(seconds=20)
"""Between two messages of a conversation, so that each has those before it for context; all are of one day."""


def interval(count: int, size: int) -> tuple[float, float]:
    """Wilson's, 95 %: where the share lies, judged by a sample of this size."""
    if not size:
        return 0.0, 1.0
    share, z = count / size, Z_95
    middle, half = share + z * z / (2 * size), z * sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    return max(0.0, (middle - half) / (1 + z * z / size)), min(1.0, (middle + half) / (1 + z * z / size))


@dataclass(slots=True)
class Score:
    """Counts of one language or half of a source."""

    messages: int
    facts: int
    """Explicit durable facts in the messages that were read for them."""
    met: int = 0
    """Those that are stored."""
    keep: int = 0
    """Stored, and worth keeping: true, of the speaker, useful in months, complete enough to stand alone."""
    junk: int = 0
    """True, perhaps, but of no use: a moment, a fragment, nobody's matter."""
    wrong: int = 0
    """Not what was said."""
    unjudged: list[Learned] = field(default_factory=list[Learned])
    faults: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """What was missed, junk or wrong, and which."""

    @property
    def judged(self) -> int:
        return self.keep + self.junk + self.wrong

    def as_data(self) -> dict[str, Any]:
        counts = {"messages": self.messages, "stored": self.judged + len(self.unjudged), "unjudged": len(self.unjudged)}
        return counts | {
            "keep": self.keep,
            "junk": self.junk,
            "wrong": self.wrong,
            "precision": share(self.keep, self.judged),
            "facts": self.facts,
            "met": self.met,
            "recall": share(self.met, self.facts),
        }


def share(count: int, size: int) -> list[float] | None:
    """A share and its interval, rounded; None of nothing."""
    return [round(value, 3) for value in (count / size, *interval(count, size))] if size else None


@dataclass(frozen=True, slots=True)
class Written:
    """A message that was written for a language's corpus."""

    message: Message
    facts: tuple[str, ...]
    also: tuple[str, ...]
    """What may be learned but need not be."""


def load_language(path: Path) -> list[Written]:
    read: Mapping[str, Sequence[Mapping[str, Any]]] = yaml.safe_load(path.read_text("utf-8"))
    entries = [*read["facts"], *read["nothing"]]
    return [_written(f"{path.stem}-{number}", entry) for number, entry in enumerate(entries)]


def _written(name: str, entry: Mapping[str, Any]) -> Written:
    message = Message(name, name, Place(dm=name), entry["text"], SAID, "Robin")
    return Written(message, tuple(map(str, entry.get("facts", ()))), tuple(map(str, entry.get("also", ()))))


def load_overruled(language: str) -> Mapping[str, str]:
    """A reader's verdicts on memos that hold the right words and are wrong."""
    read: Mapping[str, Mapping[str, str]] = yaml.safe_load((JUDGED / "languages.yaml").read_text("utf-8"))
    return read.get(language, {})


def score_language(written: Sequence[Written], learned: Iterable[Learned], overruled: Mapping[str, str]) -> Score:
    """Each speaker says one message: what is stored of them says one of its facts, or is a fault."""
    score = Score(len(written), sum(len(each.facts) for each in written))
    by_speaker: dict[str, list[Learned]] = {}
    for memo in learned:
        by_speaker.setdefault(memo.speaker, []).append(memo)
    for each in written:
        memos = by_speaker.get(each.message.author, [])
        good = [memo.text for memo in memos if memo.text not in overruled]
        met = {fact for fact in each.facts if any(says(text, fact) for text in good)}
        score.met += len(met)
        score.faults += [("missed", f"{fact} | {each.message.text}") for fact in each.facts if fact not in met]
        for memo in memos:
            right = any(says(memo.text, fact) for fact in (*each.facts, *each.also))
            verdict = overruled.get(memo.text) or ("keep" if right else "wrong" if each.facts else "junk")
            _count(score, verdict, f"{memo.text} | {each.message.text}")
    return score


def _count(score: Score, verdict: str, shown: str) -> None:
    setattr(score, verdict, getattr(score, verdict) + 1)
    if verdict != "keep":
        score.faults.append((verdict, shown))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a reader found in a source, and said of what was stored from it."""

    read: frozenset[str] | None
    """The conversations that were read from beginning to end; None for all."""
    days: frozenset[str] | None
    facts: Mapping[str, Sequence[str]]
    verdicts: Mapping[str, Mapping[str, str]]

    def measures(self, line: ChatLine) -> bool:
        return self.days is None or line.conversation in self.days


def load_judgement(source: str) -> Judgement:
    read: Mapping[str, Any] = yaml.safe_load((JUDGED / f"{source}.yaml").read_text("utf-8"))
    days = frozenset(read["days"].replace(",", " ").split()) if "days" in read else None
    conversations = None if read["read"] == "all" else frozenset(map(str, read["read"]))
    facts = {str(key): tuple(map(str, value)) for key, value in read["facts"].items()}
    return Judgement(conversations, days, facts, read["verdicts"] or {})


def message_of(source: str, line: ChatLine) -> Message:
    """A line as said in a channel of its own; who speaks is somebody else in each source."""
    own = f"{source}/{line.conversation}/" if source == "meena" else f"{source}/"
    place = Place(guild=source, channel=line.conversation)
    at = SAID + SECONDS_BETWEEN * int(line.id.rpartition("/")[2])
    return Message(f"{source}/{line.id}", own + line.speaker, place, line.text, at, line.speaker)


def score_chat(source: str, lines: Sequence[ChatLine], judgement: Judgement, learned: Sequence[Learned]) -> Score:
    """Recall over what was read, precision over everything that was stored and judged."""
    texts = {f"{source}/{line.id}": line for line in lines}
    good: dict[tuple[str, str], list[Learned]] = {}
    for memo in learned:
        line = texts.get(memo.message)
        if line and _verdict(line, memo, judgement) not in ("junk", "wrong"):
            good.setdefault((line.speaker, line.conversation), []).append(memo)
    score = Score(len(lines), 0)
    for line in lines:
        for fact in judgement.facts.get(line.id, ()):
            score.facts += 1
            if any(says(memo.text, fact) for memo in good.get((line.speaker, line.conversation), ())):
                score.met += 1
            else:
                score.faults.append(("missed", f"{line.id} {fact} | {line.text}"))
    for memo in learned:
        line = texts.get(memo.message)
        verdict = _verdict(line, memo, judgement)
        shown = f"{line.id if line else memo.message} {memo.text} | {line.text if line else ''}"
        if verdict is None:
            score.unjudged.append(memo)
            score.faults.append(("unjudged", shown))
        else:
            _count(score, verdict, shown)
    return score


def _verdict(line: ChatLine | None, memo: Learned, judgement: Judgement) -> str | None:
    """As judged by reading; without that, what says a fact that was found in its message is worth keeping."""
    if line is None:
        return None
    judged = judgement.verdicts.get(line.id, {}).get(memo.text)
    return judged or ("keep" if any(says(memo.text, fact) for fact in judgement.facts.get(line.id, ())) else None)
