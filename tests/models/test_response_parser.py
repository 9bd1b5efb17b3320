"""What a model wrote is read as far as it is safe."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.ports.model import ExtractionResult, Proposal, Retraction
from recollect.models._response_parser import MAX_RESPONSE_CHARS, parse_response

TEA = {"kind": "preference", "text": "Likes tea", "evidence": "I like tea"}
CAT = {"kind": "fact", "text": "Has a cat", "evidence": "my cat"}
TEA_READ = Proposal("Likes tea", "preference", "I like tea")
CAT_READ = Proposal("Has a cat", "fact", "my cat")
BOTH = json.dumps({"upserts": [TEA, CAT], "deprecations": []})


@pytest.mark.acceptance("B36")
def test_the_full_shape_is_read():
    answer = {
        "upserts": [
            {
                "id": "durable-1",
                "kind": "project",
                "text": "Builds a boat",
                "tags": ["boat", "wood"],
                "source": {"messageId": "m7"},
                "evidence": "my boat",
                "confidence": 0.9,
                "about": "Bob",
                "replaces": ["durable-2"],
                "happened": "2026-11-14",
            }
        ],
        "deprecations": [{"id": "durable-3", "reason": "sold it"}, {"matchText": "has a car", "reason": "sold"}],
    }
    assert parse_response(json.dumps(answer)) == ExtractionResult(
        (
            Proposal(
                "Builds a boat",
                "project",
                "my boat",
                "m7",
                "durable-1",
                ("durable-2",),
                "Bob",
                ("boat", "wood"),
                0.9,
                datetime(2026, 11, 14, tzinfo=UTC),
            ),
        ),
        (Retraction("sold it", "durable-3"), Retraction("sold", None, "has a car")),
    )


@pytest.mark.parametrize(
    "text",
    [
        BOTH,
        f"```json\n{BOTH}\n```",
        f"Sure! Here it is:\n{BOTH}\nHope that helps :]",
        f"{BOTH}]}}",
        json.dumps([TEA, CAT]),
        json.dumps({"facts": [TEA, CAT]}),
        json.dumps({"result": {"upserts": [TEA, CAT]}}),
        json.dumps([{"type": "preference", "fact": "Likes tea", "quote": "I like tea"}, {**CAT, "confidence": None}]),
        f"as I said [1], {json.dumps([TEA, CAT])} and [2]",
        f"an example: {json.dumps([TEA])}. The answer: {BOTH}",
        f"an example: {json.dumps({'upserts': [TEA]})}\n```json\n{BOTH}\n```",
        f"{json.dumps([TEA, CAT])}\n{json.dumps([CAT])}",
        f"a stray {{ bracket, then {BOTH}",
        BOTH.replace("}]", "},]"),
        BOTH.replace("Likes tea", " Likes\\n  tea\t "),
    ],
)
def test_the_same_is_read_however_it_is_wrapped(text: str):
    found = parse_response(text)
    assert found.proposals == (TEA_READ, CAT_READ)
    assert found.problems == ()


def test_a_single_object_stands_for_an_array_of_one():
    assert parse_response(json.dumps(TEA)).proposals == (TEA_READ,)
    assert parse_response(json.dumps({"upserts": TEA, "deprecations": {"id": "x"}})) == ExtractionResult(
        (TEA_READ,), (Retraction("no longer so", "x"),)
    )


@pytest.mark.parametrize(
    "text", ['{"upserts": [], "deprecations": []}', "[]", "```json\n[]\n```", '{"facts": []}', " {}\n"]
)
def test_an_empty_answer_parses_without_problems(text: str):
    assert parse_response(text) == ExtractionResult()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the answer is empty"),
        ("I found nothing worth keeping.", "no JSON"),
        ("{nonsense}", "no JSON"),
        ('{"answer": 42}', "no facts in the JSON"),
        ("[1, 2]", "no facts in the JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("[]" * 1000, "too many brackets"),
        ('{"upserts": [{"tags": [], "text": "Likes', "cut off in its first element"),
        ('{"upserts": [{"source": {}, "text": "Likes', "cut off in its first element"),
        ('{"upserts": [{"evidence": "I li', "cut off in its first element"),
        ('{"upserts": [{"tags": ["tea", ' + '"drink", ' * 90, "the answer repeats itself without end"),
        ("I like tea. " * 400, "the answer repeats itself without end"),
        (json.dumps([{"text": "Likes tea and " * 9, "kind": "fact"}]), "element 1 repeats itself"),
        (
            json.dumps([{"text": "Likes tea", "kind": "fact", "tags": ["tea", "drink"] * 20}]),
            "element 1 repeats itself",
        ),
        ("const list = []; // nothing", "no facts in the JSON"),
        ('{"upserts": ["Likes tea"]}', "element 1 is no object"),
        ('{"upserts": [], "deprecations": [{}]}', "deprecation 1 names nothing"),
    ],
)
def test_an_unusable_answer_is_reported_with_the_problem(text: str, problem: str):
    found = parse_response(text)
    assert problem in found.problems
    assert found.flaw
    assert (found.proposals, found.retractions) == ((), ())


@pytest.mark.parametrize(
    ("element", "problem"),
    [
        (3, "element 2 is no object"),
        ("Likes milk", "element 2 is no object"),
        (None, "element 2 is no object"),
        ({"kind": "fact"}, "element 2 has no text"),
        ({"kind": "fact", "text": "  "}, "element 2 has no text"),
        ({"kind": "fact", "text": ["a"]}, "element 2 has no text"),
    ],
)
def test_an_element_that_cannot_be_used_is_skipped_and_named(element: object, problem: str):
    assert parse_response(json.dumps({"upserts": [TEA, element, CAT]})) == ExtractionResult(
        (TEA_READ, CAT_READ), (), (problem,)
    )


@pytest.mark.parametrize(
    ("field", "value", "read_as"),
    [
        ("kind", "PREFERENCE ", ("kind", "preference")),
        ("kind", "relationship", ("kind", "relationship")),
        ("kind", "general", ("kind", "general")),
        ("confidence", "0.5", ("confidence", 0.5)),
        ("confidence", 7, ("confidence", 1.0)),
        ("confidence", -1.5, ("confidence", 0.0)),
        ("confidence", 10**400, ("confidence", 1.0)),
        ("tags", "a, b,, a", ("tags", ("a", "b"))),
        ("tags", ["a", 3, None, {}], ("tags", ("a", "3"))),
        (
            "tags",
            [f"{n} " + "x" * 99 for n in range(10, 60)],
            ("tags", tuple(f"{n} " + "x" * 47 for n in range(10, 30))),
        ),
        ("id", 12, ("id", "12")),
        ("id", "", ("id", None)),
        ("replaces", "durable-1", ("replaces", ("durable-1",))),
        ("happened", "2026-11-14T10:00:00Z", ("happened", datetime(2026, 11, 14, 10, tzinfo=UTC))),
    ],
)
def test_values_of_another_type_are_understood(field: str, value: object, read_as: tuple[str, object]):
    found = parse_response(json.dumps([{**TEA, field: value}]))
    assert getattr(found.proposals[0], read_as[0]) == read_as[1]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("field", "value", "problem", "read_as"),
    [
        ("kind", "mood", "unknown kind", ("kind", "other")),
        ("kind", None, "no kind", ("kind", "other")),
        ("confidence", "high", "confidence is no number", ("confidence", 0.7)),
        ("confidence", True, "confidence is no number", ("confidence", 0.7)),
        ("happened", "soon", "happened is no date", ("happened", None)),
        ("happened", "0001-01-01", "happened is no date", ("happened", None)),
    ],
)
def test_values_that_make_no_sense_are_left_out_and_named(
    field: str, value: object, problem: str, read_as: tuple[str, object]
):
    found = parse_response(json.dumps([{**TEA, field: value}]))
    assert getattr(found.proposals[0], read_as[0]) == read_as[1]
    assert found.problems == (problem,)


def test_not_a_number_and_duplicate_keys_are_survived():
    text = '[{"kind": "fact", "text": "Has a dog", "text": "Has a cat", "evidence": "my cat", "confidence": NaN}]'
    assert parse_response(text).proposals == (CAT_READ,)


def test_more_than_asked_for_is_cut():
    assert parse_response(BOTH, max_proposals=1) == ExtractionResult((TEA_READ,), (), ("more than asked for",))
    assert parse_response(BOTH, max_proposals=2).problems == ()
    assert parse_response(BOTH, max_proposals=0).proposals == ()


@pytest.mark.parametrize("end", range(len(json.dumps(TEA)) + 16, len(BOTH) - 20, 7))
def test_of_an_answer_that_was_cut_off_the_complete_elements_are_kept(end: int):
    found = parse_response(BOTH[:end])
    assert found.proposals[0] == TEA_READ
    assert "cut off" in found.problems


def test_an_element_that_was_cut_off_is_not_kept():
    text = (
        '{"upserts": ['
        + json.dumps(TEA)
        + ', {"text": "Has a cat", "evidence": "my cat", "source": {"messageId": "m1"}'
    )
    assert parse_response(text) == ExtractionResult((TEA_READ,), (), ("cut off",), flaw="cut off")


def test_a_bracket_in_a_text_that_was_cut_off_does_no_harm():
    text = '{"upserts": [' + json.dumps(TEA) + ', {"text": "uses {braces} and [brackets'
    assert parse_response(text) == ExtractionResult((TEA_READ,), (), ("cut off",), flaw="cut off")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit", ['{"text": "x"},', '\\"', '"\\"', "[{", "[[]", '{"a', "```", ",  ", "]}", '{"upserts": [']
)
def test_a_megabyte_is_read_in_bounded_work(unit: str):
    found = parse_response('[{"kind": "fact", "text": "' + unit * (1_000_000 // len(unit)))
    assert "cut off" in found.problems
    assert len(found.proposals) <= 200


def test_text_beyond_the_length_limit_is_not_parsed():
    assert parse_response(" " * MAX_RESPONSE_CHARS + BOTH) == ExtractionResult(
        problems=("cut off", "the answer is empty"), flaw="the answer is empty"
    )


def test_a_problem_holds_nothing_of_the_content():
    found = parse_response(json.dumps([{"text": "hunter2", "kind": "hunter2", "confidence": "hunter2"}, "hunter2"]))
    assert not any("hunter2" in problem for problem in found.problems)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from("upserts deprecations facts text kind tags id confidence happened source x".split()),
            inner,
            max_size=5,
        ),
    ),
    max_leaves=12,
)


@given(json_values, st.text(max_size=20), st.integers(0, 60))
def test_any_json_cut_anywhere_is_survived(value: object, prose: str, cut: int):
    text = prose + json.dumps(value)
    for part in (text, text[: len(text) - cut]):
        found = parse_response(part, max_proposals=3)
        assert len(found.proposals) <= 3
        assert all(one.text and 0 <= one.confidence <= 1 for one in found.proposals)


@given(st.text(alphabet='[]{}",:\\`ab1 \n', max_size=200))
def test_any_text_is_survived(text: str):
    assert isinstance(parse_response(text), ExtractionResult)
