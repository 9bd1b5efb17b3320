"""Moving in from each document: the commands of its page, as they stand there, and what the model is sent then."""

import asyncio
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect import Place
from tests.faces.cli.conftest import Run
from tests.test_documents import PAGES
from tests.transfer.elsewhere import (
    CLANKER_FACT,
    CLANKER_SCHEMA,
    DEVCLAW_MEMORY,
    DEVCLAW_SCHEMA,
    DISCO_FACT,
    MS,
    database,
    durable,
    written,
)
from tests.wire.test_document_settings import running
from tests.wire.test_requests import last_turn

DEV = Place("discord", "900", "77", name="dev", public=True)
GENERAL = Place("discord", "900", "78", name="general", public=True)
ELSEWHERE = Place("discord", "901", "79", name="lobby", public=True)
DM = Place("discord", dm="42", channel="5")
WEBHOOKS, OSLO = "User adds webhooks to their Fastify migration.", "User plans a trip to Oslo."


def move_in(cli: Run, page: str, profile: str) -> list[str]:
    """Every command of the page's last part; the last line that each prints."""
    (block,) = re.findall(r"## Moving in\n.*?```sh\n(.*?)```", PAGES[page], re.DOTALL)
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    return [cli(*command[1:], RECOLLECT_PROFILE=profile).out.splitlines()[-1] for command in commands]


def sent(profile: str, *asked: tuple[str, Place, str]) -> list[str]:
    """The user turns for these questions, each of a person in a place, in a program of that profile."""

    async def ask() -> Sequence[str]:
        async with running(profile, Path.cwd(), "NOTHING", None) as talk:
            for user, place, text in asked:
                await talk.ask(text, user, place)
            return [last_turn(request) for request in talk.server.requests if request.tools]

    return list(asyncio.run(ask()))


def _summaries(folder: Path) -> None:
    for name, text in (("channel-77", WEBHOOKS), ("dm-42", OSLO)):
        written(folder / f"discord-{name}.json", f'{{"summary": "{text}", "updatedAt": {MS}}}')


def _fact(text: str, **source: str) -> dict[str, Any]:
    return {**DISCO_FACT, "id": f"durable-{len(text):08x}", "text": text, "source": source}


MANUAL = {"type": "manual", "guildId": "900", "channelId": "77", "messageId": "1", "channelName": "dev"}


@pytest.mark.parametrize("profile", ["discoclaw", "dnam"])
def test_facts_and_summaries_of_discoclaw_and_dnam_are_sent_where_they_were_before(
    profile: str, cli: Run, folder: Path
) -> None:
    memory = folder / "path" / "to" / "data" / "memory"
    learned = _fact("Deploys on Tuesdays with Terraform", **{**MANUAL, "type": "summary"})
    durable(memory / "durable" / "42.json", _fact("Prefers Rust for deploys", **MANUAL), learned)
    _summaries(memory / "rolling")
    written(folder / "path/to/workspace/MEMORY.md", "- Dave prefers small steps\n")
    done = move_in(cli, "discoclaw" if profile == "discoclaw" else "dnam", profile)
    assert done[0] == "Imported from discoclaw: 2 memories, 2 summaries new"
    question = "Rust and Terraform for my deploys?"
    dev, general, dm, elsewhere, again, bob = sent(
        profile,
        *(("42", place, question) for place in (DEV, GENERAL, DM, ELSEWHERE)),
        ("42", DEV, "!memory reset rolling"),
        ("42", DEV, "and now?"),
        ("43", DEV, "what is going on?"),
    )
    for turn in (dev, general, dm, elsewhere):
        assert "Prefers Rust for deploys" in turn
        assert "Deploys on Tuesdays with Terraform" in turn
    assert [WEBHOOKS in turn for turn in (dev, general, dm, elsewhere, again)] == [True, False, False, False, False]
    assert [OSLO in turn for turn in (dev, general, dm)] == [False, False, True]
    assert (WEBHOOKS in bob) == (profile == "discoclaw"), "who has not cleared it still has it, per person"
    if profile == "discoclaw":
        assert done[1:] == ["Imported from discoclaw: 1 page new"], "notes are files, and nobody's facts"
        assert "workspace/MEMORY.md" in dm
        assert "workspace/MEMORY.md" not in dev


def test_the_summaries_of_the_third_document_are_sent_in_their_sessions(cli: Run, folder: Path) -> None:
    _summaries(folder / "path" / "to" / "data" / "summaries")
    assert move_in(cli, "rolling-summaries", "rolling") == ["Imported from discoclaw: 2 summaries new"]
    dev, dm, general = sent("rolling", *(("42", place, "what is next?") for place in (DEV, DM, GENERAL)))
    assert f"Conversation memory:\n{WEBHOOKS}" in dev
    assert f"Conversation memory:\n{OSLO}" in dm
    assert "Conversation memory:" not in general


def test_facts_and_lore_of_clankerbot_are_sent_in_their_whole_guild_and_nowhere_else(cli: Run, folder: Path) -> None:
    lore = {"subject": "__lore__", "fact": "Memory line: the cello club meets on Fridays.", "fact_type": "lore"}
    kiln = {"channel_id": None, "fact": "Owns a cello from Cremona."}
    rows = [{**CLANKER_FACT, **changes} for changes in ({}, kiln, lore)]
    database(folder / "path/to/clanker.db", CLANKER_SCHEMA, memory_facts=rows)
    written(folder / "path/to/memory/2026-02-27.md", "# Day\n\n- 2026-02-27T10:00:00Z | Ann (42) | [guild:900] Hello\n")
    done = move_in(cli, "clankerbot", "clanker")
    assert done == ["Imported from clanker: 3 memories new", "Imported from clanker: 1 message new"]
    question = "which orchestra, club or city has my cello?"
    turns = sent("clanker", *(("42", place, question) for place in (DEV, GENERAL, ELSEWHERE, DM)))
    for fact in (str(row["fact"]) for row in rows):
        assert [fact in turn for turn in turns] == [True, True, False, False], fact


def test_memories_and_pages_of_devclaw_are_in_its_layer(cli: Run, folder: Path) -> None:
    database(folder / "path/to/data/memory.db", DEVCLAW_SCHEMA, memories=[DEVCLAW_MEMORY])
    front = "---\ncategory: event\ncreated_at: 2024-01-20T10:30:00Z\nkeywords: [api]\n---\n\n"
    written(folder / "path/to/data/memory/event/2024-01-20-deployment.md", f"{front}Deployed the API on Monday.\n")
    assert move_in(cli, "devclaw", "devclaw") == ["Imported from devclaw: 2 memories new"]
    (turn,) = sent("devclaw", ("ann", Place(dm="ann"), "which tokens does the API use, and when was it deployed?"))
    layer = turn.partition("User message:")[0]
    assert "- [fact] The API uses JWT tokens with 24h expiration" in layer
    assert "- [event] Deployed the API on Monday." in layer
