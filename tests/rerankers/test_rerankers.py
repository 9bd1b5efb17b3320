"""Rerankers as a user meets them: a model in a file, a plug-in of another package, and what happens when one fails."""

import asyncio
import json
import logging
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

import recollect
from recollect import plugins
from recollect.app import make_reranker
from recollect.core.errors import ConfigError, MissingExtra, RerankerError
from recollect.core.ports.reranker import Reranker
from recollect.core.types import Message, Place
from recollect.recall.reranking import MAX_PREVIOUS_CHARS, RERANKED_HITS
from recollect.settings import load
from tests import ground

MODEL = Path(__file__).with_name("model.onnx")
WORDS = (
    "[PAD] [UNK] [CLS] [SEP] which tea do i drink : green every morning my favorite is the one from the market".split()
)
TEAS = ("Which tea does the shop have?", "I drink green every morning", "Tea is fine", "The tea shop closes at six")
QUESTION = "which tea do I drink?"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A cross-encoder that counts shared words, with its tokenizer."""
    pytest.importorskip("onnxruntime")
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(WORDS))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, "[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    folder = tmp_path / "reranker"
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    return Path(shutil.copy(MODEL, folder))


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> type["Theirs"]:
    """A reranker that another package registers as `theirs`."""
    folder = tmp_path / "theirs-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(f"[recollect.rerankers]\ntheirs = {__name__}:Theirs\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, __name__, __import__("sys").modules[Theirs.__module__])
    monkeypatch.setattr(Theirs, "trouble", None)
    monkeypatch.setattr(Theirs, "asked", [])
    return Theirs


class Theirs:
    """Rates texts by their length; notes what it was asked."""

    trouble: str | None = None
    asked: list[tuple[str, list[str]]] = []  # noqa: RUF012 - replaced for each test

    def __init__(self, spec: str) -> None:
        self.name = spec

    async def score(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((question, list(texts)))
        if self.trouble == "late":
            await asyncio.Event().wait()
        if self.trouble == "error":
            raise RerankerError("out of order")
        if self.trouble == "bug":
            raise ZeroDivisionError
        if self.trouble == "damaged":
            return [float("nan"), *(10.0 * len(text) for text in texts[1:])]
        if self.trouble == "nothing":
            return cast("list[float]", None)
        return [10.0 * len(text) for text in texts][: 1 if self.trouble == "short" else None]

    async def close(self) -> None:
        self.asked.append(("closed", []))


def make_reranker_of(model: Path) -> Reranker:
    reranker = make_reranker(load({}, rerank=str(model)).settings)
    assert reranker is not None
    return reranker


async def remember(memory: recollect.AsyncMemory, *texts: str) -> None:
    for text in texts:
        await memory.remember(text, user="ada")


async def test_a_model_in_a_file_orders_what_search_and_prompts_show(model: Path):
    settings = {"embedder": "null", "memos__inject_max_items": 3}
    async with recollect.AsyncMemory(ground.new(), **settings) as plain:
        await remember(plain, *TEAS)
        before = await plain.search(QUESTION, user="ada")
    async with recollect.AsyncMemory(ground.new(), **settings, rerank=str(model), rerank_timeout=60) as memory:
        await remember(memory, *TEAS)
        after = await memory.search(QUESTION, user="ada")
        prompt = str(await memory.context(QUESTION, user="ada"))
    assert {hit.text for hit in after} == {hit.text for hit in before}
    assert {hit.text for hit in after[:2]} == {*TEAS[:2]} != {hit.text for hit in before[:2]}
    assert [hit.score for hit in after] == pytest.approx([hit.score for hit in before], abs=0.01), (
        "it orders, and is no surer than the search"
    )
    assert after[0].parts["rerank"] == 20
    assert "rerank 20.00" in after[0].why
    assert "rerank" not in before[0].why
    assert prompt.index(TEAS[1]) < prompt.index(TEAS[2])


async def test_on_takes_the_model_in_the_data_folder(model: Path):
    for spec in (True, "on", "ON", "yes", "1"):
        reranker = make_reranker(load({}, data_dir=str(model.parents[1]), rerank=spec).settings)
        assert reranker is not None
        assert await reranker.score("which tea", ["green tea", "which tea", "green"] * 8) == [10.0, 20.0, 0.0] * 8
        await reranker.close()
    for spec in (False, "off", "none", "", "No", "0"):
        assert make_reranker(load({}, rerank=spec).settings) is None


def test_a_model_that_is_not_there_is_said_when_the_memory_is_opened(model: Path, tmp_path: Path):
    missing = tmp_path / "no" / "model.onnx"
    with pytest.raises(ConfigError, match=r"needs the file .*no/model.onnx, which is not there"):
        recollect.Memory(":memory:", rerank=str(missing)).search("x", user="ada")
    (model.parent / "tokenizer.json").unlink()
    with pytest.raises(ConfigError, match=r"needs the file .*tokenizer.json"):
        make_reranker(load({}, rerank=str(model)).settings)
    for spec in ("onnx:", "onnx"):
        with pytest.raises(ConfigError, match="'onnx' needs the path of a model"):
            make_reranker(load({}, rerank=spec).settings)
    with pytest.raises(ConfigError, match="no 'bert' among the rerankers; known here: fastembed, onnx"):
        make_reranker(load({}, rerank="bert").settings)


async def test_a_folder_stands_for_the_model_in_it(model: Path):
    reranker = make_reranker_of(model.parent)
    assert await reranker.score("which tea", ["green tea"]) == [10.0]
    await reranker.close()


async def test_a_tokenizer_that_panics_and_a_classifier_of_two_numbers_are_errors_of_the_reranker(model: Path):
    reranker = make_reranker_of(model)
    assert await reranker.score("which tea", ["green tea"]) == [10.0]
    shutil.copy(MODEL.with_name("classifier.onnx"), model)
    with pytest.raises(RerankerError, match="2 numbers for a text, where one is expected"):
        await make_reranker_of(model).score("which tea", ["green tea"])
    tokenizer = model.with_name("tokenizer.json")
    table = json.loads(tokenizer.read_text("utf-8"))
    pair = [{"SpecialToken": {"id": "[UNHEARD]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    table["post_processor"] = {"type": "TemplateProcessing", "single": [], "pair": pair, "special_tokens": {}}
    tokenizer.write_text(json.dumps(table), "utf-8")
    with pytest.raises(RerankerError, match="failed"):
        await make_reranker_of(model).score("which tea", ["green tea"])


async def test_a_broken_model_is_one_warning_and_the_order_stays(model: Path, caplog: pytest.LogCaptureFixture):
    model.write_bytes(b"no model")  # noqa: ASYNC240 - a few bytes
    async with recollect.AsyncMemory(ground.new(), embedder="null", rerank=str(model), rerank_timeout=60) as memory:
        await remember(memory, *TEAS)
        for _ in range(3):
            assert len(await memory.search(QUESTION, user="ada")) == len(TEAS)
    warnings = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert [str(record.msg % record.args).partition(": onnx:")[0] for record in warnings] == [
        "results keep their order"
    ]
    assert "could not be loaded" in warnings[0].getMessage()


async def test_a_reranker_of_another_package_sees_the_first_hits_with_who_said_them(theirs: type[Theirs]):
    place = Place("discord", "g", "c", public=True)
    async with recollect.AsyncMemory(ground.new(), embedder="null", rerank="theirs:large") as memory:
        for number in range(RERANKED_HITS + 10):
            text = f"tea number {number}" + " really" * (number % 7)
            await memory.add(Message(id=str(number), author="7", name="Ada", place=place, text=text, at=NOON))
        hits = await memory.search("tea", user="ada", place=place, over="messages", limit=40)
        few = await memory.search("tea", user="ada", place=place, over="messages", limit=2)
        (question, texts), *_ = theirs.asked
        assert question == "tea"
        assert len(texts) == RERANKED_HITS
        assert all(text.startswith("Ada: tea number ") for text in texts)
        assert len(hits) == RERANKED_HITS + 10
        assert [hit.item.id for hit in few] == [hit.item.id for hit in hits[:2]]
        assert max(texts, key=len).startswith(f"Ada: {hits[0].text} (after Ada: tea number ")
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        asked = len(theirs.asked)
        await memory.search("tea", user="ada", place=place, over="messages", ranker="bm25")
        assert len(theirs.asked) == asked, "other designs keep their order"
    assert theirs.asked[-1] == ("closed", [])


async def test_a_reranker_reads_the_line_before_unless_that_is_forgotten(theirs: type[Theirs]):
    place = Place("discord", "g", "c", public=True)
    said = [("Ada", "I drink green tea every morning"), ("Bob", f"{'So' * 99}, hot tea?"), ("Ada", "Yes, tea is best")]
    async with recollect.AsyncMemory(ground.new(), embedder="null", rerank="theirs") as memory:
        for number, (name, text) in enumerate(said):
            author = f"discord:{name.lower()}"
            await memory.add(
                Message(id=str(number), author=author, name=name, place=place, text=text, at=NOON), wait=True
            )
        for _ in range(2):
            await memory.search("tea", user="discord:bob", place=place, over="messages")
            await memory.forget("green tea every morning", user="discord:ada", place=place)
    read, after_forgetting = ({*texts} for question, texts in theirs.asked if question == "tea")
    assert {text for text in read if text.startswith("Bob")} == {f"Bob: {said[1][1]} (after Ada: {said[0][1]})"}
    assert f"Ada: {said[2][1]} (after Bob: {said[1][1][-MAX_PREVIOUS_CHARS:]})" in read
    assert not any("green" in text for text in after_forgetting)
    assert len(after_forgetting) == len(said) - 1


@pytest.mark.parametrize("trouble", ["late", "error", "bug", "short", "damaged", "nothing"])
async def test_whatever_goes_wrong_the_results_keep_their_order(
    theirs: type[Theirs], monkeypatch: pytest.MonkeyPatch, trouble: str
):
    async with recollect.AsyncMemory(ground.new(), embedder="null", rerank="theirs", rerank_timeout=0.05) as memory:
        await remember(memory, *TEAS)
        monkeypatch.setattr(theirs, "trouble", trouble)
        kept = await memory.search(QUESTION, user="ada")
        monkeypatch.setattr(theirs, "trouble", None)
        ordered = await memory.search(QUESTION, user="ada")
    assert all("rerank" not in hit.parts for hit in kept)
    assert [hit.text for hit in ordered] == sorted(TEAS, key=len, reverse=True) != [hit.text for hit in kept]


async def test_strict_and_min_score_cut_after_the_order(theirs: type[Theirs]):
    async with recollect.AsyncMemory(ground.new(), embedder="null", rerank="theirs") as memory:
        await remember(memory, *TEAS, "A very long remark about the weather in the hills above the town")
        every = await memory.search(QUESTION, user="ada")
        strict = await memory.search(QUESTION, user="ada", strict=True)
        cut = await memory.search(QUESTION, user="ada", min_score=every[1].score - 0.001)
    assert [hit.text for hit in strict] == [hit.text for hit in every if hit.relevant]
    assert [hit.text for hit in cut] == [hit.text for hit in every if hit.score >= every[1].score - 0.001]


@pytest.mark.parametrize(("spec", "extra"), [("model.onnx", "rerank"), ("fastembed", "fastembed")])
def test_a_missing_package_names_its_extra_and_search_goes_on(
    spec: str, extra: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def refuse(kind: str, spec: str) -> object:
        raise MissingExtra(f"the reranker {spec!r}", extra)

    monkeypatch.setattr(plugins, "load", refuse)
    assert make_reranker(load({}, rerank=spec).settings) is None
    assert f"pip install 'recollect[{extra}]'; results keep their order" in caplog.text
