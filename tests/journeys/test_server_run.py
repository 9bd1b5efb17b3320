"""A busy server, and an audit afterwards: nothing leaked, nobody remembered without consent, nothing lost or undead."""

import pytest

from tests.journeys.server_run import Size, run


@pytest.mark.slow
@pytest.mark.sqlite  # the store is not what it is about, and a server takes many minutes
@pytest.mark.timeout(900)
async def test_a_busy_server_leaks_nothing_keeps_nobody_without_consent_and_loses_nothing() -> None:
    report = await run(Size(members=200, channels=30, messages=400, days=5, burst=10))
    assert report.is_clean, report
    assert report.stored > 40
    assert report.prompts > 10
    assert report.lines > 10
    assert report.checked > 200
    assert report.memory_growth_mb < 300
