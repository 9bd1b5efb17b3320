"""What people do to the pages comes back into memory: edits, new pages, deletions, and what is none of them."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import Refused
from recollect.core.reasons import Reason
from recollect.core.types import Kind, Origin, Place, Status
from recollect.testing.clock import START
from tests.scenes import DEV
from tests.transfer.mirror.filing import Desk, filing, told

TEA = "preference/2025-03-01-i-prefer-tea.md"


async def with_tea(desk: Desk) -> str:
    memo = await desk.stage.remember("I prefer tea", tags=["drinks"])
    await desk.keep()
    assert desk.pages == [TEA]
    return memo.id


async def test_an_edit_is_a_revision_with_its_history_and_is_found_by_the_search(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        desk.edit(TEA, "I prefer tea", "I prefer green tea, **always** [[Tea]]")
        assert told(await desk.take_over()) == [("changed", TEA)]
        memo = await desk.memory.get(memo_id, user="ann")
        assert memo.text == "I prefer green tea, **always** [[Tea]]"
        assert (memo.source.origin, memo.source.trace) == (Origin.MANUAL, f"file {TEA}")
        assert [event.kind for event in await desk.memory.history(memo_id, user="ann")] == [
            "memo.revised",
            "memo.added",
        ]
        found = await desk.memory.search("green", user="ann")
        assert [one.item for one in found] == [memo]
        await desk.memory.undo(user="discord:ann")
        await desk.keep()
        assert "I prefer tea\n" in desk.read(TEA)


async def test_unchanged_pages_cause_no_changes(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        await desk.stage.remember("猫が好き", "I live in Rome", user="bob")
        await desk.stage.remember("The build is called Nightly", lore=True)
        assert told(await desk.take_over()) == []
        events = await desk.memory.log(limit=100)
        assert told(await desk.take_over()) == []
        assert await desk.memory.log(limit=100) == events


async def test_an_edit_is_taken_over_once(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.edit(TEA, "I prefer tea", "I prefer green tea")
        await desk.take_over()
        assert told(await desk.take_over()) == []
        assert "updated_at: 2025-03-01T12:02:00Z" in desk.read(TEA)


async def test_how_a_person_lays_out_a_page_stays_while_its_words_do(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        body = "\n# Tea\n\n- green\n- [[Oolong]] #drinks\n\n> and more\n"
        text = (
            desk.read(TEA)
            .replace("\nI prefer tea\n", body)
            .replace("---\n\n", "aliases: [brew]  # mine\ncssclasses:\n  - wide\npublish: true\n---\n\n")
        )
        desk.write(TEA, text)
        assert told(await desk.take_over()) == [("changed", TEA)]
        memo = await desk.memory.get(memo_id, user="ann")
        assert memo.text == "# Tea - green - [[Oolong]] #drinks > and more"
        await desk.memory.update(memo_id, tags=["leaf"], user="discord:ann")
        await desk.keep()
        page = desk.read(TEA)
        assert "keywords: [leaf]" in page
        assert page.endswith(f"---\n{body}")
        assert "aliases: [brew]  # mine\ncssclasses:\n  - wide\npublish: true\n" in page
        await desk.memory.update(memo_id, "I prefer oolong", user="discord:ann")
        await desk.keep()
        assert desk.read(TEA).endswith("publish: true\n---\n\nI prefer oolong\n")
        assert desk.read(f"{TEA}.kept-1") == page


async def test_keywords_and_category_can_be_edited_too(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo = await desk.stage.remember("We are building a boat", kind="project", tags=["sea"])
        await desk.keep()
        page = "fact/2025-03-01-we-are-building-a-boat.md"
        desk.edit(page, "keywords: [sea]", "keywords:\n  - Wood\n  - sails")
        await desk.take_over()
        after = await desk.memory.get(memo.id, user="ann")
        assert (after.kind, after.tags, after.text) == (Kind.PROJECT, ("wood", "sails"), memo.text)
        desk.edit(page, "category: fact", "category: event")
        assert told(await desk.take_over()) == [("changed", page)]
        after = await desk.memory.get(memo.id, user="ann")
        assert after.kind is Kind.EVENT
        assert desk.pages == ["event/2025-03-01-we-are-building-a-boat.md"]
        assert told(await desk.take_over()) == []


async def test_a_page_that_is_dragged_to_another_category_changes_it(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        (desk.folder / "fact").mkdir()
        (desk.folder / TEA).rename(desk.folder / "fact" / "tea.md")
        assert told(await desk.take_over()) == [("changed", "fact/tea.md")]
        assert (await desk.memory.get(memo_id, user="ann")).kind is Kind.FACT
        assert desk.pages == ["fact/tea.md"]
        assert "category: fact" in desk.read("fact/tea.md")


async def test_a_new_page_is_remembered_and_gets_its_id(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.write(
            "fact/My Note.md",
            "---\ncategory: fact\ncreated_at: 2024-01-15T10:30:00Z\nkeywords: [home]\n---\nI live in Rome\n",
        )
        desk.write("event/plain.md", "Moved house")
        report = await desk.take_over()
        assert told(report) == [("new", "event/plain.md"), ("new", "fact/My Note.md")]
        shown = {memo.text: memo for memo in (await desk.memory.show(user="ann")).memos}
        rome = shown["I live in Rome"]
        assert (rome.tags, rome.kind, rome.label) == (("home",), Kind.FACT, "fact")
        assert rome.created == START.replace(year=2024, month=1, day=15, hour=10, minute=30)
        assert shown["Moved house"].kind is Kind.EVENT
        assert f"id: {rome.id}\n" in desk.read("fact/My Note.md")
        assert "created_at: 2024-01-15T10:30:00Z\n" in desk.read("fact/My Note.md")
        assert desk.read("event/plain.md").endswith("---\nMoved house")
        assert told(await desk.take_over()) == []
        assert sorted(desk.pages) == ["event/plain.md", "fact/My Note.md", TEA]


async def test_a_deleted_page_retires_its_memo_and_undo_brings_both_back(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        await desk.stage.remember("I live in Rome")
        await desk.keep()
        desk.delete(TEA)
        assert told(await desk.take_over()) == [("retired", TEA)]
        assert (await desk.memory.get(memo_id, user="ann")).status is Status.DEPRECATED
        again = await desk.memory.remember("I prefer tea", user="ann", place=DEV, origin=Origin.IMPORT)
        assert again == Refused(Reason.FORGOTTEN_BY_OWNER)
        assert TEA not in desk.pages
        await desk.memory.undo(user="discord:ann")
        await desk.keep()
        assert TEA in desk.pages


async def test_several_deletions_of_one_person_are_undone_as_one(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", "I live in Rome", "I play chess", "My cat is Tom", "I run on Mondays")
        await desk.keep()
        before = desk.pages
        for page in before[:2]:
            desk.delete(page)
        await desk.take_over()
        await desk.memory.undo(user="discord:ann")
        await desk.keep()
        assert desk.pages == before


async def test_a_folder_that_is_not_there_retires_nothing(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", "I live in Rome", "I play chess")
        await desk.keep()
        desk.folder.rename(tmp_path / "unmounted")
        report = await desk.take_over()
        assert "all 3 files are gone" in report.refused
        assert not report.ok
        assert len(await desk.stage.known(place=DEV)) == 3
        (tmp_path / "unmounted").rename(desk.folder)
        assert (await desk.take_over()).ok


async def test_more_than_half_at_once_is_asked_about_and_force_is_an_answer(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        texts = [
            "I prefer tea",
            "I live in Rome",
            "I play chess",
            "My cat is Tom",
            "I run daily",
            "I sing",
            "Red is nice",
        ]
        await desk.stage.remember(*texts, "Has a boat at the lake")
        await desk.keep()
        for page in desk.pages[:6]:
            desk.delete(page)
        report = await desk.take_over()
        assert report.refused == "6 of 8 files are gone at once"
        assert len(await desk.stage.known(place=DEV)) == 8
        report = await desk.take_over(force=True)
        assert [what for what, _ in told(report)] == ["retired"] * 6
        assert len(await desk.stage.known(place=DEV)) == 2


async def test_a_renamed_page_is_no_deletion_and_keeps_its_new_name(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        (desk.folder / TEA).rename(desk.folder / "preference" / "Tea.md")
        assert told(await desk.take_over()) == [("moved", "preference/Tea.md")]
        await desk.memory.update(memo_id, "I prefer green tea", user="discord:ann")
        await desk.keep()
        assert desk.pages == ["preference/Tea.md"]
        assert "green" in desk.read("preference/Tea.md")


async def test_a_page_that_was_renamed_and_edited_is_the_same_memo(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        (desk.folder / "preference" / "sub").mkdir()
        (desk.folder / TEA).rename(desk.folder / "preference/sub/Tea.md")
        desk.edit("preference/sub/Tea.md", "I prefer tea", "I prefer mate")
        assert told(await desk.take_over()) == [("changed", "preference/sub/Tea.md")]
        assert (await desk.memory.get(memo_id, user="ann")).text == "I prefer mate"
        assert desk.pages == ["preference/sub/Tea.md"]


async def test_a_copy_with_other_words_is_a_new_memo(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        desk.write("preference/a copy.md", desk.read(TEA).replace("I prefer tea", "My favourite colour is red"))
        assert told(await desk.take_over()) == [("new", "preference/a copy.md")]
        shown = (await desk.memory.show(user="ann")).memos
        assert [memo.text for memo in shown] == ["My favourite colour is red", "I prefer tea"]
        assert f"id: {memo_id}" in desk.read(TEA)
        assert f"id: {shown[0].id}" in desk.read("preference/a copy.md")


async def test_a_copy_that_says_the_same_is_kept_aside(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.write("preference/0 copy.md", desk.read(TEA))
        report = await desk.take_over()
        assert told(report) == [("aside", "preference/0 copy.md")]
        assert TEA in report.notes[0].detail
        assert desk.pages == ["preference/0 copy.md.kept-1", TEA]
        assert len(await desk.stage.known(place=DEV)) == 1
        assert told(await desk.take_over()) == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"---\ncategory: fact\nkeywords: [a\n---\nText", "is not YAML"),
        (b"---\ncategory: fact\nText", "has no end"),
        (b"---\ncategory: fact\n---\n\n  \n", "no text"),
        (b"", "empty"),
        (b"---\ncategory: secret\n---\nText", "unknown category 'secret'"),
        (b"---\nkind: nonsense\n---\nText", "unknown kind"),
        (b"\xff\xfe\x00T", "UTF-8"),
        (b"Te\0xt", "binary"),
        (b"x" * 70_000, "70,000 bytes"),
        (b"word " * 3_000, "too long to remember"),
        (b"---\nuser: bob\n---\nText", "of the user 'bob'"),
        (b"---\nguild: g9\n---\nText", "of the guild 'g9'"),
        (b"---\ncreated_at: yesterday\n---\nText", "created_at 'yesterday'"),
        (b"---\nkeywords: {a: b}\n---\nText", "keywords"),
        (b"---\nid: [a]\n---\nText", "id is not a text"),
        (b"---\naudience: nobody\n---\nText", "unknown audience"),
        (b"---\n- a\n---\nText", "'name: value'"),
        (b"---\n{a: b}\n---\nText", "'name: value'"),
        (b"---\na: &x [1]\nb: *x\n---\nText", "alias"),
        (b"---\na: !!python/object/apply:os.system [id]\n---\nText", "python/object/apply:os.system"),
        (b"---\na: !mine x\n---\nText", "'!mine'"),
        (b"---\na: " + b"[" * 5_000 + b"\n---\nText", "YAML"),
    ],
)
async def test_a_broken_page_is_named_with_the_reason_and_left_alone(
    content: bytes, reason: str, tmp_path: Path
) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.write("fact/bad.md", content)
        desk.write("fact/good.md", "I live in Rome")
        report = await desk.take_over()
        assert told(report) == [("broken", "fact/bad.md"), ("new", "fact/good.md")]
        assert reason in report.notes[0].detail
        assert not report.ok
        assert (desk.folder / "fact/bad.md").read_bytes() == content
        assert sorted(await desk.stage.known(place=DEV)) == ["I live in Rome", "I prefer tea"]


async def test_a_page_that_becomes_broken_keeps_its_memo(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        desk.edit(TEA, "category: preference", "category: preference: oh")
        assert told(await desk.take_over()) == [("broken", TEA)]
        assert (await desk.memory.get(memo_id, user="ann")).active
        await desk.memory.update(memo_id, "I prefer mate", user="discord:ann")
        await desk.take_over()
        assert "I prefer tea" in desk.read(TEA)
        desk.edit(TEA, "preference: oh", "preference")
        assert told(await desk.take_over()) == []
        assert "I prefer mate" in desk.read(TEA)


async def test_a_page_without_its_front_matter_is_still_known_by_its_place(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        desk.write(TEA, "I prefer mate\n")
        assert told(await desk.take_over()) == [("changed", TEA)]
        after = await desk.memory.get(memo_id, user="ann")
        assert (after.text, after.tags) == ("I prefer mate", ("drinks",))
        assert f"id: {memo_id}" in desk.read(TEA)


async def both_changed(desk: Desk, file_at: timedelta) -> str:
    memo_id = await with_tea(desk)
    at = desk.stage.clock.advance(hours=1)
    desk.edit(TEA, "I prefer tea", "I prefer mate", at + file_at)
    await desk.memory.update(memo_id, "I prefer green tea", user="discord:ann")
    desk.stage.clock.advance(hours=2)
    return memo_id


async def test_of_two_edits_the_newer_counts_and_both_are_in_the_history(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await both_changed(desk, timedelta(minutes=30))
        assert told(await desk.take_over()) == [("changed", TEA)]
        assert (await desk.memory.get(memo_id, user="ann")).text == "I prefer mate"
        assert await before(desk, memo_id) == ["I prefer green tea", "I prefer tea"]
        assert "I prefer mate" in desk.read(TEA)


async def test_when_memory_has_the_newer_edit_the_older_one_of_the_file_is_in_the_history(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await both_changed(desk, -timedelta(minutes=30))
        assert told(await desk.take_over()) == [("settled", TEA)]
        assert (await desk.memory.get(memo_id, user="ann")).text == "I prefer green tea"
        assert await before(desk, memo_id) == ["I prefer mate", "I prefer green tea", "I prefer tea"]
        assert "I prefer green tea" in desk.read(TEA)
        assert told(await desk.take_over()) == []
        await desk.memory.undo(user="discord:ann")
        assert (await desk.memory.get(memo_id, user="ann")).text == "I prefer mate"


async def before(desk: Desk, memo_id: str) -> list[str]:
    """Earlier wordings, newest first."""
    events = await desk.memory.history(memo_id, user="ann")
    return [event.data["before"]["text"] for event in events if "before" in event.data]


async def test_a_page_edited_before_its_memo_was_forgotten_is_kept_aside(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        desk.edit(TEA, "I prefer tea", "I prefer mate", desk.stage.clock())
        desk.stage.clock.advance(hours=1)
        await desk.memory.forget("tea", user="discord:ann")
        assert told(await desk.take_over()) == [("aside", TEA)]
        assert desk.pages == [f"{TEA}.kept-1"]
        assert await desk.stage.known(place=DEV) == []
        assert "I prefer mate" in await before(desk, memo_id)


async def test_a_page_edited_after_its_memo_was_forgotten_is_remembered_again(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        await desk.memory.forget("tea", user="discord:ann")
        desk.stage.clock.advance(hours=1)
        desk.edit(TEA, "I prefer tea", "I prefer mate")
        assert told(await desk.take_over()) == [("new", TEA)]
        assert await desk.stage.known(place=DEV) == ["I prefer mate"]


async def test_a_page_deleted_before_its_memo_changed_comes_back(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        await desk.stage.remember("I live in Rome")
        await desk.keep()
        desk.delete(TEA)
        desk.stage.clock.advance(hours=1)
        await desk.memory.update(memo_id, "I prefer green tea", user="discord:ann")
        assert told(await desk.take_over()) == []
        assert "green" in desk.read(TEA)


async def test_a_secret_is_left_out_of_memory_and_the_persons_page_stays_theirs(tmp_path: Path) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.write("fact/key.md", f"The deploy key is {key}\n")
        report = await desk.take_over()
        assert told(report) == [("new", "fact/key.md"), ("secret", "fact/key.md")]
        assert key not in str(report)
        assert all(key not in text for text in await desk.stage.known(place=DEV))
        assert key in desk.read("fact/key.md")
        assert told(await desk.take_over()) == []


async def test_a_dry_run_tells_and_changes_nothing(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", "I live in Rome", "My cat is Tom")
        await desk.keep()
        cat, rome, tea = sorted(desk.pages)
        desk.edit(tea, "I prefer tea", "I prefer mate")
        desk.delete(rome)
        desk.write("fact/new.md", "I play chess")
        (desk.folder / cat).rename(desk.folder / "fact" / "renamed.md")
        pages, events = desk.pages, await desk.memory.log(limit=100)
        report = await desk.take_over(dry_run=True)
        expected = [("new", "fact/new.md"), ("moved", "fact/renamed.md"), ("retired", rome), ("changed", tea)]
        assert sorted(told(report)) == sorted(expected)
        assert (desk.pages, await desk.memory.log(limit=100)) == (pages, events)
        assert sorted(told(await desk.take_over())) == sorted(expected)


async def test_two_peoples_pages_stay_apart(tmp_path: Path) -> None:
    async with filing(tmp_path, "unified", mirror__files=["categories"]) as desk:
        await desk.stage.remember("I prefer tea", user="ann", place=Place(dm="ann"))
        await desk.stage.remember("I prefer coffee", user="bob", place=Place(dm="bob"))
        await desk.keep()
        mine, theirs = desk.pages
        desk.edit(theirs, "coffee", "cocoa")
        desk.write("users/bob/fact/x.md", "I live in Rome")
        desk.write("users/carl%20k/fact/x.md", "I live in Bern")
        assert [what for what, _ in told(await desk.take_over())] == ["new", "changed", "new"]
        assert await desk.stage.known("ann", Place(dm="ann")) == ["I prefer tea"]
        assert sorted(await desk.stage.known("bob", Place(dm="bob"))) == ["I live in Rome", "I prefer cocoa"]
        assert await desk.stage.known("carl k", Place(dm="carl k")) == ["I live in Bern"]
        (desk.folder / mine).rename(desk.folder / "users/bob/preference/stolen.md")
        report = await desk.take_over()
        assert told(report) == [("broken", "users/bob/preference/stolen.md")]
        assert await desk.stage.known("ann", Place(dm="ann")) == ["I prefer tea"]


async def test_lore_can_be_edited_and_added_in_its_own_folder(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("The build is called Nightly", lore=True)
        await desk.keep()
        (page,) = desk.pages
        desk.edit(page, "Nightly", "Dawn")
        desk.write("lore/g1/more.md", "We ship on Fridays")
        assert told(await desk.take_over()) == [("changed", page), ("new", "lore/g1/more.md")]
        shown = await desk.memory.list(user="ann", place=DEV, lore=True, statuses=[Status.ACTIVE])
        assert {(memo.text, memo.kind) for memo in shown.memos} == {
            ("The build is called Dawn", Kind.LORE),
            ("We ship on Fridays", Kind.LORE),
        }
        assert {str(memo.audience) for memo in shown.memos} == {"guild:g1"}


async def test_hidden_files_links_and_other_files_are_not_looked_at(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        outside = tmp_path / "outside.md"
        outside.write_text("I am elsewhere", "utf-8")
        desk.write("fact/.note.md.swp", "x")
        desk.write("fact/.hidden.md", "Hidden")
        desk.write("fact/.obsidian/a.md", "Hidden")
        desk.write("fact/picture.png", b"\x89PNG")
        desk.write("2025-03-01.md", "a journal")
        desk.write("other/x.md", "not a category")
        (desk.folder / "fact" / "link.md").symlink_to(outside)
        (desk.folder / "event").symlink_to(tmp_path)
        assert told(await desk.take_over()) == []


async def test_another_memory_takes_the_pages_over_but_not_what_was_forgotten_there(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", "I live in Rome", tags=["mine"])
        await desk.keep()
        pages = {page: desk.read(page) for page in desk.pages}
    async with filing(tmp_path / "second") as desk:
        await desk.stage.remember("I live in Rome")
        await desk.memory.forget("Rome", user="ann", place=DEV)
        for page, text in pages.items():
            desk.write(page, text)
        report = await desk.take_over("discord:ann")
        assert [(note.outcome, note.detail) for note in report.notes] == [
            ("broken", "not remembered: forgotten by its owner; without its id it is remembered anew"),
            ("new", ""),
        ]
        (memo,) = (await desk.memory.show(user="ann")).memos
        assert desk.pages == sorted(pages)
        assert (memo.text, memo.tags, memo.source.origin) == ("I prefer tea", ("mine",), Origin.IMPORT)


async def test_a_page_is_looked_at_only_when_it_has_come_to_rest(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        watch = desk.watch()
        assert await watch.poll() is None
        assert told(await watch.poll() or await desk.take_over()) == []
        desk.edit(TEA, "I prefer tea", "I prefer m", desk.stage.clock.advance(minutes=1))
        assert await watch.poll() is None
        desk.edit(TEA, "I prefer m", "I prefer mate", desk.stage.clock.advance(minutes=1))
        assert await watch.poll() is None
        report = await watch.poll()
        assert report is not None
        assert told(report) == [("changed", TEA)]
        assert await desk.stage.known(place=DEV) == ["I prefer mate"]
        assert [told(found) for _ in range(4) if (found := await watch.poll()) is not None] == [[]]


async def test_the_page_of_another_process_is_known(tmp_path: Path) -> None:
    async with filing(tmp_path) as one, filing(tmp_path) as other:
        memo_id = await with_tea(one)
        await other.memory.update(memo_id, "I prefer mate", user="discord:ann")
        await other.keep()
        assert told(await one.take_over()) == []
        one.edit(TEA, "mate", "cocoa", one.stage.clock.advance(hours=1))
        await one.take_over()
        assert told(await other.take_over()) == []
        assert await other.stage.known(place=DEV) == ["I prefer cocoa"]


async def test_a_persons_own_page_is_kept_aside_when_its_memo_goes(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.write("fact/trip.md", "# Trip\n\n- pack the tent\n- feed the cat\n")
        await desk.take_over()
        page = desk.read("fact/trip.md")
        await desk.memory.undo(user="discord:ann")
        await desk.keep()
        assert desk.pages == ["fact/trip.md.kept-1", TEA]
        assert desk.read("fact/trip.md.kept-1") == page


async def test_a_page_in_nobodys_folder_is_named(tmp_path: Path) -> None:
    async with filing(tmp_path, "unified", mirror__files=["categories"]) as desk:
        desk.write("fact/x.md", "I live in Rome")
        report = await desk.take_over()
        assert told(report) == [("broken", "fact/x.md")]
        assert "users/<id>" in report.notes[0].detail


async def test_pages_of_the_owner_stay_known_when_everybody_gets_a_folder(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        await desk.stage.remember("I prefer coffee", "I live in Bonn", "I play chess", user="bob")
        await desk.keep()
    async with filing(tmp_path, workspace__per_user=True) as desk:
        assert told(await desk.take_over()) == []
        assert await desk.stage.known(place=DEV) == ["I prefer tea"]
        await desk.stage.remember("My cat is Tom")
        await desk.keep()
        assert "users/ann/fact/2025-03-01-my-cat-is-tom.md" in desk.pages


@pytest.mark.sqlite
async def test_a_folder_that_was_moved_with_its_store_is_the_same_folder(tmp_path: Path) -> None:
    async with filing(tmp_path / "old") as desk:
        memo_id = await with_tea(desk)
        (desk.folder / TEA).rename(desk.folder / "preference" / "Tea.md")
        await desk.take_over()
        await desk.memory.update(memo_id, "I prefer green tea", user="discord:ann")
        await desk.keep()
    (tmp_path / "old").rename(tmp_path / "new")
    async with filing(tmp_path / "new") as desk:
        assert told(await desk.take_over()) == []
        assert desk.pages == ["preference/Tea.md"]


async def test_another_folder_for_the_same_store_gets_all_pages(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
    async with filing(tmp_path, mirror__dir=tmp_path / "vault") as desk:
        await desk.keep()
        assert (tmp_path / "vault" / TEA).read_bytes() == (desk.folder / TEA).read_bytes()


async def test_a_page_written_anew_under_another_name_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        memo_id = await with_tea(desk)
        await desk.stage.remember("I live in Rome")
        await desk.keep()
        desk.delete(TEA)
        desk.write("preference/Tea.md", "I prefer tea\n")
        assert told(await desk.take_over()) == [("retired", TEA), ("new", "preference/Tea.md")]
        assert (await desk.memory.get(memo_id, user="ann")).active
        assert f"id: {memo_id}" in desk.read("preference/Tea.md")
        assert TEA not in desk.pages
        assert told(await desk.take_over()) == []


@pytest.mark.parametrize("name", [b"\xff\xfe.md", b"a\nb\x1b[31m.md", b"..md", "猫 & 犬.MD".encode(), b"-rf.md"])
async def test_whatever_a_page_is_called_it_is_read_and_keeps_its_name(name: bytes, tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        path = os.fsdecode(b"fact/" + name)
        desk.write(path, "I live in Rome")
        hidden = name.startswith(b".")
        assert told(await desk.take_over()) == ([] if hidden else [("new", path)])
        assert told(await desk.take_over()) == []
        assert path in desk.pages


async def test_folders_far_down_are_not_followed(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await with_tea(desk)
        desk.write("fact/" + "a/" * 12 + "x.md", "I live in Rome")
        assert told(await desk.take_over()) == []


@pytest.mark.acceptance("E2")
async def test_a_page_reaches_the_store_with_its_words_and_its_vector_and_the_search_uses_both(tmp_path: Path) -> None:
    async with filing(tmp_path, embedder="static") as desk:
        await desk.stage.remember("The API uses JWT tokens with 24h expiration", "Dinner is at eight")
        desk.write("fact/pet.md", "Ann adopted a kitten from the shelter\n")
        await desk.take_over()
        by_meaning = await desk.memory.search("does she own a cat", user="ann")
        assert by_meaning[0].text == "Ann adopted a kitten from the shelter"
        by_words = await desk.memory.search("shelter", user="ann")
        assert by_words[0].text == "Ann adopted a kitten from the shelter"
        assert (by_meaning[0].parts["vector"] > 0, by_meaning[0].parts["words"]) == (True, 0)
        assert min(by_words[0].parts["vector"], by_words[0].parts["words"]) > 0
