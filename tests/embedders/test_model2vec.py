"""Vectors of `model2vec` files: read from a folder, without torch and without a download."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recollect import AsyncMemory, plugins
from recollect.core.errors import EmbedderError
from recollect.core.ports import EmbedderOptions
from recollect.embedders import static

tokenizers = pytest.importorskip("tokenizers")

WORDS = ["[UNK]", "katze", "gato", "cat", "steuer"]
TABLE = np.array([[9, 9], [1, 0], [1, 0], [1, 0], [0, 1]], np.float16)


def write_tensors(path: Path, **tensors: Any) -> None:
    header, data = {}, b""
    for name, array in tensors.items():
        kind = {"float16": "F16", "float32": "F32", "int64": "I64"}[str(array.dtype)]
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + array.nbytes],
        }
        data += array.tobytes()
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + data)


def model_folder(folder: Path, **tensors: Any) -> Path:
    """A model of five words, with their names in three languages."""
    folder.mkdir(parents=True)
    model = tokenizers.models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    write_tensors(folder / "model.safetensors", **(tensors or {"embeddings": TABLE}))
    return folder


async def vectors(folder: Path, *texts: str) -> list[list[float]]:
    embedder = plugins.load("embedders", f"model2vec:{folder}", EmbedderOptions())
    packed = await embedder.embed(texts)
    await embedder.close()
    return [np.frombuffer(vector, "<f4").astype(float).round(3).tolist() for vector in packed]


async def test_a_text_is_the_mean_of_its_known_tokens_at_unit_length(tmp_path: Path) -> None:
    plain = model_folder(tmp_path / "plain")
    assert await vectors(plain, "Katze", "gato steuer", "unknown words", "  ") == [
        [1.0, 0.0],
        [0.707, 0.707],
        [0.0, 0.0],
        [0.0, 0.0],
    ]
    assert await vectors(plain) == []
    mapping, weights = np.array([0, 1, 1, 1, 2]), np.array([1, 1, 1, 1, 3], np.float32)
    quantized = model_folder(tmp_path / "small", embeddings=TABLE[[0, 1, 4]], mapping=mapping, weights=weights)
    assert await vectors(quantized, "gato", "gato steuer") == [[1.0, 0.0], [0.316, 0.949]]
    nested = tmp_path / "nested"
    model_folder(nested / "0_StaticEmbedding", **{"embedding.weight": TABLE})
    assert await vectors(nested, "cat") == [[1.0, 0.0]]


async def test_memories_are_found_across_languages(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    async with AsyncMemory("sqlite://", embedder=f"model2vec:{folder}", run_worker=False) as memory:
        await memory.remember("gato", user="ana")
        await memory.remember("steuer", user="ana")
        await memory.vectors.fill()
        assert (await memory.search("Katze", user="ana"))[0].text == "gato"


async def test_an_unusable_model_folder_is_refused_with_the_reason(tmp_path: Path) -> None:
    empty, odd = tmp_path / "empty", model_folder(tmp_path / "odd", other=TABLE)
    empty.mkdir()
    broken = model_folder(tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"\xff" * 20)
    for folder, problem in (
        (empty, "has no model.safetensors and no tokenizer.json"),
        (odd, "no table of embeddings, only: other"),
        (broken, "is not a safetensors file"),
        (tmp_path / "nowhere", "there is no folder"),
    ):
        with pytest.raises(EmbedderError, match=problem):
            await vectors(folder, "cat")


@pytest.mark.skipif(find_spec("wordllama") is None, reason="its tokenizer is compared with ours")
async def test_the_files_of_wordllama_give_the_same_vectors_as_our_own_reader(tmp_path: Path) -> None:
    spec = find_spec("wordllama")
    assert spec is not None
    assert spec.origin is not None
    files = sorted(Path(spec.origin).parent.rglob("*l2_supercat*tokenizer*.json"))
    (tmp_path / "tokenizer.json").write_bytes(files[0].read_bytes())
    (tmp_path / "model.safetensors").symlink_to(static.FOLDER / static.WEIGHTS)
    texts = ["Miso threw up again", "Wo wohnt meine Schwester?", "猫が好きです"]
    ours = await static.StaticEmbedder().embed(texts)
    expected = [np.frombuffer(vector, "<f4").tolist() for vector in ours]
    for vector, other in zip(await vectors(tmp_path, *texts), expected, strict=True):
        assert vector == pytest.approx(other, abs=2e-3)
