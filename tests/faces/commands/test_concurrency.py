"""Many commands at once, beside learning, on a real file; and stores that fail."""

import asyncio
import logging
from pathlib import Path

import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult, GeneratedText, Proposal
from recollect.faces.commands.dispatcher import ChatCommands
from recollect.faces.outcome_text import OUT_OF_REACH
from recollect.models.null import NullModel
from tests import ground
from tests.faces.commands.talk import talking
from tests.scenes import DEV

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
LOCKERS = tuple(f"The locker called {name} belongs to me" for name in NUMBERS)
FACTS = ("I live in Oslo", "I play chess on Sundays")


class SlowModel(NullModel):
    """Says that it was asked, and answers when it is let go."""

    name = "slow"

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def extract(self, hearing: ExtractionInput) -> ExtractionResult:
        await self._wait()
        return ExtractionResult(tuple(Proposal(fact, "fact", fact) for fact in FACTS))

    async def summarize(self, previous: str | None, exchange: str, limit: int) -> GeneratedText:
        await self._wait()
        return GeneratedText("They talked about Oslo.")

    async def _wait(self) -> None:
        self.asked.set()
        await self.go.wait()


def file_store(folder: Path) -> str:
    return ground.at(folder / "memory.db")


async def said(orders: ChatCommands, text: str, user: str = "ann") -> str:
    answer = await orders.answer(text, user=user, place=DEV)
    assert answer is not None
    return "\n".join(answer.pages)


def counted(shown: str) -> tuple[int, int]:
    """The number in the header, and the lines under it."""
    head, *rest = shown.splitlines()
    return int(head.split("(")[1].split()[0]), sum(line[:1].isdigit() or line.startswith("- [") for line in rest)


def learned_in(shown: str) -> frozenset[str]:
    return frozenset(fact for fact in FACTS if fact in shown)


@pytest.mark.acceptance("B51")
@pytest.mark.parametrize("profile", ["unified", "dnam"])
async def test_orders_beside_a_round_of_learning_see_all_of_it_or_nothing(tmp_path: Path, profile: str):
    model, at_once = SlowModel(), {"extraction": {"trigger": "on_ingest"}}
    async with talking(profile, file_store(tmp_path), model=model, **at_once) as talk:
        await talk.stage.say(". ".join(FACTS))
        await model.asked.wait()
        await talk("!memory remember Deploys happen on Tuesdays")
        seen = [learned_in(await talk("!memory show"))]
        model.go.set()
        async with asyncio.timeout(20):
            while seen[-1] != set(FACTS):
                seen.append(learned_in(await talk("!memory show")))
        assert set(seen) == {frozenset(), frozenset(FACTS)}
        assert counted(await talk("!memory show")) == (3, 3)


async def test_what_is_forgotten_while_learning_goes_on_stays_forgotten(tmp_path: Path):
    model = SlowModel()
    async with talking(store=file_store(tmp_path), model=model) as talk:
        await talk.stage.say(". ".join(FACTS))
        await model.asked.wait()
        await talk("!memory remember I live in Oslo")
        await talk("!memory forget Oslo")
        model.go.set()
        assert await talk.memory.worker.wait_idle(20)
        assert learned_in(await talk("!memory show")) == {"I play chess on Sundays"}


async def test_a_summary_that_is_being_made_does_not_undo_a_reset(tmp_path: Path):
    model = SlowModel()
    how = {"extraction": {"enabled": False}, "summary": {"every_n_turns": 1}}
    async with talking(store=file_store(tmp_path), model=model, **how) as talk:
        await talk.stage.summarise("They talked about Bern.")
        asked = await talk.stage.say("Tell me about Oslo")
        await talk.stage.reply("It is in Norway", asked)
        await model.asked.wait()
        assert await talk("!memory reset rolling") == "Cleared the rolling summary of this session"
        model.go.set()
        assert await talk.memory.worker.wait_idle(20)
        assert "Rolling summary" not in await talk("!memory show")


async def test_many_orders_to_remember_at_once_are_all_kept_and_numbered_without_gaps(tmp_path: Path):
    async with talking(store=file_store(tmp_path)) as talk:
        shows = [said(talk.commands, "!memory show") for _ in LOCKERS]
        orders = [said(talk.commands, f"!memory remember {text}") for text in LOCKERS]
        answers = await asyncio.gather(*(each for pair in zip(shows, orders, strict=True) for each in pair))
        assert [answer.partition("\n")[0] for answer in answers[1::2]] == [f'Remembered: "{text}"' for text in LOCKERS]
        assert [counted(shown) for shown in answers[::2]] == [(count, count) for count in range(len(LOCKERS))]
        assert counted(await said(talk.commands, "!memory show")) == (12, 12)


@pytest.mark.acceptance("B51")
@pytest.mark.parametrize(("profile", "forgot"), [("unified", "Forgot 1 memory"), ("dnam", "Deprecated 1 item")])
async def test_the_orders_of_a_user_are_carried_out_as_they_came(tmp_path: Path, profile: str, forgot: str):
    async with talking(profile, file_store(tmp_path), embedder="static") as talk:
        told = ("remember I like tea", "forget I like tea", "undo", "pin I like tea", "show")
        answers = await asyncio.gather(*(said(talk.commands, f"!memory {order}") for order in told))
    begun = ['Remembered: "I like tea"', f'{forgot} matching "I like tea"', 'Restored: "I like tea"', "Pinned: "]
    assert [answer.startswith(start) for answer, start in zip(answers[:-1], begun, strict=True)] == [True] * 4, answers
    assert "I like tea" in answers[-1]


async def test_two_openings_of_one_file_lose_nothing_between_them(tmp_path: Path):
    async with talking(store=file_store(tmp_path)) as one, talking(store=file_store(tmp_path)) as other:
        desks = [one.commands, other.commands]
        await asyncio.gather(
            *(said(desks[number % 2], f"!memory remember {text}") for number, text in enumerate(LOCKERS))
        )
        for desk in desks:
            assert counted(await said(desk, "!memory show")) == (12, 12)


@pytest.mark.parametrize("profile", ["unified", "dnam"])
async def test_a_store_that_cannot_be_used_gets_a_friendly_answer_and_a_line_in_the_log(
    profile: str, caplog: pytest.LogCaptureFixture
):
    async with talking(profile) as talk:
        await talk.memory.store.close()
        with caplog.at_level(logging.WARNING, "recollect.commands"):
            for order in ("show", "remember I like tea", "forget tea", "undo", "search tea", "export", "pause"):
                assert await said(talk.commands, f"!memory {order}") == OUT_OF_REACH
                assert f"!memory {order.split()[0]} failed: the store is closed" in caplog.text
        assert "tea" not in caplog.text
        assert (await said(talk.commands, "!memory help")).startswith("Memory commands:")


async def test_memory_that_is_switched_off_says_so_in_one_line():
    async with talking(enabled=False) as talk:
        assert (await said(talk.commands, "!memory remember I like tea")).startswith("Memory is switched off")


async def test_a_name_that_nobody_can_have_is_one_line_whatever_is_ordered():
    async with talking() as talk:
        for order in ("show", "remember I like tea", "forget tea", "pause", "why 1", "export"):
            assert await said(talk.commands, f"!memory {order}", user="__lore__") == "'__lore__' is not a user"
