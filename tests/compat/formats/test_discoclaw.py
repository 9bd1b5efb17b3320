"""DiscoClaw's files: facts of both versions, summaries in either folder, the workspace; and files that are broken."""

import json
import tracemalloc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.core.clock import from_ms
from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Owner, PageEntry, Problem, SummaryEntry
from recollect.core.types import EVERYWHERE, Audience, Origin, Place, Status
from recollect.workspace.names import safe_id
from tests.scenes import opened
from tests.transfer.elsewhere import DISCO_FACT, MS, brought, durable, entries, problems, read, written
from tests.transfer.forms import DISCOCLAW as FORMAT

LEARNED = {
    **DISCO_FACT,
    "id": "durable-00000001",
    "kind": "tool",
    "text": "Works with Kubernetes",
    "source": {"type": "summary", "channelId": "77", "messageId": "5", "guildId": "900", "channelName": "dev"},
}


def summary(path: Path, text: str, at: int = MS, **more: Any) -> Path:
    return written(path, json.dumps({"summary": text, "updatedAt": at, **more}, indent=2) + "\n")


@pytest.mark.parametrize("where", ["", "memory", "data/memory"])
def test_its_folder_is_known_by_what_lies_in_it(tmp_path: Path, where: str) -> None:
    durable(tmp_path / where / "durable" / "42.json", DISCO_FACT)
    assert FORMAT.matches(tmp_path)
    assert FORMAT.matches(tmp_path / where / "durable")
    assert FORMAT.matches(tmp_path / where / "durable" / "42.json")
    assert [entry.user for entry in entries(FORMAT, tmp_path)] == ["42"]


def test_summaries_alone_make_its_folder(tmp_path: Path) -> None:
    summary(tmp_path / "data" / "summaries" / "discord:dm:42.json", "They talk about boats.")
    assert FORMAT.matches(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", '{"results": []}', '{"version": 1, "memos": []}', "\x00\xff", "{" * 5000])
def test_other_json_is_not_taken_for_it(tmp_path: Path, text: str) -> None:
    file = written(tmp_path / "durable" / "42.json", text)
    assert not FORMAT.matches(file)
    assert not FORMAT.matches(tmp_path)
    assert not FORMAT.matches(tmp_path / "nothing")


def test_a_fact_of_version_1_keeps_all_that_it_says(tmp_path: Path) -> None:
    (fact,) = entries(FORMAT, durable(tmp_path / "durable" / "42.json", DISCO_FACT))
    assert fact == Entry(
        location="42.json item 1",
        user="42",
        guild=None,
        kind="preference",
        text="User prefers explicit for-loops over list comprehensions.",
        tags=("python", "style"),
        created=from_ms(MS - 10_000_000),
        updated=from_ms(MS),
        audience=EVERYWHERE,
        source=fact.source,
        id="durable-a1b2c3d4",
    )
    assert (fact.source.origin, fact.source.channel, fact.source.message) == (Origin.MANUAL, "123", "456")
    assert (fact.source.actor, fact.source.platform) == ("42", "discord")


def test_a_fact_of_version_2_keeps_how_often_it_was_used(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", {**LEARNED, "hitCount": 7, "lastHitAt": MS}, version=2)
    (fact,) = entries(FORMAT, file)
    assert fact.hits == 7
    assert (fact.source.guild, fact.source.channel_name, fact.source.origin) == ("900", "dev", Origin.SUMMARY)


def test_a_consolidated_fact_has_summary_origin(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", {**DISCO_FACT, "source": {"type": "consolidation"}}, version=2)
    (fact,) = entries(FORMAT, file)
    assert (fact.source.origin, dict(fact.source.metadata)) == (Origin.SUMMARY, {"type": "consolidation"})


def test_a_fact_learned_in_a_channel_gets_that_channels_audience(tmp_path: Path) -> None:
    in_dm = {**LEARNED, "source": {"type": "summary", "channelId": "8", "messageId": "9"}}
    file = durable(tmp_path / "durable" / "42.json", LEARNED, in_dm, DISCO_FACT)
    assert [fact.audience for fact in entries(FORMAT, file)] == [Audience("channel", "77", "900"), None, EVERYWHERE]


def test_a_deprecated_fact_stays_out_of_use(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", {**DISCO_FACT, "status": "deprecated"})
    assert [fact.status for fact in entries(FORMAT, file)] == [Status.DEPRECATED]


async def test_a_fact_that_was_stated_again_after_it_was_forgotten_is_in_use(tmp_path: Path) -> None:
    old = {**DISCO_FACT, "status": "deprecated", "updatedAt": MS - 5_000_000}
    durable(tmp_path / "durable" / "42.json", old, DISCO_FACT)
    async with opened() as stage:
        await brought(stage, FORMAT, tmp_path)
        assert await stage.known("42") == [DISCO_FACT["text"]]
        assert (await brought(stage, FORMAT, tmp_path)).new == 0
        assert await stage.known("42") == [DISCO_FACT["text"]]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"text": None}, "its text is missing"),
        ({"text": "  "}, "its text is empty"),
        ({"text": 7}, "its text is not a text"),
        ({"tags": "python"}, "its tags are not a list of texts"),
        ({"status": "gone"}, "its status 'gone' is not known"),
        ({"createdAt": "yesterday"}, "its createdAt 'yesterday' is not a time"),
        ({"source": "manual"}, "its source is not JSON"),
        ({"id": ["x"]}, "its id is not a text"),
    ],
)
def test_a_broken_fact_is_reported_by_its_number_and_the_others_are_read(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    file = durable(tmp_path / "durable" / "42.json", DISCO_FACT, {**DISCO_FACT, **change}, LEARNED)
    assert problems(FORMAT, file) == [("42.json item 2", why)]
    assert len(entries(FORMAT, file)) == 2


def test_an_entry_that_is_no_object_is_reported(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", "a text", 7, DISCO_FACT)
    assert [where for where, _ in problems(FORMAT, file)] == ["42.json item 1", "42.json item 2"]
    assert len(entries(FORMAT, file)) == 1


def test_an_unknown_kind_is_a_fact_that_keeps_its_label(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", {**DISCO_FACT, "kind": "hobby"})
    assert [(fact.kind, fact.label) for fact in entries(FORMAT, file)] == [("fact", "hobby")]


def test_times_that_were_never_set_are_left_open(tmp_path: Path) -> None:
    (fact,) = entries(
        FORMAT, durable(tmp_path / "durable" / "42.json", {**DISCO_FACT, "createdAt": 0, "updatedAt": None})
    )
    assert (fact.created, fact.updated) == (None, None)


def test_a_newer_version_is_refused_before_anything_is_taken(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", DISCO_FACT, version=3)
    with pytest.raises(BadInput, match="version 3; this program knows 1 and 2"):
        read(FORMAT, file)


def test_a_newer_version_in_a_folder_does_not_stand_in_the_way_of_others(tmp_path: Path) -> None:
    durable(tmp_path / "durable" / "41.json", DISCO_FACT, version=3)
    durable(tmp_path / "durable" / "42.json", DISCO_FACT)
    assert problems(FORMAT, tmp_path) == [("durable/41.json", "it has the version 3; this program knows 1 and 2")]
    assert [fact.user for fact in entries(FORMAT, tmp_path)] == ["42"]


def test_a_version_at_the_end_of_the_file_counts(tmp_path: Path) -> None:
    newer = {"updatedAt": MS, "items": [DISCO_FACT], "version": 9}
    file = written(tmp_path / "durable" / "42.json", json.dumps(newer))
    with pytest.raises(BadInput, match="version 9"):
        read(FORMAT, file)


def test_of_a_truncated_file_everything_before_the_end_is_read(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", DISCO_FACT, LEARNED, DISCO_FACT)
    data = file.read_bytes()
    file.write_bytes(data[: data.rindex(b'"createdAt"')])
    assert [fact.id for fact in entries(FORMAT, file)] == ["durable-a1b2c3d4", "durable-00000001"]
    ((where, why),) = problems(FORMAT, file)
    assert where == "42.json"
    assert "breaks off" in why


@pytest.mark.parametrize("size", range(0, 400, 7))
def test_a_file_may_end_anywhere(tmp_path: Path, size: int) -> None:
    file = durable(tmp_path / "durable" / "42.json", DISCO_FACT)
    file.write_bytes(file.read_bytes()[:size])
    durable(tmp_path / "durable" / "43.json", LEARNED)
    found = read(FORMAT, tmp_path)
    assert [item.user for item in found if isinstance(item, Entry)] == ["43"]
    assert [item.location for item in found if isinstance(item, Problem)] == ["durable/42.json"]


def test_a_corrupt_place_ends_the_file_with_its_line(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", DISCO_FACT, LEARNED)
    file.write_text(file.read_text("utf-8").replace('"kind": "tool"', '"kind": tool'), "utf-8")
    assert len(entries(FORMAT, file)) == 1
    ((_, why),) = problems(FORMAT, file)
    assert why.startswith("line 24: ")
    assert why.endswith("what follows is left out")


def test_bytes_that_are_no_utf_8_cost_only_their_fact(tmp_path: Path) -> None:
    file = durable(tmp_path / "durable" / "42.json", {**DISCO_FACT, "text": "caf~"}, LEARNED)
    file.write_bytes(file.read_bytes().replace(b"caf~", b"caf\xe9"))
    assert problems(FORMAT, file) == [("42.json item 1", "its text is not in UTF-8")]
    assert len(entries(FORMAT, file)) == 1


def test_a_lone_file_under_another_name_belongs_to_whom_is_named(tmp_path: Path) -> None:
    file = durable(tmp_path / "facts.json", DISCO_FACT)
    assert [fact.user for fact in entries(FORMAT, file, user="ann")] == ["ann"]
    with pytest.raises(BadInput, match="--user"):
        read(FORMAT, file)


def test_a_lone_file_named_after_an_account_belongs_to_it(tmp_path: Path) -> None:
    file = durable(tmp_path / "123456789012345678.json", DISCO_FACT)
    assert [fact.user for fact in entries(FORMAT, file, user="ann")] == ["123456789012345678"]


@pytest.mark.parametrize(("name", "user"), [("Ann_7", "Ann_7"), ("%41nn", "Ann"), ("a%20b", "a b"), ("%c3%bc", "ü")])
def test_names_of_files_are_understood_as_either_program_writes_them(tmp_path: Path, name: str, user: str) -> None:
    durable(tmp_path / "durable" / f"{name}.json", DISCO_FACT)
    assert [fact.user for fact in entries(FORMAT, tmp_path)] == [user]


def test_a_name_that_stands_for_somebody_is_not_taken_for_anybody(tmp_path: Path) -> None:
    long = "a" * 200
    durable(tmp_path / "durable" / f"{safe_id(long)}.json", DISCO_FACT)
    why = "its name doesn't say whose facts it holds"
    assert problems(FORMAT, tmp_path, guild="900") == problems(FORMAT, tmp_path, user="me")
    assert [reason for _, reason in problems(FORMAT, tmp_path, user="me")] == [why]
    assert [fact.user for fact in entries(FORMAT, tmp_path, user=long)] == [long]


def test_links_are_not_followed(tmp_path: Path) -> None:
    durable(tmp_path / "durable" / "42.json", DISCO_FACT)
    (tmp_path / "durable" / "43.json").symlink_to(durable(tmp_path / "elsewhere.json", LEARNED))
    assert [fact.user for fact in entries(FORMAT, tmp_path)] == ["42"]


def test_summaries_find_their_sessions(tmp_path: Path) -> None:
    rolling = tmp_path / "memory" / "rolling"
    durable(tmp_path / "memory" / "durable" / "42.json", LEARNED)
    summary(rolling / "discord:dm:42.json", "In the DM.")
    summary(rolling / "discord:channel:77.json", "In a channel that a fact names.", regeneratedAt=MS - 1000)
    summary(rolling / "discord:channel:78.json", "In another one.")
    summary(rolling / "discord:thread:5.json", "In a thread.")
    summary(rolling / "discord%3a900%3achannel%3a79.json", "As recollect names it.")
    found = {item.session: item for item in read(FORMAT, tmp_path, guild="901") if isinstance(item, SummaryEntry)}
    assert set(found) == {
        "discord:dm:42",
        "discord:900:channel:77",
        "discord:901:channel:78",
        "discord:901:thread:5",
        "discord:900:channel:79",
    }
    assert found["discord:dm:42"].updated == from_ms(MS)
    assert found["discord:900:channel:77"].through == from_ms(MS - 1000)


def test_a_channel_of_an_unknown_guild_is_reported(tmp_path: Path) -> None:
    summary(tmp_path / "rolling" / "discord:channel:78.json", "Who knows where.")
    assert problems(FORMAT, tmp_path) == [
        ("rolling/discord:channel:78.json", "the guild of the channel 78 is not known: say it with --guild")
    ]


def test_of_two_summaries_of_a_session_the_later_counts(tmp_path: Path) -> None:
    summary(tmp_path / "data" / "summaries" / "discord:dm:1.json", "old", MS)
    summary(tmp_path / "data" / "memory" / "rolling" / "discord:dm:1.json", "new", MS + 1)
    summary(tmp_path / "data" / "summaries" / "discord:dm:2.json", "new", MS + 1)
    summary(tmp_path / "data" / "memory" / "rolling" / "discord:dm:2.json", "old", MS)
    assert [item.text for item in read(FORMAT, tmp_path) if isinstance(item, SummaryEntry)] == ["new", "new"]


def test_unsupported_parts_are_reported_as_problems(tmp_path: Path) -> None:
    summary(tmp_path / "rolling" / "discord:dm:42.json", "They sail.", continuationCapsule={"activeTask": "sails"})
    written(tmp_path / "shortterm" / "900-42.json", '{"version": 1, "entries": []}')
    assert [where for where, _ in problems(FORMAT, tmp_path)] == [
        "rolling/discord:dm:42.json continuationCapsule",
        "shortterm/",
    ]


@pytest.mark.parametrize("text", ["", "{", '{"summary": 7, "updatedAt": 1}', '{"updatedAt": 1}', '{"summary": "x", '])
def test_a_broken_summary_is_reported(tmp_path: Path, text: str) -> None:
    summary(tmp_path / "rolling" / "discord:dm:41.json", "They sail.")
    written(tmp_path / "rolling" / "discord:dm:42.json", text)
    assert [where for where, _ in problems(FORMAT, tmp_path)] == ["rolling/discord:dm:42.json"]
    assert [item.text for item in read(FORMAT, tmp_path) if isinstance(item, SummaryEntry)] == ["They sail."]


def test_the_workspace_comes_as_files(tmp_path: Path) -> None:
    durable(tmp_path / "data" / "memory" / "durable" / "42.json")
    written(tmp_path / "workspace" / "MEMORY.md", "## Project\n- Decided on Fastify\n")
    written(tmp_path / "workspace" / "memory" / "2025-02-09.md", "# 2025-02-09\n\nSailed.\n")
    written(tmp_path / "workspace" / "SOUL.md", "Be kind.\n")
    written(tmp_path / "workspace" / "memory" / "2025-02-10.md", b"\xff\xfe\x00")
    pages = [item for item in read(FORMAT, tmp_path) if isinstance(item, PageEntry)]
    assert [(page.name, page.text[:5]) for page in pages] == [("MEMORY.md", "## Pr"), ("memory/2025-02-09.md", "# 202")]
    assert problems(FORMAT, tmp_path) == [("workspace/memory/2025-02-10.md", "it is not a text in UTF-8")]


async def test_its_memory_is_known_here_afterwards_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    durable(folder / "memory" / "durable" / "42.json", DISCO_FACT, LEARNED)
    durable(folder / "memory" / "durable" / "43.json", {**DISCO_FACT, "text": "Bob keeps bees"}, version=2)
    summary(folder / "memory" / "rolling" / "discord:dm:42.json", "Ann plans a trip.")
    written(folder / "workspace" / "MEMORY.md", "- Sails\n")
    async with opened(store=f"sqlite:///{tmp_path}/ours/memory.db", workspace__dir=str(tmp_path / "work")) as stage:
        assert (await brought(stage, FORMAT, folder, dry_run=True)).new == 5
        assert await stage.known("42") == []
        first = await brought(stage, FORMAT, folder)
        assert (first.new, first.left_out) == (5, 0)
        assert sorted(await stage.known("42")) == sorted([DISCO_FACT["text"], LEARNED["text"]])
        assert await stage.known("43") == ["Bob keeps bees"]
        again = await brought(stage, FORMAT, folder)
        assert (again.new, again.changed, again.left_out, again.same) == (0, 0, 0, 5)
        saved = await stage.memory.store.read(lambda tx: tx.summaries.get("discord:dm:42"))
        assert saved is not None
        assert saved.text == "Ann plans a trip."
        memo = (await stage.memory.show(user="42", place=Place("discord", dm="42"))).memos[0]
        assert memo.created == datetime(2025, 2, 9, 19, 40, tzinfo=UTC)
        assert memo.updated - memo.created == timedelta(milliseconds=10_000_000)
    assert (tmp_path / "work" / "MEMORY.md").read_text() == "- Sails\n"


async def test_what_was_forgotten_here_stays_out_and_secrets_do_too(tmp_path: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    durable(tmp_path / "durable" / "42.json", DISCO_FACT, {**LEARNED, "text": f"Backs photos up, with the key {key}"})
    async with opened() as stage:
        await stage.remember(DISCO_FACT["text"], user="42")
        await stage.memory.forget(DISCO_FACT["text"], user="42", place=Place("discord", dm="42"))
        report = await brought(stage, FORMAT, tmp_path)
        known = await stage.known("42")
    assert (report.new, report.left_out, report.redacted) == (1, 1, 1)
    assert len(known) == 1
    assert key not in known[0]


def test_a_large_file_is_read_in_little_memory(tmp_path: Path) -> None:
    many = 8_000
    file = durable(tmp_path / "durable" / "42.json", *({**DISCO_FACT, "id": f"durable-{n:08x}"} for n in range(many)))
    assert file.stat().st_size > 3_000_000
    tracemalloc.start()
    assert sum(isinstance(item, Entry) for item in FORMAT.read(file, Owner())) == many
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert FORMAT.count(file) == pytest.approx(many, rel=0.01)
