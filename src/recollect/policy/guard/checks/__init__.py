"""The checks of a proposal, in their order: the first that refuses it gives the reason.

A check is a module with a function `refuse`; the file of the same name beside it has examples of what it accepts and
refuses. A new check is such a module, and its place in one of these lists.
"""

from typing import Protocol

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Case, Claim
from recollect.policy.guard.checks import (
    asked,
    attribution,
    condition,
    direction,
    entailment,
    figurative,
    frame,
    greeting,
    hearsay,
    instruction,
    mentioned,
    names,
    negation,
    numbers,
    overreach,
    polarity,
    question,
    relation,
    secret,
    sincerity,
    size,
    subject,
    tense,
    wording,
)


class FactCheck(Protocol):
    """A check of the fact itself, whatever it is based on."""

    __name__: str

    @staticmethod
    def refuse(claim: Claim, /) -> Reason | None:
        """The reason to refuse it: short, and safe to log, because it never quotes the message."""
        ...


class QuoteCheck(Protocol):
    """A check of a fact against its quote."""

    __name__: str

    @staticmethod
    def refuse(case: Case, /) -> Reason | None: ...


FACT_CHECKS: tuple[FactCheck, ...] = (size, question, greeting, secret, instruction)
QUOTE_CHECKS: tuple[QuoteCheck, ...] = (
    instruction, sincerity, asked, condition, negation, numbers, names, wording, polarity, figurative,
    relation, direction, entailment, attribution, overreach, tense, mentioned, subject, hearsay, frame,
)  # fmt: skip
VERBATIM_CHECKS: tuple[QuoteCheck, ...] = (instruction, sincerity, asked, condition, mentioned, subject, hearsay)
"""Those for a speaker's own sentence, word for word: it says what was said, but may still not be meant."""
OVERLAP_CHECKS: tuple[QuoteCheck, ...] = (sincerity, condition, hearsay, polarity, relation, tense, mentioned, subject)
"""Those for the looser grounding by common words."""


def name_of(check: FactCheck | QuoteCheck) -> str:
    return check.__name__.rpartition(".")[2]
