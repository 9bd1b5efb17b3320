"""Erasing is real: no byte of it is left, nothing of others is touched, and it can't come back."""

import asyncio
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from recollect import CannotUndo, Refused, Undone
from recollect.core.errors import BadInput
from recollect.core.events import Event, EventKind
from recollect.core.ports import ExtractionInput, ExtractionResult, Store, Tx
from recollect.core.reasons import Reason
from recollect.core.sessions import learning_queue, speaker_key
from recollect.core.state import Owner, StateKind
from recollect.core.types import Origin, Subject
from recollect.learning.consent import is_paused, pause, resume
from recollect.policy import similarity
from recollect.privacy.erase import clear_function_caches
from recollect.privacy.receipt import receipt_to_json
from recollect.privacy.target import ErasureTarget
from recollect.settings import wiring
from recollect.testing.models import FakeModel, propose_everything
from recollect.transfer.mirror.pages.state import Records
from tests import ground
from tests.privacy.telling import ANNS, HERE, THERE, ask, bytes_with, dm, opened, rows_with, tell
from tests.scenes import DEV, ELSEWHERE, Stage

T = TypeVar("T")
ANN = ErasureTarget("discord:ann")


async def rows_of(stage: Stage, target: ErasureTarget) -> str:
    """All that the store has of someone, but for the log, whose numbers go on."""
    document = await stage.memory.privacy.export(target)
    return json.dumps({name: document[name] for name in ("memos", "messages", "exchanges")}, sort_keys=True)


@pytest.mark.slow
async def test_no_byte_of_an_erased_person_is_left_in_any_file(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        assert len(bytes_with(tmp_path, *ANNS)) >= 8  # store, log, records, pages, journal, snapshot, summaries
        receipt = await stage.memory.privacy.erase(ANN, asked_by="ann")
        assert bytes_with(tmp_path, *ANNS) == {}
        assert await stage.known() == []
        assert await stage.memory.search("zanzibar lighthouse", user="ann") == []
        await stage.settle()
        await stage.memory.mirror.catch_up()
    assert bytes_with(tmp_path, *ANNS) == {}
    assert receipt.clean
    assert receipt.samples >= 5
    erased = receipt.counts
    assert (erased["memos"], erased["messages"], erased["replies"]) == (4, 4, 2)  # the DM's reply is a message of it
    assert min(erased["summaries"], erased["exchanges"], erased["events"], erased["files"]) > 0


@pytest.mark.parametrize("guild", [None, "g1"])
async def test_an_id_that_only_another_platform_has_is_asked_about_before_a_receipt_says_it_is_gone(
    tmp_path: Path, guild: str | None
):
    bare = ErasureTarget("ann", guild)
    async with opened(tmp_path) as stage:
        await stage.tell("I live in a zanzibar lighthouse", "ann", HERE)
        with pytest.raises(BadInput, match=r"there is no local ann: say discord:ann"):
            await stage.memory.privacy.erase(bare, asked_by="operator")
        assert await stage.known() == ["I live in a zanzibar lighthouse"]
        await stage.memory.remember("I keep bees", user="local:ann")
        if guild is None:
            assert (await stage.memory.privacy.erase(bare, asked_by="operator")).counts["memos"] == 1
        assert await stage.known() == ["I live in a zanzibar lighthouse"]


STAYS = {"changes", "events", "scopes", "tombstones"}
"""Tables that say that someone was erased, under their id, and keep it from coming back; none holds their words."""
EVERY_WAY = [
    {},
    {"extraction": {"trigger": "idle"}, "summary": {"every_n_turns": 1, "session_key": "user_channel"}},
    {"profile": "dnam"},
]


async def takes_part(stage: Stage, user: str) -> None:
    """Someone speaks in channels, threads and a DM, asks, forgets, deletes, edits, waits to be learned from, pauses."""
    thread = replace(HERE, thread="t-1", name="release")
    for number, place in enumerate((HERE, THERE, thread, dm(user))):
        said = await stage.say(f"I keep a zanzibar lighthouse number {number}", user, place, name="Annabel")
        await stage.reply(f"You keep a zanzibar lighthouse number {number}", said)
    await stage.settle()
    await stage.remember("I play the xylophone", user=user, place=HERE)
    await stage.remember("I play the xylophone quetzal", user=user, place=dm(user))
    await stage.memory.forget("lighthouse number 0", user=user, place=dm(user))
    await stage.memory.message_deleted("discord", "m3")
    await stage.memory.message_edited("discord", "m5", "I keep a quetzal")
    await stage.settle()
    await stage.memory.store.write(lambda tx: pause(tx, f"discord:{user}", stage.clock()))
    await stage.memory.store.write(lambda tx: resume(tx, f"discord:{user}", stage.clock()))
    await stage.say("I still wait to be learned from, in a zanzibar way", user, HERE, name="Annabel")
    await stage.memory.mirror.flush()
    await stage.memory.mirror.catch_up()


@pytest.mark.parametrize("settings", EVERY_WAY, ids=["default", "by user, when idle", "dnam"])
async def test_whoever_took_part_in_every_way_leaves_neither_id_nor_word_in_any_row_or_file(
    tmp_path: Path, settings: dict[str, Any]
):
    user, words = "zq7731", ("zanzibar", "lighthouse", "xylophone", "quetzal", "annabel")
    store = ground.at(tmp_path / "data" / "memory.db")
    async with opened(tmp_path, **settings) as stage:
        await ask(stage, "ben", "My parrot is called Kirkegaard", "Hello Kirkegaard, I like parrots")
        await takes_part(stage, user)
    assert len(rows_with(store, user)) >= 7
    assert len(rows_with(store, *words)) >= 5
    async with opened(tmp_path, **settings) as stage:
        receipt = await stage.memory.privacy.erase(ErasureTarget(f"discord:{user}"), asked_by="operator")
        assert receipt.clean, receipt.probe
        assert bytes_with(tmp_path, *words) == {}
        await stage.settle()
        await stage.memory.mirror.catch_up()
    left = rows_with(store, user, *words)
    assert set(left) <= STAYS
    assert {word for found in left.values() for word in found} == {user}
    assert bytes_with(tmp_path, *words) == {}
    named = {path for path in bytes_with(tmp_path, user) if not Path(path).name.startswith("memory.db")}
    assert named == set()


async def test_whose_turn_it_was_last_is_forgotten_too(tmp_path: Path):
    store = ground.at(tmp_path / "data" / "memory.db")
    async with opened(tmp_path) as stage:
        await ask(stage, "zq7731", "I live in a zanzibar lighthouse", "How nice!", dm("zq7731"))
    assert "meta" in rows_with(store, "zq7731")
    async with opened(tmp_path, run_worker=False) as stage:
        await stage.memory.privacy.erase(ErasureTarget("discord:zq7731"), asked_by="operator")
    assert set(rows_with(store, "zq7731")) <= STAYS


@pytest.mark.parametrize(
    ("key", "item"),
    [
        ("discord:g1:channel:c-dev", "zq7731"),
        ("zq7731", "sad"),
        ("x", "user:zq7731 session"),
        ("user:discord:zq7731", "x"),
    ],
)
@pytest.mark.parametrize(
    "owner",
    [
        Owner.nobody(),
        pytest.param(Owner.guild("g1"), marks=pytest.mark.slow),
        pytest.param(Owner.person("discord:ben"), marks=pytest.mark.slow),
    ],
)
async def test_state_of_others_that_still_names_the_person_is_found(tmp_path: Path, key: str, item: str, owner: Owner):
    """Whoever wrote it said that it is not the person's: erasing leaves it alone, and the receipt says so."""
    target = ErasureTarget("discord:zq7731")
    async with opened(tmp_path) as stage:
        store = stage.memory.store
        await store.write(lambda tx: tx.state.append(StateKind.OTHER, key, item, Owner.person("discord:zq7731")))
        clean = await stage.memory.privacy.erase(target, asked_by="operator")
        await store.write(lambda tx: tx.state.append(StateKind.OTHER, key, item, owner))
        missed = await stage.memory.privacy.erase(target, asked_by="operator")
    assert (clean.clean, clean.counts["counters"]) == (True, 1)
    assert [check.place for check in missed.probe if not check.clean] == ["state"]


async def test_what_the_mirror_notes_while_it_is_erased_goes_too(tmp_path: Path):
    async with opened(tmp_path) as stage:
        memory = stage.memory
        memo = await stage.remember("I live in a zanzibar lighthouse", user="zq7731", place=HERE)

        async def finish_a_page() -> None:
            await memory.mirror.catch_up()
            await memory.store.write(lambda tx: Records().note(tx, memo, "fact/lighthouse.md", b"page"))

        hooks = (memory.search, finish_a_page, lambda: None)
        privacy = wiring.privacy_service(memory.store, memory.settings, stage.clock, *hooks)
        receipt = await privacy.erase(ErasureTarget("discord:zq7731"), asked_by="operator")
        state = await memory.store.read(lambda tx: tx.state.naming("zq7731"))
    assert [(check.place, check.count) for check in receipt.probe if not check.clean] == []
    assert state == []


async def test_a_channel_or_a_guild_called_like_the_person_is_not_taken_for_them(tmp_path: Path):
    place = replace(HERE, guild="dev", channel="dev")
    async with opened(tmp_path, extraction={"trigger": "idle"}) as stage:
        said = await stage.say("The parrot is called Kirkegaard", "ben", place)
        await stage.reply("Hello Kirkegaard", said)
        await stage.say("I live in a zanzibar lighthouse", "dev", THERE)
        before = await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.UNLEARNED_MESSAGES))
        receipt = await stage.memory.privacy.erase(ErasureTarget("discord:dev"), asked_by="dev")
        after = await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.UNLEARNED_MESSAGES))
    assert receipt.clean
    assert sorted(set(before) - set(after)) == [f"{THERE.session}:dev"]
    assert len(after) == 1


async def test_of_whom_nothing_is_left_the_assistant_repeats_what_others_forgot_no_more_than_before(tmp_path: Path):
    async with opened(tmp_path) as stage:
        for user in ("ann", "ben"):
            await ask(stage, user, f"I keep a {user}like dragon", "I see")
            await stage.memory.forget("dragon", user=user, place=HERE)
        assert await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.WITHHELD)) == [
            "user:discord:ann",
            "user:discord:ben",
        ]
        await stage.memory.privacy.erase(ErasureTarget("discord:ann", "g1"), asked_by="ann")
        left = await stage.memory.store.read(lambda tx: tx.state.items(StateKind.WITHHELD_IN_GUILD, "g1"))
        assert ["benlike" in item for item in left] == [True]
        await stage.memory.privacy.erase(ErasureTarget(guild="g1"), asked_by="operator")
        assert await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.WITHHELD)) == []
        assert await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.WITHHELD_IN_GUILD)) == []


async def test_an_earlier_wording_of_lore_cannot_be_imported_after_its_guild_was_erased(tmp_path: Path):
    async with opened(tmp_path) as stage:
        memo = await stage.remember("We meet in the old library", user="ben", place=HERE, lore=True)
        await stage.remember("We meet in the old library and drink tea", user="ben", place=HERE, lore=True)
        (now,) = (await stage.memory.list(user="ben", place=HERE, lore=True, statuses="any")).memos
        assert now.id == memo.id
        await stage.memory.privacy.erase(ErasureTarget(guild="g1"), asked_by="operator")
        for text in (memo.text, now.text):
            again = await stage.memory.remember(text, user="ben", place=HERE, lore=True, origin=Origin.IMPORT)
            assert again == Refused(Reason.FORGOTTEN_BY_OWNER)


async def test_a_deleted_message_makes_no_sessions_that_nobody_talked_in(tmp_path: Path):
    async with opened(tmp_path) as stage:
        said = await ask(stage, "ann", "I live in a zanzibar lighthouse", "How nice!")
        await stage.memory.message_deleted("discord", said.id)
        await stage.settle()
        sessions = await stage.memory.store.read(lambda tx: tx.summaries.sessions())
    assert sessions == [HERE.session]


@pytest.mark.slow
async def test_erasing_a_person_keeps_the_rows_of_others(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        before = [await rows_of(stage, ErasureTarget(user)) for user in ("ben", "cy")]
        theirs = [
            *(tmp_path / "data" / "memory" / "users" / "ben").rglob("*.md"),
            tmp_path / "data/memory/durable/ben.json",
        ]
        files = {path: path.read_bytes() for path in theirs}
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        assert [await rows_of(stage, ErasureTarget(user)) for user in ("ben", "cy")] == before
        assert len(files) > 3
        assert all(path.read_bytes() == content for path, content in files.items())
        found = await stage.memory.search("parrot", user="ben")
        assert [one.text for one in found][:1] == ["My parrot is called Kirkegaard"]
        assert all(finding.ok for finding in await stage.memory.store.check_health())


@pytest.mark.slow
async def test_summaries_are_made_anew_without_the_erased_words(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        await stage.settle()
        shared = await stage.memory.show(user="ben", place=HERE)
        own = await stage.memory.show(user="ann", place=dm("ann"))
    assert shared.summary is not None
    assert "rowing boat" in shared.summary.text
    assert "zanzibar" not in shared.summary.text
    assert own.summary is None


@pytest.mark.slow
async def test_a_guild_goes_alone(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        there = await rows_of(stage, ErasureTarget(guild="g2"))
        receipt = await stage.memory.privacy.erase(ErasureTarget(guild="g1"), asked_by="owner")
        assert await rows_of(stage, ErasureTarget(guild="g2")) == there
        await stage.settle()
        known = {user: await stage.known(user) for user in ("ann", "ben", "cy")}
        lore = await stage.memory.list(user="ben", place=HERE, lore=True, statuses="any")
    assert receipt.clean
    assert known["cy"] == []
    assert sorted(known["ann"]) == ["I dream of a quetzal at night", "I keep a xylophone in the cellar"]
    assert sorted(known["ben"]) == ["I am afraid of marzipan pigs", "I moved the aquarium upstairs"]
    assert lore.total == 0
    gone = ("kirkegaard", "lighthouse", "windmill", "rowing", "library", "cress")
    assert bytes_with(tmp_path, *gone) == {}
    assert bytes_with(tmp_path, "xylophone")


async def test_what_a_person_left_in_one_guild_goes_alone(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        receipt = await stage.memory.privacy.erase(ErasureTarget("discord:ann", "g1"), asked_by="ann")
        known = await stage.known()
    assert receipt.clean
    assert sorted(known) == ["I dream of a quetzal at night", "I keep a xylophone in the cellar"]
    assert bytes_with(tmp_path, "lighthouse", "windmill") == {}
    assert bytes_with(tmp_path, "xylophone", "kirkegaard")


@pytest.mark.slow
async def test_an_erased_text_cannot_be_imported_observed_or_undone(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        rows = await stage.memory.store.read(lambda tx: tx.messages.written_by("ann"))
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        for _, message in rows:
            assert not await stage.memory.add(message)
        for text in ("I live in a zanzibar lighthouse", "I dream of a quetzal at night"):
            again = await stage.memory.remember(text, user="discord:ann", origin=Origin.IMPORT)
            assert again == Refused(Reason.FORGOTTEN_BY_OWNER)
        assert isinstance(await stage.memory.undo(user="discord:ann"), CannotUndo)
        assert await stage.known() == []
        await stage.memory.remember("I live in a zanzibar lighthouse", user="discord:ann")  # their own new word counts
        assert await stage.known() == ["I live in a zanzibar lighthouse"]


async def test_undo_goes_on_after_an_erasure_with_what_is_new(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await stage.remember("I collect old stamps")
        assert await stage.memory.undo(user="discord:ann") is not None
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        assert isinstance(await stage.memory.undo(user="discord:ann"), CannotUndo)
        await stage.remember("I grow tomatoes")
        undone = await stage.memory.undo(user="discord:ann")
        assert isinstance(undone, Undone)
        assert [memo.text for memo in undone.removed] == ["I grow tomatoes"]
        assert isinstance(await stage.memory.undo(user="discord:ann"), CannotUndo)


async def test_undo_does_not_reach_behind_what_was_erased_in_one_guild(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await stage.remember("I grow tomatoes", place=ELSEWHERE)
        await stage.remember("I collect old stamps", place=DEV)
        await stage.memory.privacy.erase(ErasureTarget("discord:ann", "g1"), asked_by="ann")
        assert isinstance(await stage.memory.undo(user="discord:ann"), CannotUndo)
        assert await stage.known() == ["I grow tomatoes"]


async def test_an_earlier_wording_cannot_be_imported_either(tmp_path: Path):
    async with opened(tmp_path) as stage:
        memo = await stage.remember("I collect old stamps")
        await stage.memory.update(memo.id, "I collect rare coins", user="ann", place=HERE)
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        again = await stage.memory.remember("I collect old stamps", user="discord:ann", origin=Origin.IMPORT)
        assert again == Refused(Reason.FORGOTTEN_BY_OWNER)


async def test_a_model_that_answers_too_late_brings_nothing_back(tmp_path: Path):
    asked, may_answer = asyncio.Event(), asyncio.Event()

    async def slowly(hearing: ExtractionInput) -> ExtractionResult:
        asked.set()
        await may_answer.wait()
        return propose_everything(hearing)

    async def condense(previous: str | None, exchange: str, limit: int) -> str:
        await may_answer.wait()
        return exchange[:limit]

    async with opened(tmp_path, FakeModel(slowly, condense)) as stage:
        said = await stage.say("I live in a zanzibar lighthouse")
        await stage.reply("A zanzibar lighthouse!", said)
        await asked.wait()
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        may_answer.set()
        await stage.settle()
        assert await stage.known() == []
        assert {job.kind for job in (await stage.memory.worker.status(10)).jobs} <= {"daily_log"}
    assert bytes_with(tmp_path, *ANNS) == {}


class Interrupted:
    """A store whose process ends at some write, or at wiping."""

    def __init__(self, store: Store, writes: int) -> None:
        self._store = store
        self._left = writes

    async def read(self, work: Callable[[Tx], T]) -> T:
        return await self._store.read(work)

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        self._step()
        return await self._store.write(work, background=background)

    async def purge_deleted(self, progress: object = None) -> None:
        self._step()
        await self._store.purge_deleted()

    async def find_traces(self, texts: Any) -> dict[str, list[int]]:
        return await self._store.find_traces(texts)

    def _step(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise InterruptedError


async def erase_interrupted(stage: Stage, target: ErasureTarget, writes: int) -> bool:
    """Whether it got through."""
    memory = stage.memory
    store: Any = Interrupted(memory.store, writes)
    parts = (memory.settings, stage.clock, memory.search, memory.mirror.catch_up, lambda: None)
    try:
        await wiring.privacy_service(store, *parts).erase(target, asked_by="ann")
    except InterruptedError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize("target", [ANN, ErasureTarget(guild="g1"), ErasureTarget("discord:ann", "g1")], ids=str)
async def test_an_erasure_that_was_interrupted_anywhere_is_completed_by_the_next(tmp_path: Path, target: ErasureTarget):
    words = {
        ANN: ANNS,
        ErasureTarget(guild="g1"): ("lighthouse", "kirkegaard", "rowing"),
        ErasureTarget("discord:ann", "g1"): ("lighthouse",),
    }
    async with opened(tmp_path / "told") as stage:
        await tell(stage)
    writes = 0
    while True:
        folder = tmp_path / f"{writes}"
        shutil.copytree(tmp_path / "told", folder)
        ground.copy(tmp_path / "told" / "data" / "memory.db", folder / "data" / "memory.db")
        async with opened(folder) as stage:
            through = await erase_interrupted(stage, target, writes)
            again = await stage.memory.privacy.erase(target, asked_by="ann")
            await stage.settle()
            await stage.memory.mirror.catch_up()
            assert again.clean, receipt_to_json(again)
            assert through or again.samples, "what was erased before the interruption is searched for too"
            assert not await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.RUNNING_ERASURE))
        assert bytes_with(folder, *words[target]) == {}, writes
        if through:
            break
        writes += 1
    assert writes > 5


async def test_a_receipt_counts_what_is_gone(tmp_path: Path):
    async with opened(tmp_path) as stage:
        for text in ("I live in a lighthouse", "I keep a xylophone"):
            await ask(stage, "ann", text, "How nice!")
        await ask(stage, "ben", "I moved the aquarium upstairs", "The aquarium is upstairs now")
        await stage.remember("Owns a boat", user="ann", place=HERE)
        counts = (await stage.memory.privacy.erase(ANN, asked_by="operator")).counts
        nobody = (await stage.memory.privacy.erase(ErasureTarget("discord:nobody"), asked_by="operator")).counts
    assert {name: counts[name] for name in ("memos", "messages", "replies")} == {
        "memos": 3,
        "messages": 2,
        "replies": 2,
    }
    assert not any(nobody.values())


@pytest.mark.slow
async def test_erasing_twice_finds_nothing_more_and_keeps_the_tombstones(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        again = await stage.memory.privacy.erase(ANN, asked_by="ann")
        told = await stage.memory.remember("I live in a zanzibar lighthouse", user="discord:ann", origin=Origin.IMPORT)
        assert told == Refused(Reason.FORGOTTEN_BY_OWNER)
        survey = await stage.memory.privacy.preview(ANN)
    assert again.clean
    assert not any(again.counts.values())
    assert survey.empty


@pytest.mark.slow
async def test_a_survey_changes_nothing(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        before = await stage.memory.store.read(lambda tx: tx.generation())
        survey = await stage.memory.privacy.preview(ANN)
        assert await stage.memory.store.read(lambda tx: tx.generation()) == before
    assert survey.counts["memos"] == 4
    assert any(file.endswith("ann.json") for file in survey.files)


@pytest.mark.slow
async def test_the_probe_finds_what_is_left_and_says_where(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        notes = tmp_path / "data" / "workspace" / "MEMORY.md"
        notes.parent.mkdir(parents=True, exist_ok=True)
        notes.write_text("somebody wrote: I live in a zanzibar lighthouse\n")
        await stage.memory.store.write(
            lambda tx: tx.state.append(StateKind.OTHER, "odd", "I dream of a quetzal at night", Owner.nobody())
        )
        receipt = await stage.memory.privacy.erase(ANN, asked_by="ann")
    found = {check.place: check.count for check in receipt.probe if check.count}
    assert not receipt.clean
    in_files = {"store: bytes of memory.db"} if ground.is_sqlite() else set()
    assert set(found) == {f"files: {notes}", "store: state.item"} | in_files


async def test_words_that_others_said_too_are_counted_and_stay(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await ask(stage, "ann", "Good morning to all of you", "Hello, dear Annabel")
        await ask(stage, "ben", "Good morning to all of you", "And to you too")
        await stage.remember("Annabel is a friend of mine", user="ben", kind="person")
        receipt = await stage.memory.privacy.erase(ANN, asked_by="ann")
        assert sorted(await stage.known("ben")) == ["Annabel is a friend of mine", "Good morning to all of you"]
    assert receipt.clean
    assert receipt.mentions["the same words in messages"] == 1
    assert receipt.mentions["named in memos"] == 1


async def test_lore_stays_the_guilds_without_its_authors_name(tmp_path: Path):
    async with opened(tmp_path) as stage:
        memo = await stage.remember("We meet every caturday", user="ann", lore=True)
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        (kept,) = (await stage.memory.list(user="ben", place=HERE, lore=True, statuses="any")).memos
    assert kept == replace(memo, key=kept.key, version=2, source=replace(memo.source, actor=""))


@pytest.mark.slow
async def test_vectors_go_with_their_rows(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        store = stage.memory.store
        keys = await store.read(
            lambda tx: [
                key for key, _ in (*tx.messages.written_by("discord:ann"), *tx.messages.written_by("discord:ben"))
            ]
        )
        memos = await store.read(lambda tx: [memo.key for memo in tx.memos.list(Subject("discord:ann"))])
        made = b"\0\0\x80?" + b"\0" * 4
        await store.write(lambda tx: tx.index.put_vectors("messages", "m", dict.fromkeys(keys, made)))
        await store.write(lambda tx: tx.index.put_vectors("memos", "m", dict.fromkeys(memos, made)))
        receipt = await stage.memory.privacy.erase(ANN, asked_by="ann")
        left = await store.read(lambda tx: [tx.archive.count("message vectors"), tx.archive.count("memo vectors")])
        assert left == [len(await store.read(lambda tx: tx.messages.written_by("discord:ben"))), 0]
        assert all(finding.ok for finding in await stage.memory.store.check_health())
    assert receipt.clean


@pytest.mark.slow
async def test_copies_kept_aside_notes_and_typed_lines_go_too(tmp_path: Path):
    data = tmp_path / "data"
    async with opened(tmp_path) as stage:
        await tell(stage)
        for path in (data / "memory" / "durable" / "ann.json", data / "memory" / "MEMORY.md"):
            path.write_text(
                path.read_text() + "edited by hand, about a zanzibar lighthouse: I live in a zanzibar lighthouse"
            )
        await stage.remember("I own a blue teapot", user="ann")
        await stage.memory.mirror.catch_up()
        assert len(list(data.rglob("*.kept-*"))) == 2
        own = data / "workspace" / "users" / "ann" / "MEMORY.md"
        own.parent.mkdir(parents=True)
        own.write_text("remember the quetzal")
        (data / "chat_history").write_text("\n# 2025-03-01\n+I live in a zanzibar lighthouse\n")
        (data / "backups").mkdir()
        (data / "backups" / "memory.db").write_bytes(b"an old copy")
        receipt = await stage.memory.privacy.erase(ANN, asked_by="ann")
    assert receipt.clean
    assert list(data.rglob("*.kept-*")) == []
    assert not own.parent.exists()
    assert not (data / "chat_history").exists()
    assert any("1 backup" in note for note in receipt.notes)
    assert bytes_with(tmp_path, *ANNS) == {}


@pytest.mark.slow
async def test_nothing_stays_in_the_memory_of_the_process(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        assert similarity.compare("I live in a zanzibar lighthouse", "I live in a mill") is not None
        held = vars(similarity)["_parse"]
        assert held.cache_info().currsize > 0
        await stage.prompt("zanzibar", user="ann")
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        prompt = await stage.prompt("what do you know?", user="ann")
        assert "lighthouse" not in prompt.text
    clear_function_caches()
    assert held.cache_info().currsize == 0


@pytest.mark.sqlite
async def test_texts_that_were_compared_are_gone_from_the_process_with_the_erasure(tmp_path: Path):
    parse, text = vars(similarity)["_parse"], "I live in a zanzibar lighthouse"
    async with opened(tmp_path, store="sqlite://") as stage:
        await stage.remember(text)
        parse(text)
        await stage.memory.privacy.erase(ANN, asked_by="ann")
    misses = parse.cache_info().misses
    parse(text)
    assert parse.cache_info().misses == misses + 1, "it is parsed anew"


@pytest.mark.slow
async def test_someone_who_asked_not_to_be_learned_from_is_not_learned_from_afterwards(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        await stage.memory.store.write(lambda tx: pause(tx, "discord:ann", stage.clock()))
        await stage.memory.privacy.erase(ANN, asked_by="ann")
        assert await stage.memory.store.read(lambda tx: is_paused(tx, "discord:ann"))


@pytest.mark.slow
async def test_the_log_keeps_that_something_happened_and_the_receipt_without_content(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await tell(stage)
        before = await stage.memory.store.read(lambda tx: tx.events.counts())
        await stage.memory.privacy.erase(ANN, asked_by="ben")
        log = await stage.memory.log(user="discord:ann", limit=1000)
        after = await stage.memory.store.read(lambda tx: tx.events.counts())
    assert [event.kind for event in log[:2]] == ["erasure.checked", "memo.erased"]
    assert log[0].actor == "ben"
    assert log[0].data["erased"]["memos"] == 4
    assert {kind: after[kind][0] for kind in ("memo.added", "extract.call")} == {
        kind: before[kind][0] for kind in ("memo.added", "extract.call")
    }
    assert all(event.memo is None and not event.reason and not event.data for event in log[2:])


@pytest.mark.sqlite
async def test_a_store_in_memory_is_erased_and_leaves_the_files_of_others_alone(tmp_path: Path):
    durable = tmp_path / "data" / "memory" / "durable" / "ann.json"
    durable.parent.mkdir(parents=True)
    durable.write_text("{}")
    async with opened(tmp_path, store="sqlite://") as stage:
        await stage.remember("I collect old stamps")
        receipt = await stage.memory.privacy.erase(ANN, asked_by="ann")
    assert receipt.clean
    assert durable.exists()


@pytest.mark.parametrize("given", [{}, {"user": " "}, {"user": "__lore__"}, {"guild": ""}])
def test_an_erasure_target_needs_a_person_or_guild(given: dict[str, str]):
    with pytest.raises(BadInput):
        ErasureTarget(**given)


def test_names_of_sessions_and_queues_tell_whose_they_are():
    ann, g1, both = ErasureTarget("discord:ann"), ErasureTarget(guild="g1"), ErasureTarget("discord:ann", "g1")
    shared, share = HERE.session, f"{HERE.session}:user:ann"
    assert [each.owns_session(shared) for each in (ann, g1, both)] == [False, True, False]
    assert [each.owns_session(share) for each in (ann, g1, both)] == [True, True, True]
    assert [each.owns_session(dm("ann").session) for each in (ann, g1, both)] == [True, False, False]
    assert [each.owns_session(dm("joann").session) for each in (ann, g1, both)] == [False, False, False]
    assert [each.owns_queue("user:discord:ann") for each in (ann, g1, both)] == [True, False, False]
    assert [each.owns_queue("consolidate:discord:joann") for each in (ann, g1, both)] == [False, False, False]
    assert [each.owns_queue(f"learn:{shared}:ann") for each in (ann, g1, both)] == [True, True, True]
    assert [each.owns_queue(f"learn:{THERE.session}:ann") for each in (ann, g1, both)] == [True, False, False]


async def test_the_log_of_a_persons_failed_learning_is_redacted_with_them(tmp_path: Path):
    """The worker logs under the queue of a job, whose name has the id as it is on the platform."""
    async with opened(tmp_path) as stage:
        await stage.say("I live in Lisbon")
        queue = learning_queue(speaker_key(DEV.session, "ann"))
        failure = Event(EventKind.JOB_FAILED, stage.clock(), "worker", queue, detail="no JSON: ann lives in Lisbon")
        await stage.memory.store.write(lambda tx: tx.events.add(failure))
        await stage.memory.privacy.erase(ANN, asked_by="operator")
        logged = await stage.memory.store.read(lambda tx: tx.events.list(scope=queue))
    assert [event.detail for event in logged] == [""]
