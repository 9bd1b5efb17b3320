"""Each of the five documents as its own story, in its words and with its examples, under its own profile.

The real assistant answers over a model's server on this machine; what is asserted is what that server was sent, what
people see, and what lies on disk.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from recollect import Place, plugins
from recollect.core.ports import ModelOptions
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.testing.model_server import Calls, ModelServer, Request, Says
from recollect.testing.models import FakeModel, propose_nothing
from tests import ground
from tests.scenes import DEV, DM, ELSEWHERE, GENERAL, THREAD, Stage, lines, opened

ROOT = Path(__file__).parents[2]

NOTHING = Says('{"upserts": [], "deprecations": []}')


def is_summary(request: Request) -> bool:
    return "running summary" in request.instructions


def is_extraction(request: Request) -> bool:
    return "upserts" in request.instructions


class Story:
    """People talk to the assistant, which is called Discoclaw; its model and that of memory share one server."""

    def __init__(self, stage: Stage, server: ModelServer, assistant: Assistant) -> None:
        self.stage = stage
        self.server = server
        self.assistant = assistant

    async def ask(self, text: str, user: str = "dave", place: Place = DEV, name: str = "NimbleDave") -> str:
        """What the assistant answers; the answer is posted, and everything that follows from it done."""
        message = self.stage.message(text, user, place, name=name)
        reply = await self.assistant.reply(message)
        if reply.command_answer is None:
            await self.assistant.record_reply(reply.text, message, f"r-{message.id}")
            await self.stage.settle()
        await self.stage.memory.mirror.catch_up()
        self.stage.clock.advance(minutes=1)
        return reply.text

    def asked(self, kind: Callable[[Request], bool]) -> list[Request]:
        return [request for request in self.server.requests if kind(request)]

    @property
    def sent(self) -> str:
        """All of the last request for a reply."""
        request = [one for one in self.server.requests if not is_summary(one) and not is_extraction(one)][-1]
        return "\n".join([request.instructions, *(text for _, text in request.turns)])


@asynccontextmanager
async def told(
    profile: str, folder: Path, answer: Callable[[Request], Any], restarts: int = 0, **settings: Any
) -> AsyncIterator[Story]:
    async with ModelServer(answer) as server:
        model = {"model": "anthropic:claude-haiku-4-5", "model_base_url": server.url, "run_worker": True}
        settings = {"discord": {"name": "Discoclaw"}, **model, **settings}
        async with opened(profile, ground.at(folder / "memory.db"), **settings) as stage:
            stage.clock.advance(days=restarts)
            stage.said = 1000 * restarts
            options = ModelOptions(server.url, lambda name: "a-key" if name else None)
            chat = plugins.load("models", "pydantic_ai:anthropic:claude-haiku-4-5", options)
            try:
                yield Story(stage, server, Assistant(stage.memory, chat, name="Discoclaw", clock=stage.clock))
            finally:
                await chat.close()


SUMMARY = "User discussed creating a #dev-status channel under the Dev category. Bot confirmed and created it."


@pytest.mark.acceptance("W15", "C1", "C3", "C12", "C17", "C23", "C24", "C26")
async def test_rolling_summaries_a_file_after_five_turns_and_a_section_of_the_next_prompt(tmp_path: Path) -> None:
    def answer(request: Request) -> Says:
        if is_summary(request):
            return Says("A summary of the DM." if "just us two" in request.text else SUMMARY)
        asks_for_more = "CI notifications" in request.turns[-1][1]
        return Says("Sure, which CI provider are you using?" if asks_for_more else "Confirmed: I created it.")

    summaries = tmp_path / "summaries"
    async with told("rolling", tmp_path, answer) as story:
        await story.ask("can you create a #dev-status channel under Dev?")
        assert "Conversation memory:" not in story.sent
        for number in range(2):
            await story.ask(f"what about point {number}?")
        await story.ask("I want CI notifications too", user="ann", name="Ann")
        assert not summaries.exists() or not [*summaries.glob("*.json")]
        await story.ask("can you set up the CI notifications now?")
        (file,) = summaries.glob("*.json")
        assert json.loads(file.read_text()).keys() == {"summary", "updatedAt"}
        assert json.loads(file.read_text())["summary"] == SUMMARY
        (request,) = story.asked(is_summary)
        for part in (
            *("You maintain the running summary of a conversation", "Previous summary:\n(new conversation)\n"),
            *("Recent exchange:\n", "Drop greetings, acknowledgements", '"sounds good"', "under 2000 characters"),
            *("facts, decisions, action items and user preferences", "present tense, third person", "not how"),
        ):
            assert part in request.instructions + request.text
        assert "an assistant called Discoclaw" in request.instructions
        assert "[NimbleDave]: can you create a #dev-status channel" in request.text
        assert "[Ann]: I want CI notifications too" in request.text, "a session is the channel, whoever speaks in it"
        assert "[Discoclaw]: Sure, which CI provider are you using?" in request.text
        assert not request.tools
        assert not story.asked(is_extraction), "the document knows no durable memory"

        await story.ask("github actions", user="ann", name="Ann")
        assert f"Conversation memory:\n{SUMMARY}" in story.sent
        await story.ask("hello there", place=THREAD)
        assert SUMMARY not in story.sent, "a thread has a summary of its own"
        for number in range(5):
            await story.ask(f"just us two, {number}", user="ann", place=DM, name="Ann")
        assert sorted(json.loads(path.read_text())["summary"] for path in summaries.glob("*.json")) == [
            "A summary of the DM.",
            SUMMARY,
        ]
    async with told("rolling", tmp_path, answer, restarts=1) as story:
        await story.ask("what were we talking about?")
        assert f"Conversation memory:\n{SUMMARY}" in story.sent, "it outlives a restart"
    async with told("rolling", tmp_path, answer, restarts=2, summary={"enabled": False}) as story:
        await story.ask("and now?")
        assert "Conversation memory:" not in story.sent
        assert "what were we talking about?" in story.sent, "the window of recent messages goes on"


RUST = "I prefer Rust over Go for systems work"
SWITCHED = "I just switched teams — I'm on the platform team now, working with Kubernetes and Terraform mostly."


def learns_of_the_team(request: Request) -> Says:
    if is_summary(request):
        return Says("User migrates an API from Express to Fastify; the auth middleware is ported.")
    if not is_extraction(request):
        return Says("Nice, what version of Fastify?")
    if "platform team" not in request.text:
        return NOTHING
    evidence = "I'm on the platform team now, working with Kubernetes and Terraform mostly"
    facts = [
        {"kind": "fact", "text": "On the platform team", "tags": [], "evidence": evidence},
        {"kind": "tool", "text": "Works with Kubernetes and Terraform", "tags": [], "evidence": evidence},
    ]
    return Says(json.dumps({"upserts": facts, "deprecations": []}))


@pytest.mark.acceptance("A6", "A7", "A16", "A17", "A18", "A19", "A20", "A24", "A33", "A53", "A62", "A71")
async def test_discoclaw_the_five_layers_of_its_memory_system(tmp_path: Path) -> None:
    on = {"extraction": {"enabled": True}, "exchanges": {"enabled": True, "dir": str(tmp_path / "short")}}
    async with told("discoclaw", tmp_path, learns_of_the_team, **on) as story:
        await story.ask("Hey, I'm working on migrating our API from Express to Fastify")
        assert await story.ask(f"!memory remember {RUST}") == f'Remembered: "{RUST}"'
        await story.ask("!memory remember Works at Acme Corp")
        await story.ask(SWITCHED)
        for number in range(3):
            await story.ask(f"I ported middleware {number}")
        shown = await story.ask("!memory show")
        assert shown == (
            "Durable memory (4 items):\n"
            "- [tool] Works with Kubernetes and Terraform (src: summary)\n"
            "- [fact] On the platform team (src: summary)\n"
            "- [fact] Works at Acme Corp (src: manual)\n"
            f"- [preference] {RUST} (src: manual)\n"
            "\n"
            "Rolling summary:\n"
            "User migrates an API from Express to Fastify; the auth middleware is ported."
        )
        assert await story.ask("!memory forget Acme") == 'Deprecated 1 item matching "Acme"'
        await story.ask("Should I write this CLI tool in Go or Rust?", place=GENERAL)
        assert f"- [preference] {RUST} (src: manual, #dev, updated 2025-03-01)" in story.sent
        assert "- [fact] On the platform team (src: summary, #dev, updated 2025-03-01)" in story.sent
        assert "#dev, " in story.sent.partition("Recent activity in other channels:")[2], "what happened in #dev"
        assert "Acme" not in story.sent.partition("User message:")[0].partition("Durable memory:")[2]
        (file,) = (tmp_path / "short").glob("*.json")
        entries = json.loads(file.read_text())["entries"]
        assert {(entry["channelId"], entry["channelName"]) for entry in entries} == {
            ("c-dev", "dev"),
            ("c-general", "general"),
        }
        (learned,) = [
            item
            for item in json.loads((tmp_path / "memory" / "durable" / "dave.json").read_text())["items"]
            if item["text"] == "On the platform team"
        ]
        assert learned["source"].keys() == {"type", "channelId", "messageId", "guildId", "channelName"}
        assert learned["source"]["type"] == "summary"
    async with told("discoclaw", tmp_path, learns_of_the_team, restarts=1, memos={"enabled": False}) as story:
        assert "switched off" in await story.ask("!memory remember I own a boat")
        assert "Durable memory is switched off" in await story.ask("!memory show")
        await story.ask("Should I write this CLI tool in Go or Rust?")
        assert RUST not in story.sent
        without_model = Assistant(story.stage.memory, clock=story.stage.clock)
        for question in ("do I prefer Rust or Go?", "what do you know about me?"):
            reply = await without_model.reply(story.stage.message(question, "dave"))
            assert RUST not in reply.text


@pytest.mark.acceptance("A19", "C21")
async def test_where_ours_differs_the_literal_way_is_a_setting() -> None:
    """Several matches are asked about, and nobody waits for a summary; unless one wants what the documents say."""

    async def condenses(previous: str | None, exchange: str, limit: int) -> str:
        await asyncio.sleep(0.2)
        return "a summary of it all"

    model = FakeModel(propose_nothing, condenses)
    literal = {"chat_commands": {"forget_asks": False}, "summary": {"every_n_turns": 1, "wait": True}}
    for settings in ({"summary": {"every_n_turns": 1}}, literal):
        async with opened("discoclaw", model=model, **settings) as stage:
            await stage.remember("Works at Acme Corp", "Acme has an office in Lyon")
            reply = await Assistant(stage.memory, clock=stage.clock).reply(stage.message("!memory forget Acme"))
            await stage.reply("I see", await stage.say("let us talk about bikes"))
            prompt = await stage.prompt()
        if settings is literal:
            assert reply.text.partition("\n")[0] == 'Deprecated 2 items matching "Acme"'
            assert "a summary of it all" in prompt.text
        else:
            assert "Nothing was changed. Say which" in reply.text
            assert "a summary of it all" not in prompt.text


LOOPS = "User prefers explicit for-loops over list comprehensions in Python."


@pytest.mark.acceptance("B10", "B11", "B16", "B31", "B36", "B37", "B38", "B47", "B48", "B49")
async def test_simple_dnam_facts_in_files_learned_every_ten_turns_in_its_own_json(tmp_path: Path) -> None:
    known: list[str] = []

    def answer(request: Request) -> Says:
        if is_summary(request):
            return Says("User is implementing SIMPLE DNAM.")
        if not is_extraction(request):
            return Says("Noted.")
        source = {"type": "discord", "channelId": "c-dev", "messageId": "m1"}
        upsert = {"kind": "preference", "text": LOOPS, "tags": ["python", "style"], "source": source}
        invented = {"kind": "fact", "text": "User owns a yacht in Monaco.", "tags": [], "source": source}
        if not known:
            return Says(json.dumps({"upserts": [upsert, invented], "deprecations": []}))
        assert known[0] in request.text, "the known items are listed with their ids"
        gone = {"id": known[0], "reason": "User explicitly changed preference."}
        return Says(json.dumps({"upserts": [], "deprecations": [gone]}))

    file = tmp_path / "memory" / "durable" / "dave.json"
    core = tmp_path / "context" / "base" / "core.md"
    core.parent.mkdir(parents=True)
    core.write_text((ROOT / "deploy" / "context" / "base" / "core.md").read_text("utf-8"))
    async with told("dnam", tmp_path, answer) as story:
        await story.ask("I prefer explicit for-loops over list comprehensions in Python")
        for number in range(9):
            assert not story.asked(is_extraction)
            await story.ask(f"turn {number} is about something else", place=GENERAL if number % 2 else DEV)
        (item,) = json.loads(file.read_text())["items"]
        known.append(item["id"])
        assert item["text"] == LOOPS
        assert (item["kind"], item["tags"], item["status"]) == ("preference", ["python", "style"], "active")
        assert item["source"] == {
            "type": "discord",
            "channelId": "c-dev",
            "messageId": "m1",
            "guildId": "g1",
            "channelName": "dev",
        }
        await story.ask("which loops do I prefer in Python?", place=GENERAL)
        assert "Context files (read with Read tool before responding, in order):\n- " + core.as_posix() in story.sent
        assert "Durable memory (user-specific notes; may be empty):\n" in story.sent
        assert f"- [preference] {LOOPS} (src: discord:c-dev/m1, updated 2025-03-01)" in story.sent
        assert "closely enough" in await story.ask("!memory forget loops")
        for number in range(9):
            await story.ask(f"turn {number} of the second round, I changed my mind about loops")
        assert [one["status"] for one in json.loads(file.read_text())["items"]] == ["deprecated"]
        await story.ask("!memory remember Current project: discoclaw memory system")
        shown = await story.ask("!memory show")
        assert LOOPS not in shown
        assert "- [project] Current project: discoclaw memory system (src: manual, updated 2025-03-01)" in shown
        forgotten = await story.ask("!memory forget Current project: discoclaw")
        assert forgotten.partition("\n")[0] == 'Deprecated 1 item matching "Current project: discoclaw"'


@pytest.mark.acceptance("B17", "B37")
async def test_simple_dnam_an_item_keeps_the_id_that_its_first_words_gave_it(tmp_path: Path) -> None:
    upserts: list[dict[str, Any]] = []

    def answer(request: Request) -> Says:
        if is_extraction(request):
            source = {"type": "discord", "channelId": "c-dev"}
            given = [{"kind": "fact", "tags": [], "source": source, **each} for each in upserts]
            return Says(json.dumps({"upserts": given, "deprecations": []}))
        return Says("Noted.")

    async with told("dnam", tmp_path, answer, extraction={"every_n_turns": 1}, summary={"enabled": False}) as story:

        async def items(said: str, **upsert: str) -> list[tuple[str, str]]:
            upserts[:] = [upsert]
            await story.ask(said)
            stored = json.loads((tmp_path / "memory" / "durable" / "dave.json").read_text())["items"]
            return sorted((item["text"], item["id"]) for item in stored)

        ((_, first),) = await items("I work at Acme", text="User works at Acme.")
        assert re.fullmatch(r"durable-[0-9a-f]{8}", first)
        changed = await items("Globex in Graz employs me now", text="Globex in Graz employs user.", id=first)
        assert changed == [("Globex in Graz employs user.", first)], "by the id that is given"
        again = await items("Globex in Graz employs me", text="globex in GRAZ employs user", id="durable-unknown")
        assert [each for _, each in again] == [first], "by kind and text, if nobody has that id"
        both = await items("I own a sailing boat", text="User owns a sailing boat.", id="durable-unknown")
        (other,) = {each for _, each in both} - {first}
        assert re.fullmatch(r"durable-[0-9a-f]{8}", other), "else it is new, under an id of its own"


@pytest.mark.acceptance("D3", "D16", "D23", "D30", "D38", "D39", "D40", "D41", "D58", "D65", "W16")
async def test_clankerbot_facts_of_a_guild_learned_from_every_message(tmp_path: Path) -> None:
    def answer(request: Request) -> Says:
        if not is_extraction(request):
            return Says("Lisbon is lovely.\nmemory_line: the otter is our mascot" if "otter" in request.text else "ok")
        if "I live in Lisbon" in request.text:
            return Says('{"facts": [{"type": "profile", "fact": "User lives in Lisbon", "confidence": 0.8}]}')
        return NOTHING

    async with told("clanker", tmp_path, answer) as story:
        await story.ask("I live in Lisbon", place=DM)
        assert not story.asked(is_extraction), "nothing is learned without a guild"
        await story.ask("I live in Lisbon")
        await story.ask("the otter is our mascot, remember that")
        for number in range(60):
            await story.stage.say(f"the regatta of boat {number} is on", user="bob")
        await story.ask("and who sails the boat in the regatta from Lisbon?")
        request = story.sent
        assert "User lives in Lisbon." in request
        assert "Memory line: the otter is our mascot." in request
        shown = [number for number in range(60) if f"the regatta of boat {number} is on" in request]
        assert len(shown) >= 30 + 8, "35 recent messages, and 8 older ones that fit"
        prompt = await story.stage.memory.context(story.stage.message("who sails the boat in the regatta?", "dave"))
        assert (len(lines(prompt, "history")), len(lines(prompt, "past"))) == (35, 8)
        for trace in ("automation", "initiative"):
            message = story.stage.message("post something about Lisbon", "dave", source=trace)
            prompt = await story.stage.memory.context(message)
            assert "User lives in Lisbon." in prompt.text, "other callers get the same slice"
        elsewhere = await story.stage.memory.context(story.stage.message("where do I live?", "dave", ELSEWHERE))
        assert "User lives in Lisbon" not in elsewhere.text
        snapshot = (tmp_path / "memory" / "MEMORY.md").read_text()
    columns = "guild_id, subject, fact, fact_type, confidence, is_active"
    assert ground.rows(ground.at(tmp_path / "memory.db"), f"SELECT {columns} FROM memory_facts ORDER BY id") == [
        ("g1", "dave", "User lives in Lisbon.", "profile", 0.8, 1),
        ("g1", "__lore__", "Memory line: the otter is our mascot.", "lore", 0.72, 1),
    ]
    assert "User lives in Lisbon." in snapshot


@pytest.mark.acceptance("E3", "E4", "E7", "E10", "E14", "E22", "E35", "E44")
async def test_devclaw_an_agents_tool_with_files_and_a_layer_of_the_prompt(tmp_path: Path) -> None:
    jwt = "The API uses JWT tokens with 24h expiration"
    save = {"action": "save", "content": jwt, "category": "fact", "keywords": ["api", "jwt", "authentication"]}
    answers: list[Any] = [Calls("memory", save), Says("Saved.")]

    def answer(request: Request) -> Any:
        return NOTHING if is_extraction(request) else answers.pop(0) if answers else Says("ok")

    async with told("devclaw", tmp_path, answer) as story:
        await story.ask("remember how our API authenticates", place=DM, user="ann")
        (page,) = (tmp_path / "memory" / "fact").glob("*.md")
        assert re.fullmatch(r"2025-03-01-[\w-]+\.md", page.name)
        assert page.read_text().startswith("---\ncategory: fact\ncreated_at: 2025-03-01T")
        assert "keywords: [api, jwt, authentication]" in page.read_text()
        tool = MemoryTool(story.stage.memory, user="ann", place=DM)
        for number in range(9):
            await tool(action="save", content=f"Database {number} runs on port 543{number}", category="fact")
        await story.ask("which port has the database, and JWT?", place=DM, user="ann")
        assert "## Relevant Memories\n\n- [fact] " in story.sent
        assert f"- [fact] {jwt}" in story.sent
        assert story.sent.count("- [fact] Database") == 9
        assert (await tool(action="index")).ok
        assert "10" in (await tool(action="list")).text
    async with told("devclaw", tmp_path, answer, restarts=1, search={"max_results": 3}) as story:
        await story.ask("which port has the database?", place=DM, user="ann")
        assert story.sent.count("- [fact] ") == 3
        assert (
            len(
                (await MemoryTool(story.stage.memory, user="ann", place=DM)(action="search", query="port")).data[
                    "results"
                ]
            )
            == 3
        )
