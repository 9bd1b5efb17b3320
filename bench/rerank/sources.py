"""Data whose licenses allow it, as conversations with questions and evidence; see `docs/reranking.md`.

- Dialogues (ours, `dialogues/`): two friends write to each other over months; questions in other words.
- Chit-chat (BYU, MIT, the package `chitchat-dataset`): what one person asks another, and the answer.
- QMSum (MIT): questions about meetings, with the turns that answer them.
- Molweni (Apache-2.0): questions about chats of several people.
- QAMR (MIT; its sentences are Wikipedia's and Wikinews's): questions about sentences.
- SelQA (Apache-2.0): questions about sections of Wikipedia, with the sentences that answer them.
- QED and XQuAD (CC BY-SA): questions about paragraphs of Wikipedia.
"""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.rerank.form import World
from bench.rerank.worlds import WORDS

MIN_ANSWER_WORDS = 4
CHATS_PER_WORLD = 25
DIALOGUES = Path(__file__).with_name("dialogues")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[A-Z\"“])")
_SWAPS = [
    (r"\bdo you\b", "does {}", "do I"),
    (r"\bare you\b", "is {}", "am I"), (r"\bwere you\b", "was {}", "was I"),
    (r"\bhave you\b", "has {}", "have I"), (r"\bhaven'?t you\b", "hasn't {}", "haven't I"),
    (r"\bdon'?t you\b", "doesn't {}", "don't I"),
    (r"\b(did|will|would|can|could|should|had|might) (?:you|u)\b", r"\1 {}", r"\1 I"),
    (r"\b(?:you'?re|you are)\b", "{} is", "I am"),
    (r"\byou(?:'ve| have)\b", "{} has", "I have"), (r"\byou'?ll\b", "{} will", "I will"),
    (r"\byou'?d\b", "{} would", "I would"),
    (r"\b(?:your|ur)\b", "{}'s", "my"), (r"\byours\b", "{}'s", "mine"), (r"\byourself\b", "themselves", "myself"),
    (r"\b(?:you guys|you)\b", "{}", "I"),
]  # fmt: skip
_ADDRESSED = re.compile(r"\b(?:you|your|ur)\b", re.IGNORECASE)
_MINE = re.compile(r"\b(?:i|i'm|my|me|we|our)\b", re.IGNORECASE)


def about(question: str, name: str) -> str:
    """A question to someone as one about them; without a name as one about oneself."""
    for pattern, named, own in _SWAPS:
        question = re.sub(pattern, (named.format(name) if name else own), question, flags=re.IGNORECASE)
    return question[:1].upper() + question[1:]


def chit_chat(folder: Path, chance: random.Random) -> Iterator[World]:
    chats = list(json.loads((folder / "chitchat.json").read_text("utf-8")).values())
    chance.shuffle(chats)
    for start in range(0, len(chats), CHATS_PER_WORLD):
        world = World(f"chit-chat-{start}")
        with_user = chance.random() < 0.2
        names = ["user", "user"] if with_user else chance.sample(WORDS["names"], 2)
        for session, chat in enumerate(chats[start : start + CHATS_PER_WORLD]):
            _add_chat(world, session, chat["messages"], names)
        yield world


def _add_chat(world: World, session: int, turns: list[list[dict[str, str]]], names: list[str]) -> None:
    senders: dict[str, str] = {}
    asked = ""
    for turn in turns:
        if not turn:
            continue
        speaker = names[len(senders) % 2]
        speaker = senders.setdefault(turn[0]["sender"], speaker)
        lines = [(line, world.say(session, speaker, line)) for line in (one["text"].strip() for one in turn) if line]
        answers = [one for text, one in lines if _answers(text)]
        if asked and answers:
            others = [one for _, one in lines if one not in answers]
            world.ask(about(asked, "" if speaker == "user" else speaker), *answers, unclear=others, any_of=True)
        asked = _question_in(lines[-1][0]) if lines else ""


def _answers(text: str) -> bool:
    return len(text.split()) >= MIN_ANSWER_WORDS and not text.endswith("?")


def _question_in(text: str) -> str:
    """The last question that is put to the other, if it says by itself what it is about."""
    questions = [part.strip() for part in re.split(r"(?<=[.?!])\s+", text) if part.strip().endswith("?")]
    last = questions[-1] if questions else ""
    return last if len(last.split()) >= 4 and _ADDRESSED.search(last) and not _MINE.search(last) else ""


def dialogues(folder: Path, chance: random.Random) -> Iterator[World]:  # noqa: ARG001 - one form for all
    for path in sorted(DIALOGUES.glob("*.json")):
        dialogue = json.loads(path.read_text("utf-8"))
        world = World(f"dialogue-{path.stem}")
        places = {
            turn: world.say(session, speaker, text)
            for session, talk in enumerate(dialogue["sessions"])
            for turn, speaker, text in talk["turns"]
        }
        for asked in dialogue["questions"]:
            world.ask(asked["q"], *(places[turn] for turn in asked["evidence"]))
        yield world


def qmsum(folder: Path, chance: random.Random) -> Iterator[World]:  # noqa: ARG001 - one form for all
    for path in sorted(folder.glob("qmsum/*.json")):
        meeting = json.loads(path.read_text("utf-8"))
        world = World(f"qmsum-{path.stem}")
        turns = meeting["meeting_transcripts"]
        lines = [world.say(number // 60, turn["speaker"], turn["content"] or "…") for number, turn in enumerate(turns)]
        for query in meeting["specific_query_list"]:
            spans = [(int(first), int(last)) for first, last in query["relevant_text_span"]]
            places = sorted({place for first, last in spans for place in range(first, min(last + 1, len(turns)))})
            places = [place for place in places if len(turns[place]["content"].split()) >= 10]
            if 0 < len(places) <= 12:
                world.ask(query["query"], *(lines[place] for place in places), any_of=True)
        if world.questions:
            yield world


def molweni(folder: Path, chance: random.Random) -> Iterator[World]:  # noqa: ARG001 - one form for all
    seen: set[str] = set()
    world = World("molweni-0")
    for number, dialogue in enumerate(json.loads((folder / "molweni.json").read_text("utf-8"))["data"]["dialogues"]):
        if number % 12 == 0 and world.lines:
            yield world
            world = World(f"molweni-{number}")
        starts: list[tuple[int, int]] = []
        at = 0
        for turn in dialogue["edus"]:
            line = world.say(number, turn["speaker"], turn["text"])
            starts.append((at, line))
            at += len(turn["speaker"]) + len(turn["text"]) + 3
        for asked in dialogue["qas"]:
            if asked["is_impossible"] or not asked["answers"] or asked["question"] in seen:
                continue
            seen.add(asked["question"])
            place = asked["answers"][0]["answer_start"]
            world.ask(asked["question"], [line for start, line in starts if start <= place][-1])
    yield world


def _sentences(name: str, groups: list[tuple[list[str], list[tuple[str, int]]]], size: int) -> Iterator[World]:
    """Worlds of texts that nobody says: each group is its sentences, and questions with the place of the answer."""
    for start in range(0, len(groups), size):
        world = World(f"{name}-{start}")
        for number, (sentences, asked) in enumerate(groups[start : start + size]):
            lines = [world.say(number, "", sentence) for sentence in sentences]
            for question, place in asked:
                world.ask(question, lines[place])
        yield world


def qamr(folder: Path, chance: random.Random) -> Iterator[World]:
    plain = {"-LRB-": "(", "-RRB-": ")", "``": '"', "''": '"'}
    rows = [line.split("\t") for line in (folder / "qamr-sentences.tsv").read_text("utf-8").splitlines()]
    texts = {
        row[0]: re.sub(r" ([,.;:?!)'])", r"\1", " ".join(plain.get(word, word) for word in row[1].split()))
        for row in rows
    }
    asked: dict[str, list[str]] = {}
    for file in sorted(folder.glob("qamr-*.tsv")):
        if file.name != "qamr-sentences.tsv":
            for line in file.read_text("utf-8").splitlines():
                cells = line.split("\t")
                if cells[0] in texts and len(cells[5].split()) >= 4:
                    asked.setdefault(cells[0], []).append(cells[5])
    groups = [
        ([texts[key]], [(one, 0) for one in chance.sample(found, min(3, len(found)))]) for key, found in asked.items()
    ]
    chance.shuffle(groups)
    yield from _sentences("qamr", groups, 120)


def qed(folder: Path, chance: random.Random) -> Iterator[World]:  # noqa: ARG001 - one form for all
    groups: list[tuple[list[str], list[tuple[str, int]]]] = []
    for line in (folder / "qed.jsonlines").read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        chosen = row["annotation"].get("selected_sentence") if row.get("annotation") else None
        if chosen:
            starts = row["sentence_starts"]
            ends = [*starts[1:], len(row["paragraph_text"])]
            sentences = [row["paragraph_text"][start:end].strip() for start, end in zip(starts, ends, strict=True)]
            place = sum(start <= chosen["start"] for start in starts) - 1
            groups.append((sentences, [(row["question_text"], place)]))
    yield from _sentences("qed", groups, 30)


def xquad(folder: Path, chance: random.Random) -> Iterator[World]:  # noqa: ARG001 - one form for all
    groups: list[tuple[list[str], list[tuple[str, int]]]] = []
    for article in json.loads((folder / "xquad.json").read_text("utf-8"))["data"]:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            starts = [0, *(match.end() for match in _SENTENCE.finditer(text))]
            sentences = [text[start:end].strip() for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
            asked = [
                (one["question"], sum(start <= one["answers"][0]["answer_start"] for start in starts) - 1)
                for one in paragraph["qas"]
            ]
            groups.append((sentences, asked))
    yield from _sentences("xquad", groups, 25)


def selqa(folder: Path, chance: random.Random) -> Iterator[World]:  # noqa: ARG001 - one form for all
    groups: list[tuple[list[str], list[tuple[str, int]]]] = []
    for path in sorted(folder.glob("selqa-*.json")):
        rows = json.loads(path.read_text("utf-8"))
        groups += [(row["candidates"], [(row["question"], place) for place in row["answers"][:1]]) for row in rows]
    yield from _sentences("selqa", groups, 20)


SOURCES: dict[str, Callable[[Path, random.Random], Iterator[World]]] = {
    "dialogues": dialogues, "chit-chat": chit_chat, "qmsum": qmsum, "molweni": molweni, "qamr": qamr, "qed": qed,
    "xquad": xquad, "selqa": selqa,
}  # fmt: skip
