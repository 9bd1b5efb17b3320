"""Every kind of state goes with the person or guild that it is about: made by the code that makes it, then erased."""

import ast
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import recollect
from recollect import bot_state as state
from recollect.bot_state import BotState
from recollect.core.ports import Tx, Usage
from recollect.core.ports.jobs import Job
from recollect.core.state import OUTLASTING, Owner, StateKind, StateRow
from recollect.core.types import Message, Place, Summary
from recollect.learning import batches
from recollect.learning.budget import TokenBudget
from recollect.learning.consent import pause, pause_place
from recollect.learning.ingest import add_message
from recollect.learning.schedule import Schedule
from recollect.policy.viewer import session_name
from recollect.privacy import delete_rows
from recollect.privacy.inventory import Inventory
from recollect.privacy.target import ErasureTarget
from recollect.recall import audience_migration, withheld
from recollect.recall.sent_prompts import SentPart, SentPrompt
from recollect.transfer.mirror.pages.state import Records
from recollect.transfer.mirror.state import MirrorState
from tests.privacy.telling import HERE, opened
from tests.scenes import Stage

USER, GUILD = "zq7731", "g1"
KEY = f"discord:{USER}"
SESSION = session_name(HERE, USER)
SOURCES = Path(recollect.__file__).parent

Maker = Callable[[Stage], Awaitable[object]]
BY_TURNS = Schedule("every_n_turns", summarize="every_n_turns", summarize_every_turns=99, per_user_sessions=True)
WHEN_IDLE = Schedule("idle", summarize="idle", per_user_sessions=True, daily_log=True)


def talk(schedule: Schedule) -> Maker:
    async def make(stage: Stage) -> None:
        said = replace(stage.message("I keep a quetzal", USER, HERE), name="Annabel")
        answer = Message(f"{said.id}-answer", "99", HERE, "So I see", stage.clock(), bot=True, reply_to=said.id)
        for message in (said, answer):
            await stage.memory.store.write(
                lambda tx, message=message: add_message(tx, message, stage.clock(), schedule=schedule)
            )

    return make


async def ask_a_model(stage: Stage) -> None:
    """Of a person in a guild: a batch was read, another one waits, and both have spent the budget of the day."""
    message = stage.message("I keep a quetzal", USER, HERE)
    key = batches.key_of(HERE, USER)

    def work(tx: Tx) -> None:
        batches.add(tx, message, stage.clock(), "acknowledge", closes=False)
        batches.finish_round(tx, Job(1, "extract", key, {}, stage.clock()), key, (), message, stage.clock())
        for name in (GUILD, USER):
            TokenBudget(10).spend(tx, f"discord:{name}", Usage(1, 10, 5), stage.clock())

    await stage.memory.store.write(work)


async def speak_late(stage: Stage) -> None:
    summary = Summary(SESSION, "They talked", 1, stage.clock() + timedelta(minutes=5))
    await stage.memory.store.write(lambda tx: tx.summaries.save(summary))
    await talk(WHEN_IDLE)(stage)


async def forget(stage: Stage) -> None:
    memo = await stage.remember("I own a zither", user=USER, place=HERE)
    await stage.memory.store.write(lambda tx: withheld.retire(tx, memo, stage.clock()))


async def narrow(stage: Stage) -> None:
    await stage.remember("I own a harp", user=USER, place=HERE)
    await audience_migration.narrow(stage.memory.store, stage.clock())


async def pause_places(stage: Stage) -> None:
    for place in (Place("discord", GUILD), Place("discord", dm=USER)):
        await stage.memory.store.write(lambda tx, place=place: pause_place(tx, place, stage.clock(), "operator"))


async def plan(stage: Stage) -> None:
    for target in (ErasureTarget(KEY), ErasureTarget(guild=GUILD)):
        await stage.memory.privacy.schedule(target, stage.clock() + timedelta(days=9), asked_by="operator")


async def begin(stage: Stage) -> None:
    inventory = Inventory(authors={KEY}, sessions={SESSION})
    for target in (ErasureTarget(KEY), ErasureTarget(guild=GUILD)):
        await stage.memory.store.write(lambda tx, target=target: delete_rows.save_intent(tx, target, inventory))


async def mirror(stage: Stage) -> None:
    files, mirror_state = (f"durable {KEY}", f"shortterm {GUILD}", f"rolling {SESSION}"), MirrorState(Path("/mirror"))

    def work(tx: Tx) -> None:
        mirror_state.advance(tx, [], files)
        for file in files:
            mirror_state.write(tx, file, b"content")

    await stage.memory.store.write(work)


async def keep_pages(stage: Stage) -> None:
    memos = [
        await stage.remember("I own a lute", user=USER, place=HERE),
        await stage.remember("We meet in the old library", user="ben", place=HERE, lore=True),
    ]

    def work(tx: Tx) -> None:
        Records().claim(tx, KEY)
        for memo in memos:
            Records().note(tx, memo, f"fact/{memo.id}.md", b"page")

    await stage.memory.store.write(work)


def note(name: state.Name, value: str, owner: Owner) -> Maker:
    return lambda stage: BotState(stage.memory.store).put(name, value, owner)


async def follow_log(stage: Stage) -> None:
    await BotState(stage.memory.store).advance("", 1, [USER, f"{USER} {SESSION}"])


async def send_prompt(stage: Stage) -> None:
    prompt = SentPrompt(stage.clock(), KEY, HERE, "a model", (SentPart("durable", f"{USER} is here", remembered=True),))
    await stage.memory.timeline.keep_prompt(prompt, 5, await stage.memory.timeline.last_event_id())


async def probe_writes(stage: Stage) -> None:
    """It is gone when the transaction that writes it ends."""


PERSON, SERVER = Owner.person(KEY), Owner.guild(GUILD)
MAKERS: dict[StateKind, Maker] = {
    StateKind.TURNS: talk(BY_TURNS),
    StateKind.LATE_MESSAGES: speak_late,
    StateKind.SPEAKERS: talk(WHEN_IDLE),
    StateKind.UNLEARNED_MESSAGES: talk(WHEN_IDLE),
    StateKind.UNLEARNED_TURNS: talk(BY_TURNS),
    StateKind.OPEN_BATCHES: ask_a_model,
    StateKind.BATCH_ASKED: ask_a_model,
    StateKind.MODEL_USAGE: ask_a_model,
    StateKind.REPLY_USAGE: note((StateKind.REPLY_USAGE, f"discord:{GUILD}"), "2026-01-01 1 10 10", SERVER),
    StateKind.TOKEN_LIMIT: note((StateKind.TOKEN_LIMIT, f"discord:{GUILD}"), "1000", SERVER),
    StateKind.BUDGET_SPENT: ask_a_model,
    StateKind.DAILY_LOG: talk(WHEN_IDLE),
    StateKind.PAUSED: lambda stage: stage.memory.store.write(lambda tx: pause(tx, KEY, stage.clock())),
    StateKind.PAUSED_PLACES: pause_places,
    StateKind.UNSEEN_DELETION: lambda stage: stage.memory.message_deleted("discord", "never seen"),
    StateKind.UNSEEN_DELETIONS: lambda stage: stage.memory.message_deleted("discord", "never seen"),
    StateKind.WITHHELD: forget,
    StateKind.WITHHELD_IN_GUILD: forget,
    StateKind.UNREAD_LANGUAGES: note((StateKind.UNREAD_LANGUAGES, KEY), "Polish", PERSON),
    StateKind.GUILD_NAME: note((StateKind.GUILD_NAME, GUILD), "Repair café", SERVER),
    StateKind.DISPLAY_NAME: talk(BY_TURNS),
    StateKind.AUDIENCES_NARROWED: narrow,
    StateKind.IDENTITIES_SPLIT: note((StateKind.IDENTITIES_SPLIT, KEY), USER, PERSON),
    StateKind.PLANNED_ERASURE: plan,
    StateKind.RUNNING_ERASURE: begin,
    StateKind.MIRROR_POSITION: mirror,
    StateKind.MIRROR_PENDING: mirror,
    StateKind.MIRROR_SESSIONS: mirror,
    StateKind.MIRROR_GUILDS: mirror,
    StateKind.FILE_DIGESTS: mirror,
    StateKind.PAGES_OWNER: keep_pages,
    StateKind.PAGE_SCOPES: keep_pages,
    StateKind.PAGE_MEMOS: keep_pages,
    StateKind.PAGE: keep_pages,
    StateKind.SENT_PROMPT: send_prompt,
    StateKind.WRITE_PROBE: probe_writes,
    StateKind.NOTIFIED: note((StateKind.NOTIFIED, USER), "now", PERSON),
    StateKind.SWITCHED_OFF: note((StateKind.SWITCHED_OFF, GUILD), "now", SERVER),
    StateKind.BOT_GUILDS: note((StateKind.BOT_GUILDS, "99"), GUILD, SERVER),
    StateKind.LISTENED_CHANNEL: note(state.listened_channel(SESSION), "c-dev", Owner.of_session(SESSION)),
    StateKind.ROLE_GUILD: note(state.role_guild("900"), GUILD, SERVER),
    StateKind.BOT_POSITION: follow_log,
    StateKind.SNAPSHOT_MESSAGE: note(state.snapshot_message(USER), "1/2", PERSON),
    StateKind.SNAPSHOT_SESSION: note(state.snapshot_session(USER), SESSION, PERSON),
    StateKind.SUMMARY_VIEWERS: note(state.summary_viewers(SESSION), USER, PERSON),
    StateKind.PENDING_SNAPSHOTS: follow_log,
    StateKind.NOTICE_MESSAGE: note(state.notice_message(f"user:{KEY}", "durable-1"), "1/3", PERSON),
    StateKind.MISSED_NOTICE: note(state.missed_notice(f"user:{KEY}", "durable-1"), "7", PERSON),
    StateKind.COMMANDS: note((StateKind.COMMANDS, ""), "digest", Owner.nobody()),
    StateKind.ACCESS_TOKEN: note((StateKind.ACCESS_TOKEN, "t1"), "{}", Owner.member(KEY, GUILD)),
    StateKind.ACCESS_TOKEN_USE: note((StateKind.ACCESS_TOKEN_USE, "t1"), "now", Owner.member(KEY, GUILD)),
    StateKind.RETENTION: note((StateKind.RETENTION, GUILD), "30", SERVER),
    StateKind.GUILD_SETTINGS: note((StateKind.GUILD_SETTINGS, GUILD), "{}", SERVER),
    StateKind.CONSENT: note((StateKind.CONSENT, f"{GUILD}:{USER}"), "yes", Owner.member(KEY, GUILD)),
    StateKind.OPT_OUTS: note((StateKind.OPT_OUTS, USER), "overhearing", PERSON),
    StateKind.DAILY_REPLIES: note((StateKind.DAILY_REPLIES, GUILD), "2026-01-01 3", SERVER),
    StateKind.LAST_ONLINE: note((StateKind.LAST_ONLINE, ""), "now", Owner.nobody()),
    StateKind.SWEPT: note(state.swept(""), "now", Owner.nobody()),
    StateKind.RESYNCED_PLACES: note(state.resynced_places(""), SESSION, Owner.of_session(SESSION)),
    StateKind.PERMISSIONS_CHANGED: note((StateKind.PERMISSIONS_CHANGED, GUILD), "now", SERVER),
    StateKind.UNREAD_SINCE: note((StateKind.UNREAD_SINCE, f"{GUILD}:5"), "2026-01-01T00:00:00+00:00", SERVER),
    StateKind.WELCOMED: note((StateKind.WELCOMED, GUILD), "now", SERVER),
    StateKind.PANEL_MESSAGE: note((StateKind.PANEL_MESSAGE, GUILD), "1/2", SERVER),
    StateKind.OTHER: note((StateKind.OTHER, "mood"), "sad", Owner.member(KEY, GUILD)),
}
"""How each kind comes about. A new kind needs a line here, and has to go when its owner does."""
NOBODYS = {
    StateKind.DAILY_LOG,  # names messages; it takes those that were erased out of the log
    StateKind.UNSEEN_DELETION,
    StateKind.UNSEEN_DELETIONS,
    StateKind.AUDIENCES_NARROWED,
    StateKind.MIRROR_POSITION,
    StateKind.BOT_POSITION,
    StateKind.COMMANDS,
    StateKind.LAST_ONLINE,
    StateKind.SWEPT,
    StateKind.WRITE_PROBE,
}
"""Kinds that are about the program, and name neither people nor guilds."""
OF_PEOPLE_ALONE = {StateKind.SNAPSHOT_SESSION, StateKind.SUMMARY_VIEWERS, StateKind.PENDING_SNAPSHOTS}
"""They name a guild's conversations, and are how the bot finds the snapshots that show what was erased there."""


async def make_everything(stage: Stage) -> list[StateRow]:
    for make in dict.fromkeys(MAKERS.values()):
        await make(stage)
    return await stage.memory.store.read(lambda tx: tx.state.naming(""))


def test_every_kind_is_made():
    assert set(MAKERS) == set(StateKind)


async def test_every_kind_of_state_has_an_owner_or_names_nobody(tmp_path: Path):
    async with opened(tmp_path, run_worker=False) as stage:
        rows = await make_everything(stage)
    assert {row.kind for row in rows} == set(StateKind) - {StateKind.WRITE_PROBE}
    unowned = {row.kind for row in rows if row.owner == Owner.nobody()}
    assert unowned == NOBODYS - {StateKind.WRITE_PROBE}
    assert not [row for row in rows if row.kind in NOBODYS and (USER in f"{row}" or GUILD in f"{row}")]


async def test_no_kind_of_state_is_left_of_an_erased_person(tmp_path: Path):
    async with opened(tmp_path, run_worker=False) as stage:
        before = await make_everything(stage)
        assert {row.kind for row in before if USER in f"{row}"} > set(OUTLASTING) - {
            StateKind.SWITCHED_OFF,
            StateKind.BOT_GUILDS,
            StateKind.ROLE_GUILD,
            StateKind.GUILD_SETTINGS,
            StateKind.RETENTION,
            StateKind.TOKEN_LIMIT,
            StateKind.PANEL_MESSAGE,
        }
        receipt = await stage.memory.privacy.erase(ErasureTarget(KEY), asked_by="operator")
        left = await stage.memory.store.read(lambda tx: tx.state.naming(""))
    assert receipt.clean, receipt.probe
    named = {row.kind for row in left if USER in f"{row}"}
    assert named == {
        StateKind.PAUSED,
        StateKind.PAUSED_PLACES,  # their DM
        StateKind.PLANNED_ERASURE,
        StateKind.RUNNING_ERASURE,  # that of the guild
        StateKind.SNAPSHOT_MESSAGE,
        StateKind.NOTICE_MESSAGE,
        StateKind.OPT_OUTS,
    }
    assert {row.kind for row in left if row.owner.includes(SERVER)} >= {StateKind.MIRROR_GUILDS}


async def test_no_kind_of_state_is_left_of_an_erased_guild(tmp_path: Path):
    async with opened(tmp_path, run_worker=False) as stage:
        before = await make_everything(stage)
        receipt = await stage.memory.privacy.erase(ErasureTarget(guild=GUILD), asked_by="operator")
        left = await stage.memory.store.read(lambda tx: tx.state.naming(""))
    assert receipt.clean, receipt.probe
    named = {row.kind for row in left if GUILD in f"{row}"}
    assert named <= set(OUTLASTING) | OF_PEOPLE_ALONE
    assert {StateKind.MIRROR_GUILDS, StateKind.TURNS, StateKind.PAGE_SCOPES} <= {row.kind for row in before} - named
    assert StateKind.NOTIFIED in {row.kind for row in left}


async def test_someone_in_a_guild_keeps_what_is_theirs_elsewhere(tmp_path: Path):
    async with opened(tmp_path, run_worker=False) as stage:
        await make_everything(stage)
        receipt = await stage.memory.privacy.erase(ErasureTarget(KEY, GUILD), asked_by="operator")
        left = await stage.memory.store.read(lambda tx: tx.state.naming(""))
    assert receipt.clean, receipt.probe
    assert not [row for row in left if row.kind not in OUTLASTING and row.owner == Owner.member(KEY, GUILD)]
    assert {StateKind.NOTIFIED, StateKind.UNLEARNED_TURNS} <= {row.kind for row in left if row.owner == PERSON}


WRITERS = {"append", "items", "count", "remove", "clear", "keys"}


def _calls(path: Path) -> list[ast.Call]:
    tree = ast.parse(path.read_text())
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_on_state(node.func)]


def _is_on_state(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in WRITERS:
        return False
    return isinstance(function.value, ast.Attribute) and function.value.attr == "state"


@pytest.mark.sqlite
def test_no_code_names_state_by_a_string_of_its_own():
    calls = [(path, call) for path in sorted(SOURCES.rglob("*.py")) for call in _calls(path)]
    assert len(calls) > 40
    texts = (ast.Constant, ast.JoinedStr, ast.BinOp)
    assert not [f"{path}:{call.lineno}" for path, call in calls if call.args and isinstance(call.args[0], texts)]
