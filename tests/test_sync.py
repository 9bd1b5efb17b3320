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
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import AsyncMemory, Memory, Message, Place, Remembered, Status
from recollect.core.errors import BadInput, RecollectError
from recollect.sync_view import BlockingView
from recollect.testing.clock import FakeClock
from recollect.view import View

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


def test_where_there_is_nothing_to_learn_from_waiting_for_it_is_done(memory: Memory) -> None:
    for nothing in ([], [{"role": "tool", "content": "42"}]):
        assert memory.add(nothing, user="ada", wait=True).done
        assert memory.view("ada").add(nothing, wait=True).done
        assert not memory.add(nothing, user="ada").done


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


def test_results_of_one_method_are_accepted_by_others(memory: Memory) -> None:
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
        if inspect.iscoroutinefunction(method) and not name.startswith("_") and name != "view_of"  # for faces
    }
    assert len(verbs) > 30
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
        (lambda: memory.add(b"x", user="ada"), "what was said is"),  # type: ignore[arg-type]
        (lambda: memory.add("x", user="a\0b"), "user="),
        (lambda: memory.add("x", user="a\ud800"), "user="),
        (lambda: memory.add("x", user="a" * 5_000), "user="),
        (lambda: memory.view("a\nb"), "user="),
        (lambda: memory.view("ada", "dm"), "place="),  # type: ignore[arg-type]
        (lambda: memory.add("x", user="ada", at="2026-01-01"), "at="),  # type: ignore[arg-type]
        (lambda: memory.add("x", user="ada", at=1_700_000_000), "at="),  # type: ignore[arg-type]
        (lambda: memory.add({"role": "user", "content": "x", "at": "yesterday"}, user="ada"), "at="),
        (lambda: memory.add({"role": "user", "content": "x", "at": "2026-01-01"}, user="ada"), "time zone"),
        (lambda: memory.add({"role": "user", "content": "x", "id": []}, user="ada"), "id"),
        (lambda: memory.search("x", user="ada", limit=True), "limit="),
        (lambda: memory.search("x", user="ada", filters={"kind": "fact"}), "filters="),
        (lambda: memory.search("x", user="ada", filters={"kinds": ["sport"]}), "kinds="),
        (lambda: memory.list(user="ada", kinds=["sport"]), "kinds="),
        (lambda: Memory(5), "store="),  # type: ignore[arg-type]
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
    view = memory.view("ada")
    for use in (lambda: memory.remember("x", user="ada"), lambda: view.show(), lambda: memory.__enter__()):
        with pytest.raises(RecollectError, match="closed"):
            use()


def test_a_script_that_just_ends_has_lost_nothing_and_leaves_no_traceback(tmp_path: Path) -> None:
    script = (
        "from recollect import Memory\n"
        f"memory = Memory({str(tmp_path / 'memory.db')!r}, model='local')\n"  # its embedder is still being loaded
        "memory.add('I live in Lisbon', user='ada')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert "Traceback" not in done.stderr
    with Memory(tmp_path / "memory.db", **QUIET) as memory:
        assert memory.search("Lisbon", user="ada", over="messages", place=Place(dm="ada"))


def test_a_thread_that_outlives_the_main_program_can_use_it_to_its_end(tmp_path: Path) -> None:
    script = (
        "import threading\n"
        "from recollect import Memory\n"
        f"memory = Memory({str(tmp_path / 'memory.db')!r}, embedder='null', model='local')\n"
        "def work():\n"
        "    for number in range(20):\n"
        "        memory.remember(f'I own bike number {number}', user='ada')\n"
        "    print(memory.list(user='ada').total)\n"
        "threading.Thread(target=work).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("20\n", "")


def test_a_memory_whose_event_loop_has_ended_says_so(tmp_path: Path) -> None:
    memory = AsyncMemory(tmp_path / "memory.db", **QUIET)
    asyncio.run(memory.remember("I like tea", user="ada"))
    for again in (lambda: memory.list(user="ada"), memory.open):
        with pytest.raises(RecollectError, match="event loop of this memory has ended"):
            asyncio.run(again())


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


def test_children_of_forks_write_beside_a_busy_parent_and_nothing_is_lost(tmp_path: Path) -> None:
    """A fork in the middle of a write must leave no lock behind, and the parent may close while its children write."""
    script = f"""
import os, sys, threading
from recollect import Memory
path = {str(tmp_path / "memory.db")!r}
options = dict(embedder="null", model="local", profile="unified")
memory = Memory(path, **options)
memory.add("I play chess", user="bob", wait=True)  # what is imported on demand is there: Python can't fork amid imports
done = threading.Event()
def talk(user):
    while not done.is_set():
        memory.add("I live in Lisbon", user=user)
        memory.search("Lisbon", user=user)
threads = [threading.Thread(target=talk, args=(f"user{{number}}",)) for number in range(3)]
for thread in threads: thread.start()
children = []
for number in range(6):
    child = os.fork()
    if child == 0:
        with Memory(path, **options) as own:
            for count in range(5):
                own.remember(f"Note {{count}} of child {{number}}", user="ada")
        os._exit(0)
    children.append(child)
done.set()
for thread in threads: thread.join()
memory.close()
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
with Memory(path, **options) as memory:
    print(memory.list(user="ada", limit=100).total)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=False)
    assert (done.stdout, done.stderr) == ("30\n", "")


async def test_an_async_memory_says_in_a_child_of_a_fork_that_it_is_the_parents(tmp_path: Path) -> None:
    async with AsyncMemory(str(tmp_path / "memory.db"), **QUIET) as memory:
        await memory.remember("I like tea", user="ada")
        memory._process += 1  # as in another process
        with pytest.raises(RecollectError, match="opened before a fork"):
            await memory.search("tea", user="ada")
        memory._process -= 1


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


def test_a_chat_is_added_as_the_apis_of_models_have_it_and_what_nobody_said_is_left_out(memory: Memory) -> None:
    class Turn:
        """An object of a client; pydantic's have these attributes too."""

        def __init__(self, **fields: object) -> None:
            self.__dict__.update(fields)

    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,x"}}
    chat = (
        turn
        for turn in [
            {"role": "user", "content": [image]},
            {"role": "user", "content": [{"type": "tool_result", "content": "I live in Rome"}]},
            {"role": "assistant", "content": ""},
            {"role": "assistant", "content": None},
            {
                "role": "USER",
                "content": ["I play the cello", image],
                "id": 7,
                "at": "2026-05-01T10:00:00Z",
                "name": "Ada",
            },
            Turn(role="assistant", content="Lovely.", tool_calls=None),
            Turn(type="human", content=[Turn(type="text", text="I like tea")]),
            "I live in Oslo",
        ]
    )
    added = memory.add(chat, user="ada", wait=True)  # type: ignore[arg-type]
    assert [(said.author, said.text) for said in added.messages] == [
        ("ada", "I play the cello"),
        ("assistant", "Lovely."),
        ("ada", "I like tea"),
        ("ada", "I live in Oslo"),
    ]
    first, reply, *_ = added.messages
    assert (first.id, first.at, first.name) == ("7", datetime(2026, 5, 1, 10, tzinfo=UTC), "Ada")
    assert reply.reply_to == "7"
    assert {memo.text for memo in added.learned} == {"Plays the cello", "Likes tea", "Lives in Oslo"}
    assert memory.add({"role": "user", "content": "I play the cello", "id": "7"}, user="ada").new == 0
    assert len(memory.remember((text for text in ("Owns a boat", "Owns a cat")), user="ada")) == 2
    hits = memory.search("Owns", user="ada", filters={"kinds": "fact"}, limit=1)
    assert repr(hits[0]).startswith("Hit('Owns")
    assert memory.search("Owns", user="ada", limit=0) == []


@pytest.mark.slow
def test_a_very_long_question_is_answered_from_its_beginning_and_its_end(memory: Memory) -> None:
    memory.remember("Lives in Lisbon", user="ada")
    for question in ("Lisbon " + "word " * 300_000, "word " * 300_000 + "Lisbon"):
        started = time.monotonic()
        assert memory.search(question, user="ada")[0].parts
        assert "Lives in Lisbon" in memory.context(question, user="ada").system
        assert time.monotonic() - started < 5


def test_flush_returns_when_everything_that_was_said_is_learned_from(memory: Memory) -> None:
    for user in ("ada", "bob"):
        memory.add("I live in Lisbon", user=user)
    memory.add("I play the cello", user="ada", place=Place(guild="g", channel="c", public=True))
    memory.flush()
    assert [memory.list(user=user).total for user in ("ada", "bob")] == [2, 1]


def test_a_view_has_every_verb_for_one_user_in_one_place(memory: Memory) -> None:
    ada, bob = memory.view("ada"), memory.view(7)
    assert ada.add("I moved to Lisbon in May", wait=True).learned[0].text == "Lives in Lisbon"
    assert ada.add([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]).new == 2
    (hit,) = ada.search("where does she live?")
    assert bob.search("where does she live?") == []
    assert "Lives in Lisbon" in ada.context("Where do I live?").system
    assert ada.pin(hit).pinned
    assert ada.forget(hit).memos[0].text == "Lives in Lisbon"  # type: ignore[union-attr]
    assert (ada.show().total, ada.restore(hit.memo).memo.id) == (0, hit.memo.id)  # type: ignore[arg-type,union-attr]
    with pytest.raises(BadInput, match="id"):
        ada.get(3)  # type: ignore[arg-type]
    public = memory.view("ada", Place(guild="g", channel="c", public=True))
    assert public.show().total == 0, "what was said in a DM stays there"
    assert "ada" in repr(ada)


def test_a_view_has_the_signatures_of_the_one_that_is_awaited() -> None:
    verbs = dict(inspect.getmembers(View, inspect.iscoroutinefunction))
    assert {name for name in verbs if name[0] != "_"} == {name for name in vars(BlockingView) if name[0] != "_"}
    for name, verb in verbs.items():
        assert inspect.signature(getattr(BlockingView, name)) == inspect.signature(verb), name
    assert inspect.signature(Memory.view).parameters == inspect.signature(AsyncMemory.view).parameters


def test_a_list_is_what_is_in_use_and_the_rest_is_asked_for(tmp_path: Path) -> None:
    clock = FakeClock()
    with Memory(tmp_path / "memory.db", clock=clock, run_worker=False, **QUIET) as memory:
        memory.remember(["I live in Porto", "I play chess"], user="ada")
        memory.remember("I live in Lisbon", user="ada")
        memory.remember("I am in Rome", user="ada", expires=clock() + timedelta(minutes=1))
        assert memory.list(user="ada").total == 3
        clock.advance(minutes=2)
        assert [memo.text for memo in memory.list(user="ada")] == ["I live in Lisbon", "I play chess"]
        assert [memo.text for memo in memory.list(user="ada", statuses="superseded")] == ["I live in Porto"]
        assert memory.list(user="ada", statuses="any").total == memory.list(user="ada", statuses=[]).total == 4
        assert memory.list(user="ada", statuses=["active"]).total == 3, "expired ones included"


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


def test_an_outcome_is_true_if_something_was_done(memory: Memory) -> None:
    assert not memory.forget("durable-nope", user="ada")
    assert not memory.restore("durable-nope", user="ada")
    assert not memory.undo(user="ada")
    assert not memory.remember("", user="ada")
    assert memory.remember("I like tea", user="ada")
    assert memory.remember("I like tea", user="ada"), "it is remembered"
    assert memory.forget("tea", user="ada")
    assert not memory.add("I live in Rome", user="ada").done, "nobody waited"
    assert memory.add("I live in Oslo", user="ada", wait=True).done


def test_a_listing_is_read_like_a_list_and_a_prompt_is_printed_as_its_text(memory: Memory) -> None:
    memory.remember(["I like tea", "I live in Rome"], user="ada")
    listing = memory.list(user="ada")
    assert {listing[0].text, listing[-1].text} == {"I like tea", "I live in Rome"} == set(str(listing).splitlines())
    assert listing[:1] == (listing[0],)
    prompt = memory.context("what do I like?", user="ada")
    assert str(prompt) == prompt.text


def test_a_mistake_in_a_call_is_shown_without_the_way_through_the_loop(memory: Memory) -> None:
    with pytest.raises(recollect.BadInput) as raised:
        memory.context("", user="ada")
    assert not {"memory.py", "inputs.py", "futures.py"} & {Path(entry.path).name for entry in raised.traceback}
    with pytest.raises(recollect.UnknownMemo):
        memory.get("durable-nope", user="ada")


def test_a_folder_that_cant_be_written_is_an_error_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)  # root may write everywhere
    with pytest.raises(RecollectError, match=r"cannot make .*memory.db: Permission denied"):
        Memory(str(tmp_path / "memory.db"), **QUIET)


def test_a_file_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("not a store")
    notes.chmod(0o644)
    with pytest.raises(RecollectError, match="not a recollect store"):
        Memory(str(notes), **QUIET)
    assert (notes.read_text(), notes.stat().st_mode & 0o777) == ("not a store", 0o644)
