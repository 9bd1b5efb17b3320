"""How many secrets of the corpus are found, and how many look-alikes are taken for one."""

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from recollect.policy.redaction import codes, commands, indirect, redact
from recollect.policy.redaction.scan import _LITERALS
from recollect.policy.redaction.span import Span
from tests.policy.secret_corpus import harmless, secrets

MIN_FOUND = 0.95
MISSED = Counter(
    {
        "asked to be remembered": 2,
        "unusual sentences, in eight languages and as pasted": 1,
        "what opens things, in any sentence: second round": 1,
        "what opens things, in any sentence: third round": 1,
        "whatever the sentence: first round": 1,
        "whatever the sentence: second round": 1,
    }
)
"""Secrets that are known to be missed, by topic. A goal in percent would let whole rules be lost unnoticed."""


@pytest.mark.parametrize("holdout", [False, True])
def test_nearly_all_secrets_of_the_corpus_are_found(holdout: bool):
    forms = [form for form in secrets() if form.holdout is holdout]
    missed = [form for form in forms if form.leaked(redact(form.text).text)]
    rate = 1 - len(missed) / len(forms)
    print(f"\n{'holdout' if holdout else 'known'}: {len(forms) - len(missed)} of {len(forms)}, {rate:.1%}")
    print(
        *(f"  missed {count} of {topic}" for topic, count in Counter(form.topic for form in missed).items()), sep="\n"
    )
    assert len(forms) >= 150
    assert rate >= MIN_FOUND, [form.text for form in missed]


def test_no_secret_is_missed_that_was_once_found():
    missed = [form for form in secrets() if form.leaked(redact(form.text).text)]
    assert Counter(form.topic for form in missed) - MISSED == Counter(), [form.text for form in missed]


def test_no_look_alike_is_taken_for_a_secret():
    changed = [(form.text, after) for form in harmless() if (after := redact(form.text).text) != form.text]
    print(f"\nfalse alarms: {len(changed)} of {len(harmless())}")
    assert len(harmless()) >= 300
    assert not changed


@pytest.mark.parametrize("search", [commands.spans, codes.spans, indirect.spans])
def test_a_search_that_finds_something_is_not_passed_over(search: Callable[[str, str], Iterator[Span]]):
    finds = [lower for form in secrets() if [*search(form.text, lower := form.text.lower())]]
    assert finds
    assert all(search in _LITERALS.found_in(lower) or not lower.isascii() for lower in finds)
