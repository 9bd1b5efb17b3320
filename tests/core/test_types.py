"""Places, audiences and subjects: the keys that everything else hangs on."""

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.core.sessions import Session, parse_session
from recollect.core.types import (
    EVERYWHERE,
    LORE,
    Audience,
    Memo,
    Message,
    Place,
    Provenance,
    Status,
    Subject,
    message_ref,
    parse_message_ref,
)
from recollect.policy.viewer import session_name
from recollect.testing.clock import START
from recollect.testing.store_contract.samples import make_memo

CHANNEL = Place("discord", guild="g", channel="c")
THREAD = replace(CHANNEL, thread="t")
DM = Place("discord", dm="ada")


@pytest.mark.acceptance("C24")
def test_a_session_is_a_channel_a_thread_or_one_persons_dm():
    assert CHANNEL.session == "discord:g:channel:c"
    assert THREAD.session == "discord:g:channel:c:thread:t"
    assert replace(THREAD, channel=None).session == "discord:g:thread:t"
    assert DM.session == "discord:dm:ada"
    places = [CHANNEL, THREAD, DM, replace(CHANNEL, channel="c2"), replace(THREAD, thread="t2"), replace(DM, dm="ben")]
    assert len({place.session for place in places}) == len(places)


def test_a_session_does_not_depend_on_what_may_change():
    renamed = replace(THREAD, name="renamed", public=True, private_thread=True)
    assert renamed.session == THREAD.session
    assert renamed.stream == THREAD.stream


def test_sessions_of_platforms_are_apart():
    assert replace(CHANNEL, platform="local").session != CHANNEL.session
    assert replace(DM, platform="local").session != DM.session


def test_a_thread_belongs_to_the_stream_of_its_channel():
    assert THREAD.stream == CHANNEL.stream == CHANNEL.session
    assert DM.stream == DM.session
    assert Place("discord", thread="t").stream == "discord:channel:t"


@pytest.mark.parametrize(
    ("place", "audience"),
    [
        (DM, "dm:discord:ada"),
        (CHANNEL, "channel:g/c"),
        (replace(CHANNEL, public=True), "guild:g"),
        (THREAD, "channel:g/c"),
        (replace(THREAD, public=True), "guild:g"),
        (replace(THREAD, private_thread=True), "channel:g/c/t"),
        (replace(THREAD, public=True, private_thread=True), "channel:g/c/t"),
        (replace(THREAD, channel=None), "channel:g//t"),
        (replace(CHANNEL, private_thread=True, public=True), "guild:g"),
        (Place("local", channel="c"), "channel:/c"),
        (Place("local", channel="c", public=True), "channel:/c"),
        (Place("discord", guild="g", dm="ada", public=True), "dm:discord:ada"),
        (Place(), "channel:/"),
        (Place("slack", guild="g", channel="c"), "channel:slack~g/c"),
        (Place("slack", guild="g", channel="c", public=True), "guild:slack~g"),
        (Place("slack", channel="c"), "channel:slack~/c"),
        (Place("slack", dm="ada"), "dm:slack:ada"),
        (Place("local", dm="ada"), "dm:ada"),
    ],
    ids=str,
)
def test_the_audience_is_who_can_hear_the_place(place: Place, audience: str):
    assert str(place.audience) == audience
    assert Audience.parse(audience) == place.audience


def test_unknown_means_private():
    assert not Place("discord", guild="g", channel="c").public
    assert Place("discord", guild="g", channel="c").audience.level == "channel"


@pytest.mark.parametrize(
    "audience",
    [
        EVERYWHERE,
        Audience("dm", "ada"),
        Audience("dm", "a:b/c"),
        Audience("guild", "g", "g"),
        Audience("channel", "c", "g"),
        Audience("channel", "c"),
        Audience("channel", "c", "a/b:c"),
        Audience("channel", "t/%", "g/h", "c%2F"),
        Audience("channel", "t", "", ""),
    ],
    ids=str,
)
def test_an_audience_is_read_back_as_it_was_written(audience: Audience):
    assert Audience.parse(str(audience)) == audience


@pytest.mark.parametrize(
    "subject", [Subject("ada"), Subject("a:b/c é"), Subject.lore("g"), Subject.lore("a:b")], ids=str
)
def test_a_subject_is_read_back_from_its_scope(subject: Subject):
    assert Subject.of_scope(subject.scope) == subject


def test_lore_belongs_to_its_guild_and_people_to_themselves():
    assert Subject.lore("g").is_lore
    assert (Subject.lore("g").id, Subject.lore("g").scope) == (LORE, "lore:g")
    assert not Subject("ada").is_lore
    assert Subject("ada", guild="g").scope == Subject("ada", guild="h").scope == "user:ada"
    assert Subject.lore("g").scope != Subject.lore("h").scope


def test_records_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        make_memo("x").text = "y"  # pyright: ignore[reportAttributeAccessIssue]
    assert Provenance().metadata is not Provenance().metadata


@pytest.mark.parametrize("status", Status)
def test_only_an_active_memo_is_active(status: Status):
    memo: Memo = make_memo("x", status=status)
    assert memo.active == (status == "active")


def test_channels_of_the_same_id_in_two_guilds_are_two_sessions_and_two_streams():
    other = replace(CHANNEL, guild="h")
    assert other.session != CHANNEL.session
    assert other.stream != CHANNEL.stream
    assert replace(THREAD, guild="h").session != THREAD.session


def test_an_audience_is_read_back_as_it_was_written_whatever_its_ids_hold():
    for guild, channel in (("g", "team/secret"), ("g/team", "secret"), ("a%2Fb", "c%25"), ("", "x")):
        audience = Audience("channel", channel, guild)
        assert Audience.parse(str(audience)) == audience


def test_what_an_id_holds_does_not_make_it_another_conversation():
    channel, dm = Place("discord", guild="dm", channel="x"), Place("discord", dm="channel:x")
    assert channel.session != dm.session
    assert (dm.session, dm.stream) == ("discord:dm:channel%3Ax", "discord:dm:channel%3Ax")
    assert Place("discord", dm="channel%3Ax").session != dm.session


def test_threads_of_the_same_id_in_two_channels_are_two_sessions():
    other = replace(THREAD, channel="c2")
    assert other.session != THREAD.session
    assert replace(other, private_thread=True).audience != replace(THREAD, private_thread=True).audience


def test_a_place_without_a_channel_is_not_the_channel_called_none():
    assert Place("local").session != Place("local", channel="None").session


ODD_IDS = st.sampled_from(
    ["x", "y", "dm", "channel", "thread", "user", "x:thread:y", "channel:x", "%3A", "x%3Ay", "x:y"]
)
PLATFORMS = st.sampled_from(["discord", "local", "slack", "a/b", "discord:dm"])
PLACES = st.one_of(
    st.builds(Place, PLATFORMS, dm=ODD_IDS, guild=st.none() | ODD_IDS, channel=st.none() | ODD_IDS),
    st.builds(
        Place,
        PLATFORMS,
        guild=st.none() | ODD_IDS,
        channel=st.none() | ODD_IDS,
        thread=st.none() | ODD_IDS,
        public=st.booleans(),
        private_thread=st.booleans(),
    ),
)


def conversation(place: Place, user: str | None) -> tuple[str | None, ...]:
    """What makes a conversation one: in a DM the person, else the guild, the channel and the thread."""
    if place.dm is not None:
        return (place.platform, place.dm)
    return (place.platform, place.guild, place.channel, place.thread, user)


@settings(max_examples=1000, deadline=None)
@given(PLACES, PLACES, st.none() | ODD_IDS, st.none() | ODD_IDS)
def test_two_places_share_a_session_only_if_they_are_one_conversation(
    one: Place, other: Place, user: str | None, another: str | None
):
    shared = session_name(one, user) == session_name(other, another)
    assert shared == (conversation(one, user) == conversation(other, another))


@pytest.mark.parametrize("platform", ["discord", "a/b", "a%2Fb", "%", "/"])
@pytest.mark.parametrize("message_id", ["1", "y/z", "%2F", "/"])
def test_a_message_is_found_again_by_its_reference_whatever_its_ids_hold(platform: str, message_id: str):
    message = Message(message_id, "ada", Place(platform, dm="ada"), "hello", START)
    assert parse_message_ref(message_ref(message)) == (platform, message_id)


def test_the_reference_of_a_plain_message_is_its_platform_and_its_id():
    assert message_ref(Message("7", "ada", DM, "hello", START)) == "discord/7"


@pytest.mark.parametrize("user", [None, "ann", "a:b"])
@pytest.mark.parametrize(
    "place",
    [
        Place("discord", "g1", "c-dev"),
        Place("discord", dm="ann"),
        Place("discord", "g", "c", thread="t"),
        Place("discord", "g", thread="t"),
        Place("local", channel="c"),
        Place("local", thread="t"),
        Place("local", channel="c", thread="t"),
        Place("local", "a:b", "c%2F:d"),
        Place("local", "channel", "thread", thread="user"),
        Place("irc", dm="user:x"),
    ],
)
def test_a_session_is_found_by_its_name(place: Place, user: str | None):
    share = None if place.dm else user  # a DM is one person's anyway
    assert parse_session(session_name(place, user)) == Session(place, share)


@pytest.mark.parametrize("name", ["", "learn", "a:b", "a:b:c", "a:b:c:d:e:f:g", "imported notes"])
def test_a_name_that_is_no_session_is_none(name: str):
    assert parse_session(name) is None


def test_a_memo_prints_as_one_short_line_with_its_words_first():
    memo = make_memo("Lives in Lisbon", status=Status.SUPERSEDED)
    assert repr(memo) == f"Memo('Lives in Lisbon', kind='fact', status='superseded', id={memo.id!r})"
