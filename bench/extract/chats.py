"""Real chats with a free license, read from a folder where they were put: their text is not part of this repository.

`docs/learning-quality.md` says which files of which commit go where. Each source has two halves: rules may be tuned on
`development`; `held-out` is only measured.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

from bench.extract.corpus import SAID

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "chats"

IRC_LINE = re.compile(r'irc-date">\[(\d+):(\d+)\]</span> <span class="irc-black">&lt;([^&]+)&gt; (.*)</span><br />$')
IRC_BOTS = frozenset({"kompewter", "DuraLogBot", "jirabot", "github-ds", "github"})
IRC_BRIDGED = re.compile(r"<([^>]+)> (.*)")
TAG = re.compile(r"<[^>]+>")
SAMPLED_IRC_LINE = re.compile(r"\S+ ([\d-]+) \[(\d+):(\d+):\d+\] <([^>]+)>\s+(.*)$")
SAMPLED_IRC_BOTS = frozenset("wikibugs wikibugs_ gerrit-wm wm-bot logmsgbot bors rustbot playbot eval mrgrey".split())
FIRST_HELD_OUT_DIGIT = "8"
LAST_DEVELOPMENT_YEAR = 2013
LAST_DEVELOPMENT_CONVERSATION = 47


@dataclass(frozen=True, slots=True)
class ChatLine:
    """One message: `conversation/number`, who said it, and when."""

    id: str
    conversation: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Source:
    """Where chats come from, and how their files are read."""

    kind: str
    """Personal or work."""
    license: str
    origin: str
    pattern: str
    """Its files, below the data folder."""
    read: Callable[[Path], Iterator[ChatLine]]
    is_development: Callable[[str], bool]

    def lines(self, data: Path, half: str) -> list[ChatLine]:
        """Every message of one half, in order; empty when the files are not there."""
        files = sorted(data.glob(self.pattern))
        wanted = half == "development"
        return [line for path in files for line in self.read(path) if self.is_development(line.conversation) is wanted]


def read_meena(path: Path) -> Iterator[ChatLine]:
    conversation, number = "", 0
    for row in path.read_text("utf-8").splitlines():
        if row.startswith("Human Conversation "):
            conversation, number = row.removeprefix("Human Conversation "), 0
            continue
        speaker, colon, text = row.partition(": ")
        if colon and speaker in ("Human 1", "Human 2"):
            number += 1
            yield ChatLine(f"{conversation}/{number}", conversation, speaker.replace(" ", ""), text.strip(), SAID)


def read_duraspace(path: Path) -> Iterator[ChatLine]:
    day = datetime.strptime(path.stem, "%Y-%m-%d").replace(tzinfo=UTC)
    number = 0
    for row in path.read_text("utf-8", errors="replace").splitlines():
        parts = IRC_LINE.search(row)
        if parts is None or parts[3] in IRC_BOTS:
            continue
        number += 1
        at = day.replace(hour=int(parts[1]) % 24, minute=int(parts[2]))
        speaker, text = parts[3], unescape(TAG.sub("", parts[4])).strip()
        if bridged := IRC_BRIDGED.match(text) if speaker.startswith("DSpaceSlackBot") else None:
            speaker, text = bridged[1], bridged[2]
        yield ChatLine(f"{path.stem}/{number}", path.stem, speaker, text, at)


def read_chitchat(path: Path) -> Iterator[ChatLine]:
    for name, conversation in sorted(json.loads(path.read_text("utf-8")).items()):
        messages = [message for turn in conversation["messages"] for message in turn]
        for number, message in enumerate(messages, 1):
            yield ChatLine(f"{name[:8]}/{number}", name[:8], message["sender"][:8], message["text"].strip(), SAID)


def read_sampled_irc(path: Path) -> Iterator[ChatLine]:
    name = path.name.removesuffix(".ascii.txt")
    rows = map(SAMPLED_IRC_LINE.match, path.read_text("utf-8", errors="replace").splitlines())
    said = [row for row in rows if row is None or row[4] not in SAMPLED_IRC_BOTS]
    for number, row in enumerate(said, 1):
        if row is not None:
            at = datetime.strptime(f"{row[1]} {row[2]}:{row[3]}", "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
            yield ChatLine(f"{name}/{number}", name, row[4], row[5].strip(), at)


def read_real_persona_chat(path: Path) -> Iterator[ChatLine]:
    name = str(int(path.stem))
    for utterance in json.loads(path.read_text("utf-8"))["utterances"]:
        number = f"{name}/{utterance['utterance_id'] + 1}"
        yield ChatLine(number, name, utterance["interlocutor_id"], utterance["text"], SAID)


SOURCES = {
    "meena": Source(
        "personal",
        "CC BY 4.0",
        "google-research/google-research@015539128d9a7dbe14b5f5308a198a15da808949, meena/human.txt",
        "meena/human.txt",
        read_meena,
        lambda conversation: int(conversation) <= LAST_DEVELOPMENT_CONVERSATION,
    ),
    "duraspace": Source(
        "work",
        "CC BY 4.0",
        "duraspace/irclogs@41b63d8f1dde8d6db25d2c0810a03571f875de05, original-logs/",
        "duraspace/????-??-??.log",
        read_duraspace,
        lambda day: int(day[:4]) <= LAST_DEVELOPMENT_YEAR,
    ),
    "chitchat": Source(
        "personal",
        "MIT",
        "BYU-PCCL/chitchat-dataset, package chitchat_dataset 0.9.0, dataset.json",
        "chitchat/dataset.json",
        read_chitchat,
        lambda conversation: conversation < FIRST_HELD_OUT_DIGIT,
    ),
    "irc": Source(
        "work",
        "CC BY 4.0",
        "jkkummerfeld/irc-disentanglement@82ed04f9627a45d0d6f2ec3c8683c88eb408a0d5, data/new-domains/",
        "irc/*.ascii.txt",
        read_sampled_irc,
        lambda conversation: conversation.endswith(".0"),
    ),
    "real-persona-chat": Source(
        "personal, Japanese",
        "CC BY-SA 4.0",
        "nu-dialogue/real-persona-chat@28d0b6b3865b29cabc26c230a2db37cdf315e937, real_persona_chat/dialogues/",
        "real-persona-chat/?????.json",
        read_real_persona_chat,
        lambda dialogue: int(dialogue) % 2 == 1,
    ),
}
