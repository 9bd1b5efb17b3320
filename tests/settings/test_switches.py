"""Settings by their effect: what is switched off stays off, whoever asks, and each number does what it says."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import BadInput
from recollect.core.outcomes import Forgotten
from recollect.core.ports import ExtractionInput
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.privacy.target import ErasureTarget
from recollect.testing.model_server import ModelServer, Request, Says
from recollect.testing.models import FakeModel, propose_nothing
from tests import ground
from tests.faces.discord.scene import speaker_of
from tests.scenes import DEV, DM, GENERAL, Stage, lines, names, opened
from tests.waiting import eventually

NO_SUMMARIES = {"summary": {"enabled": False, "every_n_turns": 1}}
NO_DURABLE = {"memos": {"enabled": False}}
OFF = "durable memory is switched off; switch it on with RECOLLECT_MEMOS_ENABLED=true"
SUMMARISES = "You maintain the running summary"
EXTRACTS = "You keep the long-term memory"


@asynccontextmanager
async def speaking(server: ModelServer) -> AsyncIterator[Any]:
    """A model that talks."""
    speaker = speaker_of(server)
    try:
        yield speaker
    finally:
        await speaker.close()


async def exchange(stage: Stage, text: str, place: Any = DEV, user: str = "ann") -> None:
    await stage.reply("I see", await stage.say(text, user, place))


async def kinds_of_jobs(stage: Stage) -> set[str]:
    return {job.kind for job in (await stage.memory.worker.status(50)).jobs}


class TestNoSummaries:
    async def test_no_job_and_no_request_come_of_a_conversation(self) -> None:
        async with ModelServer(Says('{"upserts": [], "deprecations": []}')) as server:
            model = {"model": "openai:small", "model_base_url": server.url}
            async with opened(**model, **NO_SUMMARIES, run_worker=False) as stage:
                await exchange(stage, "I live in Lisbon")
                assert "summarize" not in await kinds_of_jobs(stage)
            async with opened(**model, **NO_SUMMARIES, run_worker=True) as stage:
                for number in range(6):
                    await exchange(stage, f"this is number {number}")
                await stage.settle()
        assert server.requests
        assert not [request for request in server.requests if SUMMARISES in request.instructions]

    async def test_pending_summary_jobs_are_dropped_when_summaries_are_off(self, tmp_path: Path) -> None:
        store = ground.at(tmp_path / "memory.db")
        model = FakeModel(propose_nothing)
        async with opened("dnam", store, summary={"every_n_turns": 1}, run_worker=False) as stage:
            await exchange(stage, "I live in Lisbon")
            assert "summarize" in await kinds_of_jobs(stage)
        async with opened("dnam", store, model=model, **NO_SUMMARIES) as stage:
            stage.clock.advance(days=1)
            await stage.settle()
            assert "summarize" not in await kinds_of_jobs(stage)
            assert (await stage.memory.show(user="ann", place=DEV)).summary is None
        assert model.exchanges == []

    async def test_a_deleted_message_does_not_start_them_again(self, tmp_path: Path) -> None:
        store, model = ground.at(tmp_path / "memory.db"), FakeModel(propose_nothing)
        async with opened("unified", store, model=model, summary={"every_n_turns": 1}) as stage:
            said = await stage.say("I live in Lisbon")
            await stage.reply("I see", said)
            await stage.settle()
            assert len(model.exchanges) == 1
        async with opened("unified", store, model=model, **NO_SUMMARIES) as stage:
            stage.clock.advance(days=1)
            await stage.memory.message_deleted("discord", said.id)
            await stage.settle()
            assert (await stage.memory.show(user="ann", place=DEV)).summary is None
        assert len(model.exchanges) == 1

    async def test_one_from_before_is_in_no_prompt_and_show_says_why(self) -> None:
        async with opened(**NO_SUMMARIES) as stage:
            await stage.summarise("They plan a release.")
            assert "rolling" not in names(await stage.prompt())
            assistant = Assistant(stage.memory, clock=stage.clock)
            shown = await assistant.reply(stage.message("!memory show"))
            assert shown.text.splitlines()[-3:] == ["They plan a release.", "", "Rolling summaries are switched off."]
            cleared = await assistant.reply(stage.message("!memory reset rolling"))
            assert cleared.text.endswith("this session. Rolling summaries are switched off.")
            assert (await stage.memory.show(user="ann", place=DEV)).summary is None

    async def test_where_they_are_on_nothing_is_said(self) -> None:
        async with opened() as stage:
            assert (await stage.memory.show(user="ann", place=DEV)).off == ()


class TestNoDurableMemory:
    async def test_remember_says_so_instead_of_remembering(self) -> None:
        async with opened(**NO_DURABLE) as stage:
            reply = await Assistant(stage.memory).reply(stage.message("!memory remember I live in Lisbon"))
            assert reply.text == OFF[0].upper() + OFF[1:]
            for lore in (False, True):
                with pytest.raises(BadInput, match=OFF):
                    await stage.memory.remember("We meet on Mondays", user="ann", place=DEV, lore=lore)
            tool = MemoryTool(stage.memory, user="ann", place=DM)
            saved = await tool(action="save", content="I live in Lisbon", category="fact")
            assert (saved.ok, saved.text) == (False, f"error: {OFF}")
            assert await stage.known() == []

    async def test_nothing_is_learned_and_what_waited_is_passed_over(self, tmp_path: Path) -> None:
        store, model = ground.at(tmp_path / "memory.db"), FakeModel()
        async with opened("unified", store, run_worker=False) as stage:
            said = await stage.say("I live in Lisbon")
        async with opened("unified", store, model=model, **NO_DURABLE) as stage:
            stage.said = 10
            stage.clock.advance(days=1)
            await stage.tell("I work at Acme")
            assert await stage.known() == []
            (event,) = await stage.events("learning.skipped")
            assert await kinds_of_jobs(stage) & {"extract", "consolidate"} <= {"consolidate"}
        assert model.inputs == []
        assert (event.reason, event.data["messages"]) == ("learning is switched off", [f"discord/{said.id}"])

    @pytest.mark.parametrize("profile", ["unified", "discoclaw", "dnam", "clanker", "devclaw"])
    async def test_what_is_stored_is_in_no_prompt_and_in_no_reply(self, tmp_path: Path, profile: str) -> None:
        store = ground.at(tmp_path / "memory.db")
        async with opened(profile, store) as stage:
            await stage.remember("I live in Lisbon", "I work at Acme")
            await stage.remember("I live in Porto", user="bob")
            await stage.remember("Lisbon is where we meet", lore=True)
        async with opened(profile, store, **NO_DURABLE) as stage:
            await stage.say("hello there", user="bob")
            prompt = await stage.prompt("where do I live, Lisbon or Porto?")
            alone = await Assistant(stage.memory).reply(stage.message("where do I live, Lisbon or Porto?"))
            tool = MemoryTool(stage.memory, user="ann", place=DEV)
            found = await tool(action="search", query="where do I live?")
        assert not {"durable", "relevant", "lore", "people"} & set(names(prompt))
        assert "Acme" not in prompt.text
        assert "I live in" not in alone.text
        assert (found.data["enabled"], found.data["results"]) == (False, [])
        assert found.text.startswith("Durable memory is switched off")

    async def test_one_may_still_look_forget_export_and_erase(self, tmp_path: Path) -> None:
        store = ground.at(tmp_path / "memory.db")
        async with opened("unified", store) as stage:
            await stage.remember("I live in Lisbon", "I work at Acme")
        async with opened("unified", store, **NO_DURABLE) as stage:
            assistant = Assistant(stage.memory, clock=stage.clock)
            shown = (await assistant.reply(stage.message("!memory show", place=DM))).text
            assert "I live in Lisbon" in shown
            assert shown.endswith("Durable memory is switched off: nothing is learned, remembered or recalled.")
            assert "I work at Acme" in (await assistant.reply(stage.message("!memory export", place=DM))).text
            assert isinstance(await stage.memory.forget("Lisbon", user="ann", place=DM), Forgotten)
            assert await stage.known() == ["I work at Acme"]
            receipt = await stage.memory.privacy.erase(ErasureTarget(user="discord:ann"), asked_by="discord:ann")
            assert receipt.clean
            assert await stage.known() == []
            empty = (await assistant.reply(stage.message("!memory show", place=DM))).text
            assert "!memory remember" not in empty

    async def test_the_model_that_talks_is_not_asked_for_lore(self) -> None:
        async with ModelServer(Says("Hello!")) as server:
            for settings in ({}, NO_DURABLE):
                async with opened(**settings) as stage, speaking(server) as speaker:
                    await Assistant(stage.memory, speaker, clock=stage.clock).reply(stage.message("hello"))
        on, off = server.requests
        assert "memory_line:" in on.instructions
        assert "memory_line:" not in off.instructions


class TestModels:
    @pytest.mark.parametrize("provider", ["openai", "anthropic"])
    async def test_facts_and_summaries_are_made_by_their_own_models_on_their_own_servers(self, provider: str) -> None:
        def answer(request: Request) -> Says:
            return Says("{}" if EXTRACTS in request.instructions else "They talk.")

        async with ModelServer(answer) as main, ModelServer(answer) as facts, ModelServer(answer) as sums:
            settings = {
                "model": f"{provider}:main",
                "model_base_url": main.url,
                "extraction": {"model": f"{provider}:learner", "base_url": facts.url},
                "summary": {"model": f"{provider}:writer", "base_url": sums.url, "every_n_turns": 1},
            }
            async with opened(**settings, run_worker=True) as stage:
                await exchange(stage, "I live in Lisbon")
                await stage.settle()
        assert main.requests == []
        assert [(one.model, EXTRACTS in one.instructions) for one in facts.requests] == [("learner", True)]
        assert [(one.model, SUMMARISES in one.instructions) for one in sums.requests] == [("writer", True)]

    async def test_on_one_server_each_asks_for_its_own_model(self) -> None:
        async with ModelServer(Says("{}")) as server:
            settings = {
                "model": "openai:main",
                "model_base_url": server.url,
                "extraction": {"model": "openai:learner"},
                "summary": {"model": "openai:writer", "every_n_turns": 1},
            }
            async with opened(**settings, run_worker=True) as stage:
                await exchange(stage, "I live in Lisbon")
                await stage.settle()
        asked = {request.model: request.instructions for request in server.requests}
        assert sorted(asked) == ["learner", "writer"]
        assert EXTRACTS in asked["learner"]
        assert SUMMARISES in asked["writer"]

    async def test_a_memory_is_tidied_by_the_model_that_learns(self) -> None:
        async with ModelServer() as main, ModelServer(Says("{}")) as facts:
            settings = {"model": "openai:main", "model_base_url": main.url, "consolidation": {"min_memos": 1}}
            async with opened(**settings, extraction={"model": "openai:learner", "base_url": facts.url}) as stage:
                await stage.remember("I like tea", "I love green tea", "I like black tea a lot", "I like tea with milk")
                await stage.memory.consolidate(user="discord:ann")
        assert main.requests == []
        assert {request.model for request in facts.requests} == {"learner"}


class TestNumbers:
    """Each of these would go unnoticed as a constant: the number is one that no profile has."""

    async def test_a_summary_is_given_up_after_its_own_timeout(self) -> None:
        async def condenses(previous: str | None, exchange: str, limit: int) -> str:
            await asyncio.Event().wait()
            return "never"

        settings = {"summary": {"timeout": "20ms", "every_n_turns": 1}, "extraction": {"timeout": "1h"}}
        async with opened(model=FakeModel(propose_nothing, condenses), **settings) as stage:
            await exchange(stage, "I live in Lisbon")
            assert await stage.memory.worker.wait_idle(10), "a slow summary is no outage: nothing else waits"
            (event,) = await stage.events("summarize.error")
            jobs = (await stage.memory.worker.status(5)).jobs
            assert [job.attempts for job in jobs if job.kind == "summarize"] == [1]
        assert event.text == "no answer within 0 s"

    @pytest.mark.parametrize("every", [2, 3])
    async def test_a_summary_is_made_every_so_many_turns(self, every: int) -> None:
        model = FakeModel(propose_nothing)
        async with opened(model=model, summary={"every_n_turns": every}) as stage:
            for number in range(6):
                await exchange(stage, f"turn {number}")
                await stage.settle()
        assert len(model.exchanges) == 6 // every

    @pytest.mark.parametrize("every", [2, 3])
    async def test_facts_are_learned_every_so_many_turns(self, every: int) -> None:
        model = FakeModel(propose_nothing)
        async with opened(model=model, extraction={"trigger": "every_n_turns", "every_n_turns": every}) as stage:
            for number in range(6):
                await exchange(stage, f"turn {number} of mine")
                await stage.settle()
        assert [len(hearing.messages) for hearing in model.inputs] == [every] * (6 // every)

    @pytest.mark.parametrize("most", [2, 25])
    async def test_short_term_memory_keeps_so_many_exchanges(self, most: int) -> None:
        async with opened(
            "discoclaw", exchanges={"enabled": True, "max_entries": most, "inject_max_chars": "none"}
        ) as (stage):
            for number in range(30):
                await exchange(stage, f"turn {number}", GENERAL)
            assert len(lines(await stage.prompt(), "shortterm")) == most
            kept = await stage.memory.store.read(lambda tx: tx.exchanges.recent("g1", stage.clock(), 100))
        assert len(kept) == most

    @pytest.mark.parametrize("seconds", [7, 100])
    async def test_a_prompt_is_made_again_behind_the_scenes_after_its_lifetime(self, seconds: int) -> None:
        class Counting:
            asked = 0

            async def blocks(self, scene: object) -> list[Any]:
                self.asked += 1
                return []

        layer = Counting()
        async with opened(search={"cache_ttl": f"{seconds}s"}) as stage:
            memory = stage.with_layers({"counting": layer}).memory
            message = stage.message("hello")
            await memory.context(message)
            stage.clock.advance(seconds=seconds - 1)
            await memory.context(message)
            assert layer.asked == 1, "fresh until then"
            stage.clock.advance(seconds=2)
            await memory.context(message)
            await eventually(lambda: layer.asked == 2)
            await memory.close()

    @pytest.mark.parametrize("most", [3, 11])
    async def test_a_prompt_carries_so_many_relevant_facts(self, most: int) -> None:
        settings = {"embedder": "null", "memos": {"inject_max_items": most, "inject_own_items": 0}}
        async with opened("clanker", **settings) as stage:
            for number in range(20):
                await stage.remember(f"The deploy of service{number} runs on host{number}")
            prompt = await stage.prompt("how does the deploy of a service run?")
        assert len(lines(prompt, "durable")) == most

    async def test_relevant_facts_come_in_full_number_beside_those_of_the_speaker(self) -> None:
        async with opened("clanker", embedder="null") as stage:
            for number in range(30):
                await stage.remember(f"The deploy of lore{number} runs on host{number}", user="bob", lore=True)
            prompt = await stage.prompt("how does the deploy of lore run?")
        assert len(lines(prompt, "relevant")) == 10

    async def test_before_a_conversation_is_shortened_what_waits_is_learned_from(self) -> None:
        model = FakeModel(propose_nothing)
        settings = {"extraction": {"trigger": "pre_compaction"}, "model": model, "summary": {"enabled": False}}
        settings["history"] = {"inject_max_chars": 4_000}
        wordy = ModelServer(Says("well " * 200))
        async with wordy as server, speaking(server) as speaker, opened(**settings) as stage:
            assistant = Assistant(stage.memory, speaker, clock=stage.clock)
            for number in range(6):
                message = stage.message(f"I have {number} goats in my garden")
                reply = await assistant.reply(message)
                await assistant.record_reply(reply.text, message, f"r{number}")
                stage.clock.advance(minutes=1)
            await stage.settle()
        assert model.inputs
        assert "I have 0 goats in my garden" in [one.text for hearing in model.inputs for one in hearing.messages]

    async def test_exported_facts_lie_in_the_folder_that_is_set(self, tmp_path: Path) -> None:
        folder = tmp_path / "elsewhere" / "facts"
        async with opened(
            "discoclaw", ground.at(tmp_path / "memory.db"), memos={"dir": str(folder)}, run_worker=True, model="null"
        ) as stage:
            await stage.remember("I live in Lisbon")
            await stage.memory.mirror.catch_up()
        (file,) = folder.glob("*.json")
        assert [item["text"] for item in json.loads(file.read_text())["items"]] == ["I live in Lisbon"]
        assert not (tmp_path / "memory" / "durable").exists()

    @pytest.mark.parametrize("most", [1, 3])
    async def test_a_round_adds_so_many_facts(self, most: int) -> None:
        async def learns(hearing: ExtractionInput) -> Any:
            assert hearing.max_proposals == most
            return propose_nothing(hearing)

        model = FakeModel(learns)
        async with opened(model=model, extraction={"max_facts": most}) as stage:
            await stage.tell("I live in Lisbon")
        assert len(model.inputs) == 1
