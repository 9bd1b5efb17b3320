"""Our own plain format: everything comes back, in the same bytes; what is broken costs its own line."""

import json
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recollect
from recollect import AsyncMemory
from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, Owner, Problem
from recollect.core.text import collapse_spaces, normalize
from recollect.core.types import (
    EVERYWHERE,
    Audience,
    Kind,
    Memo,
    Message,
    Origin,
    Place,
    Provenance,
    Status,
    Subject,
    Summary,
)
from recollect.learning.apply import add_tombstone
from recollect.privacy.target import ErasureTarget
from recollect.testing.clock import START, FakeClock
from recollect.transfer.formats.jsonl import header, line
from tests import ground
from tests.transfer.forms import RECOLLECT as FORMAT
from tests.transfer.moving import ANN, export, import_, memos_of, opened

DM, DEV = Place("discord", dm="ann"), Place("discord", "g1", "c1", thread="t1", name="dev", public=True)
HEAD = '{"format":"recollect","version":1}\n'


async def fill(memory: AsyncMemory) -> None:
    """Something of everything that the format holds."""
    for n, status in enumerate(Status):
        memo = Memo(
            id=f"durable-0000000{n}",
            subject=Subject("discord:ann"),
            kind=[*Kind][n],
            text=f'Ann knows {n} “things” — größer, 東京, \\ and "quotes"',
            created=START - timedelta(days=n, milliseconds=n),
            updated=START,
            source=Provenance(
                [*Origin][n % 5],
                "discord:ann",
                "discord",
                "g1",
                "c1",
                "dev",
                "t1",
                f"m{n}",
                "as said",
                "voice",
                {"a": [1, None]},
                DEV.audience,
            ),
            audience=[EVERYWHERE, DM.audience, DEV.audience, Audience("channel", "t", "g/1", "c%")][n % 4],
            tags=("One", "two words")[: n % 3],
            status=status,
            confidence=n / 7,
            pinned=n % 2 == 0,
            label="profile" if n else None,
            happened=datetime(1879, 3, 14, tzinfo=UTC) if n else None,
            expires=START + timedelta(days=n) if n else None,
            supersedes="durable-old" if n else None,
            superseded_by="durable-new" if n else None,
            hits=n,
            version=n + 1,
        )
        await memory.store.write(lambda tx, memo=memo: tx.memos.put(memo))
    ann = Subject("discord:ann")
    twin = Memo("durable-twin", ann, Kind.FACT, "Ann has a twin", START, START, audience=DM.audience)
    other = Memo(
        "durable-other", Subject("discord:ann"), Kind.FACT, "Ann has a twin", START, START, audience=DEV.audience
    )
    lore = Memo("durable-lore", Subject.lore("g1"), Kind.LORE, "We meet at noon", START, START)
    for memo in (twin, other, lore):
        await memory.store.write(lambda tx, memo=memo: tx.memos.put(memo))
    for n, place in enumerate((DM, DEV, DM)):
        at = START + timedelta(minutes=n)
        said = Message(f"m{n}", "ann", place, f"message {n}", at, "Ann", source="voice" if n else "text")
        reply = Message(f"r{n}", "bot", place, f"answer {n}", at, "Bot", bot=True, reply_to=said.id)
        await memory.store.write(lambda tx, said=said: tx.messages.add(said))
        await memory.store.write(lambda tx, reply=reply: tx.messages.add(reply))
    for n in (1, 2, 5):
        summary = Summary(DM.session, "They talked." if n != 2 else "More.", n, START + timedelta(n), START)
        await memory.store.write(lambda tx, summary=summary: tx.summaries.save(summary))
    await memory.remember("I hate mondays", user="discord:ann")
    await memory.forget("mondays", user="discord:ann")


@pytest.mark.parametrize(
    "target", [ErasureTarget("discord:ann"), ErasureTarget(guild="g1"), ErasureTarget("discord:ann", "g1")], ids=str
)
async def test_export_import_export_gives_the_same_bytes(tmp_path: Path, target: ErasureTarget):
    async with opened(tmp_path / "one") as memory:
        await fill(memory)
        data = await export(memory, target)
    path = tmp_path / "all.jsonl"
    path.write_bytes(data)
    async with opened(tmp_path / "two") as memory:
        report = await import_(memory, path)
        assert await export(memory, target) == data
        again = await import_(memory, path)
        assert await export(memory, target) == data
    assert (report.new, report.left_out) == (data.count(b"\n") - 1, 0)
    assert (again.new, again.changed, again.left_out) == (0, 0, 0)
    kinds = {json.loads(one)["type"] for one in data.splitlines()[1:]}
    assert kinds >= {"memo", "message"}


async def test_all_sorts_are_in_a_persons_export_and_forgotten_ones_stay_forgotten(tmp_path: Path):
    async with opened(tmp_path / "one") as memory:
        await fill(memory)
        data = await export(memory, ErasureTarget("discord:ann"))
    assert [json.loads(one).get("type") for one in data.splitlines()].count("message") == 6
    (tmp_path / "a.jsonl").write_bytes(data)
    async with opened(tmp_path / "two") as memory:
        report = await import_(memory, tmp_path / "a.jsonl")
        found = await memos_of(memory, "discord:ann")
        assert found["I hate mondays"].status is Status.DEPRECATED
    assert report.counts["new"] == {"memory": 10, "summary": 3, "message": 6, "tombstone": 1}


async def test_what_was_erased_does_not_come_into_a_copy_of_the_store_either(tmp_path: Path):
    async with opened(tmp_path / "one") as memory:
        await memory.remember("I hate mondays", user="ann")
        await memory.privacy.erase(ErasureTarget("ann"), asked_by="ann")
        data = await export(memory, ErasureTarget("ann"))
        secret = await memory.store.read(lambda tx: tx.fingerprints.secret)
    (tmp_path / "a.jsonl").write_bytes(data)
    (tmp_path / "b.jsonl").write_text(HEAD + '{"type":"memo","user":"ann","text":"I hate mondays"}\n')
    async with opened(tmp_path / "two") as memory:
        await memory.store.write(lambda tx: tx.archive.put_secret(secret))  # as `recollect copy-store` does
        await import_(memory, tmp_path / "a.jsonl")
        report = await import_(memory, tmp_path / "b.jsonl")
    assert b"mondays" not in data
    assert report.skipped == [("b.jsonl line 2", "was forgotten here")]


async def test_the_store_has_the_same_memos_after_a_round_trip(tmp_path: Path):
    async with opened(tmp_path / "one") as memory:
        await fill(memory)
        before = await memory.privacy.memos(ErasureTarget("discord:ann"))
        (tmp_path / "a.jsonl").write_bytes(await export(memory, ErasureTarget("discord:ann")))
    async with opened(tmp_path / "two") as memory:
        await import_(memory, tmp_path / "a.jsonl")
        after = await memory.privacy.memos(ErasureTarget("discord:ann"))

    def bare(memos: list[Memo]) -> list[Any]:
        return sorted(
            [{name: getattr(memo, name) for name in memo.__slots__ if name != "key"} for memo in memos],
            key=lambda one: one["id"],
        )

    assert bare(after) == bare(before)


words = st.text(st.characters(codec="utf-8"), max_size=40).map(collapse_spaces).filter(normalize)
times = st.datetimes(datetime(1980, 1, 1), datetime(2024, 1, 1), timezones=st.just(UTC)).map(
    lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)
)
said = st.lists(st.tuples(words, times, st.sampled_from(Status)), max_size=6, unique_by=lambda one: normalize(one[0]))


def in_memory(folder: Path) -> AbstractAsyncContextManager[AsyncMemory]:
    """A memory that waits for no disk: there are many."""
    return recollect.AsyncMemory(ground.new(), clock=FakeClock(), run_worker=False, embedder="null", data_dir=folder)


@settings(max_examples=12)
@given(texts=said)
async def test_whatever_people_say_comes_back(tmp_path_factory: Any, texts: list[tuple[str, datetime, Status]]):
    folder = tmp_path_factory.mktemp("any")
    async with in_memory(folder) as memory:
        for n, (text, at, status) in enumerate(texts):
            memo = Memo(f"durable-{n}", Subject("ann"), Kind.FACT, text, at, at, status=status)
            await memory.store.write(lambda tx, memo=memo: tx.memos.put(memo))
            if status is Status.DEPRECATED:
                await memory.store.write(lambda tx, memo=memo: add_tombstone(tx, memo, START))
        data = await export(memory, ErasureTarget("ann"))
    (folder / "a.jsonl").write_bytes(data)
    async with in_memory(folder) as memory:
        report = await import_(memory, folder / "a.jsonl")
        assert (report.left_out, report.same) == (0, 0)
        assert await export(memory, ErasureTarget("ann")) == data


def read(path: Path, *records: str, owner: Owner = ANN) -> list[Item]:
    path.write_text(HEAD + "".join(f"{one}\n" for one in records), "utf-8")
    return list(FORMAT.read(path, owner))


def test_the_least_that_a_line_needs_is_a_type_and_a_text(tmp_path: Path):
    memo, lore = read(
        tmp_path / "x", '{"type":"memo","text":"I like tea"}', '{"type":"lore","guild":"g1","text":"We meet"}'
    )
    assert isinstance(memo, Entry)
    assert isinstance(lore, Entry)
    assert (memo.location, memo.user, memo.source) == ("x line 2", "ann", Provenance(Origin.IMPORT, "ann"))
    assert (memo.status, memo.confidence, memo.audience) == (Status.ACTIVE, 1.0, None)
    assert (lore.user, lore.guild) == (None, "g1")


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ("{", "it is not JSON: Expecting property name enclosed in double quotes"),
        ("[]", "it is not an object"),
        ('{"text":"x"}', "its type None is none of memo, lore, summary, message, tombstone"),
        ('{"type":"dream"}', "its type 'dream' is none of memo, lore, summary, message, tombstone"),
        ('{"type":["memo"]}', "its type ['memo'] is none of memo, lore, summary, message, tombstone"),
        ('{"type":"memo"}', "its text is missing"),
        ('{"type":"memo","text":7}', "its text is not a text"),
        (
            '{"type":"memo","text":"x","created":"yesterday"}',
            "its created 'yesterday' is not a time as in 2026-02-27T10:00:00Z",
        ),
        ('{"type":"memo","text":"x","happened":[1]}', "its happened '[1]' is not a time as in 2026-02-27T10:00:00Z"),
        ('{"type":"memo","text":"x","status":"lost"}', "its status 'lost' is none of " + ", ".join(Status)),
        ('{"type":"memo","text":"x","status":["active"]}', "its status ['active'] is none of " + ", ".join(Status)),
        (
            '{"type":"memo","text":"x","audience":"moon:1"}',
            "its audience 'moon:1' is none of everywhere, guild:…, channel:…/…, dm:…",
        ),
        ('{"type":"memo","text":"x","source":{"origin":"x"}}', "its origin 'x' is none of " + ", ".join(Origin)),
        ('{"type":"memo","text":"x","source":[1]}', "its source is not an object"),
        ('{"type":"memo","text":"x","tags":"a"}', "its tags are not a list of texts"),
        ('{"type":"memo","text":"x","confidence":"high"}', "its confidence is not a number"),
        ('{"type":"summary","text":"x"}', "its session is missing"),
        ('{"type":"message","id":"1","text":"x"}', "its at is missing"),
        (
            '{"type":"tombstone","scope":"x","fingerprint":"y","at":"2025-01-01T00:00:00Z"}',
            "its scope 'x' is neither user:… nor lore:…",
        ),
    ],
)
def test_a_broken_line_is_named_with_the_reason_and_the_next_one_is_read(tmp_path: Path, record: str, why: str):
    problem, entry = read(tmp_path / "x.jsonl", record, '{"type":"memo","text":"I like tea"}')
    assert problem == Problem("x.jsonl line 2", why)
    assert isinstance(entry, Entry)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        ('{"format":"recollect","version":2}', "has the version 2, this recollect knows 1: use a newer one"),
        ('{"format":"recollect"}', "has no version in its first line"),
        ('{"format":"recollect","version":true}', "has no version in its first line"),
        ('{"format":"other","version":1}', "is not one of ours"),
        ("", "is not one of ours"),
        ("{", "is not one of ours"),
    ],
)
async def test_a_newer_version_or_a_foreign_file_is_refused_as_a_whole(tmp_path: Path, first: str, why: str):
    path = tmp_path / "x.jsonl"
    path.write_text(first + '\n{"type":"memo","user":"ann","text":"I like tea"}\n')
    async with opened(tmp_path) as memory:
        with pytest.raises(BadInput, match=why):
            await import_(memory, path, FORMAT)
        assert await memos_of(memory) == {}


async def test_of_a_file_that_breaks_off_what_stands_before_is_taken(tmp_path: Path):
    memos = [Memo(f"durable-{n:08}", Subject("ann"), Kind.FACT, f"I know {n}", START, START) for n in range(50)]
    data = header() + b"".join(map(line, memos))
    path = tmp_path / "x.jsonl"
    path.write_bytes(data[: len(data) - 40])
    async with opened(tmp_path) as memory:
        report = await import_(memory, path)
        assert len(await memos_of(memory)) == 49
    assert (report.new, report.ok, report.skipped) == (49, False, [("x.jsonl line 51", "it breaks off")])


async def test_any_single_byte_may_be_wrong_and_only_its_line_suffers(tmp_path: Path):
    memos = [Memo(f"durable-{n:08}", Subject("ann"), Kind.FACT, f"I know {n}", START, START) for n in range(3)]
    data = header() + b"".join(map(line, memos))
    path = tmp_path / "x.jsonl"
    for at in range(len(header()), len(data)):
        path.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
        items = list(FORMAT.read(path, ANN))
        assert len([item for item in items if isinstance(item, Entry)]) >= 1  # a lost line end costs two lines
        assert len(items) >= 2
