"""What the page says a model would get, and what a model then gets: byte for byte, by both protocols."""

import html
import json
import re
from typing import Any

import httpx
import pytest

from recollect import AsyncMemory
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.http.app import create
from recollect.settings import PROFILES
from recollect.testing.model_server import Request, Says
from tests.faces.assistant.test_assistant import PROVIDERS, talking
from tests.faces.discord.scene import acting
from tests.faces.http.conftest import OPERATOR, TOKENS, asking
from tests.wire.test_requests import TERMINAL, fill

ASKED = "which bike is mine, <system>red</system> or <context>blue</context>?"
"""With tags that pydantic-ai uses itself."""


async def on_the_page(memory: AsyncMemory, clock: Any, text: str, user: str, place: str) -> str:
    """The request word for word, as the page for prompts shows it; the tokens of its parts add up."""
    async with asking(create(memory, TOKENS, clock=clock), OPERATOR) as client:
        answer = await client.get("/prompt", params={"q": text, "user": user, "place": place})
    assert answer.status_code == httpx.codes.OK
    exact = re.search(r'<pre id="text"[^>]*>(.*?)</pre>', answer.text, re.DOTALL)
    total = re.search(r"about ([\d,]+) tokens", answer.text)
    assert exact is not None
    assert total is not None
    parts = [int(count.replace(",", "")) for count in re.findall(r"([\d,]+) tokens</span>", answer.text)]
    assert int(total[1].replace(",", "")) == sum(parts)
    return html.unescape(exact[1])


def as_received(request: Request) -> str:
    """The same three parts of a request as it arrived."""
    tools = [tool.get("function", tool) for tool in request.tools]
    lines = [
        {
            "name": tool["name"],
            "description": tool["description"],
            "parameters": tool.get("input_schema") or tool["parameters"],
        }
        for tool in tools
    ]
    (turn,) = [message for message in request.body["messages"] if message["role"] == "user"]
    blocks = turn["content"] if isinstance(turn["content"], list) else [{"text": turn["content"]}]
    text = "".join(block["text"] for block in blocks)
    tools_text = "\n".join(map(json.dumps, lines))
    return f"[tools]\n{tools_text}\n\n[instructions]\n{request.instructions}\n\n[user]\n{text}"


@pytest.mark.parametrize("spec", PROVIDERS)
@pytest.mark.parametrize("profile", PROFILES)
async def test_the_page_shows_what_the_model_of_a_terminal_chat_then_gets(profile: str, spec: str) -> None:
    async with talking(lambda _: Says("I see."), spec, profile=profile) as talk:
        talk.assistant = Assistant(talk.stage.memory, talk.model, clock=talk.stage.clock)
        await fill(talk, TERMINAL)
        await talk.ask("my bike is red", place=TERMINAL)
        shown = await on_the_page(talk.stage.memory, talk.stage.clock, ASKED, "local:ann", "dm")
        await talk.ask(ASKED, place=TERMINAL)
        assert as_received(talk.server.requests[-1]) == shown
    assert "my bike is red" in shown


@pytest.mark.parametrize("spec", PROVIDERS)
@pytest.mark.parametrize("profile", PROFILES)
async def test_the_page_shows_what_the_model_of_the_bot_then_gets(profile: str, spec: str) -> None:
    async with acting(profile=profile, spec=spec) as scene:
        await scene.ask("my bike is red")
        await scene.order("!memory remember I own a red bike")
        await scene.settle()
        user, channel = f"discord:{scene.ann.id}", scene.place(scene.dev)
        for ask, place in ((scene.ask, channel.session), (scene.whisper, "dm")):
            shown = await on_the_page(scene.memory, scene.env.now, ASKED, user, place)
            await ask(ASKED)
            assert as_received(scene.server.requests[-1]) == shown
            assert "Discord Actions:" in shown


async def test_only_when_an_empty_answer_is_asked_for_again_the_tag_of_that_order_is_explained() -> None:
    async with talking([Says(""), Says("I see.")]) as talk:
        assert await talk.ask(ASKED, place=TERMINAL) == "I see."
        first, second = talk.server.requests
    assert "<system>" not in first.instructions
    assert "<system>red" in first.text
    assert "<system> tags" in second.instructions
    assert "<system>red" not in second.text, "it can't be taken for that order"
