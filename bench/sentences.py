"""Sentences of ordinary length and questions about them, made from a seed; needs nothing but Python."""

import random
from collections.abc import Iterator

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
    return f"{' '.join(parts).replace('-', ' ')} {random_.choice(_TAIL)}, entry {number} of {number % 97}"


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
