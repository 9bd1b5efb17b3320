"""Places as people type them."""

import pytest

from recollect.core.errors import BadInput
from recollect.core.types import Audience, Place
from recollect.faces.cli.places import parse
from recollect.policy.visibility import audience_covers_place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("dm", Place(dm="ada")),
        (" DM ", Place(dm="ada")),
        ("#dev", Place(guild="home", channel="home#dev", name="dev", public=True)),
        ("dev", Place(guild="home", channel="home#dev", name="dev", public=True)),
        ("acme/#dev", Place(guild="acme", channel="acme#dev", name="dev", public=True)),
        ("acme/dev", Place(guild="acme", channel="acme#dev", name="dev", public=True)),
        ("acme/#dev!", Place(guild="acme", channel="acme#dev", name="dev", public=False)),
        (
            "acme/#dev/release",
            Place(guild="acme", channel="acme#dev", thread="acme#dev#release", name="release", public=True),
        ),
        (
            "#dev/release",
            Place(guild="home", channel="home#dev", thread="home#dev#release", name="release", public=True),
        ),
        (
            "acme/#dev!/release",
            Place(guild="acme", channel="acme#dev", thread="acme#dev#release", name="release", public=False),
        ),
    ],
)
def test_a_place_is_read(text: str, place: Place):
    assert parse(text, "ada") == place


@pytest.mark.parametrize("text", ["", "#", "/", "a/", "/#dev", "a//b", "a/b/c/d", "!", "a/!", "##dev", "a/#b#c", "a!b"])
def test_a_malformed_place_is_refused_with_an_example(text: str):
    with pytest.raises(BadInput, match="guild/#dev"):
        parse(text, "ada")


def test_restricted_closes_a_channel():
    assert parse("#dev", "ada", restricted=True).public is False


def test_the_same_name_in_two_guilds_is_two_places():
    here, there = parse("acme/#dev", "ada"), parse("zeta/#dev", "ada")
    assert here.session != there.session
    assert here.stream != there.stream
    assert parse("acme/#dev/x", "ada").session != parse("zeta/#dev/x", "ada").session


def test_a_mark_after_a_thread_makes_a_private_thread_of_an_open_channel():
    place = parse("#dev/secret!", "ada")
    assert place.private_thread
    assert place.public
    assert place.audience == Audience("channel", "home#dev#secret", "home", "home#dev")
    assert not audience_covers_place(place.audience, parse("#dev", "ada"))


@pytest.mark.parametrize("text", ["", " ", "#dev/!", "dm!", "!", "#de!v"])
def test_a_malformed_place_is_refused(text: str):
    with pytest.raises(BadInput, match="not a place"):
        parse(text, "ada")
