"""Messages: each stored once, edits and deletions, sessions and streams, neighbors."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace

from recollect.core.ports import Store
from recollect.core.types import Place
from recollect.testing.store_contract.samples import CHANNEL, DM, OTHER, THREAD, at, find, make_message, say


class MessagesContract:
    async def test_a_message_is_stored_once_however_often_it_is_delivered(self, store: Store):
        message = make_message("hello", id="1")
        assert await store.write(lambda tx: tx.messages.add(message))
        assert not await store.write(lambda tx: tx.messages.add(message))
        assert not await store.write(lambda tx: tx.messages.add(replace(message, text="other", place=OTHER)))
        assert await store.read(lambda tx: tx.messages.get("discord", "1")) == message
        assert await store.read(lambda tx: tx.messages.recent(CHANNEL, 10)) == [message]
        assert await store.read(lambda tx: tx.messages.recent(OTHER, 10)) == []

    async def test_the_same_id_on_another_platform_is_another_message(self, store: Store):
        on_discord = make_message("hello", id="1")
        elsewhere = make_message("hullo", Place("local", channel="general"), id="1")
        await say(store, on_discord, elsewhere)
        assert await store.read(lambda tx: tx.messages.get("discord", "1")) == on_discord
        assert await store.read(lambda tx: tx.messages.get("local", "1")) == elsewhere
        assert await store.read(lambda tx: tx.messages.get("irc", "1")) is None

    async def test_what_people_said_between_two_times_is_read_page_by_page(self, store: Store):
        said = [
            make_message(str(minute), place, minute, id=f"{minute}")
            for minute, place in enumerate((CHANNEL, DM, OTHER))
        ]
        await say(store, *said, make_message("a bot's", CHANNEL, 1, id="bot", bot=True), make_message("x", id="gone"))
        await store.write(lambda tx: tx.messages.delete("discord", "gone", at(5)))
        rows = await store.read(lambda tx: tx.messages.between(None, None))
        assert {message.id for _, message in rows} == {"0", "1", "2"}
        rows = await store.read(lambda tx: tx.messages.between(at(1), at(2)))
        assert [message.id for _, message in rows] == ["1"]
        (first,) = await store.read(lambda tx: tx.messages.between(None, None, 1))
        rest = await store.read(lambda tx: tx.messages.between(None, None, 10, first[0]))
        assert len(rest) == 2

    async def test_everyone_who_spoke_is_known_by_a_name(self, store: Store):
        said = [("ada", ""), ("ada", "Ada"), ("bo", ""), ("cy", "Cy"), ("bot", "Bot")]
        for number, (author, name) in enumerate(said):
            message = make_message("hello", id=f"{number}", author=author, name=name, bot=author == "bot")
            await say(store, message)
        await say(store, make_message("hi", Place(channel="general"), id="9", author="discord:eve", name="Eve"))
        await store.write(lambda tx: tx.messages.delete("discord", "3", at(5)))
        known = await store.read(lambda tx: tx.messages.speakers())
        assert dict(known) == {"discord:ada": "Ada", "discord:bo": "", "discord:eve": "Eve"}
        assert len(await store.read(lambda tx: tx.messages.speakers(2))) <= 2

    async def test_every_field_of_a_message_survives(self, store: Store):
        place = Place("discord", "g", "c", "t", None, "général", public=True, private_thread=True)
        full = make_message(
            "çá va 👋",
            place,
            1.234,
            id="m1",
            author="ada",
            name="Ada 🦊",
            bot=True,
            source="voice",
            reply_to="m0",
        )
        minimal = make_message("plain", DM)
        await say(store, full, minimal)
        assert await store.read(lambda tx: tx.messages.get("discord", "m1")) == full
        assert await store.read(lambda tx: tx.messages.get("discord", minimal.id)) == minimal

    async def test_an_edit_changes_what_readers_and_searches_see(self, store: Store):
        keys = await say(store, make_message("I live in Berlin", id="1"))
        assert await store.write(lambda tx: tx.messages.edit("discord", "1", "I live in Lisbon", at(5)))
        edited = await store.read(lambda tx: tx.messages.get("discord", "1"))
        assert edited == make_message("I live in Lisbon", id="1")
        assert await store.read(lambda tx: tx.messages.fetch([keys["1"]])) == {keys["1"]: edited}
        assert await find(store, "Lisbon", [CHANNEL.stream], "messages") == ["I live in Lisbon"]
        assert await find(store, "Berlin", [CHANNEL.stream], "messages") == []

    async def test_a_message_may_get_another_audience_in_the_same_conversation(self, store: Store):
        await say(store, make_message("hello", id="1"), make_message("hi", id="2"))
        place = replace(CHANNEL, public=False, readers="+7")
        await store.write(lambda tx: tx.messages.move("discord", "1", place))
        rows = await store.read(lambda tx: tx.messages.recent(CHANNEL, 10))
        assert [row.place for row in rows] == [place, CHANNEL]

    async def test_an_older_edit_that_arrives_late_does_not_win(self, store: Store):
        await say(store, make_message("first", id="1"))
        assert await store.write(lambda tx: tx.messages.edit("discord", "1", "third", at(20)))
        assert not await store.write(lambda tx: tx.messages.edit("discord", "1", "second", at(10)))
        message = await store.read(lambda tx: tx.messages.get("discord", "1"))
        assert message is not None
        assert message.text == "third"

    async def test_only_a_message_that_is_there_can_be_edited_or_deleted(self, store: Store):
        assert not await store.write(lambda tx: tx.messages.edit("discord", "none", "text", at(0)))
        assert not await store.write(lambda tx: tx.messages.delete("discord", "none", at(0)))

    async def test_a_deleted_message_is_gone_everywhere(self, store: Store):
        keys = await say(store, make_message("my secret plan", id="1"), make_message("a plan", id="2"))
        assert await store.write(lambda tx: tx.messages.delete("discord", "1", at(5)))
        assert await store.read(lambda tx: tx.messages.get("discord", "1")) is None
        assert await store.read(lambda tx: [message.id for message in tx.messages.recent(CHANNEL, 9)]) == ["2"]
        assert keys["1"] not in await store.read(lambda tx: tx.messages.fetch(list(keys.values())))
        recent = await store.read(lambda tx: tx.index.recent("messages", [CHANNEL.stream], 9))
        assert recent == [keys["2"]]
        assert await find(store, "secret plan", [CHANNEL.stream], "messages") == ["a plan"]

    async def test_a_deletion_is_final(self, store: Store):
        message = make_message("gone", id="1")
        await say(store, message)
        assert await store.write(lambda tx: tx.messages.delete("discord", "1", at(5)))
        assert not await store.write(lambda tx: tx.messages.delete("discord", "1", at(6)))
        assert not await store.write(lambda tx: tx.messages.edit("discord", "1", "back", at(7)))
        assert not await store.write(lambda tx: tx.messages.add(message))
        assert await store.read(lambda tx: tx.messages.get("discord", "1")) is None

    async def test_recent_gives_the_newest_oldest_first(self, store: Store):
        await say(store, *(make_message(f"{n}", seconds=n) for n in range(10)))
        recent = await store.read(lambda tx: tx.messages.recent(CHANNEL, 3))
        assert [message.text for message in recent] == ["7", "8", "9"]
        earlier = await store.read(lambda tx: tx.messages.recent(CHANNEL, 2, before=at(7)))
        assert [message.text for message in earlier] == ["5", "6"]
        assert await store.read(lambda tx: tx.messages.recent(CHANNEL, 5, before=at(0))) == []
        assert await store.read(lambda tx: tx.messages.recent(CHANNEL, 0)) == []

    async def test_recent_goes_by_time_not_by_arrival(self, store: Store):
        await say(store, make_message("new", seconds=10), make_message("late", seconds=5))
        for whole in (False, True):
            recent = await store.read(lambda tx, whole=whole: tx.messages.recent(CHANNEL, 9, None, whole))
            assert [message.text for message in recent] == ["late", "new"]
            newest = await store.read(lambda tx, whole=whole: tx.messages.recent(CHANNEL, 1, None, whole))
            assert [message.text for message in newest] == ["new"]

    async def test_messages_of_one_moment_keep_the_order_of_arrival(self, store: Store):
        await say(store, *(make_message(text) for text in "cab"))
        recent = await store.read(lambda tx: tx.messages.recent(CHANNEL, 9))
        assert [message.text for message in recent] == ["c", "a", "b"]

    async def test_a_thread_is_its_own_session_within_the_stream_of_its_channel(self, store: Store):
        await say(
            store,
            make_message("in channel", seconds=1),
            make_message("in thread", THREAD, 2),
            make_message("elsewhere", OTHER, 3),
            make_message("in private", DM, 4),
        )

        async def texts(place: Place, whole_stream: bool) -> list[str]:
            recent = await store.read(lambda tx: tx.messages.recent(place, 9, whole_stream=whole_stream))
            return [message.text for message in recent]

        assert await texts(CHANNEL, False) == ["in channel"]
        assert await texts(THREAD, False) == ["in thread"]
        assert await texts(CHANNEL, True) == ["in channel", "in thread"]
        assert await texts(THREAD, True) == ["in channel", "in thread"]
        assert await texts(OTHER, True) == ["elsewhere"]
        assert await texts(DM, True) == ["in private"]
        assert await texts(replace(DM, dm="ben"), True) == []

    async def test_a_session_is_read_on_from_a_moment_oldest_first(self, store: Store):
        messages = [("a", 1), ("c", 3), ("d", 4), ("late b", 2)]
        await say(store, *(make_message(text, seconds=seconds) for text, seconds in messages))
        await say(store, make_message("aside", THREAD, 2.5), make_message("elsewhere", OTHER, 2.5))

        async def texts(since: float | None, limit: int = 9) -> list[str]:
            start = None if since is None else at(since)
            return [message.text for message in await store.read(lambda tx: tx.messages.after(CHANNEL, start, limit))]

        assert await texts(None) == ["a", "late b", "c", "d"]
        assert await texts(None, 2) == ["a", "late b"]
        assert await texts(2) == ["c", "d"]
        assert await texts(1.999, 1) == ["late b"]
        assert await texts(4) == []
        assert await texts(None, 0) == []
        assert await store.read(lambda tx: tx.messages.after(replace(CHANNEL, channel="none"), None, 9)) == []

    async def test_messages_of_one_moment_are_not_torn_apart_when_a_session_is_read_on(self, store: Store):
        times = [1, 2, 2, 2, 2, 3, 4, 4]
        await say(store, *(make_message(f"{n}", seconds=seconds) for n, seconds in enumerate(times)))
        pages: list[list[str]] = []
        since = None
        while page := await store.read(lambda tx, since=since: tx.messages.after(CHANNEL, since, 2)):
            pages.append([message.text for message in page])
            since = page[-1].at
        assert pages == [["0", "1", "2", "3", "4"], ["5", "6", "7"]]

    async def test_a_deleted_message_is_not_read_on(self, store: Store):
        await say(store, *(make_message(text, id=text, seconds=n) for n, text in enumerate("abcd")))
        await store.write(lambda tx: tx.messages.delete("discord", "b", at(9)))
        page = await store.read(lambda tx: tx.messages.after(CHANNEL, None, 2))
        assert [message.text for message in page] == ["a", "c"]

    async def test_neighbours_are_the_messages_before_and_after_in_the_session(self, store: Store):
        keys = await say(
            store,
            make_message("a", id="a", seconds=1),
            make_message("c", id="c", seconds=3),
            make_message("aside", THREAD, 3.5, id="aside"),
            make_message("d", id="d", seconds=4),
            make_message("b", id="b", seconds=2),  # arrives late
        )
        beside = await store.read(lambda tx: tx.messages.neighbors([keys["b"], keys["d"]], 2))
        assert sorted(beside[keys["b"]]) == [(-1, keys["a"]), (1, keys["c"]), (2, keys["d"])]
        assert sorted(beside[keys["d"]]) == [(-2, keys["b"]), (-1, keys["c"])]

    async def test_a_message_that_arrives_late_is_a_neighbour_by_its_time(self, store: Store):
        messages = [("a", 1), ("b", 2), ("c", 3), ("late", 2.5)]
        keys = await say(store, *(make_message(text, id=text, seconds=seconds) for text, seconds in messages))
        for reach in (1, 2):
            beside = await store.read(lambda tx, reach=reach: tx.messages.neighbors([keys["b"]], reach))
            assert sorted(beside[keys["b"]])[:2] == [(-1, keys["a"]), (1, keys["late"])]

    async def test_a_deleted_message_is_nobodys_neighbour(self, store: Store):
        keys = await say(store, *(make_message(text, id=text, seconds=n) for n, text in enumerate("abc")))
        await store.write(lambda tx: tx.messages.delete("discord", "b", at(9)))
        beside = await store.read(lambda tx: tx.messages.neighbors([keys["a"]], 1))
        assert beside[keys["a"]] == [(1, keys["c"])]
        assert await store.read(lambda tx: tx.messages.key("discord", "a")) == keys["a"]
        assert await store.read(lambda tx: tx.messages.key("discord", "b")) is None

    async def test_neighbours_of_one_moment_are_told_apart(self, store: Store):
        keys = await say(store, *(make_message(text, id=text) for text in "abc"))
        beside = await store.read(lambda tx: tx.messages.neighbors([keys["b"]], 1))
        assert sorted(beside[keys["b"]]) == [(-1, keys["a"]), (1, keys["c"])]

    async def test_the_shape_of_a_message_follows_its_text(self, store: Store):
        keys = await say(store, make_message("I like green tea", id="a"), make_message("Do you?", id="b"))
        shape = await store.read(lambda tx: tx.messages.positions(keys.values()))
        assert shape == {keys["a"]: (1, 4, 0.0), keys["b"]: (2, 2, 1.0)}
        await store.write(lambda tx: tx.messages.edit("discord", "a", "What?", at(1)))
        assert await store.read(lambda tx: tx.messages.positions([keys["a"], 999])) == {keys["a"]: (1, 1, 1.0)}

    async def test_an_unknown_key_has_no_message_and_no_neighbours(self, store: Store):
        assert await store.read(lambda tx: tx.messages.fetch([12345])) == {}
        assert await store.read(lambda tx: tx.messages.key("discord", "nowhere")) is None
        beside = await store.read(lambda tx: tx.messages.neighbors([12345], 2))
        assert beside.get(12345, []) == []

    async def test_a_message_of_any_characters_is_kept(self, store: Store):
        text = "nul \x00 surrogate \ud800 \U0001f98a \u202e end"
        place = replace(CHANNEL, name="x\ud800")
        message = make_message(text, place, id="\ud83d", name="\x00\udfff", author="a\ud800")
        assert await store.write(lambda tx: tx.messages.add(message))
        assert not await store.write(lambda tx: tx.messages.add(message))
        (stored,) = await store.read(lambda tx: tx.messages.recent(CHANNEL, 1))
        assert stored.text.startswith("nul ")
        assert stored.text.endswith("\U0001f98a \u202e end")
        assert await store.write(lambda tx: tx.messages.edit("discord", "\ud83d", "edited \udc00", at(1)))
        assert await find(store, "edited", [CHANNEL.stream], "messages") == ["edited ?"]
