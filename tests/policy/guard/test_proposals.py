"""Twisted proposals of a model, by class, and honest paraphrases: none of the former pass, all of the latter do."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recollect.core.ports.model import Proposal
from recollect.core.types import Message, Place
from recollect.policy.guard.verdicts import Accepted, check

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)
CORPUS: dict[str, dict[str, list[list[str]]]] = tomllib.loads(
    (Path(__file__).parent / "proposals.toml").read_text(encoding="utf-8")
)
KNOWN_MISSES = {
    "I've never once missed a Liverpool game on TV",
    "I play golf about as well as a penguin flies",
    "Ich sterbe vor Hunger",
    "I bit the bullet and paid",
    "I spilled the beans to Tom",
    "my first job was at Ikea",
    "I own a share of a horse",
    "I'm not as tall as Tom, who is 190",
    "I've been clean for two years",
    "Se trovo lavoro, mi trasferisco a Milano",
    "I hate that I love reality TV",
    "Mam nadzieję, że zostanę pilotem",
    "I was raised Catholic but left the church",
}
"""What no rule covers yet; whoever closes one takes it out."""

KNOWN_REFUSALS = {
    "Carla taught me piano",
    "Bob gave me his old guitar",
    "I switched teams in May, I'm on payments now",
    "Büyükannemle yaşıyorum",
    "Half my friends play chess and so do I",
    "I can't have shellfish, it makes me ill",
    "I can't wait until I'm a dad",
    "I coach the under-nines at Leith Athletic",
    "I gave up coffee in January",
    "I need glasses for reading",
    "I work nights at the Royal Infirmary",
    "I'm off gluten since the diagnosis",
    "I'm the eldest of five",
    "Mein Geburtstag ist am 3. Mai",
    "My doctor put me on statins",
    "Lea lent me 300 euros",
    "Meetings exhaust me",
}
"""Honest, but in words that were not said: "have" for "eat", "put on" for "takes"."""


def accepts(said: str, fact: str, evidence: str | None = None) -> bool:
    message = Message("m1", "u1", Place(guild="g", channel="c"), said, AT, "Ann")
    return isinstance(check(Proposal(fact, "fact", evidence or said), [message], []), Accepted)


@pytest.mark.parametrize("name", CORPUS["twisted"])
def test_a_twisted_proposal_is_refused_however_well_it_is_quoted(name: str):
    passed = [row for row in CORPUS["twisted"][name] if accepts(*row)]
    assert [row for row in passed if row[0] not in KNOWN_MISSES] == []


@pytest.mark.parametrize("name", CORPUS["honest"])
def test_an_honest_paraphrase_is_accepted(name: str):
    refused = [row for row in CORPUS["honest"][name] if not accepts(*row)]
    assert [row for row in refused if row[0] not in KNOWN_REFUSALS] == []


def test_the_corpus_is_large_enough_to_mean_something():
    for part in CORPUS.values():
        assert sum(map(len, part.values())) >= 120


def test_the_speakers_own_sentence_word_for_word_is_grounded():
    for rows in CORPUS["honest"].values():
        for said, *_ in rows:
            is_own = said.lower().startswith(("i ", "i'm ", "i've ", "my ", "we ")) and not said.endswith("?")
            assert accepts(said, said) or not is_own, said


@pytest.mark.parametrize(
    "said", ["If I win I will move to Porto, right?", "I have a pony, just kidding", "am I a doctor?"]
)
def test_the_speakers_own_sentence_is_still_no_fact_where_it_is_not_meant(said: str):
    assert not accepts(said, said)
