"""The embedder `static`, with its real weights."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect import plugins
from recollect.core.errors import EmbedderError
from recollect.core.ports import EmbedderOptions
from recollect.embedders._tokenizer import Tokenizer
from recollect.embedders.static import FOLDER, VOCABULARY, WEIGHTS, StaticEmbedder


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return plugins.load("embedders", "static", EmbedderOptions())


def embedded(embedder: StaticEmbedder, *texts: str) -> list[Any]:
    return [np.frombuffer(vector, "<f4") for vector in asyncio.run(embedder.embed(texts))]


def test_vectors_have_unit_length_and_256_numbers(embedder: StaticEmbedder):
    for vector in embedded(embedder, "I prefer Rust over Go", "word " * 500, "東京に住んでいます", "Привет"):
        assert vector.shape == (256,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_the_same_text_gives_the_same_vector_alone_and_among_others(embedder: StaticEmbedder):
    (alone,) = embedded(embedder, "I prefer Rust over Go")
    among = embedded(embedder, *(f"text {number}" for number in range(20)), "I prefer Rust over Go")
    assert (alone == among[-1]).all()


def test_related_sentences_are_nearer_than_unrelated_ones(embedder: StaticEmbedder):
    cat, kitten, tax = embedded(embedder, "my cat sleeps", "the kitten is asleep", "income tax is due in May")
    assert cat @ kitten > cat @ tax


def test_blank_texts_have_a_zero_vector(embedder: StaticEmbedder):
    for vector in embedded(embedder, "", "   ", "\n"):
        assert not vector.any()


def test_emoji_and_half_characters_are_no_trouble(embedder: StaticEmbedder):
    for vector in embedded(embedder, "🙂👩‍👩‍👧‍👦", "half \ud83d character", "nul \x00 here"):
        assert np.isfinite(vector).all()


def test_a_megabyte_is_quick(embedder: StaticEmbedder):
    embedded(embedder, "warm")
    began = time.perf_counter()
    embedded(embedder, "word " * 200_000, "x" * 1_000_000)
    assert time.perf_counter() - began < 2


async def test_many_who_come_at_once_wait_for_one_reading(monkeypatch: pytest.MonkeyPatch):
    embedder, reads = StaticEmbedder(), 0
    read = embedder._read_files

    def counting() -> None:
        nonlocal reads
        reads += 1
        read()

    monkeypatch.setattr(embedder, "_read_files", counting)
    vectors = await asyncio.gather(*(embedder.embed(["hello there"]) for _ in range(10)))
    assert reads == 1
    assert len({vector for (vector,) in vectors}) == 1
    await embedder.close()


async def test_one_who_gives_up_does_not_stop_the_reading_for_others():
    embedder = StaticEmbedder()
    impatient = asyncio.create_task(embedder.embed(["x"]))
    patient = asyncio.create_task(embedder.embed(["y"]))
    await asyncio.sleep(0)
    impatient.cancel()
    assert len(await patient) == 1
    await embedder.close()


async def test_weights_that_can_not_be_read_are_an_error_and_tried_again(tmp_path: Path):
    embedder = StaticEmbedder(tmp_path)
    with pytest.raises(EmbedderError, match="could not be read"):
        await embedder.embed(["x"])
    for name in (WEIGHTS, VOCABULARY):
        (tmp_path / name).symlink_to(FOLDER / name)
    assert len(await embedder.embed(["x"])) == 1
    await embedder.close()


async def test_weights_of_another_make_are_refused(tmp_path: Path):
    (tmp_path / WEIGHTS).write_bytes(b"something else")
    with pytest.raises(EmbedderError, match="not those"):
        await StaticEmbedder(tmp_path).embed(["x"])


def test_texts_have_the_tokens_that_the_vocabularys_own_encoder_gives_them():
    """Made with the package `tokenizers` 0.23; other tokens would give other vectors than the stored ones."""
    tokenizer = Tokenizer(json.loads((FOLDER / VOCABULARY).read_bytes()))
    cases = json.loads((Path(__file__).parent / "tokens.json").read_text("utf-8"))
    assert len(cases) > 50
    assert [text for text, numbers in cases if tokenizer.encode(text) != numbers] == []
