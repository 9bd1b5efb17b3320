"""MCP as a part of `recollect serve`: under /mcp, for users' tokens, beside the page and the API."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from recollect import AsyncMemory
from recollect.admin.tokens import AccessTokens, Role
from recollect.core.clock import now
from recollect.faces.http.app import create, mount
from recollect.faces.http.middleware import MCP_PATH
from recollect.faces.http.serve import names_of, serve
from recollect.faces.http.sockets import address, listen
from recollect.faces.mcp import mounted
from recollect.faces.mcp.mounted import MountedServer
from tests.faces.http.conftest import OPERATOR, TOKENS
from tests.faces.mcp.test_process import HELLO
from tests.faces.mcp.test_server import said
from tests.faces.mcp.test_tokens import ACCEPTED, using


@asynccontextmanager
async def serving(memory: AsyncMemory, *, stateless: bool = False) -> AsyncIterator[str]:
    names = names_of("127.0.0.1", memory.settings)
    app, stop, listener = create(memory, TOKENS, names=names), asyncio.Event(), listen("127.0.0.1", 0)
    mcp = MountedServer(memory, app.state.recollect.admin.tokens, "127.0.0.1", names, stateless=stateless)
    mount(app, MCP_PATH, mcp)
    task = asyncio.create_task(serve(app, listener, stop))
    try:
        yield address(listener)
    finally:
        stop.set()
        await task
        await mcp.close()


@pytest.mark.parametrize("stateless", [False, True])
async def test_a_users_token_opens_their_memory_beside_the_api(memory: AsyncMemory, stateless: bool):
    tokens = AccessTokens(memory, now)
    hers, his = await tokens.create(Role.USER, user="ann"), await tokens.create(Role.USER, user="bob")
    await memory.remember("Ann is allergic to nuts", user="ann")
    async with serving(memory, stateless=stateless) as url:
        async with using(f"{url}/mcp", his.secret) as bob, using(f"{url}/mcp", hers.secret) as ann:
            assert "nuts" in await said(ann, "search_memory", query="nuts")
            assert "nuts" not in await said(bob, "search_memory", query="nuts")
            await said(bob, "save_memory", content="I keep bees in Graz")
        async with httpx.AsyncClient(base_url=url, headers=OPERATOR) as operator:
            listed = await operator.get("/api/v1/memos", params={"user": "bob"})
            assert "bees" in listed.text
    assert [memo.text for memo in (await memory.show(user="bob")).memos] == ["I keep bees in Graz"]


async def test_without_a_users_token_or_under_another_name_nothing_is_answered(memory: AsyncMemory):
    issued = await AccessTokens(memory, now).create(Role.USER, user="ann")
    hers = {"Authorization": f"Bearer {issued.secret}"}
    async with serving(memory) as url, httpx.AsyncClient(base_url=url, headers=ACCEPTED) as web:
        assert (await web.post("/mcp", json=HELLO)).status_code == 401
        assert (
            await web.post("/mcp", json=HELLO, headers=OPERATOR)
        ).status_code == 401  # of the file, not of the table
        reader = await AccessTokens(memory, now).create(Role.READER)
        theirs = {"Authorization": f"Bearer {reader.secret}"}
        assert (await web.post("/mcp", json=HELLO, headers=theirs)).status_code == 403
        assert (await web.post("/mcp", json=HELLO, headers={**hers, "Host": "evil.example"})).status_code == 421
        assert (
            await web.post("/mcp", json=HELLO, headers={**hers, "Origin": "https://evil.example"})
        ).status_code == 403
        assert (await web.post("/mcp", json=HELLO, headers=hers)).status_code == 200
        assert (await web.get("/api/v1/people", headers=hers)).status_code == 403


async def test_where_the_sdk_is_missing_the_answer_says_what_to_install(
    memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch
):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(mounted, "import_module", missing)
    async with serving(memory) as url, httpx.AsyncClient(base_url=url, headers=ACCEPTED) as web:
        answer = await web.post("/mcp", json=HELLO)
        assert answer.status_code == 501
        assert "recollect[mcp]" in answer.text
        assert (await web.get("/health")).status_code == 200
