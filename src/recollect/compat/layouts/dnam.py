"""SIMPLE DNAM's prompt: the message comes before the actions."""

from recollect.core.ports.layout import Layout
from recollect.policy.headers import HEADERS_B
from recollect.policy.rendering import render_with_source

ORDER = tuple("context durable relevant lore people shortterm rolling past history message actions".split())


def create(spec: str) -> Layout:  # noqa: ARG001 - every layout is made from its name
    return Layout(ORDER, HEADERS_B, render_memo=render_with_source, rules=True)
