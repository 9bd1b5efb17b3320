"""The contract with the provider's prompt cache: what did not change stands first, byte for byte."""

import random
from itertools import pairwise

from recollect.prompting.assemble import Prompt
from tests.scenes import Stage, lines, names, opened

TURNS, EVERY = 60, 5
_RNG = random.Random(1)
_SYLLABLES = "ba de fi go lu mar ne pos ri sun ta vel wo zi kan mo".split()
_COMMON = "the a to and of it is in that we you i on for with this have be at so not just but can do what".split()
_WORDS = _COMMON + ["".join(_RNG.choices(_SYLLABLES, k=_RNG.choice([2, 3, 3]))) for _ in range(2_500)]
_WEIGHTS = [1 / (rank + 3) for rank in range(len(_WORDS))]
"""Words come as often as in real talk: few of them all the time, most of them seldom."""


def sentence(rng: random.Random, least: int, most: int) -> str:
    return " ".join(rng.choices(_WORDS, _WEIGHTS, k=rng.randint(least, most))).capitalize() + "."


async def a_day(stage: Stage, facts: int) -> list[Prompt]:
    """Turns of a user and the assistant over a day in one channel, in which someone else speaks now and then.

    Only what is said is new, and the summary every five turns.
    """
    rng = random.Random(4)
    await stage.remember(*(f"{sentence(rng, 4, 7)} Note {n}." for n in range(facts)))
    await stage.remember(*(f"{sentence(rng, 5, 9)} Lore {n}." for n in range(6)), lore=True, user="bob")
    await stage.remember("I look after the servers", "I bake bread", user="bob")
    await stage.say(sentence(rng, 6, 12), user="bob")
    prompts: list[Prompt] = []
    for turn in range(TURNS):
        message = await stage.say(sentence(rng, 5, 20))
        prompts.append(await stage.memory.context(message))
        await stage.reply(sentence(rng, 15, 40), message)
        if turn % 6 == 2:
            await stage.say(sentence(rng, 5, 15), user="bob")
        if turn % EVERY == EVERY - 1:
            await stage.summarise(" ".join(sentence(rng, 8, 14) for _ in range(18)), sequence=turn)
        stage.clock.advance(minutes=rng.choice([0, 1, 3, 8, 30]))
    return prompts


def shared(before: Prompt, after: Prompt) -> float:
    """The share of a prompt's characters with which the one before it begins too."""
    pairs = enumerate(zip(before.text, after.text, strict=False))
    same = next((place for place, (one, other) in pairs if one != other), min(len(before.text), len(after.text)))
    return same / len(after.text)


def has_changed(before: Prompt, after: Prompt) -> bool:
    """Whether a summary or a memory is another one than in the prompt before."""
    return any(lines(before, name)[:1] != lines(after, name)[:1] for name in ("rolling", "people", "durable"))


async def test_on_turns_on_which_no_memory_changed_nine_tenths_of_a_prompt_are_those_of_the_last():
    async with opened() as stage:
        prompts = await a_day(stage, facts=18)
        assert {"lore", "durable", "people", "rolling", "history"} <= set(names(prompts[-1]))
        later = [*pairwise(prompts)][EVERY:]
        same = [shared(*pair) for pair in later if not has_changed(*pair)]
        assert len(same) >= 0.75 * len(later)
        assert sum(same) / len(same) >= 0.9
        assert min(same) >= 0.8
        assert sum(shared(*pair) for pair in later) / len(later) >= 0.8, "turns after a new summary included"


async def test_where_nothing_at_all_changed_everything_before_the_message_is_the_same():
    async with opened() as stage:
        await stage.remember("Likes tea")
        await stage.say("hello")
        one, other = await stage.prompt("first question"), await stage.prompt("something else")
        assert one.text.removesuffix("first question") == other.text.removesuffix("something else")
        assert one.blocks()[:-1] == other.blocks()[:-1]
