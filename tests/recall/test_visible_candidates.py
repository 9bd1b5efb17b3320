"""Private memos, however many and however relevant, don't displace visible ones among the candidates."""

import recollect
from recollect import AsyncMemory, Audience, Place
from tests import ground

CHANNEL = Place("discord", "g", "dev", name="dev", public=True)


async def remember_many(memory: AsyncMemory, count: int) -> None:
    for number in range(count):
        text = f"the deploy of service {number} failed in the night"
        await memory.remember(text, user="discord:ada", audience=Audience("dm", "discord:ada"))


async def test_what_may_be_heard_is_found_behind_hundreds_of_private_memos_that_fit_better():
    async with recollect.AsyncMemory(ground.new(), embedder="static", memos={"max_active": None}) as memory:
        await memory.remember("We deploy on Thursdays", user="discord:ada", audience=CHANNEL.audience)
        await memory.remember("Lunch is at noon", user="discord:ada", audience=CHANNEL.audience)
        await remember_many(memory, 300)
        found = await memory.search("which deploy failed in the night?", user="ada", place=CHANNEL, limit=5)
        assert [one.text for one in found] == ["We deploy on Thursdays", "Lunch is at noon"]
        assert len(await memory.search("which deploy failed?", user="ada", limit=5)) == 5
