"""Ids and fingerprints: the same in one store, different in another, and useless to who guesses at a private text."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import AsyncMemory, Audience, Place
from recollect.core.fingerprints import Fingerprints, text_digest
from recollect.core.outcomes import RelearnPreview
from recollect.core.text import digest, normalize
from recollect.core.types import Status, Subject
from recollect.privacy.export import encode
from recollect.privacy.target import ErasureTarget
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel, propose_everything, propose_nothing
from tests import ground, scenes
from tests.scenes import DEV, DM, STAFF, content
from tests.stores.postgres import in_database, made_database
from tests.transfer.moving import export, import_

BERLIN, PARIS = "I live in Berlin", "I live in Paris"


def opened(store: str, **settings: Any) -> AsyncMemory:
    return recollect.AsyncMemory(store, embedder="null", model="local", clock=FakeClock(), **settings)


async def remember(memory: AsyncMemory, text: str, user: str = "ann", place: Place | None = DM) -> str:
    where = replace(DM, dm=user) if place is DM else place
    return (await memory.remember(text, user=user, place=where)).memo.id


@pytest.fixture(params=["sqlite", "postgres"])
def two_stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Each made by itself: the databases of other tests are copies of one, with its secret."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/two.db"
        return
    server = request.getfixturevalue("postgres")
    with ExitStack() as ending:
        one, two = (in_database(server, ending.enter_context(made_database(server))) for _ in range(2))
        yield one, two


@pytest.mark.sqlite  # its fixture has both
async def test_two_stores_give_the_same_text_different_ids(two_stores: tuple[str, str], tmp_path: Path):
    ids: list[str] = []
    for number, store in enumerate(two_stores):
        async with opened(store, data_dir=tmp_path / str(number)) as memory:
            ids.append(await remember(memory, BERLIN))
        async with opened(store, data_dir=tmp_path / str(number)) as memory:
            assert await remember(memory, "I LIVE in Berlin.", "ben") == ids[-1], "the same kind and text: the same id"
    assert ids[0] != ids[1]
    assert all(name.startswith("durable-") and len(name) == len("durable-12345678") for name in ids)


async def test_who_has_the_code_but_not_the_secret_can_not_confirm_a_guess():
    async with opened(ground.new()) as memory:
        known = await remember(memory, BERLIN)
        await memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="ann")
        left = await memory.store.read(lambda tx: tx.archive.read("tombstones", None, 10).records)
        handed_out = (await export(memory, ErasureTarget("discord:ann"))).decode()
    guess = normalize(BERLIN)
    unkeyed = [digest(kind, guess) for kind in ("fact", "preference", "person", "event", "memo")]
    guesses = [*unkeyed, *(Fingerprints(key).of_digest(each) for key in ("", "secret", "None") for each in unkeyed)]
    assert left
    assert not [each for each in guesses if known.removeprefix("durable-") == each[:8]]
    assert not [each for each in guesses if each in repr(left) or each in handed_out]


async def test_an_export_holds_no_secret(tmp_path: Path):
    address = ground.at(tmp_path / "memory.db")
    files = {"files": ["durable", "journal", "snapshot", "categories"]}
    async with opened(address, data_dir=tmp_path / "data", mirror=files) as memory:
        await remember(memory, BERLIN)
        await memory.forget("Berlin", user="ann", place=DM)
        await remember(memory, "I like tea", place=DEV)
        await memory.mirror.rewrite()
        documents = [
            encode(await memory.privacy.export(ErasureTarget("discord:ann"))),
            await export(memory, ErasureTarget("discord:ann")),
        ]
    ((secret,),) = ground.rows(address, "SELECT value FROM meta WHERE name = 'secret'")
    documents += [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert len(secret) == 64
    assert len(documents) > 2
    assert not [
        document
        for document in documents
        if secret.encode() in (document if isinstance(document, bytes) else document.encode())
    ]


async def test_what_was_forgotten_stays_so_where_an_export_is_imported_in_any_store(tmp_path: Path):
    async with opened(ground.at(tmp_path / "here.db"), data_dir=tmp_path / "here") as memory:
        await remember(memory, BERLIN)
        await memory.forget("Berlin", user="ann", place=DM)
        lines = await export(memory, ErasureTarget("discord:ann"))
    (tmp_path / "ann.jsonl").write_bytes(lines)
    async with opened(ground.at(tmp_path / "there.db"), data_dir=tmp_path / "there") as memory:
        await memory.store.write(lambda tx: tx.archive.put_secret("another store's"))
        report = await import_(memory, tmp_path / "ann.jsonl")
        assert report.left_out == 0
        buried = await memory.store.read(
            lambda tx: tx.memos.tombstone("user:discord:ann", tx.fingerprints.of_text(BERLIN))
        )
        assert buried is not None


async def test_what_was_erased_is_known_to_the_store_alone(tmp_path: Path):
    async with opened(ground.at(tmp_path / "here.db"), data_dir=tmp_path / "here") as memory:
        await remember(memory, BERLIN)
        await memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="ann")
        (tmp_path / "ann.jsonl").write_bytes(await export(memory, ErasureTarget("discord:ann")))
        assert (await import_(memory, tmp_path / "ann.jsonl")).same == 1
        await memory.store.write(
            lambda tx: tx.memos.remove_tombstone("user:discord:ann", tx.fingerprints.of_text(BERLIN))
        )
        assert (await import_(memory, tmp_path / "ann.jsonl")).new == 1, "here it means something"
    async with opened(ground.at(tmp_path / "there.db"), data_dir=tmp_path / "there") as memory:
        await memory.store.write(lambda tx: tx.archive.put_secret("another store's"))
        report = await import_(memory, tmp_path / "ann.jsonl")
        assert [reason for _, reason in report.skipped] == [
            "only the store that it comes from knows what was forgotten"
        ]


async def test_tombstones_of_earlier_exports_are_keyed_when_they_are_imported(tmp_path: Path):
    line = {
        "type": "tombstone",
        "scope": "user:discord:ann",
        "fingerprint": text_digest(BERLIN),
        "at": "2026-02-27T10:00:00Z",
    }
    (tmp_path / "ann.jsonl").write_text('{"format":"recollect","version":1}\n' + json.dumps(line))
    async with opened(ground.at(tmp_path / "memory.db"), data_dir=tmp_path / "data") as memory:
        assert (await import_(memory, tmp_path / "ann.jsonl")).new == 1
        assert (await import_(memory, tmp_path / "ann.jsonl")).same == 1
        records = await memory.store.read(lambda tx: tx.archive.read("tombstones", None, 10).records)
        assert text_digest(BERLIN) not in str(records)
        assert await memory.store.read(
            lambda tx: tx.memos.tombstone("user:discord:ann", tx.fingerprints.of_text(BERLIN))
        )


async def test_the_id_of_a_private_memory_does_not_show_where_a_public_one_took_its_place():
    async with opened(ground.new()) as memory:
        private = await remember(memory, BERLIN, place=STAFF)
        outcome = await memory.remember(PARIS, user="ann", place=DEV)
        public = outcome.memo.id
        await memory.pin(public, user="ann", place=DEV)
        in_public: list[object] = [
            outcome,
            await memory.get(public, user="ann", place=DEV),
            await memory.show(user="ann", place=DEV),
            await memory.list(user="ann", place=DEV),
            [hit.memo for hit in await memory.search("Where do I live?", user="ann", place=DEV)],
            await memory.history(public, user="ann", place=DEV),
            await memory.pin(public, user="ann", place=DEV, pinned=False),
            await memory.undoable(user="ann", place=DEV),
            await memory.update(public, "I live in Paris now", user="ann", place=DEV),
            await memory.undo(user="ann", place=DEV),
            await memory.forget("Paris", user="ann", place=DEV),
            await memory.undo(user="ann", place=DEV),
            await memory.restore(public, user="ann", place=DEV),
            await memory.restore("Paris", user="ann", place=DEV),
        ]
        for shown in in_public:
            assert public in content(shown)
            assert private not in content(shown)
        assert (await memory.get(public, user="ann", place=STAFF)).supersedes == private, "who heard it sees it"
        stored = await memory.store.read(lambda tx: tx.memos.get(Subject("discord:ann"), public))
        assert stored is not None
        assert stored.supersedes == private, "showing it without the link does not remove the link"


async def test_the_id_of_a_successor_does_not_show_where_that_became_private():
    async with opened(ground.new()) as memory:
        old = await remember(memory, BERLIN, place=DEV)
        new = await remember(memory, PARIS, place=DEV)
        assert (await memory.get(old, user="ann", place=DEV)).superseded_by == new
        await memory.share(new, user="ann", place=DM, audience=Audience("dm", "discord:ann"))
        in_public = [
            await memory.get(old, user="ann", place=DEV),
            await memory.list(user="ann", place=DEV, statuses=[Status.SUPERSEDED]),
            await memory.history(old, user="ann", place=DEV),
        ]
        assert new not in content(in_public)
        assert (await memory.get(old, user="ann", place=DM)).superseded_by == new


async def test_the_id_of_a_private_memory_does_not_show_in_answers_that_change_nothing_or_were_waited_for():
    async with opened(ground.new()) as memory:
        private = await remember(memory, BERLIN, place=STAFF)
        learned = await memory.add(PARIS, user="ann", place=DEV, wait=True)
        (public,) = learned.learned
        await memory.remember("I like Paris in spring", user="ann", place=DEV)
        stored = await memory.store.read(lambda tx: tx.memos.get(Subject("discord:ann"), public.id))
        assert stored is not None
        assert stored.supersedes == private
        in_public = {
            "learned": learned,
            "several to forget": await memory.forget("Paris", user="ann", place=DEV),
            "active": await memory.restore(public.id, user="ann", place=DEV),
            "active, by its text": await memory.restore("Paris", user="ann", place=DEV),
        }
        await memory.forget("Paris", user="ann", place=DEV, every=True)
        in_public["several to restore"] = await memory.restore("Paris", user="ann", place=DEV)
        assert {name for name, shown in in_public.items() if private in content(shown)} == set()
        assert sum(public.id in content(shown) for shown in in_public.values()) >= 4


async def test_the_id_of_a_private_memory_does_not_show_in_what_learning_again_would_change():
    model = FakeModel()
    async with scenes.opened(model=model) as stage:
        await stage.tell(BERLIN, place=STAFF)
        (private,) = (await stage.memory.show(user="ann", place=STAFF)).memos
        model.learns = propose_nothing
        await stage.tell(PARIS, place=DEV)
        model.learns = propose_everything
        preview = await stage.memory.relearn(user="ann", place=DEV, dry_run=True)
        assert isinstance(preview, RelearnPreview)
        assert [step.after and step.after.text for step in preview.changes] == [PARIS]
        assert private.id not in content(preview)
