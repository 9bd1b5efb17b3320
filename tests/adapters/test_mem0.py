"""mem0's documented calls and result shapes, on recollect."""

import inspect
import os
from collections.abc import Iterator

import pytest

from recollect import Place
from recollect.adapters import mem0
from recollect.adapters.mem0 import Memory
from tests import ground

HIKING = [
    {"role": "user", "content": "I live in Lisbon and I am allergic to nuts."},
    {"role": "assistant", "content": "Noted, no nuts then."},
]


@pytest.fixture
def m() -> Iterator[Memory]:
    with Memory(store=ground.new(), embedder="null", model="local") as memory:
        yield memory


def texts(found: dict[str, list[dict[str, object]]]) -> list[object]:
    return [result["memory"] for result in found["results"]]


def test_messages_are_learned_from_and_found_again(m: Memory):
    added = m.add(HIKING, user_id="alice", metadata={"category": "facts"})
    assert {(result["memory"], result["event"]) for result in added["results"]} == {
        ("Lives in Lisbon", "ADD"),
        ("Is allergic to nuts", "ADD"),
    }
    for found in (m.search("nuts", user_id="alice"), m.search("nuts", filters={"user_id": "alice"}, top_k=1)):
        best = found["results"][0]
        assert best["memory"] == "Is allergic to nuts"
        assert best["score"] >= 0.5
        assert (best["user_id"], best["metadata"]) == ("alice", {"category": "facts"})
        assert {"id", "hash", "created_at", "updated_at"} <= best.keys()
    assert m.get(added["results"][0]["id"])["memory"] == added["results"][0]["memory"]
    assert "/" not in added["results"][0]["id"], "it fits into the path of an address"
    assert sorted(texts(m.get_all(user_id="alice"))) == ["Is allergic to nuts", "Lives in Lisbon"]
    assert texts(m.get_all(filters={"user_id": "bob"})) == []
    assert texts(m.search("nuts", user_id="bob")) == []


def test_without_inference_each_message_is_kept_as_it_is(m: Memory):
    added = m.add([*HIKING, {"role": "system", "content": "Be nice"}], user_id=7, infer=False)
    assert [(result["memory"], result["role"], result["event"]) for result in added["results"]] == [
        (message["content"], message["role"], "ADD") for message in HIKING
    ]
    assert m.add(HIKING[0]["content"], user_id="7", infer=False)["results"][0]["event"] != "ADD"
    assert {result["role"] for result in m.get_all(user_id=7)["results"]} == {"user", "assistant"}
    said = {"role": "user", "name": "Bo", "content": "Sails"}
    assert m.add(said, user_id=7, infer=False, prompt="unused")["results"][0]["actor_id"] == "Bo"
    assert texts(m.get_all(filters={"user_id": 7, "actor_id": "Bo"})) == ["Sails"]


def test_a_memory_is_updated_deleted_and_has_a_history(m: Memory):
    memory_id = m.add("Likes tea", user_id="alice", infer=False, metadata={"a": 1})["results"][0]["id"]
    m.add("Likes tea", user_id="alice", infer=False, metadata={"a": 1})
    assert m.update(memory_id, text="Likes green tea") == {"message": "Memory updated successfully!"}
    m.update(memory_id=memory_id, data="Likes black tea", metadata={"b": 2, "user_id": "bob"})
    memory = m.get(memory_id)
    assert (memory["memory"], memory["metadata"], memory["user_id"]) == ("Likes black tea", {"a": 1, "b": 2}, "alice")
    assert m.delete(memory_id) == {"message": "Memory deleted successfully!"}
    assert m.get(memory_id) is None
    history = m.history(memory_id)
    assert [event["event"] for event in history] == ["ADD", "UPDATE", "UPDATE", "DELETE"]
    assert {"Likes tea", "Likes green tea", "Likes black tea"} == {e["new_memory"] for e in history if e["new_memory"]}
    assert (history[-1]["old_memory"], history[-1]["is_deleted"]) == ("Likes black tea", True)
    for change in (m.delete, lambda one: m.update(one, "x")):
        with pytest.raises(ValueError, match="not found"):
            change(memory_id)
    assert (m.get("nobody/nothing"), m.history("nothing")) == (None, [])


def test_what_a_user_told_an_agent_is_found_under_the_user_the_agent_the_run_or_all_of_them(m: Memory):
    m.add("Likes tea", user_id="alice", agent_id="travel", run_id="r1", infer=False)
    m.add("Likes milk", user_id="alice", infer=False)
    m.add("I live in Graz.", user_id="bob", agent_id="travel", run_id="r2")
    m.add("Answers in rhyme", agent_id="travel", infer=False)
    m.add("Step one is done", run_id="r1", infer=False)
    for ids, expected in [
        ({"user_id": "alice"}, ["Likes milk", "Likes tea"]),
        ({"user_id": "alice", "agent_id": "travel"}, ["Likes tea"]),
        ({"user_id": "alice", "run_id": "r1"}, ["Likes tea"]),
        ({"user_id": "bob", "run_id": "r1"}, []),
        ({"user_id": "alice", "agent_id": "other"}, []),
        ({"agent_id": "travel"}, ["Answers in rhyme", "Likes tea", "Lives in Graz"]),
        ({"agent_id": "travel", "run_id": "r2"}, ["Lives in Graz"]),
        ({"run_id": "r1"}, ["Likes tea", "Step one is done"]),
        ({"agent_id": "trav"}, []),
    ]:
        assert sorted(texts(m.get_all(**ids))) == sorted(texts(m.get_all(filters=ids))) == expected, ids
        found = m.search("What is known: tea, milk, Graz, rhyme, step one?", filters=ids, threshold=0)
        assert sorted(texts(found)) == expected, ids
    assert texts(m.search("Where does he live?", filters={"agent_id": "travel"}))[0] == "Lives in Graz"
    ids_of = {result["memory"]: [result.get(name) for name in mem0.records.SCOPES] for result in everything(m)}
    assert ids_of["Likes tea"] == ["alice", "travel", "r1"]
    assert ids_of["Lives in Graz"] == ["bob", "travel", "r2"]
    assert ids_of["Answers in rhyme"] == [None, "travel", None]


def test_a_memory_that_is_changed_stays_with_its_agent_and_run(m: Memory):
    (added,) = m.add("I live in Graz.", user_id="bob", agent_id="travel", run_id="r2", metadata={"a": 1})["results"]
    m.add("I live in Graz.", user_id="bob", agent_id="food")
    m.update(added["id"], text="Lives in Vienna", metadata={"b": 2})
    for ids in ({"agent_id": "food"}, {"run_id": "r2"}, {"user_id": "bob", "agent_id": "travel"}):
        assert texts(m.get_all(filters=ids)) == ["Lives in Vienna"]
    assert [event["new_memory"] for event in m.history(added["id"])] == ["Lives in Graz", "Lives in Vienna"]


def everything(m: Memory) -> list[dict[str, object]]:
    return m.get_all(filters={"OR": [{name: "*"} for name in mem0.records.SCOPES]})["results"]


def test_a_scope_is_deleted_without_the_others(m: Memory):
    m.add("Likes tea", user_id="alice", agent_id="travel", infer=False)
    m.add("Likes milk", user_id="alice", infer=False)
    m.add("Answers in rhyme", agent_id="travel", infer=False)
    m.add("Likes maps", user_id="bob", agent_id="travel", infer=False)
    m.delete_all(user_id="alice", agent_id="travel")
    assert sorted(texts(m.get_all(agent_id="travel"))) == ["Answers in rhyme", "Likes maps"]
    m.delete_all(agent_id="travel")
    assert [result["memory"] for result in everything(m)] == ["Likes milk"]
    m.reset()
    assert everything(m) == []


def test_what_two_agents_are_told_is_one_memory_that_both_find(m: Memory):
    for agent in ("doctor", "coach", "doctor"):
        for said, infer in (("Runs on Sundays", False), ("I live in Graz.", True)):
            m.add(said, user_id="alice", agent_id=agent, run_id=f"with-{agent}", infer=infer)
    m.add("Runs on Sundays", user_id="alice", infer=False)
    assert sorted(texts(m.get_all(user_id="alice"))) == ["Lives in Graz", "Runs on Sundays"]
    for agent in ("doctor", "coach"):
        found = m.search("Graz, Sundays", filters={"agent_id": agent}, threshold=0)["results"]
        assert sorted(result["memory"] for result in found) == ["Lives in Graz", "Runs on Sundays"]
        assert {(result["agent_id"], result["run_id"]) for result in found} == {(agent, f"with-{agent}")}
        assert {result["metadata"] for result in found} == {None}
    assert texts(m.get_all(agent_id="doctor", run_id="with-coach")) == []
    (running,) = [result for result in everything(m) if result["memory"] == "Runs on Sundays"]
    m.delete(running["id"])
    m.add("Runs on Sundays", user_id="alice", agent_id="cook", infer=False)
    assert texts(m.get_all(agent_id="doctor")) == ["Lives in Graz"], "it was deleted for all of them"


def test_a_channel_or_a_dm_of_a_chat_is_no_agent(m: Memory):
    server, dm = Place("discord", guild="g1", channel="c1", public=True), Place("discord", dm="42", channel="c2")
    for text, place in (("Likes chess", server), ("Likes whist", dm), ("Likes tea", Place(dm="42"))):
        m.memory.remember(text, user="42", place=place)
    assert [texts(m.get_all(agent_id=channel)) for channel in ("c1", "c2")] == [[], []]
    assert texts(m.search("chess whist", filters={"agent_id": "c2"}, threshold=0)) == []
    assert "Likes whist" in texts(m.get_all(user_id="discord:42"))
    assert texts(m.get_all(user_id="42")) == ["Likes tea"]


@pytest.mark.parametrize("user", ["team:alice", "agent:7", "ada@example.com", "é/ü", "run:1", 7])
def test_a_user_may_have_any_id(m: Memory, user: str | int):
    agent, run = "bot@example.com", "3f1c9d1e-6c0b-4d5a-9d39-0a2f6d1f5b11"
    memory_id = m.add("Likes tea", user_id=user, agent_id=agent, run_id=run, infer=False)["results"][0]["id"]
    m.add("Likes tea", user_id=user, agent_id="a&b=c", infer=False)
    for ids in ({"user_id": user}, {"agent_id": agent}, {"run_id": run}, {"agent_id": "a&b=c"}):
        (found,) = m.get_all(filters=ids)["results"]
        assert (found["id"], found["user_id"]) == (memory_id, str(user))
    m.update(memory_id, "Likes green tea")
    assert texts(m.get_all(run_id=run)) == texts(m.get_all(user_id=user)) == ["Likes green tea"]
    m.delete(memory_id)
    assert m.get(memory_id) is None


def test_nothing_makes_room_for_others_and_what_passes_the_filters_is_found_among_all(m: Memory):
    for year, numbers in ((2001, range(3)), (2002, range(3, 250))):
        visits = [f"Visited the museum number {number}" for number in numbers]
        m.memory.remember(visits, user="a", place=Place(dm="a", thread=f"in-{year}"), metadata={"year": year})
    for early in ({"user_id": "a", "year": {"lt": 2002}}, {"run_id": "in-2001"}, {"user_id": "a", "run_id": "in-2001"}):
        found = m.search("Visited the museum", filters=early, top_k=5)["results"]
        assert [result["metadata"] for result in found] == [{"year": 2001}] * 3
    assert len(m.get_all(filters={"user_id": "a"})["results"]) == 20
    assert len(m.get_all(filters={"user_id": "a"}, top_k=1000)["results"]) == 250
    assert texts(m.search("museum", filters={"user_id": "a"}, top_k=0)) == []


def test_filters_know_operators_and_their_combinations(m: Memory):
    for text, metadata in {"Saw Alien": {"kind": "film", "year": 1979}, "Read Dune": {"kind": "book"}}.items():
        m.add(text, user_id="a", infer=False, metadata=metadata)
    for conditions, expected in [
        ({"kind": "film"}, ["Saw Alien"]),
        ({"kind": {"in": ["book"]}}, ["Read Dune"]),
        ({"year": {"gte": 1979, "lt": 1980}}, ["Saw Alien"]),
        ({"year": "*"}, ["Saw Alien"]),
        ({"kind": {"icontains": "OO"}}, ["Read Dune"]),
        ({"NOT": [{"kind": "film"}]}, ["Read Dune"]),
        ({"OR": [{"year": 1979}, {"kind": "book"}]}, ["Read Dune", "Saw Alien"]),
    ]:
        assert sorted(texts(m.get_all(filters={"user_id": "a", **conditions}))) == expected, conditions
    assert texts(m.search("Alien or Dune", filters={"user_id": "a", "kind": "film"}, threshold=0)) == ["Saw Alien"]
    in_all = {"AND": [{"user_id": "a"}, {"kind": "book"}, {"created_at": {"gte": "2020-01-01"}}]}
    assert texts(m.get_all(filters=in_all)) == texts(m.search("Dune", filters=in_all, threshold=0)) == ["Read Dune"]
    assert texts(m.get_all(filters={"AND": [{"user_id": "b"}]})) == []
    m.add("Saw Heat", user_id="a", run_id="r1", infer=False)
    assert texts(m.get_all(filters={"user_id": "a", "run_id": "*"})) == ["Saw Heat"]
    with pytest.raises(ValueError, match="operator"):
        m.get_all(filters={"user_id": "a", "kind": {"like": "f"}})
    m.add("Saw Ran", user_id=7, infer=False, metadata={"tags": ["jidaigeki", "war"]})
    for conditions, expected in [
        ({"user_id": "*"}, ["Read Dune", "Saw Alien", "Saw Heat", "Saw Ran"]),
        ({"OR": [{"user_id": 7}, {"run_id": "r1"}]}, ["Saw Heat", "Saw Ran"]),
        ({"user_id": {"in": [7, "b"]}}, ["Saw Ran"]),
        ({"AND": [{"user_id": 7}, {"NOT": [{"kind": "film"}]}]}, ["Saw Ran"]),
        ({"user_id": 7, "tags": "war"}, ["Saw Ran"]),
        ({"user_id": 7, "tags": ["war", "peace"]}, ["Saw Ran"]),
        ({"user_id": 7, "tags": {"ne": "war"}}, []),
    ]:
        assert sorted(texts(m.get_all(filters=conditions))) == expected, conditions
        assert sorted(texts(m.search("Saw or read?", filters=conditions, threshold=0))) == expected, conditions
    for wrong, match in [
        ({"AND": "x"}, "under AND"),
        ({"kind": "film"}, "user_id"),
        ("user_id", "filters="),
        ({"user_id": "nobody", "kind": {"like": "f"}}, "'like'"),
    ]:
        with pytest.raises(ValueError, match=match):
            m.get_all(filters=wrong)
    with pytest.raises(ValueError, match="different ids"):
        m.get_all(user_id="a", filters={"user_id": "b"})


def test_what_is_wrong_is_a_value_error_that_names_the_argument(m: Memory):
    for call, match in [
        (lambda: m.add("x"), "user_id, agent_id"),
        (lambda: m.search("x"), "filters"),
        (lambda: m.get_all(), "user_id"),
        (lambda: m.delete_all(), "reset"),
        (lambda: m.add(3, user_id="a"), "messages="),
        (lambda: m.add("x", user_id="a b"), "user_id="),
        (lambda: m.add("x", user_id="a", expiration_date="soon"), "expiration_date="),
        (lambda: m.search("x", user_id="a", top_k=-1), "top_k="),
        (lambda: m.get_all(user_id="a", top_k="all"), "top_k="),
        (lambda: m.search("x", user_id="a", threshold="high"), "threshold="),
        (lambda: m.add("x", user_id="a", metadata="film"), "metadata="),
        (lambda: m.add("x", agent_id="a", memory_type="procedural_memory"), "memory_type=.*infer=False"),
        (lambda: m.add("x", user_id="a", memory_type="semantic"), "memory_type="),
        (lambda: m.add("x", user_id="a", prompt="Only facts about food"), "prompt=.*infer=False"),
        (lambda: m.add("x", user_id="a", timestamp=1), "timestamp="),
        (lambda: m.search(" ", user_id="a"), "query="),
        (lambda: m.search("x", user_id="a", threshold=2), "threshold="),
        (lambda: m.update("a/b"), "text="),
    ]:
        with pytest.raises(ValueError, match=match):
            call()


def test_an_expired_memory_is_not_shown(m: Memory):
    m.add("Sells a bike", user_id="a", infer=False, expiration_date="2020-01-01")
    m.add("Sells a car", user_id="a", infer=False, expiration_date="2999-01-01")
    assert texts(m.get_all(user_id="a")) == ["Sells a car"]
    assert len(m.get_all(user_id="a", show_expired=True)["results"]) == 2
    assert texts(m.search("sells", user_id="a")) == ["Sells a car"]
    assert sorted(texts(m.search("sells", user_id="a", show_expired=True))) == ["Sells a bike", "Sells a car"]
    (bike,) = [r for r in m.get_all(user_id="a", show_expired=True)["results"] if r["memory"] == "Sells a bike"]
    assert m.get(bike["id"])["expiration_date"] == "2020-01-01", "by its id it is found"
    m.update(bike["id"], metadata={"price": 5})
    assert m.get(bike["id"])["expiration_date"] == "2020-01-01", "not said is unchanged"
    m.update(bike["id"], expiration_date=None)
    assert sorted(texts(m.get_all(user_id="a"))) == ["Sells a bike", "Sells a car"]
    assert "expiration_date" not in m.get(bike["id"])


async def test_the_asynchronous_memory_has_the_same_calls():
    names = ["add", "search", "get", "get_all", "update", "delete", "delete_all", "history", "reset"]
    for name in names:
        assert inspect.signature(getattr(Memory, name)) == inspect.signature(getattr(mem0.AsyncMemory, name))
    config = {"recollect": {"store": ground.new(), "embedder": "null", "model": "local"}, "vector_store": {}}
    async with mem0.AsyncMemory.from_config(config) as memory:
        await memory.add("I live in Lisbon.", user_id="alice")
        assert texts(await memory.search("Lisbon", user_id="alice")) == ["Lives in Lisbon"]


def test_a_configuration_of_mem0_names_model_embedder_address_and_key(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.delenv("OPENAI_API_KEY")
    settings_of = mem0.configuration.settings_of
    config = {
        "llm": {"provider": "openai", "config": {"model": "gpt-4.1-mini", "api_key": "sk-from-the-config"}},
        "embedder": {"provider": "openai", "config": {"model": "text-embedding-3-small"}},
        "vector_store": {"provider": "qdrant", "config": {"host": "localhost"}},
    }
    tasks = {"model": "openai:gpt-4.1-mini"}
    everything_is_kept = {"memos": {"max_active": None}}
    assert settings_of(config) == everything_is_kept | {
        **tasks,
        "extraction": tasks,
        "summary": tasks,
        "embedder": "openai:text-embedding-3-small",
    }
    assert os.environ["OPENAI_API_KEY"] == "sk-from-the-config"
    monkeypatch.delenv("OPENAI_API_KEY")
    server = {"model": "llama3.1:latest", "ollama_base_url": "http://localhost:11434"}
    ollama = {
        "llm": {"provider": "ollama", "config": server},
        "embedder": {"provider": "ollama", "config": server | {"model": "nomic-embed-text"}},
    }
    assert (
        settings_of(ollama).items()
        >= {
            "model": "openai:llama3.1:latest",
            "model_base_url": "http://localhost:11434/v1",
            "embedder": "openai:nomic-embed-text",
            "embedder_base_url": "http://localhost:11434/v1",
        }.items()
    )
    for provider, name in (("azure_openai", "azure"), ("gemini", "google"), ("groq", "groq")):
        assert settings_of({"llm": {"provider": provider, "config": {"model": "m"}}})["model"] == f"{name}:m"
    assert settings_of({"embedder": {"provider": "huggingface", "config": {"model": "m"}}}) == everything_is_kept
    assert settings_of({**config, "recollect": {"model": "local", "embedder": "null"}}) == everything_is_kept | {
        "model": "local",
        "embedder": "null",
    }
    assert settings_of({"recollect": {"memos": {"max_active": 9}}})["memos"] == {"max_active": 9}
    with pytest.raises(ValueError, match="config="):
        Memory.from_config("config.yaml")  # type: ignore[arg-type]


def test_the_question_of_mem0s_quickstart_finds_everything(m: Memory):
    m.add("I live in Lisbon. I love basketball and gaming.", user_id="alex")
    found = m.search("What do you know about me?", filters={"user_id": "alex"})
    assert sorted(texts(found)) == ["Lives in Lisbon", "Loves basketball and gaming"]
    (memory, _) = found["results"]
    assert m.get(memory["id"])["score"] is None
