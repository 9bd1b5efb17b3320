"""DevClaw's prompt: memory is one layer of a larger prompt, so it has no section for the message."""

from recollect.core.ports.layout import Layout
from recollect.policy.headers import HEADERS_LAYERED
from recollect.policy.rendering import render_with_category


def create(spec: str) -> Layout:  # noqa: ARG001 - every layout is made from its name
    return Layout(("durable",), HEADERS_LAYERED, after_header="\n\n", render_memo=render_with_category)
