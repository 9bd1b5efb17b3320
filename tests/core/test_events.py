"""Kinds and reasons of the log: each has words, what is stored is read back, and so is what earlier editions stored."""

from datetime import UTC, datetime

import pytest

from recollect.core.events import Event, EventKind, error_kind, parse_kind
from recollect.core.ports import jobs
from recollect.core.reasons import Reason, decode_reason, encode_reason, render_reason
from recollect.privacy.planned_erasures import ERASE

NOW = datetime(2025, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_words_with_and_without_a_detail(reason: Reason):
    assert render_reason(reason).strip()
    assert "detail" in render_reason(reason, "some detail")
    assert "{}" not in render_reason(reason) + render_reason(reason, "some detail")


@pytest.mark.parametrize("detail", ["", "ann", "guild:1", "channel:a/b: twice", "a: b", "{} and {0}"])
@pytest.mark.parametrize("reason", [None, *Reason])
def test_a_stored_reason_is_read_back(reason: Reason | None, detail: str):
    if reason is not None and ": " in reason:  # those of `CannotUndo`, which the log never stores
        assert decode_reason(encode_reason(reason)) == (reason, "")
    else:
        assert decode_reason(encode_reason(reason, detail)) == (reason, detail)


@pytest.mark.parametrize("kind", EventKind)
def test_every_kind_is_read_back_and_has_a_word_for_what_happened(kind: EventKind):
    assert parse_kind(kind.value) is kind
    assert Event(kind, NOW).verb.isidentifier()


def test_a_kind_of_another_edition_stays_as_it_is():
    assert parse_kind("memo.praised") == "memo.praised"
    assert Event(parse_kind("memo.praised"), NOW).verb == "praised"


@pytest.mark.parametrize("job", [jobs.EXTRACT, jobs.SUMMARIZE, jobs.DAILY_LOG, jobs.CONSOLIDATE, ERASE])
def test_errors_in_jobs_of_ours_have_a_kind_of_their_own(job: str):
    assert error_kind(job).value == f"{job}.error"


def test_errors_in_other_jobs_share_one_kind():
    assert error_kind("juggle") is EventKind.JOB_ERROR


@pytest.mark.parametrize(
    ("stored", "reason", "detail"),
    [
        ("new", Reason.NEW, ""),
        ("stated again", Reason.STATED_AGAIN, ""),
        ("other words for the same fact", Reason.REWORDED, ""),
        ("forgotten by its owner", Reason.FORGOTTEN_BY_OWNER, ""),
        ("forgotten by ann", Reason.FORGOTTEN, "ann"),
        ("audience everywhere", Reason.AUDIENCE_SET, "everywhere"),
        ("audience channel:g1/c1", Reason.AUDIENCE_SET, "channel:g1/c1"),
        ("audience dm:ann: it is changed where no others hear it", Reason.AUDIENCE_NARROWED, "dm:ann"),
        ("imported from jsonl", Reason.IMPORTED, "jsonl"),
        ("from jsonl", Reason.IMPORTED, "jsonl"),
        ("merged into durable-1", Reason.MERGED_BY_HAND, "durable-1"),
        ("reset by operator", Reason.RESET, "operator"),
        ("erased with user 1", Reason.ERASED_ALONG, "user 1"),
        ("undid: forgotten by ann", Reason.UNDID, "forgotten by ann"),
        ("its message was deleted", Reason.SOURCE_DELETED, ""),
        ("its message was deleted; it was pinned, but nothing else said so", Reason.PINNED_SOURCE_DELETED, ""),
        ("a message was edited", Reason.MESSAGE_EDITED, ""),
        ("learned from a part of the answer: no JSON", Reason.LEARNED_IN_PART, "no JSON"),
        ("several said this; stated again and again", None, "several said this; stated again and again"),
        ("he moved to Rome", None, "he moved to Rome"),
        ("2 merged, 1 expired", None, "2 merged, 1 expired"),
        ("", None, ""),
    ],
)
def test_what_earlier_editions_wrote_is_understood_and_reads_the_same(stored: str, reason: Reason | None, detail: str):
    assert decode_reason(stored) == (reason, detail)
    assert render_reason(reason, detail).removeprefix("imported ") == stored.removeprefix("imported ")


@pytest.mark.parametrize(
    ("stored", "reason", "text"),
    [
        (
            "audience guild:1: heard only where it was said: it was never shared",
            Reason.NEVER_SHARED,
            "audience guild:1: heard only where it was said, as it was never shared",
        ),
        (
            "learned by local instead: no JSON",
            Reason.LEARNED_BY_FALLBACK,
            "learned by the local model instead: no JSON",
        ),
    ],
)
def test_earlier_wordings_of_a_reason_are_decoded(stored: str, reason: Reason, text: str):
    assert decode_reason(stored)[0] is reason
    assert render_reason(*decode_reason(stored)) == text


def test_an_event_says_why_in_words():
    assert Event(EventKind.MEMO_RETIRED, NOW, reason=Reason.FORGOTTEN, detail="ann").text == "forgotten by ann"
    assert (
        Event(EventKind.MEMO_UNDONE, NOW, reason=Reason.UNDID, detail="forgotten: ann").text
        == "undid: forgotten by ann"
    )
    assert Event(EventKind.JOB_FAILED, NOW, detail="no route to host").text == "no route to host"
    assert Event(EventKind.SUMMARY_SAVED, NOW).text == ""


def test_an_entry_of_the_log_prints_without_the_memos_it_holds():
    event = Event(
        EventKind.MEMO_ADDED, NOW, memo="durable-1", reason=Reason.NEW, data={"after": {"text": "Is shy"}}, id=7
    )
    assert repr(event) == "Event('memo.added', memo='durable-1', reason='new', at='2025-03-01T00:00:00+00:00', id=7)"
