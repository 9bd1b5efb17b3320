"""`Memory`, the blocking twin: the first five lines, both signatures equal, threads, notebooks, forks and bad input."""

import asyncio
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect import AsyncMemory, Memory, Message, Place, Remembered, Status
from recollect.core.errors import BadInput, RecollectError

QUIET: dict[str, Any] = {"embedder": "null", "model": "local", "profile": "unified"}


@pytest.fixture
def memory(tmp_path: Path):
    with Memory(str(tmp_path / "memory.db"), **QUIET) as memory:
        yield memory


def test_the_first_five_lines_do_what_they_say(memory: Memory) -> None:
    added = memory.add("I moved to Lisbon in May", user="ada", wait=True)
    assert added
    assert [memo.text for memo in added.learned] == ["Lives in Lisbon"]
    (hit,) = memory.search("where does she live?", user="ada")
    assert hit.text == "Lives in Lisbon"
    assert hit.memo is not None
    assert hit.score > 0
    assert hit.why
    prompt = memory.context("Where do I live?", user="ada")
    assert "Lives in Lisbon" in prompt.system
    assert "Where do I live?" not in prompt.system
    assert prompt.messages[-1]["role"] == "user"
    assert "Where do I live?" in prompt.messages[-1]["content"]
    assert "Lives in Lisbon" in prompt.text


def test_a_whole_chat_in_the_form_of_a_models_api_is_one_call(memory: Memory) -> None:
    chat = [
        {"role": "system", "content": "You are kind."},
        {"role": "user", "content": "I am allergic to peanuts"},
        {"role": "assistant", "content": [{"type": "text", "text": "I will keep that in mind."}]},
        {"role": "user", "content": [{"type": "text", "text": "I live in Oslo"}, {"type": "image_url"}]},
    ]
    added = memory.add(chat, user=42, wait=True)
    assert added.new == 3
    assert [(message.author, message.bot) for message in added.messages] == [
        ("42", False),
        ("assistant", True),
        ("42", False),
    ]
    assert added.messages[1].reply_to == added.messages[0].id
    assert {memo.text for memo in added.learned} == {"Is allergic to peanuts", "Lives in Oslo"}
    assert {memo.text for memo in memory.list(user="42").memos} == {"Is allergic to peanuts", "Lives in Oslo"}


def test_what_one_verb_returns_another_takes(memory: Memory) -> None:
    added = memory.add("Which tea do I like?", user="ada", wait=True)
    for message in ("Which tea do I like?", added, added.messages[0]):
        assert memory.context(message, user="ada").text.count("Which tea do I like?") == 1
    chat = [{"role": "user", "content": "I like tea"}, {"role": "assistant", "content": "Ah."}]
    assert "I like tea" in memory.context(chat, user="ada").messages[-1]["content"]
    memory.remember("I like green tea", user="ada", tags="drinks")
    (memo,) = memory.list(user="ada", statuses="active")
    assert memo.tags == ("drinks",)
    assert memory.get(memo, user="ada") == memo
    (hit,) = memory.search("tea", user="ada")
    memory.forget(hit, user="ada")
    assert len(memory.list(user="ada", statuses=["active"])) == 0


def test_every_other_verb_works_without_await(memory: Memory, tmp_path: Path) -> None:
    remembered = memory.remember("I like tea", user="ada")
    assert isinstance(remembered, Remembered)
    memo = remembered.memo
    assert memory.update(memo.id, "I like green tea", user="ada").text == "I like green tea"
    assert memory.pin(memo.id, user="ada").pinned
    assert memory.get(memo.id, user="ada").pinned
    assert memory.history(memo.id, user="ada")
    assert memory.why(memo.id, user="ada").memo.id == memo.id
    memory.forget("green tea", user="ada")
    assert memory.list(user="ada", statuses=[Status.ACTIVE]).memos == ()
    memory.restore("green tea", user="ada")
    memory.undo(user="ada")
    assert memory.export(user="ada")
    memory.backup(str(tmp_path / "copy.db"))
    assert (tmp_path / "copy.db").exists()
    assert memory.erase(user="ada") is not None
    assert memory.log(user="ada") is not None


def test_both_have_the_same_methods_with_the_same_arguments() -> None:
    verbs = {
        name: method
        for name, method in vars(AsyncMemory).items()
        if inspect.iscoroutinefunction(method) and not name.startswith("_")
    }
    assert len(verbs) > 20
    for name, method in verbs.items():
        assert inspect.signature(vars(Memory)[name]) == inspect.signature(method), name
    ours, theirs = (inspect.signature(kind.__init__) for kind in (Memory, AsyncMemory))
    assert ours.parameters.keys() == theirs.parameters.keys()


def test_threads_share_one_memory(memory: Memory) -> None:
    threads = [
        threading.Thread(target=memory.remember, args=(f"I own bike number {number}",), kwargs={"user": "ada"})
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert memory.list(user="ada").total == 8


async def test_inside_a_running_loop_as_in_a_notebook_it_works_too(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db", **QUIET)
    memory.remember("I like tea", user="ada")
    assert memory.list(user="ada").total == 1
    memory.close()


async def test_without_a_context_manager_the_first_call_opens_it(tmp_path: Path) -> None:
    memory = AsyncMemory(tmp_path / "memory.db", **QUIET)
    first, second = await asyncio.gather(
        memory.remember("I like tea", user="ada"), memory.remember("I own a cat", user="ada")
    )
    assert first != second
    assert (await memory.list(user="ada")).total == 2
    await memory.close()
    with pytest.raises(RecollectError, match="closed"):
        await memory.remember("I like coffee", user="ada")


def test_what_is_wrong_is_said_by_the_name_of_the_argument(memory: Memory, tmp_path: Path) -> None:
    for wrong, words in (
        (lambda: memory.add("hello"), "user="),
        (lambda: memory.add("", user="ada"), "empty"),
        (lambda: memory.add([{"role": "robot", "content": "x"}], user="ada"), "role"),
        (lambda: memory.add([{"role": "user", "content": 3}], user="ada"), "content"),
        (lambda: memory.add("x", user="ada", at=datetime(2026, 1, 1)), "time zone"),
        (lambda: memory.add([3], user="ada"), "a message is"),  # type: ignore[list-item]
        (lambda: memory.add(5, user="ada"), "what was said is"),  # type: ignore[arg-type]
        (lambda: memory.search("x", user=True), "user="),
        (lambda: memory.search(None, user="ada"), "query"),  # type: ignore[arg-type]
        (lambda: memory.remember(None, user="ada"), "text"),  # type: ignore[arg-type]
        (lambda: memory.forget(7, user="ada"), "id"),  # type: ignore[arg-type]
        (lambda: memory.search("x", user="ada", place="dm"), "place="),  # type: ignore[arg-type]
        (lambda: memory.list(user="ada", statuses=["foo"]), "statuses="),
        (lambda: memory.list(user="ada", limit="3"), "limit="),  # type: ignore[arg-type]
        (lambda: memory.context([{"role": "assistant", "content": "Hi"}], user="ada"), "no message of a person"),
        (lambda: memory.list(user="ada", limit=-1), "limit"),
        (lambda: memory.search("x", user="ada", limit=-1), "limit"),
        (lambda: memory.remember("x", user="ada", expires=datetime(2026, 1, 1)), "expires=.*time zone"),
        (lambda: memory.remember("x", user="ada", tags=[1]), "tags"),  # type: ignore[list-item]
        (lambda: memory.add("x", user="bob", place=Place(dm="ada")), "'bob' can't speak"),
        (lambda: memory.context("x", user="bob", place=Place(dm="ada")), "'bob' can't speak"),
        (lambda: memory.add(Message("1", "bob", Place(dm="ada"), "x", datetime.now(UTC))), "'bob' can't speak"),
    ):
        with pytest.raises(BadInput, match=words):
            wrong()
    memory.close()
    with pytest.raises(RecollectError, match="closed"):
        memory.remember("x", user="ada")


def test_a_script_that_just_ends_has_lost_nothing_and_leaves_no_traceback(tmp_path: Path) -> None:
    script = (
        "from recollect import Memory\n"
        f"memory = Memory({str(tmp_path / 'memory.db')!r}, model='local')\n"  # its embedder is still being loaded
        "memory.add('I live in Lisbon', user='ada')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    with Memory(tmp_path / "memory.db", **QUIET) as memory:
        assert memory.search("Lisbon", user="ada", over="messages", place=Place(dm="ada"))


def test_one_that_nobody_has_any_more_closes_by_itself(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "memory.db", **QUIET)
    worker = memory.asynchronous.worker
    assert worker.is_running
    del memory
    gc.collect()
    limit = time.monotonic() + 60
    while worker.is_running and time.monotonic() < limit:
        time.sleep(0.005)
    assert not worker.is_running


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_after_a_fork_it_says_that_each_process_needs_its_own(tmp_path: Path) -> None:
    script = (
        "import os, sys\n"
        "from recollect import Memory\n"
        f"memory = Memory({str(tmp_path / 'memory.db')!r}, embedder='null', model='local')\n"
        "memory.remember('I like tea', user='ada')\n"
        "if os.fork() == 0:\n"
        "    try: memory.list(user='ada')\n"
        "    except Exception as error: print(error, flush=True)\n"
        f"    print(Memory({str(tmp_path / 'memory.db')!r}, embedder='null', model='local').list(user='ada').total)\n"
        "else:\n"
        "    os.wait()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert "opened before a fork" in done.stdout
    assert "\n1\n" in done.stdout


def test_unusual_input_is_taken_without_loss(memory: Memory) -> None:
    long = "I live in Lisbon. " + "word " * 300_000
    assert memory.add(long, user=1042)
    assert memory.search("Lisbon", user="1042", over="messages", place=Place(dm="1042"))
    said = Message("m1", "ada", Place(dm="ada"), "I like tea", datetime.now(UTC))
    assert (memory.add([said, said]).new, memory.add(said).new) == (1, 0)
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]}
    chat = [{"role": "user", "content": "Rain?"}, call, {"role": "tool", "content": "4 mm"}]
    assert memory.add(chat, user="ada").new == 1
    outcome = memory.remember("Owns a cat", user="ada", tags="pets", metadata={"a": 1})
    assert outcome.memo.tags == ("pets",)
    memo = memory.update(outcome.memo, user="ada", metadata={"a": 2}, expires=datetime(2999, 1, 1, tzinfo=UTC))
    assert (memo.source.metadata, memo.expires is not None, memo.text) == ({"a": 2}, True, "Owns a cat")


def test_ctrl_c_ends_the_call_and_not_the_memory(memory: Memory) -> None:
    async def interrupted() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()

    with pytest.raises(KeyboardInterrupt):
        memory.run(interrupted())
    assert memory.remember("I like tea", user="ada")


def test_a_call_from_its_own_loop_is_refused_instead_of_waiting_forever(memory: Memory) -> None:
    async def inside() -> None:
        memory.list(user="ada")

    with pytest.raises(RecollectError, match="AsyncMemory"):
        memory.run(inside())


@pytest.mark.slow
def test_waiting_with_a_dead_model_returns_what_was_learned_without_it(tmp_path: Path) -> None:
    class DeadModel:
        name = "dead"
        local = False

        async def extract(self, *_: object, **__: object) -> None:
            await asyncio.Event().wait()

        async def summarize(self, *_: object, **__: object) -> None:
            await asyncio.Event().wait()

        async def close(self) -> None: ...

    with Memory(tmp_path / "memory.db", embedder="null", model=DeadModel()) as memory:  # type: ignore[arg-type]
        added = memory.add("I live in Lisbon.", user="ada", wait=3.0)
        assert [memo.text for memo in added.learned] == ["Lives in Lisbon"]
        assert not added.done
