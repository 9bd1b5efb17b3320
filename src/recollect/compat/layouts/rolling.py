"""The prompt of the document on rolling summaries."""

from recollect.core.ports.layout import Layout
from recollect.policy.headers import HEADERS_B

ORDER = tuple("context rolling history message actions".split())


def create(spec: str) -> Layout:  # noqa: ARG001 - every layout is made from its name
    return Layout(ORDER, {**HEADERS_B, "rolling": "Conversation memory:"})
