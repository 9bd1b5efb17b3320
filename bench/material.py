"""Memos to measure with: sentences of ordinary length, made from a seed, each with a vector."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from recollect.core.fingerprints import Fingerprints
from recollect.core.types import Kind, Memo, Origin, Provenance, Subject
from recollect.policy.merge import memo_id

DIMS = 256
_KEYED = Fingerprints("bench")
START = datetime(2026, 1, 1, tzinfo=UTC)

_WHO = "I we my team my sister the client our vendor Ada Grace Linus".split()
_DOES = "prefer use avoid maintain deploy review like dislike plan teach test document migrate".split()
_WHAT = (
    "Rust Go Python Kubernetes Terraform Postgres SQLite sourdough hiking chess jazz piano gardening photography "
    "the-billing-service the-auth-middleware the-data-pipeline the-onboarding-guide the-quarterly-report"
).split()
_WHEN = "on-Mondays every-week since-March before-lunch at-night in-winter for-small-projects when-travelling".split()
_TAIL = (
    "because it is quick",
    "although it takes time",
    "as the latency budget is strict",
    "with the people from the platform team",
    "and wants to be reminded of it",
    "unless the build is red",
)


def sentence(random_: random.Random, number: int) -> str:
    parts = (random_.choice(_WHO), random_.choice(_DOES), random_.choice(_WHAT), random_.choice(_WHEN))
    return f"{' '.join(parts).replace('-', ' ')} {random_.choice(_TAIL)}, note {number} of {number % 97}"


def memos(count: int, users: int, seed: int = 7, first: int = 0) -> Iterator[tuple[Memo, bytes]]:
    """`count` memos of `users` people in turn."""
    random_, numbers = random.Random(seed + first), np.random.default_rng(seed + first)
    for number in range(first, first + count):
        text = sentence(random_, number)
        at = START + timedelta(seconds=number)
        source = Provenance(
            Origin.MANUAL, actor=f"u{number % users}", guild=f"g{number % 13}", channel=f"c{number % 31}"
        )
        memo = Memo(
            f"{memo_id(_KEYED, 'fact', text, lambda _: None)}-{number}",
            Subject(f"u{number % users}"),
            Kind.FACT,
            text,
            at,
            at,
            source,
        )
        yield memo, vector(numbers)


def vector(numbers: np.random.Generator) -> bytes:
    raw = numbers.normal(size=DIMS).astype(np.float32)
    return (raw / np.linalg.norm(raw)).tobytes()


def questions(seed: int = 5) -> Iterator[str]:
    """Endless questions about such memos."""
    random_ = random.Random(seed)
    while True:
        what, when = random_.choice(_WHAT).replace("-", " "), random_.choice(_WHEN).replace("-", " ")
        yield random_.choice(
            (
                f"what did they {random_.choice(_DOES)} {when}?",
                f"who has to {random_.choice(_DOES)} {what}?",
                f"why {what} {when}?",
                f"{random_.choice(_WHO)} and {what}",
            )
        )
