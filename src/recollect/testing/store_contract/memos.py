"""Durable memos: stored by subject and id, whole, and the tombstones of forgotten ones."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect.core.ports import Store
from recollect.core.types import Audience, Kind, Memo, Origin, Provenance, Status, Subject, Tombstone
from recollect.testing.store_contract.samples import ADA, BEN, GUILD_LORE, at, find, make_memo, put, texts_of

FULL = Memo(
    id="durable-full",
    subject=ADA,
    kind=Kind.PROJECT,
    text="Building a compiler in Rust 🦀 – «слово»",
    created=datetime(2024, 2, 29, 23, 59, 59, 999_000, UTC),
    updated=datetime(2024, 3, 1, 0, 0, 0, 1_000, UTC),
    source=Provenance(
        origin=Origin.DISCORD,
        actor="ada",
        platform="discord",
        guild="g",
        channel="c",
        channel_name="général",
        thread="t",
        message="m",
        evidence='I\'m "building" a compiler\nin Rust',
        trace="job 7",
        metadata={"n": 1, "deep": {"list": [1, 2.5, None, True, "ü"]}, "empty": {}},
    ),
    audience=Audience("channel", "c", "g"),
    tags=("rust", "compilers", "émigré", "a b"),
    status=Status.ACTIVE,
    confidence=0.8125,
    pinned=True,
    label="profile",
    happened=datetime(1969, 7, 20, 20, 17, 40, 123_000, UTC),
    expires=datetime(2100, 1, 1, 0, 0, 0, 7_000, UTC),
    supersedes="durable-old",
    superseded_by="durable-new",
    hits=41,
    version=7,
)


def memo_from(text: str, message: str | None, subject: Subject = ADA, platform: str = "discord") -> Memo:
    return make_memo(text, subject, source=Provenance(Origin.DISCORD, "ada", platform, message=message))


async def texts_from_message(store: Store, message: str, platform: str = "discord") -> list[str]:
    return sorted(memo.text for memo in await store.read(lambda tx: tx.memos.from_message(platform, message)))


class MemosContract:
    async def test_memos_of_anyone_and_of_any_status_are_found_by_the_message_they_rest_on(self, store: Store):
        deleted = replace(memo_from("gone", "m1", BEN), status=Status.DELETED)
        await put(store, FULL, memo_from("likes tea", "m1"), memo_from("rule", "m1", GUILD_LORE), deleted)
        await put(store, memo_from("other", "m2"), memo_from("none", None), make_memo("stated"))
        assert await texts_from_message(store, "m1") == ["gone", "likes tea", "rule"]
        (whole,) = await store.read(lambda tx: tx.memos.from_message("discord", "m"))
        assert replace(whole, key=0) == FULL
        assert await texts_from_message(store, "m3") == []

    async def test_a_message_of_another_platform_is_another_one(self, store: Store):
        await put(store, memo_from("there", "m1"), memo_from("here", "m1", platform="local"))
        assert await texts_from_message(store, "m1") == ["there"]
        assert await texts_from_message(store, "m1", "local") == ["here"]
        assert await texts_from_message(store, "m1", "irc") == []

    async def test_a_revised_memo_rests_on_the_message_of_its_present_words(self, store: Store):
        await put(store, replace(memo_from("likes tea", "m1"), id="1"))
        await put(store, replace(memo_from("likes green tea", "m2"), id="1"))
        assert await texts_from_message(store, "m1") == []
        assert await texts_from_message(store, "m2") == ["likes green tea"]
        await put(store, make_memo("stated by hand", id="1"))
        assert await texts_from_message(store, "m2") == []

    async def test_a_removed_memo_rests_on_nothing(self, store: Store):
        memo = memo_from("likes tea", "m1")
        await put(store, memo)
        await store.write(lambda tx: tx.memos.remove(memo))
        assert await texts_from_message(store, "m1") == []

    async def test_pinned_memos_and_constraints_are_standing_as_long_as_they_are_active(self, store: Store):
        pinned = replace(make_memo("pinned"), pinned=True)
        rule = replace(make_memo("no nuts"), kind=Kind.CONSTRAINT)
        retired = replace(make_memo("no fish"), kind=Kind.CONSTRAINT, status=Status.DEPRECATED)
        await put(store, make_memo("plain"), pinned, rule, retired, make_memo("of another", BEN))
        standing = await store.read(lambda tx: tx.memos.always_relevant(ADA))
        assert {memo.text for memo in standing} == {"pinned", "no nuts"}
        assert await store.read(lambda tx: tx.memos.always_relevant(BEN)) == []

    async def test_every_field_of_a_memo_survives_to_the_millisecond(self, store: Store):
        (key,) = await put(store, FULL)
        stored = replace(FULL, key=key)
        assert key > 0
        assert await store.read(lambda tx: tx.memos.get(ADA, FULL.id)) == stored
        assert await store.read(lambda tx: tx.memos.fetch([key])) == {key: stored}
        assert await store.read(lambda tx: tx.memos.texts([key, 999_999])) == {key: FULL.text}
        assert await store.read(lambda tx: tx.memos.list(ADA)) == [stored]
        assert await store.read(lambda tx: tx.memos.same_text(ADA, FULL.text)) == [stored]

    async def test_a_memo_with_defaults_survives(self, store: Store):
        for subject in (ADA, GUILD_LORE):
            memo = make_memo("plain", subject)
            (key,) = await put(store, memo)
            assert await store.read(lambda tx, memo=memo: tx.memos.get(memo.subject, memo.id)) == replace(memo, key=key)
            assert (await store.read(lambda tx, k=key: tx.memos.fetch([k])))[key].subject == subject

    @pytest.mark.parametrize("audience", ["everywhere", "dm:ada", "guild:g", "channel:g/c", "channel:/c"])
    async def test_every_audience_survives(self, store: Store, audience: str):
        memo = make_memo("said", audience=Audience.parse(audience))
        await put(store, memo)
        stored = await store.read(lambda tx: tx.memos.get(ADA, memo.id))
        assert stored is not None
        assert stored.audience == Audience.parse(audience)

    async def test_a_time_of_another_zone_is_the_same_moment(self, store: Store):
        noon = datetime(2025, 6, 1, 12, tzinfo=timezone(timedelta(hours=9)))
        await put(store, make_memo("zoned", created=noon, updated=noon, happened=noon))
        (stored,) = await store.read(lambda tx: tx.memos.list(ADA))
        assert (stored.created, stored.updated, stored.happened) == (noon, noon, noon)

    async def test_a_memo_of_the_same_subject_and_id_is_replaced(self, store: Store):
        first = make_memo("likes tea", id="a")
        second = make_memo("likes coffee", id="a", updated=at(5), hits=3, tags=("drink",))
        keys = [*(await put(store, first)), *(await put(store, second))]
        assert keys[0] == keys[1]
        assert await store.read(lambda tx: tx.memos.get(ADA, "a")) == replace(second, version=2, key=keys[0])
        assert await store.read(lambda tx: tx.memos.count(ADA)) == 1
        assert await find(store, "tea") == []
        assert await find(store, "coffee") == ["likes coffee"]

    async def test_a_memo_that_is_put_again_has_a_higher_version_than_before(self, store: Store):
        async def version() -> int:
            (stored,) = await store.read(lambda tx: tx.memos.list(ADA))
            return stored.version

        memo = make_memo("likes tea", version=3)
        (key,) = await put(store, memo)
        assert await version() == 3
        await put(store, memo)
        assert await version() == 4, "even if its writer knows no better"
        await put(store, replace(memo, version=9))
        assert await version() == 9
        await store.write(lambda tx: tx.memos.count_use([key], at(9)))
        assert await version() == 9, "using a memo does not change it"

    async def test_the_same_id_of_another_subject_is_another_memo(self, store: Store):
        await put(store, make_memo("hers", ADA, id="a"), make_memo("his", BEN, id="a"))
        await put(store, make_memo("ours", GUILD_LORE, id="a"))
        assert [await texts_of(store, subject) for subject in (ADA, BEN, GUILD_LORE)] == [
            ["hers"],
            ["his"],
            ["ours"],
        ]

    async def test_an_unknown_memo_reads_as_none(self, store: Store):
        assert await store.read(lambda tx: tx.memos.get(ADA, "none")) is None
        await put(store, make_memo("something"))
        assert await store.read(lambda tx: tx.memos.get(ADA, "none")) is None
        assert await store.read(lambda tx: tx.memos.get(BEN, "none")) is None
        assert await store.read(lambda tx: tx.memos.fetch([999_999])) == {}
        assert await store.read(lambda tx: tx.memos.list(BEN)) == []
        assert await store.read(lambda tx: tx.memos.count(BEN)) == 0
        assert await store.read(lambda tx: tx.memos.same_text(BEN, "something")) == []

    @pytest.mark.parametrize("text", ["LIKES   café.", " likes cafe\u0301!", "likes\ncafe", "Likes Cafe"])
    async def test_texts_that_differ_in_case_space_accents_or_end_are_the_same(self, store: Store, text: str):
        await put(store, make_memo("Likes café"), make_memo("Likes cafés"), make_memo("Likes café", BEN))
        same = await store.read(lambda tx: tx.memos.same_text(ADA, text))
        assert [(memo.subject, memo.text) for memo in same] == [(ADA, "Likes café")]

    async def test_the_same_text_is_found_in_any_status(self, store: Store):
        memos = [make_memo("x", id=status.value, status=status) for status in Status]
        await put(store, *memos, make_memo("y"))
        same = await store.read(lambda tx: tx.memos.same_text(ADA, "X"))
        assert {memo.status for memo in same} == set(Status)

    async def test_a_revised_text_no_longer_counts_as_the_old_one(self, store: Store):
        await put(store, make_memo("old", id="a"))
        await put(store, make_memo("new", id="a"))
        assert await store.read(lambda tx: tx.memos.same_text(ADA, "old")) == []
        assert len(await store.read(lambda tx: tx.memos.same_text(ADA, "new"))) == 1

    async def test_memos_are_listed_newest_first_and_page_by_page(self, store: Store):
        await put(store, *(make_memo(f"{n}", updated=at(n % 5 * 10 + n)) for n in range(20)))
        everything = await texts_of(store)
        assert everything == sorted(map(str, range(20)), key=lambda text: -(int(text) % 5 * 10 + int(text)))
        pages: list[str] = []
        for offset in range(0, 24, 6):
            page = await store.read(lambda tx, o=offset: tx.memos.list(ADA, limit=6, offset=o))
            pages += [memo.text for memo in page]
        assert pages == everything
        assert await store.read(lambda tx: tx.memos.list(ADA, limit=0)) == []

    async def test_memos_of_one_moment_are_listed_by_the_last_written(self, store: Store):
        await put(store, *(make_memo(text) for text in "abc"))
        assert await texts_of(store) == ["c", "b", "a"]

    @pytest.mark.parametrize("statuses", [[Status.ACTIVE], [Status.ARCHIVED], [Status.ACTIVE, Status.DELETED]])
    async def test_memos_are_listed_and_counted_by_status(self, store: Store, statuses: list[Status]):
        await put(store, *(make_memo(f"{status} {n}", status=status) for status in Status for n in range(2)))
        listed = await store.read(lambda tx: tx.memos.list(ADA, statuses))
        assert sorted(memo.status for memo in listed) == sorted(statuses * 2)
        assert await store.read(lambda tx: tx.memos.count(ADA, statuses)) == len(statuses) * 2
        assert await store.read(lambda tx: tx.memos.count(ADA)) == len(Status) * 2

    async def test_touch_counts_one_use_of_each(self, store: Store):
        first, second = await put(store, make_memo("a"), make_memo("b", hits=5))
        await store.write(lambda tx: tx.memos.count_use([first, second, 999_999], at(9)))
        await store.write(lambda tx: tx.memos.count_use([first], at(9)))
        await store.write(lambda tx: tx.memos.count_use([], at(9)))
        memos = await store.read(lambda tx: tx.memos.fetch([first, second]))
        assert (memos[first].hits, memos[second].hits) == (2, 6)
        assert memos[first].updated == make_memo("a").updated

    async def test_one_unit_may_touch_memos_of_very_many_people(self, store: Store):
        keys = await put(store, *(make_memo("likes tea", Subject(f"u{number}")) for number in range(2_500)))
        await store.write(lambda tx: tx.memos.count_use(keys, at(9)))
        memos = await store.read(lambda tx: tx.memos.fetch(keys))
        assert [memo.hits for memo in memos.values()] == [1] * 2_500

    async def test_a_removed_memo_is_gone_everywhere(self, store: Store):
        memo, other = make_memo("likes tea", id="a"), make_memo("likes coffee", id="b")
        key, _ = await put(store, memo, other)
        await store.write(lambda tx: tx.memos.remove(memo))
        assert await store.read(lambda tx: tx.memos.get(ADA, "a")) is None
        assert await store.read(lambda tx: tx.memos.fetch([key])) == {}
        assert await store.read(lambda tx: tx.memos.same_text(ADA, "likes tea")) == []
        assert await find(store, "likes tea") == ["likes coffee"]
        assert await texts_of(store) == ["likes coffee"]
        await store.write(lambda tx: tx.memos.remove(memo))
        assert await texts_of(store) == ["likes coffee"]

    async def test_a_retired_memo_can_be_removed_and_a_removed_one_put_again(self, store: Store):
        memo = make_memo("likes tea")
        await put(store, memo)
        await put(store, replace(memo, status=Status.DEPRECATED))
        await store.write(lambda tx: tx.memos.remove(memo))
        assert await texts_of(store) == []
        await put(store, memo)
        assert await find(store, "tea") == ["likes tea"]
        assert all(finding.ok for finding in await store.check_health())

    async def test_subjects_are_those_with_memos(self, store: Store):
        assert await store.read(lambda tx: list(tx.memos.subjects())) == []
        memo, odd = make_memo("a"), make_memo("b", Subject("user:%_x/é"))
        await put(store, memo, odd, make_memo("c", GUILD_LORE))
        subjects = await store.read(lambda tx: list(tx.memos.subjects()))
        assert set(subjects) == {ADA, odd.subject, GUILD_LORE}
        assert len(subjects) == 3
        await store.write(lambda tx: tx.memos.remove(memo))
        assert ADA not in await store.read(lambda tx: list(tx.memos.subjects()))

    async def test_a_tombstone_lasts_until_it_is_removed(self, store: Store):
        stone = Tombstone(ADA.scope, "print", at(1.5))
        assert await store.read(lambda tx: tx.memos.tombstone(ADA.scope, "print")) is None
        await store.write(lambda tx: tx.memos.add_tombstone(stone))
        assert await store.read(lambda tx: tx.memos.tombstone(ADA.scope, "print")) == stone
        assert await store.read(lambda tx: tx.memos.tombstone(BEN.scope, "print")) is None
        assert await store.read(lambda tx: tx.memos.tombstone(ADA.scope, "other")) is None
        await store.write(lambda tx: tx.memos.add_tombstone(replace(stone, at=at(2))))
        assert await store.read(lambda tx: tx.memos.tombstone(ADA.scope, "print")) == replace(stone, at=at(2))
        await store.write(lambda tx: tx.memos.remove_tombstone(ADA.scope, "print"))
        await store.write(lambda tx: tx.memos.remove_tombstone(ADA.scope, "print"))
        assert await store.read(lambda tx: tx.memos.tombstone(ADA.scope, "print")) is None

    async def test_a_memo_of_any_characters_is_kept(self, store: Store):
        wild = "wild \x00 \ud800 \U0001f98a"
        memo = replace(
            FULL,
            text=wild,
            tags=(wild,),
            label=wild,
            source=replace(FULL.source, evidence=wild, metadata={wild: [wild]}, channel=wild, guild=wild),
        )
        await put(store, memo)
        (stored,) = await store.read(lambda tx: tx.memos.list(ADA))
        for text in (stored.text, stored.tags[0], stored.label, stored.source.evidence, stored.source.guild):
            assert text is not None
            assert text.startswith("wild ")
            assert text.endswith(" \U0001f98a")
        await put(store, stored)
        again = replace(stored, version=stored.version + 1)
        assert await store.read(lambda tx: tx.memos.list(ADA)) == [again]
        assert await find(store, "wild") == [stored.text]

    async def test_owners_are_listed_by_a_part_of_their_id(self, store: Store):
        await put(store, make_memo("Likes tea"), make_memo("Likes milk"), make_memo("Lives in Graz", subject=BEN))
        await put(store, make_memo("Ships on Fridays", subject=GUILD_LORE))
        await put(store, make_memo("Forgotten", subject=Subject("Cem"), status=Status.DEPRECATED))

        async def holders(part: str = "", after: str = "", limit: int = 100, lore: bool = False):
            return await store.read(lambda tx: tx.memos.owners(part, after, limit, lore))

        assert await holders() == [(ADA, 2), (BEN, 1)]
        assert await holders(limit=1) == [(ADA, 2)]
        assert await holders(after=ADA.scope) == [(BEN, 1)]
        assert await holders(part=BEN.id[1:].upper()) == [(BEN, 1)]
        assert await holders(part="user") == []
        assert await holders(part="%") == []
        assert await holders(lore=True) == [(GUILD_LORE, 1)]

    async def test_people_are_found_by_where_their_memos_come_from(self, store: Store):
        noted = Provenance(metadata={"added": ["&agent=x&", "\u2026"]})
        await put(store, make_memo("One", source=Provenance(channel="travel", thread="r1")))
        await put(store, make_memo("Two", BEN, source=Provenance(channel="travel"), status=Status.ARCHIVED))
        await put(store, make_memo("Three", BEN, source=noted))
        await put(store, make_memo("Four", Subject("Cem"), source=Provenance(channel="travel", guild="guild-1")))
        await put(store, make_memo("Five", GUILD_LORE, source=Provenance(channel="travel")))

        async def people(**place: str) -> list[Subject]:
            return list(await store.read(lambda tx: tx.memos.owners_in(**place)))

        assert await people(channel="travel") == [ADA, BEN]
        assert await people(thread="r1") == [ADA]
        assert await people(noted="&agent=x&") == [BEN]
        assert await people(thread="r1", noted="&agent=x&") == [ADA, BEN]
        assert await people(channel="trav") == await people(thread="travel") == await people() == []

    async def test_rows_in_use_are_counted_over_all_scopes(self, store: Store):
        assert await store.read(lambda tx: tx.index.row_counts()) == {"memos": 0, "messages": 0}
        await put(store, make_memo("Likes tea"), make_memo("Ships on Fridays", subject=GUILD_LORE))
        await put(store, make_memo("Forgotten", status=Status.DEPRECATED))
        assert await store.read(lambda tx: tx.index.row_counts()) == {"memos": 2, "messages": 0}
