"""The words in which memory answers."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from recollect import replies
from recollect.commands import Shown
from recollect.types import Kind, Memo, Origin, Provenance, Subject

NOW = datetime(2026, 5, 1, tzinfo=UTC)
MEMO = Memo("durable-1", Subject("ada"), Kind.FACT, "Works at Acme Corp", NOW, NOW)


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
    assert replies.line(replace(MEMO, source=source)) == f"- [fact] Works at Acme Corp (src: {text})"


def test_counts_agree_with_their_noun():
    assert replies.forgotten([MEMO], "Acme") == 'Deprecated 1 item matching "Acme"'
    assert replies.forgotten([MEMO, MEMO], "Acme") == 'Deprecated 2 items matching "Acme"'
    assert replies.shown(Shown((), 1200, None)) == "Durable memory (1,200 items):"
