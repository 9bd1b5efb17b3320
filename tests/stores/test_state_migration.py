"""State of earlier versions gets owners: nothing is lost, and who is erased takes along what was theirs by its name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from recollect import plugins
from recollect.core.ports import Store, Tx
from recollect.core.state import OUTLASTING, Owner, StateKind, StateRow
from recollect.core.types import person_key
from tests.stores.test_first_edition import old_store, raw

__all__ = ["old_store"]

BEFORE: list[tuple[str, int, str, list[str]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "state_before_owners" / "counters.json").read_text()
)
"""Name, number and item, and the targets whose erasure removed it; see the README there."""
MORE = [  # what that store lacks, and what nobody can understand
    ("journal", "2026-03-05 discord/3000", (StateKind.DAILY_LOG, "", None, None)),
    ("audiences.narrowed", "12", (StateKind.AUDIENCES_NARROWED, "", None, None)),
    ("late:discord:g1:channel:c:user:ann", "discord/1", (StateKind.LATE_MESSAGES, None, "discord:ann", "g1")),
    ("late:discord:dm:ann", "discord/2", (StateKind.LATE_MESSAGES, None, "discord:ann", None)),
    ("mood:ann", "sad", (StateKind.OTHER, "mood:ann", None, None)),
    ("retired:user:ann", "no JSON", (StateKind.WITHHELD, "user:discord:ann", "discord:ann", None)),
    ("retired:guild:g1", "no JSON", (StateKind.WITHHELD_IN_GUILD, "g1", None, "g1")),
    ("planned:user ann", "no JSON", (StateKind.PLANNED_ERASURE, "user ann", None, None)),
    ("file:notes", "digest", (StateKind.FILE_DIGESTS, "notes", None, None)),
    ("pages scopes", "neither", (StateKind.PAGE_SCOPES, "", None, None)),
    ("turns:", "1", (StateKind.TURNS, "", None, None)),
    ("", "empty", (StateKind.OTHER, "", None, None)),
]
PLATFORMS = ("local", "discord", "slack", "irc")
OTHERWISE = {StateKind.DISPLAY_NAME, StateKind.PAGE, StateKind.PAGE_MEMOS, StateKind.PAGE_SCOPES}
"""Erased by their names nowhere, but with the messages and files that they are about; now they have owners as well."""
TARGETS = {
    **{f"user {person}": Owner.person(person) for person in ("ann", "a:b", "o/p q%", "1042")},
    **{f"guild {guild}": Owner.guild(guild) for guild in ("g1", "g2", "500", "slack~1")},
    **{
        f"user {person} in guild {guild}": Owner.member(person, guild)
        for person in ("ann", "a:b", "o/p q%")
        for guild in ("g1", "slack~1")
    },
}


def rows(tx: Tx) -> list[StateRow]:
    return tx.state.naming("")


async def converted(address: str, *counters: tuple[str, int, str]) -> Store:
    """The store, opened with these lists instead of its own."""
    raw(address, "DELETE FROM counters")
    raw(address, "INSERT INTO counters (name, number, item) VALUES (?, ?, ?)", *counters)
    return plugins.load("stores", address)


def bare(item: str) -> str:
    """As it was before people had a platform."""
    return re.sub(r'(^|[" ]|user:)discord:(ann|ben|cy|a:b|o/p q%|10\d\d)(?=$|[" ])', r"\1\2", item)


async def owned_by(store: Store, owner: Owner) -> list[StateRow]:
    """What went with someone when the platform did not matter."""
    person = owner.person_id
    owners = [owner] if person is None else [Owner(person_key(name, person), owner.guild_id) for name in PLATFORMS]
    return [row for each in owners for row in await store.read(lambda tx, each=each: tx.state.owned_by(each))]


async def test_a_store_of_the_first_edition_keeps_all_its_state(old_store: str):
    before = raw(old_store, "SELECT name, item FROM counters ORDER BY name, number")
    store: Store = plugins.load("stores", old_store)
    try:
        found = await store.read(rows)
        paused = await store.read(lambda tx: tx.state.items(StateKind.PAUSED, "discord:1004"))
        owned = await store.read(lambda tx: tx.state.owned_by(Owner.person("discord:1001")))
        of_guild = await store.read(lambda tx: tx.state.owned_by(Owner.guild("501")))
        pages = await store.read(lambda tx: tx.state.items(StateKind.PAGE_MEMOS, "user:discord:1001"))
    finally:
        await store.close()
    assert sorted(bare(row.item) for row in found) == sorted(item for _, item in before)
    assert not [row for row in found if row.kind == StateKind.OTHER]
    assert paused == [item for name, item in before if name == "paused:1004"]
    assert pages == [item for name, item in before if name == "pages ids user:1001"]
    names = {StateKind.FILE_DIGESTS: "file:durable 1001", StateKind.TURNS: "turns:discord:dm:1001"}
    for kind, name in names.items():
        assert [row.item for row in owned if row.kind == kind] == [item for n, item in before if n == name]
    assert {row.key for row in of_guild if row.kind == StateKind.TURNS} == {"discord:501:channel:610"}


async def test_no_record_is_lost_and_each_list_keeps_its_order(old_store: str):
    store = await converted(old_store, *((name, number, item) for name, number, item, _ in BEFORE))
    try:
        found = await store.read(rows)
        viewers = await store.read(lambda tx: tx.state.items(StateKind.PENDING_SNAPSHOTS))
        held = await store.read(lambda tx: tx.state.items(StateKind.WITHHELD_IN_GUILD, "g1"))
        ready = await store.read(
            lambda tx: tx.state.items(StateKind.UNLEARNED_MESSAGES, "discord:dm:o/p q%25:o/p q%25")
        )
    finally:
        await store.close()
    assert len(found) == len(BEFORE)
    assert sorted(bare(row.item) for row in found) == sorted(item.removeprefix("gone:") for _, _, item, _ in BEFORE)
    assert not [row for row in found if row.kind == StateKind.OTHER]
    later = {  # nothing of these kinds was kept under a name
        StateKind.IDENTITIES_SPLIT,
        StateKind.OPEN_BATCHES,
        StateKind.BATCH_ASKED,
        StateKind.MODEL_USAGE,
        StateKind.REPLY_USAGE,
        StateKind.TOKEN_LIMIT,
        StateKind.BUDGET_SPENT,
        StateKind.UNREAD_LANGUAGES,
        StateKind.ACCESS_TOKEN,
        StateKind.ACCESS_TOKEN_USE,
        StateKind.GUILD_NAME,
        StateKind.PAUSED_PLACES,
        StateKind.RETENTION,
        StateKind.GUILD_SETTINGS,
        StateKind.CONSENT,
        StateKind.OPT_OUTS,
        StateKind.DAILY_REPLIES,
        StateKind.LAST_ONLINE,
        StateKind.SWEPT,
        StateKind.RESYNCED_PLACES,
        StateKind.PERMISSIONS_CHANGED,
        StateKind.WELCOMED,
        StateKind.PANEL_MESSAGE,
        StateKind.MISSED_NOTICE,
        StateKind.UNREAD_SINCE,
        StateKind.SENT_PROMPT,
    }
    assert {row.kind for row in found} >= set(StateKind) - {kind for *_, (kind, *_) in MORE} - later
    assert viewers == ["1042 discord:500:channel:600", "1043"]
    assert [*map(bare, held)] == [item for name, _, item, _ in BEFORE if name == "retired:guild:g1"]
    assert ready == ["discord/m37"]


async def test_what_went_with_someone_by_its_name_goes_by_its_owner(old_store: str):
    store = await converted(old_store, *((name, number, item) for name, number, item, _ in BEFORE))
    try:
        for target, owner in TARGETS.items():
            owned = await owned_by(store, owner)
            bare_target = target.replace("slack~1", "1")  # servers had no platform then
            expected = sorted(item for *_, item, goes_with in BEFORE if {target, bare_target} & set(goes_with))
            by_name = [row for row in owned if row.kind not in OUTLASTING and row.kind not in OTHERWISE]
            scopes = [row for row in owned if row.kind == StateKind.PAGE_SCOPES and target.startswith("user")]
            assert sorted(bare(row.item) for row in (*by_name, *scopes)) == expected, target
        names = await store.read(lambda tx: tx.state.owned_by(Owner.member("discord:a:b", "g1")))
        lore = await store.read(lambda tx: tx.state.owned_by(Owner.guild("g1")))
        notices = await store.read(lambda tx: tx.state.owned_by(Owner.guild("500")))
        erasures = await store.read(lambda tx: tx.state.owned_by(Owner.member("discord:ann", "g1")))
    finally:
        await store.close()
    assert [row.item for row in names if row.kind == StateKind.DISPLAY_NAME] == ["a:b", "a:b"]
    assert {row.item for row in lore if row.kind == StateKind.PAGE_SCOPES} == {"lore:g1"}
    assert {row.kind for row in notices if row.kind in OUTLASTING} == {
        StateKind.NOTICE_MESSAGE,
        StateKind.SWITCHED_OFF,
        StateKind.BOT_GUILDS,
        StateKind.ROLE_GUILD,
    }
    assert {row.kind for row in erasures if row.kind in OUTLASTING} == {
        StateKind.PLANNED_ERASURE,
        StateKind.RUNNING_ERASURE,
    }


@pytest.mark.parametrize(("name", "item", "becomes"), MORE)
async def test_an_unparsable_state_name_gets_no_owner(
    old_store: str, name: str, item: str, becomes: tuple[StateKind, str | None, str | None, str | None]
):
    store = await converted(old_store, (name, 1, item))
    try:
        (row,) = await store.read(rows)
    finally:
        await store.close()
    kind, key, person, guild = becomes
    expected: Any = (kind, name.partition(":")[2] if key is None else key, item, Owner(person, guild))
    assert row == expected
