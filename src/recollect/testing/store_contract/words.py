"""The word index: BM25 within the requested scopes, in every script, with any text as the query."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace

import pytest

from recollect.core.ports import Store, Tx
from recollect.core.text import query_words
from recollect.core.types import Memo, Status
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    GUILD_LORE,
    OTHER,
    THREAD,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
)

HOSTILE = [
    "",
    " ",
    '"',
    '""',
    'tea"',
    "'; DROP TABLE memos; --",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "tea AND",
    "tea NEAR(coffee, 2)",
    "* tea*",
    "^tea",
    "text:tea",
    "-tea +tea",
    "(tea",
    "{tea}",
    "tea & !coffee | <->",
    "%_\\",
    "🍵",
    "👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "\x00",
    "tea\x00coffee",
    "\ud800",
    "tea \udfff",
    "\u202e\u200b\ufeff",
    "tea " * 2_500,
    "x" * 10_000,
    "東" * 10_000,
    " ".join(f"w{n}" for n in range(2_000)),
]


class WordsContract:
    async def test_recent_rows_come_newest_first_across_scopes(self, store: Store):
        keys = await put(store, *(make_memo(f"{n}", (ADA, BEN)[n % 2], updated=at(n)) for n in range(6)))
        both = [ADA.scope, BEN.scope]
        assert await store.read(lambda tx: tx.index.recent("memos", both, 9)) == keys[::-1]
        assert await store.read(lambda tx: tx.index.recent("memos", both, 3)) == keys[:2:-1]
        assert await store.read(lambda tx: tx.index.recent("memos", [BEN.scope], 2)) == [keys[5], keys[3]]
        assert await store.read(lambda tx: tx.index.recent("memos", ["user:nobody"], 2)) == []
        assert await store.read(lambda tx: tx.index.recent("memos", [], 2)) == []

    async def test_recent_leaves_out_what_is_retired(self, store: Store):
        memo = make_memo("old news")
        await put(store, memo)
        await put(store, replace(memo, status=Status.SUPERSEDED))
        assert await store.read(lambda tx: tx.index.recent("memos", [ADA.scope], 9)) == []

    async def test_recent_messages_of_a_stream_include_its_threads(self, store: Store):
        keys = await say(store, make_message("a", id="a", seconds=1), make_message("b", THREAD, 2, id="b"))
        recent = await store.read(lambda tx: tx.index.recent("messages", [CHANNEL.stream], 9))
        assert recent == [keys["b"], keys["a"]]

    async def test_recent_messages_go_by_time_not_by_arrival(self, store: Store):
        keys = await say(
            store,
            *(make_message(f"live {n}", id=f"live {n}", seconds=100 + n) for n in range(3)),
            *(make_message(f"imported {n}", id=f"imported {n}", seconds=n) for n in range(3)),
        )
        recent = await store.read(lambda tx: tx.index.recent("messages", [CHANNEL.stream], 3))
        assert recent == [keys["live 2"], keys["live 1"], keys["live 0"]]

    async def test_words_of_other_languages_are_found_in_their_other_forms(self, store: Store):
        texts = ("Hat zwei Katzen und einen Hund", "Mis hermanas viven en Sevilla", "Has two dogs")
        await put(store, *map(make_memo, texts))
        assert (await find(store, "welche Katze hat sie und wo"))[0] == texts[0]
        assert (await find(store, "qué hermana mía y dónde"))[0] == texts[1]
        assert await find(store, "dog") == [texts[2]]

    async def test_a_rarer_word_counts_for_more(self, store: Store):
        await put(store, *(make_memo(f"likes tea number{n}") for n in range(8)), make_memo("likes zebras"))
        assert (await find(store, "likes tea zebras"))[0] == "likes zebras"

    async def test_more_matching_words_count_for_more(self, store: Store):
        await put(store, make_memo("red car"), make_memo("red house"), make_memo("red fast car"))
        assert (await find(store, "fast red car"))[0] == "red fast car"

    async def test_a_hit_says_which_words_it_has_and_how_many_rows_have_them(self, store: Store):
        keys = await put(store, make_memo("red car, RED cars"), make_memo("red house"), make_memo("green tree"))
        hits = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["red", "car", "no"], 9))
        assert [hit.key for hit in hits] == keys[:2]
        assert hits[0].parts == {"red": 2, "car": 1}
        assert hits[1].parts == {"red": 2}
        assert hits[0].score > hits[1].score > 0

    async def test_a_word_that_every_row_has_still_finds_them(self, store: Store):
        await put(store, make_memo("tea"))
        assert await find(store, "tea") == ["tea"]
        await put(store, make_memo("more tea"))
        assert set(await find(store, "tea")) == {"tea", "more tea"}

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("JWT tokens with 24h expiration", "JWT expiration"),
            ("She was running marathons", "run marathon"),
            ("Loves cats", "cat"),
            ("Lives in 東京タワーの近くに住んでいます", "東京"),
            ("我喜欢喝绿茶", "绿茶"),
            ("저는 서울에 살아요", "서울"),
            ("Живёт в Москве", "москве"),
            ("Meets at the café", "cafe"),
            ("Meets at the cafe", "CAFÉ"),
            ("Straße", "STRASSE"),
            ("ﬁne ＷＩＤＥ letters", "fine wide"),
            ("Writes C++ at work", "c++"),
            ("Writes C# at home", "C#"),
            ("Prefers Go", "go"),
            ("Don't call her Bob", "dont"),
            ("Version 3.12 of Python", "3.12"),
        ],
    )
    async def test_words_are_found_in_any_script_and_form(self, store: Store, text: str, query: str):
        await put(store, make_memo(text), make_memo("nothing of the sort"))
        assert await find(store, query) == [text]

    async def test_cpp_and_csharp_are_not_c(self, store: Store):
        await put(store, make_memo("knows C++"), make_memo("knows C#"), make_memo("knows C"))
        assert [await find(store, query) for query in ("C++", "C#", "C")] == [
            ["knows C++"],
            ["knows C#"],
            ["knows C"],
        ]

    async def test_tags_are_words_too(self, store: Store):
        await put(store, make_memo("likes it", tags=("gardening", "space travel")))
        assert await find(store, "gardening") == ["likes it"]
        assert await find(store, "travel") == ["likes it"]
        await put(store, make_memo("likes it", tags=("cooking",)))
        assert await find(store, "gardening") == []
        assert await find(store, "cooking") == ["likes it"]

    @pytest.mark.parametrize("query", HOSTILE, ids=lambda query: ascii(query[:12]))
    async def test_any_text_is_a_safe_query(self, store: Store, query: str):
        await put(store, make_memo("likes tea"), make_memo("hidden tea", BEN))
        assert await find(store, query) in ([], ["likes tea"])

        def raw(tx: Tx) -> list[Memo]:
            terms = [query, query[:60], f'{query}" OR "tea']
            keys = [hit.key for hit in tx.index.words("memos", [ADA.scope], terms, 9)]
            return list(tx.memos.fetch(keys).values())

        assert all(memo.subject == ADA for memo in await store.read(raw))

    @pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
    async def test_any_text_can_be_stored_and_is_found_by_its_words(self, store: Store, text: str):
        await put(store, make_memo(text, id="a"), make_memo("nothing of the sort"))
        await say(store, make_message(text, id="a"))
        stored = await store.read(lambda tx: tx.memos.get(ADA, "a"))
        assert stored is not None
        expected = [stored.text] if query_words(text) else []
        assert await find(store, text) == expected
        assert await find(store, text, [CHANNEL.stream], "messages") == expected
        assert all(finding.ok for finding in await store.check_health())

    async def test_a_search_stays_in_its_scopes(self, store: Store):
        await put(store, make_memo("tea for ada"), make_memo("tea for ben", BEN), make_memo("tea lore", GUILD_LORE))
        await say(store, make_message("tea said"), make_message("tea elsewhere", OTHER))
        assert await find(store, "tea") == ["tea for ada"]
        assert set(await find(store, "tea", [ADA.scope, GUILD_LORE.scope])) == {"tea for ada", "tea lore"}
        assert await find(store, "tea", ["user:nobody"]) == []
        assert await find(store, "tea", []) == []
        assert await find(store, "tea", [OTHER.stream], "messages") == ["tea elsewhere"]

    async def test_no_term_reaches_another_scope(self, store: Store):
        await put(store, *(make_memo("secret", replace(ADA, id=f"{n}")) for n in range(20)))
        terms = [f'x" OR "{n}xsecret' for n in range(40)] + [f"{n}xsecret" for n in range(40)]
        assert await store.read(lambda tx: tx.index.words("memos", ["user:99"], terms, 9)) == []
        hits = await store.read(lambda tx: tx.index.words("memos", ["user:1"], ["secret", *terms], 99))
        assert len(hits) == 1

    async def test_weights_are_those_of_the_scope_not_of_the_whole_store(self, store: Store):
        await put(store, make_memo("rust"), make_memo("tea"), make_memo("milk"))
        alone = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["rust"], 9))
        await put(store, *(make_memo(f"rust {n}", BEN) for n in range(50)))
        crowded = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["rust"], 9))
        assert [hit.key for hit in crowded] == [hit.key for hit in alone]
        assert crowded[0].score == pytest.approx(alone[0].score, rel=0.5)

    @pytest.mark.parametrize("status", [status for status in Status if status is not Status.ACTIVE])
    async def test_a_retired_memo_is_not_found_and_a_revived_one_is(self, store: Store, status: Status):
        memo = make_memo("likes tea")
        await put(store, memo, make_memo("likes tea too", id="never", status=status))
        await put(store, replace(memo, status=status))
        assert await find(store, "tea") == []
        assert await store.read(lambda tx: tx.index.size([ADA.scope])) == 0
        await put(store, memo)
        assert await find(store, "tea") == ["likes tea"]
        assert await store.read(lambda tx: tx.index.size([ADA.scope])) == 1

    async def test_of_a_word_that_many_rows_have_the_newest_are_read_if_there_is_a_rarer_one(self, store: Store):
        old = make_memo("likes tea")
        await put(store, old, *(make_memo(f"likes thing{number}") for number in range(9)))

        def found(tx: Tx, *terms: str) -> list[str]:
            hits = tx.index.words("memos", [ADA.scope], terms, 99, max_rows=5)
            memos = tx.memos.fetch([hit.key for hit in hits])
            return [memos[hit.key].text for hit in hits]

        newest = [f"likes thing{number}" for number in (8, 7, 6, 5, 4)]
        assert await store.read(lambda tx: found(tx, "likes", "tea")) == ["likes tea", *newest]
        assert len(await store.read(lambda tx: found(tx, "likes"))) == 10, "no rarer word tells them apart"

    async def test_an_old_row_is_found_by_words_that_are_common_one_by_one(self, store: Store):
        old = make_memo("green tea")
        others = [make_memo(f"{word} thing{number}") for number in range(9) for word in ("green", "tea")]
        await put(store, old, *others)

        def best(tx: Tx) -> int:
            return tx.index.words("memos", [ADA.scope], ["green", "tea"], 1, max_rows=5)[0].key

        key = await store.read(best)
        assert await store.read(lambda tx: tx.memos.fetch([key])[key].text) == "green tea"

    async def test_a_search_in_the_same_unit_sees_what_it_wrote(self, store: Store):
        memo = make_memo("likes tea")

        def work(tx: Tx) -> list[int]:
            counts: list[int] = []

            def count() -> None:
                counts.append(len(tx.index.words("memos", [ADA.scope], ["tea"], 9)))

            tx.memos.put(memo)
            count()
            tx.memos.put(replace(memo, text="likes milk"))
            count()
            tx.memos.put(memo)
            count()
            tx.memos.remove(memo)
            count()
            tx.messages.add(make_message("tea", id="1"))
            counts.append(len(tx.index.words("messages", [CHANNEL.stream], ["tea"], 9)))
            tx.messages.delete("discord", "1", at(1))
            counts.append(len(tx.index.words("messages", [CHANNEL.stream], ["tea"], 9)))
            return counts

        assert await store.write(work) == [1, 0, 1, 0, 1, 0]

    async def test_searches_between_many_writes_of_a_unit_find_what_a_search_after_them_finds(self, store: Store):
        drinks = ["green tea", "grüner Tee", "お茶が好き", "O'Brien's coffee", "C++ and tea"]
        memos = [make_memo(f"{drinks[number % 5]} {number}", id=f"m{number}") for number in range(100)]
        await put(store, *memos)

        def found(tx: Tx) -> list[object]:
            queries = (query_words(f"{drink} {number}") for drink in drinks for number in (3, 7, 40, 41, 77))
            return [tx.index.words("memos", [ADA.scope], terms, 12) for terms in queries]

        def work(tx: Tx) -> list[object]:
            for number, memo in enumerate(memos):
                if number % 7 == 0:
                    tx.memos.put(replace(memo, text=f"cocoa and green tea {number}", tags=("coffee",)))
                elif number % 11 == 0:
                    tx.memos.put(replace(memo, status=Status.DEPRECATED))
                elif number % 13 == 0:
                    tx.memos.remove(memo)
                tx.index.words("memos", [ADA.scope], ["tea"], 12)
            return found(tx)

        assert await store.write(work) == await store.read(found)
        with pytest.raises(ZeroDivisionError):
            await store.write(lambda tx: [*work(tx), 1 / 0])
        assert await store.write(found) == await store.read(found)

    async def test_a_search_can_be_narrowed_to_some_rows(self, store: Store):
        first, second, _ = await put(store, make_memo("tea one"), make_memo("tea two"), make_memo("tea three"))
        hits = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["tea"], 9, {first, second}))
        assert {hit.key for hit in hits} == {first, second}
        assert await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["tea"], 9, set())) == []

    async def test_at_most_limit_rows_are_found(self, store: Store):
        await put(store, *(make_memo(f"tea {n}") for n in range(20)))
        assert len(await find(store, "tea", limit=7)) == 7
        assert await find(store, "tea", limit=0) == []

    async def test_size_counts_the_living_rows_of_the_scopes(self, store: Store):
        await put(store, make_memo("a"), make_memo("b"), make_memo("c", BEN))
        await say(store, make_message("d", id="d"), make_message("e", id="e"), make_message("f", THREAD))
        await store.write(lambda tx: tx.messages.delete("discord", "d", at(1)))

        async def size(*scopes: str) -> int:
            return await store.read(lambda tx: tx.index.size(scopes))

        assert [await size(ADA.scope), await size(ADA.scope, BEN.scope), await size()] == [2, 3, 0]
        assert [await size(CHANNEL.stream), await size("user:nobody")] == [2, 0]

    async def test_a_word_of_thousands_of_rows_finds_the_newest_and_those_asked_for(self, store: Store):
        keys = await put(store, *(make_memo(f"tea number{n}") for n in range(5_000)))

        async def search(candidates: set[int] | None, *terms: str) -> set[int]:
            hits = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], terms, 10, candidates))
            return {hit.key for hit in hits}

        assert await search(None, "tea") == set(keys[-10:])
        assert await search(set(keys[-3:]), "tea") == set(keys[-3:])
        assert await search(set(keys[:3]), "tea", "number1") == set(keys[:3])

    async def test_a_scope_named_twice_counts_once(self, store: Store):
        await put(store, make_memo("tea"))
        twice = [ADA.scope, ADA.scope]
        (hit,) = await store.read(lambda tx: tx.index.words("memos", twice, ["tea"], 9))
        assert hit.parts == {"tea": 1}
        assert await store.read(lambda tx: tx.index.size(twice)) == 1
        assert len(await store.read(lambda tx: tx.index.recent("memos", twice, 9))) == 1

    async def test_the_texture_of_a_scope_comes_from_its_newest_rows(self, store: Store):
        await say(
            store,
            make_message("long ago someone else said a lot", author="old", name="Old"),
            make_message("three words here", seconds=1, author="ada", name="Ada"),
            make_message("two words", seconds=2, author="ben", name="Ben"),
        )
        sample = await store.read(lambda tx: tx.index.sample("messages", [CHANNEL.stream], 2))
        assert (sample.size, sorted(sample.lengths)) == (3, [2, 3])
        assert sample.speakers == {"ada": "Ada", "ben": "Ben"}
        await store.write(
            lambda tx: tx.messages.edit("discord", make_message("two words").id, "now four words long", at(3))
        )
        edited = await store.read(lambda tx: tx.index.sample("messages", [CHANNEL.stream], 2))
        assert sorted(edited.lengths) == [3, 4]
        nothing = await store.read(lambda tx: tx.index.sample("messages", ["nowhere"], 2))
        assert (nothing.size, list(nothing.lengths), dict(nothing.speakers)) == (0, [], {})

    async def test_a_large_scope_is_searched_as_well_as_a_small_one(self, store: Store):
        common = [make_memo(f"common talk number{n}", updated=at(n)) for n in range(3_500)]
        await put(store, *common, make_memo("common talk of zebras"), make_memo("zebras", BEN))
        assert (await find(store, "common talk of zebras"))[0] == "common talk of zebras"
        assert await find(store, "zebras") == ["common talk of zebras"]
        assert await find(store, "number17") == ["common talk number17"]
        assert len(await find(store, "common")) == 10
        assert len(await find(store, "common talk", limit=50)) == 50
        assert await find(store, "zebras", ["user:nobody"]) == []
