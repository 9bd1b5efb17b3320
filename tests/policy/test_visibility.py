"""No memo is ever recalled where it may not be heard: the rule against a model of who hears what."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import recollect
from recollect.core.errors import BadInput
from recollect.core.types import (
    EVERYWHERE,
    Audience,
    Kind,
    Memo,
    Message,
    Origin,
    Place,
    Provenance,
    Status,
    Subject,
    person_key,
)
from recollect.policy.viewer import guild_audience, provenance, subject_of
from recollect.policy.visibility import (
    VisibilityPolicy,
    audience_covers_place,
    includes,
    is_forgotten,
    is_visible,
    limit_audience,
    narrowest,
)
from recollect.recall.query import Hit
from recollect.testing.clock import START, FakeClock
from recollect.testing.models import FakeModel
from tests import ground
from tests.scenes import AT_ONCE

PEOPLE = ("ann", "bob", "cem", "dua")
WALLS = (VisibilityPolicy.BY_AUDIENCE, VisibilityPolicy.GUILD_ISOLATED)


@dataclass(frozen=True)
class World:
    """Every place there is, each with the people who can hear it."""

    hearers: dict[Place, frozenset[str]]
    members: dict[str, frozenset[str]]

    @property
    def places(self) -> list[Place]:
        return list(self.hearers)


@dataclass(frozen=True)
class Said:
    """A statement: who said what where, and for whom (for whoever could hear it there, unless said otherwise)."""

    number: int
    speaker: str
    place: Place
    text: str
    audience: Audience
    lore: bool = False

    def may_be_heard(self, world: World, place: Place, asker: str, policy: VisibilityPolicy) -> bool:
        """The rule in terms of people, not of names of audiences."""
        if self.lore:
            return place.guild == self.place.guild and is_among(world, place, world.members[self.place.guild or ""])
        if policy is VisibilityPolicy.GUILD_ISOLATED:
            shared = self.audience == EVERYWHERE and place.guild is not None
            return place.guild == self.place.guild and (shared or self._was_heard_by_all(world, place))
        if place.dm == self.speaker or (policy is VisibilityPolicy.USER_GLOBAL and asker == self.speaker):
            return True
        if self.audience == EVERYWHERE:
            return asker == self.speaker
        return self._was_heard_by_all(world, place)

    def _was_heard_by_all(self, world: World, place: Place) -> bool:
        return is_among(world, place, world.hearers[self.place])


def is_among(world: World, place: Place, people: frozenset[str]) -> bool:
    return world.hearers[place] <= people


def some(people: frozenset[str]) -> st.SearchStrategy[frozenset[str]]:
    return st.frozensets(st.sampled_from(sorted(people)), min_size=1)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    hearers = {Place("discord", dm=person, channel=f"dm-{person}"): frozenset({person}) for person in PEOPLE}
    members: dict[str, frozenset[str]] = {}
    for guild in draw(st.sampled_from([("g1",), ("g1", "g2")])):
        members[guild] = draw(some(frozenset(PEOPLE)))
        for number in range(draw(st.integers(1, 2))):
            public = draw(st.booleans())
            readers = members[guild] if public else draw(some(members[guild]))
            channel = Place("discord", guild, f"{guild}-c{number}", public=public)
            hearers[channel] = readers
            for private in draw(st.sampled_from([(), (False,), (True,), (False, True)])):
                thread = replace(channel, thread=f"{channel.channel}-t{int(private)}", private_thread=private)
                hearers[thread] = draw(some(readers)) if private else readers
    return World(hearers, members)


TEXTS = (
    "Lives in Berlin", "Lives in Paris", "I currently live in Paris", "Likes tea", "I like tea", "Likes tea and coffee",
    "Works at Acme",
)  # fmt: skip


@st.composite
def statements(draw: st.DrawFn, world: World, number: int = 0, texts: Sequence[str] = TEXTS) -> Said:
    place = draw(st.sampled_from(world.places))
    speaker = draw(st.sampled_from(sorted(world.hearers[place])))
    lore = place.guild is not None and draw(st.integers(0, 4)) == 0
    audience = Audience("guild", place.guild or "", place.guild or "") if lore else place.audience
    if not lore and draw(st.integers(0, 3)) == 0:
        audience = EVERYWHERE
    return Said(number, speaker, place, draw(st.sampled_from(texts)), audience, lore)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[World, Said, Place, str, VisibilityPolicy]:
    world = draw(worlds())
    place = draw(st.sampled_from(world.places))
    asker = draw(st.sampled_from(sorted(world.hearers[place])))
    return world, draw(statements(world)), place, asker, draw(st.sampled_from(VisibilityPolicy))


def key(person: str) -> str:
    return person_key("discord", person)


def memo_of(said: Said) -> Memo:
    return Memo(
        id="durable-1",
        subject=Subject.lore(said.place.guild or "") if said.lore else Subject(key(said.speaker)),
        kind=Kind.FACT,
        text=said.text,
        created=START,
        updated=START,
        source=Provenance(guild=said.place.guild, channel=said.place.channel),
        audience=said.audience,
    )


def keeps_secrets(scene: tuple[World, Said, Place, str, VisibilityPolicy]) -> None:
    world, said, place, asker, policy = scene
    memo = memo_of(said)
    if is_visible(memo, place, {key(asker)}, policy):
        assert said.may_be_heard(world, place, asker, policy)
    if policy in WALLS and is_visible(memo, place, (), policy) and place.dm != said.speaker:
        source = world.members[said.place.guild or ""] if said.lore else world.hearers[said.place]
        assert is_among(world, place, source), "nobody shares it here, so everyone must have been able to hear it"
        assert said.audience != EVERYWHERE
    assert is_visible(memo, said.place, {key(said.speaker)}, policy), "it is heard where it was said"
    if not said.lore and policy is not VisibilityPolicy.GUILD_ISOLATED:
        dm = Place("discord", dm=said.speaker)
        assert is_visible(memo, dm, {key(said.speaker)}, policy), "the subject's DM hears all"


@settings(max_examples=300, deadline=None)
@given(scenes())
def test_no_memo_may_be_heard_by_somebody_who_could_not_have_heard_it(
    scene: tuple[World, Said, Place, str, VisibilityPolicy],
):
    keeps_secrets(scene)


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.timeout(600)
@settings(max_examples=12_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenes())
def test_no_memo_may_be_heard_by_outsiders_in_ten_thousand_worlds(
    scene: tuple[World, Said, Place, str, VisibilityPolicy],
):
    keeps_secrets(scene)


@settings(max_examples=200, deadline=None)
@given(st.data(), worlds())
def test_what_includes_an_audience_is_heard_wherever_that_is(data: st.DataObject, world: World):
    audiences = [EVERYWHERE, *(place.audience for place in world.places)]
    wide, narrow = data.draw(st.sampled_from(audiences)), data.draw(st.sampled_from(audiences))
    for place in world.places:
        if includes(wide, narrow) and audience_covers_place(narrow, place):
            assert audience_covers_place(wide, place)


@settings(max_examples=200, deadline=None)
@given(st.data(), worlds())
def test_what_is_derived_from_several_sources_is_heard_only_where_all_of_them_are(data: st.DataObject, world: World):
    audiences = [EVERYWHERE, *(place.audience for place in world.places)]
    sources = data.draw(st.lists(st.sampled_from(audiences), min_size=1, max_size=3))
    derived = narrowest(sources)
    for place in world.places:
        if derived is not None and audience_covers_place(derived, place):
            assert all(audience_covers_place(source, place) for source in sources)


def test_an_audience_that_nobody_knows_is_heard_nowhere():
    assert not audience_covers_place(Audience.parse("friends:ann"), Place(dm="ann"))
    assert not audience_covers_place(Audience("channel", "", "g1"), Place(guild="g1"))


ODD_IDS = st.sampled_from(["x", "y", "x/y", "slack~x", "x~y", "%2F", "staff"])
PLATFORMS = st.sampled_from(["discord", "slack", "slack~x", "a/b"])
IN_GUILDS = st.builds(
    Place,
    PLATFORMS,
    guild=ODD_IDS,
    channel=ODD_IDS,
    thread=st.none() | ODD_IDS,
    public=st.booleans(),
    private_thread=st.booleans(),
)
ANYWHERE = IN_GUILDS | st.builds(Place, PLATFORMS, channel=ODD_IDS) | st.builds(Place, PLATFORMS, dm=ODD_IDS)


def could_hear(said: Place, place: Place, lore: bool) -> bool:
    """Whether everyone in a place could have heard what was said in another, by the names of both."""
    if said.dm is not None or place.dm is not None:
        return (said.platform, said.dm) == (place.platform, place.dm)
    same_guild = (said.platform, said.guild) == (place.platform, place.guild)
    if said.thread is not None and said.private_thread and not lore:
        same_thread = (said.channel, said.thread) == (place.channel, place.thread)
        return same_guild and same_thread and place.private_thread
    opened = place.public and place.guild is not None and not (place.thread is not None and place.private_thread)
    return same_guild and (
        lore or (said.public and said.guild is not None) or (said.channel == place.channel and not opened)
    )


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(ANYWHERE, ANYWHERE, st.booleans(), st.sampled_from(WALLS))
def test_equal_ids_in_two_guilds_channels_threads_or_platforms_let_nothing_cross(
    said: Place, place: Place, lore: bool, policy: VisibilityPolicy
):
    lore = lore and said.guild is not None
    subject = subject_of("ann", said, lore)
    source = provenance("ann", said, "1", Origin.MANUAL)
    audience = Audience.parse(str(guild_audience(said) if lore else said.audience))
    memo = Memo("durable-1", subject, Kind.FACT, "Lives in Berlin", START, START, source, audience)
    allowed = could_hear(said, place, lore)
    assert audience_covers_place(audience, place) == allowed
    assert allowed or not is_visible(memo, place, {"bob"}, policy)
    assert is_visible(memo, said, {"bob"}, policy), "it is heard where it was said"


def test_a_public_thread_does_not_hear_the_closed_channel_whose_id_it_has():
    thread = Place("local", "home", "dev", thread="staff", public=True)
    assert not audience_covers_place(Place("local", "home", "staff").audience, thread)
    assert not audience_covers_place(
        Place("local", "home", "dev", thread="staff", private_thread=True).audience, Place("local", "home", "staff")
    )


def test_guilds_of_two_platforms_are_two_even_if_their_ids_are_one():
    said, elsewhere = Place("discord", "1", "5", public=True), Place("slack", "1", "5", public=True)
    assert not audience_covers_place(said.audience, elsewhere)
    assert not audience_covers_place(elsewhere.audience, said)
    assert audience_covers_place(elsewhere.audience, elsewhere)
    assert (
        limit_audience(EVERYWHERE, elsewhere, VisibilityPolicy.GUILD_ISOLATED)
        == guild_audience(elsewhere)
        != guild_audience(said)
    )


async def test_lore_of_a_guild_on_another_platform_is_shown_there_and_not_in_its_namesake():
    discord, slack = Place("discord", "1", "5", public=True), Place("slack", "1", "5", public=True)
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=FakeClock()) as memory:
        await memory.remember("The launch is on Friday", user="ann", place=slack, lore=True)
        for place, expected in ((slack, True), (discord, False)):
            prompt = await memory.context(Message("q", "bob", place, "When is the launch?", START))
            assert ("Friday" in prompt.text) is expected
            assert bool(await memory.search("launch", user="bob", place=place)) is expected


@pytest.mark.parametrize(
    ("said", "elsewhere"),
    [
        (Place("discord", dm="channel:x"), Place("discord", "dm", "x", public=True)),
        (Place("local", "home", "staff", "offsite"), Place("local", "home", "dev", "offsite", public=True)),
    ],
    ids=["a DM and a channel", "threads of two channels"],
)
async def test_the_summary_of_a_conversation_is_not_shown_in_one_whose_ids_look_alike(said: Place, elsewhere: Place):
    summary = {"trigger": "every_n_turns", "every_n_turns": 1}
    async with recollect.AsyncMemory(
        ground.new(), embedder="null", model=FakeModel(), summary=summary, **AT_ONCE
    ) as memory:
        await memory.add(Message("1", "channel:x", said, "The layoffs are in June", START))
        await memory.add(Message("2", "bot", said, "Noted", START, bot=True, reply_to="1"))
        await memory.worker.wait_idle(5)
        here, there = [await memory.show(user="channel:x", place=place) for place in (said, elsewhere)]
        assert here.summary is not None
        assert there.summary is None


@pytest.mark.parametrize("author", ["", "  ", "__lore__"])
@pytest.mark.parametrize("bot", [False, True])
async def test_nobody_speaks_under_a_name_that_is_no_users(author: str, bot: bool):
    place = Place("discord", "g1", "c1", public=True)
    said = [Message(str(n), name, place, "I live in Lisbon", START, bot=bot) for n, name in enumerate(("ann", author))]
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=FakeClock()) as memory:
        done = await asyncio.gather(*map(memory.add, said), return_exceptions=True)
        assert done[0], "what others say meanwhile is kept"
        assert isinstance(done[1], BadInput)
        found = await memory.search("Lisbon", user="ann", place=place, over="messages")
        assert [one.item for one in found] == said[:1]


async def test_what_is_said_on_a_platform_with_a_slash_in_its_name_is_learned():
    message = Message("1", "ann", Place("a/b", dm="ann"), "I live in Lisbon", START)
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=FakeClock()) as memory:
        await memory.add(message)
        await memory.wait_learned(message, 5)
        assert [memo.text for memo in (await memory.show(user="ann")).memos] == ["Lives in Lisbon"]


def test_lore_of_a_restricted_channel_stays_in_it():
    audience = Audience("guild", "g1", "g1")
    lore = Memo("durable-1", Subject.lore("g1"), Kind.LORE, "The vault code word", START, START, audience=audience)
    restricted = replace(lore, audience=Audience("channel", "staff", "g1"))
    assert is_visible(lore, Place(guild="g1", channel="general"))
    assert not is_visible(restricted, Place(guild="g1", channel="general"))
    assert is_visible(restricted, Place(guild="g1", channel="staff"))
    assert not is_visible(lore, Place(guild="g2", channel="general"))
    assert not is_visible(lore, Place(dm="ann"))


def test_what_is_shared_everywhere_is_heard_only_where_its_owner_is():
    memo = Memo("durable-1", Subject("ann"), Kind.FACT, "Lives in Berlin", START, START, audience=EVERYWHERE)
    channel = Place("discord", "g1", "c1", public=True)
    assert is_visible(memo, channel, {"ann", "bob"})
    assert not is_visible(memo, channel, {"bob"})
    assert not is_visible(memo, Place("discord", dm="bob"), {"bob"})


@pytest.mark.parametrize("policy", [VisibilityPolicy.BY_AUDIENCE, VisibilityPolicy.USER_GLOBAL])
def test_a_private_fact_is_heard_in_public_only_under_the_policy_that_says_so(policy: VisibilityPolicy):
    memo = Memo("durable-1", Subject("ann"), Kind.FACT, "Is pregnant", START, START, audience=Audience("dm", "ann"))
    assert is_visible(memo, Place("discord", "g1", "c1", public=True), {"ann"}, policy) is (
        policy is VisibilityPolicy.USER_GLOBAL
    )


@dataclass
class Story:
    """A world in which several things were said, one after the other."""

    world: World
    said: list[Said] = field(default_factory=list[Said])


@st.composite
def stories(draw: st.DrawFn) -> Story:
    world = draw(worlds())
    count = draw(st.integers(2, 8))
    texts = draw(st.sampled_from([TEXTS[:3], TEXTS[3:5], TEXTS[3:6]]))  # few, so that statements meet
    return Story(world, [draw(statements(world, number, texts)) for number in range(count)])


async def leaks(story: Story, policy: VisibilityPolicy) -> list[str]:
    """Everything that a memory shows or finds somewhere although it may not be heard there."""
    clock = FakeClock()
    async with recollect.AsyncMemory(ground.new(), embedder="null", visibility=policy.value, clock=clock) as memory:
        for said in story.said:
            clock.advance(minutes=1)
            await memory.remember(
                said.text,
                user=said.speaker,
                place=said.place,
                audience=limit_audience(said.audience, said.place, policy),
                lore=said.lore,
                tags=[f"tag{said.number}"],
                message=str(said.number),
            )
        found: list[str] = []
        for place, hearers in story.world.hearers.items():
            for asker in sorted(hearers):
                allowed = [one for one in story.said if one.may_be_heard(story.world, place, asker, policy)]
                results = await memory.search("Lives Likes tea Works", user=asker, place=place, limit=50)
                shown = (await memory.show(user=asker, place=place)).memos
                found += [f"{one} in {place} to {asker}" for one in (*results, *shown) if not is_covered(one, allowed)]
    return found


def is_covered(result: Hit | Memo, allowed: list[Said]) -> bool:
    """Whether everything in a result was said by somebody in a way that may be heard here: text, tags and source."""
    memo = result.item if isinstance(result, Hit) else result
    assert isinstance(memo, Memo)
    texts = {said.text for said in allowed if said.lore == memo.subject.is_lore}
    numbers = {str(said.number) for said in allowed}
    return memo.text in texts and {tag[3:] for tag in memo.tags} <= numbers and memo.source.message in numbers


@pytest.mark.slow
@pytest.mark.parametrize("policy", VisibilityPolicy)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(story=stories())
async def test_search_and_show_never_give_away_what_may_not_be_heard(policy: VisibilityPolicy, story: Story):
    assert await leaks(story, policy) == []


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.timeout(900)
@pytest.mark.parametrize("policy", VisibilityPolicy)
@settings(max_examples=500, deadline=None, suppress_health_check=list(HealthCheck))
@given(story=stories())
async def test_search_and_show_never_give_away_anything_in_many_stories(policy: VisibilityPolicy, story: Story):
    assert await leaks(story, policy) == []


def test_a_member_of_a_closed_thread_who_can_see_it_again_is_not_told_what_was_said_meanwhile():
    then = Place("discord", "g", "c", "t", private_thread=True, readers="*,-@7")
    now = Place("discord", "g", "c", "t", private_thread=True)
    assert audience_covers_place(then.audience, then)
    assert not audience_covers_place(then.audience, now)
    assert audience_covers_place(now.audience, then)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ((), False),
        ((Status.ACTIVE,), False),
        ((Status.DEPRECATED,), True),
        ((Status.DEPRECATED, Status.SUPERSEDED), True),
        ((Status.DEPRECATED, Status.ACTIVE), False),
        ((Status.SUPERSEDED,), False),
    ],
)
def test_a_message_is_forgotten_once_a_memo_of_it_is_and_none_is_left(statuses: tuple[Status, ...], expected: bool):
    memos = [Memo(f"durable-{n}", Subject("1"), Kind.FACT, "x", START, START, status=s) for n, s in enumerate(statuses)]
    assert is_forgotten(memos) is expected
