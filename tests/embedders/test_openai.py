"""The embedder `openai` against a server on this machine that speaks its protocol, well or badly."""

import asyncio
import logging
import struct
from collections.abc import AsyncIterator, Callable

import pytest

from recollect import plugins
from recollect.core.errors import EmbedderError
from recollect.core.ports import EmbedderOptions
from recollect.embedders import openai as module
from recollect.embedders.openai import OpenAIEmbedder
from recollect.testing import embedding_server as served
from recollect.testing.embedding_server import EmbeddingServer, numbers, status

KEY = "sk-very-secret"


def floats(vector: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


def unit(row: list[float]) -> list[float]:
    length = sum(number * number for number in row) ** 0.5
    return [number / length for number in row]


@pytest.fixture
async def server() -> AsyncIterator[EmbeddingServer]:
    async with EmbeddingServer() as server:
        yield server


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
async def embedder(server: EmbeddingServer, pauses: list[float]) -> AsyncIterator[OpenAIEmbedder]:
    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    options = EmbedderOptions(server.url, {"OPENAI_API_KEY": KEY}.get)
    embedder = OpenAIEmbedder("some-model", options, timeout=5, sleep=sleep)
    yield embedder
    await embedder.close()


async def test_vectors_are_of_unit_length_in_the_order_of_the_texts(server: EmbeddingServer, embedder: OpenAIEmbedder):
    vectors = await embedder.embed(["one two", "three three four"])
    assert [floats(vector) for vector in vectors] == [
        pytest.approx(unit(numbers("one two"))),
        pytest.approx(unit(numbers("three three four"))),
    ]
    assert server.requests == [served.Request("some-model", ("one two", "three three four"), KEY)]


async def test_embedding_no_texts_sends_no_request(server: EmbeddingServer, embedder: OpenAIEmbedder):
    assert await embedder.embed([]) == []
    assert server.requests == []


@pytest.mark.parametrize(("count", "sizes"), [(100, [100]), (101, [100, 1]), (250, [100, 100, 50])])
async def test_a_request_has_at_most_100_texts(
    server: EmbeddingServer, embedder: OpenAIEmbedder, count: int, sizes: list[int]
):
    texts = [f"text {number}" for number in range(count)]
    vectors = await embedder.embed(texts)
    assert [len(request.texts) for request in server.requests] == sizes
    assert floats(vectors[-1]) == pytest.approx(unit(numbers(texts[-1])))
    assert len(vectors) == count


async def test_order_is_restored_by_index(server: EmbeddingServer, embedder: OpenAIEmbedder):
    server.next(served.shuffled)
    assert await embedder.embed(["a", "b", "c"]) == await embedder.embed(["a", "b", "c"])


async def test_a_second_batch_that_fails_fails_all_and_is_named(server: EmbeddingServer, embedder: OpenAIEmbedder):
    server.next(served.valid_vectors, status(404, "no such model"))
    with pytest.raises(EmbedderError, match=r"texts 101 to 150 of 150 were not embedded: .*404"):
        await embedder.embed([f"text {number}" for number in range(150)])


@pytest.mark.parametrize("code", [401, 403])
async def test_a_wrong_key_is_not_tried_again_and_not_repeated(
    server: EmbeddingServer, embedder: OpenAIEmbedder, code: int
):
    server.always(status(code, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(EmbedderError, match=f"{code}: is OPENAI_API_KEY set") as raised:
        await embedder.embed(["x"])
    assert KEY not in str(raised.value)
    assert len(server.requests) == 1


async def test_a_missing_model_is_named(server: EmbeddingServer, embedder: OpenAIEmbedder):
    server.always(status(404, f"the model does not exist for {KEY}"))
    with pytest.raises(EmbedderError, match=r"404.*some-model") as raised:
        await embedder.embed(["x"])
    assert KEY not in str(raised.value)
    assert len(server.requests) == 1


async def test_a_busy_server_is_asked_again_when_it_says(
    server: EmbeddingServer, embedder: OpenAIEmbedder, pauses: list[float]
):
    server.next(status(429, retry_after=7), status(429), status(503))
    assert len(await embedder.embed(["x"])) == 1
    assert pauses == [7, 1.0, 2.0]


async def test_a_server_that_asks_for_a_long_pause_is_left_alone(
    server: EmbeddingServer, embedder: OpenAIEmbedder, pauses: list[float]
):
    server.always(status(429, retry_after=600))
    with pytest.raises(EmbedderError, match="429"):
        await embedder.embed(["x"])
    assert (len(server.requests), pauses) == (1, [])


async def test_an_empty_account_is_not_tried_again(
    server: EmbeddingServer, embedder: OpenAIEmbedder, pauses: list[float]
):
    server.always(status(429, "you exceeded your quota", error="insufficient_quota"))
    with pytest.raises(EmbedderError, match="quota"):
        await embedder.embed(["x"])
    assert pauses == []


@pytest.mark.parametrize("trouble", [status(500), status(503), served.cut()], ids=["500", "503", "cut"])
async def test_transient_errors_are_retried_up_to_four_attempts(
    server: EmbeddingServer, embedder: OpenAIEmbedder, pauses: list[float], trouble: served.Behavior
):
    server.next(trouble, trouble, trouble)
    assert len(await embedder.embed(["x"])) == 1
    assert pauses == [0.5, 1.0, 2.0]
    server.always(trouble)
    with pytest.raises(EmbedderError, match=r"127\.0\.0\.1"):
        await embedder.embed(["x"])
    assert len(server.requests) <= 12


async def test_a_dead_server_is_an_error_that_names_it(server: EmbeddingServer, embedder: OpenAIEmbedder):
    await server.stop()
    with pytest.raises(EmbedderError, match=r"127\.0\.0\.1:\d+ can't be reached"):
        await embedder.embed(["x"])


async def test_a_server_that_hangs_is_an_error(server: EmbeddingServer):
    async def sleep(_: float) -> None:
        pass

    server.always(served.held(asyncio.Event()))
    embedder = OpenAIEmbedder("m", EmbedderOptions(server.url), timeout=0.05, sleep=sleep)
    with pytest.raises(EmbedderError, match=r"did not answer within 0\.05 s"):
        await embedder.embed(["x"])
    await embedder.close()


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        (served.saying(b"<html>"), "not JSON"),
        (served.saying(b'"hm"'), "not what the protocol says"),
        (served.saying(b'{"data": null}'), "not what the protocol says"),
        (served.saying(b'{"data": ["x", "y"]}'), "not what the protocol says"),
        (served.short, "1 vectors for 2 texts"),
        (lambda _: served.answer([(0, [1.0]), (0, [1.0])]), "numbered them wrongly"),
        (lambda _: served.answer([(0, [1.0]), (7, [1.0])]), "numbered them wrongly"),
        (lambda _: served.answer([(0, [1.0]), (1, [1.0, 2.0])]), "equally many numbers"),
        (lambda _: served.answer([(0, []), (1, [])]), "equally many numbers"),
        (lambda _: served.answer([(0, "x"), (1, "y")]), "equally many numbers"),
        (served.filled_with(None), "not finite"),
        (served.filled_with(float("nan")), "not finite"),
        (served.filled_with(float("inf")), "not finite"),
    ],
)
async def test_an_answer_that_is_no_answer_is_an_error(
    server: EmbeddingServer, embedder: OpenAIEmbedder, behaviour: served.Behavior, message: str
):
    server.always(behaviour)
    with pytest.raises(EmbedderError, match=message):
        await embedder.embed(["x", "y"])


async def test_a_change_of_dimensions_is_an_error(server: EmbeddingServer, embedder: OpenAIEmbedder):
    await embedder.embed(["x"])
    server.always(served.of_dims(3))
    with pytest.raises(EmbedderError, match="vectors of 3 numbers, and of 64 before"):
        await embedder.embed(["x"])


async def test_a_vector_of_zeros_stays_one(server: EmbeddingServer, embedder: OpenAIEmbedder):
    server.always(served.filled_with(0))
    assert await embedder.embed(["x"]) == [bytes(4 * served.DIMS)]


async def test_blank_texts_are_like_nothing(server: EmbeddingServer, embedder: OpenAIEmbedder):
    blank, word, space = await embedder.embed(["", "word", " \n"])
    assert blank == space == bytes(4 * served.DIMS) != word
    assert "" not in server.texts


async def test_long_texts_are_cut_to_what_is_accepted_between_characters(
    server: EmbeddingServer, embedder: OpenAIEmbedder
):
    await embedder.embed(["a" * 1_000_000, "é" * 5_000, "ab" + "🙂" * 5_000, "half \ud83d character"])
    sizes = [len(text.encode()) for text in server.texts]
    assert sizes[:3] == [8_000, 8_000, 7_998]


@pytest.mark.parametrize("trouble", [status(400, "bad"), status(413), status(500)], ids=["400", "413", "500"])
async def test_one_text_that_is_refused_does_not_keep_the_others(
    server: EmbeddingServer, embedder: OpenAIEmbedder, caplog: pytest.LogCaptureFixture, trouble: served.Behavior
):
    server.always(served.refusing(lambda text: "poison" in text, trouble))
    texts = [f"text {number}" for number in range(10)]
    texts[3] = "poison"
    vectors = await embedder.embed(texts)
    assert vectors[3] == bytes(4 * served.DIMS)
    assert [floats(vector) for vector in vectors[4:]] == [pytest.approx(unit(numbers(text))) for text in texts[4:]]
    assert "found by word search only" in caplog.text
    assert "poison" not in caplog.text


async def test_a_text_too_long_for_the_model_is_shortened_until_it_fits(
    server: EmbeddingServer, embedder: OpenAIEmbedder
):
    server.always(served.refusing(lambda text: len(text) > 1_000))
    short, long = await embedder.embed(["short", "word " * 1_000])
    assert floats(long) == pytest.approx(unit(numbers("word")), abs=0.1)
    assert any(short)


async def test_a_server_that_refuses_everything_is_an_error(server: EmbeddingServer, embedder: OpenAIEmbedder):
    server.always(status(400, "unknown parameter"))
    with pytest.raises(EmbedderError, match=r"400: .*unknown parameter"):
        await embedder.embed(["x", "y"])
    assert len(server.requests) == 2


async def test_without_a_key_openai_itself_is_not_asked():
    embedder = plugins.load("embedders", "openai", EmbedderOptions())
    assert embedder.name == "openai:text-embedding-3-small"
    with pytest.raises(EmbedderError, match="set OPENAI_API_KEY"):
        await embedder.embed(["x"])
    await embedder.close()


async def test_a_server_of_ones_own_needs_no_key(server: EmbeddingServer):
    embedder = plugins.load("embedders", "openai:nomic-embed-text", EmbedderOptions(server.url))
    assert len(await embedder.embed(["x"])) == 1
    assert server.requests[0].model == "nomic-embed-text"
    await embedder.close()


async def test_the_key_is_never_logged(
    server: EmbeddingServer, embedder: OpenAIEmbedder, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    server.next(status(500, f"oh, {KEY}"))
    await embedder.embed(["x"])
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("recollect")]
    assert not any(KEY in line for line in ours)
    assert KEY not in repr(embedder.__dict__["_options"])


async def test_a_password_in_the_address_is_not_repeated():
    options = EmbedderOptions("http://ada:hunter2@127.0.0.1:9/v1")

    async def sleep(_: float) -> None:
        pass

    embedder = OpenAIEmbedder("m", options, sleep=sleep)
    with pytest.raises(EmbedderError, match=r"127\.0\.0\.1:9") as raised:
        await embedder.embed(["x"])
    assert "hunter2" not in str(raised.value)
    await embedder.close()


async def test_many_at_once_share_one_client(embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch):
    made: list[object] = []
    connect: Callable[[OpenAIEmbedder], object] = module.OpenAIEmbedder._connect

    def counting(self: OpenAIEmbedder) -> object:
        made.append(self)
        return connect(self)

    monkeypatch.setattr(OpenAIEmbedder, "_connect", counting)
    await asyncio.gather(*(embedder.embed([f"text {number}"]) for number in range(8)))
    assert len(made) == 1
