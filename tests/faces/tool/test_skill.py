"""The guidance that is shipped with the tool, and the paths it shows when something is wrong."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest
import yaml

import recollect
from recollect import Place
from recollect.core.errors import StoreError
from recollect.core.types import Message
from recollect.faces.mcp.server import build
from recollect.faces.tool.schema import skill, skill_for_model
from recollect.settings import load
from tests.faces.tool.conftest import Agent, opened


def part(heading: str) -> str:
    """One chapter of the guidance."""
    (found,) = [chapter for chapter in skill().split("\n## ") if chapter.startswith(heading)]
    return " ".join(found.split())


@pytest.mark.acceptance("E40")
async def test_the_skill_is_shipped_with_its_front_matter_and_goes_into_every_agents_prompt(agent: Agent):
    front = yaml.safe_load(skill().split("---\n")[1])
    assert front == {"name": "memory", "description": "Long-term memory management", "trigger": "automatic"}
    assert skill_for_model().startswith("# Long-term memory")
    # An MCP client puts a server's instructions into the prompt of its model, whatever is asked.
    async with opened(profile="devclaw") as agent:
        assert build(agent.memory, user="ann").instructions == skill_for_model()


def test_a_model_is_not_told_what_only_operators_can_do():
    assert "RECOLLECT_" in skill()
    assert "RECOLLECT_" not in skill_for_model()
    assert "When nothing is found" in skill_for_model()


@pytest.mark.acceptance("E41")
def test_agents_are_told_how_to_save():
    told = part("When you answer")
    for advice in (
        *("Save proactively", "Use keywords", "Choose the right category", "Keep it concise", "Search before you save"),
        *("fact", "preference", "event", "summary"),
    ):
        assert advice in told


@pytest.mark.acceptance("E42")
def test_operators_are_told_what_to_tune_by_settings_that_exist():
    told = part("For those who run this")
    for advice in ("embedding model", "cache", "how full prompts are"):
        assert advice in told
    known = {row.env for row in recollect.settings.rows(load())}
    named = {word.strip("`().:,;") for word in told.split() if "RECOLLECT_" in word}
    assert named
    assert named <= known


@pytest.mark.acceptance("E43")
def test_searches_are_explained():
    told = part("When you search")
    for advice in ("natural language", "keywords", "Filter by category"):
        assert advice in told


def test_the_calls_in_the_skill_are_real():
    from recollect.faces.tool.actions import ACTIONS

    for line in skill().splitlines():
        if line.startswith("    memory(action="):
            assert line.split('"')[1] in ACTIONS


@pytest.mark.acceptance("E44")
async def test_the_paths_out_of_trouble_work(tmp_path: Path):
    path = tmp_path / "memory.db"
    async with opened(path) as agent:
        assert (await agent("list")).text.startswith("Memory is on. Memories: fact 0,")
        for name in ("Oslo", "Lima", "Cairo"):
            await agent.save(f"The depot in {name} opens early")
        with closing(apsw.Connection(str(path))) as other:
            assert list(other.execute("SELECT COUNT(*) FROM memories")) == [(3,)]
            other.execute("DELETE FROM memo_words")
        assert not (await agent("search", query="Lima")).data["close"]
        await agent("index")
        assert (await agent.found("Lima"))[0] == "The depot in Lima opens early"
    async with opened(path, search={"max_results": 2}) as fewer:
        assert len(await fewer.found("depot")) == len(await fewer.listed()) == 2
    async with opened(path, enabled=False) as off:
        assert (await off("list")).text.startswith("Memory is switched off")
    assert await _in_prompt(path, tokens=12) < await _in_prompt(path, tokens=2000) == 3
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match=r"cannot make the folder .*/file"):
        async with opened(tmp_path / "file" / "memory.db") as nowhere:
            await nowhere("list")


async def _in_prompt(path: Path, tokens: int) -> int:
    async with opened(path, memos={"inject_max_tokens": tokens, "inject_max_chars": None}) as agent:
        message = Message("m1", "ann", Place(dm="ann"), "which depot?", agent.clock())
        return (await agent.memory.context(message)).text.count("opens early")
