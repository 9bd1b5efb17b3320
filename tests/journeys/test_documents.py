"""Each of the five documents as its own story, in its words and with its examples, under its own profile.

The real assistant answers over a model's server on this machine; what is asserted is what that server was sent, what
people see, and what lies on disk.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from recollect import Place, plugins
from recollect.core.ports import ModelOptions
from recollect.faces.assistant.assistant import Assistant
from recollect.testing.model_server import ModelServer, Request, Says
from tests import ground
from tests.scenes import DEV, DM, THREAD, Stage, opened

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


@pytest.mark.acceptance("W15", "C1", "C3", "C17", "C23", "C24", "C26")
async def test_rolling_summaries_a_file_after_five_turns_and_a_section_of_the_next_prompt(tmp_path: Path) -> None:
    def answer(request: Request) -> Says:
        if is_summary(request):
            return Says("A summary of the DM." if "just us two" in request.text else SUMMARY)
        return Says("Sure, which CI provider are you using?")

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
