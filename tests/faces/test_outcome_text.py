"""The words in which memory answers."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect.core.outcomes import Listing
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Origin, Place, Provenance, Subject
from recollect.faces import outcome_text

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MEMO = Memo("durable-1", Subject("discord:ada"), Kind.FACT, "Works at Acme Corp", NOW, NOW)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (Provenance(), "manual"),
        (Provenance(Origin.DISCORD, channel="123", message="456"), "discord:123/456"),
        (Provenance(Origin.DISCORD), "discord"),
        (Provenance(Origin.IMPORT), "import"),
    ],
)
def test_a_line_names_the_source(source: Provenance, text: str):
    memo = replace(MEMO, source=source)
    assert outcome_text.line(memo, Place(dm=MEMO.subject.id)) == f"- [fact] Works at Acme Corp (src: {text})"
    assert outcome_text.line(memo) == f"- [fact] Works at Acme Corp (src: {text.partition(':')[0]})"


def test_counts_agree_with_their_noun():
    assert outcome_text.render_forgotten([MEMO], "Acme") == 'Deprecated 1 item matching "Acme"'
    assert outcome_text.render_forgotten([MEMO, MEMO], "Acme") == 'Deprecated 2 items matching "Acme"'
    assert outcome_text.render_listing(Listing((), 1200, None)) == "Durable memory (1,200 items):"


def test_a_closed_channel_and_its_messages_are_told_only_where_they_were_heard():
    closed = Audience("channel", "staff", "g")
    source = Provenance(Origin.SUMMARY, "ada", "discord", "g", "staff", message="456", heard=closed)
    told = Listing((replace(MEMO, source=source, audience=EVERYWHERE),), 1, None)
    assert "staff" not in outcome_text.render_listing(told)
    assert "staff" not in outcome_text.render_listing(told, Place("discord", "g", "dev", public=True))
    assert "staff" not in outcome_text.render_listing(told, Place("discord", dm="bob"))
    for place in (Place("discord", "g", "staff"), Place("discord", dm="ada")):
        assert "(src: summary:staff/456)" in outcome_text.render_listing(told, place)
