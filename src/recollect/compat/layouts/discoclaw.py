"""DiscoClaw's prompt: the actions come before the message."""

from recollect.core.ports.layout import Layout
from recollect.policy.headers import HEADERS_A

ORDER = tuple("context durable relevant lore people shortterm rolling past history actions message".split())


def create(spec: str) -> Layout:  # noqa: ARG001 - every layout is made from its name
    return Layout(ORDER, HEADERS_A)
