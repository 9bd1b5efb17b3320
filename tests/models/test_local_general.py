"""What `local` makes of a predicate that no rule lists: the class of its words decides."""

from datetime import UTC, datetime

import pytest

from recollect.core.ports import ExtractionInput
from recollect.core.types import Message, Place
from recollect.models.local import LocalModel

SAID = datetime(2026, 11, 15, 12, tzinfo=UTC)


async def learned(text: str) -> list[str]:
    said = Message("m", "ann", Place(dm="ann"), text, SAID, "Ann")
    return [proposal.text for proposal in (await LocalModel().extract(ExtractionInput([said]))).proposals]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I'm a marine ecology major, so lots of field trips", "Is a marine ecology major"),
        ("well im a puppeteer", "Is a puppeteer"),
        ("I'm terrible at bowling", "Is terrible at bowling"),
        ("I'm not super familiar with Terraform", "Isn't super familiar with Terraform"),
        ("I read mystery novels", "Reads mystery novels"),
        ("I avoid dairy", "Avoids dairy"),
        ("I don't drink coffee", "Doesn't drink coffee"),
        ("I do admire Jane Goodall", "Admires Jane Goodall"),
        ("I've never been skiing", "Has never been skiing"),
        ("I've played the harp for 12 years", "Has played the harp for 12 years"),
        ("I ran track in high school", "Ran track in high school"),
        ("I tend to ignore long threads", "Tends to ignore long threads"),
        ("I can juggle", "Can juggle"),
        ("I have zero experience with game engines", "Has zero experience with game engines"),
        ("I'm the youngest", "Is the youngest"),
        ("my research focuses on coral reefs", "Their research focuses on coral reefs"),
        ("my brother is fourteen years older", "Their brother is fourteen years older"),
        ("I don't know much about plumbing", "Doesn't know much about plumbing"),
    ],
)
async def test_a_lasting_predicate_is_learned_whatever_its_object(said, text):
    assert await learned(said) == [text]


@pytest.mark.parametrize(
    "said",
    [
        "I'm a bit tired",
        "I'm a mess",
        "I like the variety",
        "I read the docs you linked",
        "I've never seen that error",
        "I went to the store",
        "I'm interested in a tool that does this",
        "I'm familiar with the feature",
        "I work on the parser",
        "we run behind a proxy",
        "I don't like writing the whole thing out every time",
        "I'm half asleep",
        "my build is broken",
        "I own three yachts lmao",
        "I need to get back in the saddle",
        "I can write the documentation",
        "I was a kid",
        "I usually regret asking",
    ],
)
async def test_what_holds_for_the_hour_or_needs_its_context_is_not_learned(said):
    assert await learned(said) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I moved to *Porto* in May", "Lives in Porto"),
        ("personally i *love* bugzilla", "Loves bugzilla"),
        ("I live in _Oslo_", "Lives in Oslo"),
        ("I love sushi do you know of any good places?", "Loves sushi"),
        ("im alergic to shelfish", "Is allergic to shellfish"),
        ("I started working at Siemens as an engineer", "Works at Siemens as an engineer"),
        ("ramen is my favorite dish and I could eat it daily", "Favorite dish is ramen"),
    ],
)
async def test_emphasis_slips_and_run_on_questions_hide_nothing(said, text):
    assert await learned(said) == [text]


async def test_an_emote_is_no_part_of_the_statement():
    assert await learned("I live in Oslo *waves*") == ["Lives in Oslo"]


@pytest.mark.parametrize("title", ["Prof.", "Capt.", "Rev."])
async def test_a_title_with_a_point_is_nobodys_name(title: str):
    assert f"Their supervisor is called {title[:-1]}" not in await learned(f"my supervisor is {title} Hana Whiroa")
