"""Text on a page: nothing hidden in it, changes shown word by word, and records in words."""

import pytest

from recollect.core.events import Event
from recollect.core.reasons import Reason
from recollect.core.serialization import memo_to_json
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Place, Provenance, Subject
from recollect.faces.http.pages import format as words
from recollect.faces.http.pages.diff import pieces, steps
from recollect.policy.rendering import discord_url
from recollect.testing.clock import START

DEV = Place("discord", "123456789012345678", "701", name="dev", public=True)


def test_characters_that_hide_or_turn_round_are_named():
    assert words.reveal_hidden("a\u202eb\u200b<i>") == (
        'a<span class="unseen">U+202E</span>b<span class="unseen">U+200B</span>&lt;i&gt;'
    )
    assert words.strip_hidden("a\u202eb\ud800c") == "abc"


@pytest.mark.parametrize("text", ["👩‍👩‍👧", "می‌خواهم", "naïve café", "שלום", "line\nbreak\ttab"])
def test_joiners_and_accents_are_not_stripped(text: str):
    assert words.reveal_hidden(text) == text
    assert words.strip_hidden(text) == text


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("Likes tea", "Likes tea", "Likes tea"),
        ("Likes tea", "Likes tea and cake", "Likes tea [+and cake]"),
        ("Likes green tea", "Likes white tea", "Likes [-green ][+white ]tea"),
        ("", "Likes tea", "[+Likes tea]"),
        ("Likes tea", "", "[-Likes tea]"),
        ("a b c d e f", "x b y d z f", "[-a b c d e ][+x b y d z ]f"),
    ],
)
def test_a_change_is_told_word_by_word_but_not_in_crumbs(before: str, after: str, told: str):
    signs = {"same": "{}", "gone": "[-{}]", "new": "[+{}]"}
    assert "".join(signs[piece.sort].format(piece.text) for piece in pieces(before, after)) == told


def test_texts_too_long_to_compare_are_shown_one_after_the_other():
    assert [piece.sort for piece in pieces("a " * 5_000, "b " * 5_000)] == ["gone", "new"]


def memo(text: str = "Likes tea", **more: object) -> Memo:
    return Memo("m", Subject("ann"), Kind.FACT, text, START, START, **more)  # type: ignore[arg-type]


def test_each_step_of_a_memo_shows_what_it_changed():
    events = [
        Event("memo.revised", START, data={"before": memo_to_json(memo("Likes white tea", audience=EVERYWHERE))}),
        Event("memo.revised", START, data={"before": memo_to_json(memo(audience=Audience("dm", "ann")))}),
        Event("memo.added", START),
    ]
    last, first, added = steps(memo("Likes white tea", pinned=True, audience=EVERYWHERE), events)
    assert last.others == [("pinned", "no", "yes")]
    assert last.text == []
    assert [piece.text for piece in first.text if piece.sort == "new"] == ["white "]
    assert first.others == [("audience", "their DM only", "wherever they speak")]
    assert (added.text, added.others) == ((), ())


def test_what_a_change_made_that_was_undone_later_is_not_made_up():
    events = [
        Event("memo.undone", START, reason=Reason.UNDID, detail="reworded"),
        Event("memo.revised", START, data={"before": memo_to_json(memo("Likes tea"))}),
    ]
    undone, revised = steps(memo("Likes tea"), events)
    assert undone.lost is None
    assert revised.lost == "Likes tea"
    assert not revised.text


@pytest.mark.parametrize(
    ("audience", "told"),
    [
        (EVERYWHERE, "wherever they speak"),
        (Audience("dm", "ann"), "their DM only"),
        (DEV.audience, "everyone on its server"),
        (Audience("guild", "other", "other"), "everyone on server other"),
        (Audience("channel", "701", "123456789012345678"), "those in #dev"),
        (Audience("channel", "999", "123456789012345678"), "those in #999"),
    ],
)
def test_an_audience_is_told_in_a_few_words(audience: Audience, told: str):
    source = Provenance(platform="discord", guild="123456789012345678", channel="701", channel_name="dev")
    assert words.describe_memo_audience(memo(audience=audience, source=source)) == told


def test_a_place_is_told_by_name_and_whether_it_is_closed():
    assert words.describe_place(DEV) == "#dev, server 1234…5678"
    assert words.describe_place(DEV, {DEV.guild_key or "": "Our Café"}) == "#dev, Our Café"
    assert words.describe_place(Place("discord", "g", "c", name="staff")) == "#staff (closed), server g"
    assert words.describe_place(Place("local", dm="ann")) == "DM with ann"


@pytest.mark.parametrize(
    ("source", "link"),
    [
        (Provenance(platform="discord", guild="1", channel="2", message="3"), "https://discord.com/channels/1/2/3"),
        (
            Provenance(platform="discord", guild="1", channel="2", thread="4", message="3"),
            "https://discord.com/channels/1/4/3",
        ),
        (Provenance(platform="discord", channel="2", message="3"), "https://discord.com/channels/@me/2/3"),
        (Provenance(platform="discord", guild="1", channel="2"), None),
        (Provenance(platform="discord", guild="../x", channel="2", message="3"), None),
        (Provenance(platform="slack", guild="1", channel="2", message="3"), None),
    ],
)
def test_a_message_on_discord_has_a_link_and_nothing_else_has(source: Provenance, link: str | None):
    assert discord_url(source) == link


def test_an_address_holds_whatever_an_id_holds():
    assert (
        words.url("/memo", user="a/b&c=d é", id="%2F", none=None, empty="")
        == "/memo?user=a%2Fb%26c%3Dd%20%C3%A9&id=%252F"
    )
    assert words.url("/merge", pick=["a", "b"]) == "/merge?pick=a&pick=b"


def test_ids_may_be_broken_after_separators_and_stay_escaped():
    html = words.with_breaks(words.reveal_hidden("memos.inject_max <b>"))
    assert html == "memos.<wbr>inject_<wbr>max &lt;b&gt;"
