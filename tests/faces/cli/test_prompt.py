"""`prompt`: the next prompt, how full it is, and why each line is there."""

import asyncio
from functools import partial

import pytest

from recollect.testing.model_server import ModelServer, Says
from tests.faces.cli.conftest import Run


@pytest.fixture(autouse=True)
def memories(cli: Run) -> None:
    cli("remember", "I like green tea", "--in", "#kitchen")
    cli("add", "good morning", "--in", "#kitchen")


def test_in_a_pipe_it_is_the_exact_prompt(cli: Run):
    done = cli("prompt", "which", "tea?", "--in", "#kitchen")
    assert done.out == cli("prompt", "which tea?", "--in", "#kitchen", "--json").json["text"] + "\n"
    assert "- [preference] I like green tea (src: manual, #kitchen" in done.out
    assert done.out.endswith("\n\n---\nRecent conversation:\n[me]: good morning\n\n---\nUser message:\nwhich tea?\n")


def test_json_has_sections_with_sizes_limits_and_reasons(cli: Run):
    prompt = cli("prompt", "tea", "--in", "#kitchen", "--json").json
    sections = {section["name"]: section for section in prompt["sections"]}
    assert list(sections) == ["instructions", "durable", "history", "message"]
    durable = sections["durable"]
    assert (durable["limit"], durable["left_out"]) == (2000, 0)
    assert durable["used"] == len(durable["lines"][0]["text"])
    assert durable["lines"][0]["why"] == "all that is known fits"
    assert (prompt["chars"], prompt["missing"]) == (len(prompt["text"]), [])


def test_why_shows_bars_and_a_reason_for_every_line(cli: Run):
    shown = cli("prompt", "tea", "--in", "#kitchen", "--why").out.splitlines()
    bars = [line for line in shown if " characters" in line]
    assert bars[1].startswith("durable      ░░░░░░░░░░░░  ")
    assert " of 2,000 characters" in bars[1]
    assert sum("why: " in line for line in shown) == 4
    assert bars[-1].endswith("characters in all")


def test_profile_speaker_and_place_decide(cli: Run):
    other = cli("prompt", "tea", "--as", "bob", "--in", "acme/#dev").out
    assert other == "User message:\ntea\n"
    layered = cli("prompt", "tea", "--profile", "devclaw").out
    assert layered == "## Relevant Memories\n\n- [preference] I like green tea\n"


def test_prompt_stores_no_message(cli: Run):
    before = cli("search", "--messages", "--json", "morning", "--in", "#kitchen").json
    cli("prompt", "good morning to you", "--in", "#kitchen")
    assert cli("search", "--messages", "--json", "morning", "--in", "#kitchen").json == before


def test_a_message_is_needed(cli: Run):
    assert "say what message" in cli("prompt", " ", code=2).err
    assert cli("prompt", "-", stdin="tea?").out.endswith("User message:\ntea?\n")


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["unified", "dnam", "devclaw"])
async def test_as_sent_it_is_the_request_that_a_model_gets(process: Run, profile: str):
    async with ModelServer(Says("Green.")) as server:
        model = {"RECOLLECT_MODEL": "anthropic:some", "RECOLLECT_MODEL_BASE_URL": server.url}
        model |= {"RECOLLECT_PROFILE": profile, "RECOLLECT_EXTRACTION_ENABLED": "0"}
        run = partial(asyncio.to_thread, partial(process, **model))
        shown = (await run("prompt", "which tea?", "--as-sent", "--json")).json
        text = (await run("prompt", "which tea?", "--as-sent")).out
        await asyncio.to_thread(partial(process, "chat", "--no-demo", stdin=b"which tea?\n", **model))
    request = next(request for request in server.requests if request.tools)
    assert request.instructions.endswith(shown["instructions"]), "the library explains a tag of its own before them"
    assert "".join(block["text"] for block in shown["user"]) == "".join(
        block["text"] for block in request.body["messages"][0]["content"]
    )
    assert [tool["name"] for tool in shown["tools"]] == [tool["name"] for tool in request.tools]
    assert [tool["parameters"] for tool in shown["tools"]] == [tool["input_schema"] for tool in request.tools]
    names = [part["name"] for part in shown["parts"]]
    assert names[-1] == "message"
    assert {"persona", "skill", "tool memory"} <= set(names)
    assert shown["tokens"] == sum(part["tokens"] for part in shown["parts"])
    assert shown["instructions"] in text
    assert text.rstrip().endswith("User message:\nwhich tea?" if profile != "devclaw" else "which tea?")
