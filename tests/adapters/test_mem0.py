"""mem0's documented calls and result shapes, on recollect."""

import inspect
import os
from collections.abc import Iterator

import pytest

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


def test_a_memory_is_updated_deleted_and_has_a_history(m: Memory):
    memory_id = m.add("Likes tea", user_id="alice", infer=False, metadata={"a": 1})["results"][0]["id"]
    assert m.update(memory_id, text="Likes green tea") == {"message": "Memory updated successfully!"}
    m.update(memory_id=memory_id, data="Likes black tea", metadata={"b": 2, "user_id": "bob"})
    memory = m.get(memory_id)
    assert (memory["memory"], memory["metadata"], memory["user_id"]) == ("Likes black tea", {"a": 1, "b": 2}, "alice")
    assert m.delete(memory_id) == {"message": "Memory deleted successfully!"}
    assert m.get(memory_id) is None
    history = m.history(memory_id)
    assert history[0]["event"] == "ADD"
    assert history[-1]["event"] == "DELETE"
    assert {"Likes tea", "Likes green tea", "Likes black tea"} == {e["new_memory"] for e in history if e["new_memory"]}
    assert (history[-1]["old_memory"], history[-1]["is_deleted"]) == ("Likes black tea", True)
    for change in (m.delete, lambda one: m.update(one, "x")):
        with pytest.raises(ValueError, match="not found"):
            change(memory_id)
    assert (m.get("nobody/nothing"), m.history("nothing")) == (None, [])


def test_agents_and_runs_are_scopes_of_their_own_and_parts_of_a_user(m: Memory):
    m.add("Likes tea", user_id="alice", agent_id="travel", run_id="r1", infer=False)
    m.add("Likes milk", user_id="alice", infer=False)
    m.add("Answers in rhyme", agent_id="travel", infer=False)
    m.add("Step one is done", run_id="r1", infer=False)
    assert sorted(texts(m.get_all(user_id="alice"))) == ["Likes milk", "Likes tea"]
    assert texts(m.get_all(filters={"user_id": "alice", "agent_id": "travel"})) == ["Likes tea"]
    assert texts(m.search("tea milk", user_id="alice", run_id="r1")) == ["Likes tea"]
    assert texts(m.search("tea milk", user_id="alice", agent_id="other")) == []
    (own,) = m.get_all(agent_id="travel")["results"]
    assert (own["memory"], own["agent_id"], "user_id" in own) == ("Answers in rhyme", "travel", False)
    assert texts(m.get_all(run_id="r1")) == ["Step one is done"]
    m.delete_all(user_id="alice", agent_id="travel")
    assert texts(m.get_all(user_id="alice")) == ["Likes milk"]
    assert texts(m.get_all(agent_id="travel")) == ["Answers in rhyme"]
    m.reset()
    assert [texts(m.get_all(**{name: "alice"})) for name in mem0.arguments.SCOPES] == [[], [], []]


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
    for nobody in ({"user_id": "*"}, {"OR": [{"user_id": "a"}, {"user_id": "b"}]}, {"AND": "x"}):
        with pytest.raises(ValueError, match="user_id"):
            m.get_all(filters=nobody)


def test_what_is_wrong_is_a_value_error_that_names_the_argument(m: Memory):
    for call, match in [
        (lambda: m.add("x"), "user_id, agent_id"),
        (lambda: m.search("x"), "filters"),
        (lambda: m.get_all(), "user_id"),
        (lambda: m.delete_all(), "reset"),
        (lambda: m.add(3, user_id="a"), "messages="),
        (lambda: m.add("x", user_id="a b"), "user_id="),
        (lambda: m.add("x", user_id="a", expiration_date="soon"), "expiration_date="),
        (lambda: m.search("x", user_id="a", top_k=0), "top_k="),
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
    assert settings_of(config) == {
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
    assert settings_of({"embedder": {"provider": "huggingface", "config": {"model": "m"}}}) == {}
    assert settings_of({**config, "recollect": {"model": "local", "embedder": "null"}}) == {
        "model": "local",
        "embedder": "null",
    }
    with pytest.raises(ValueError, match="config="):
        Memory.from_config("config.yaml")  # type: ignore[arg-type]


def test_the_question_of_mem0s_quickstart_finds_everything(m: Memory):
    m.add("I live in Lisbon. I love basketball and gaming.", user_id="alex")
    found = m.search("What do you know about me?", filters={"user_id": "alex"})
    assert sorted(texts(found)) == ["Lives in Lisbon", "Loves basketball and gaming"]
    (memory, _) = found["results"]
    assert m.get(memory["id"])["score"] is None
