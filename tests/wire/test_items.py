"""Items of the documents that only count from end to end, each under its own document's profile."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from recollect import Place
from recollect.core.errors import BadInput
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.types import Status
from recollect.testing.embedding_server import EmbeddingServer, held
from recollect.testing.model_server import Request, Says
from recollect.testing.models import FakeModel, proposal_for, propose_nothing
from tests.faces.assistant.test_assistant import talking
from tests.scenes import DEV, DM, GENERAL, PRIVATE_THREAD, STAFF, Stage, opened
from tests.wire.test_requests import TERMINAL, last_turn


def written(folder: Path) -> str:
    return "".join(path.read_text("utf-8") for path in folder.rglob("*.json"))


@pytest.mark.acceptance("A30")
async def test_nothing_of_private_places_is_among_the_exchanges_of_discoclaw(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"exchanges": {"enabled": True}, "data_dir": str(tmp_path)}
    async with opened(
        "discoclaw", f"sqlite:///{tmp_path}/memory.db", model=FakeModel(propose_nothing), **settings
    ) as stage:
        for number, place in enumerate((DEV, STAFF, DM, PRIVATE_THREAD)):
            await stage.reply(f"answer {number}", await stage.say(f"question {number}", place=place))
        await stage.settle()
        assert stage.memory.mirror is not None
        await stage.memory.mirror.catch_up()
        entries = await stage.memory.store.read(lambda tx: tx.exchanges.by_author(guild=DEV.guild_key or ""))
    files = written(tmp_path)
    assert [entry.text for entry in entries] == ["Ann: question 0 | Bot: answer 0"]
    assert "question 0" in files
    assert not [number for number in (1, 2, 3) if f"question {number}" in files]


async def _durable(stage: Stage, text: str) -> list[str]:
    prompt = await stage.prompt(text, place=TERMINAL)
    return [line.reason for section in prompt.sections if section.name == "durable" for line in section.lines]


@pytest.mark.acceptance("A9")
async def test_facts_of_discoclaw_have_one_of_seven_kinds_whoever_states_them() -> None:
    seven = ("fact", "preference", "project", "constraint", "person", "tool", "workflow")

    def learn(heard: ExtractionInput) -> ExtractionResult:
        return ExtractionResult(tuple(proposal_for(one, kind=one.text.split()[-1]) for one in heard.messages))

    async with talking(
        lambda _: Says("I see."), profile="discoclaw", model=FakeModel(learn), extraction={"enabled": True}
    ) as talk:
        for kind in seven:
            await talk.stage.remember(f"Notes about the {kind}", kind=kind)
        for kind in (*seven, "opinion", "event"):
            await talk.ask(f"I collect stamps about my {kind}")
            await talk.stage.settle()
        with pytest.raises(BadInput, match="unknown kind"):
            await talk.stage.remember("Notes about nothing", kind="opinion")
        await talk.ask("what do you know?", place=GENERAL)
        turn = last_turn(talk.server.requests[-1])
    shown = re.findall(r"^- \[(.*?)\] (Notes|I collect).*? (\w+) \(src", turn, re.MULTILINE)
    assert sorted(kind for kind, who, about in shown if kind == about) == sorted([*seven, *seven])
    assert [kind for kind, _, about in shown if about in ("opinion", "event")] == ["fact", "fact"]


@pytest.mark.acceptance("E17")
async def test_devclaw_finds_by_meaning_what_shares_no_word_with_the_question() -> None:
    async with opened("devclaw", embedder="static") as stage:
        await stage.remember(
            "I like pizza with anchovies", "API uses JWT tokens", "My cat is called Tom", place=TERMINAL
        )
        await stage.memory.vectors.fill()
        first, *_ = await stage.memory.search("how to authenticate", user="ann", place=TERMINAL)
        (line, *_) = (await stage.prompt("how to authenticate", place=TERMINAL)).sections[0].lines
    assert first.text == "API uses JWT tokens"
    assert line.text == "- [fact] API uses JWT tokens"


@pytest.mark.acceptance("E41", "E43")
async def test_the_agent_of_devclaw_is_told_how_to_save_and_to_search() -> None:
    async with talking(lambda _: Says("I see."), profile="devclaw") as talk:
        await talk.ask("hello", place=TERMINAL)
        (request,) = talk.server.requests
    told = " ".join(request.instructions.split())
    for advice in (
        *("Save proactively", "Use keywords", "Choose the right category", "Keep it concise", "Search before you save"),
        *("natural language", "Filter by category"),
    ):
        assert advice in told


@pytest.mark.acceptance("E27")
async def test_a_search_that_hangs_keeps_devclaw_neither_from_starting_nor_from_answering() -> None:
    hangs = asyncio.Event()
    async with EmbeddingServer() as server:
        server.always(held(hangs))
        settings = {"embedder": "text-embedding-3-small", "embedder_base_url": server.url}
        async with asyncio.timeout(8), talking(lambda _: Says("I see."), profile="devclaw", **settings) as talk:
            await talk.stage.remember("API uses JWT tokens", place=TERMINAL)
            assert await talk.ask("which tokens does the API use?", place=TERMINAL) == "I see."
            assert "API uses JWT tokens" in last_turn(talk.server.requests[0])
            hangs.set()


@pytest.mark.acceptance("B23")
async def test_dnam_ranks_by_the_number_of_words_in_common_however_common_they_are() -> None:
    async with talking(lambda _: Says("I see."), profile="dnam", memos={"inject_max_items": 1}) as talk:
        await talk.stage.remember("Red bike and blue bike of the club", place=TERMINAL)
        await talk.stage.remember(*(f"Red and blue flags, pole {number}" for number in range(15)), place=TERMINAL)
        await talk.stage.remember("Owns a zeppelin", place=TERMINAL)
        talk.stage.clock.advance(days=90)
        await talk.ask("does the club have a red or blue bike, or a zeppelin?", place=TERMINAL)
        turn = last_turn(talk.server.requests[0])
        scores = await _durable(talk.stage, "does the club have a red or blue bike, or a zeppelin?")
    assert "Red bike and blue bike of the club" in turn
    assert scores[0].startswith("score 4.00")


@pytest.mark.acceptance("E19")
async def test_devclaw_ranks_by_the_fused_ranks() -> None:
    async with opened("devclaw", embedder="null") as stage:
        await stage.remember("API uses JWT tokens", "JWT expires", "Tea is fine", place=TERMINAL)
        reasons = await _durable(stage, "which API uses JWT tokens?")
    assert [reason.partition(" (")[0] for reason in reasons] == ["score 0.98", "score 0.97"]


@pytest.mark.acceptance("B43", "B67")
async def test_dnam_keeps_two_hundred_items_and_drops_deprecated_ones_first() -> None:
    async with opened("dnam") as stage:
        await stage.remember("Number 0 is the oldest", "Number 1 is wrong", place=DM)
        await stage.memory.forget("Number 1 is wrong", user="ann", place=DM)
        await stage.remember(*(f"Number {number} of the list" for number in range(2, 200)), place=DM)
        full = await stage.memory.list(user="ann", place=DM, statuses="any", limit=300)
        await stage.remember("Number 200 of the list", place=DM)
        without_deprecated = await stage.memory.list(user="ann", place=DM, statuses="any", limit=300)
        await stage.remember("Number 201 of the list", place=DM)
        without_oldest = await stage.memory.list(user="ann", place=DM, statuses="any", limit=300)
    assert [len(full.memos), len(without_deprecated.memos), len(without_oldest.memos)] == [200, 200, 200]
    assert [memo.text for memo in full.memos if memo.status is Status.DEPRECATED] == ["Number 1 is wrong"]
    assert all(memo.active for memo in without_deprecated.memos)
    assert "Number 0 is the oldest" in [memo.text for memo in without_deprecated.memos]
    assert "Number 0 is the oldest" not in [memo.text for memo in without_oldest.memos]


@pytest.mark.acceptance("E28")
async def test_before_the_window_is_shortened_devclaw_learns_from_what_leaves_it() -> None:
    def learn(heard: ExtractionInput) -> ExtractionResult:
        return ExtractionResult(tuple(proposal_for(one) for one in heard.messages if one.text.startswith("I live")))

    async with talking(
        lambda _: Says("word " * 200), profile="devclaw", model=FakeModel(learn), history={"inject_max_chars": 3_000}
    ) as talk:
        place = Place("discord", "g1", "c-dev", name="dev", public=True)
        await talk.ask("I live in Porto", place=place)
        await talk.stage.settle()
        assert await talk.stage.known(place=place) == []
        for number in range(4):
            await talk.ask(f"part {number} of the story: " + "detail " * 60, place=place)
        await talk.stage.settle()
        assert await talk.stage.known(place=place) == ["I live in Porto"]


@pytest.mark.acceptance("A27")
async def test_what_discoclaw_learns_from_a_message_is_in_the_next_request_and_not_in_its_own() -> None:
    learner = FakeModel(lambda heard: ExtractionResult(tuple(map(proposal_for, heard.messages[:1]))))

    def durable(request: Request) -> bool:
        return (
            "] I use Terraform" in last_turn(request).partition("Recent conversation:")[0].partition("User message")[0]
        )

    async with talking(
        lambda _: Says("I see."), profile="discoclaw", model=learner, extraction={"enabled": True}
    ) as talk:
        for text in ("I use Terraform", "what do I use?"):
            await talk.ask(text)
            await talk.stage.settle()
        assert await talk.stage.known(place=DEV) == ["I use Terraform"]
        assert [durable(request) for request in talk.server.requests] == [False, True]
