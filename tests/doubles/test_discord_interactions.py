"""Commands, buttons, forms and menus of a bot on discord.py, used by people of the loopback Discord."""

from collections.abc import AsyncIterator

import aiohttp
import discord
import pytest
from discord import app_commands, ui

from tests.doubles.discord.server import DiscordServer
from tests.doubles.discord.things import Channel, User
from tests.doubles.discord_bots import Listener, running

EVERYWHERE = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
BY_ANYONE = app_commands.AppInstallationType(guild=True, user=True)


class Edit(ui.Modal, title="Edit a memo"):
    text = ui.TextInput[ui.Modal](label="Text", default="I like tea")

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.edit_message(content=f"Changed: {self.text.value}")


class Buttons(ui.View):
    @ui.button(label="Undo")
    async def undo(self, interaction: discord.Interaction, _: ui.Button[ui.View]) -> None:
        await interaction.response.edit_message(content="Undone.", view=None)

    @ui.button(label="Edit")
    async def edit(self, interaction: discord.Interaction, _: ui.Button[ui.View]) -> None:
        await interaction.response.send_modal(Edit())

    @ui.button(label="Later")
    async def later(self, interaction: discord.Interaction, _: ui.Button[ui.View]) -> None:
        await interaction.response.defer()
        await interaction.edit_original_response(content="Later came.")

    @ui.select(placeholder="Which", options=[discord.SelectOption(label="tea"), discord.SelectOption(label="coffee")])
    async def which(self, interaction: discord.Interaction, chosen: ui.Select[ui.View]) -> None:
        await interaction.response.send_message(f"You chose {chosen.values[0]}.", ephemeral=True)


class Memory(app_commands.Group):
    @app_commands.command(description="Remember something")
    async def remember(self, interaction: discord.Interaction, text: str, times: int = 1) -> None:
        await interaction.response.send_message(f"Remembered {times}x: {text}", view=Buttons(), ephemeral=True)

    @app_commands.command(description="Think first")
    async def search(self, interaction: discord.Interaction, words: str, public: bool = False) -> None:
        await interaction.response.defer(ephemeral=not public, thinking=True)
        await interaction.followup.send(f"Found {words}.")
        await interaction.followup.send("And more.", ephemeral=True)

    @app_commands.command(description="Forget something")
    async def forget(self, interaction: discord.Interaction, memo: str) -> None:
        await interaction.response.send_message("Forgotten.")
        await interaction.edit_original_response(content=f"Forgotten: {memo}")

    @forget.autocomplete("memo")
    async def memos(self, interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
        known = ["Acme", "acorns", "tea"]
        return [app_commands.Choice(name=one, value=one) for one in known if one.lower().startswith(current)]

    @app_commands.command(description="Never answers")
    async def hang(self, interaction: discord.Interaction) -> None:
        pass

    @app_commands.command(description="About somebody")
    async def show(self, interaction: discord.Interaction, who: discord.User) -> None:
        await interaction.response.send_message(f"{who.name} asked by {interaction.user.name} {interaction.context}")


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer(privileged="members presences") as server:
        yield server


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Listener]:
    intents = discord.Intents.default()
    bot = Listener(intents)

    async def remember_this(interaction: discord.Interaction, message: discord.Message) -> None:
        await interaction.response.send_message(f"{message.author.name}: {message.content}", ephemeral=True)

    memory = Memory(name="memory", description="Memory", allowed_contexts=EVERYWHERE, allowed_installs=BY_ANYONE)
    bot.tree.add_command(memory)
    bot.tree.add_command(app_commands.ContextMenu(name="Remember this", callback=remember_this))
    async with running(server, bot):
        await bot.tree.sync()
        yield bot


@pytest.fixture
def ada(server: DiscordServer) -> User:
    return server.world.user("ada")


@pytest.fixture
def general(server: DiscordServer, ada: User) -> Channel:
    return server.world.text(server.world.guild("Lab", ada), "general")


async def test_commands_are_registered_and_can_be_fetched(server: DiscordServer, bot: Listener):
    assert [command["name"] for command in server.commands()] == ["memory", "Remember this"]
    assert [command.name for command in await bot.tree.fetch_commands()] == ["memory", "Remember this"]
    before = [command["id"] for command in server.commands()]
    await bot.tree.sync()
    assert [command["id"] for command in server.commands()] == before
    assert len(server.journal.of("commands")) == 2


async def test_a_slash_command_is_answered_where_only_its_user_sees_it(
    server: DiscordServer, ada: User, general: Channel, bot: Listener
):
    answer = await server.slash(ada, general, "memory remember", {"text": "I like tea", "times": 2})
    assert (answer.content, answer.ephemeral, answer.deferred) == ("Remembered 2x: I like tea", True, False)
    assert general.messages == []


async def test_a_deferred_answer_is_awaited_and_what_follows_it_too(
    server: DiscordServer, ada: User, general: Channel, bot: Listener
):
    answer = await server.slash(ada, general, "memory search", {"words": "tea"})
    assert (answer.deferred, answer.content, answer.ephemeral) == (True, "Found tea.", True)
    await server.until(lambda: len(answer.messages) == 2)
    assert answer.messages[1].content == "And more."
    public = await server.slash(ada, general, "memory search", {"words": "tea", "public": True})
    assert (public.ephemeral, general.messages) == (False, [public.message])


async def test_an_original_answer_can_be_edited(server: DiscordServer, ada: User, general: Channel, bot: Listener):
    answer = await server.slash(ada, general, "memory forget", {"memo": "Acme"})
    await server.until(lambda: answer.content == "Forgotten: Acme")
    assert [message.content for message in general.messages] == ["Forgotten: Acme"]


async def test_arguments_are_completed(server: DiscordServer, ada: User, general: Channel, bot: Listener):
    choices = await server.autocomplete(ada, general, "memory forget", {"memo": "ac"})
    assert [choice["value"] for choice in choices] == ["Acme", "acorns"]


async def test_buttons_and_lists_of_an_answer_work(server: DiscordServer, ada: User, general: Channel, bot: Listener):
    answer = await server.slash(ada, general, "memory remember", {"text": "x"})
    chosen = await server.press(ada, answer.message, "Which", values=["coffee"])
    assert chosen.content == "You chose coffee."
    later = await server.press(ada, answer.message, "Later")
    await server.until(lambda: answer.content == "Later came.")
    assert later.deferred
    await server.press(ada, answer.message, "Undo")
    assert (answer.content, answer.message.components) == ("Undone.", [])
    with pytest.raises(LookupError, match="offers no Undo"):
        await server.press(ada, answer.message, "Undo")


async def test_a_form_is_opened_and_sent(server: DiscordServer, ada: User, general: Channel, bot: Listener):
    answer = await server.slash(ada, general, "memory remember", {"text": "x"})
    form = await server.press(ada, answer.message, "Edit")
    assert form.modal is not None
    with pytest.raises(LookupError, match="no Size"):
        await server.submit(form, {"Size": "9"})
    await server.submit(form, {"Text": "I like coffee"})
    assert answer.content == "Changed: I like coffee"
    again = await server.press(ada, answer.message, "Edit")
    await server.submit(again, {})
    assert answer.content == "Changed: I like tea"


async def test_the_menu_of_a_message_hands_over_its_text_even_without_the_intent(
    server: DiscordServer, ada: User, general: Channel, bot: Listener
):
    said = await server.say(ada, general, "tea at five")
    assert (await bot.heard("message")).content == ""
    answer = await server.menu(ada, said, "Remember this")
    assert (answer.content, answer.ephemeral) == ("ada: tea at five", True)


async def test_commands_work_in_direct_messages_and_where_only_the_user_installed_the_bot(
    server: DiscordServer, ada: User, bot: Listener
):
    eve = server.world.user("eve")
    club = server.world.text(server.world.guild("Club", ada, bot_inside=False), "club")
    for channel in (server.world.dm(ada), server.world.dm(ada, eve), club):
        answer = await server.slash(ada, channel, "memory show", {"who": eve})
        assert answer.content.startswith("eve asked by ada")
    with pytest.raises(LookupError, match="needs the bot in the guild"):
        await server.menu(ada, await server.say(ada, club, "hi"), "Remember this")


async def test_an_answer_is_due_in_time():
    async with DiscordServer(due=0.05) as server:
        ada = server.world.user("ada")
        general = server.world.text(server.world.guild("Lab", ada), "general")
        bot = Listener()
        bot.tree.add_command(Memory(name="memory", description="Memory"))
        async with running(server, bot):
            await bot.tree.sync()
            with pytest.raises(TimeoutError, match="no answer came"):
                await server.slash(ada, general, "memory hang")
            late: discord.Interaction = await bot.heard("interaction")
            with pytest.raises(discord.NotFound) as refused:
                await late.response.send_message("too late")
            assert refused.value.code == 10062


async def test_an_interaction_is_answered_once(server: DiscordServer, ada: User, general: Channel, bot: Listener):
    await server.slash(ada, general, "memory remember", {"text": "x"})
    asked: discord.Interaction = await bot.heard("interaction")
    twice = {"type": 4, "data": {"content": "twice"}}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.api}/interactions/{asked.id}/{asked.token}/callback", json=twice) as refused,
    ):
        assert (refused.status, (await refused.json())["code"]) == (400, 40060)


async def test_a_command_that_was_not_registered_is_not_there(
    server: DiscordServer, ada: User, general: Channel, bot: Listener
):
    with pytest.raises(LookupError, match="the bot registered no weather, only: memory, Remember this"):
        await server.slash(ada, general, "weather")
    with pytest.raises(LookupError, match="memory has no dance"):
        await server.slash(ada, general, "memory dance")
    with pytest.raises(LookupError, match="needs text"):
        await server.slash(ada, general, "memory remember")
