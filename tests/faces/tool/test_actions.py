"""What each action of the tool does."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from recollect.core.types import Audience, Message, Origin, Place, Status
from recollect.faces.tool.dispatcher import MAX_METADATA_CHARS
from recollect.faces.tool.schema import parameters
from tests import scenes
from tests.faces.tool.conftest import BOTH_PROFILES, Agent, opened
from tests.scenes import DEV, DM, ELSEWHERE, GENERAL, STAFF

JWT = "The API uses JWT tokens with 24h expiration"


@BOTH_PROFILES
@pytest.mark.acceptance("E7", "E13")
async def test_what_is_saved_is_kept_with_its_category_keywords_and_metadata(agent: Agent):
    answer = await agent(
        "save", content=JWT, category="fact", keywords=["API", "jwt"], metadata={"ticket": 7, "seen": ["a", None]}
    )
    memory = answer.data["memory"]
    first, *heard = answer.text.splitlines()
    assert first == f'Remembered: "{JWT}" (id {memory["id"]}, added)'
    if agent.memory.settings.profile == "unified":  # whose memories are not recalled everywhere
        assert heard[0].startswith("It may be recalled in the user's direct messages only; the user can change that")
        assert answer.data["audience"] == "dm:ann"
    assert (memory["category"], memory["content"], memory["keywords"]) == ("fact", JWT, ["api", "jwt"])
    (kept,) = (await agent.memory.show(user="ann")).memos
    assert (kept.id, kept.source.origin, kept.source.metadata) == (
        memory["id"],
        Origin.TOOL,
        {"ticket": 7, "seen": ["a", None]},
    )
    bare = await agent("save", content="The office has a red door", category="fact")
    assert (bare.data["memory"]["keywords"], "metadata" in bare.data["memory"]) == ([], False)


async def test_saving_a_secret_returns_the_refusal_to_the_agent(agent: Agent):
    answer = await agent.call({"action": "save", "content": "AKIAIOSFODNN7EXAMPLE", "category": "fact"})
    assert (answer.ok, answer.text) == (False, "error: That looks like a secret, so it was not remembered")
    saved = await agent("save", content=JWT, category="fact")
    assert saved.data["memory"]["version"] == 1


@BOTH_PROFILES
@pytest.mark.acceptance("E29")
async def test_an_explicit_save_by_the_user_and_one_by_an_agent_meet_in_one_memory(agent: Agent):
    await agent.memory.remember(JWT, user="ann")
    answer = await agent("save", content=f"{JWT}.", category="fact")
    assert answer.data["outcome"] in ("known", "revised")
    assert (await agent.memory.show(user="ann")).total == 1


async def test_what_contradicts_an_older_memory_takes_its_place_and_says_so(agent: Agent):
    await agent.save("User lives in Rome")
    answer = await agent("save", content="User lives in Lyon", category="fact")
    assert [each["content"] for each in answer.data["replaced"]] == ["User lives in Rome"]
    assert 'takes the place of: "User lives in Rome"' in answer.text


@BOTH_PROFILES
@pytest.mark.acceptance("E8")
async def test_a_search_finds_what_fits_best_first_with_score_and_within_category_and_limit(agent: Agent):
    await agent.save(JWT, keywords=["authentication"])
    await agent.save("JWT tokens are preferred over cookies", "preference")
    await agent.save("The office has a red door")
    answer = await agent("search", query="JWT expiration")
    first, second = answer.data["results"]
    assert (first["content"], first["score"] > second["score"]) == (JWT, True)
    assert answer.text.splitlines()[0] == f"- [fact] {JWT} (id {first['id']}, 2025-03-01)"
    assert await agent.found("JWT", category="preference") == ["JWT tokens are preferred over cookies"]
    assert len(await agent.found("JWT tokens", limit=1)) == 1
    assert await agent.found("authentication") == [JWT]


async def test_kinds_that_have_no_category_are_found_and_listed_as_facts(agent: Agent):
    await agent.memory.remember("I am allergic to peanuts", user="ann", kind="constraint")
    assert await agent.listed("fact") == ["I am allergic to peanuts"]
    assert await agent.found("peanuts", category="fact") == ["I am allergic to peanuts"]
    assert (await agent("search", query="peanuts", category="event")).data["results"] == []


async def test_where_nothing_fits_the_nearest_are_offered_as_such(agent: Agent):
    for number in range(9):
        await agent.save(f"Box {number} holds part {number * 7}")
    answer = await agent("search", query="sailing weather")
    assert (answer.data["close"], len(answer.data["results"])) == (False, 5)
    assert answer.text.startswith("Nothing fits closely. The nearest:\n- [fact]")


async def test_a_search_in_an_empty_memory_says_what_to_do(agent: Agent):
    answer = await agent("search", query="anything")
    assert (answer.text, answer.data["results"]) == ("Nothing found. Try other words, or list a category.", [])


@BOTH_PROFILES
@pytest.mark.acceptance("E9", "E15")
async def test_a_list_goes_through_a_category_page_by_page_newest_first(agent: Agent):
    names = ["Oslo", "Lima", "Cairo", "Perth", "Quito"]
    for name in names:
        await agent.save(f"The depot in {name} opens early")
    await agent.save("User prefers dark theme", "preference")
    pages, offset = [], 0
    while offset is not None:
        answer = await agent("list", category="fact", limit=2, offset=offset)
        pages += [each["content"] for each in answer.data["memories"]]
        assert answer.data["total"] == 5
        offset = answer.data["next_offset"]
        assert (f"More with offset={offset}" in answer.text) == (offset is not None)
    assert pages == [f"The depot in {name} opens early" for name in reversed(names)]
    assert (await agent("list", category="fact", offset=99)).data["memories"] == []
    assert await agent.listed("preference") == ["User prefers dark theme"]


@BOTH_PROFILES
@pytest.mark.acceptance("E14")
async def test_a_limit_is_twenty_unless_said_and_a_hundred_at_the_most(agent: Agent):
    for number in range(103):
        await agent.memory.remember(f"Locker {number} belongs to {number * 13 + 5}", user="ann", kind="fact")
    for call in ({"action": "list", "category": "fact"}, {"action": "search", "query": "locker"}):
        sizes = []
        for limit in ({}, {"limit": 3}, {"limit": 100}, {"limit": 5000}, {"limit": 0}, {"limit": -5}):
            answer = await agent.call(call | limit)
            sizes.append(len(answer.data.get("memories", answer.data.get("results"))))
        assert sizes == [20, 3, 100, 100, 1, 1]


@BOTH_PROFILES
@pytest.mark.acceptance("E30")
async def test_nothing_expires_by_itself_and_old_memories_are_pruned_through_list_and_delete(agent: Agent):
    await agent.save("Deployed v1.0 on 2024-01-15", "event")
    await agent.save("Deployed v2.1 on 2024-06-20", "event")
    agent.clock.advance(days=3650)
    events = (await agent("list", category="event", limit=100)).data["memories"]
    assert [each["content"] for each in events] == ["Deployed v2.1 on 2024-06-20", "Deployed v1.0 on 2024-01-15"]
    answer = await agent("delete", id=events[1]["id"])
    assert answer.text == 'Forgotten: "Deployed v1.0 on 2024-01-15". Its owner can undo that.'
    assert await agent.listed("event") == ["Deployed v2.1 on 2024-06-20"]


async def test_what_was_deleted_is_restored_by_its_id_whatever_was_saved_since(agent: Agent):
    oslo = await agent.save("The depot is in Oslo")
    await agent("delete", id=oslo)
    await agent.save("The office opens at nine")
    for wrong in ("1", "#1", "Oslo", "durable-00000000"):
        assert "there is no memory" in await agent.error("restore", id=wrong)
    answer = await agent("restore", id=oslo)
    assert answer.text == 'Restored: "The depot is in Oslo"'
    assert (answer.data["memory"]["id"], answer.data["replaced"]) == (oslo, [])
    assert await agent.listed() == ["The depot is in Oslo", "The office opens at nine"]
    assert 'It is in use already: "The depot is in Oslo"' in await agent.error("restore", id=oslo)


async def test_a_deletion_is_by_id_alone_and_can_be_undone(agent: Agent):
    one = await agent.save("The depot in Oslo opens early")
    for wrong in ("1", "#1", "Oslo", "durable-00000000"):
        assert "there is no memory" in await agent.error("delete", id=wrong)
    await agent("delete", id=one)
    assert "no longer in use" in await agent.error("delete", id=one)
    await agent.memory.undo(user="ann")
    assert await agent.listed() == ["The depot in Oslo opens early"]


async def test_an_update_keeps_the_id_the_audience_and_the_earlier_words(agent: Agent):
    one = await agent.save(JWT, keywords=["api"], metadata={"ticket": 7})
    answer = await agent("update", id=one, content="The API uses JWT tokens with 12h expiration")
    memory = answer.data["memory"]
    assert (memory["id"], memory["keywords"], memory["metadata"]) == (one, ["api"], {"ticket": 7})
    assert await agent.listed() == ["The API uses JWT tokens with 12h expiration"]
    assert (await agent.memory.get(one, user="ann")).audience == Audience("dm", "ann")
    why = (await agent("why", id=one)).data["memory"]["why"]
    assert [(each["what"], each.get("content_before")) for each in why["history"]] == [
        ("added", None),
        ("revised", JWT),
    ]
    await agent.memory.undo(user="ann")
    assert await agent.listed() == [JWT]


async def test_an_update_of_keywords_alone_leaves_words_and_source_as_they_are(agent: Agent):
    await agent.memory.remember(JWT, user="ann", tags=["old"])
    (before,) = (await agent.memory.show(user="ann")).memos
    answer = await agent("update", id=before.id, keywords=["New", "new", "auth"])
    assert answer.data["memory"]["keywords"] == ["new", "auth"]
    after = await agent.memory.get(before.id, user="ann")
    assert (after.text, after.source) == (before.text, before.source)


async def test_an_update_of_both_is_undone_as_one(agent: Agent):
    one = await agent.save("The depot in Oslo opens early", keywords=["depot"])
    await agent("update", id=one, content="The depot in Oslo opens at nine", keywords=["hours"])
    await agent.memory.undo(user="ann")
    memo = await agent.memory.get(one, user="ann")
    assert (memo.text, memo.tags) == ("The depot in Oslo opens early", ("depot",))


async def test_an_update_to_what_another_memory_says_leaves_one_of_them(agent: Agent):
    one = await agent.save("The depot in Oslo opens early")
    other = await agent.save("Parcels go out on Fridays")
    await agent("update", id=one, content="Parcels go out on Fridays")
    assert await agent.listed() == ["Parcels go out on Fridays"]
    assert (await agent.memory.get(other, user="ann")).status is Status.SUPERSEDED


async def test_updating_a_retired_or_unknown_memo_fails(agent: Agent):
    one = await agent.save(JWT)
    await agent("delete", id=one)
    assert "no longer in use" in await agent.error("update", id=one, content="x is y")
    assert "there is no memory" in await agent.error("update", id="durable-ffffffff", content="x is y")
    assert await agent.error("update", id=one) == "error: update needs content or keywords"


async def test_why_tells_who_said_it_where_when_and_what_became_of_it():
    async with opened() as agent:
        there = agent.of("ann", DEV)
        one = await there.save("The beta ships on Friday")
        answer = await there("why", id=one)
        assert answer.text.splitlines() == [
            f"[fact] The beta ships on Friday (id {one}, active)",
            "saved by an agent for ann in #dev, 2025-03-01",
            "- 2025-03-01 12:01 added by ann",
        ]
        why = answer.data["memory"]["why"]
        assert (why["said_by"], why["where"], why["origin"], why["evidence"]) == ("ann", "in #dev", "tool", None)
        alone = await agent.of("ann", DM)("why", id=one)
        assert alone.text.endswith("- 2025-03-01 12:01 added by ann: new")


async def shared(agent: Agent, said: str, place: Place) -> str:
    """A memory that was learned from a message in this place, and shared by its owner later."""
    await agent.memory.add(Message("m1", "ann", place, said, agent.clock()), wait=True)
    one = await agent.of("ann", place).save("Works at Globex")
    memo = await agent.memory.get(one, user="ann", place=place)
    source = replace(memo.source, origin=Origin.SUMMARY, message="m1", evidence=said)
    await agent.memory.store.write(lambda tx: tx.memos.put(replace(memo, source=source)))
    await agent.memory.share(one, user="ann", place=place)
    return one


async def test_why_tells_the_words_of_a_dm_in_the_dm_alone():
    async with opened() as agent:
        one = await shared(agent, "I work at Globex, but can't stand Karl", DM)
        told = await agent.of("ann", DEV)("why", id=one)
        assert "said by ann elsewhere" in told.text
        why = told.data["memory"]["why"]
        assert (why["where"], why["message"], why["evidence"]) == ("elsewhere", None, None)
        assert {each["reason"] for each in why["history"]} == {None}
        assert "Karl" not in f"{told.text} {told.data}"
        alone = (await agent.of("ann", DM)("why", id=one)).text
        assert 'in direct messages, 2025-03-01\nin the words: "I work at Globex, but can\'t stand Karl"' in alone
        assert "audience everywhere" in alone


async def test_why_does_not_name_the_memory_of_a_closed_channel_that_a_public_one_replaced():
    async with opened() as agent:
        private = (await agent.memory.remember("I live in Rome", user="ann", place=STAFF)).memo.id
        public = (await agent.memory.remember("I live in Lyon", user="ann", place=DEV)).memo.id
        told = await agent.of("ann", DEV)("why", id=public)
        assert private not in told.text + str(told.data)
        assert f"it took the place of {private}" in (await agent.of("ann", STAFF)("why", id=public)).text


async def test_why_names_a_closed_channel_only_in_it_and_an_open_one_in_its_guild():
    async with opened() as agent:
        one = await shared(agent, "I work at Globex", STAFF)
        assert "staff" not in str((await agent.of("ann", DEV)("why", id=one)).data)
        assert (
            'in #staff, 2025-03-01\nin the words: "I work at Globex"'
            in (await agent.of("ann", STAFF)("why", id=one)).text
        )
    async with opened() as agent:
        one = await shared(agent, "I work at Globex", DEV)
        assert "in #dev" in (await agent.of("ann", GENERAL)("why", id=one)).text
        assert "in #dev" not in (await agent.of("ann", ELSEWHERE)("why", id=one)).text


async def test_an_update_in_a_dm_takes_a_public_memory_out_of_public_and_says_so():
    async with opened() as agent:
        one = await agent.of("ann", DEV).save("I live in Lisbon")
        answer = await agent.of("ann", DM)("update", id=one, content="I live in Lisbon and plan a divorce")
        assert "It may be recalled in the user's direct messages only" in answer.text
        assert answer.data["audience"] == "dm:discord:ann"
        assert await agent.of("ann", DEV).listed() == []
        assert await agent.of("ann", DM).listed() == ["I live in Lisbon and plan a divorce"]


@pytest.mark.acceptance("E10")
@pytest.mark.sqlite
async def test_index_rebuilds_the_search_index(tmp_path: Path):
    async with opened(tmp_path / "memory.db") as agent:
        await agent.save(JWT)
        with closing(apsw.Connection(str(tmp_path / "memory.db"))) as damaging:
            damaging.execute("DELETE FROM memo_words")
        assert not (await agent("search", query="JWT")).data["close"]
        answer = await agent("index")
        assert (answer.text, answer.data["rows"]) == ("The search index is rebuilt: 1 row.", 1)
        assert (await agent("search", query="JWT")).data["close"]
        assert await agent.found("JWT") == [JWT]


async def test_data_and_answers_are_plain_json(agent: Agent):
    one = await agent.save(JWT, metadata={"a": [1, {"b": None}]})
    for call in ({"action": "why", "id": one}, {"action": "search", "query": "JWT"}, {"action": "list"}):
        answer = await agent.call(json.dumps(call))
        assert json.loads(json.dumps(answer.data)) == answer.data
        assert str(answer) == answer.text


async def test_secrets_are_not_kept_in_any_part_of_a_memory(agent: Agent):
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    await agent.save(
        f"Deploys go to the bucket in Oslo, whose key is {key}", keywords=[key], metadata={"key": key, key: [key]}
    )
    (memo,) = (await agent.memory.show(user="ann")).memos
    assert key not in scenes.content(memo)


async def test_metadata_may_not_pass_for_the_value_of_an_adapter(agent: Agent):
    given = {"item": {"path": [], "key": "k", "said": "", "value": {}}}
    assert "'item' is taken" in await agent.error("save", content=JWT, category="fact", metadata=given)
    assert await agent.listed() == []


async def test_metadata_that_is_too_large_is_refused(agent: Agent):
    assert "metadata" in await agent.error(
        "save", content=JWT, category="fact", metadata={"x": "y" * MAX_METADATA_CHARS}
    )
    assert await agent.listed() == []


@BOTH_PROFILES
@pytest.mark.acceptance("E16")
async def test_each_category_is_kept_as_what_it_means(agent: Agent):
    said = {
        "fact": "Database runs on port 5432",
        "preference": "User prefers dark theme",
        "event": "Deployed v2.1 on 2024-01-15",
        "summary": "Sprint review conclusions: ship weekly",
    }
    for category, content in said.items():
        await agent.save(content, category)
    for category, content in said.items():
        assert await agent.listed(category) == [content]
    kinds = {memo.text: memo.kind.value for memo in (await agent.memory.show(user="ann")).memos}
    assert kinds == {content: category for category, content in said.items()}
    meaning = parameters()["properties"]["category"]["description"]
    for words in ("objective information", "what the user likes", "happened at a time", "condensed knowledge"):
        assert words in meaning


class TestAudience:
    async def test_a_saved_memo_keeps_the_audience_of_its_place(self, agent: Agent):
        secret = "The raise is decided"
        await agent.of("ann", STAFF).save(secret)
        await agent.of("ann", DM).save("The doctor said to rest")
        assert await agent.of("ann", STAFF).listed() == [secret]
        assert await agent.of("ann", DEV).listed() == []
        assert await agent.of("ann", ELSEWHERE).listed() == []
        assert sorted(await agent.of("ann", DM).listed()) == ["The doctor said to rest", secret]

    async def test_what_may_not_be_heard_here_can_be_neither_seen_nor_changed(self, agent: Agent):
        hidden = await agent.of("ann", DM).save("The doctor said to rest")
        here = agent.of("ann", DEV)
        for action, more in (("why", {}), ("delete", {}), ("update", {"content": "x is y"})):
            assert "there is no memory" in await here.error(action, id=hidden, **more)
        assert (await here("search", query="doctor")).data["results"] == []
        assert await agent.of("ann", DM).listed() == ["The doctor said to rest"]

    async def test_a_guilds_lore_is_found_and_explained_but_not_changed(self, agent: Agent):
        memory = agent.memory
        lore = (await memory.remember("The guild was founded in 2019", user="bob", place=DEV, lore=True)).memo.id
        here = agent.of("ann", DEV)
        assert await here.found("when was the guild founded") == ["The guild was founded in 2019"]
        assert "stated by bob in #dev" in (await here("why", id=lore)).text
        assert "there is no memory" in await here.error("delete", id=lore)

    @pytest.mark.parametrize("name", ["user", "place", "subject", "as", "guild", "self"])
    async def test_no_argument_names_another_user(self, agent: Agent, name: str):
        one = await agent.of("bob").save("Bob keeps bees")
        answer = await agent.call({"action": "search", "query": "bees", name: "bob"})
        assert (answer.ok, f"search takes no '{name}'" in answer.text) == (False, True)
        assert "Bob" not in (await agent("search", query="bees")).text
        assert "there is no memory" in await agent.error("why", id=one)

    async def test_a_tool_hears_as_its_place_does(self):
        async with opened() as agent:
            away = agent.of("ann", Place(guild="elsewhere", channel="c", public=True))
            await agent.of("ann").save("Ann keeps bees")
            assert await away.listed() == []
            assert "DM of 'bob'" in await agent.of("ann", Place(dm="bob")).error("list")
