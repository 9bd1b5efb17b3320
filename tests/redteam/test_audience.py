"""Nobody is told what they could not hear: real permissions on Discord, as they were when the words were said."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import discord
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.core.types import Audience, Place
from recollect.faces.discord.places import place_of
from recollect.policy.visibility import audience_covers_place
from tests.doubles.discord.permissions import BOT_MAY, MEMBERS_MAY, PERMISSIONS, can
from tests.doubles.discord.things import Channel, Role, User
from tests.doubles.discord.world import World

READING = "view_channel read_message_history"
ALL_INTENTS = (1 << 30) - 1
NO_MEMBERS = ALL_INTENTS & ~(1 << 1)


@dataclass
class Said:
    """Something that was said: who could hear it, by Discord's own rules, and what we make of that."""

    where: Channel
    audience: Audience
    readers: frozenset[str]
    viewers: frozenset[str]


@dataclass
class Town:
    """A server whose permissions change while people talk."""

    intents: int = ALL_INTENTS
    world: World = field(default_factory=World)
    said: list[Said] = field(default_factory=list[Said])

    def __post_init__(self) -> None:
        world = self.world
        self.people = [world.user(name) for name in ("ann", "bob", "cem", "dua")]
        self.robot = world.user("robot", bot=True)
        self.guild = world.guild("Town", *self.people, self.robot)
        self.roles = [world.role(self.guild, name) for name in ("verified", "staff", "quarantine")]
        self.categories = [world.category(self.guild, name) for name in ("hall", "attic")]
        self.channels = [
            world.text(self.guild, "general"),
            world.text(self.guild, "random", self.categories[0]),
            world.text(self.guild, "staff", self.categories[1]),
            world.forum(self.guild, "ideas", self.categories[0]),
        ]
        ann, bob, *_ = self.people
        self.threads = [
            world.thread(self.channels[0], "open", ann, world.bot),
            world.thread(self.channels[1], "closed", ann, bob, world.bot, private=True),
            world.thread(self.channels[3], "post", bob, world.bot),
        ]
        self.everyone: list[Role | User] = [self.guild.everyone, *self.roles, *self.people, self.robot]

    @property
    def places(self) -> list[Channel]:
        return [*self.channels[:3], *self.threads]

    def who(self, channel: Channel, permissions: str) -> frozenset[str]:
        humans = [member.user for member in self.guild.members.values() if not member.user.bot]
        minors = {self.people[3].name} if (channel.parent if channel.is_thread else channel).nsfw else set()
        return frozenset(user.name for user in humans if can(user, channel, permissions)) - minors

    def guild_now(self) -> discord.Guild:
        """The server as the bot knows it."""
        client = discord.Client(intents=discord.Intents.all())
        state: Any = client._connection  # a real server object without a connection
        state.user = discord.ClientUser(
            state=state,
            data={"id": str(self.world.bot.id), "username": "bot", "discriminator": "0", "avatar": None, "bot": True},
        )
        return discord.Guild(data=self.world.whole_guild(self.guild, self.intents), state=state)  # type: ignore[arg-type]

    def place(self, channel: Channel, guild: discord.Guild | None = None) -> Place:
        known = (guild or self.guild_now()).get_channel_or_thread(channel.id)
        assert known is not None
        return place_of(known, 0)

    def say(self, channel: Channel) -> None:
        if can(self.world.bot, channel, "view_channel"):
            audience = Audience.parse(str(self.place(channel).audience))
            self.said.append(Said(channel, audience, self.who(channel, READING), self.who(channel, "view_channel")))

    def check(self) -> None:
        """Whoever may be listening somewhere now could hear what may be told there."""
        guild = self.guild_now()
        for channel in self.places:
            if not can(self.world.bot, channel, "view_channel"):
                continue
            place, listeners = self.place(channel, guild), self.who(channel, "view_channel")
            for said in self.said:
                if audience_covers_place(said.audience, place):
                    heard = said.viewers if said.audience == place.audience else said.readers
                    assert listeners <= heard, (said, place, listeners)


def _overwrite(town: Town, draw: Callable[[Any], Any]) -> None:
    channel = draw(st.sampled_from([*town.channels, *town.categories]))
    target, permissions = draw(st.sampled_from(town.everyone)), draw(st.sampled_from(["view_channel", READING[13:]]))
    allow = draw(st.sampled_from(["allow", "deny", "neither"]))
    town.world.overwrite(channel, target, **({} if allow == "neither" else {allow: permissions}))


def _remove_overwrites(town: Town, draw: Callable[[Any], Any]) -> None:
    draw(st.sampled_from(town.channels)).overwrites.clear()


def _move(town: Town, draw: Callable[[Any], Any]) -> None:
    draw(st.sampled_from(town.channels)).parent = draw(st.sampled_from([None, *town.categories]))


def _permit(town: Town, draw: Callable[[Any], Any]) -> None:
    role = draw(st.sampled_from([town.guild.everyone, *town.roles]))
    role.permissions = draw(st.sampled_from([0, MEMBERS_MAY, BOT_MAY, PERMISSIONS["view_channel"]]))


def _restrict_age(town: Town, draw: Callable[[Any], Any]) -> None:
    channel = draw(st.sampled_from(town.channels))
    channel.nsfw = not channel.nsfw


def _say(town: Town, draw: Callable[[Any], Any]) -> None:
    town.say(draw(st.sampled_from(town.places)))


STEPS = [_say, _say, _say, _overwrite, _overwrite, _overwrite, _permit, _move, _remove_overwrites, _restrict_age]


@st.composite
def towns(draw: Any) -> Town:
    """A server after a while of talking and of changing permissions; nothing was told too far on the way."""
    town = Town(draw(st.sampled_from([ALL_INTENTS, NO_MEMBERS])))
    for person in town.people:
        roles = draw(st.lists(st.sampled_from(town.roles), unique=True))
        town.world.set_roles(town.guild, person, *roles)
    for _ in range(draw(st.integers(2, 10))):
        draw(st.sampled_from(STEPS))(town, draw)
        town.check()
    return town


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(towns())
def test_nobody_is_told_what_they_could_not_read_when_it_was_said(town: Town) -> None:
    town.check()


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.timeout(1800)
@settings(max_examples=4000, deadline=None, suppress_health_check=list(HealthCheck))
@given(towns())
def test_nobody_is_told_what_they_could_not_read_in_many_towns(town: Town) -> None:
    town.check()


def _covers(town: Town, said: Channel, where: Channel) -> bool:
    return audience_covers_place(town.place(said).audience, town.place(where))


def test_a_role_that_is_denied_in_every_channel_costs_nothing() -> None:
    town = Town()
    general, random, staff, _ = town.channels
    for channel in town.channels:
        town.world.overwrite(channel, town.roles[2], deny="view_channel")
    town.world.overwrite(staff, town.guild.everyone, deny="view_channel")
    town.world.overwrite(staff, town.roles[1], allow="view_channel")
    assert town.place(general).audience.level == town.place(town.threads[0]).audience.level == "guild"
    assert _covers(town, general, random)
    assert _covers(town, random, town.threads[0])
    assert not _covers(town, staff, general)
    assert not _covers(town, general, staff), "one of the staff may be in quarantine"
    town.world.overwrite(random, town.people[1], deny="view_channel")
    assert _covers(town, general, random)
    assert not _covers(town, random, general)


@pytest.mark.parametrize("how", ["by the server", "by each channel"])
def test_a_server_that_only_the_verified_can_view_has_ordinary_channels(how: str) -> None:
    town = Town()
    verified = town.roles[0]
    welcome = town.world.text(town.guild, "welcome")
    general, random, staff, ideas = town.channels
    if how == "by the server":
        town.world.permit(town.guild, town.guild.everyone, "read_message_history connect")
        town.world.permit(town.guild, verified, READING)
        town.world.overwrite(welcome, town.guild.everyone, allow="view_channel")
    else:
        for channel in (general, random, ideas):
            town.world.only_for(channel, verified)
    town.world.only_for(staff, town.roles[1])
    assert [town.place(channel).public for channel in (general, random, staff, welcome)] == [True, True, False, True]
    assert _covers(town, general, random)
    assert _covers(town, welcome, general)
    assert not _covers(town, general, welcome), "who is not verified reads along"
    assert not _covers(town, staff, general)


@pytest.mark.parametrize("bot", ["robot", "bot"])
def test_a_channel_that_differs_for_a_bot_or_the_owner_alone_differs_for_no_person(bot: str) -> None:
    town = Town()
    general, random, *_ = town.channels
    for channel in (general, random):
        town.world.only_for(channel, town.roles[0])
    town.world.overwrite(random, town.robot if bot == "robot" else town.world.bot, deny="read_message_history")
    town.world.overwrite(general, town.world.owner, allow="view_channel")
    assert town.place(general).readers == town.place(random).readers == f"+{town.roles[0].id}"


def test_who_can_not_read_the_history_could_not_hear_what_was_said_but_may_listen_now() -> None:
    town = Town()
    general, random, staff, _ = town.channels
    town.world.overwrite(general, town.people[1], deny="read_message_history")
    town.world.overwrite(random, town.people[1], deny="view_channel")
    assert not town.place(general).public
    assert not _covers(town, general, staff)
    assert not _covers(town, random, general), "Bob reads along in #general"
    assert _covers(town, general, random)
    assert _covers(town, general, general)
    assert _covers(town, staff, general)


def test_a_channel_that_does_not_follow_its_closed_category_is_told_nothing_of_it_and_tells_nobody() -> None:
    """Discord copies overwrites into channels. While the two differ, both have to be considered."""
    town = Town()
    general, _, staff, _ = town.channels
    town.world.only_for(town.categories[1], town.roles[1])
    lost = town.world.text(town.guild, "lost", town.categories[1])
    lost.overwrites.clear()
    assert _covers(town, staff, staff)
    assert not _covers(town, staff, lost), "everyone may read along there"
    assert not _covers(town, lost, general), "perhaps only the staff could read it"
    assert _covers(town, lost, lost)
    assert _covers(town, general, lost)


def test_a_closed_channel_with_the_id_of_its_server_is_not_the_server() -> None:
    closed = Place("discord", "1", "1")
    assert not audience_covers_place(closed.audience, Place("discord", "1", "2", public=True))
    assert not audience_covers_place(closed.audience, replace(closed, public=True))
    assert audience_covers_place(closed.audience, closed)


def test_who_can_not_read_the_history_of_one_channel_is_not_told_it_in_another_of_the_same_permissions() -> None:
    town = Town()
    general, random, *_ = town.channels
    for channel in (general, random):
        town.world.overwrite(channel, town.guild.everyone, deny="read_message_history")
        town.world.overwrite(channel, town.roles[0], allow="read_message_history")
    assert town.place(general).readers == town.place(random).readers
    assert _covers(town, general, general), "those who were there hear it there"
    assert not _covers(town, general, random)


def test_a_deleted_role_that_a_channel_still_lists_denies_nobody_and_tells_nobody_more() -> None:
    town = Town()
    general, random, *_ = town.channels
    muted = town.roles[2]
    town.world.overwrite(general, muted, deny="view_channel")
    said = town.place(general).audience
    del town.guild.roles[muted.id]
    assert not audience_covers_place(said, town.place(general)), "those who had the role read along now"
    assert not _covers(town, general, random), "nor is it known that all of them could"


def test_what_is_said_in_an_age_restricted_channel_is_not_told_where_minors_read_along() -> None:
    town = Town()
    general, random, staff, ideas = town.channels
    random.nsfw = staff.nsfw = ideas.nsfw = True
    assert not _covers(town, random, general)
    assert _covers(town, random, town.threads[2]), "a post in an age-restricted forum"
    assert _covers(town, general, random)
    said = town.place(random).audience
    random.nsfw = False
    assert not audience_covers_place(said, town.place(random)), "it is open to minors now"
    town.world.only_for(staff, town.roles[1])
    assert _covers(town, random, staff)
    assert not _covers(town, staff, general)
