"""Every argument of the verbs has one rule: what can't be used is refused by its name, as are others' names."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import recollect
from recollect import AsyncMemory, Memory, Message, Place
from recollect.core.errors import BadInput, StoreUnwritable
from tests import ground

NAIVE = datetime(2026, 1, 1)
WRONG: list[tuple[Callable[[Any], object], str]] = [
    (lambda m: m.search("tea", user="ada", min_score="x"), "min_score="),
    (lambda m: m.search("tea", user="ada", min_score=7), "min_score="),
    (lambda m: m.search("tea", user="ada", over="everything"), "over= is 'memos' or 'messages'"),
    (lambda m: m.search("tea", user="ada", subject="all"), "subject="),
    (lambda m: m.search("tea", user="ada", status="bogus"), "status= is one of active"),
    (lambda m: m.search("tea", user="ada", limit=2.5), "limit="),
    (lambda m: m.search("tea", user="ada", limit=-1), "limit=-1"),
    (lambda m: m.search("tea", user="ada", strict="yes"), "strict= is True or False"),
    (lambda m: m.search("tea", user="ada", filters={"tags": 3}), "tags="),
    (lambda m: m.search("tea", user="ada", filters={"since": NAIVE}), "since= has no time zone"),
    (lambda m: m.search("tea", user=UUID(int=5)), "a text or a whole number"),
    (lambda m: m.search("tea", user="bob", place=Place(dm="ada")), "DM of 'ada'.*place="),
    (lambda m: m.remember("I like jazz", user="bob", place=Place(dm="ada")), "DM of 'ada'.*place="),
    (lambda m: m.list(user="bob", place=Place(dm=7)), "DM of '7'.*place="),
    (lambda m: m.list(user="ada", place=Place(dm=3.5)), "dm of place="),
    (lambda m: m.remember("I like jazz", user="ada", confidence="high"), "confidence="),
    (lambda m: m.remember("I like jazz", user="ada", metadata="x"), "metadata="),
    (lambda m: m.remember("I like jazz", user="ada", metadata={1: 2}), "metadata="),
    (lambda m: m.remember("I like jazz", user="ada", metadata={"x": object()}), "metadata=.*JSON"),
    (lambda m: m.remember("I like jazz", user="ada", audience="all"), "audience=.*EVERYWHERE"),
    (lambda m: m.remember("I like jazz", user="ada", origin="x"), "origin="),
    (lambda m: m.remember("I like jazz", user="ada", pinned="x"), "pinned="),
    (lambda m: m.remember("I like jazz", user="ada", evidence=7), "evidence"),
    (lambda m: m.remember("x" * 2_000_000, user="ada"), "2,000,000 characters are too long to remember"),
    (lambda m: m.update("durable-1", 7, user="ada"), "text"),
    (lambda m: m.update("durable-1", tags=7, user="ada"), "tags="),
    (lambda m: m.update("durable-1", expires="tomorrow", user="ada"), "expires="),
    (lambda m: m.pin("durable-1", user="ada", version="x"), "version="),
    (lambda m: m.share("durable-1", user="ada", audience=None), "audience="),
    (lambda m: m.undo(user="ada", change="x"), "change="),
    (lambda m: m.undo(user="ada", memo=7), "memo"),
    (lambda m: m.add("hi", user="ada", wait="yes"), "wait="),
    (lambda m: m.add("hi", user="ada", wait=-1), "wait="),
    (lambda m: m.add("hi", user="ada", name=7), "name"),
    (lambda m: m.add(Message("", "ada", Place(dm="ada"), "hi", datetime.now(UTC))), "id="),
    (lambda m: m.add(Message("1", "ada", Place(dm="ada"), "hi", NAIVE)), "at= has no time zone"),
    (lambda m: m.add(Message("1", "ada", Place(dm="ada"), None, datetime.now(UTC))), "text"),
    (lambda m: m.context("hi", user="ada", actions=7), "actions"),
    (lambda m: m.context("", user="ada"), "text is empty"),
    (lambda m: m.flush(timeout="x"), "timeout="),
    (lambda m: m.backup(7), "path="),
    (lambda m: m.relearn(user="ada", since=NAIVE), "since= has no time zone"),
    (lambda m: m.message_edited("local", "1", None), "text"),
    (lambda m: m.message_edited("local", "1", "x", at=NAIVE), "at= has no time zone"),
    (lambda m: m.wait_learned("x"), "message=.*added.messages"),
    (lambda m: m.view("ada").search(7), "query"),
    (lambda m: m.view("ada").search("tea", limit=-1), "limit=-1"),
    (lambda m: m.view("ada").list(limit=-1), "limit=-1"),
    (lambda m: m.view("ada").list(None, (), -1), "limit=-1"),
    (lambda m: m.view("ada").remember(7), "text"),
    (lambda m: m.view("ada").remember("I like jazz", happened=NAIVE), "happened= has no time zone"),
]
MISFITS: list[tuple[Callable[[Any], object], type[Exception], str]] = [
    (lambda m: m.add("I like tea", user_id="ada"), TypeError, "here it is user=.*recollect.adapters.mem0"),
    (lambda m: m.add("I like tea", "ada"), TypeError, "the user is named: user="),
    (lambda m: m.add(messages=[], user="ada"), TypeError, "it takes words, user"),
    (lambda m: m.search("tea"), TypeError, 'say user=, as in user="ada"'),
    (lambda m: m.search("tea", user="ada", top_k=3), TypeError, "here it is limit="),
    (lambda m: m.search("tea", user="ada", threshold=0.3), TypeError, "here it is min_score="),
    (lambda m: m.update("durable-1", data="x", user="ada"), TypeError, "it takes memo, text"),
    (lambda m: m.erase("ada"), TypeError, "the user is named"),
    (lambda m: m.get_all(user_id="ada"), AttributeError, r"use list\(.*recollect.adapters.mem0"),
    (lambda m: m.delete("durable-1"), AttributeError, r"use forget\("),
    (lambda m: m.delete_all(user_id="ada"), AttributeError, r"use erase\("),
    (lambda m: m.save_context({}, {}), AttributeError, r"use add\("),
    (lambda m: m.load_memory_variables({}), AttributeError, r"use context\("),
    (lambda m: m.similarity_search("tea"), AttributeError, r"use search\("),
    (lambda m: m.nonsense, AttributeError, "'nonsense'$"),
]


@pytest.fixture(scope="module")
def blocking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    store = tmp_path_factory.mktemp("arguments") / "memory.db"
    with Memory(store, embedder="null", model="local", run_worker=False) as memory:
        yield memory


@pytest.mark.sqlite
@pytest.mark.parametrize(("call", "words"), WRONG)
def test_a_value_that_can_not_be_used_is_refused_by_the_name_of_the_argument(
    blocking: Memory, call: Callable[[Any], object], words: str
):
    with pytest.raises(BadInput, match=words):
        call(blocking)


@pytest.mark.sqlite
@pytest.mark.parametrize(("call", "error", "words"), MISFITS)
def test_a_call_that_another_library_has_is_told_what_it_is_called_here(
    blocking: Memory, call: Callable[[Any], object], error: type[Exception], words: str
):
    with pytest.raises(error, match=words):
        call(blocking)


async def test_all_of_it_holds_for_the_memory_that_is_awaited():
    async with AsyncMemory(ground.new(), embedder="null", model="local", run_worker=False) as memory:
        for call, words in WRONG:
            with pytest.raises(BadInput, match=words):
                await awaited(call, memory)
        for call, error, words in MISFITS:
            with pytest.raises(error, match=words):
                await awaited(call, memory)
        assert await memory.list(user="ada", limit=0) is not None
        assert (await memory.list(user="ada")).total == 0, "nothing of it was kept"


async def awaited(call: Callable[[Any], object], memory: AsyncMemory) -> None:
    work = call(memory)
    assert isinstance(work, Coroutine)
    await work


async def test_ids_may_be_ints_wherever_an_id_stands():
    async with AsyncMemory(ground.new(), embedder="null", model="local", run_worker=False) as memory:
        place = Place("discord", guild=1, channel=2, public=True)  # type: ignore[arg-type]
        said = Message(5, 7, place, "I like tea", datetime.now(UTC))  # type: ignore[arg-type]
        assert (await memory.add([said, said])).new == 1
        assert (await memory.add(said)).messages[0].place == Place("discord", guild="1", channel="2", public=True)
        await memory.remember("I like tea", user=7, place=place)
        (hit,) = await memory.search("tea", user="7", place=place, status="active", limit=1)  # type: ignore[arg-type]
        assert hit.relevant
        assert (await memory.list(user=7, place=Place("discord", dm=7))).total == 1  # type: ignore[arg-type]
        assert await memory.message_deleted("discord", 5)  # type: ignore[arg-type]


@pytest.mark.sqlite
def test_turns_may_be_pairs_as_langchain_writes_them(blocking: Memory):
    added = blocking.add([("system", "Be kind."), ("human", "I like tea"), ("ai", "Noted.")], user="ada")  # type: ignore[list-item]
    assert [(message.text, message.bot) for message in added.messages] == [("I like tea", False), ("Noted.", True)]
    assert [message.text for message in blocking.add(("user", "Hello"), user="ada").messages] == ["Hello"]
    assert [message.text for message in blocking.add(("Hello", "Bye"), user="ada").messages] == ["Hello", "Bye"]


@pytest.mark.sqlite
def test_constructor_arguments_are_checked(tmp_path: Path):
    for make, words in (
        (lambda: Memory(path="memory.db"), r'Memory\("memory.db"\)'),
        (lambda: Memory(api_key="x"), "ANTHROPIC_API_KEY"),
        (lambda: Memory(clock=7), "clock="),  # type: ignore[arg-type]
        (lambda: Memory(model=7), "model="),  # type: ignore[arg-type]
        (lambda: Memory(config=7), "config="),  # type: ignore[arg-type]
    ):
        with pytest.raises(BadInput, match=words):
            make()
    with pytest.raises(StoreUnwritable, match="is a folder: name the file in it"):
        Memory(tmp_path)
    with pytest.raises(AttributeError, match="use Memory"):
        _ = recollect.open
    with pytest.raises(AttributeError, match="use recollect"):
        _ = recollect.MemoryClient


@pytest.mark.sqlite
def test_the_wrong_kind_of_with_names_the_other_memory(blocking: Memory):
    with pytest.raises(TypeError, match="use Memory"), AsyncMemory("sqlite://"):  # type: ignore[attr-defined]
        pass

    async def enter() -> None:
        async with blocking:  # type: ignore[attr-defined]
            pass

    with pytest.raises(TypeError, match="use AsyncMemory"):
        asyncio.run(enter())


@pytest.mark.sqlite
def test_a_long_value_is_not_repeated_in_the_message(blocking: Memory):
    with pytest.raises(BadInput) as caught:
        blocking.search(["tea"] * 100_000, user="ada")  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200


@pytest.mark.sqlite
def test_a_memory_that_nobody_has_any_more_is_closed_before_the_process_ends(tmp_path: Path):
    script = (
        "from recollect import Memory\n"
        f"Memory({str(tmp_path / 'memory.db')!r}, embedder='null', model='local').add('I live in Lisbon', user='ada')\n"
        "Memory('postgresql://nobody@127.0.0.1:1/x', embedder='null', model='local')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert "Traceback" not in done.stderr
