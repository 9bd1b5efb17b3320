"""What leaves the bot on Discord, under every profile."""

import pytest

from recollect.settings import PROFILES
from tests.faces.discord.scene import acting
from tests.wire.test_requests import RULES, SKILL, assert_answers, last_turn, section


@pytest.mark.acceptance("W1", "W2", "W4", "W5", "W6", "W10", "W12")
@pytest.mark.parametrize("profile", PROFILES)
async def test_the_bot_sends_the_same_request_with_what_discord_lets_it_do(profile: str) -> None:
    async with acting(profile=profile) as scene:
        asked = [f"which bike suits errand {number}?" for number in range(3)]
        for text in asked:
            await scene.ask(text)
            await scene.bob.send(scene.dev, f"noise after {text.removeprefix('which ')}")
        requests = [request for request in scene.server.requests if request.tools]
        private = await scene.whisper("and here?")
        whispered = scene.server.requests[-1]
    assert private == "I see."
    for number, request in enumerate(requests):
        assert [role for role, _ in request.turns] == ["user"]
        assert_answers(request, asked[number])
        history = section(request, "Recent conversation:")
        assert [text for text in asked if text in history] == asked[:number]
        assert "Discord Actions:" in last_turn(request)
        assert (RULES in request.instructions) == (profile in ("unified", "dnam"))
        assert (SKILL in request.instructions) == scene.memory.settings.memos.enabled
        assert ("memory_line" in request.instructions) == (profile in ("unified", "clanker"))
        assert "cache_control" in request.body["system"][-1]
    assert len({str(request.body["system"]) for request in requests}) == 1
    assert_answers(whispered, "and here?")
    assert "memory_line" not in whispered.instructions
