"""Which queues are served next: tenants round-robin, and within a tenant the queue that is due longest.

A tenant is skipped in one seek, however many jobs it has. The round-robin cursor is persisted, so that workers that
claim one job at a time are fair as well.
"""

from collections.abc import Iterable
from itertools import chain, zip_longest
from typing import LiteralString, TypeVar

T = TypeVar("T")

FIRST_TENANT: LiteralString = """
(SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant >= '' ORDER BY tenant LIMIT 1)
"""
NEXT_TENANT: LiteralString = """
(SELECT tenant FROM jobs WHERE state = 'waiting' AND tenant > name ORDER BY tenant LIMIT 1)
"""
"""The one after `name`."""
FIRST_DUE: LiteralString = f"""
WITH RECURSIVE tenants (name) AS (
    SELECT {FIRST_TENANT} UNION ALL SELECT {NEXT_TENANT} FROM tenants WHERE name IS NOT NULL
)
SELECT min(moment) FROM (
    SELECT (SELECT due FROM jobs WHERE state = 'waiting' AND tenant = name ORDER BY due LIMIT 1) AS moment FROM tenants
    UNION ALL SELECT min(until) FROM jobs WHERE state = 'claimed'
) AS moments
"""


def tenant_share(limit: int, tenants: int) -> int:
    """The most jobs of one tenant that may be needed, as each tenant gets at least one."""
    return limit - tenants + 1


def interleave(jobs_of_tenants: Iterable[Iterable[T]], limit: int) -> list[T]:
    """One of each tenant, then another one of each."""
    turns = chain.from_iterable(zip_longest(*jobs_of_tenants))
    return [turn for turn in turns if turn is not None][: max(limit, 0)]
