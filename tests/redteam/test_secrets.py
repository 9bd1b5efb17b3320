"""Every form of a secret, told on every path: afterwards no byte of it is in the data folder.

The forms are those of `tests/data/secrets`; a quick run takes some of each class, a slow one all.
"""

import contextlib
import itertools
import json
import logging
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

import recollect
from recollect import AsyncMemory, Message, Place
from recollect.core.errors import BadInput
from recollect.core.outcomes import Refused
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.reasons import Reason
from recollect.faces.cli.log_format import JsonFormatter, LineFormatter
from recollect.faces.http.app import create
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.policy.redaction import redact
from recollect.testing.clock import START
from recollect.testing.models import FakeModel, proposal_for
from tests.faces.discord.scene import acting
from tests.faces.http.conftest import OPERATOR, TOKENS, asking, serving
from tests.policy.secret_corpus import Form, secrets
from tests.scenes import DEV, opened
from tests.transfer.moving import import_

pytestmark = pytest.mark.sqlite  # the bytes of a folder are looked at
MAX_NAME_CHARS = 32
MIN_CHARS = 8
"""Shorter values may stand in a file by chance."""
MIRRORS = ["durable", "rolling", "journal", "snapshot", "categories"]


def sought(form: Form) -> tuple[str, ...]:
    return tuple(value for value in form.values if len(value) >= MIN_CHARS)


def some(every: int = 6) -> list[Form]:
    """Every so many of those that are recognized at all, which `test_secret_corpus` measures."""
    return [form for form in secrets() if sought(form) and not form.leaked(redact(form.text).text)][::every]


def places_of(folder: Path, forms: Iterable[Form]) -> list[str]:
    """Files with a byte of what may not be stored, in any case, as it is or as JSON writes it."""
    leaks: list[str] = []
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes().lower()
            for form in forms:
                for value in sought(form):
                    spellings = {value.lower(), json.dumps(value)[1:-1].lower()}
                    if any(spelling.encode() in content for spelling in spellings):
                        leaks.append(f"{path.relative_to(folder)}: {form.topic}: {form.text!r}")
    return leaks


def memory_in(folder: Path, **settings: Any) -> AsyncMemory:
    options = {"embedder": "null", "data_dir": str(folder), "mirror": {"files": MIRRORS}, **settings}
    return recollect.AsyncMemory(f"sqlite:///{folder}/memory.db", **options)


def tagging(forms: list[Form]) -> FakeModel:
    """A model that takes everything down, and knows secrets that it puts into tags and names."""
    unused = itertools.cycle(forms)

    def learn(request: ExtractionInput) -> ExtractionResult:
        proposals = [proposal_for(message, tags=(next(unused).text, "plan")) for message in request.messages]
        return ExtractionResult(tuple(proposals))

    return FakeModel(learn)


async def tell_everything(memory: AsyncMemory, forms: list[Form]) -> None:
    """Each form as what is said, as who says it, as where it is said, and in what is stated about it."""
    for number, form in enumerate(forms):
        text, at = form.text, START + timedelta(minutes=number)
        place = Place("discord", "g", f"c{number}", name=text[:200], public=True)
        await memory.add(Message(f"m{number}", "ann", place, f"Note: {text}", at, name=text[:200]))
        await memory.add(Message(f"p{number}", "ann", place, f"I like plan {number} best", at, name="Ann"))
        await memory.add(Message(f"e{number}", "ann", place, "nothing yet", at, name="Ann"))
        await memory.message_edited("discord", f"e{number}", text, at + timedelta(seconds=5), place)
        outcome = await memory.remember(
            f"About {number}: {text}",
            user="ann",
            place=place,
            tags=[text],
            metadata={"note": text, text: {"deep": [text]}},
        )
        memos = getattr(outcome, "memos", None) or [getattr(outcome, "memo", None)]
        if memo := next((memo for memo in memos if memo is not None), None):
            with contextlib.suppress(BadInput):  # a text of nothing but a secret
                await memory.update(memo.id, f"Again {number}: {text}", tags=[text, "x"], user="ann", place=place)
        await memory.search(text, user="ann", place=place)


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
async def test_nothing_of_a_secret_reaches_the_disk_through_the_library(tmp_path: Path, every: int):
    forms = some(every)
    async with memory_in(tmp_path, model=tagging(forms)) as memory:
        await tell_everything(memory, forms)
        assert await memory.worker.wait_idle(60)
        assert not places_of(tmp_path, forms), "with the log of the database"
    assert not places_of(tmp_path, forms)


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_nothing_of_a_secret_reaches_the_disk_through_the_api(tmp_path: Path, every: int):
    forms = some(every)
    with serving(tmp_path) as served, httpx.Client(base_url=f"{served.url}/api/v1", headers=OPERATOR) as client:
        for number, form in enumerate(forms):
            place = {"platform": "web", "guild": "g", "channel": "c", "name": form.text[:200], "public": True}
            message = {"id": f"m{number}", "author": "ann", "place": place, "text": form.text, "name": form.text[:200]}
            assert client.post("/observe", json=message).status_code == 200
            edit = {"platform": "web", "id": f"m{number}", "text": f"edited: {form.text}"}
            assert client.post("/observe/edited", json=edit).status_code == 200
            memo = {
                "user": "web:ann",
                "text": f"About {number}: {form.text}",
                "tags": [form.text] if len(form.text) <= 90 else [],
            }
            answer = client.post("/memos", json=memo)
            assert answer.status_code == 201 or answer.json()["reason"] in ("secret", "instructions"), answer.text
            client.post("/context", json={"author": "ann", "place": place, "text": form.text})
        assert not places_of(tmp_path, forms)


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
async def test_nothing_of_a_secret_reaches_the_disk_through_an_import(tmp_path: Path, every: int):
    forms, folder = some(every), tmp_path / "data"
    source = tmp_path / "export.json"
    memories = [
        {"id": f"i{number}", "memory": f"About {number}: {form.text}", "user_id": f"ann{number // 200}"}
        | {"metadata": {"note": form.text}, "categories": [form.text]}
        for number, form in enumerate(forms)
    ]
    source.write_text(json.dumps({"results": memories}))
    folder.mkdir()
    async with memory_in(folder) as memory:
        report = await import_(memory, source)
        assert report.redacted + len(report.skipped) == len(forms)
        assert {why for _, why in report.skipped if "secret" not in why} <= {"gives orders to the assistant"}
        assert not places_of(folder, forms)
    assert not places_of(folder, forms)


@pytest.mark.slow
async def test_nothing_of_a_secret_reaches_the_disk_through_the_bot(tmp_path: Path):
    forms = [form for form in some(24) if "\n" not in form.text and len(form.text) < 90]
    store = f"sqlite:///{tmp_path}/memory.db"
    async with acting(store=store, data_dir=str(tmp_path), mirror={"files": MIRRORS}) as scene:
        for number, form in enumerate(forms):
            name = form.text if len(form.text) <= MAX_NAME_CHARS else f"u{number}"  # half a sentence tells nothing
            named = scene.guild.add_member(scene.env.create_user(f"u{number}", global_name=name))
            channel = scene.guild.create_text_channel(form.text[:90])
            await scene.ask(form.text, named, channel)
            sent = await scene.ann.send(channel, "a first word")
            await scene.ann.edit(sent, content=form.text)
            await scene.order(f"!memory remember {form.text}")
        await scene.settle()
        assert not places_of(tmp_path, forms)


@pytest.mark.parametrize("formatter", [LineFormatter(), JsonFormatter()])
def test_no_line_of_the_log_holds_a_secret(formatter: logging.Formatter):
    for form in some():
        record = logging.LogRecord("recollect", logging.INFO, __file__, 1, "could not send %s", (form.text,), None)
        record.fields = {"detail": form.text}
        assert not form.leaked(formatter.format(record))


async def test_words_that_were_deleted_or_edited_are_gone_from_the_file(tmp_path: Path):
    """Not only out of sight: neither in free pages, nor in the word indexes, nor in the log of the database."""
    place = Place("discord", "g", "c", public=True)
    words = [b"zanzibarite", b"quetzalcoat", b"flibbertigibbet"]
    async with memory_in(tmp_path, run_worker=False, mirror={"files": []}) as memory:
        for number in range(200):
            await memory.add(Message(f"m{number}", "ann", place, f"Hello number {number} about trains", START))
        await memory.add(Message("x", "ann", place, "the zanzibarite quetzalcoat arrives", START))
        await memory.add(Message("y", "ann", place, "my plan is flibbertigibbet indeed", START))
        await memory.message_edited("discord", "x", "never mind", START + timedelta(hours=1))
        await memory.message_deleted("discord", "y", START + timedelta(hours=1))
    stored = (tmp_path / "memory.db").read_bytes()
    assert b"Hello number 7 about trains" in stored
    assert [word for word in words if word in stored or word[:9] in stored] == []
    assert not (tmp_path / "memory.db-wal").exists()


ONLY_SECRETS = (
    "Kolibri77!x ist das neue WLAN-Passwort",
    "my vault password is k as in kilo, 7, r as in romeo, 9, x",
    "la puerta abre con 48151",
    "the filevault key: GE58-PDRS-5PDX-96WM-S01S-JKG0",
)
"""Of each later class one: the value before the name, spelled out, what a door opens with, a key in groups."""


@pytest.mark.parametrize("text", ONLY_SECRETS)
async def test_a_text_of_nothing_but_a_secret_is_refused_on_every_path_with_the_reason(tmp_path: Path, text: str):
    source = tmp_path / "export.json"
    source.write_text(json.dumps({"results": [{"id": "i1", "memory": text, "user_id": "ann"}]}))
    async with opened(model=FakeModel()) as stage:
        memory, tool = stage.memory, MemoryTool(stage.memory, user="ann", place=DEV)
        own = await stage.remember("Likes tea")
        assert await memory.remember(text, user="ann", place=DEV) == Refused(Reason.SECRET)
        with pytest.raises(BadInput, match="a secret and nothing else"):
            await memory.update(own.id, text, user="ann", place=DEV)
        saved = await tool.call({"action": "save", "content": text, "category": "fact"})
        assert not saved.ok or "secret" in saved.text.lower()
        report = await import_(memory, source)
        assert [why for _, why in report.skipped] == ["is a secret and nothing else"]
        async with asking(create(memory, TOKENS, clock=stage.clock), OPERATOR) as client:
            posted = await client.post("/api/v1/memos", json={"user": "discord:ann", "text": text})
        assert 400 <= posted.status_code < 500
        assert "secret" in posted.text
        await stage.say(text)
        await stage.settle()
        known = await memory.store.read(lambda tx: [m for who in tx.memos.subjects() for m in tx.memos.list(who)])
        assert [memo.text for memo in known] == ["Likes tea"]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Deploys on Tuesdays with the key AKIAIOSFODNN7EXAMPLE", "Deploys on Tuesdays"),
        ("I like tea, pw Hunter2!secret", "I like tea"),
        ("Works at Acme, password is Hunter2!secret", "Works at Acme"),
    ],
)
async def test_what_a_text_says_beside_a_secret_is_kept_without_it(text: str, kept: str):
    async with opened(model=FakeModel()) as stage:
        memo = await stage.remember(text)
        assert kept in memo.text
        assert text.split()[-1] not in memo.text
