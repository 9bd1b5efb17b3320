"""Tokens of the table at the REST API, the pages and the metrics, beside those of the file."""

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.admin.tokens import AccessTokens, Role
from recollect.core.errors import StoreUnreachable
from recollect.faces.http.auth import COOKIE
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, asking
from tests.faces.http.visiting import PAGE, signing_in


@pytest.fixture
def tokens(memory: AsyncMemory, clock: FakeClock) -> AccessTokens:
    return AccessTokens(memory, clock)


def bearing(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


async def test_each_role_opens_what_it_is_for_and_nothing_after_it_ends(app: FastAPI, tokens: AccessTokens):
    issued = {role: await tokens.create(role, user="ann" if role is Role.USER else None) for role in Role}
    opened: dict[Role, list[int]] = {}
    async with asking(app) as client:
        for role, token in issued.items():
            headers = bearing(token.secret)
            answers = [
                await client.get("/api/v1/people", headers=headers),
                await client.post("/api/v1/memos", headers=headers, json={"user": "ann", "text": "Likes tea"}),
                await client.get("/metrics", headers=headers),
            ]
            opened[role] = [answer.status_code // 100 for answer in answers]
        assert opened == {
            Role.OPERATOR: [2, 2, 2],
            Role.READER: [2, 4, 2],
            Role.METRICS: [4, 4, 2],
            Role.USER: [4, 4, 4],
        }
        refused = await client.get("/api/v1/people", headers=bearing(issued[Role.USER].secret))
        assert (refused.status_code, "by MCP" in refused.text) == (403, True)
        await tokens.revoke(issued[Role.OPERATOR].token.id)
        ended = await client.get("/api/v1/people", headers=bearing(issued[Role.OPERATOR].secret))
        assert ended.status_code == 401
        assert (await client.get("/api/v1/people", headers=OPERATOR)).status_code == 200


@pytest.mark.parametrize("how", ["revoke", "rotate"])
async def test_a_browser_signs_in_with_a_token_of_the_table_and_is_signed_out_when_it_ends(
    app: FastAPI, tokens: AccessTokens, how: str
):
    issued = await tokens.create(Role.READER, "wall display")
    async with asking(app, PAGE) as browser:
        assert (await signing_in(browser, issued.secret)).status_code == 303
        assert (await browser.get("/")).status_code == 200
        await getattr(tokens, how)(issued.token.id)
        assert (await browser.get("/")).status_code == 303
        for role in (Role.METRICS, Role.USER):
            other = await tokens.create(role, user="ann" if role is Role.USER else None)
            answer = await signing_in(browser, other.secret)
            assert (answer.status_code, COOKIE in answer.headers.get("set-cookie", "")) == (403, False)


async def test_a_store_that_is_away_is_told_and_the_tokens_of_the_file_still_count(
    app: FastAPI, memory: AsyncMemory, tokens: AccessTokens, monkeypatch: pytest.MonkeyPatch
):
    issued = await tokens.create(Role.READER)

    async def away(_: object) -> None:
        raise StoreUnreachable("the database does not answer")

    async with asking(app) as client:
        with monkeypatch.context() as broken:
            broken.setattr(memory.store, "read", away)
            answer: httpx.Response = await client.get("/api/v1/people", headers=bearing(issued.secret))
            assert (answer.status_code, "does not answer" in answer.text) == (503, True)
            assert (await client.get("/static/app.css", headers=OPERATOR)).status_code != 503
        assert (await client.get("/api/v1/people", headers=bearing(issued.secret))).status_code == 200
