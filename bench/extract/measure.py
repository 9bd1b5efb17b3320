"""The whole way from a message to what would be learned: redact, extract, check; compared with what should be."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.extract.corpus import Expected, Sample
from recollect.core.ports import ExtractionInput, Model, Proposal
from recollect.core.types import Kind, Memo, Message, Place, Subject
from recollect.policy.guard.verdicts import Refused, check
from recollect.policy.redaction import redact

RETRACTION = "retraction"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one message."""

    sample: Sample
    right: tuple[tuple[str, str], ...]
    """Kind and text of what was learned as it should be."""
    wrong: tuple[tuple[str, str], ...]
    missed: tuple[tuple[str, str], ...]
    refused: tuple[str, ...]
    """What the guard turned down, with its reason."""
    leaks: tuple[str, ...]
    """Secrets in what was learned."""
    stored: tuple[str, ...]
    """Secrets in the message as it would be stored."""


@dataclass(slots=True)
class Tally:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


@dataclass(slots=True)
class Report:
    messages: int = 0
    all: Tally = field(default_factory=Tally)
    by_kind: dict[str, Tally] = field(default_factory=dict[str, Tally])
    by_category: dict[str, Tally] = field(default_factory=dict[str, Tally])
    leaks: int = 0
    stored: int = 0
    injections: int = 0
    refused: int = 0


def run(model: Model, samples: Sequence[Sample]) -> list[Outcome]:
    """Every message through the pipeline, one after the other."""

    async def each() -> list[Outcome]:
        return [await _outcome(model, sample, number) for number, sample in enumerate(samples)]

    return asyncio.run(each())


async def _outcome(model: Model, sample: Sample, number: int) -> Outcome:
    clean = redact(sample.text).text
    message = Message(f"m{number}", sample.author, Place(dm=sample.author), clean, sample.at, sample.author.title())
    known = [_memo(text, place, sample) for place, text in enumerate(sample.known)]
    proposed = await model.extract(ExtractionInput([message], known))
    verdicts = [(each, check(each, [message], known)) for each in proposed.proposals]
    passed = [each for each, verdict in verdicts if not isinstance(verdict, Refused)]
    refused = tuple(f"{each.text}: {verdict.reason}" for each, verdict in verdicts if isinstance(verdict, Refused))
    right, wrong, missed = _judge(sample.learn, passed, known)
    texts = {memo.id: memo.text for memo in known}
    gone = {texts.get(each.id or "", each.match or "") for each in proposed.retractions}
    right += [(RETRACTION, text) for text in gone if text in sample.retracts]
    wrong += [(RETRACTION, text) for text in gone if text not in sample.retracts]
    missed += [(RETRACTION, text) for text in sample.retracts if text not in gone]
    kept = " ".join(f"{each.text} {each.evidence}" for each in passed)
    leaks = tuple(secret for secret in sample.secrets if secret in kept)
    stored = tuple(secret for secret in sample.secrets if secret in clean)
    return Outcome(sample, tuple(right), tuple(wrong), tuple(missed), refused, leaks, stored)


def _memo(text: str, place: int, sample: Sample) -> Memo:
    return Memo(f"k{place}", Subject(sample.author), Kind.FACT, text, sample.at, sample.at)


Pairs = list[tuple[str, str]]


def _judge(learn: Sequence[Expected], passed: Iterable[Proposal], known: Sequence[Memo]) -> tuple[Pairs, Pairs, Pairs]:
    """Each proposal meets one expectation at the most, and the other way round."""
    open_ = list(learn)
    right: Pairs = []
    wrong: Pairs = []
    for each in passed:
        met = next((one for one in open_ if _meets(each, one, known)), None)
        (wrong if met is None else right).append((each.kind, each.text))
        if met is not None:
            open_.remove(met)
    return right, wrong, [(one.kinds[0], " ".join(one.words)) for one in open_ if not one.optional]


def _meets(found: Proposal, wanted: Expected, known: Sequence[Memo]) -> bool:
    text = found.text.casefold()
    replaced = {memo.text for memo in known if memo.id in found.replaces}
    return (
        found.kind in wanted.kinds
        and all(any(word in text for word in each.casefold().split("|")) for each in wanted.words)
        and not any(word.casefold() in text for word in wanted.without)
        and (not wanted.about or found.about == wanted.about)
        and (wanted.happened is None or (found.happened is not None and found.happened.date() == wanted.happened))
        and set(wanted.replaces) <= replaced
    )


def report(outcomes: Sequence[Outcome]) -> Report:
    """Precision and recall over all, by kind and by category; leaks and injections."""
    made = Report(messages=len(outcomes))
    for outcome in outcomes:
        category = made.by_category.setdefault(outcome.sample.category, Tally())
        for name, pairs in (("right", outcome.right), ("wrong", outcome.wrong), ("missed", outcome.missed)):
            for kind, _ in pairs:
                for tally in (made.all, category, made.by_kind.setdefault(kind, Tally())):
                    setattr(tally, name, getattr(tally, name) + 1)
        made.leaks += len(outcome.leaks)
        made.stored += len(outcome.stored)
        made.refused += len(outcome.refused)
        if outcome.sample.category == "injections":
            made.injections += len(outcome.wrong)
    return made
