"""Daily budgets hold when many people ask at once, and count the tokens of replies that failed or never arrived."""

import asyncio

import pytest

from recollect.testing.model_server import Calls, Request, Says
from tests.faces.discord.scene import Scene, acting

pytestmark = pytest.mark.sqlite


async def ask_all_at_once(scene: Scene, people: int) -> list[str]:
    """A mention by each of so many people; what the bot says to them."""
    mention = f"<@{scene.client.user.id}>"
    for number in range(people):
        person = scene.guild.add_member(scene.env.create_user(f"person{number}"))
        scene.env.backend.create_message(scene.dev.id, person.id, f"{mention} hello")
    await scene.env.settle()
    return [one.content for one in scene.dev.history() if one.author.id == scene.client.user.id]


async def tokens_of_replies(scene: Scene) -> int:
    return (await scene.memory.engine.reply_budget.use(f"discord:{scene.guild.id}")).replies


async def test_people_who_ask_at_once_get_no_more_replies_than_the_day_has() -> None:
    async with acting(discord={"daily_replies": 3}) as scene:
        said = await ask_all_at_once(scene, 12)
        assert said.count("I see.") == 3


async def test_people_who_ask_at_once_take_no_more_tokens_than_the_day_has_but_for_the_last_reply() -> None:
    async with acting(lambda _: Says("I see.", input=400, output=100), discord={"daily_tokens": 1100}) as scene:
        said = await ask_all_at_once(scene, 12)
        assert said.count("I see.") == 3
        assert await tokens_of_replies(scene) == 1500


async def test_far_from_the_limit_replies_do_not_wait_for_each_other() -> None:
    asked, everyone = [0], asyncio.Event()

    async def wait_for_all() -> None:
        await asyncio.wait_for(everyone.wait(), 60)

    def count(request: Request) -> Says:
        del request
        asked[0] += 1
        if asked[0] == 5:
            everyone.set()
        return Says("I see.")

    async with acting(count, discord={"daily_tokens": 1_000_000}) as scene:
        said = await ask_all_at_once(scene, 5)
        await wait_for_all()
        assert said.count("I see.") == 5


async def test_a_turn_of_the_model_that_comes_to_no_answer_counts() -> None:
    async with acting(lambda _: Calls("memory", {"action": "list"}), discord={"daily_tokens": 1_000_000}) as scene:
        assert "can't be reached" in await scene.ask("hello")
        assert len(scene.server.requests) > 1
        assert await tokens_of_replies(scene) > 0


async def test_a_reply_that_discord_refuses_counts() -> None:
    async with acting(discord={"daily_tokens": 1_000_000}, check_errors=False) as scene:
        scene.env.inject_error("POST", f"/channels/{scene.dev.id}/messages", status=403)
        assert await scene.ask("hello") == ""
        assert await tokens_of_replies(scene) > 0
