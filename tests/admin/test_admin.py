"""What whoever runs a memory sees and changes, beyond what its people are shown."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

import recollect
from recollect import AsyncMemory, Place, Status
from recollect.admin import Admin
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.events import Event
from recollect.core.types import Audience, Message, Origin, Subject, Summary
from recollect.testing.clock import START, FakeClock
from tests import ground

ANN, BOB, GUILD = Subject("discord:ann"), Subject("discord:bob"), Subject.lore("g1")
STAFF = Place("discord", "g1", "c-staff", name="staff")
DEV = Place("discord", "g1", "c-dev", name="dev", public=True)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def memory(clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=clock) as memory:
        yield memory


@pytest.fixture
def office(memory: AsyncMemory, clock: FakeClock) -> Admin:
    return Admin(memory, clock)


async def texts(office: Admin, subject: Subject = ANN, *statuses: Status) -> list[str]:
    return [memo.text for memo in (await office.memos(subject, statuses=statuses or [Status.ACTIVE])).memos]


async def test_the_operator_sees_what_was_said_in_closed_rooms(memory: AsyncMemory, office: Admin):
    await memory.remember("Negotiates a new contract", user="ann", place=STAFF, audience=STAFF.audience)
    assert await texts(office) == ["Negotiates a new contract"]
    assert [(owner.subject, owner.memos) for owner in (await office.owner_page()).owners] == [(ANN, 1)]


async def test_memos_are_filtered_by_words_tags_and_kind(memory: AsyncMemory, office: Admin):
    await memory.remember("Likes green tea", user="discord:ann", kind="preference", tags=["Drinks"])
    await memory.remember("Lives in Graz", user="discord:ann", kind="fact")
    assert [memo.text for memo in (await office.memos(ANN, "DRINKS")).memos] == ["Likes green tea"]
    assert [memo.text for memo in (await office.memos(ANN, "graz")).memos] == ["Lives in Graz"]
    page = await office.memos(ANN, limit=1, offset=1)
    assert (len(page.memos), page.total) == (1, 2)


async def named(memory: AsyncMemory, clock: FakeClock, user: str, name: str) -> None:
    """A person is remembered under a name."""
    await memory.add(Message(f"m-{user}", user, DEV, "I like tea", clock(), name=name))
    await memory.remember("Likes tea", user=user, place=DEV, message=f"m-{user}", origin=Origin.DISCORD)


async def test_someone_among_many_is_found_by_name_also_if_nothing_was_learned_from_them(
    memory: AsyncMemory, office: Admin, clock: FakeClock
):
    said = [Message(f"{i}", f"{i:04}", DEV, "hello there", clock(), name=f"Member {i}") for i in range(1_200)]
    await memory.add(said)
    await memory.add(Message("last", "9999", DEV, "ok", clock(), name="Quiet Quentin"))
    found = await office.search_everything("quentin")
    assert [(owner.subject.id, owner.name, owner.memos) for owner in found.people] == [
        ("discord:9999", "Quiet Quentin", 0)
    ]
    assert [owner.name for owner in (await office.search_everything("9999")).people] == ["Quiet Quentin"]
    assert (await office.match_name("quiet quentin")).id == "discord:9999"
    assert "discord:9999" in (await office.match_name("Quentin")).suggestions


async def test_a_person_is_known_by_id_or_by_name_whatever_its_case(
    memory: AsyncMemory, office: Admin, clock: FakeClock
):
    await named(memory, clock, "310", "Ada Lovelace")
    await memory.remember("Likes coffee", user="ben")
    for typed, user in (
        ("310", "discord:310"),
        ("discord:310", "discord:310"),
        ("Ada Lovelace", "discord:310"),
        (" ada LOVELACE", "discord:310"),
        ("ben", "ben"),
        ("BEN", "ben"),
    ):
        meant = await office.match_name(typed)
        assert (meant.id, meant.is_known, meant.matches) == (user, True, {}), typed
    with pytest.raises(BadInput, match="is not a user"):
        await office.match_name(" ")


async def test_of_several_who_have_a_name_none_is_meant(memory: AsyncMemory, office: Admin, clock: FakeClock):
    await named(memory, clock, "310", "Ada")
    await named(memory, clock, "311", "ADA")
    meant = await office.match_name("ada")
    assert (meant.id, meant.is_known, meant.matches) == ("", False, {"discord:310": "Ada", "discord:311": "ADA"})


async def test_a_name_never_hides_an_id(memory: AsyncMemory, office: Admin, clock: FakeClock):
    await named(memory, clock, "310", "eve")
    await memory.add(Message("m9", "eve", DEV, "Nothing is learned from this", clock(), name="Somebody"))
    meant = await office.match_name("eve")
    assert (meant.id, meant.is_known) == ("discord:eve", True)


async def test_an_unknown_name_gets_suggestions_of_similar_names(memory: AsyncMemory, office: Admin, clock: FakeClock):
    await named(memory, clock, "310", "Ada Lovelace")
    await named(memory, clock, "311", "Bob")
    for typed in ("Ada", "Ada Lovelaec"):
        meant = await office.match_name(typed)
        assert (meant.id, meant.is_known, meant.suggestions) == (typed, False, {"discord:310": "Ada Lovelace"}), typed
    assert (await office.match_name("Zeno")).suggestions == {}


async def test_a_conversation_without_a_summary_is_none_however_many_of_its_messages_are_deleted(
    memory: AsyncMemory, office: Admin, clock: FakeClock
):
    await memory.store.write(lambda tx: tx.summaries.save(Summary(STAFF.session, "They plan.", 1, clock())))
    await memory.add(Message("m1", "ann", DEV, "hello", clock()))
    await memory.message_deleted("discord", "m1")
    assert await office.sessions() == [STAFF.session]
    assert await office.sessions(limit=1) == [STAFF.session], "those that are none take nobody's place"
    await office.reset_summary(STAFF.session)
    assert await office.sessions() == []


async def test_a_memo_tells_its_story(memory: AsyncMemory, office: Admin):
    said = Message("m1", "ann", DEV, "I live in Graz", START)
    await memory.add(said)
    memo = (await memory.remember("Lives in Graz", user="ann", place=DEV, message="m1")).memo
    await office.update(ANN, memo.id, "Lives in Vienna")
    story = await office.memo_details(ANN, memo.id)
    assert story.memo.text == "Lives in Vienna"
    assert [(event.kind, event.actor) for event in story.events] == [
        ("memo.revised", "operator"),
        ("memo.added", "discord:ann"),
    ]
    with pytest.raises(UnknownMemo):
        await office.memo_details(BOB, memo.id)


async def test_the_message_behind_a_memo_is_shown(memory: AsyncMemory, office: Admin):
    said = Message("m1", "ann", DEV, "I live in Graz", START)
    await memory.add(said)
    memo = (await memory.remember("Lives in Graz", user="ann", place=DEV, message="m1")).memo
    assert (await office.memo_details(ANN, memo.id)).message == said


async def test_rewording_by_the_operator_lets_nobody_else_hear_it(memory: AsyncMemory, office: Admin):
    memo = (await memory.remember("Earns 40", user="ann", place=STAFF, audience=STAFF.audience)).memo
    after = await office.update(ANN, memo.id, "Earns 50", tags=["pay"])
    assert (after.id, after.audience, after.tags) == (memo.id, STAFF.audience, ("pay",))
    assert [memo.text for memo in (await memory.show(user="ann", place=DEV)).memos] == []
    assert [memo.text for memo in (await memory.show(user="ann", place=STAFF)).memos] == ["Earns 50"]


async def test_what_the_operator_retires_is_not_learned_again_and_can_be_undone(memory: AsyncMemory, office: Admin):
    memo = (await memory.remember("Likes green tea", user="discord:ann")).memo
    assert (await office.retire(ANN, memo.id)).memos[0].status is Status.DEPRECATED
    assert await texts(office) == []
    with pytest.raises(UnknownMemo, match="no longer"):
        await office.retire(ANN, memo.id)
    assert await office.undo(ANN) is not None
    assert await texts(office) == ["Likes green tea"]
    assert (await office.events(scope=ANN.scope))[0].actor == "operator"


async def test_memos_are_merged_into_one_and_apart_again(memory: AsyncMemory, office: Admin, clock: FakeClock):
    kept = (await memory.remember("Plays the cello in an orchestra", user="discord:ann")).memo
    clock.advance(minutes=1)
    other = (await memory.remember("Has a string instrument at home", user="discord:ann")).memo
    clock.advance(minutes=1)
    merged = await office.merge(ANN, kept.id, [other.id, kept.id], "Plays the cello at home and in an orchestra")
    assert await texts(office) == ["Plays the cello at home and in an orchestra"]
    assert (await office.memo_details(ANN, other.id)).memo.superseded_by == merged.id
    await office.undo(ANN)
    assert sorted(await texts(office)) == ["Has a string instrument at home", "Plays the cello in an orchestra"]


async def test_a_memo_is_not_merged_with_itself_nor_with_one_that_is_gone(memory: AsyncMemory, office: Admin):
    kept = (await memory.remember("Plays the cello", user="discord:ann")).memo
    with pytest.raises(BadInput, match="other"):
        await office.merge(ANN, kept.id, [kept.id])
    with pytest.raises(UnknownMemo):
        await office.merge(ANN, kept.id, ["durable-none"])
    assert await texts(office) == ["Plays the cello"]


async def test_lore_is_added_and_belongs_to_the_whole_guild(memory: AsyncMemory, office: Admin):
    added = (await office.add(GUILD, "Releases go out on Fridays")).memo
    assert added.audience == Audience("guild", "g1", "g1")
    assert [(owner.subject, owner.memos) for owner in (await office.owner_page(lore=True)).owners] == [(GUILD, 1)]
    found = await memory.search("when do releases go out", user="ann", place=DEV)
    assert [one.text for one in found] == ["Releases go out on Fridays"]


async def test_a_memo_is_added_for_someone_without_its_secrets(memory: AsyncMemory, office: Admin):
    added = (
        await office.add(
            ANN, "Works at Acme, and the password there is hunter2hunter2", kind="fact", tags=["Log in"], pinned=True
        )
    ).memo
    assert "hunter2" not in added.text
    assert (added.tags, added.pinned, added.source.actor) == (("log in",), True, "operator")


async def test_summaries_are_shown_with_those_before_them(memory: AsyncMemory, office: Admin):
    for number in (1, 2):
        summary = Summary("discord:g1:channel:c-dev", f"Version {number}", number, START + timedelta(days=number))
        await memory.store.write(lambda tx, summary=summary: tx.summaries.save(summary))
    assert await office.sessions("C-DEV") == ["discord:g1:channel:c-dev"]
    assert await office.sessions("other") == []
    newest, past = await office.summaries("discord:g1:channel:c-dev")
    assert newest is not None
    assert newest.text == "Version 2"
    assert "Version 1" in [one.text for one in past]


async def test_the_overview_counts_by_day_and_adds_up_costs(memory: AsyncMemory, office: Admin, clock: FakeClock):
    await memory.remember("Likes green tea", user="discord:ann")
    await memory.add(Message("m1", "ann", DEV, "hello there", clock()))
    cost = {"input": 100, "output": 20, "requests": 2}
    old = Event("extract.call", START - timedelta(days=2), data=cost)
    events = [old, Event("extract.call", START, data=cost), Event("job.failed", START, detail="broken")]
    events.append(Event("memo.refused", START, detail="no quote"))
    await memory.store.write(lambda tx: [tx.events.add(event) for event in events])
    seen = await office.overview(days=3)
    assert (seen.memos, seen.messages) == (1, 1)
    assert [(day.day, day.learned, day.refused) for day in seen.days][-1] == (START.date(), 1, 1)
    assert len(seen.days) == 3
    assert (seen.cost.calls, seen.cost.input, seen.cost.output) == (2, 100, 20)
    assert [event.text for event in seen.problems] == ["broken"]


async def test_prompts_that_were_at_hand_are_counted(memory: AsyncMemory, office: Admin):
    message = Message("m1", "ann", DEV, "what do I like?", START)
    await memory.context(message)
    await memory.context(message)
    seen = await office.overview()
    assert (seen.prompts, seen.cached_prompts) == (2, 1)


async def test_the_log_goes_on_where_a_reader_stopped(memory: AsyncMemory, office: Admin):
    await memory.remember("Likes green tea", user="discord:ann")
    last = (await office.events_after(0))[-1].id
    await memory.remember("Lives in Graz", user="discord:bob")
    assert [event.scope for event in await office.events_after(last)] == [BOB.scope]


async def test_a_server_is_found_by_its_id_and_its_channels_on_whatever_platform(
    memory: AsyncMemory, office: Admin, clock: FakeClock
):
    hall = Place("matrix", "31415", "hall", name="hall", public=True)
    await memory.add(Message("1", "pi", hall, "hello there", clock(), name="Pi"))
    assert [server.guild for server in await office.servers()] == ["matrix~31415"]
    assert [owner.subject.guild for owner in (await office.search_everything("31415")).guilds] == ["matrix~31415"]
    assert [talk.place.session for talk in await office.conversations()] == [hall.session]
    assert (await office.count_owners())["guilds"] == 1


async def test_a_name_in_a_question_brings_that_person_and_their_memories_first(
    memory: AsyncMemory, office: Admin, clock: FakeClock
):
    for user, name in (("1", "Tomás Novák"), ("2", "Ada"), ("3", "Grace")):
        await memory.add(Message(f"m{user}", user, DEV, "hello there", clock(), name=name))
        await memory.remember("Works as a welder", user=f"discord:{user}")
    found = await office.search_everything("does tomas novak work?")
    assert [owner.name for owner in found.people] == ["Tomás Novák"]
    assert next(name for _, name in found.memos) == "Tomás Novák"
    assert (await office.search_everything("Ada")).people[0].name == "Ada"


async def test_messages_that_only_stand_beside_one_that_fits_are_not_listed(
    memory: AsyncMemory, office: Admin, clock: FakeClock
):
    said = ["Good morning all.", "I love my new pan.", "I'm allergic to kiwi.", "My favourite bread is rye.", "Me too!"]
    for number, text in enumerate(said):
        await memory.add(Message(f"m{number}", "1", DEV, text, clock.advance(minutes=1), name="Ann"))
    for asked in ("allergic", "What is Ann allergic to?"):
        found = await office.search_everything(asked)
        assert [hit.item.text for hit, _ in found.messages] == ["I'm allergic to kiwi."]


async def test_every_model_call_of_a_busy_day_counts(memory: AsyncMemory, office: Admin, clock: FakeClock):
    cost = {"input": 10, "output": 1, "requests": 1, "seconds": 0.5}
    earlier = Event("extract.call", clock(), "openai:tiny", "user:ann", data=cost)
    calls = [Event("extract.call", clock.advance(days=2), "openai:tiny", "user:ann", data=cost)] * 4_001
    await memory.store.write(lambda tx: [tx.events.add(event) for event in (earlier, *calls)])
    (use,) = await office.model_use()
    assert (use.calls, use.input) == (4_001, 40_010)
    assert (await office.overview()).cost.calls == 4_001
