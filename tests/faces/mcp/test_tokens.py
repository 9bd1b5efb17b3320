"""MCP over HTTP: whose memory a request is about is said by its token, and by nothing else."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from recollect import AsyncMemory, Place
from recollect.admin.tokens import AccessTokens, Role
from recollect.core.clock import now
from recollect.faces.http.sockets import listen
from recollect.faces.mcp.server import build
from recollect.faces.mcp.transport import over_http
from tests.faces.mcp.test_process import HELLO
from tests.faces.mcp.test_server import read, said, uris
from tests.scenes import DEV

DM_OF_ANN = Place("discord", dm="ann")
ACCEPTED = {"accept": "application/json, text/event-stream"}


@asynccontextmanager
async def served(memory: AsyncMemory, **options: Any) -> AsyncIterator[str]:
    """A server in this process, whose own user is ann; gives its address."""
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    server = build(memory, user="ann")
    listener = listen("127.0.0.1", 0)
    task = asyncio.create_task(
        over_http(server, listener, AccessTokens(memory, now), ready=ready.set_result, **options)
    )
    try:
        yield await ready
    finally:
        signal.raise_signal(signal.SIGTERM)
        await task


@asynccontextmanager
async def using(address: str, secret: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}) as web,
        Client(streamable_http_client(address, http_client=web), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_each_token_opens_the_memory_of_its_user_and_nobody_elses(memory: AsyncMemory, mode: str):
    tokens = AccessTokens(memory, now)
    hers, his = await tokens.create(Role.USER, user="ann"), await tokens.create(Role.USER, user="bob")
    theirs = (await memory.remember("Ann is allergic to nuts", user="ann")).memo.id
    async with served(memory) as address, using(address, his.secret, mode) as bob:
        assert "nuts" not in await said(bob, "search_memory", query="nuts")
        assert "nuts" not in await read(bob, "recollect://memory")
        assert await uris(bob) == []
        assert (await bob.call_tool("why_memory", {"id": theirs})).is_error
        assert (await bob.call_tool("forget_memory", {"id": theirs})).is_error
        for name in ("user", "place", "_meta"):
            assert (await bob.call_tool("search_memory", {"query": "nuts", name: "ann"})).is_error
        await said(bob, "save_memory", content="I keep bees in Graz")
        (message,) = (await bob.get_prompt("with-memory", {"message": "nuts?", "user": "ann"})).messages
        assert "allergic" not in str(message)
        async with using(address, hers.secret, mode) as ann:
            assert "nuts" in await said(ann, "search_memory", query="nuts")
            assert "bees" not in await said(ann, "list_memories")
    assert [memo.text for memo in (await memory.show(user="bob")).memos] == ["I keep bees in Graz"]


async def test_a_token_sees_its_user_from_its_place(memory: AsyncMemory):
    await memory.remember("The raise is decided", user="ann", place=DM_OF_ANN)
    await memory.remember("The beta ships on Friday", user="ann", place=DEV)
    in_dev = await AccessTokens(memory, now).create(Role.USER, user="ann", place=DEV)
    async with served(memory) as address, using(address, in_dev.secret) as client:
        listed = await said(client, "list_memories")
        assert ("beta" in listed, "raise" in listed) == (True, False)
        await said(client, "save_memory", content="I like tea")
    assert {str(memo.audience) for memo in (await memory.show(user="discord:ann")).memos} >= {str(DEV.audience)}


async def test_a_token_for_a_name_never_reaches_someone_of_that_name_elsewhere(memory: AsyncMemory):
    issued = await AccessTokens(memory, now).create(Role.USER, user="1042")
    await memory.remember("Lives in Lisbon", user="discord:1042")
    async with served(memory) as address, using(address, issued.secret) as client:
        assert "Lisbon" not in await said(client, "list_memories") + await read(client, "recollect://memory")
        (message,) = (await client.get_prompt("with-memory", {"message": "where do I live?"})).messages
        assert "Lisbon" not in str(message)


async def test_a_missing_or_revoked_token_is_refused_with_instructions(memory: AsyncMemory):
    tokens = AccessTokens(memory, now)
    async with served(memory) as address, httpx2.AsyncClient(headers=ACCEPTED) as web:
        assert (await web.post(address, json=HELLO)).status_code == 200, "nobody has a token yet, and only we connect"
        wrong = await web.post(address, json=HELLO, headers={"Authorization": "Bearer rcl_0000000000_x"})
        assert wrong.status_code == 401, "a wrong token is never taken for none"
        user = await tokens.create(Role.USER, user="ann")
        reader = await tokens.create(Role.READER)
        without = await web.post(address, json=HELLO)
        assert (without.status_code, "recollect tokens create" in without.text) == (401, True)
        metadata = await web.get(f"{address.removesuffix('/mcp')}/.well-known/oauth-protected-resource")
        assert metadata.status_code == 404, "there is no authorization server to look for"
        assert without.headers["www-authenticate"].startswith("Bearer ")
        of_the_page = await web.post(address, json=HELLO, headers={"Authorization": f"Bearer {reader.secret}"})
        assert (of_the_page.status_code, "for a user" in of_the_page.text) == (403, True)
        bearing = {"Authorization": f"Bearer {user.secret}"}
        assert (await web.post(address, json=HELLO, headers=bearing)).status_code == 200
        assert (await web.post(address, json=HELLO, headers=bearing | {"host": "evil.example"})).status_code == 421
        await tokens.revoke(user.token.id)
        assert (await web.post(address, json=HELLO, headers=bearing)).status_code == 401


async def test_a_session_can_not_be_used_with_another_token(memory: AsyncMemory):
    tokens = AccessTokens(memory, now)
    hers, his = await tokens.create(Role.USER, user="ann"), await tokens.create(Role.USER, user="bob")
    await memory.remember("Ann is allergic to nuts", user="ann")
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_memories", "arguments": {}}}
    async with served(memory) as address, httpx2.AsyncClient(headers=ACCEPTED) as web:
        begun = await web.post(address, json=HELLO, headers={"Authorization": f"Bearer {hers.secret}"})
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        stolen = await web.post(address, json=call, headers=session | {"Authorization": f"Bearer {his.secret}"})
        assert (stolen.status_code, "nuts" in stolen.text) == (404, False)


async def test_an_open_server_is_its_own_users(memory: AsyncMemory):
    his = await AccessTokens(memory, now).create(Role.USER, user="bob")
    await memory.remember("Ann is allergic to nuts", user="ann")
    async with served(memory, is_open=True) as address, Client(address) as client:
        assert "nuts" in await said(client, "list_memories")
        async with using(address, his.secret) as bob:
            assert "nuts" not in await said(bob, "list_memories")
