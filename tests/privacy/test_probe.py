"""The search for leftovers after an erasure counts what is left of rows that are gone, not the rows that stand."""

from collections.abc import Sequence

from recollect.privacy.inventory import take_inventory
from recollect.privacy.probe import probe
from recollect.privacy.target import ErasureTarget
from tests.scenes import Stage, opened


async def left_of_rows(stage: Stage, target: ErasureTarget) -> dict[str, int]:
    async def finds_nothing(text: str, **_: object) -> Sequence[object]:
        return []

    async def in_no_file(samples: Sequence[str]) -> dict[str, list[int]]:
        return {}

    store = stage.memory.store
    inventory = await take_inventory(store, target)
    assert inventory.memo_keys
    assert inventory.message_keys
    found = await probe(store, target, inventory, stage.clock(), finds_nothing, in_no_file)
    return {check.place: check.count for check in found.checks if check.place in ("word index", "vectors")}


async def test_the_index_entries_of_rows_that_stand_are_no_leftovers() -> None:
    async with opened(embedder="static") as stage:
        await stage.remember("Keeps a xylophone in the cellar")
        await stage.say("the xylophone stands in the cellar")
        assert (await stage.memory.search("a xylophone", user="ann"))[0].parts.get("vector"), "there is a vector"
        assert await left_of_rows(stage, ErasureTarget("discord:ann")) == {"word index": 0, "vectors": 0}
