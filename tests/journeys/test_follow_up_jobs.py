"""A job that leaves something for later queues another in the name of the same guild: guilds are served in turn."""

import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.ports.jobs import JobState
from recollect.learning.summarize import MAX_MESSAGES_PER_SUMMARY
from recollect.testing.models import FakeModel, propose_nothing
from tests.scenes import Stage, opened

GUILD = "discord:g1"


async def running_tenants(stage: Stage) -> set[str]:
    jobs = await stage.memory.store.read(lambda tx: tx.jobs.list(JobState.CLAIMED))
    return {job.tenant for job in jobs}


async def test_what_is_said_while_a_model_is_asked_is_learned_in_the_name_of_the_same_guild() -> None:
    tenants: list[set[str]] = []

    async def learn(heard: ExtractionInput) -> ExtractionResult:
        tenants.append(await running_tenants(stage))
        if len(tenants) == 1:
            await stage.say("and I moved to Porto")
        return propose_nothing(heard)

    settings = {"extraction": {"trigger": "idle", "idle_after": 30}, "summary": {"enabled": False}}
    async with opened(model=FakeModel(learn), **settings) as stage:
        await stage.say("I use Helix")
        stage.clock.advance(minutes=1)
        await stage.settle()
    assert tenants == [{GUILD}, {GUILD}]


@pytest.mark.slow
async def test_the_rest_of_a_long_conversation_is_summarized_in_the_name_of_the_same_guild() -> None:
    tenants: list[set[str]] = []

    async def condense(previous: str | None, exchange: str, limit: int) -> str:
        tenants.append(await running_tenants(stage))
        del previous, exchange, limit
        return "so far"

    model = FakeModel(propose_nothing, condense)
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        await stage.reply("hello", await stage.say("hi"))
        await stage.settle()
        for number in range(MAX_MESSAGES_PER_SUMMARY + 5):
            await stage.say(f"line {number}", user="bob")
        await stage.reply("bye", await stage.say("good night"))
        await stage.settle()
    assert len(tenants) >= 3, "one page was full"
    assert all(running <= {GUILD} for running in tenants)
