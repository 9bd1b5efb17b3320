"""Scripted worlds: conversations of invented people, with questions and the lines that answer them.

Two people who tell each other about their lives, and a person with an assistant that answers at length. Facts are told,
corrected, and mentioned without being answered; both people have the same kinds of facts, so that a reranker has to
read who says what. All of it is ours: `worlds.yaml`.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.rerank.form import World

WORDS: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("worlds.yaml").read_text("utf-8"))
_SLOT = re.compile(r"\{(\w+)\}")
Told = tuple[str, str, list[str], bool]
"""Speaker, line, questions, and whether several lines answer."""
TWICE = 0.3
"""Share of what happens that happens to both people."""
_FIRST = {"who": "I", "whose": "my", "does": "do", "is": "am", "was": "was", "has": "have"}


def generate(count: int, seed: int) -> Iterator[World]:
    """So many worlds; every third is one with an assistant."""
    for number in range(count):
        chance = random.Random(f"{seed}:{number}")
        yield (_with_assistant if number % 3 == 2 else _friends)(f"world-{number}", chance)


def _fill(template: str, values: dict[str, str], chance: random.Random) -> str:
    """The template with the values, and with new ones for slots that have none yet."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            values[name] = chance.choice(WORDS["slots"][name])
        return values[name]

    text = _SLOT.sub(value, template)
    return text[:1].upper() + text[1:]


def _person(name: str) -> dict[str, str]:
    return {"who": name, "whose": f"{name}'s", "does": "does", "is": "is", "was": "was", "has": "has"}


def _question(template: str, values: dict[str, str], name: str, chance: random.Random) -> str:
    """About the person by name, or about "me"."""
    text = _fill(template, values | (_person(name) if name else _FIRST), chance)
    return text if name else text.replace("has I ", "have I ")


def _chatty(text: str, you: str, chance: random.Random) -> str:
    """As people write: with a reaction before, a question behind, a photo."""
    if chance.random() < 0.35:
        text = f"{chance.choice(WORDS['reactions']).format(you=you)} {text}"
    text += "" if text[-1] in "!?." else chance.choice([".", ".", "!", "", "..."])
    if chance.random() < 0.3:
        text += " " + chance.choice(WORDS["follow_ups"])
    if chance.random() < 0.12:
        text += f" [image: a photo of {chance.choice(WORDS['photos'])}]"
    return text if chance.random() < 0.85 else text.lower()


def _friends(name: str, chance: random.Random) -> World:
    world = World(name)
    first, second = chance.sample(WORDS["names"], 2)
    groups: list[list[Told]] = []
    topics = chance.sample(WORDS["topics"], 18)
    for topic in topics:
        for speaker in (first, second):
            for _ in range(chance.choice([1, 2, 3]) if topic.get("many") else 1):
                if chance.random() < 0.75:
                    values: dict[str, str] = {}
                    said = _fill(chance.choice(topic["says"]), values, chance)
                    asked = [
                        _question(ask, dict(values), speaker, chance) for ask in topic["asks"] if _has(ask, values)
                    ]
                    groups.append([(speaker, said, asked, bool(topic.get("many")))])
    events = chance.sample(WORDS["events"], 16)
    for event in events:
        speaker = chance.choice([first, second])
        groups.append(_event(event, speaker, second if speaker == first else first, chance))
        if chance.random() < TWICE:  # both did it, and a question is about one of them
            other = second if speaker == first else first
            groups.append(_event(event, other, speaker, chance))
    chance.shuffle(groups)
    told = [line for group in groups for line in group]
    many: dict[str, set[int]] = {}
    single: list[tuple[str, int]] = []
    for session in range(-(-len(told) // 6)):
        for speaker, said, asked, is_many in told[session * 6 : session * 6 + 6]:
            you = second if speaker == first else first
            if chance.random() < 0.5:
                world.say(session, you, _small_talk(speaker, chance))
            line = world.say(session, speaker, _chatty(said, you, chance))
            for question in asked if is_many else [chance.choice(asked)] if asked else []:
                if is_many:
                    many.setdefault(question, set()).add(line)
                else:
                    single.append((question, line))
            world.say(session, you, _small_talk(speaker, chance, reacts=True))
    for question, line in single:
        world.ask(question, line)
    for question in chance.sample(sorted(many), min(10, len(many))):
        world.ask(question, *many[question])
    return world


def _has(template: str, values: dict[str, str]) -> bool:
    """Whether a question is about nothing that was not said."""
    return {match for match in _SLOT.findall(template) if match not in _FIRST} <= values.keys()


def _event(event: list[str], speaker: str, other_speaker: str, chance: random.Random) -> list[Told]:
    """Some lines about something that happened: when and with whom, why, how it felt, a detail; and lines with the same
    words that answer nothing.
    """
    base, past, why, detail = event
    base = base.replace(" my ", f" {speaker}'s ")
    ask_detail, said_detail = detail.split("|")
    time, other, place, feeling = (chance.choice(WORDS[kind]) for kind in ("times", "others", "places", "feelings"))
    their = re.sub(r"\bmy\b", f"{speaker}'s", other)
    lines: list[Told] = []
    kind = chance.randrange(5)
    opening, asked = {
        0: (f"I {past} {time}", [f"When did {speaker} {base}?"]),
        1: (f"{time} I {past} with {other}", [f"When did {speaker} {base}?", f"With whom did {speaker} {base}?"]),
        2: (f"Guess what, {other} and I {past} in {place}",
            [f"Where did {speaker} {base}?", f"What did {speaker} do with {their}?"]),
        3: (f"So, {time} I finally {past}", [f"When did {speaker} {base}?", f"What did {speaker} finally do?"]),
        4: (f"I {past} in {place} {time}", [f"Where did {speaker} {base}?", f"What did {speaker} do in {place}?"]),
    }[kind]  # fmt: skip
    lines.append((speaker, opening, asked, False))
    if chance.random() < 0.5:
        lines.append(
            (speaker, f"I did it because {why}", [f"Why did {speaker} {base}?", f"What made {speaker} {base}?"], False)
        )
    if chance.random() < 0.5:
        lines.append(
            (speaker, f"When I {past}, I felt {feeling}", [f"How did {speaker} feel when they {past}?"], False)
        )
    if chance.random() < 0.8:
        question = _question(ask_detail, {}, speaker, chance)
        lines.append((speaker, said_detail, [question], False))
    if chance.random() < 0.3:  # mentioned before it happened: no answer to any of these
        lines.append((speaker, f"I've been thinking about it for a while, maybe I should {base}", [], False))
    yours = re.sub(r"\bmy\b", "your", past)
    if chance.random() < 0.5:
        lines.append((other_speaker, chance.choice(WORDS["asks_back"]).format(past=yours), [], False))
    if chance.random() < 0.3:
        lines.append((speaker, chance.choice(WORDS["mentions"]).format(past=past), [], False))
    return lines


def _small_talk(you: str, chance: random.Random, *, reacts: bool = False) -> str:
    pool = WORDS["reactions"] if reacts or chance.random() < 0.3 else WORDS["small_talk"]
    text = " ".join(chance.choice(pool).format(you=you).split())
    return f"{text} {chance.choice(WORDS['follow_ups'])}" if chance.random() < 0.4 else text


def _with_assistant(name: str, chance: random.Random) -> World:
    world = World(name)
    # One of each kind of thing, so that a correction is about the same thing as what it corrects.
    shared = {slot: chance.choice(WORDS["slots"][slot]) for slot in ("bigthing", "person", "role", "software", "theme")}
    answers: dict[str, set[int]] = {}
    chores = [(chore, chance.random() < 0.5) for chore in WORDS["chores"] for _ in range(2)]
    chance.shuffle(chores)
    for number, ((said, asked), is_shared) in enumerate(chores):
        values = dict(shared) if is_shared else {}
        before = chance.choice(["", "", "I'm kinda stuck. ", "Hi! ", "Thanks for that. ", "One more thing: "])
        line = world.say(number // 8, "user", before + _fill(said, values, chance))
        theme = values.get("theme") or values.get("bigthing") or values.get("software") or "this"
        advice = _fill(chance.choice(WORDS["advice"]), {"theme": theme}, chance) if chance.random() < 0.4 else ""
        reply = world.say(number // 8, "assistant", _long_answer(theme, chance, advice))
        if advice:
            answers.setdefault(chance.choice(WORDS["asks_advice"]).format(theme=theme), set()).add(reply)
        if chance.random() < 0.4:
            world.say(number // 8, "user", chance.choice(WORDS["thanks"]))
        for template in asked.split("|"):
            if _has(template, values):
                answers.setdefault(_fill(template, values, chance), set()).add(line)
    for topic in chance.sample(WORDS["topics"], 6):
        values = {}
        line = world.say(6, "user", _fill(chance.choice(topic["says"]), values, chance))
        world.say(6, "assistant", _long_answer(next(iter(values.values()), "this"), chance))
        template = chance.choice([ask for ask in topic["asks"] if _has(ask, values)])
        answers.setdefault(_question(template, values, "", chance), set()).add(line)
    for question in chance.sample(sorted(answers), min(48, len(answers))):
        world.ask(question, *answers[question])
    return world


def _long_answer(theme: str, chance: random.Random, advice: str = "") -> str:
    sentences = chance.sample(WORDS["answers"], chance.randint(4, 12))
    if advice:
        sentences.insert(chance.randrange(3), advice)  # a reranker reads the beginning
    return "\n".join(sentence.replace("{theme}", theme) for sentence in sentences)
