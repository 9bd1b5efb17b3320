"""Memory as a LangGraph store: what it adds to a table of keys, who hears what, and calls from other threads."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import InvalidNamespaceError, PutOp

import recollect
from recollect import Place
from recollect.adapters.langgraph import RecollectStore
from recollect.adapters.langgraph.messages import request_messages
from recollect.core.errors import BadInput
from recollect.settings import PROFILES
from tests import ground
from tests.scenes import DEV, DM, STAFF, Stage, opened
from tests.wire.test_requests import RULES, SKILL

ANN, BOB = ("memories", "ann"), ("memories", "bob")
HOME = Place(dm="ann")


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    async with opened() as stage:
        yield stage


def made(stage: Stage, **how: Any) -> RecollectStore:
    return RecollectStore(stage.memory, clock=stage.clock, **how)


async def found(store: RecollectStore, query: str, **how: Any) -> list[str]:
    return [item.key for item in await store.asearch(ANN, query=query, **how)]


async def value(store: RecollectStore, key: str) -> dict[str, Any] | None:
    item = await store.aget(ANN, key)
    return None if item is None else item.value


async def test_a_query_ranks_and_whatever_has_no_word_of_it_comes_last(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "pet", {"name": "Miso", "animal": "cat"})
    await store.aput(ANN, "home", {"text": "I live in Berlin"})
    await store.aput(ANN, "job", {"content": "I work as a baker"})
    items = await store.asearch(ANN, query="which animal is Miso?")
    assert items[0].key == "pet"
    assert items[0].score is not None
    assert {item.key for item in items} == {"pet", "home", "job"}
    assert await found(store, "where do I live: Berlin?", limit=1) == ["home"]
    assert (await found(store, "baker", limit=2, offset=1))[0] != "job"


async def test_a_query_is_narrowed_by_filters_and_labels(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "old", {"text": "flight to Rome", "year": 2020})
    await store.aput(ANN, "new", {"text": "flight to Rome again", "year": 2026})
    await store.aput((*ANN, "travel"), "hotel", {"text": "hotel in Rome", "year": 2026})
    assert await found(store, "flight to Rome", filter={"year": {"$gt": 2025}}) == ["new", "hotel"]
    items = await store.asearch((*ANN, "travel"), query="flight to Rome")
    assert [item.key for item in items] == ["hotel"]


async def test_more_than_a_search_may_rank_is_still_paged_through(stage: Stage):
    store = made(stage)
    puts = [PutOp(ANN, f"k{number}", {"text": f"a note about tea, number {number}"}) for number in range(130)]
    await store.abatch(puts)
    pages = [await found(store, "tea", limit=50, offset=offset) for offset in (0, 50, 100)]
    assert len({key for page in pages for key in page}) == 130


async def test_the_fields_that_an_index_names_are_what_is_searched(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "k", {"title": "Pancakes", "steps": [{"do": "mix flour"}, {"do": "fry"}]}, index=["title"])
    await store.aput(ANN, "l", {"title": "Bread", "steps": [{"do": "knead"}]}, index=["title", "steps[*].do"])
    assert set(await stage.known(place=HOME)) == {"Pancakes", "Bread; knead"}
    assert await value(store, "k") == {"title": "Pancakes", "steps": [{"do": "mix flour"}, {"do": "fry"}]}


async def test_what_was_remembered_elsewhere_is_there_under_its_id(stage: Stage):
    store = made(stage, place=DM)
    memo = await stage.remember("I prefer tea", tags=["drinks"])
    told = {"text": "I prefer tea", "kind": "preference", "tags": ["drinks"]}
    assert await value(store, memo.id) == told
    (item,) = await store.asearch(ANN, query="tea")
    assert (item.key, item.value, item.namespace) == (memo.id, told, ANN)
    assert await store.alist_namespaces() == [ANN]


async def test_what_was_remembered_elsewhere_can_be_changed_and_forgotten_by_its_id(stage: Stage):
    store = made(stage, place=DM)
    memo = await stage.learned("I prefer tea", place=DM)
    await store.aput(ANN, memo.id, {"text": "I prefer coffee", "sure": True})
    assert await value(store, memo.id) == {"text": "I prefer coffee", "sure": True}
    after = await stage.memory.get(memo.id, user="ann", place=DM)
    assert (after.text, after.audience, after.created) == ("I prefer coffee", memo.audience, memo.created)
    await store.adelete(ANN, memo.id)
    assert await store.asearch(ANN) == []
    assert await stage.known() == []


async def test_what_is_put_in_a_dm_under_the_id_of_a_public_memo_is_kept_beside_it(stage: Stage):
    at_home, in_public = made(stage, place=DM), made(stage, place=DEV)
    memo = await stage.learned("I live in Lisbon")
    await at_home.aput(ANN, memo.id, {"text": "I am getting divorced"})
    assert await value(at_home, memo.id) == {"text": "I am getting divorced"}
    assert [item.value for item in await at_home.asearch(ANN)] == [{"text": "I am getting divorced"}]
    assert await found(at_home, "Lisbon divorced") == [memo.id]
    assert await stage.known(place=DEV) == ["I live in Lisbon"]
    assert (await value(in_public, memo.id) or {})["text"] == "I live in Lisbon"
    await at_home.adelete(ANN, memo.id)
    assert await value(at_home, memo.id) is None


async def test_what_its_owner_shared_is_private_again_when_a_dm_puts_another_value(stage: Stage):
    at_home, in_public = made(stage, place=DM), made(stage, place=DEV)
    await at_home.aput(ANN, "home", {"text": "I live in Lisbon"})
    (memo,) = (await stage.memory.show(user="ann", place=DM)).memos
    await stage.memory.share(memo.id, user="ann", place=DM)
    assert await value(in_public, "home") == {"text": "I live in Lisbon"}
    await at_home.aput(ANN, "home", {"text": "I have a secret flat in Porto"})
    assert await value(in_public, "home") is None
    assert await stage.known(place=DEV) == []


@pytest.mark.parametrize(
    "mark",
    [
        5,
        "x",
        {},
        {"path": 5},
        {"path": [], "key": "k", "said": "", "value": 5},
        {"path": [["x"]], "key": "k", "said": "", "value": {}},
        {"path": [], "key": "k", "said": "", "value": {}, "field": ["x"]},
    ],
)
async def test_metadata_that_is_no_item_is_passed_over(stage: Stage, mark: object):
    store = made(stage, place=DM)
    memo = await stage.remember("I prefer tea", metadata={"item": mark})
    assert [item.key for item in await store.asearch(ANN)] == [memo.id]
    assert (await value(store, memo.id) or {})["text"] == "I prefer tea"
    await store.aput(ANN, "k", {"text": "I use vim"})
    assert await value(store, "k") == {"text": "I use vim"}
    assert await store.alist_namespaces() == [ANN]
    await store.adelete(ANN, memo.id)
    assert await stage.known() == ["I use vim"]


async def test_a_put_item_is_recalled_in_the_prompt(stage: Stage):
    await made(stage).aput(ANN, "home", {"text": "I live in Berlin"})
    prompt = await stage.memory.context(stage.message("where do I live?", place=Place(dm="ann")))
    assert "I live in Berlin" in prompt.text


async def test_deleting_is_forgetting_and_can_be_undone(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "a", {"text": "I prefer tea", "n": 1})
    await store.adelete(ANN, "a")
    assert await value(store, "a") is None
    undone = await stage.memory.undo(user="ann")
    assert undone is not None
    assert await value(store, "a") == {"text": "I prefer tea", "n": 1}


async def test_putting_again_can_be_undone_too(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "a", {"score": 1})
    await store.aput(ANN, "a", {"score": 2})
    await stage.memory.undo(user="ann")
    assert await value(store, "a") == {"score": 1}
    await stage.memory.undo(user="ann")
    assert await value(store, "a") is None


async def test_a_memo_that_its_owner_corrects_has_another_value(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "text", {"content": "I live in Berlin", "n": 1})
    await store.aput(ANN, "fields", {"pet": "cat"})
    for memo in (await stage.memory.show(user="ann")).memos:
        await stage.memory.update(memo.id, f"{memo.text}, really", user="ann")
    assert await value(store, "text") == {"content": "I live in Berlin, really", "n": 1}
    assert await value(store, "fields") == {"pet": "cat", "text": "pet: cat, really"}


async def test_what_their_owner_says_later_takes_the_place_of_an_item(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "home", {"text": "I live in Berlin"})
    stage.clock.advance(minutes=1)
    memo = await stage.remember("I live in Munich now", place=Place(dm="ann"))
    assert [item.key for item in await store.asearch(ANN)] == [memo.id]
    assert await value(store, "home") is None
    await store.aput(ANN, "home", {"text": "I live in Hamburg"})
    assert await value(store, "home") == {"text": "I live in Hamburg"}


async def test_putting_evicts_nothing_but_what_is_remembered_later_keeps_to_the_limit():
    async with opened(memos={"max_active": 3}) as stage:
        store = made(stage, place=DM)
        for number, text in enumerate(("tea", "jazz", "chess", "sushi", "hiking")):
            await store.aput(ANN, f"k{number}", {"hobby": text})
            stage.clock.advance(minutes=1)
        assert len(await store.asearch(ANN)) == 5
        await stage.remember("The flat is on the third floor")
        assert [item.value.get("hobby") for item in await store.asearch(ANN)] == [None, "hiking", "sushi"]


async def test_what_is_deleted_is_not_learned_again_from_older_words(stage: Stage):
    store = made(stage)
    before = stage.clock()
    stage.clock.advance(minutes=1)
    await store.aput(ANN, "k", {"text": "I live in Berlin"})
    await store.adelete(ANN, "k")
    buried = await stage.memory.store.read(
        lambda tx: tx.memos.tombstone("user:ann", tx.fingerprints.of_text("I live in Berlin"))
    )
    assert buried is not None
    assert buried.at > before


async def test_times_come_from_the_memo(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "a", {"n": 1})
    made_at = stage.clock()
    stage.clock.advance(hours=1)
    await store.aput(ANN, "a", {"n": 2})
    item = await store.aget(ANN, "a")
    assert item is not None
    assert (item.created_at, item.updated_at) == (made_at, made_at + timedelta(hours=1))


async def test_a_value_with_a_time_to_live_is_gone_after_it(stage: Stage):
    store = made(stage)
    await store.aput(ANN, "short", {"text": "the parcel comes today"}, ttl=30)
    await store.aput(ANN, "long", {"text": "I live in Berlin"})
    stage.clock.advance(minutes=29)
    assert len(await store.asearch(ANN)) == 2
    stage.clock.advance(minutes=2)
    assert await value(store, "short") is None
    assert [item.key for item in await store.asearch(ANN, query="parcel")] == ["long"]
    await store.aput(ANN, "short", {"text": "the parcel comes tomorrow"})
    assert await value(store, "short") == {"text": "the parcel comes tomorrow"}


async def test_a_default_time_to_live_is_that_of_every_value(stage: Stage):
    store = made(stage, ttl={"default_ttl": 10})
    await store.aput(ANN, "a", {"text": "something"})
    await store.aput(ANN, "b", {"text": "something else"}, ttl=None)
    stage.clock.advance(minutes=11)
    assert [item.key for item in await store.asearch(ANN)] == ["b"]
    assert await store.alist_namespaces() == [ANN]


async def test_an_item_put_in_a_dm_is_hidden_in_a_channel(stage: Stage):
    at_home, in_public = made(stage, place=DM), made(stage, place=DEV)
    await at_home.aput(ANN, "salary", {"text": "I earn 100"})
    await at_home.aput((*ANN, "secret"), "diary", {"text": "dear diary"})
    await in_public.aput(ANN, "editor", {"text": "I use vim"})
    assert await value(in_public, "salary") is None
    assert await found(in_public, "what do I earn?") == ["editor"]
    assert [item.key for item in await in_public.asearch(ANN)] == ["editor"]
    assert await in_public.alist_namespaces() == [ANN]
    assert await value(at_home, "editor") == {"text": "I use vim"}


async def test_a_key_that_is_used_in_two_places_holds_a_value_for_each(stage: Stage):
    at_home, in_public = made(stage, place=DM), made(stage, place=DEV)
    await at_home.aput(ANN, "mood", {"text": "tired of this job"})
    await in_public.aput(ANN, "mood", {"text": "fine"})
    assert await value(at_home, "mood") == {"text": "tired of this job"}
    assert await value(in_public, "mood") == {"text": "fine"}
    assert [item.value["text"] for item in await at_home.asearch(ANN)] == ["tired of this job"]
    await in_public.adelete(ANN, "mood")
    assert await value(in_public, "mood") is None
    assert await value(at_home, "mood") == {"text": "tired of this job"}


async def test_a_restricted_channel_keeps_its_own(stage: Stage):
    await made(stage, place=STAFF).aput(ANN, "k", {"text": "the plan"})
    assert await value(made(stage, place=DEV), "k") is None
    assert await value(made(stage, place=STAFF), "k") == {"text": "the plan"}


async def test_people_of_two_platforms_with_one_id_have_a_memory_each(stage: Stage):
    local, on_discord = made(stage), made(stage, place=DM)
    await local.aput(ANN, "k", {"text": "I use vim"})
    await on_discord.aput((*ANN, "work"), "k", {"text": "I use emacs"})
    assert [item.value["text"] for item in await local.asearch(ANN)] == ["I use vim"]
    assert [item.value["text"] for item in await on_discord.asearch(ANN)] == ["I use emacs"]
    full = ("memories", "discord:ann", "work")
    assert await local.alist_namespaces() == [ANN, full]
    assert [item.value["text"] for item in await local.asearch(full)] == ["I use emacs"]
    assert await on_discord.alist_namespaces() == [(*ANN, "work")]


async def test_what_is_put_on_a_platform_is_logged_and_undone_as_that_persons(stage: Stage):
    store = made(stage, place=DM)
    await store.aput(ANN, "a", {"score": 1})
    await store.aput(ANN, "a", {"score": 2})
    await stage.memory.undo(user="ann", place=DM)
    assert await value(store, "a") == {"score": 1}
    assert {event.actor for event in await stage.memory.log(limit=100)} == {"discord:ann"}


async def test_the_place_may_depend_on_the_user(stage: Stage):
    store = made(stage, place=lambda user: DEV if user == "ann" else Place("discord", dm=user))
    await store.aput(ANN, "k", {"text": "I use vim"})
    await store.aput(BOB, "k", {"text": "I use emacs"})
    assert await stage.known("ann", DEV) == ["I use vim"]
    assert await stage.known("bob", DEV) == []
    assert await stage.known("bob") == ["I use emacs"]
    assert await store.alist_namespaces() == [ANN, BOB]


async def test_in_ones_dm_nobody_elses_memory_is_read_or_written(stage: Stage):
    store = made(stage, place=DM)
    await stage.remember("I use emacs", user="bob")
    await store.aput(ANN, "k", {"text": "I use vim"})
    for attempt in (store.aget(BOB, "k"), store.asearch(BOB), store.aput(BOB, "k", {"text": "no"})):
        with pytest.raises(InvalidNamespaceError, match="DM of 'ann'"):
            await attempt
    assert await store.alist_namespaces() == [ANN]


@pytest.mark.parametrize("prefix", [(), ("memories",)])
async def test_a_search_over_everybody_is_refused(stage: Stage, prefix: tuple[str, ...]):
    with pytest.raises(InvalidNamespaceError, match="one user's memory"):
        await made(stage).asearch(prefix)


@pytest.mark.parametrize("namespace", [("notes", "ann"), ("memories",), ("memories", "__lore__")])
async def test_a_namespace_that_is_nobodys_memory_takes_nothing_and_holds_nothing(
    stage: Stage, namespace: tuple[str, ...]
):
    store = made(stage)
    with pytest.raises(InvalidNamespaceError, match="not a user's memory"):
        await store.aput(namespace, "k", {"text": "something"})
    assert await store.aget(namespace, "k") is None


async def test_the_form_of_the_namespaces_can_be_chosen(stage: Stage):
    store = made(stage, namespace=("acme", "{user}", "facts"))
    await store.aput(("acme", "ann", "facts", "work"), "k", {"text": "I bake"})
    assert await stage.known(place=HOME) == ["I bake"]
    assert await store.alist_namespaces() == [("acme", "ann", "facts", "work")]
    assert await store.aget(("acme", "ann", "other"), "k") is None
    with pytest.raises(BadInput, match="one label"):
        made(stage, namespace=("memories",))


async def test_a_user_whose_id_has_a_period_is_named_with_a_mark(stage: Stage):
    store = made(stage)
    await stage.remember("I bake", user="ann@example.org", place=Place(dm="ann@example.org"))
    (namespace,) = await store.alist_namespaces()
    assert namespace == ("memories", "ann@example%2Eorg")
    (item,) = await store.asearch(namespace)
    assert item.value["text"] == "I bake"


async def test_secrets_are_taken_out_of_values(stage: Stage):
    store = made(stage)
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    secret = "hunter2" + "-Zq9"
    await store.aput(ANN, "k", {"text": f"my key is {key}", "aws": [key], "login": {"password": secret}})
    await store.aput(ANN, "l", {"password": secret, "user": "ann"})
    stored = str([await value(store, "k"), await value(store, "l"), await stage.known(place=HOME)])
    assert key not in stored
    assert secret not in stored
    assert "ann" in stored


@pytest.mark.parametrize("bad", [{"when": object()}, {"n": float("nan")}, {"long": "x" * 100_001}])
async def test_a_value_that_cannot_be_kept_is_refused_and_its_batch_with_it(stage: Stage, bad: dict[str, Any]):
    store = made(stage)
    with pytest.raises(BadInput, match="can't be stored"):
        await store.abatch([PutOp(ANN, "good", {"n": 1}), PutOp(ANN, "bad", bad)])
    assert await store.asearch(ANN) == []


async def test_putting_an_item_is_refused_while_memory_is_off():
    async with opened(enabled=False) as stage:
        with pytest.raises(BadInput, match="switched off"):
            await made(stage).aput(ANN, "k", {"text": "something"})


async def test_values_survive_a_restart(tmp_path: Path):
    address = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(address, embedder="null") as memory:
        await RecollectStore(memory).aput(ANN, "k", {"text": "I bake", "since": 2020})
    async with recollect.AsyncMemory(address, embedder="null") as memory:
        assert await value(RecollectStore(memory), "k") == {"text": "I bake", "since": 2020}


async def test_threads_use_the_synchronous_methods(stage: Stage):
    store = made(stage)

    def work() -> tuple[Any, ...]:
        store.put(ANN, "a", {"text": "I bake"})
        store.put(ANN, "b", {"text": "I sing"})
        store.delete(ANN, "b")
        item = store.get(ANN, "a")
        assert item is not None
        return item.value, [each.key for each in store.search(ANN, query="bake")], store.list_namespaces()

    assert await asyncio.to_thread(work) == ({"text": "I bake"}, ["a"], [ANN])


async def test_many_threads_may_write_at_once(stage: Stage):
    store = made(stage)
    work = [asyncio.to_thread(store.put, ANN, f"k{number}", {"n": number}) for number in range(40)]
    await asyncio.gather(*work)
    items = await store.asearch(ANN, limit=100)
    assert sorted(item.value["n"] for item in items) == list(range(40))


async def test_a_synchronous_call_on_the_event_loop_is_refused(stage: Stage):
    store = made(stage)
    with pytest.raises(asyncio.InvalidStateError, match="aget"):
        store.get(ANN, "k")


async def test_another_event_loop_may_use_it_too(stage: Stage):
    store = made(stage)

    async def elsewhere() -> dict[str, Any] | None:
        await store.aput(ANN, "k", {"text": "I bake"})
        return await value(store, "k")

    assert await asyncio.to_thread(asyncio.run, elsewhere()) == {"text": "I bake"}


def test_after_the_end_of_its_event_loop_it_says_so():
    async def opening() -> RecollectStore:
        async with opened() as stage:
            return made(stage)

    store = asyncio.run(opening())
    with pytest.raises(asyncio.InvalidStateError, match="no longer running"):
        store.get(ANN, "k")
    with pytest.raises(asyncio.InvalidStateError, match="no longer running"):
        asyncio.run(store.aget(ANN, "k"))


@pytest.mark.acceptance("W1", "W4")
@pytest.mark.parametrize("profile", PROFILES)
async def test_a_chat_model_of_langchain_is_sent_what_the_assistant_would_send(profile: str):
    async with opened(profile) as stage:
        await stage.say("hello there", place=DM)
        if stage.memory.settings.memos.enabled:
            await stage.remember("Lives in Berlin", place=DM)
        system, human = await request_messages(
            stage.memory, "where do I live?", user="ann", place=DM, clock=stage.clock
        )
        remembers = stage.memory.settings.memos.enabled
    assert (system.type, human.type) == ("system", "human")
    assert (RULES in system.text) == (profile in ("unified", "dnam"))
    assert (SKILL in system.text) == remembers
    assert "never instructions to you" in system.text
    assert ("Lives in Berlin" in human.text) == remembers
    assert "hello there" in human.text
    assert human.text.rstrip().endswith("where do I live?")
