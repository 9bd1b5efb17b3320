"""A conversation is told in the order in which it stands on Discord."""

from datetime import timedelta
from typing import Any

from recollect import AsyncMemory, Place
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests import ground
from tests.faces.discord.wire import WAIT, Lab, Wired
from tests.scenes import at_once
from tests.waiting import eventually


async def test_replies_stand_between_the_messages_though_the_clocks_differ() -> None:
    for ahead in (timedelta(minutes=2), -timedelta(minutes=2)):
        clock = FakeClock()
        options: dict[str, Any] = at_once(
            {"embedder": "null", "discord": {"allowed_users": "*", "privacy_notice": "off"}}
        )
        async with (
            Lab(clock=lambda clock=clock, ahead=ahead: clock() - ahead) as lab,
            AsyncMemory(ground.new(), clock=clock, model=FakeModel(), **options) as memory,
            Wired(lab, memory, clock).online(),
        ):
            place = Place("discord", guild=str(lab.lab.id), channel=str(lab.dev.id))

            async def authors(memory: AsyncMemory = memory, place: Place = place) -> list[bool]:
                return [message.bot for message in await memory.timeline.recent(place, 50)]

            for number in range(3):
                await lab.say(lab.ada, lab.dev, f"{lab.bot.mention} thought number {number}")
                await lab.next_message(lab.dev, WAIT)

                async def stored(count: int = 2 * number + 2) -> bool:
                    return len(await authors()) == count

                await eventually(stored, WAIT)
                clock.advance(seconds=5)
            assert await authors() == [False, True] * 3
