"""The loops of the guide, run as they stand there, against a server on this machine that plays the model."""

import asyncio
import json
import os
import re
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest
from typer.testing import CliRunner

import recollect
from recollect.faces.cli.main import build
from recollect.faces.tool.schema import FORMATS, schema, skill
from recollect.testing.model_server import Calls, ModelServer, Request, Says

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "agents.md"
SAVE = {"action": "save", "content": "The API uses JWT", "category": "fact"}
NOTE = {"command": "create", "path": "/memories/api.md", "file_text": "It uses JWT\n"}


def example(heading: str) -> str:
    """The Python block under a heading of the guide."""
    chapter = re.split(rf"^#+ {re.escape(heading)}$", GUIDE.read_text("utf-8"), flags=re.MULTILINE)[1]
    return re.findall(r"^```python\n(.*?)^```$", chapter, re.MULTILINE | re.DOTALL)[0]


async def run(source: str, ask: str, server: ModelServer, folder: Path) -> str:
    env = {
        "PATH": os.environ["PATH"],
        "RECOLLECT_EMBEDDER": "null",
        "RECOLLECT_MODEL": "local",
        "OPENAI_BASE_URL": server.url,
        "ANTHROPIC_BASE_URL": server.root,
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_API_KEY": "none",
    }
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", f"{source}\nimport asyncio\nprint({ask})"),
        env=env,
        cwd=folder,
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(60):
        out, err = await program.communicate()
    assert program.returncode == 0, err.decode()
    return out.decode()


def results(request: Request) -> str:
    """All that the model is told in a turn."""
    return json.dumps(request.body["messages"])


@pytest.mark.slow
@pytest.mark.parametrize("heading", ["With OpenAI's SDK", "With Anthropic's SDK"])
async def test_a_loop_of_the_guide_saves_what_the_model_wants_and_tells_it_so(heading: str, tmp_path: Path):
    async with ModelServer([Calls("memory", SAVE), Says("Noted.")]) as server:
        ask = 'asyncio.run(answer("Remember that the API uses JWT", "ann"))'
        assert await run(example(heading), ask, server, tmp_path) == "Noted.\n"
        first, second = server.requests
        assert list(first.tools) in ([schema("openai")], [schema("anthropic")])
        assert "Save proactively" in first.instructions
        assert "Remembered: " in results(second)
    async with recollect.AsyncMemory(f"sqlite:///{tmp_path}/data/memory.db", embedder="null") as memory:
        assert [memo.text for memo in (await memory.show(user="ann")).memos] == ["The API uses JWT"]


@pytest.mark.slow
async def test_a_models_mistake_is_told_to_it_and_the_loop_goes_on(tmp_path: Path):
    async with ModelServer([Calls("memory", {"action": "purge"}), Says("Sorry.")]) as server:
        ask = 'asyncio.run(answer("hello", "ann"))'
        assert await run(example("With OpenAI's SDK"), ask, server, tmp_path) == "Sorry.\n"
        assert "error: unknown action" in results(server.requests[1])


@pytest.mark.slow
async def test_the_tool_runner_of_anthropics_sdk_writes_the_models_files(tmp_path: Path):
    async with ModelServer([Calls("memory", NOTE), Says("Noted.")]) as server:
        ask = 'answer("Remember that the API uses JWT", "ann")'
        assert await run(example("Anthropic's memory tool"), ask, server, tmp_path) == "Noted.\n"
        assert list(server.requests[0].tools) == [{"type": "memory_20250818", "name": "memory"}]
        assert "File created successfully at: /memories/api.md" in results(server.requests[1])
    assert (tmp_path / "data/workspace/users/ann/memories/api.md").read_text() == "It uses JWT\n"


@pytest.mark.parametrize("form", FORMATS)
def test_the_command_line_prints_the_schema(form: str):
    done = CliRunner().invoke(build(colors=False), ["tool-schema", "--format", form])
    assert json.loads(done.stdout) == schema(form)  # type: ignore[arg-type]


def test_the_command_line_prints_the_skill():
    assert CliRunner().invoke(build(colors=False), ["tool-schema", "--skill"]).stdout == skill()
    done = CliRunner().invoke(build(colors=False), ["tool-schema", "--skill", "--json"])
    assert json.loads(done.stdout) == {"name": "memory", "skill": skill()}
    assert CliRunner().invoke(build(colors=False), ["tool-schema", "--format", "soap"]).exit_code == 2
