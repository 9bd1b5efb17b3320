"""Commands that show memory: formats, JSON, paging, and who may see what."""

import asyncio
from datetime import datetime
from pathlib import Path

import pytest

import recollect
from recollect.core.types import Place, Summary
from tests.faces.cli.conftest import Run


async def summarise(store: Path, session: str, text: str) -> None:
    summary = Summary(session, text, 1, datetime.fromisoformat("2026-05-01T12:00:00+00:00"))
    async with recollect.AsyncMemory(f"sqlite:///{store}", embedder="null") as memory:
        await memory.store.write(lambda tx: tx.summaries.save(summary))


@pytest.mark.acceptance("A17")
def test_show_prints_facts_and_the_rolling_summary(cli: Run, folder: Path):
    for text in ("I prefer Rust over Go", "Deploys happen on Tuesdays", "My wife Grace plays chess"):
        cli("remember", text)
    asyncio.run(summarise(folder / "data" / "memory.db", Place(dm="me").session, "They talked about chess."))
    assert cli("show").out == (
        "What I remember (3 memories):\n"
        "1. My wife Grace plays chess\n"
        "2. Deploys happen on Tuesdays\n"
        "3. I prefer Rust over Go\n"
        "\n"
        "Summary of this conversation:\n"
        "They talked about chess.\n"
    )
    assert cli("show", RECOLLECT_CHAT_COMMANDS_WORDING="document").out == (
        "Durable memory (3 items):\n"
        "- [person] My wife Grace plays chess (src: manual)\n"
        "- [fact] Deploys happen on Tuesdays (src: manual)\n"
        "- [preference] I prefer Rust over Go (src: manual)\n"
        "\n"
        "Rolling summary:\n"
        "They talked about chess.\n"
    )
    assert cli("show", "--json").json["summary"]["text"] == "They talked about chess."


def test_show_without_a_summary_ends_after_the_facts(cli: Run):
    cli("remember", "I like tea")
    assert cli("show").out == "What I remember (1 memory):\n1. I like tea\n"
    assert cli("show", "--json").json["summary"] is None


def test_show_pages_and_keeps_its_numbers(cli: Run):
    for text in ("I like tea", "Deploys happen on Tuesdays", "The server is called zelda"):
        cli("remember", text)
    page = cli("show", "--limit", "1", "--offset", "1", "--json").json
    assert (page["total"], [memo["number"] for memo in page["memos"]]) == (3, [2])
    assert page["memos"][0]["text"] == "Deploys happen on Tuesdays"
    assert datetime.fromisoformat(page["memos"][0]["updated"]).tzinfo is not None


def test_two_people_do_not_see_each_other(cli: Run):
    secret = cli("remember", "I am planning to quit", "--as", "ada", "--json").json["memo"]["id"]
    cli("remember", "I like tea", "--as", "bob")
    for args in (["show"], ["list"], ["search", "planning to quit"], ["log"]):
        seen = cli(*args, "--as", "bob").out
        assert "quit" not in seen
        assert secret not in seen
    cli("history", secret, "--as", "bob", code=3)
    cli("pin", secret, "--as", "bob", code=3)
    cli("forget", secret, "--as", "bob", code=3)
    assert cli("show", "--as", "ada", "--json").json["total"] == 1


def test_options_work_before_the_command_and_after_it_and_the_later_wins(cli: Run):
    cli("--as", "ada", "remember", "I like tea")
    assert cli("show", "--as", "ada", "--json").json["total"] == 1
    assert cli("--as", "bob", "--json", "show", "--as", "ada").json["user"] == "ada"


def test_a_private_memo_is_hidden_in_channels(cli: Run):
    memo = cli("remember", "I am looking for a new job", "--private", "--json").json["memo"]["id"]
    cli("remember", "I like tea", "--in", "#dev")
    assert "new job" in cli("show").out
    for args in (["show"], ["list"], ["search", "looking for a job"]):
        assert "new job" not in cli(*args, "--in", "#dev").out
    cli("history", memo, "--in", "#dev", code=3)
    cli("forget", "new job", "--in", "#dev", code=3)
    cli("share", memo)
    assert "new job" in cli("show", "--in", "#dev").out


def test_an_earlier_private_wording_stays_out_of_channels(cli: Run):
    cli("remember", "I work at Acme as a spy", "--private")
    cli("private", "1")
    cli("share", "1")
    assert "spy" in cli("history", "1").out
    assert all(event["before"] is None for event in cli("history", "1", "--in", "#dev", "--json").json["events"])


def test_list_shows_every_status_and_filters(cli: Run):
    cli("remember", "I like tea")
    cli("remember", "Deploys happen on Tuesdays")
    cli("forget", "tea")
    rows = [line.split("\t") for line in cli("list").out.splitlines()]
    assert {(row[1], row[2], row[3]) for row in rows} == {
        ("deprecated", "preference", "I like tea"),
        ("active", "fact", "Deploys happen on Tuesdays"),
    }
    assert cli("list", "--kind", "fact", "--json").json["total"] == 1
    assert cli("list", "--status", "active", "--status", "deprecated", "--limit", "1", "--json").json["total"] == 2
    assert cli("list", "--status", "archived").out == ""


def test_lore_is_listed_for_its_guild(cli: Run):
    cli("remember", "The standup is at ten", "--lore", "--in", "acme/#dev")
    assert cli("list", "--lore", "--in", "acme/#ops", "--json").json["total"] == 1
    assert cli("list", "--lore", "--in", "other/#dev", "--json").json["total"] == 0
    cli("list", "--lore", code=2)


def test_why_tells_whose_words_a_memory_rests_on_and_what_became_of_it(cli: Run):
    cli("add", "I live in Lisbon")
    told = cli("why", "1").out
    assert "[fact] Lives in Lisbon" in told
    assert "Said by you in a direct message on" in told
    assert '"I live in Lisbon"' in told
    assert "memo.added" not in told


def test_history_and_log_tell_what_happened(cli: Run):
    memo = cli("remember", "I like tea", "--json").json["memo"]["id"]
    cli("forget", "tea")
    history = cli("history", memo, "--json").json
    assert [event["kind"] for event in history["events"]] == ["memo.retired", "memo.added"]
    assert history["events"][0]["before"] == "I like tea"
    assert history["memo"]["status"] == "deprecated"
    assert [line.split("\t")[2] for line in cli("log").out.splitlines()] == ["memo.retired", "memo.added"]
    assert len(cli("log", "--limit", "1", "--json").json["events"]) == 1


def test_the_log_of_everyone_is_asked_for_by_name(cli: Run):
    cli("remember", "I like tea", "--as", "ada")
    assert cli("log", "--json").json["events"] == []
    assert [event["actor"] for event in cli("log", "--everyone", "--json").json["events"]] == ["ada"]


def test_log_never_holds_texts(cli: Run):
    cli("remember", "I am looking for a new job", "--private")
    cli("forget", "new job")
    assert "new job" not in cli("log", "--json", "--everyone").out


def test_hostile_text_stays_inert(cli: Run):
    cli("remember", "[red]alert[/red] [link=http://evil]x[/link] \x1b]0;owned\x07\x1b[31mred \x9b2J\u202eabc")
    cli("add", "see \x1b[2J and [bold]this[/bold] \x9b1m\u202e", "--as", "me[1m", "--in", "#dev")
    cli("remember", "tagged thing", "--tag", "\x1b[5m", "--as", "me[1m")
    seen = [cli("show"), cli("list"), cli("log"), cli("show", "--json"), cli("log", "--everyone")]
    seen += [cli("search", "alert"), cli("search", "see this", "--messages", "--in", "#dev")]
    seen += [cli("search", "see this", "--messages", "--in", "#dev", "--json"), cli("forget", "\x1b[99m", code=3)]
    for outcome in seen:
        assert not set("\x1b\x07\x9b\u202e") & set(outcome.out + outcome.err)
    assert "[red]alert[/red]" in cli("show").out
