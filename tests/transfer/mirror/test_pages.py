"""`<category>/YYYY-MM-DD-<slug>.md`: each memo as a page, following the store."""

import asyncio
import logging
from pathlib import Path

import pytest
import yaml

from recollect.core.types import Audience, Kind, Memo, Origin, Provenance, Subject
from recollect.testing.clock import START
from recollect.transfer.mirror.pages.markdown import parse, render
from tests.scenes import DEV, DM
from tests.transfer.mirror.filing import filing


def memo(text: str = "I prefer tea", **how: object) -> Memo:
    given = {"kind": Kind.PREFERENCE, "created": START, "updated": START, **how}
    return Memo("durable-1", Subject("ann"), text=text, **given)  # type: ignore[arg-type]


def front(page: str) -> dict[str, object]:
    return yaml.safe_load(page.split("---\n")[1])


@pytest.mark.acceptance("E3")
async def test_each_memo_lies_in_the_folder_of_its_category_named_by_day_and_words(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("The API key is in the vault", kind="fact")
        await desk.stage.remember("User prefers dark theme", kind="preference")
        await desk.stage.remember("Deployed v2.1", kind="event", happened=START.replace(year=2024, month=1, day=20))
        await desk.stage.remember("Sprint review conclusions", kind="summary")
        await desk.keep()
        assert desk.pages == [
            "event/2024-01-20-deployed-v2-1.md",
            "fact/2025-03-01-the-api-key-is-in-the-vault.md",
            "preference/2025-03-01-user-prefers-dark-theme.md",
            "summary/2025-03-01-sprint-review-conclusions.md",
        ]


@pytest.mark.acceptance("E4")
async def test_a_page_has_the_front_matter_of_the_document_and_the_content_below(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        stored = await desk.stage.remember(
            "The Stripe API key is stored in the vault under `stripe_api_key`.",
            kind="fact",
            tags=["api", "authentication", "stripe"],
        )
        await desk.keep()
        page = desk.read(desk.pages[0])
    assert page == (
        "---\n"
        "category: fact\n"
        "created_at: 2025-03-01T12:00:00Z\n"
        "keywords: [api, authentication, stripe]\n"
        f"id: {stored.id}\n"
        "user: discord:ann\n"
        "source: manual\n"
        "updated_at: 2025-03-01T12:00:00Z\n"
        "---\n"
        "\n"
        "The Stripe API key is stored in the vault under `stripe_api_key`.\n"
    )


def test_kind_and_audience_stand_there_when_they_say_more() -> None:
    page = render(memo(kind=Kind.PROJECT, audience=Audience("dm", "ann"), source=Provenance(Origin.DISCORD))).decode()
    found = front(page)
    assert (found["category"], found["kind"], found["audience"], found["source"]) == (
        "fact",
        "project",
        "dm:ann",
        "discord",
    )


@pytest.mark.parametrize("tag", ["yes", "c#", "a: b", "[x]", "1.5", "日本", "don't", "#a", "2024-01-01", "- x"])
def test_whatever_a_keyword_is_the_front_matter_is_yaml_and_reads_the_same(tag: str) -> None:
    page = render(memo(tags=(tag, "b"), text="--- ... [[Link]] #tag"))
    assert front(page.decode())["keywords"] == [tag, "b"]
    read = parse(page)
    assert read.keywords == (tag, "b")
    assert read.words.text == "--- ... [[Link]] #tag"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("猫が好きです", "2025-03-01-preference-"),
        ("Ich möchte Tee", "2025-03-01-ich-mochte-tee.md"),
        ("../../etc/passwd", "2025-03-01-etc-passwd.md"),
        ("😀", "2025-03-01-preference-"),
        ("a " * 200, "2025-03-01-a-a-a-"),
        ("x" * 300, "2025-03-01-" + "x" * 48 + ".md"),
    ],
)
async def test_every_text_gives_a_name_that_every_system_takes(text: str, name: str, tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember(text, kind="preference")
        await desk.keep()
        (page,) = desk.pages
    assert page.startswith(f"preference/{name}")
    assert page.isascii()
    assert len(page) < 80


async def test_two_memos_never_share_a_page(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("Meeting notes: budget!", kind="fact")
        await desk.stage.remember("meeting notes -- budget?", kind="event")
        long = "The quick brown fox jumps over the lazy dog near the river bank"
        await desk.stage.remember(f"{long} on Monday with Ann", f"{long} in 1999, says the report of Bob", kind="fact")
        await desk.keep()
        shown = await desk.memory.show(user="ann", place=DEV)
        assert len(desk.pages) == len(shown.memos)
        assert sum("the-quick-brown-fox" in page for page in desk.pages) == 2


async def test_a_page_keeps_its_name_while_its_memo_says_other_things(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        tea = await desk.stage.remember("I prefer tea")
        await desk.keep()
        before = desk.pages
        await desk.memory.update(tea.id, "I prefer green tea", user="ann", place=DEV)
        await desk.keep()
        assert desk.pages == before
        assert "I prefer green tea" in desk.read(before[0])


async def test_a_retired_memo_has_no_page_and_undo_brings_it_back(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea")
        await desk.keep()
        (page,) = desk.pages
        await desk.memory.forget("tea", user="ann", place=DEV)
        await desk.keep()
        assert desk.pages == []
        await desk.memory.undo(user="ann", place=DEV)
        await desk.keep()
        assert desk.pages == [page]


async def test_the_one_owner_has_the_folder_and_others_have_one_of_their_own(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", user="ann")
        await desk.stage.remember("I prefer coffee", user="../Bob")
        await desk.stage.remember("The build is called Nightly", lore=True)
        await desk.keep()
        assert desk.pages == [
            "lore/g1/2025-03-01-the-build-is-called-nightly.md",
            "preference/2025-03-01-i-prefer-tea.md",
            "users/%2e%2e%2f%42ob/preference/2025-03-01-i-prefer-coffee.md",
        ]
        assert front(desk.read(desk.pages[0]))["guild"] == "g1"


async def test_where_each_user_has_notes_of_their_own_nobody_owns_the_folder(tmp_path: Path) -> None:
    async with filing(tmp_path, "unified", mirror__files=["categories"]) as desk:
        await desk.stage.remember("I prefer tea", user="ann", place=DM)
        await desk.keep()
        assert desk.pages == ["users/ann/preference/2025-03-01-i-prefer-tea.md"]


async def test_another_kind_moves_the_page_with_its_name(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", kind="fact")
        await desk.keep()
        assert desk.pages == ["fact/2025-03-01-i-prefer-tea.md"]
        await desk.memory.forget("tea", user="ann", place=DEV)
        await desk.stage.remember("I prefer tea", kind="preference")
        await desk.keep()
        assert desk.pages == ["preference/2025-03-01-i-prefer-tea.md"]


async def test_memos_of_before_the_pages_were_switched_on_get_theirs(tmp_path: Path) -> None:
    async with filing(tmp_path, mirror__files=["snapshot"]) as desk:
        await desk.stage.remember("I prefer tea")
        await desk.keep()
    async with filing(tmp_path, mirror__files=["snapshot", "categories"]) as desk:
        await desk.keep()
        assert "preference/2025-03-01-i-prefer-tea.md" in desk.pages


async def test_an_edited_page_is_not_overwritten_and_the_log_says_what_to_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with filing(tmp_path) as desk:
        tea = await desk.stage.remember("I prefer tea")
        await desk.keep()
        (page,) = desk.pages
        desk.edit(page, "I prefer tea", "I prefer mate")
        await desk.memory.update(tea.id, "I prefer green tea", user="ann", place=DEV)
        await desk.keep()
        assert "I prefer mate" in desk.read(page)
        await desk.memory.forget("green", user="ann", place=DEV)
        await desk.keep()
        assert desk.pages == [page]
    assert caplog.text.count("recollect sync-files") == 1


async def test_the_same_memory_leaves_its_pages_untouched(tmp_path: Path) -> None:
    async with filing(tmp_path) as desk:
        await desk.stage.remember("I prefer tea", "I live in Rome")
        await desk.keep()
        before = {page: (desk.folder / page).stat().st_ino for page in desk.pages}
        await desk.memory.mirror.restore()
        assert {page: (desk.folder / page).stat().st_ino for page in desk.pages} == before


async def test_processes_that_write_at_the_same_time_give_each_memo_one_page(tmp_path: Path) -> None:
    async with filing(tmp_path) as one, filing(tmp_path) as other:
        await one.stage.remember(*(f"Note {number} about the {word}" for number, word in enumerate(WORDS)))
        await asyncio.gather(one.keep(), other.keep())
        await other.keep()
        assert len(one.pages) == len(WORDS)
        assert all(f"about the {word}\n" in one.read(page) for page, word in zip(one.pages, WORDS, strict=True))


WORDS = ("alder", "birch", "cedar", "dogwood", "elm", "fir", "ginkgo", "hazel")
