"""A bot that runs as a process of its own against the loopback Discord."""

import asyncio
import sys

from tests.doubles.discord.server import DiscordServer

BOT = """
import sys, discord, yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = sys.argv[1], yarl.URL(sys.argv[2])
bot = discord.Client(intents=discord.Intents.default())

@bot.event
async def on_message(message):
    if bot.user in message.mentions:
        await message.reply(message.content.split()[-1])

bot.run(sys.argv[3])
"""


async def test_a_bot_answers_from_another_process_and_from_the_next_one():
    async with DiscordServer() as server:
        ada = server.world.user("ada")
        general = server.world.text(server.world.guild("Lab", ada), "general")
        for word in ("first", "second"):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", BOT, server.api, server.gateway, server.token),
                stderr=asyncio.subprocess.DEVNULL,
            )
            try:
                await server.next("identify", timeout=60)
                asked = await server.say(ada, general, f"{server.bot.mention} {word}")
                answer = await server.next_message(general)
                assert (answer.content, answer.reply_to) == (word, asked)
            finally:
                process.terminate()
                await process.wait()
        assert server.unknown == []
