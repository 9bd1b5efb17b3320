"""The examples of the guide, run as they stand there, against a server on this machine that plays the model."""

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

import recollect
from recollect.testing.model_server import Calls, ModelServer, Says

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "frameworks.md"
SAVE = {"action": "save", "content": "Ann lives in Lisbon", "category": "fact"}


def example(heading: str) -> str:
    """The first Python block under a heading of the guide."""
    chapter = re.split(rf"^#+ {re.escape(heading)}$", GUIDE.read_text("utf-8"), flags=re.MULTILINE)[1]
    return re.findall(r"^```python\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)[0]


async def run(source: str, folder: Path, server: ModelServer | None = None) -> str:
    env = {
        "PATH": os.environ["PATH"],
        "RECOLLECT_EMBEDDER": "null",
        "RECOLLECT_MODEL": "local",
        "ANTHROPIC_BASE_URL": server.root if server else "http://127.0.0.1:9",
        "ANTHROPIC_API_KEY": "none",
    }
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", source, env=env, cwd=folder, stdout=PIPE, stderr=PIPE
    )
    async with asyncio.timeout(60):
        out, err = await program.communicate()
    assert program.returncode == 0, err.decode()
    return out.decode()


async def test_the_example_for_pydantic_ai_answers_saves_and_observes(tmp_path: Path):
    async with ModelServer([Calls("memory", SAVE), Says("The castle.")]) as server:
        assert await run(example("pydantic-ai"), tmp_path, server) == "The castle.\n"
        assert "Search before you save" in str(server.requests[0].tools)
    async with recollect.AsyncMemory(
        f"sqlite:///{tmp_path}/data/memory.db", embedder="null", run_worker=False
    ) as memory:
        place = recollect.Place(dm="ann")
        said = await memory.store.read(lambda tx: tx.messages.recent(place, 10))
        assert [one.text for one in said] == ["I moved to Lisbon. What should I see first?", "The castle."]
        assert "Ann lives in Lisbon" in [memo.text for memo in (await memory.show(user="ann")).memos]


@pytest.mark.slow
async def test_the_agent_that_serves_everybody_keeps_them_apart(tmp_path: Path):
    ask = """
import asyncio
async def main():
    async with AsyncMemory() as memory:
        agent = make_agent(memory)
        for user in ("ann", "bob"):
            await agent.run(f"I am {user}", deps=Request(user, Place(dm=user)))
asyncio.run(main())
"""
    async with ModelServer([Calls("memory", SAVE), Says("Hello Ann."), Says("Hello Bob.")]) as server:
        await run(example("Who speaks, and where") + ask, tmp_path, server)
        last = server.requests[-1]
    assert "I am bob" in last.text
    assert "Lisbon" not in str(last.body)


@pytest.mark.slow
async def test_the_tool_alone_saves_for_its_user(tmp_path: Path):
    ask = """
import asyncio
async def main():
    async with AsyncMemory() as memory:
        print((await make_agent(memory, "ann").run("I live in Lisbon")).output)
        print([memo.text for memo in (await memory.show(user="ann")).memos])
asyncio.run(main())
"""
    async with ModelServer([Calls("memory", SAVE), Says("Noted.")]) as server:
        out = await run(example("The tool alone") + ask, tmp_path, server)
    assert out == "Noted.\n['Ann lives in Lisbon']\n"


async def test_the_example_for_langgraph_does_what_the_page_says(tmp_path: Path):
    first, home, left, again = (await run(example("LangGraph"), tmp_path)).splitlines()
    assert first == "pet {'animal': 'cat', 'name': 'Miso'}"
    assert "'text': 'I live in Lisbon'" in home
    assert left == "['I prefer trains to planes', None]"
    assert again == "['home']"
