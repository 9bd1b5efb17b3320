"""People are told, once, that they are remembered; who was not told is not overheard; what is excluded stays out."""

from recollect.faces.discord.privacy_notice import NOTICE
from tests.faces.discord.scene import acting


def whispered(scene: object, person: object) -> list[str]:
    return [one.content for one in person.user.dm_channel.history()]  # type: ignore[attr-defined]


async def test_on_first_contact_one_is_told_in_a_dm_once_and_not_again_after_a_restart() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        assert await scene.ask("hello") == "I see."
        assert whispered(scene, scene.ann) == [NOTICE]
        await scene.restart()
        await scene.ask("hello again")
        assert whispered(scene, scene.ann) == [NOTICE]
        assert "!memory pause" in NOTICE
        assert "!memory show" in NOTICE
        assert "\n" not in NOTICE


async def test_who_was_not_told_is_not_overheard() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        assert await scene.known() == []
        await scene.ask("hello")
        await scene.ann.send(scene.dev, "I like black tea")
        await scene.settle()
        assert "I like black tea" in await scene.known()
        assert "I like green tea" not in await scene.known()


async def test_where_a_dm_is_refused_or_not_wanted_it_is_said_in_the_channel() -> None:
    async with acting(discord={"privacy_notice": "reply"}) as scene:
        assert await scene.ask("hello") == f"{NOTICE}\nI see."
        assert await scene.ask("hello again") == "I see."
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        scene.env.inject_error("POST", "/users/@me/channels", status=403)
        assert await scene.ask("hello") == f"{NOTICE}\nI see."


async def test_who_meets_the_bot_by_a_command_is_told_where_nobody_else_sees_it() -> None:
    async with acting(discord={"privacy_notice": "dm"}) as scene:
        first = await scene.ann.slash(scene.dev, "memory show")
        assert (first.followups[-1].content, first.followups[-1].ephemeral) == (NOTICE, True)
        again = await scene.ann.slash(scene.dev, "memory show")
        assert NOTICE not in [one.content for one in again.followups]
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.settle()
        assert await scene.known() == ["I like green tea"]


async def test_orders_that_keep_nothing_tell_nobody() -> None:
    async with acting(discord={"privacy_notice": "reply"}) as scene:
        assert NOTICE not in await scene.order("!memory show")
        told = await scene.order("!memory remember I like tea")
        assert told.startswith(f'{NOTICE}\nRemembered: "I like tea"\n')


async def test_excluded_channels_categories_and_roles_are_not_heard_but_their_memory_can_be_seen() -> None:
    async with acting() as scene:
        dev, staff = str(scene.dev.id), str(scene.staff_role.id)
    async with acting(discord={"excluded_channels": [dev]}) as scene:
        await scene.ann.send(scene.dev, "I like green tea")
        await scene.ann.send(scene.thread(scene.dev, "release"), "I like black tea")
        assert (await scene.ask("I like tea")).startswith("Memory is switched off here")
        await scene.settle()
        assert await scene.known() == []
        assert (await scene.order("!memory show")).startswith("What I remember")
        assert await scene.ask("I like tea", where=scene.general) == "I see."
    async with acting(discord={"excluded_roles": [staff]}) as scene:
        assert (await scene.ask("I like tea")).startswith("Memory is switched off here")
        assert await scene.ask("I like tea", scene.bob) == "I see."
        await scene.settle()
        assert await scene.known() == []
        assert await scene.known(scene.bob) == ["I like tea"]
