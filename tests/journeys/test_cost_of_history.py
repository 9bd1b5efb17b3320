"""What a message costs does not grow with the history."""

import pytest

from tests.journeys.cost_of_history import measure


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.timeout(900)
async def test_from_some_thousand_messages_on_a_message_costs_no_more_and_a_question_has_a_limit() -> None:
    costs = await measure(5000, 1000)
    statements, rows = costs[2].statements, costs[2].rows
    assert all(abs(cost.statements - statements) < 0.05 * statements for cost in costs[3:]), costs
    assert all(abs(cost.rows - rows) < 0.05 * rows for cost in costs[3:]), costs
    assert max(cost.question_rows for cost in costs) < 5000, costs
