"""The checks of a proposal, in their order: the first that refuses it gives the reason.

A check is a module with a function `refuse`; the file of the same name beside it has examples of what it accepts and
refuses. A new check is such a module: it comes last, for every proposal with a quote, unless a list here says
otherwise.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from recollect.core.reasons import Reason
from recollect.policy.guard.case import Case, Claim
from recollect.policy.guard.checks import (
    asked,
    attribution,
    condition,
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


def name_of(check: FactCheck | QuoteCheck) -> str:
    return check.__name__.rpartition(".")[2]


FACT_CHECKS: tuple[FactCheck, ...] = (size, question, greeting, secret, instruction)
_QUOTE_CHECKS: tuple[QuoteCheck, ...] = (
    instruction, sincerity, asked, condition, negation, numbers, names, wording, polarity, figurative,
    relation, entailment, attribution, overreach, tense, mentioned, subject, hearsay, frame,
)  # fmt: skip
_placed = {name_of(check) for check in (*FACT_CHECKS, *_QUOTE_CHECKS)}
_others = tuple(
    cast("QuoteCheck", import_module(f"{__name__}.{module.name}"))
    for module in iter_modules(__path__)
    if module.name not in _placed
)
QUOTE_CHECKS: tuple[QuoteCheck, ...] = (*_QUOTE_CHECKS, *_others)
VERBATIM_CHECKS: tuple[QuoteCheck, ...] = (
    instruction, sincerity, asked, condition, mentioned, subject, hearsay, *_others,
)  # fmt: skip
"""Those for a speaker's own sentence, word for word: it says what was said, but may still not be meant."""
OVERLAP_CHECKS: tuple[QuoteCheck, ...] = (
    sincerity, condition, hearsay, polarity, relation, tense, mentioned, subject, *_others,
)  # fmt: skip
"""Those for the looser grounding by common words."""
