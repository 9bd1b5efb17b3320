"""The layout of `unified`: what stays the same from turn to turn comes first, what depends on the question last."""

from recollect.core.ports.layout import Layout
from recollect.policy.headers import HEADERS_UNIFIED

ORDER = tuple(
    "instructions context lore durable people rolling history shortterm past relevant actions message".split()
)


def create(spec: str) -> Layout:  # noqa: ARG001 - every layout is made from its name
    return Layout(ORDER, HEADERS_UNIFIED, stable_first=True)
