"""Who can hear what is said where: from the real permissions, as they are at that moment."""

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect.core.types import Audience
from recollect.faces.discord.places import place_of
from recollect.privacy.target import ErasureTarget
from tests.faces.discord.scene import HIDDEN, SHOWN, acting


async def test_a_channel_that_everyone_sees_is_public_and_one_for_a_role_is_not() -> None:
    async with acting() as scene:
        guild = str(scene.guild.id)
        assert scene.place(scene.dev).audience == Audience("guild", guild, guild)
        readers = f"+{scene.staff_role.id}"
        assert scene.place(scene.staff).audience == Audience("channel", str(scene.staff.id), guild, readers=readers)


async def test_a_channel_takes_its_categorys_walls_unless_it_has_its_own() -> None:
    async with acting() as scene:
        back = scene.guild.create_category("backstage")
        await scene.allow(back, everyone=False)
        inherits = scene.guild.create_text_channel("plans", category=back)
        copies = scene.guild.create_text_channel("cast", category=back, overwrites={scene.guild.default_role: HIDDEN})
        opens = scene.guild.create_text_channel("door", category=back, overwrites={scene.guild.default_role: SHOWN})
        assert [scene.place(one).public for one in (inherits, copies, opens)] == [False, False, True]


async def test_a_role_that_the_category_shuts_out_is_shut_out_unless_the_channel_says_otherwise() -> None:
    async with acting() as scene:
        back = scene.guild.create_category("backstage")
        role = OverwriteType.ROLE
        deny = Overwrite(scene.staff_role.id, role, 0, discord.Permissions(view_channel=True).value)
        scene.env.backend.set_overwrite(back.id, deny)
        await scene.env.settle()
        inherits = scene.guild.create_text_channel("plans", category=back)
        opens = scene.guild.create_text_channel("door", category=back, overwrites={scene.staff_role: SHOWN})
        assert [scene.place(one).public for one in (inherits, opens)] == [False, True]


async def test_threads_are_heard_like_their_channel_and_private_ones_by_nobody_else() -> None:
    async with acting() as scene:
        guild = str(scene.guild.id)
        release = scene.place(scene.thread(scene.dev, "release"))
        secret = scene.place(scene.thread(scene.dev, "secret", private=True))
        inside = scene.place(scene.thread(scene.staff, "salaries"))
    assert release.audience == Audience("guild", guild, guild)
    assert (release.name, release.channel) == ("release", str(scene.dev.id))
    assert (secret.audience.level, secret.audience.id) == ("channel", secret.thread)
    assert inside.audience == scene.place(scene.staff).audience


async def test_voice_chat_is_public_only_where_everyone_may_join() -> None:
    async with acting() as scene:
        voice = scene.guild.create_voice_channel("lounge")
        assert scene.place(voice).public
        channel = scene.client.get_channel(voice.id)
        assert isinstance(channel, discord.VoiceChannel)
        await channel.set_permissions(channel.guild.default_role, connect=False)
        await scene.env.settle()
        assert not scene.place(voice).public


async def test_a_change_of_permissions_counts_from_the_next_message_on() -> None:
    async with acting() as scene:
        await scene.ask("I like green tea")
        await scene.allow(scene.general, everyone=False)
        assert not scene.place(scene.general).public
        await scene.allow(scene.general, everyone=True)
        assert scene.place(scene.general).public


async def test_a_thread_that_the_bot_was_not_told_of_is_private_and_belongs_to_its_server() -> None:
    async with acting() as scene:
        thread, guild = scene.thread(scene.dev, "plans"), scene.client.get_guild(scene.guild.id)
        assert guild is not None
        guild._threads.pop(thread.id)
        await scene.ask("I like green tea", where=thread)
        await scene.settle()
        (memo,) = await scene.memos()
        assert memo.source.guild == str(scene.guild.id)
        assert memo.audience.level == "channel"
        assert await scene.known(place=scene.place(scene.dev)) == []
        await scene.memory.privacy.erase(ErasureTarget(guild=str(scene.guild.id)), asked_by="operator")
        assert await scene.known() == []


async def test_a_change_of_a_roles_permissions_counts_from_the_next_message_on() -> None:
    async with acting() as scene:
        view = discord.Permissions(view_channel=True, read_message_history=True)
        everyone, role = scene.guild.default_role, scene.guild.create_role("readers", permissions=view)
        before = scene.place(scene.dev)
        for permissions in (discord.Permissions(send_messages=True), view | discord.Permissions(send_messages=True)):
            scene.env.backend.edit_role(scene.guild.id, everyone.id, {"permissions": permissions.value})
            await scene.env.settle()
            is_open = permissions.view_channel
            assert (scene.place(scene.dev).readers == before.readers) is is_open
            assert (str(role.id) in scene.place(scene.dev).readers) is not is_open


@pytest.mark.parametrize("channel", [None, object(), discord.Object(5)])
def test_an_unknown_channel_is_private(channel: object) -> None:
    place = place_of(channel, 1, 7)
    assert not place.public
    assert place.audience.level == "channel"
