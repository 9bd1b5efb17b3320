"""The corpus as records: messages, what should be learned from them, and the secrets that fill its blanks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).with_name("corpus.yaml")
SAID = datetime(2026, 11, 15, 12, tzinfo=UTC)
PARTS = ("development", "held-out")

# In pieces, so that no scanner takes the benchmark itself for a leak.
SECRETS = {
    "{AWS_KEY}": "AKIA" + "Q7RTWX2MNB5PLKJH",
    "{GITHUB_TOKEN}": "ghp" + "_" + "R8sT2vWx4Yz6Ab1Cd3Ef5Gh7Ij9Kl0Mn2Op4",
    "{OPENAI_KEY}": "sk" + "-proj-" + "Qm8Zt3Vx7Lw2Nc5Rb9Kd4Hs6Jf1Gp0Ty",
    "{SLACK_TOKEN}": "xox" + "b-" + "281746501923-5Kd9Qm2Zt7Vx3Lw8Nc1Rb6",
    "{JWT}": "eyJ"
    + "hbGciOiJIUzI1NiJ9."
    + "eyJ"
    + "zdWIiOiIxMjM0NTY3ODkwIn0."
    + "dBjftJeZ4CVPmB92K27uhbUJU1p1rwW1gFWFOEjXk",
    "{PASSWORD}": "hunter2" + "-Tr0ub4dor",
}


@dataclass(frozen=True, slots=True)
class Expected:
    """One thing that should be learned, in whatever words."""

    kinds: tuple[str, ...]
    words: tuple[str, ...]
    without: tuple[str, ...] = ()
    optional: bool = False
    about: str = ""
    happened: date | None = None
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sample:
    part: str
    category: str
    text: str
    at: datetime
    author: str
    learn: tuple[Expected, ...]
    known: tuple[str, ...]
    retracts: tuple[str, ...]
    secrets: tuple[str, ...]


def load(path: Path = CORPUS) -> list[Sample]:
    """Every message of both parts, its secrets filled in."""
    read: Mapping[str, list[Mapping[str, Any]]] = yaml.safe_load(path.read_text("utf-8"))
    return [_sample(part, entry) for part, entries in read.items() for entry in entries]


def _sample(part: str, entry: Mapping[str, Any]) -> Sample:
    text: str = entry["text"]
    secrets = [mark for mark in SECRETS if mark in text]
    for mark in secrets:
        text = text.replace(mark, SECRETS[mark])
    return Sample(
        part=part,
        category=entry["category"],
        text=text,
        at=entry.get("at", SAID),
        author=entry.get("author", "ann"),
        learn=tuple(_expected(each) for each in entry.get("learn", ())),
        known=tuple(entry.get("known", ())),
        retracts=tuple(entry.get("retracts", ())),
        secrets=tuple(SECRETS[mark] for mark in secrets),
    )


def _expected(entry: Mapping[str, Any]) -> Expected:
    return Expected(
        kinds=tuple(entry["kind"].split("|")),
        words=tuple(map(str, entry["words"])),
        without=tuple(map(str, entry.get("without", ()))),
        optional=entry.get("optional", False),
        about=entry.get("about", ""),
        happened=entry.get("happened"),
        replaces=tuple(entry.get("replaces", ())),
    )
