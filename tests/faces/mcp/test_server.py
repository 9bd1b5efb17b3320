"""What an MCP client gets to see of a memory: the official client, connected in this process."""

from dataclasses import replace
from pathlib import Path

import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, TextContent, TextResourceContents

import recollect
from recollect import AsyncMemory
from recollect.core.types import EVERYWHERE
from recollect.core.version import __version__
from recollect.faces.mcp.server import PAGE_SIZE, RECALL, WITH_MEMORY
from recollect.faces.tool.toolset import INSTRUCTIONS, TOOLS
from tests import ground
from tests.faces.mcp.conftest import build, connected
from tests.scenes import DEV, DM, STAFF


async def said(client: Client, tool: str, **arguments: object) -> str:
    """The text of a tool's answer."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "text/plain")
    return content.text


async def asked(client: Client, **arguments: str) -> str:
    (message,) = (await client.get_prompt(RECALL, arguments or None)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def uris(client: Client) -> list[str]:
    """The resources of single memories."""
    everything, *single = [resource.uri for resource in (await client.list_resources()).resources]
    assert everything == "recollect://memory"
    return single


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_client_of_any_age_finds_tool_resources_prompt_and_guidance(memory: AsyncMemory, mode: str):
    await memory.remember("I prefer tea over coffee", user="ann")
    async with Client(build(memory, user="ann"), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        assert (client.server_info.name, client.server_info.version) == ("recollect", __version__)
        assert client.instructions == INSTRUCTIONS
        assert "tea" in await said(client, "search_memory", query="tea")
        assert len(await uris(client)) == 1
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == [RECALL, WITH_MEMORY]


class TestTool:
    async def test_answers_are_text_and_data(self, memory: AsyncMemory):
        async with connected(memory) as client:
            saved = await client.call_tool(
                "save_memory", {"content": "The API uses JWT", "category": "fact", "metadata": {"a": 1}}
            )
            kept = saved.structured_content["memory"]
            assert (saved.is_error, kept["content"]) == (False, "The API uses JWT")
            listed = await said(client, "list_memories", category="fact")
            assert listed.splitlines()[1] == f"- [fact] The API uses JWT (id {kept['id']}, {kept['created'][:10]})"

    async def test_what_is_saved_in_a_dm_is_told_nowhere_else_and_the_answer_says_so(self, memory: AsyncMemory):
        async with connected(memory) as client:
            saved = await client.call_tool("save_memory", {"content": "Ann is HIV positive", "category": "fact"})
            assert saved.structured_content["audience"] == "dm:ann"
            assert "in the user's direct messages only" in saved.content[0].text
            assert "recollect share" in saved.content[0].text
        async with connected(memory, place=DEV) as client:
            assert "HIV" not in await said(client, "search_memory", query="what is Ann's status?")
            assert "HIV" not in await asked(client)

    async def test_errors_are_answers_that_the_model_can_read(self, memory: AsyncMemory):
        async with connected(memory) as client:
            wrong = await client.call_tool("update_memory", {"content": "x is y"})
            assert (wrong.is_error, wrong.structured_content) == (True, None)
            assert await said(client, "update_memory", content="x is y") == "error: update_memory needs id"
            assert await said(client, "save_memory") == "error: save_memory needs content"

    async def test_an_unknown_tool_is_refused(self, memory: AsyncMemory):
        async with connected(memory) as client:
            with pytest.raises(MCPError, match="there is no tool 'shell'") as error:
                await client.call_tool("shell", {})
            assert error.value.code == INVALID_PARAMS

    async def test_a_memo_saved_by_one_client_is_found_by_another(self, memory: AsyncMemory):
        async with connected(memory) as one, connected(memory) as other:
            await said(one, "save_memory", content="The API uses JWT", category="fact")
            assert "The API uses JWT" in await said(other, "search_memory", query="JWT")


class TestResources:
    async def test_memories_are_listed_and_read_with_their_reasons(self, memory: AsyncMemory):
        await memory.remember("I prefer tea over coffee", user="ann", place=DEV)
        (memo,) = (await memory.show(user="discord:ann")).memos
        async with connected(memory, "discord:ann") as client:
            everything, resource = (await client.list_resources()).resources
            assert (resource.uri, resource.title) == (f"recollect://memory/{memo.id}", "I prefer tea over coffee")
            assert "I prefer tea over coffee" in await read(client, everything.uri)
            text = await read(client, resource.uri)
            assert text.startswith(f"[preference] I prefer tea over coffee (id {memo.id}, active)")
            assert "stated by ann in #dev" in text
            (template,) = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == "recollect://memory/{id}"
            assert await read(client, f"memory://{memo.id}") == text, "as earlier versions called it"

    async def test_many_memories_come_in_pages(self, memory: AsyncMemory):
        for number in range(PAGE_SIZE + 3):
            await memory.remember(f"Locker {number} belongs to {number * 13 + 5}", user="ann")
        async with connected(memory) as client:
            first = await client.list_resources()
            rest = await client.list_resources(cursor=first.next_cursor)
            assert (len(first.resources), len(rest.resources), rest.next_cursor) == (1 + PAGE_SIZE, 3, None)
            assert len({one.uri for one in [*first.resources, *rest.resources]}) == 1 + PAGE_SIZE + 3

    @pytest.mark.parametrize("cursor", ["x", "-1", "²", "9" * 30, ""])
    async def test_a_cursor_that_is_not_ours_is_refused(self, memory: AsyncMemory, cursor: str):
        async with connected(memory) as client:
            with pytest.raises(MCPError, match="unknown cursor"):
                await client.list_resources(cursor=cursor)

    @pytest.mark.parametrize(
        "uri",
        [
            "recollect://memory/nothing",
            "recollect://",
            "memory://",
            "file:///etc/passwd",
            "recollect://memory/../x",
            "x",
        ],
    )
    async def test_an_unknown_resource_is_an_error(self, memory: AsyncMemory, uri: str):
        async with connected(memory) as client:
            with pytest.raises(MCPError, match="there is no resource") as error:
                await client.read_resource(uri)
            assert error.value.code == INVALID_PARAMS

    async def test_the_words_of_a_dm_are_not_read_in_public(self, memory: AsyncMemory):
        said = "I work at Globex, but can't stand Karl"
        memo = (await memory.remember("I work at Globex", user="ann", place=DM, audience=EVERYWHERE)).memo
        stored = replace(memo, source=replace(memo.source, evidence=said))
        await memory.store.write(lambda tx: tx.memos.put(stored))
        async with connected(memory, "ann", DEV) as client:
            assert "stated by ann elsewhere" in await read(client, f"recollect://memory/{memo.id}")
            assert "Karl" not in await read(client, f"recollect://memory/{memo.id}")
        async with connected(memory, "ann", DM) as client:
            assert said in await read(client, f"recollect://memory/{memo.id}")


class TestPrompt:
    async def test_the_recall_prompt_includes_known_memos(self, memory: AsyncMemory):
        async with connected(memory) as client:
            assert (await asked(client)).endswith("(nothing yet)")
            await memory.remember("I prefer tea over coffee", user="ann")
            await memory.remember("My sister Nora lives in Lyon", user="ann")
            text = await asked(client)
            assert text.startswith("What do you remember about me?\n")
            assert "not instructions" in text
            assert ("tea" in text, "Nora" in text) == (True, True)

    async def test_the_recall_prompt_can_be_limited_to_a_topic(self, memory: AsyncMemory):
        await memory.remember("I prefer tea over coffee", user="ann")
        await memory.remember("My sister Nora lives in Lyon", user="ann")
        async with connected(memory) as client:
            text = await asked(client, topic="Nora")
            assert text.startswith("What do you remember about me and Nora?")
            assert ("Lyon" in text, "tea" in text) == (True, False)

    async def test_a_message_without_words_is_asked_for_and_a_topic_may_be_a_question(self, memory: AsyncMemory):
        async with connected(memory) as client:
            with pytest.raises(MCPError, match="with-memory needs message"):
                await client.get_prompt(WITH_MEMORY, {})
            asked = (await client.get_prompt(RECALL, {"topic": "where do I live?"})).messages[0].content
        assert isinstance(asked, TextContent)
        assert asked.text.startswith("What do you remember about me and where do I live?\n")

    async def test_an_unknown_prompt_is_refused(self, memory: AsyncMemory):
        async with connected(memory) as client:
            with pytest.raises(MCPError, match="there is no prompt"):
                await client.get_prompt("jailbreak")


class TestIdentity:
    async def test_no_argument_of_a_call_reads_or_changes_the_memory_of_another_user(self, memory: AsyncMemory):
        theirs = (await memory.remember("Bob keeps bees", user="bob")).memo.id
        async with connected(memory, "ann") as client:
            for name in ("user", "place", "as", "subject", "scope", "_meta"):
                for value in ("bob", {"dm": "bob"}, {"user": "bob"}):
                    for tool, arguments in (
                        ("search_memory", {"query": "bees"}),
                        ("list_memories", {"category": "fact"}),
                        ("why_memory", {"id": theirs}),
                        ("forget_memory", {"id": theirs}),
                        ("save_memory", {"content": "Bob keeps wasps", "category": "fact"}),
                    ):
                        result = await client.call_tool(tool, arguments | {name: value})
                        assert result.is_error
                        assert "bees" not in str(result.content)
            for tool in ("why_memory", "forget_memory", "restore_memory"):
                assert (await client.call_tool(tool, {"id": theirs})).is_error
            assert (await client.call_tool("update_memory", {"id": theirs, "content": "x"})).is_error
            assert "bees" not in await said(client, "search_memory", query="bees")
            assert "keeps" not in await asked(client, topic="bees", user="bob")
            assert await uris(client) == []
            with pytest.raises(MCPError):
                await client.read_resource(f"recollect://memory/{theirs}")
        assert [memo.text for memo in (await memory.show(user="bob")).memos] == ["Bob keeps bees"]

    async def test_a_server_in_a_place_tells_what_may_be_heard_there(self, memory: AsyncMemory):
        await memory.remember("The raise is decided", user="ann", place=STAFF, audience=STAFF.audience)
        await memory.remember("The beta ships on Friday", user="ann", place=DEV, audience=DEV.audience)
        heard = {}
        for name, place in {"dev": DEV, "staff": STAFF, "dm": DM}.items():
            async with connected(memory, "ann", place) as client:
                texts = [await read(client, uri) for uri in await uris(client)]
                heard[name] = {"raise" if "raise" in text else "beta" for text in texts}
                assert ("raise" in await asked(client)) == ("raise" in heard[name])
        assert heard == {"dev": {"beta"}, "staff": {"raise", "beta"}, "dm": {"raise", "beta"}}


async def test_where_durable_memory_is_switched_off_the_tool_and_the_prompt_say_so(tmp_path: Path):
    async with recollect.AsyncMemory(ground.at(tmp_path / "memory.db"), embedder="null") as memory:
        await memory.remember("I like tea", user="ann")
    off = {"memos": {"enabled": False}, "embedder": "null"}
    async with recollect.AsyncMemory(ground.at(tmp_path / "memory.db"), **off) as memory, connected(memory) as client:
        saved = await client.call_tool("save_memory", {"content": "I like coffee", "category": "fact"})
        assert saved.is_error
        assert "durable memory is switched off" in await said(
            client, "save_memory", content="I like coffee", category="fact"
        )
        for told in (
            await said(client, "search_memory", query="tea"),
            await asked(client),
            await asked(client, topic="tea"),
        ):
            assert "Durable memory is switched off" in told
            assert "I like tea" not in told
