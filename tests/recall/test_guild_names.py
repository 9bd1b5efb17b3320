"""The names of guilds, as clients say them."""

from recollect.core.state import StateKind
from recollect.recall.guild_names import guild_name, named_guilds, note_guild_name
from tests.scenes import opened


async def test_a_guild_has_the_name_that_was_last_said_once() -> None:
    async with opened() as stage:
        store = stage.memory.store
        assert await store.read(named_guilds) == []
        for said, known in (
            ("Repair  café", "Repair café"),
            ("Repair café", "Repair café"),
            ("Repair shop", "Repair shop"),
            ("", "Repair shop"),
        ):
            await store.write(lambda tx, said=said: note_guild_name(tx, "g1", said))
            assert await store.read(lambda tx: guild_name(tx, "g1")) == known
            assert await store.read(lambda tx: tx.state.items(StateKind.GUILD_NAME, "g1")) == [known]
        assert await store.read(named_guilds) == ["g1"]
