"""What was said where Bob could not read along does not reach him, however the server is rearranged afterwards.

Everything that leaves the bot is looked at: requests to the model, answers in channels, answers to commands.
"""

from collections.abc import Awaitable, Callable

import discord
import pytest
from simcord import ChannelHandle, MemberActor, RoleHandle
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType

from recollect.testing.model_server import Request, Says
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.test_memory_channel import channel_id, mirrored
from tests.faces.discord.test_slash_commands import text

SECRET = "the layoffs are in June"
WORD = "June"
ORDERS = ("!memory show", "!memory show all", "!memory show injected", "!memory search layoffs", "!memory why layoffs")
COMMANDS = {"memory list": {}, "memory search": {"words": "layoffs"}, "memory why": {"which": "layoffs"}}
BITS = {
    "view": discord.Permissions(view_channel=True).value,
    "history": discord.Permissions(read_message_history=True).value,
}


def _repeat(request: Request) -> Says:
    """A model that tells whatever it was told."""
    return Says(f"As I know, {SECRET}" if WORD in str(request.body) else "I don't know")


async def _permit(scene: Scene, channel: ChannelHandle, who: int, allow: str = "", deny: str = "") -> None:
    is_role = who in scene.env.backend.get_guild(scene.guild.id).roles
    kind = OverwriteType.ROLE if is_role else OverwriteType.MEMBER
    allowed, denied = (sum(BITS[name] for name in names.split()) for names in (allow, deny))
    scene.env.backend.set_overwrite(channel.id, Overwrite(who, kind, allowed, denied))
    await scene.env.settle()


async def _edit(
    scene: Scene, channel: ChannelHandle, parent: ChannelHandle | None, overwrites: list[Overwrite]
) -> None:
    changes = {"parent_id": None if parent is None else parent.id}
    scene.env.backend.edit_channel(channel.id, changes, overwrites=overwrites)
    await scene.env.settle()


async def _close(scene: Scene, channel: ChannelHandle) -> None:
    await _permit(scene, channel, scene.guild.id, deny="view")
    await _permit(scene, channel, scene.staff_role.id, allow="view")
    await _permit(scene, channel, scene.client.user.id, allow="view")


def _can_read(scene: Scene, who: MemberActor, channel: ChannelHandle) -> bool:
    known = scene.client.get_channel(channel.id)
    assert isinstance(known, discord.TextChannel)
    member = known.guild.get_member(who.id)
    return member is not None and known.permissions_for(member).view_channel


Change = Callable[[], Awaitable[None]]
Wall = Callable[[Scene], Awaitable[tuple[ChannelHandle, Change]]]


async def opened_to_everyone(scene: Scene) -> tuple[ChannelHandle, Change]:
    return scene.staff, lambda: scene.allow(scene.staff, everyone=True)


async def everyone_denied_then_the_overwrite_removed(scene: Scene) -> tuple[ChannelHandle, Change]:
    room = scene.guild.create_text_channel("room")
    await _close(scene, room)

    async def change() -> None:
        for target in (scene.guild.id, scene.staff_role.id, scene.client.user.id):
            scene.env.backend.delete_overwrite(room.id, target)
        await scene.env.settle()

    return room, change


async def moved_out_of_a_closed_category(scene: Scene) -> tuple[ChannelHandle, Change]:
    attic = scene.guild.create_category("attic")
    await _close(scene, attic)
    room = scene.guild.create_text_channel("room", category=attic)
    await _close(scene, room)
    return room, lambda: _edit(scene, room, None, [])


async def moved_out_of_a_closed_category_that_it_did_not_follow(scene: Scene) -> tuple[ChannelHandle, Change]:
    """Discord has not yet copied the overwrites, or they were removed: perhaps only the staff could read it."""
    attic = scene.guild.create_category("attic")
    await _close(scene, attic)
    room = scene.guild.create_text_channel("room", category=attic)
    await _permit(scene, room, scene.bob.id, deny="view")
    return room, lambda: _edit(scene, room, None, [])


async def one_member_denied_then_not(scene: Scene) -> tuple[ChannelHandle, Change]:
    room = scene.guild.create_text_channel("room")
    await _permit(scene, room, scene.bob.id, deny="view")

    async def change() -> None:
        scene.env.backend.delete_overwrite(room.id, scene.bob.id)
        await scene.env.settle()

    return room, change


async def one_member_let_in_later(scene: Scene) -> tuple[ChannelHandle, Change]:
    return scene.staff, lambda: _permit(scene, scene.staff, scene.bob.id, allow="view")


async def another_role_let_in_later(scene: Scene) -> tuple[ChannelHandle, Change]:
    role: RoleHandle = scene.guild.create_role("guests")
    scene.env.backend.add_member_role(scene.guild.id, scene.bob.id, role.id)
    return scene.staff, lambda: _permit(scene, scene.staff, role.id, allow="view")


async def a_denied_role_no_longer_denied(scene: Scene) -> tuple[ChannelHandle, Change]:
    role = scene.guild.create_role("muted")
    scene.env.backend.add_member_role(scene.guild.id, scene.bob.id, role.id)
    room = scene.guild.create_text_channel("room")
    await _permit(scene, room, role.id, deny="view")

    async def change() -> None:
        scene.env.backend.delete_overwrite(room.id, role.id)
        await scene.env.settle()

    return room, change


async def a_deleted_role(scene: Scene) -> tuple[ChannelHandle, Change]:
    role = scene.guild.create_role("muted")
    scene.env.backend.add_member_role(scene.guild.id, scene.bob.id, role.id)
    room = scene.guild.create_text_channel("room")
    await _permit(scene, room, role.id, deny="view")

    async def change() -> None:
        scene.env.backend.delete_role(scene.guild.id, role.id)
        await scene.env.settle()

    return room, change


async def the_history_shown_later(scene: Scene) -> tuple[ChannelHandle, Change]:
    room = scene.guild.create_text_channel("room")
    await _permit(scene, room, scene.bob.id, deny="view history")

    async def change() -> None:
        await _permit(scene, room, scene.bob.id, deny="history")

    return room, change


async def a_private_thread(scene: Scene) -> tuple[ChannelHandle, Change]:
    async def change() -> None:
        """Bob reads along in its channel."""

    return scene.thread(scene.dev, "offsite", private=True), change


async def a_thread_of_a_closed_channel(scene: Scene) -> tuple[ChannelHandle, Change]:
    return scene.thread(scene.staff, "plans"), lambda: scene.allow(scene.staff, everyone=True)


async def everyone_of_the_server_given_the_view(scene: Scene) -> tuple[ChannelHandle, Change]:
    """A channel that one role reads since the server as a whole may view nothing."""
    backend, everyone = scene.env.backend, scene.guild.id
    before = backend.get_role(everyone, everyone).permissions
    hidden = before & ~BITS["view"]
    backend.edit_role(everyone, everyone, {"permissions": hidden})
    await scene.env.settle()
    room = scene.guild.create_text_channel("room")
    for target in (scene.staff_role.id, scene.client.user.id):
        await _permit(scene, room, target, allow="view")

    async def change() -> None:
        backend.edit_role(everyone, everyone, {"permissions": before})
        await scene.env.settle()

    return room, change


WALLS: list[Wall] = [
    opened_to_everyone, everyone_denied_then_the_overwrite_removed, moved_out_of_a_closed_category,
    moved_out_of_a_closed_category_that_it_did_not_follow, one_member_denied_then_not, one_member_let_in_later,
    another_role_let_in_later, a_denied_role_no_longer_denied, a_deleted_role, the_history_shown_later,
    a_private_thread, a_thread_of_a_closed_channel, everyone_of_the_server_given_the_view,
]  # fmt: skip
ALWAYS = {"trigger": "every_n_turns", "every_n_turns": 1}


@pytest.mark.slow
@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.__name__)
async def test_nothing_of_it_reaches_whoever_could_not_read_it(wall: Wall) -> None:
    async with acting(_repeat, summary=ALWAYS, discord__memory_channel=await channel_id()) as scene:
        room, change = await wall(scene)
        await scene.order(f"!memory remember {SECRET}", where=room)
        assert WORD in await scene.ask(f"{SECRET}, right?", where=room), "so that the rest fails for the right reason"
        await scene.settle()
        await scene.ask("what was that about?", where=room)
        await scene.settle()
        await change()
        asked = len(scene.prompts())
        late = scene.guild.add_member(scene.env.create_user("zoe", global_name="Zoe"))
        rooms = [scene.dev, scene.general, *([] if room.is_thread else [room])]
        for who in (scene.bob, late):
            for where in (room for room in rooms if _can_read(scene, who, room)):
                assert WORD not in await scene.ask("what about the layoffs?", who=who, where=where)
                for order in ORDERS:
                    assert WORD not in await scene.order(order, who=who, where=where), order
        for where in rooms:
            await scene.ask("hi", where=where)
            answers = [await scene.order(order, where=where) for order in ORDERS]
            assert not any(WORD in answer for answer in answers), "Ann's own answers are read by all who are there"
            for verb, options in COMMANDS.items():
                assert WORD not in text(await scene.bob.slash(where, verb, **options)), verb
        assert not any(WORD in prompt for prompt in scene.prompts()[asked:])
        shown = [one.content for one in await mirrored(scene)]
        assert not any(WORD in one for one in shown)
