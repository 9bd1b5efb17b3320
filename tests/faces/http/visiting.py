"""Someone who signed in with a browser: cookies, pages, and forms that carry what they have to."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from typing import Any

import httpx
from fastapi import FastAPI

from tests.faces.http.conftest import TOKENS, asking

PAGE = {"accept": "text/html,application/xhtml+xml"}


class Visitor:
    """Looks at pages and sends forms."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client

    async def see(self, path: str, status: int = 200, /, **query: Any) -> str:
        """The page at a path."""
        answer = await self.client.get(path, params=query or None)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return answer.text

    async def send(self, path: str, status: int = 303, /, **fields: Any) -> httpx.Response:
        """A form, as the page at the overview would send it."""
        token = hidden(await self.see("/"), "form_token")
        answer = await self.client.post(path, data={"form_token": token, **fields})
        assert answer.status_code == status, answer.text
        return answer

    async def follow(self, answer: httpx.Response) -> str:
        """The page that a form leads to."""
        return await self.see(answer.headers["location"])


@asynccontextmanager
async def visiting(app: FastAPI, token: str = TOKENS.operator) -> AsyncIterator[Visitor]:
    async with asking(app, PAGE) as client:
        assert (await signing_in(client, token)).status_code == 303
        yield Visitor(client)


async def signing_in(client: httpx.AsyncClient, token: str, **fields: str) -> httpx.Response:
    """The answer to the sign-in form, sent from its page."""
    form_token = hidden((await client.get("/login")).text, "form_token")
    return await client.post("/login", data={"form_token": form_token, "token": token, **fields})


def hidden(page: str, name: str) -> str:
    """The value of a hidden field."""
    found = re.search(rf'<input type="hidden" name="{name}" value="([^"]*)"', page)
    assert found, f"no field {name}"
    return unescape(found[1])


def text_of(page: str) -> str:
    """What a page says, without its tags."""
    apart = re.sub(r"</?(?:d[tdl]|div|p|li|t[dhr]|h\d|button|form)\b[^>]*>", " ", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", apart)))
