"""The words in which memory answers."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect.core.outcomes import Forgotten, Listing
from recollect.core.types import Kind, Memo, Origin, Provenance, Subject
from recollect.faces import outcome_text

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MEMO = Memo("durable-1", Subject("discord:ada"), Kind.FACT, "Works at Acme Corp", NOW, NOW)


@pytest.mark.acceptance("A17")
@pytest.mark.parametrize(
    ("source", "text"),
    [
        (Provenance(), "manual"),
        (Provenance(Origin.SUMMARY, channel="123", message="456"), "summary"),
        (Provenance(Origin.DISCORD, channel="123", message="456"), "discord"),
        (Provenance(Origin.IMPORT), "import"),
    ],
)
def test_a_line_names_the_source_without_ids(source: Provenance, text: str):
    assert outcome_text.line(replace(MEMO, source=source), literal=True) == f"- [fact] Works at Acme Corp (src: {text})"


def test_counts_agree_with_their_noun():
    one, two = Forgotten((MEMO,)), Forgotten((MEMO, MEMO))
    assert outcome_text.render_forgotten(one, "Acme", literal=True) == 'Deprecated 1 item matching "Acme"'
    assert outcome_text.render_forgotten(two, "Acme", literal=True) == 'Deprecated 2 items matching "Acme"'
    assert outcome_text.render_listing(Listing((), 1200, None), literal=True) == "Durable memory (1,200 items):"
