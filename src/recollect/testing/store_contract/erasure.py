"""Erasing: rows are found by whose they are, go with all that is derived from them, and can't come back."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace
from typing import Any

from recollect.core.events import Event
from recollect.core.ports import Store
from recollect.core.ports.jobs import NewJob
from recollect.core.reasons import Reason
from recollect.core.types import Exchange, Place, Provenance, Status, Summary
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    DM,
    GUILD_LORE,
    OTHER,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
    unit_vector,
)

ABROAD = Place("discord", guild="guild-2", channel="lobby", name="lobby", public=True)


def job(queue: str, seconds: float = 0) -> NewJob:
    return NewJob("learn", queue, {"of": queue}, at(seconds), f"key of {queue} {seconds}")


async def written(store: Store, author: str | None = None, guild: str | None = None) -> list[str]:
    rows = await store.read(lambda tx: tx.messages.written_by(author, guild))
    return [message.id for _, message in rows]


class ErasureContract:
    async def test_messages_are_found_by_who_wrote_them_and_in_which_guild(self, store: Store):
        await say(
            store,
            make_message("a", id="1"),
            make_message("b", id="2", author="ben"),
            make_message("c", ABROAD, id="3"),
            make_message("d", DM, id="4"),
            make_message("e", DM, id="5", author="bot", bot=True),
        )
        assert sorted(await written(store, "discord:ada")) == ["1", "3", "4", "5"]
        assert await written(store, "discord:ada", "guild-2") == ["3"]
        assert sorted(await written(store, guild="guild-1")) == ["1", "2"]
        assert await written(store, "nobody") == await written(store, "ada") == await written(store, "irc:ada") == []

    async def test_the_names_of_someone_are_those_of_their_newest_messages(self, store: Store):
        names = ("Ada", "Countess", "Ada", "", "Lovelace")
        await say(store, *(make_message("a", id=f"{n}", name=name, seconds=n) for n, name in enumerate(names)))
        await say(store, make_message("b", id="9", author="ben", name="Ben"))
        assert await store.read(lambda tx: tx.messages.names_of("discord:ada", 20)) == ["Lovelace", "Ada", "Countess"]
        assert await store.read(lambda tx: tx.messages.names_of("discord:ada", 3)) == ["Lovelace", "Ada"]
        assert await store.read(lambda tx: tx.messages.names_of("ada", 20)) == []

    async def test_messages_of_someone_come_in_pages_and_deleted_ones_too(self, store: Store):
        await say(store, *(make_message(f"{n}", id=f"{n}", seconds=n) for n in range(7)))
        await store.write(lambda tx: tx.messages.delete("discord", "3", at(9)))
        first = await store.read(lambda tx: tx.messages.written_by("discord:ada", limit=4))
        second = await store.read(lambda tx: tx.messages.written_by("discord:ada", limit=4, after=first[-1][0]))
        assert [message.id for _, message in (*first, *second)] == [f"{n}" for n in range(7)]
        assert {key for key, _ in first} | {key for key, _ in second} >= {key for key, _ in first}
        assert [message.text for _, message in first] == ["0", "1", "2", ""]

    async def test_the_answers_of_bots_are_found_by_what_they_answer(self, store: Store):
        await say(
            store,
            make_message("a", id="1"),
            make_message("b", id="2", author="bot", bot=True, reply_to="1"),
            make_message("c", id="3", author="ben", reply_to="1"),
            make_message("d", replace(CHANNEL, platform="irc"), id="4", author="bot", bot=True, reply_to="1"),
        )
        replies = await store.read(lambda tx: tx.messages.replies_to("discord", ["1", "9"]))
        assert [message.id for _, message in replies] == ["2"]

    async def test_an_erased_message_is_gone_from_every_index_and_never_comes_back(self, store: Store):
        message = make_message("quixotic plumbus", id="1")
        keys = await say(store, message, make_message("quixotic neighbour", id="2", author="ben"))
        await store.write(
            lambda tx: tx.index.put_vectors("messages", "m", {key: unit_vector(1, 2) for key in keys.values()})
        )
        assert await store.write(lambda tx: tx.messages.erase([("discord", "1"), ("discord", "9")], at(5))) == 1
        assert await store.write(lambda tx: tx.messages.erase([("discord", "1")], at(6))) == 0
        assert await written(store, "discord:ada") == []
        assert await find(store, "quixotic", [CHANNEL.stream], "messages") == ["quixotic neighbour"]
        near = await store.read(
            lambda tx: tx.index.nearest("messages", [CHANNEL.stream], "m", unit_vector(1, 2), 9, also=keys.values())
        )
        assert list(near) == [keys["2"]]
        assert await store.read(lambda tx: tx.index.size([CHANNEL.stream])) == 1
        assert not await store.write(lambda tx: tx.messages.add(message))
        assert not await store.write(lambda tx: tx.messages.edit("discord", "1", "again", at(7)))
        assert await store.write(lambda tx: tx.messages.add(replace(message, place=replace(CHANNEL, platform="irc"))))
        assert all(finding.ok for finding in await store.check_health())

    async def test_a_message_that_was_never_seen_can_be_kept_out(self, store: Store):
        await store.write(lambda tx: tx.messages.erase([("discord", "7")], at(5)))
        assert not await store.write(lambda tx: tx.messages.add(make_message("x", id="7")))

    async def test_erasing_a_deleted_message_leaves_the_sizes_right(self, store: Store):
        await say(store, make_message("a", id="1"), make_message("b", id="2"))
        await store.write(lambda tx: tx.messages.delete("discord", "1", at(3)))
        assert await store.write(lambda tx: tx.messages.erase([("discord", "1")], at(5))) == 1
        assert await store.read(lambda tx: tx.index.size([CHANNEL.stream])) == 1

    async def test_memos_are_found_by_who_stated_them_and_where(self, store: Store):
        source = Provenance(actor="ada", guild="guild-1")
        memos = [
            make_memo("one", source=source, updated=at(5)),
            make_memo("two", GUILD_LORE, source=source, status=Status.ARCHIVED),
            make_memo("three", BEN, source=Provenance(actor="ben", guild="guild-1")),
            make_memo("four", source=Provenance(actor="ada", guild="guild-2")),
            make_memo("five", BEN),
        ]
        await put(store, *memos)

        async def traced(**filters: Any) -> list[str]:
            return sorted(memo.text for memo in await store.read(lambda tx: tx.memos.stated_by(**filters)))

        assert await traced(actor="ada") == ["four", "one", "two"]
        assert await traced(guild="guild-1") == ["one", "three", "two"]
        assert await traced(actor="ada", guild="guild-1") == ["one", "two"]
        assert await traced() == []
        assert await traced(guild="guild-1", before=at(5)) == ["three", "two"]
        assert await traced(guild="guild-1", before=at(6)) == ["one", "three", "two"]
        assert await traced(before=at(6)) == []

    async def test_sessions_with_summaries_are_listed(self, store: Store):
        assert await store.read(lambda tx: tx.summaries.sessions()) == []
        for session in ("b", "a"):
            summary = Summary(session, "text", 1, at(1))
            await store.write(lambda tx, summary=summary: tx.summaries.save(summary))
        await store.write(lambda tx: tx.summaries.clear("b", at(2)))
        assert await store.read(lambda tx: tx.summaries.sessions()) == ["a", "b"]

    async def test_exchanges_are_found_by_author_and_guild_even_when_expired(self, store: Store):
        exchanges = [
            Exchange("1/2", "g", "c", "c", "ada", "one", at(1), at(2)),
            Exchange("3/4", "g", "c", "c", "ben", "two", at(2), at(9)),
            Exchange("1/2", "h", "c", "c", "ada", "three", at(3), at(9)),
        ]
        await store.write(lambda tx: [tx.exchanges.add(exchange) for exchange in exchanges])
        assert await store.read(lambda tx: tx.exchanges.by_author("ada")) == [exchanges[0], exchanges[2]]
        assert await store.read(lambda tx: tx.exchanges.by_author("ada", "h")) == [exchanges[2]]
        assert await store.read(lambda tx: tx.exchanges.by_author(guild="g")) == exchanges[:2]
        assert await store.read(lambda tx: tx.exchanges.by_author()) == []
        assert await store.write(lambda tx: tx.exchanges.remove(exchanges[0]))
        assert not await store.write(lambda tx: tx.exchanges.remove(exchanges[0]))
        assert await store.read(lambda tx: tx.exchanges.by_author("ada")) == [exchanges[2]]

    async def test_an_erased_job_cannot_be_finished_and_its_queue_goes_on(self, store: Store):
        ids = [await store.write(lambda tx, n=n: tx.jobs.add(job("ada", n))) for n in range(3)]
        (running,) = await store.write(lambda tx: tx.jobs.claim("w", at(10), at(20), 1))
        assert await store.write(lambda tx: tx.jobs.erase([running.id, ids[1] or 0, 999])) == 2
        assert not await store.write(lambda tx: tx.jobs.finish(running.id, "w"))
        assert not await store.write(lambda tx: tx.jobs.retry(running.id, "w", at(1), "no"))
        claimed = await store.write(lambda tx: tx.jobs.claim("w", at(10), at(20), 5))
        assert [claimed_job.id for claimed_job in claimed] == [ids[2]]

    async def test_a_scrubbed_event_says_only_that_something_happened(self, store: Store):
        data = {"undoes": "b", "text": "tea"}
        detailed = Event("memo.undone", at(1), "ada", ADA.scope, "m1", Reason.RETRACTED, data, detail="because of tea")
        bare = Event("memo.added", at(2), "ada", ADA.scope)
        ids = [await store.write(lambda tx, event=event: tx.events.add(event)) for event in (detailed, bare)]
        counts = await store.read(lambda tx: tx.events.counts())
        assert await store.write(lambda tx: tx.events.redact(ids, ["undoes"])) == 1
        assert await store.write(lambda tx: tx.events.redact(ids, ["undoes"])) == 0
        after, before = await store.read(lambda tx: tx.events.list(scope=ADA.scope))
        assert before == Event("memo.undone", at(1), "ada", ADA.scope, data={"undoes": "b"}, id=ids[0])
        assert after == replace(bare, id=ids[1])
        assert await store.read(lambda tx: tx.events.counts()) == counts

    async def test_texts_are_traced_wherever_they_stand(self, store: Store):
        await say(store, make_message("a quixotic plumbus", id="1"), make_message("another", OTHER, id="2"))
        await put(store, make_memo("a plumbus", source=Provenance(evidence="my quixotic 東京 tower")))
        await store.write(lambda tx: tx.events.add(Event("e", at(1), detail="plumbus")))
        traces = await store.find_traces(["plumbus", "quixotic", "東京 tower", "nowhere"])
        assert traces["messages"] == [1, 1, 0, 0]
        assert traces["memos"] == [1, 0, 0, 0]
        assert any(counts[2] for counts in traces.values())
        assert not any(counts[3] for counts in traces.values())
        assert len([place for place, counts in traces.items() if counts[0]]) >= 3
        assert await store.find_traces([]) == {}

    async def test_erased_texts_leave_no_trace_after_a_purge(self, store: Store):
        for number in range(60):
            await say(store, make_message(f"zyzzyva{number} in quixotic halls", id=f"{number}", seconds=number))
            await say(store, make_message(f"plain words {number}", id=f"b{number}", author="ben", seconds=number))
            await put(store, make_memo(f"wombatique number {number}"))
        await store.write(lambda tx: tx.messages.erase([("discord", f"{number}") for number in range(60)], at(99)))
        await store.write(lambda tx: [tx.memos.remove(memo) for memo in tx.memos.list(ADA)])
        seen: list[tuple[int, int]] = []
        await store.purge_deleted(lambda count, total: seen.append((count, total)))
        assert seen[-1][0] == seen[-1][1]
        assert await store.find_traces(["zyzzyva", "quixotic", "wombatique"]) == {}
        assert (await store.find_traces(["plain words 7"]))["messages"] == [1]
        assert await find(store, "plain", [CHANNEL.stream], "messages", 1) == ["plain words 59"]
        assert all(finding.ok for finding in await store.check_health())

    async def test_a_wipe_of_an_empty_store_is_harmless(self, store: Store):
        await store.purge_deleted()
        await put(store, make_memo("tea"))
        assert await find(store, "tea") == ["tea"]
