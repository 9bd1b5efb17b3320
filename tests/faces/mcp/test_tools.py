"""The tools as a model meets them: what they promise, what they take almost right, and what their errors say."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError
from mcp_types import TextContent

import recollect
from recollect import AsyncMemory
from recollect.faces.tool.schema import schema, skill_for_model
from tests import ground
from tests.faces.mcp.conftest import build, connected
from tests.faces.mcp.test_server import said

SECRET = "AKIAIOSFODNN7EXAMPLE"


async def called(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    """The structured content; the official client checks it against the tool's schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: object) -> str:
    result = await client.call_tool(tool, arguments)
    assert (result.is_error, result.structured_content) == (True, None)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_tools_say_what_they_do_take_and_return(memory: AsyncMemory):
    async with connected(memory) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"search_memory", "save_memory", "update_memory", "forget_memory", "list_memories", "why_memory"} <= {
            *tools
        }
        hints = {
            name: (tool.annotations.read_only_hint, tool.annotations.destructive_hint)
            for name, tool in tools.items()
            if tool.annotations is not None
        }
        assert hints == {
            "search_memory": (True, False),
            "save_memory": (False, False),
            "update_memory": (False, True),
            "forget_memory": (False, True),
            "restore_memory": (False, False),
            "list_memories": (True, False),
            "why_memory": (True, False),
        }
        for tool in tools.values():
            assert tool.title
            assert tool.description
            assert tool.annotations is not None
            assert (tool.annotations.idempotent_hint, tool.annotations.open_world_hint) == (True, False)
            for declared in (tool.input_schema, tool.output_schema or {}):
                Draft202012Validator.check_schema(declared)
                assert declared["type"] == "object"
            assert "user" not in tool.input_schema["properties"]
        instructions = client.instructions or ""
        assert len(instructions) < 1000
        assert "RECOLLECT_" not in instructions, "what the operator sets is not the model's business"


async def test_a_memory_is_saved_found_changed_explained_forgotten_and_restored(memory: AsyncMemory):
    async with connected(memory) as client:
        saved = await called(client, "save_memory", content="I prefer tea over coffee", keywords=["drinks"])
        memo = saved["memory"]
        assert (memo["category"], memo["keywords"], saved["replaced"]) == ("preference", ["drinks"], [])
        again = await called(client, "save_memory", content="I prefer tea over coffee")
        assert again["memory"]["id"] == memo["id"]
        found = await called(client, "search_memory", query="tea or coffee?")
        assert (found["close"], [each["id"] for each in found["results"]]) == (True, [memo["id"]])
        changed = await called(
            client, "update_memory", id=memo["id"], content="I prefer green tea", version=again["memory"]["version"]
        )
        assert changed["memory"]["version"] > memo["version"]
        why = (await called(client, "why_memory", id=f"recollect://memory/{memo['id']}"))["memory"]["why"]
        assert (why["said_by"], why["history"][-1]["what"]) == ("ann", "revised")
        assert (await called(client, "forget_memory", id=memo["id"]))["outcome"] == "forgotten"
        assert (await called(client, "forget_memory", id=memo["id"]))["outcome"] == "unchanged"
        assert (await called(client, "list_memories"))["memories"] == []
        await called(client, "restore_memory", id=memo["id"])
        listed = await called(client, "list_memories")
        assert (listed["total"], listed["memories"][0]["content"]) == (1, "I prefer green tea")


async def test_nearly_valid_tool_arguments_are_accepted(memory: AsyncMemory):
    async with connected(memory) as client:
        for number in range(7):
            await called(
                client,
                "save_memory",
                content=f"Locker {number} belongs to {number * 13 + 5}",
                category="Facts",
                keywords="locker, basement",
                metadata='{"floor": 1}',
                limit=None,
            )
        found = await called(client, "search_memory", query="locker", limit="5", category=" FACT ")
        assert len(found["results"]) == 5
        assert (found["results"][0]["keywords"], found["results"][0]["metadata"]) == (
            ["locker", "basement"],
            {"floor": 1},
        )
        page = await called(client, "list_memories", limit=5.0, offset="5")
        assert (len(page["memories"]), page["total"], page["next_offset"]) == (2, 7, None)
        assert "there is no memory '42'" in await refused(client, "why_memory", id=42)
        for wrong, told in {
            "limit": "limit: it should be a valid integer",
            "category": "unknown category 'many'; use one of fact, preference, event, summary",
            "user": "search_memory takes no 'user'; it takes query, category, limit",
        }.items():
            assert told in await refused(client, "search_memory", query="x", **{wrong: "many"})
        assert "not a JSON object" in await refused(client, "save_memory", content="x is y", metadata="{")
        memo_id = found["results"][0]["id"]
        for written in (f"`{memo_id}`", f'"{memo_id}"', f"[id {memo_id}]"):
            assert (await called(client, "why_memory", id=written))["memory"]["id"] == memo_id
        assert (await called(client, "list_memories", category="null", limit="3.0"))["total"] == 7
        assert "query: it should have at most" in await refused(client, "search_memory", query="x" * 100_000)


async def test_a_memory_that_was_changed_meanwhile_is_not_overwritten_and_the_error_says_how_to_go_on(
    memory: AsyncMemory,
):
    async with connected(memory) as client:
        memo = (await called(client, "save_memory", content="My flight leaves at 9:40"))["memory"]
        await memory.update(memo["id"], "My flight leaves at 10:15", user="ann")
        for tool, change in (("update_memory", {"content": "My flight leaves at 9:50"}), ("forget_memory", {})):
            told = await refused(client, tool, id=memo["id"], version=str(memo["version"]), **change)
            assert f"changed in the meantime: it has version {memo['version'] + 1}" in told
            assert 'It says now: "My flight leaves at 10:15"' in told
        (kept,) = (await called(client, "list_memories"))["memories"]
        assert kept["content"] == "My flight leaves at 10:15"
        await called(client, "update_memory", id=memo["id"], content="My flight leaves at 11", version=kept["version"])


async def test_a_secret_is_not_stored_and_the_answer_says_so(memory: AsyncMemory):
    async with connected(memory) as client:
        for text in (SECRET, f"my AWS key is {SECRET}"):
            told = await refused(client, "save_memory", content=text)
            assert told == "error: That looks like a secret, so it was not remembered"
        assert (await called(client, "list_memories"))["total"] == 0
        partly = await said(client, "save_memory", content=f"The key {SECRET} belongs to the staging bucket")
        assert "A secret in it was left out" in partly
        assert SECRET not in partly
        (memo,) = (await called(client, "list_memories"))["memories"]
        told = await refused(client, "update_memory", id=memo["id"], content=SECRET)
        assert told == "error: the new text is a secret and nothing else, so nothing was changed"
        assert (await called(client, "list_memories"))["memories"] == [memo]


async def test_a_prompt_brings_a_message_together_with_what_is_remembered(memory: AsyncMemory):
    await memory.remember("I am allergic to peanuts", user="ann")
    await memory.remember("Bob keeps bees", user="bob")
    async with connected(memory) as client:
        (message,) = (await client.get_prompt("with-memory", {"message": "Can I eat peanuts or honey?"})).messages
        assert isinstance(message.content, TextContent)
        assert "I am allergic to peanuts" in message.content.text
        assert "Can I eat peanuts or honey?" in message.content.text
        assert "Bob" not in message.content.text
        with pytest.raises(MCPError, match="message: "):
            await client.get_prompt("with-memory", {"message": " "})


async def test_under_the_profile_of_its_design_there_is_one_tool_with_actions():
    async with (
        recollect.AsyncMemory(ground.new(), embedder="null", profile="devclaw") as memory,
        Client(build(memory, user="ann")) as client,
    ):
        (tool,) = (await client.list_tools()).tools
        assert (tool.name, tool.input_schema) == ("memory", schema("mcp")["inputSchema"])
        assert client.instructions == skill_for_model()
        await said(client, "memory", action="save", content="The API uses JWT", category="fact")
        assert "The API uses JWT" in await said(client, "memory", action="search", query="JWT", limit="5")
        with pytest.raises(MCPError, match="there is no tool"):
            await client.call_tool("search_memory", {"query": "JWT"})
