"""Items of SIMPLE DNAM that only count from end to end, under its profile."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recollect.core.ports import ExtractionResult, Tx
from recollect.core.types import Place, Status
from recollect.jobs.options import WorkerOptions
from recollect.testing.model_server import ModelServer, Request, Says, Slow
from recollect.testing.models import FakeModel, proposal_for
from tests.faces.assistant.test_assistant import talking
from tests.scenes import DEV, DM, Stage, lines, opened
from tests.transfer.mirror.keeping import keeping, written
from tests.wire.test_requests import TERMINAL, last_turn

DOCS = Path(__file__).parents[2] / "docs"
AT_ONCE = {"enabled": True, "trigger": "on_ingest"}


@pytest.mark.acceptance("B9", "B12")
async def test_the_request_has_the_sections_in_their_order_and_history_as_names_and_texts(tmp_path: Path) -> None:
    notes = tmp_path / "workspace" / "MEMORY.md"
    notes.parent.mkdir()
    notes.write_text("# Notes\n")
    place = Place("discord", dm="ann", channel="dm-1")
    async with talking(lambda _: Says("I see."), profile="dnam", data_dir=str(tmp_path)) as talk:
        await talk.stage.remember("Prefers Rust", place=place)
        await talk.stage.summarise("They greet each other.", place=place)
        await talk.ask("hello there", place=place)
        await talk.ask("what do I prefer?", place=place)
        first, second = map(last_turn, talk.server.requests)
    heads = ["Context files (", "Durable memory (", "Conversation memory (", "Recent conversation:", "User message:"]
    at = [second.index(f"{head}") for head in [*heads, "Discord Actions:"]]
    assert at == sorted(at)
    assert "[Ann]: hello there\n[Rec]: I see." in second[at[3] : at[4]]
    assert "Recent conversation:" not in first


async def scores(stage: Stage, question: str) -> list[str]:
    """The number of points and the text of each fact in the prompt, best first."""
    prompt = await stage.prompt(question, place=TERMINAL)
    (section,) = [section for section in prompt.sections if section.name == "durable"]
    return [f"{line.reason.split()[1]} {line.text.split('] ')[1].split(' (src')[0]}" for line in section.lines]


@pytest.mark.acceptance("B21", "B22", "B24", "B25", "B80")
async def test_points_are_for_words_of_text_tags_and_kind_for_projects_and_for_what_is_recent() -> None:
    async with opened("dnam") as stage:
        await stage.remember("What would you do with go in a vm or the Cloud", place=TERMINAL, kind="fact")
        await stage.remember("Enjoys ramen", place=TERMINAL, kind="preference", tags=["food", "japan"])
        await stage.remember("Moving billing to Kafka", place=TERMINAL, kind="project")
        stage.clock.advance(days=8)
        assert (await scores(stage, "What would you do with go in a vm or the CLOUD?"))[0].startswith("1.00 What")
        assert (await scores(stage, "ramen food japan preference"))[0] == "4.00 Enjoys ramen"
        for word in ("repo", "build", "deploy"):
            assert (await scores(stage, f"how do we {word} it?"))[0] == "2.00 Moving billing to Kafka"
        assert (await scores(stage, "billing"))[0] == "1.00 Moving billing to Kafka"
        await stage.remember("Billing is paid in June", place=TERMINAL, kind="fact")
        assert (await scores(stage, "billing"))[:2] == ["2.00 Billing is paid in June", "1.00 Moving billing to Kafka"]
        assert (await scores(stage, "deploy billing"))[0] == "3.00 Moving billing to Kafka"


@asynccontextmanager
async def learning(answer: Any, **settings: Any) -> AsyncIterator[tuple[Stage, ModelServer]]:
    """A stage whose learning model is asked over the network."""
    async with ModelServer(answer) as server:
        over = {"model": "haiku", "model_base_url": server.url, "run_worker": True}
        async with opened("dnam", **{"extraction": AT_ONCE, **over, **settings}) as stage:
            yield stage, server


def answering(**changes: Any) -> Any:
    def answer(request: Request) -> Says:
        del request
        return Says(json.dumps({"upserts": [], "deprecations": [], **changes}))

    return answer


@pytest.mark.acceptance("B28", "B34", "B35")
async def test_the_model_that_learns_gets_what_is_known_by_id_and_neither_tools_nor_a_session() -> None:
    async with learning(answering()) as (stage, server):
        known = await stage.remember("Lives in Porto")
        gone = await stage.remember("Owns a boat")
        await stage.memory.forget(gone.id, user="ann", place=DEV)
        await stage.tell("I moved to Rome last week")
        (request,) = server.requests
    row = next(json.loads(line) for line in request.text.splitlines() if known.id in line)
    assert row == {"id": known.id, "kind": "fact", "text": "Lives in Porto"}
    assert gone.id not in request.text
    assert "I moved to Rome last week" in request.text
    for rule in ("Don't repeat what is known", 'give its "id"', 'put it in "deprecations" with its id'):
        assert rule in request.instructions
    assert "Answer with strict JSON only, no prose and no code fences" in request.instructions
    assert request.tools == []
    assert not {"user", "metadata", "container", "previous_response_id"} & request.body.keys()


@pytest.mark.acceptance("B28", "B44")
async def test_a_model_that_does_not_answer_is_given_up_and_memory_stays_as_it_was() -> None:
    over = {"extraction": {**AT_ONCE, "timeout": "400ms"}}  # enough to ask, on a busy machine too
    async with learning(lambda _: Slow(asyncio.Event()), **over) as (stage, server):
        stage.memory.worker.options = WorkerOptions(max_attempts=1)
        await stage.remember("Lives in Porto")
        await stage.tell("I moved to Rome last week")
        assert await stage.known() == ["Lives in Porto"]
        (error,) = await stage.events("extract.error")
    assert error.text == "no answer within 0 s"
    assert len(server.requests) == 1


@pytest.mark.acceptance("B40", "B41", "B79")
async def test_what_a_model_says_anew_by_id_is_trimmed_and_keeps_its_id() -> None:
    known: list[str] = []

    def answer(request: Request) -> Says:
        del request
        new = {"id": known[0], "kind": "Fact", "text": "  Lives \n in   Rome ", "tags": ["City"], "source": {}}
        return Says(json.dumps({"upserts": [new], "deprecations": []}))

    async with learning(answer) as (stage, _):
        memo = await stage.remember("Lives in Porto")
        known.append(memo.id)
        said = await stage.tell("I live in Rome now")
        kept = await stage.memory.get(memo.id, user="ann", place=DEV)
    assert (kept.text, kept.kind, kept.tags, kept.created) == ("Lives in Rome", "fact", ("city",), memo.created)
    assert (kept.source.message, kept.updated > memo.updated) == (said.id, True)


@pytest.mark.acceptance("B39", "B42", "B18", "B79")
@pytest.mark.parametrize(
    ("match", "goes"),
    [("Has a yel", False), ("Has a yellow bicycle", True), ("Has a yello", False), ("Has a yellow", True)],
)
async def test_a_model_ends_a_fact_without_its_id_by_sixty_percent_of_the_text_alone(match: str, goes: bool) -> None:
    async with learning(answering(deprecations=[{"matchText": match, "reason": "sold"}])) as (stage, _):
        memo = await stage.remember("Has a yellow bicycle")
        await stage.tell("I sold my yellow bicycle, I no longer have it")
        kept = await stage.memory.get(memo.id, user="ann", place=DEV)
        prompt = await stage.prompt("which bicycle do I have?")
    assert (kept.status is Status.DEPRECATED) is goes
    assert (kept.updated > memo.updated) is goes
    assert ("- [fact] Has a yellow bicycle" in "\n".join(lines(prompt, "durable"))) is not goes


@pytest.mark.parametrize("profile", ["discoclaw", "dnam", "devclaw"])
async def test_one_memory_for_all_places_is_changed_from_any_of_them_and_holds_nothing_twice(profile: str) -> None:
    model = FakeModel(lambda heard: ExtractionResult(tuple(map(proposal_for, heard.messages))))
    async with opened(profile, model=model, extraction=AT_ONCE) as stage:
        for place in (DEV, DM):
            await stage.tell("I like green tea", place=place)
        await stage.tell("I live in Porto", place=DEV)
        await stage.remember("I own a red boat", place=DEV)
        await stage.tell("I own a red boat", place=DM)
        await stage.tell("I live in Rome now", place=DM)
        assert sorted(await stage.known()) == ["I like green tea", "I live in Rome now", "I own a red boat"]


@pytest.mark.acceptance("B72")
async def test_where_files_cant_be_written_that_is_logged_and_memory_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "durable").write_text("a file where the folder should be")
    async with keeping(tmp_path, "dnam") as stage:
        await stage.remember("I prefer tea")
    async with keeping(tmp_path, "dnam") as stage:
        assert await stage.known() == ["I prefer tea"]
        assert "I prefer tea" in (await stage.prompt("what do I prefer?")).text
    assert "can't be kept up to date" in caplog.text


@pytest.mark.acceptance("B78")
async def test_what_breaks_off_in_the_middle_of_a_write_leaves_memory_as_it_was(tmp_path: Path) -> None:
    def half(tx: Tx) -> None:
        tx.memos.put(replace(memo, text="I prefer coffee"))
        raise RuntimeError("the power fails here")

    async with keeping(tmp_path, "dnam") as stage:
        memo = await stage.remember("I prefer tea")
        with pytest.raises(RuntimeError, match="power"):
            await stage.memory.store.write(half)
        assert await stage.known() == ["I prefer tea"]
        assert "coffee" not in (await stage.prompt("what do I prefer to drink?")).text


VARIABLES = (
    *("SUMMARY_ENABLED", "SUMMARY_MODEL", "SUMMARY_MAX_CHARS", "SUMMARY_EVERY_N_TURNS", "SUMMARY_DATA_DIR"),
    *("DURABLE_MEMORY_ENABLED", "DURABLE_MODEL", "DURABLE_EVERY_N_TURNS", "DURABLE_DATA_DIR"),
    *("DURABLE_INJECT_MAX_CHARS", "DURABLE_MAX_ITEMS", "MEMORY_CHANNEL_ID", "MEMORY_COMMANDS_ENABLED"),
)


def folders(data: Path) -> set[str]:
    return {path.parent.relative_to(data).as_posix() for path in data.rglob("*.json")}


@pytest.mark.acceptance("B89")
async def test_the_docs_name_every_variable_and_file_and_the_request_says_how_to_use_memory(tmp_path: Path) -> None:
    for page in ("settings.md", "from/dnam.md"):
        text = (DOCS / page).read_text("utf-8")
        assert [name for name in VARIABLES if f"`DISCOCLAW_{name}`" not in text] == []
    async with keeping(tmp_path, "dnam", model=FakeModel(), summary={"every_n_turns": 1}) as stage:
        await stage.remember("I prefer tea")
        await stage.reply("I see.", await stage.say("hello"))
        await written(stage)
    assert folders(tmp_path) == {"memory/durable", "memory/rolling"}
    state = (DOCS / "guide" / "operating.md").read_text("utf-8").partition("## State on disk")[2]
    assert "`memory/durable/<user>.json`" in state
    assert "`memory/rolling/<session>.json`" in state
    async with talking(lambda _: Says("I see."), profile="dnam") as talk:
        await talk.ask("hello")
        (request,) = talk.server.requests
    for rule in ("lossy", "trust it", "acknowledge", "cite", "unless asked"):
        assert rule in request.instructions
