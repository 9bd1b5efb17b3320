"""On Discord, what was forgotten or deleted is in no later request and in no mirror, in whichever channel."""

import re
from typing import Any

import pytest

from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.testing.model_server import ModelServer, Request, Says
from recollect.testing.models import FakeModel, proposal_for
from tests.faces.discord.scene import Scene, acting, speaker_of
from tests.faces.discord.test_memory_channel import channel_id, mirrored
from tests.faces.discord.wire import WAIT, wired
from tests.waiting import eventually


def learning(hearing: ExtractionInput) -> ExtractionResult:
    return ExtractionResult(tuple(proposal_for(one) for one in hearing.messages if "?" not in one.text))


def condensing(previous: str | None, exchange: str, limit: int) -> str:
    return f"{previous or ''}\n{exchange}".strip()[-limit:]


def answering(request: Request) -> Says:
    asked = str(request.body["messages"][-1]).rpartition("User message:")[2]
    if "where does Ann live" in asked:
        return Says("Ann lives in Lisbon.")
    return Says("You live in Lisbon." if "where do I live?" in asked else "All right.")


def later(scene: Scene, number: int) -> str:
    return str(scene.prompts()[number:])


async def told(scene: Scene) -> None:
    """Ann states, asks, and is told; so is Bob."""
    await scene.ask("I live in Lisbon")
    await scene.settle()
    assert "Lisbon" in await scene.ask("where do I live?")
    assert "Lisbon" in await scene.ask("where does Ann live?", scene.bob)
    await scene.settle()


async def talk_on(scene: Scene) -> None:
    for channel in (scene.dev, scene.general):
        await scene.ask("what is new?", scene.ann, channel)
        await scene.ask("what is new here?", scene.bob, channel)
    await scene.settle()


def settings(**more: Any) -> dict[str, Any]:
    return {"model": FakeModel(learning, condensing), "summary": {"every_n_turns": 1}, **more}


@pytest.mark.parametrize("how", ["!memory forget Lisbon", "slash", "delete"])
async def test_it_is_in_no_later_request_of_hers_or_of_others_here_or_elsewhere(how: str) -> None:
    async with acting(answering, **settings()) as scene:
        await told(scene)
        await scene.ask("where does Ann live?", scene.bob, scene.general)
        if how == "delete":
            await scene.ann.delete(scene.dev.history()[0])
        elif how == "slash":
            asked = await scene.ann.slash(scene.dev, "memory forget", which="Lisbon")
            await scene.ann.click(asked.response or asked.followups[-1], label="Forget")
        else:
            await scene.order(how)
        await scene.settle()
        since = len(scene.prompts())
        await talk_on(scene)
        assert "Lisbon" not in later(scene, since)


async def test_undo_brings_it_back_into_the_requests() -> None:
    async with acting(answering, **settings()) as scene:
        await told(scene)
        await scene.order("!memory forget Lisbon")
        await talk_on(scene)
        await scene.order("!memory undo")
        await scene.settle()
        await scene.ask("and now?")
        assert "[Ann]: I live in Lisbon" in later(scene, -1)


async def test_the_memory_channel_shows_it_in_nobodys_summary_until_it_is_undone() -> None:
    async with acting(answering, discord__memory_channel=await channel_id(), **settings()) as scene:
        await mirrored(scene)
        await told(scene)

        async def shown() -> list[str]:
            return [one.content for one in await mirrored(scene) if one.content.startswith("<@")]

        assert sum("Lisbon" in one for one in await shown()) == 2
        await scene.order("!memory forget Lisbon")
        assert not any("Lisbon" in one for one in await shown())
        await scene.order("!memory undo")
        assert any("Lisbon" in one.partition("Summary of this conversation")[0] for one in await shown())


async def test_the_memory_channel_does_not_show_what_was_said_in_a_deleted_message() -> None:
    async with acting(answering, discord__memory_channel=await channel_id(), **settings()) as scene:
        await mirrored(scene)
        await told(scene)
        await scene.ann.delete(scene.dev.history()[0])
        assert not any("Lisbon" in one.content for one in await mirrored(scene) if one.content.startswith("<@"))


async def test_over_real_sockets_a_deleted_message_and_what_was_said_of_it_are_gone_from_every_request() -> None:
    async with ModelServer(answering) as server, wired() as bot, bot.online(speaker_of(server)) as client:
        lab, mention = bot.lab, f"<@{client.user.id if client.user else 0}>"

        async def ask(text: str, where: Any) -> str:
            await lab.say(lab.ada, where, f"{mention} {text}")
            answer = await lab.next_message(where, WAIT)
            await eventually(lambda: answer.content.endswith("."), WAIT)  # it is sent in parts
            bot.clock.advance(minutes=1)
            return answer.content

        stated = await lab.say(lab.ada, lab.dev, "I live in Lisbon")
        await bot.learned(1)
        bot.clock.advance(minutes=1)
        assert await ask("where do I live?", lab.dev) == "You live in Lisbon."
        assert await ask("where do I live?", lab.general) == "You live in Lisbon."
        await lab.delete(stated)
        await eventually(lambda: _is_empty(bot), WAIT)
        since = len(server.requests)
        await ask("what is new?", lab.dev)
        await ask("what is new?", lab.general)
        sent = "".join(str(request.body) for request in server.requests[since:])
        assert re.findall(".{0,100}Lisbon.{0,40}", sent) == []


async def _is_empty(bot: Any) -> bool:
    return await bot.known() == []
