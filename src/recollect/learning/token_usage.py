"""Add up what several model calls cost."""

from recollect.core.ports import Usage


def total_usage(*usages: Usage) -> Usage:
    """The sum of requests and tokens."""
    return Usage(
        sum(usage.requests for usage in usages),
        sum(usage.input for usage in usages),
        sum(usage.output for usage in usages),
        sum(usage.seconds for usage in usages),
    )
