"""What the tool takes, and how it says what it doesn't take; the schemas that models get say the same."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import apsw
import pytest
from anthropic.types import ToolParam
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from openai.types.chat import ChatCompletionFunctionToolParam
from pydantic import TypeAdapter

from recollect.core.errors import BadInput
from recollect.faces.tool.actions import ACTIONS, DEFAULT_RESULTS, MAX_RESULTS, Category
from recollect.faces.tool.parse import parse_call, parse_object
from recollect.faces.tool.schema import FORMATS, parameters, schema
from recollect.policy.kinds import CATEGORIES
from tests.faces.tool.conftest import BOTH_PROFILES, Agent, opened

NAMES = "save, search, list, index, delete, restore, update, why"
VALIDATOR = Draft202012Validator(parameters())

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 300),
    st.floats(-3, 150),
    st.sampled_from([*CATEGORIES, "Fact", "lore"]),
    st.text(max_size=20),
    st.lists(st.one_of(st.text(max_size=5), st.integers()), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=2),
)
LIKELY = {
    "content": st.just("The API uses JWT"),
    "category": st.sampled_from(CATEGORIES),
    "keywords": st.just(["api"]),
    "metadata": st.just({"ticket": 7}),
    "query": st.just("JWT"),
    "limit": st.integers(1, MAX_RESULTS),
    "offset": st.integers(0, 9),
    "id": st.just("durable-1"),
    "version": st.integers(1, 9),
    "user": st.just("bob"),
}


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    """Mostly what an action takes, with now and then something else."""
    action = draw(st.sampled_from([*ACTIONS, "purge"]))
    own = list(ACTIONS[action].model_fields) if action in ACTIONS else []
    left_out = draw(st.sets(st.sampled_from(list(LIKELY)), max_size=2))
    strange = draw(st.one_of(st.none(), st.sampled_from(list(LIKELY))))
    names = [name for name in own if name not in left_out] + [strange] * (strange is not None)
    return {"action": action, **{name: draw(VALUES if name == strange else LIKELY[name]) for name in names}}


def is_taken(arguments: object) -> bool:
    try:
        parse_call(arguments)
    except BadInput:
        return False
    return True


@BOTH_PROFILES
@pytest.mark.acceptance("E1")
async def test_one_tool_dispatches_by_its_action_and_names_the_actions_when_it_does_not_know_one(agent: Agent):
    for action in ("save", "search", "list", "index"):
        assert action in parameters()["properties"]["action"]["enum"]
    await agent("save", content="The API uses JWT", category="fact")
    assert await agent.found("JWT") == await agent.listed() == ["The API uses JWT"]
    assert (await agent("index")).ok
    assert await agent.error("purge") == f"error: unknown action 'purge'; use one of {NAMES}"
    for missing in ({}, {"action": None}, {"action": ""}, {"content": "x"}, "{}", ""):
        answer = await agent.call(missing)
        assert (answer.ok, answer.text) == (False, f"error: say which action; use one of {NAMES}")


@BOTH_PROFILES
@pytest.mark.acceptance("E11")
async def test_an_incomplete_call_names_its_missing_arguments(agent: Agent):
    assert await agent.error("save") == "error: save needs content; save needs category"
    assert await agent.error("save", content="The API uses JWT") == "error: save needs category"
    assert await agent.error("save", category="fact", content="  ") == "error: save needs content"
    assert await agent.error("search") == await agent.error("search", query="") == "error: search needs query"
    for action in ("delete", "update", "why"):
        assert await agent.error(action) == f"error: {action} needs id"
    assert parameters()["required"] == ["action"]
    # A list needs a category; without one it tells what there is, and that.
    await agent.save("The API uses JWT")
    bare = await agent("list")
    assert "memories" not in bare.data
    assert bare.text.endswith("To list them, name a category: fact, preference, event, summary.")


@BOTH_PROFILES
@pytest.mark.acceptance("E12")
@pytest.mark.parametrize("wrong", ["Fact", "lore", "person", "facts", 3, ["fact"]])
async def test_a_category_is_one_of_four(agent: Agent, wrong: object):
    for call in ({"action": "save", "content": "x is y"}, {"action": "search", "query": "x"}, {"action": "list"}):
        answer = await agent.call(call | {"category": wrong})
        assert answer.text.startswith(f"error: unknown category {wrong!r}; use one of fact, preference, event, summary")
    assert get_args(Category) == CATEGORIES


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "null", "[]", "nonsense", '"save"', "3", "{" * 100_000, b"\xff", None, 7, [], object()),
        *({"action": ["save"]}, {"action": {"a": 1}}, {"action": "save", "content": 3, "category": "fact"}),
        *({"action": "search", "query": "x", "limit": "many"}, {"action": "search", "query": ["x"]}),
        *({"action": "list", "category": "fact", "offset": -1}, {"action": "list", "category": "fact", "offset": 1.5}),
        {"action": "save", "content": "x", "category": "fact", "keywords": "api"},
        {"action": "save", "content": "x", "category": "fact", "keywords": ["a"] * 51},
        {"action": "save", "content": "x", "category": "fact", "metadata": [1]},
        {"action": "save", "content": "x", "category": "fact", "metadata": {"x": float("nan")}},
        {"action": "save", "content": "x" * 8001, "category": "fact"},
        {"action": "save", "content": "\ud800", "category": "fact"},
        *({"action": "index", "query": "x"}, {"action": "search", "query": "x", "offset": 3}, {3: 4}),
        *({"action": "why", "id": "x" * 10_000}, {"action": "why", "id": "' OR 1=1 --"}, {"action": "why", "id": "\0"}),
    ],
)
async def test_bad_input_is_an_answer_not_an_exception(agent: Agent, arguments: object):
    answer = await agent.call(arguments)
    assert not answer.ok
    assert answer.text.startswith("error: ")
    assert len(answer.text) < 500
    assert (await agent.memory.show(user="ann")).total == 0


async def test_arguments_may_be_keywords_an_object_or_its_json_text(agent: Agent):
    await agent.save("The API uses JWT")
    call = {"action": "search", "query": "JWT", "category": None, "metadata": {}, "limit": 5.0}
    answers = [await agent.tool(**call), await agent.call(call), await agent.call(json.dumps(call).encode())]
    assert [len(answer.data["results"]) for answer in answers] == [1, 1, 1]


@pytest.mark.sqlite
async def test_a_store_that_fails_is_an_answer_too(tmp_path: Path):
    path = tmp_path / "memory.db"
    async with opened(path) as agent:
        await agent.save("The API uses JWT")
        with closing(apsw.Connection(str(path))) as damaging:
            damaging.execute("DROP TABLE memos")
        answer = await agent.call({"action": "list", "category": "fact"})
        assert answer.text.startswith("error: memory can't do that now: ")


class TestSchema:
    def test_there_is_one_definition_in_three_forms(self):
        openai, anthropic, mcp = (schema(form) for form in FORMATS)
        assert openai["function"]["parameters"] == anthropic["input_schema"] == mcp["inputSchema"] == parameters()
        assert {openai["function"]["name"], anthropic["name"], mcp["name"]} == {"memory"}

    def test_the_sdks_of_openai_and_anthropic_take_it(self):
        taken = TypeAdapter(ChatCompletionFunctionToolParam).validate_python(schema("openai"), strict=True)
        assert taken["function"]["name"] == "memory"
        assert TypeAdapter(ToolParam).validate_python(schema("anthropic"), strict=True)["name"] == "memory"

    def test_the_parameters_are_a_json_schema_that_providers_accept(self):
        Draft202012Validator.check_schema(parameters())
        assert parameters()["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf", "$defs"} & parameters().keys()
        for name, each in parameters()["properties"].items():
            assert set(each) <= {
                *("type", "enum", "description", "default", "items", "maxLength", "maxItems"),
                *("minimum", "maximum", "additionalProperties", "properties"),
            }, name

    def test_the_schema_describes_defaults_limits_and_actions(self):
        found = parameters()["properties"]
        assert (found["limit"]["default"], found["limit"]["maximum"]) == (DEFAULT_RESULTS, MAX_RESULTS) == (20, 100)
        assert found["offset"]["minimum"] == 0
        assert found["content"]["description"].endswith("For save (required), update.")
        assert found["category"]["description"].endswith("For save (required), search, list.")


@given(calls())
def test_the_schema_accepts_every_call_that_the_parser_accepts(call: dict[str, Any]):
    if not is_taken(call):
        return
    filled = {"action": call["action"], **parse_object(call)}  # numbers as text, and ids as numbers, are put right
    limit = filled.get("limit")
    if limit is not None:  # more than the schema allows is cut, not refused
        filled["limit"] = max(1, min(limit, MAX_RESULTS))
    VALIDATOR.validate(filled)


@given(calls())
def test_what_the_schema_takes_is_refused_for_what_an_action_needs_or_does_not_take_alone(call: dict[str, Any]):
    if not VALIDATOR.is_valid(call) or is_taken(call):
        return
    with pytest.raises(BadInput) as refusal:
        parse_call(call)
    for complaint in str(refusal.value).split("; "):
        assert " needs " in complaint or " takes no " in complaint or complaint.startswith("it takes")


async def test_a_memory_that_is_switched_off_says_so():
    async with opened(enabled=False) as agent:
        for call in ({"action": "list"}, {"action": "list", "category": "fact"}, {"action": "search", "query": "x"}):
            answer = await agent.call(call)
            assert answer.text.startswith("Memory is switched off; RECOLLECT_ENABLED=true switches it on.")
            assert answer.data["enabled"] is False
        assert "switched off" in await agent.error("save", content="x is y", category="fact")
