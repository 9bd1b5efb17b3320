"""The loopback Discord, seen by discord.py: what people do reaches a bot, what the bot does shows."""

import io
from collections.abc import AsyncIterator

import discord
import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.doubles.discord.http import Trouble
from tests.doubles.discord.server import DiscordServer, point_discord_at, rate_limited
from tests.doubles.discord_bots import Listener, running, without


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server


async def test_a_bot_logs_in_and_knows_its_guilds(server: DiscordServer):
    ada = server.world.user("ada")
    lab = server.world.guild("Lab", ada)
    server.world.text(lab, "general")
    bot = Listener()
    async with running(server, bot):
        assert bot.user is not None
        assert bot.user.id == server.bot.id
        (guild,) = bot.guilds
        assert (guild.name, [channel.name for channel in guild.channels]) == ("Lab", ["general"])
        assert {member.name for member in guild.members} == {"ada", "owner", "recollect"}
        assert guild.me.guild_permissions.send_messages
        assert (await bot.application_info()).flags.gateway_message_content_limited


async def test_addresses_of_discord_are_restored(server: DiscordServer):
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    with point_discord_at(server):
        assert server.api == Route.BASE
    assert before == (Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY)


async def test_a_message_is_heard_and_answered_with_a_reply(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    bot = Listener()
    async with running(server, bot):
        asked = await server.say(ada, general, f"{server.bot.mention} hello")
        heard: discord.Message = await bot.heard("message")
        assert (heard.content, heard.author.id) == (asked.content, ada.id)
        assert bot.user in heard.mentions
        async with heard.channel.typing():
            await server.next("typing", general)
        await heard.reply("Hello, Ada.", allowed_mentions=discord.AllowedMentions.none())
        said = await server.next_message(general)
        assert (said.content, said.reply_to, said.mentions) == ("Hello, Ada.", asked, [])
        assert said.sent["allowed_mentions"]["parse"] == []
        own: discord.Message = await bot.heard("message")
        assert own.author == bot.user
        assert isinstance(own.reference and own.reference.resolved, discord.Message)


async def test_a_bot_mentions_those_it_is_allowed_to(server: DiscordServer):
    ada, bob = server.world.user("ada"), server.world.user("bob")
    general = server.world.text(server.world.guild("Lab", ada, bob), "general")
    bot = Listener()
    async with running(server, bot):
        await server.say(ada, general, "hello")
        heard: discord.Message = await bot.heard("message")
        for rules, mentioned in (
            (discord.AllowedMentions(users=False, replied_user=True), [ada]),
            (discord.AllowedMentions(users=True, replied_user=False), [bob]),
            (discord.AllowedMentions(users=[bob], replied_user=False), [bob]),
            (discord.AllowedMentions.none(), []),
            (discord.AllowedMentions.all(), [bob, ada]),
        ):
            sent = await heard.reply(f"{bob.mention}, look", allowed_mentions=rules)
            assert (await server.next_message(general)).mentions == mentioned
            await sent.edit(content=f"look, {bob.mention}", allowed_mentions=rules)
            edit = await server.next("edit", general)
            assert edit.message is not None
            assert edit.message.mentions == mentioned


async def test_edits_and_deletions_by_people_are_heard(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    bot = Listener()
    async with running(server, bot):
        first, second, third = [await server.say(ada, general, text) for text in ("one", "two", "three")]
        await server.edit(first, "uno")
        raw: discord.RawMessageUpdateEvent = await bot.heard("raw_message_edit")
        assert (raw.message_id, raw.message.content) == (first.id, "uno")
        await server.delete(first)
        assert (await bot.heard("raw_message_delete")).message_id == first.id
        await server.delete(second, third)
        assert (await bot.heard("raw_bulk_message_delete")).message_ids == {second.id, third.id}
        assert general.messages == []


async def test_edits_and_deletions_by_the_bot_show(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    bot = Listener()
    async with running(server, bot):
        channel = bot.get_partial_messageable(general.id)
        sent = await channel.send("Thin")
        await sent.edit(content="Thinking")
        assert (await server.next("edit", general)).message is general.messages[0]
        assert server.said(general) == ["Thinking"]
        theirs = await server.say(ada, general, "mine")
        with pytest.raises(discord.Forbidden) as refused:
            await channel.get_partial_message(theirs.id).edit(content="yours")
        assert refused.value.code == 50005
        await sent.delete()
        await server.next("delete", general)
        with pytest.raises(discord.NotFound) as unknown:
            await channel.fetch_message(sent.id)
        assert unknown.value.code == 10008


async def test_direct_messages_go_both_ways(server: DiscordServer):
    ada, shut = server.world.user("ada"), server.world.user("shut", takes_dms=False)
    server.world.guild("Lab", ada, shut)
    bot = Listener(without("message_content"))
    async with running(server, bot):
        await server.say(ada, server.world.dm(ada), "between us")
        heard: discord.Message = await bot.heard("message")
        assert (heard.guild, heard.content) == (None, "between us")
        await (await bot.fetch_user(ada.id)).send("I keep it")
        assert (await server.next_message(server.world.dm(ada))).content == "I keep it"
        with pytest.raises(discord.Forbidden) as refused:
            await (await bot.fetch_user(shut.id)).send("hello?")
        assert refused.value.code == 50007


async def test_without_the_intent_only_what_is_meant_for_the_bot_can_be_read():
    async with DiscordServer(privileged="members") as server:
        ada = server.world.user("ada")
        general = server.world.text(server.world.guild("Lab", ada), "general")
        bot = Listener(without("message_content", "presences"))
        async with running(server, bot):
            own = await bot.get_partial_messageable(general.id).send("Hello.")
            (answer,) = general.messages
            await server.say(ada, general, "to nobody")
            await server.say(ada, general, f"to you, {server.bot.mention}")
            await server.say(ada, general, "a reply", reply_to=answer)
            await server.say(ada, general, "a silent reply", reply_to=answer, ping=False)
            heard = [(await bot.heard("message")).content for _ in range(5)]
            assert heard == ["Hello.", "", f"to you, {server.bot.mention}", "a reply", ""]
            history = [message.content async for message in own.channel.history(oldest_first=True)]
            assert history == heard


async def test_threads_and_forum_posts_are_channels_of_their_own(server: DiscordServer):
    ada = server.world.user("ada")
    lab = server.world.guild("Lab", ada)
    general, forum = server.world.text(lab, "general"), server.world.forum(lab, "help")
    early = server.world.thread(general, "early", ada)
    bot = Listener()
    async with running(server, bot):
        guild = bot.guilds[0]
        assert [thread.name for thread in guild.threads] == ["early"]
        post = server.world.thread(forum, "my problem", ada)
        assert (await bot.heard("thread_create")).parent.name == "help"
        await server.say(ada, post, "it broke")
        heard: discord.Message = await bot.heard("message")
        assert isinstance(heard.channel, discord.Thread)
        await heard.channel.send("Which part?")
        assert (await server.next_message(post)).content == "Which part?"
        asked = await server.say(ada, general, "open one here")
        room = guild.get_channel(general.id)
        assert isinstance(room, discord.TextChannel)
        made = await room.get_partial_message(asked.id).create_thread(name="here")
        assert made.id == asked.id
        assert (await server.next("thread")).channel is server.world.channels[asked.id]
        assert early.messages == []


async def test_a_private_thread_is_hidden_until_the_bot_is_added(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    secret = server.world.thread(general, "secret", ada, private=True)
    bot = Listener()
    async with running(server, bot):
        await server.say(ada, secret, "not for bots")
        await server.say(ada, general, "for all")
        assert (await bot.heard("message")).content == "for all"
        with pytest.raises(discord.Forbidden) as refused:
            await bot.fetch_channel(secret.id)
        assert refused.value.code == 50001
        server.world.add_to_thread(secret, server.bot)
        thread: discord.Thread = await bot.heard("thread_join")
        assert thread.is_private()
        assert {member.id for member in await thread.fetch_members()} == {ada.id, server.bot.id}


async def test_permissions_of_everyone_follow_overwrites_roles_and_categories(server: DiscordServer):
    ada, eve = server.world.user("ada"), server.world.user("eve")
    lab = server.world.guild("Lab", ada, eve)
    staff = server.world.role(lab, "staff", ada)
    office = server.world.category(lab, "office")
    general, inside = server.world.text(lab, "general"), server.world.text(lab, "inside", office)
    voice = server.world.voice(lab, "talk", office)
    server.world.only_for(office, staff)
    bot = Listener()
    async with running(server, bot):
        guild = bot.guilds[0]
        sees = {channel.name: channel.permissions_for(guild.default_role).view_channel for channel in guild.channels}
        assert sees == {"office": False, "general": True, "inside": False, "talk": False}
        room = guild.get_channel(inside.id)
        assert room is not None
        assert {member.name for member in guild.members if room.permissions_for(member).view_channel} == {
            "ada",
            "owner",
            "recollect",
        }
        with pytest.raises(PermissionError):
            await server.say(eve, voice, "let me in")
        server.world.overwrite(general, lab.everyone, deny="view_channel")
        _, after = await bot.heard("guild_channel_update")
        assert not after.permissions_for(guild.default_role).view_channel
        server.world.permit(lab, lab.everyone, "send_messages")
        _, role = await bot.heard("guild_role_update")
        assert not role.permissions.view_channel


async def test_actions_without_permission_are_refused(server: DiscordServer):
    ada = server.world.user("ada")
    lab = server.world.guild("Lab", ada)
    quiet, hidden = server.world.text(lab, "quiet"), server.world.text(lab, "hidden")
    server.world.overwrite(quiet, server.bot, deny="send_messages")
    server.world.overwrite(hidden, server.bot, deny="view_channel")
    bot = Listener()
    async with running(server, bot):
        for channel, code in ((quiet, 50013), (hidden, 50001)):
            with pytest.raises(discord.Forbidden) as refused:
                await bot.get_partial_messageable(channel.id).send("hello")
            assert refused.value.code == code
        await server.say(ada, hidden, "unheard")
        await server.say(ada, quiet, "heard")
        assert (await bot.heard("message")).content == "heard"
        with pytest.raises(discord.HTTPException) as too_long:
            await (await bot.create_dm(discord.Object(ada.id))).send("x" * 2001)
        assert too_long.value.code == 50035


async def test_pinning_needs_its_own_permission(server: DiscordServer):
    lab = server.world.guild("Lab")
    general, other = server.world.text(lab, "general"), server.world.text(lab, "other")
    server.world.overwrite(general, server.bot, allow="pin_messages")
    bot = Listener()
    async with running(server, bot):
        sent = await bot.get_partial_messageable(general.id).send("What I know about Ada")
        await sent.pin()
        assert (await server.next("pin", general)).message is general.messages[0]
        assert [pin.id async for pin in sent.channel.pins()] == [sent.id]
        said, notice = await bot.heard("message"), await bot.heard("message")
        assert (said.is_system(), notice.is_system()) == (False, True)
        await sent.unpin()
        assert [pin.id async for pin in sent.channel.pins()] == []
        elsewhere = await bot.get_partial_messageable(other.id).send("no")
        with pytest.raises(discord.Forbidden) as refused:
            await elsewhere.pin()
        assert refused.value.code == 50013


async def test_files_and_reactions_go_both_ways(server: DiscordServer):
    ada = server.world.user("ada")
    general = server.world.text(server.world.guild("Lab", ada), "general")
    bot = Listener()
    async with running(server, bot):
        asked = await server.say(ada, general, "look", files={"notes.txt": b"tea at five"})
        heard: discord.Message = await bot.heard("message")
        assert await heard.attachments[0].read() == b"tea at five"
        await heard.add_reaction("👀")
        await server.next("reaction", general)
        assert asked.reactions == {"👀": [server.bot]}
        await heard.channel.send("Yours:", files=[discord.File(io.BytesIO(b"{}"), "memories.json")])
        sent = await server.next_message(general)
        assert [(file.name, file.content) for file in sent.files] == [("memories.json", b"{}")]
        await server.react(ada, sent, "👍")
        assert (await bot.heard("raw_reaction_add")).user_id == server.bot.id
        assert (await bot.heard("raw_reaction_add")).user_id == ada.id


async def test_the_bot_leaves_and_enters_guilds_while_it_runs(server: DiscordServer):
    ada = server.world.user("ada")
    lab = server.world.guild("Lab", ada)
    bot = Listener()
    async with running(server, bot):
        server.world.kick(lab)
        assert (await bot.heard("guild_remove")).id == lab.id
        club = server.world.guild("Club", ada)
        assert (await bot.heard("guild_join")).id == club.id
        server.world.join(club, server.world.user("bob"))
        assert (await bot.heard("member_join")).name == "bob"
        with pytest.raises(discord.Forbidden):
            await bot.fetch_guild(lab.id)


async def test_a_rate_limit_is_waited_out_and_a_ban_is_not(server: DiscordServer):
    general = server.world.text(server.world.guild("Lab"), "general")
    bot = Listener()
    async with running(server, bot):
        channel = bot.get_partial_messageable(general.id)
        server.trouble("POST /channels/*/messages", rate_limited(0.01), rate_limited(0.01))
        await channel.send("at last")
        assert [line for line in server.requests if line.endswith("/messages")] == 3 * [
            f"POST /channels/{general.id}/messages"
        ]
        server.trouble("POST /channels/*/messages", rate_limited(0.01, via=False))
        with pytest.raises(discord.HTTPException) as banned:
            await channel.send("never")
        assert banned.value.status == 429
        assert server.said(general) == ["at last"]


async def test_an_error_of_the_server_is_tried_again(server: DiscordServer):
    general = server.world.text(server.world.guild("Lab"), "general")
    bot = Listener()
    async with running(server, bot):
        server.trouble("POST /channels/*/messages", Trouble(502))
        await bot.get_partial_messageable(general.id).send("after a second")
        assert server.said(general) == ["after a second"]


async def test_a_request_that_no_route_answers_is_noted(server: DiscordServer):
    lab = server.world.guild("Lab")
    bot = Listener()
    async with running(server, bot):
        with pytest.raises(discord.NotFound):
            await bot.guilds[0].invites()
        assert server.unknown == [f"GET /guilds/{lab.id}/invites"]
        server.unknown.clear()


async def test_waiting_in_vain_tells_what_the_bot_did_instead(server: DiscordServer):
    general = server.world.text(server.world.guild("Lab"), "general")
    bot = Listener()
    async with running(server, bot):
        await bot.get_partial_messageable(general.id).send("hello")
        with pytest.raises(TimeoutError, match=r"no edit came within .*; the bot did: .*message in general 'hello'"):
            await server.next("edit", general, timeout=0.01)
