"""Replay a chat through the public object; a server on this machine stands for the model and counts what it is sent."""

import json
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import recollect
from recollect import Message, Place
from recollect.testing.clock import FakeClock
from recollect.testing.model_server import ModelServer, Request, Says

CHARS_PER_TOKEN = 4
ANSWER = 220
"""Characters of an answer with about two facts."""
PACES = {"work": timedelta(seconds=40), "personal": timedelta(seconds=30), "assistant": timedelta(minutes=1)}
"""Time between two messages, where a data set has none finer than its sessions."""
BREAK = timedelta(hours=3)
"""Time between two sessions."""


@dataclass(frozen=True, slots=True)
class Chat:
    """Messages in order; a message of the assistant replies to the one before."""

    name: str
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one replay."""

    messages: int
    calls: int
    tokens_in: int
    tokens_out: int
    seconds: float

    def per_thousand(self) -> dict[str, float]:
        share = 1_000 / max(1, self.messages)
        return {
            "calls": round(self.calls * share, 1),
            "tokens_in": round(self.tokens_in * share),
            "tokens_out": round(self.tokens_out * share),
        }


def read_chat(folder: Path, name: str, limit: int, *, with_assistant: bool) -> Chat:
    """The first messages of a data set: between people in a channel, or of one person and the assistant in a DM."""
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text("utf-8").splitlines() if line.strip()]
    return Chat(name, list(_messages(rows[:limit], PACES["assistant" if with_assistant else name])))


def _messages(rows: Iterable[dict[str, Any]], pace: timedelta) -> Iterable[Message]:
    at, before = datetime(2026, 1, 5, 9, tzinfo=UTC), ""
    last: dict[str, str] = {}
    for number, row in enumerate(rows):
        conversation, session, speaker = str(row["conversation"]), str(row.get("session")), str(row.get("speaker"))
        at += BREAK if before not in ("", f"{conversation}/{session}") else pace
        before = f"{conversation}/{session}"
        name = re.sub(r"\W", "", f"{speaker}{conversation}").lower()
        bot = speaker == "assistant"
        person = re.sub(r"\W", "", f"user{conversation}").lower()
        is_dm = bot or speaker == "user"
        place = Place("discord", dm=person) if is_dm else Place("discord", "g1", f"c{conversation}", public=True)
        author = "bot" if bot else person if is_dm else name
        yield Message(f"m{number}", author, place, row["text"], at, speaker, bot, reply_to=last.get(place.session))
        last[place.session] = f"m{number}"


def _answer(request: Request) -> Says:
    """Two facts, quoted from nothing: what counts is their length."""
    del request
    return Says(json.dumps({"upserts": [], "deprecations": []}).ljust(ANSWER))


async def replay(chat: Chat, trigger: str) -> Cost:
    """Say everything, at the times of the chat, and add up what the model was sent."""
    clock = FakeClock(chat.messages[0].at)
    async with ModelServer(_answer) as server:
        model = {"model": "openai:small", "model_base_url": server.url, "summary__enabled": False}
        settings = {"embedder": "null", "extraction__trigger": trigger, "extraction__daily_tokens": None, **model}
        async with recollect.AsyncMemory("sqlite://", clock=clock, **settings) as memory:
            begin = time.perf_counter()
            for number, message in enumerate(chat.messages):
                clock.advance(seconds=(message.at - clock()).total_seconds())
                await memory.add(message)
                if sys.stderr.isatty() and not number % 100:
                    print(f"\r{chat.name}, {trigger}: {number}", end="", file=sys.stderr, flush=True)
                memory.worker.wake()
                await memory.worker.wait_idle()
            seconds = time.perf_counter() - begin
        sizes = [len(json.dumps(dict(request.body), ensure_ascii=False)) for request in server.requests]
    tokens = sum(size // CHARS_PER_TOKEN for size in sizes)
    return Cost(len(chat.messages), len(sizes), tokens, len(sizes) * ANSWER // CHARS_PER_TOKEN, seconds)
