"""Memos as plain values and back, nothing lost."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.core import serialization
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Origin, Provenance, Status, Subject
from recollect.testing.clock import START

words = st.text(min_size=1, max_size=20)
maybe = st.none() | words
moments = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))
sources = st.builds(
    Provenance,
    origin=st.sampled_from(Origin),
    actor=st.just("") | words,
    platform=words,
    guild=maybe,
    channel=maybe,
    channel_name=maybe,
    thread=maybe,
    message=maybe,
    evidence=maybe,
    trace=maybe,
    metadata=st.dictionaries(words, st.none() | st.booleans() | st.integers() | words, max_size=2),
)
audiences = st.sampled_from(
    [EVERYWHERE, Audience("guild", "g", "g"), Audience("channel", "c", "g"), Audience("dm", "u")]
)
memos = st.builds(
    Memo,
    id=words,
    subject=st.builds(Subject, words) | st.builds(Subject.lore, words),
    kind=st.sampled_from(Kind),
    text=words,
    created=moments,
    updated=moments,
    source=sources,
    audience=audiences,
    tags=st.lists(words, max_size=3).map(tuple),
    status=st.sampled_from(Status),
    confidence=st.floats(0, 1),
    pinned=st.booleans(),
    label=maybe,
    happened=st.none() | moments,
    expires=st.none() | moments,
    supersedes=maybe,
    superseded_by=maybe,
    hits=st.integers(0, 9),
    version=st.integers(1, 9),
)


@given(memos)
def test_a_memo_goes_through_json_unchanged(memo: Memo):
    for write in (serialization.memo_to_json, serialization.memo_fields):
        value: dict[str, Any] = json.loads(json.dumps(write(memo)))
        assert serialization.memo_from_json(value) == memo


def test_a_document_with_every_field_has_the_empty_ones_too():
    memo = Memo("durable-1", Subject("ann"), Kind.FACT, "Likes tea", START, START)
    written = serialization.memo_fields(memo)
    assert written.keys() == {*(field.name for field in fields(Memo)), "subject_guild"} - {"key"}
    assert written["source"].keys() == {field.name for field in fields(Provenance)}


@given(memos, st.none() | audiences)
def test_the_heard_field_survives_a_json_round_trip(memo: Memo, heard: Audience | None):
    memo = replace(memo, source=replace(memo.source, heard=heard))
    value: dict[str, Any] = json.loads(json.dumps(serialization.memo_to_json(memo)))
    assert serialization.memo_from_json(value).source.heard == heard


def test_what_is_empty_is_left_out_but_no_confidence_at_all_is_kept():
    memo = Memo("durable-1", Subject("ann"), Kind.FACT, "Likes tea", START, START)
    value = serialization.memo_to_json(replace(memo, confidence=0.0))
    assert value["confidence"] == 0.0
    assert {"label", "tags", "pinned", "happened", "supersedes", "subject_guild"}.isdisjoint(value)
