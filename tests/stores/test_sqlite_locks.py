"""SQLite's locks stay while the file is in use: whatever else a process does with it, and in the children of a fork."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from recollect import BadInput, Memory, plugins
from recollect.core.errors import StoreBusy
from recollect.stores.sqlite import examine, forks
from recollect.stores.sqlite.database import Database
from recollect.transfer.importing.detect import detect
from recollect.transfer.readers import fields

OPTIONS = {"embedder": "null", "model": "local", "profile": "unified"}
# The bytes that every connection holds a shared lock on, at a fixed place: see "Locking" in SQLite's documentation.
IS_LOCKED = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
    except OSError:
        print("locked")
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="closing a file releases its locks on POSIX only")


def is_locked(path: Path) -> bool:
    script = [sys.executable, "-c", IS_LOCKED, str(path)]
    return subprocess.run(script, capture_output=True, text=True, timeout=60, check=True).stdout == "locked\n"


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[SimpleNamespace]:
    """A memory in use, its folder and its file."""
    path = tmp_path / "memory.db"
    with Memory(str(path), data_dir=str(tmp_path), **OPTIONS) as memory:
        memory.remember("I like tea", user="ada")
        assert is_locked(path)
        yield SimpleNamespace(memory=memory, folder=tmp_path, path=path)


def test_a_second_memory_of_the_same_file_leaves_the_first_its_locks(opened: SimpleNamespace) -> None:
    with Memory(str(opened.path), **OPTIONS) as second:
        assert is_locked(opened.path)
        second.remember("I play chess", user="ada")
    assert is_locked(opened.path)


def test_what_another_process_and_two_memories_of_one_write_in_turns_is_all_there(opened: SimpleNamespace) -> None:
    other = f"from recollect import Memory\nwith Memory({str(opened.path)!r}, **{OPTIONS!r}) as memory:\n    "
    with Memory(str(opened.path), **OPTIONS) as second:
        for number, fact in enumerate(["I have a dog", "I work at Acme", "I speak Danish"]):
            script = f"{other}memory.remember({fact!r}, user='ada')"
            subprocess.run([sys.executable, "-c", script], timeout=60, check=True)
            (opened.memory, second)[number % 2].remember(f"My shelf has {number} books", user="ada")
    assert opened.memory.list(user="ada").total == 7


def test_an_erasure_that_searches_the_file_for_what_is_left_keeps_the_locks(opened: SimpleNamespace) -> None:
    assert opened.memory.erase(user="ada") is not None
    assert is_locked(opened.path)


def test_the_store_in_use_is_no_source_of_an_import_and_keeps_its_locks(opened: SimpleNamespace) -> None:
    known = plugins.load_all("formats")
    with pytest.raises(BadInput, match="is the store in use"):
        detect(opened.path, known)
    for form in known:
        form.matches(opened.path)
        form.matches(opened.folder)
    assert fields.files_in(opened.folder, "*.db") == []
    assert is_locked(opened.path)


def test_a_backup_and_an_examination_keep_the_locks(opened: SimpleNamespace) -> None:
    opened.memory.backup(str(opened.folder / "copy.db"))
    assert all(check.ok for check in examine(f"sqlite:///{opened.path}"))
    assert is_locked(opened.path)


def test_a_closed_store_is_held_by_nobody(opened: SimpleNamespace) -> None:
    opened.memory.close()
    assert fields.files_in(opened.folder, "*.db") == [opened.path]
    assert not is_locked(opened.path)


def exit_code_of_fork(check: "Iterator[bool]") -> int:
    """Forks, and returns 0 if what the child sees is true."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if next(check) else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_connection_that_a_thread_opens_during_a_fork_is_opened_after_it(tmp_path: Path) -> None:
    Database(tmp_path / "memory.db").close()
    busy, late, opened_late = forks.Usage(), list[forks.Usage](), threading.Event()

    def open_late() -> None:
        usage = forks.Usage()
        with usage:
            usage.connection = Database(tmp_path / "memory.db")
            late.append(usage)
        opened_late.set()

    codes = list[int]()
    forking = threading.Thread(target=lambda: codes.append(exit_code_of_fork(not late for _ in [0])))
    opening = threading.Thread(target=open_late)
    with busy:
        forking.start()
        while not forks._gate.locked():  # pyright: ignore[reportPrivateUsage]
            pass
        opening.start()
        assert not opened_late.wait(0.1)
    forking.join()
    opening.join()
    assert codes == [0]
    for usage in (busy, *late):
        if usage.connection is not None:
            usage.connection.close()
        usage.end()


def test_a_writer_that_waits_for_another_process_does_not_hold_up_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with Memory(str(path), **OPTIONS) as memory:
        other = Database(path)
        other.execute("BEGIN IMMEDIATE")
        writing = threading.Thread(target=lambda: memory.remember("I like tea", user="ada"))
        writing.start()

        def is_free_of_copies() -> bool:
            return not forks._inherited  # pyright: ignore[reportPrivateUsage]

        assert exit_code_of_fork(is_free_of_copies() for _ in [0]) == 0
        other.execute("ROLLBACK")
        other.close()
        writing.join()
        assert memory.list(user="ada").total == 1


def test_a_child_refuses_a_file_that_was_in_use_longer_than_the_fork_could_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "FORK_TIMEOUT_SECONDS", 0.01)
    path = tmp_path / "memory.db"
    usage = forks.Usage()
    usage.connection = Database(path)

    def is_refused() -> bool:
        with pytest.raises(StoreBusy, match="was in use for more than"):
            Database(path)
        return True

    with usage:
        assert exit_code_of_fork(is_refused() for _ in [0]) == 0
    usage.connection.close()
    usage.end()
    Database(path).close()  # the parent goes on
