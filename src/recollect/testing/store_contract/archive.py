"""The archive: a store's whole content as plain records, read out, taken out and put back."""

# ruff: noqa: S101 - a contract is made of assertions

from collections.abc import Sequence
from dataclasses import replace
from types import NoneType

from recollect.core.changes import Step
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.archive import SECTIONS, Cursor, Record, fingerprint
from recollect.core.ports.jobs import NewJob
from recollect.core.reasons import Reason
from recollect.core.state import Owner, StateKind
from recollect.core.types import Audience, Exchange, Kind, Origin, Provenance, Status, Summary, Tombstone
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    DM,
    GUILD_LORE,
    OTHER,
    THREAD,
    at,
    find,
    make_memo,
    make_message,
    unit_vector,
)

MODEL = "model-a"
LEARNED = Provenance(
    Origin.DISCORD, "ada", "discord", "guild-1", "general", "general", "thread-1", "said", "I like tea", "trace",
    {"n": 1.5, "deep": {"b": [1, None, "é\u0000"], "a": True}}, Audience("guild", "guild-1", "guild-1"),
)  # fmt: skip


async def fill(store: Store) -> None:
    """Something of everything, in every state that a record can be in."""
    await store.write(_converse)
    await store.write(_remember)
    await store.write(_queue)
    await store.write(_log)
    await store.write(_embed)


def _converse(tx: Tx) -> None:
    tx.messages.add(make_message("said", id="said", name="Ada 東京"))
    tx.messages.add(make_message("in a thread", THREAD, 1, id="threaded", reply_to="said", source="voice"))
    tx.messages.add(make_message("private words", DM, 2, id="private"))
    for number in range(9):
        tx.messages.add(make_message(f"line number {number}", OTHER, number, id=f"line {number}", bot=number % 2 == 0))
    tx.messages.edit("discord", "line 1", "another wording?", at(20))
    tx.messages.delete("discord", "line 2", at(21))
    tx.messages.erase([("discord", "line 3"), ("discord", "never seen")], at(22))
    tx.summaries.save(Summary("s1", "first", 1, at(1), at(0)))
    tx.summaries.save(Summary("s1", "second", 2, at(2)))
    tx.summaries.save(Summary("s2", "to be cleared", 1, at(1)))
    tx.summaries.clear("s2", at(3))
    for number in range(3):
        tx.exchanges.add(Exchange(f"q{number}/a", "guild-1", "c", "chan", "ada", "excerpt", at(number), at(99)))


def _remember(tx: Tx) -> None:
    tea = make_memo("I like tea", source=LEARNED, tags=("drink", "été"), audience=Audience("dm", "ada"), label="taste")
    tea = replace(tea, version=4)
    key = tx.memos.put(tea)
    for seconds in (5, 6):
        tx.memos.count_use([key], at(seconds))
    for number, status in enumerate(Status):
        tx.memos.put(make_memo(f"a memo that is {status}", BEN, status=status, updated=at(number)))
    tx.memos.put(
        make_memo("the guild meets on Fridays", GUILD_LORE, kind=Kind.LORE, pinned=True, confidence=0.3,
                  happened=at(-9), expires=at(999), supersedes="old", superseded_by="new")
    )  # fmt: skip
    tx.memos.put(replace(make_memo("forgotten"), status=Status.DELETED))
    tx.memos.add_tombstone(Tombstone(ADA.scope, "print of what was forgotten", at(4)))


def _queue(tx: Tx) -> None:
    for number in range(6):
        tx.jobs.add(NewJob("learn", f"queue {number % 2}", {"n": number}, at(number), f"key {number}", "tenant"))
    tx.jobs.add(NewJob("consolidate", "hopeless", {}, at(0)))
    (hopeless,) = [job for job in tx.jobs.claim("w", at(0), at(60), 9) if job.queue == "hopeless"]
    tx.jobs.fail(hopeless.id, "w", "it failed")
    for item in ("b", "a", "c"):
        tx.state.append(StateKind.UNLEARNED_TURNS, "ada", item, Owner.person("ada"))
    tx.state.append(StateKind.OTHER, "other", "x", Owner.member("ben", "g1"))
    tx.state.append(StateKind.OTHER, "other", "y", Owner.nobody())


def _log(tx: Tx) -> None:
    first = tx.events.add(Event("memo.added", at(1), "ada", ADA.scope, "durable-1", Reason.NEW, {"words": "secret"}))
    tx.events.add(Event("memo.added", at(86_500), "ada", ADA.scope, "durable-2", Reason.NEW, {"b": 1, "a": [None]}))
    tx.events.add(Event("swept", at(2)))
    tx.events.redact([first])
    tea = make_memo("I like tea", tags=("été",))
    added = Step(first, ADA.scope, "durable-1", "b1", at(1), "ada", None, tea, Reason.NEW, "why", "discord/said")
    tx.changes.add(added)
    tx.changes.add(replace(added, id=first + 1, before=tea, after=None, undoes="b0", undone=True, shared=True))


def _embed(tx: Tx) -> None:
    """One set is complete and lacks a row since; the other corpus is on its way."""
    for corpus in ("memos", "messages"):
        rows = tx.index.unembedded(corpus, MODEL, 99)
        vectors = {key: unit_vector(1, len(text), key % 7) for key, text in rows[: 9 if corpus == "memos" else 4]}
        tx.index.put_vectors(corpus, MODEL, vectors)
    tx.index.activate("memos", MODEL)
    tx.memos.put(make_memo("written after the set was complete"))


async def contents(store: Store, limit: int = 1_000) -> dict[str, list[Record]]:
    """Everything in a store, page by page."""
    return {section: await _section(store, section, limit) for section in SECTIONS}


async def _section(store: Store, section: str, limit: int) -> list[Record]:
    records: list[Record] = []
    after: Cursor | None = None
    while True:
        page = await store.read(lambda tx, after=after: tx.archive.read(section, after, limit))
        records += page.records
        after = page.after
        if after is None:
            return records


def prints(sections: dict[str, list[Record]]) -> dict[str, list[int]]:
    """What is compared: an int is no float and a truth is no number."""
    return {section: sorted(map(fingerprint, records)) for section, records in sections.items()}


async def _take_out(store: Store, sections: dict[str, list[Record]]) -> None:
    for section in reversed(SECTIONS):
        names = [SECTIONS[section].name_of(record) for record in sections[section]]
        await store.write(lambda tx, section=section, names=names: tx.archive.remove(section, names))


async def _put_in(store: Store, sections: dict[str, list[Record]]) -> None:
    for section, records in sections.items():
        skipped = await store.write(lambda tx, section=section, records=records: tx.archive.write(section, records))
        assert skipped == []


async def _renewed(store: Store) -> dict[str, list[Record]]:
    """A store that was filled, emptied and filled again from its records, which are returned."""
    await fill(store)
    sections = await contents(store)
    await _take_out(store, sections)
    assert not any((await contents(store)).values())
    await _put_in(store, sections)
    return sections


async def _change(store: Store, section: str, name: Sequence[object], **changes: object) -> None:
    """Write a record again with some columns changed."""
    (record,) = (await store.read(lambda tx: tx.archive.find(section, [tuple(name)]))).values()
    columns = (*SECTIONS[section].names, *SECTIONS[section].rest)
    changed = tuple(changes.get(column, value) for column, value in zip(columns, record, strict=True))
    await store.write(lambda tx: tx.archive.write(section, [changed]))


class ArchiveContract:
    async def test_an_archive_shows_everything_in_plain_records(self, store: Store):
        await fill(store)
        sections = await contents(store)
        for section, records in sections.items():
            assert records, section
            width = len(SECTIONS[section].names) + len(SECTIONS[section].rest)
            assert {len(record) for record in records} == {width}, section
            assert {type(value) for record in records for value in record} <= {str, int, float, bytes, NoneType}
            assert len({SECTIONS[section].name_of(record) for record in records}) == len(records)
            assert await store.read(lambda tx, section=section: tx.archive.count(section)) == len(records), section

    async def test_an_archive_is_the_same_in_pages_of_any_size(self, store: Store):
        await fill(store)
        assert await contents(store, 1) == await contents(store, 3) == await contents(store)

    async def test_records_are_found_by_name(self, store: Store):
        await fill(store)
        for section, records in (await contents(store)).items():
            by_name = {SECTIONS[section].name_of(record): record for record in records}
            unknown = tuple("nobody" if isinstance(part, str) else 999 for part in next(iter(by_name)))
            names = [*by_name, unknown]
            records_by_name = await store.read(lambda tx, section=section, names=names: tx.archive.find(section, names))
            assert records_by_name == by_name, section

    async def test_removed_records_that_are_put_back_restore_the_store(self, store: Store):
        before = await _renewed(store)
        assert prints(await contents(store)) == prints(before)
        assert not [finding for finding in await store.check_health() if not finding.ok and finding.check != "jobs"]

    async def test_records_that_are_there_already_change_nothing(self, store: Store):
        await fill(store)
        before = await contents(store)
        await _put_in(store, before)
        assert await contents(store) == before
        assert not [finding for finding in await store.check_health() if not finding.ok and finding.check != "jobs"]

    async def test_searches_find_the_same_after_a_renewal(self, store: Store):
        await fill(store)

        async def search_everything() -> list[object]:
            query, scopes = unit_vector(1, 2, 3), [ADA.scope, BEN.scope, GUILD_LORE.scope]
            near = await store.read(lambda tx: tx.index.nearest("memos", scopes, MODEL, query, 9))
            memos = await store.read(lambda tx: tx.memos.fetch(near))
            cosines = {memo.text: round(near[key], 6) for key, memo in memos.items()}
            texts = [await find(store, "tea drink memo", [scope]) for scope in scopes]
            lines = await find(store, "line wording number", [OTHER.stream], "messages")
            missing = await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 9))
            sizes = await store.read(lambda tx: [tx.index.size([scope]) for scope in (*scopes, OTHER.stream)])
            recent = await store.read(lambda tx: tx.messages.recent(OTHER, 9))
            shapes = await store.read(
                lambda tx: sorted(tx.messages.positions(tx.index.recent("messages", [OTHER.stream], 9)).values())
            )
            return [cosines, texts, lines, [text for _, text in missing], sizes, recent, shapes]

        before = await search_everything()
        content = await contents(store)
        await _take_out(store, content)
        await _put_in(store, content)
        assert await search_everything() == before
        assert before[0]
        assert before[3] == ["written after the set was complete"]

    async def test_sets_of_vectors_keep_what_is_said_of_them(self, store: Store):
        await fill(store)
        before = await store.read(lambda tx: [tx.index.vectors("memos"), tx.index.vectors("messages")])
        content = await contents(store)
        await _take_out(store, content)
        await _put_in(store, content)
        assert await store.read(lambda tx: [tx.index.vectors("memos"), tx.index.vectors("messages")]) == before
        assert [(vector_set.active, vector_set.complete) for (vector_set,) in before] == [(True, True), (True, False)]

    async def test_what_was_erased_or_forgotten_stays_so_after_a_renewal(self, store: Store):
        await _renewed(store)
        again = make_message("back again", OTHER, id="line 3")
        assert not await store.write(lambda tx: tx.messages.add(again))
        assert not await store.write(lambda tx: tx.messages.add(replace(again, id="never seen")))
        buried = await store.read(lambda tx: tx.memos.tombstone(ADA.scope, "print of what was forgotten"))
        assert buried == Tombstone(ADA.scope, "print of what was forgotten", at(4))
        assert not await store.write(lambda tx: tx.summaries.save(Summary("s2", "late", 2, at(9))))

    async def test_a_claimed_job_is_shown_as_waiting_and_runs_again_in_its_place(self, store: Store):
        await fill(store)
        held = await store.write(lambda tx: tx.jobs.claim("v", at(70), at(99), 9, depth=2))
        assert [job.attempts for job in held] == [2, 1, 1, 1]
        records = (await contents(store))["jobs"]
        assert {record[5] for record in records} == {"waiting", "failed"}
        attempts = {record[0]: record[7] for record in records}
        assert [attempts[job.id] for job in held] == [2, 0, 1, 0]
        await store.write(lambda tx: tx.archive.remove("jobs", [record[:1] for record in records]))
        await store.write(lambda tx: tx.archive.write("jobs", records))
        for expected in ([0, 1], [2, 3], [4, 5]):
            jobs = await store.write(lambda tx: tx.jobs.claim("w", at(99), at(199), 9))
            assert sorted(job.payload["n"] for job in jobs) == expected
            for job in jobs:
                assert await store.write(lambda tx, job=job: tx.jobs.finish(job.id, "w"))
        assert await store.read(lambda tx: tx.jobs.counts()) == {"failed": 1}

    async def test_rows_added_after_a_renewal_get_higher_numbers(self, store: Store):
        before = await _renewed(store)
        event = await store.write(lambda tx: tx.events.add(Event("later", at(9))))
        assert event > max(record[0] for record in before["events"])
        job = await store.write(lambda tx: tx.jobs.add(NewJob("learn", "queue 0", {}, at(9))))
        assert job is not None
        assert job > max(record[0] for record in before["jobs"])
        await store.write(lambda tx: tx.messages.add(make_message("the last", OTHER, 99, id="last")))
        numbers = {record[1]: record[2] for record in (await contents(store))["messages"]}
        assert numbers["last"] == max(number for name, number in numbers.items() if name.startswith("line")) + 1
        await store.write(lambda tx: tx.state.append(StateKind.UNLEARNED_TURNS, "ada", "d", Owner.person("ada")))
        assert await store.read(lambda tx: tx.state.items(StateKind.UNLEARNED_TURNS, "ada")) == ["b", "a", "c", "d"]
        await store.write(lambda tx: tx.state.erase(Owner.guild("g1")))
        assert await store.read(lambda tx: tx.state.items(StateKind.OTHER, "other")) == ["y"]

    async def test_the_log_goes_on_with_its_numbers_and_its_counts(self, store: Store):
        await fill(store)
        counts = await store.read(lambda tx: tx.events.counts())
        days = await store.read(lambda tx: tx.events.days(at(0).date()))
        events = await store.read(lambda tx: tx.events.after(0, 99))
        records = (await contents(store))["events"]
        await store.write(lambda tx: tx.archive.remove("events", [record[:1] for record in records]))
        assert await store.read(lambda tx: tx.events.counts()) == {}
        await store.write(lambda tx: tx.archive.write("events", records))
        assert await store.read(lambda tx: tx.events.counts()) == counts
        assert await store.read(lambda tx: tx.events.days(at(0).date())) == days
        assert await store.read(lambda tx: tx.events.after(0, 99)) == events

    async def test_a_record_with_another_content_replaces_what_was_there(self, store: Store):
        await fill(store)
        await _change(store, "messages", ("discord", "line 4"), text="wholly different", edited=5)
        await _change(store, "messages", ("discord", "line 5"), text="", deleted=6)
        await _change(store, "memos", (ADA.scope, make_memo("I like tea").id), status="superseded")
        assert await find(store, "wholly different", [OTHER.stream], "messages") == ["wholly different"]
        texts = [message.text for message in await store.read(lambda tx: tx.messages.recent(OTHER, 99))]
        assert "line number 4" not in texts
        assert "line number 5" not in texts
        assert await find(store, "tea") == []
        strays = [
            record for record in (await contents(store))["memo vectors"] if record[2] == make_memo("I like tea").id
        ]
        assert strays  # vectors are records of their own: a caller that changes a row sees to them
        await store.write(lambda tx: tx.archive.remove("memo vectors", [record[:3] for record in strays]))
        assert not [
            finding
            for finding in await store.check_health()
            if not finding.ok and finding.check not in ("jobs", "vectors")
        ]

    async def test_a_row_that_is_taken_out_takes_its_vectors_along(self, store: Store):
        await fill(store)
        before = await contents(store)
        for section, of_rows in (("memos", "memo vectors"), ("messages", "message vectors")):
            names = [record[:2] for record in before[section]]
            await store.write(lambda tx, section=section, names=names: tx.archive.remove(section, names))
            assert (await contents(store))[of_rows] == []
            assert await store.read(lambda tx, section=section: tx.archive.count(section)) == 0
        assert await store.read(lambda tx: tx.index.size([ADA.scope, BEN.scope, OTHER.stream])) == 0
        assert await find(store, "tea memo", [ADA.scope, BEN.scope]) == []

    async def test_a_vector_without_its_row_or_its_set_is_left_out_and_named(self, store: Store):
        await fill(store)
        before = (await contents(store))["memo vectors"]
        strange = [
            (MODEL, ADA.scope, "no such memo", unit_vector(1, 2, 3)),
            ("no such model", *before[0][1:3], unit_vector(1, 2, 3)),
        ]
        skipped = await store.write(lambda tx: tx.archive.write("memo vectors", [*strange, before[0]]))
        assert skipped == strange
        assert sorted((await contents(store))["memo vectors"]) == sorted(before)

    async def test_a_bookmark_is_kept_and_is_no_content(self, store: Store):
        assert await store.read(lambda tx: tx.archive.bookmark()) is None
        for text in ("page 1", "page 2, é"):
            await store.write(lambda tx, text=text: tx.archive.put_bookmark(text))
            assert await store.read(lambda tx: tx.archive.bookmark()) == text
        assert not any((await contents(store)).values())

    async def test_a_store_keeps_its_identity(self, store: Store):
        before = await store.read(lambda tx: tx.archive.identity())
        await fill(store)
        assert await store.read(lambda tx: tx.archive.identity()) == before
        assert before
