"""The workspace on a real file system: no name leads out of it, and nothing that was written is lost or half there."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.core.errors import BadInput, StoreError, StoreUnwritable
from recollect.workspace import NOTES, Workspace
from recollect.workspace.disk import MAX_FILE_BYTES
from recollect.workspace.names import MAX_NAME_BYTES, MAX_PART_BYTES, daily, safe_id

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    return Workspace(folder)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


class TestNames:
    @pytest.mark.parametrize(
        "name", [NOTES, "memory/2025-03-01.md", "a/b/c d.md", "日本語.md", "50%.md", "~", "$HOME", "a..b"]
    )
    def test_a_plain_name_lies_inside(self, workspace: Workspace, folder: Path, name: str):
        assert workspace.resolve(name) == folder / name

    @pytest.mark.parametrize(
        "name",
        [
            *("", " ", "\n", ".", "..", "../x", "a/../../x", "a/..", "a//b", "a/", "./a", ".hidden", "a/.git/config"),
            *("/", "/etc/passwd", "//host/share", "\\", "..\\x", "a\\b", "C:\\x", "C:/x", "C:x", "a.md:stream"),
            *("a\0b", "a\nb", "a\x1b[0m", "a\u202eb", "a\ud800", "a.", "a ", " a", "...", "a/ /b"),
        ],
    )
    def test_a_name_that_could_lead_elsewhere_is_refused(self, workspace: Workspace, folder: Path, name: str):
        for use in (workspace.resolve, workspace.read_text, lambda name: workspace.write(name, "x")):
            with pytest.raises(BadInput):
                use(name)
        with pytest.raises(BadInput):
            workspace.append(name, "x")
        assert not workspace.contains(name)
        assert not folder.exists()

    def test_a_name_may_be_long_but_not_too_long(self, workspace: Workspace):
        workspace.write("é" * (MAX_PART_BYTES // 2), "x")
        workspace.write("/".join(["a" * 99] * 5)[:MAX_NAME_BYTES], "x")
        for name in ("é" * (MAX_PART_BYTES // 2) + "e", "/".join("a" * (MAX_NAME_BYTES // 2 + 1)), "a" * 10**6):
            with pytest.raises(BadInput, match="too long"):
                workspace.write(name, "x")

    @given(st.text())
    @example("../users/bob/MEMORY.md")
    def test_whatever_name_is_refused_or_lies_inside(self, name: str):
        home = Path("/nowhere/workspace")
        try:
            path = Workspace(home).resolve(name)
        except BadInput:
            return
        assert path.is_relative_to(home)
        assert path != home

    @pytest.mark.parametrize("link", ["secret.md", "memory", "memory/2025-03-01.md"])
    def test_a_link_out_of_the_workspace_is_refused(
        self, workspace: Workspace, folder: Path, tmp_path: Path, link: str
    ):
        outside = tmp_path / "workspace-of-another"  # its path begins like ours
        (outside / "memory").mkdir(parents=True)
        (outside / "2025-03-01.md").write_text("secret")
        (folder / link).parent.mkdir(parents=True)
        (folder / link).symlink_to(outside if link == "memory" else outside / "2025-03-01.md")
        name = "memory/2025-03-01.md" if link == "memory" else link
        for use in (
            workspace.read_text,
            lambda name: workspace.write(name, "x"),
            lambda name: workspace.append(name, "x"),
        ):
            with pytest.raises(BadInput, match="out of the workspace"):
                use(name)
        assert not workspace.contains(name)
        assert (outside / "2025-03-01.md").read_text() == "secret"

    def test_a_link_to_a_file_that_does_not_exist_outside_makes_none(
        self, workspace: Workspace, folder: Path, tmp_path: Path
    ):
        folder.mkdir()
        (folder / NOTES).symlink_to(tmp_path / "new.md")
        with pytest.raises(BadInput):
            workspace.write(NOTES, "x")
        assert not (tmp_path / "new.md").exists()

    def test_links_in_a_circle_are_refused(self, workspace: Workspace, folder: Path):
        folder.mkdir()
        (folder / "a").symlink_to(folder / "b")
        (folder / "b").symlink_to(folder / "a")
        assert not workspace.contains("a")
        for use in (workspace.read_text, lambda name: workspace.append(name, "x")):
            with pytest.raises(BadInput):
                use("a")

    def test_a_link_that_stays_inside_is_followed(self, workspace: Workspace, folder: Path):
        workspace.write("real.md", "one")
        (folder / "link.md").symlink_to("real.md")
        workspace.write("link.md", "two")
        assert (workspace.read_text("real.md"), (folder / "link.md").is_symlink()) == ("two", True)

    def test_the_workspace_itself_may_be_a_link(self, folder: Path, tmp_path: Path):
        (tmp_path / "real").mkdir()
        folder.symlink_to(tmp_path / "real")
        Workspace(folder).write(NOTES, "x")
        assert (tmp_path / "real" / NOTES).read_text() == "x"


class TestUsers:
    def test_each_user_has_a_part_that_no_name_leaves(self, folder: Path):
        ann, bob = Workspace(folder, "ann"), Workspace(folder, "bob")
        ann.write(NOTES, "of ann")
        assert (bob.contains(NOTES), bob.read_text(NOTES)) == (False, None)
        assert ann.root == folder / "users" / "ann"
        with pytest.raises(BadInput):
            bob.read_text("../ann/MEMORY.md")

    def test_a_link_from_one_users_folder_to_anothers_is_refused(self, folder: Path):
        Workspace(folder, "ann").write(NOTES, "of ann")
        (folder / "users" / "bob").symlink_to("ann")
        assert not Workspace(folder, "bob").contains(NOTES)
        with pytest.raises(BadInput):
            Workspace(folder, "bob").read_text(NOTES)

    @pytest.mark.parametrize(
        "user", ["..", "../..", "/etc", "", ".", "a/b", "C:\\", "a\0b", "\ud800", "x" * 5000, "é" * 99]
    )
    def test_whatever_the_users_id_the_folder_is_one_level_below(self, folder: Path, user: str):
        workspace = Workspace(folder, user)
        workspace.write(NOTES, "x")
        (made,) = (folder / "users").iterdir()
        assert files(made) == [NOTES]
        assert workspace.root == made

    def test_ids_that_look_alike_share_no_folder(self):
        alike = [
            "a b",
            "a-b",
            "a_b",
            "a%20b",
            "A B",
            "a/b",
            "a\\b",
            "á",
            "a\u0301",
            "",
            "%",
            "%-",
            "ann",
            "Ann",
            "x" * 500,
        ]
        assert len({safe_id(one).casefold() for one in alike}) == len(alike)

    @given(st.lists(st.text(), min_size=2, max_size=2, unique=True))
    def test_no_two_ids_share_a_name_even_where_case_does_not_count(self, ids: list[str]):
        one, other = map(safe_id, ids)
        assert one.casefold() != other.casefold()

    def test_an_id_of_digits_stays_as_it_is(self):
        assert safe_id("81384788765712384") == "81384788765712384"


class TestReading:
    def test_a_missing_file_reads_as_none(self, workspace: Workspace):
        assert workspace.read_text(NOTES) is None
        assert workspace.read_text("memory/2025-03-01.md") is None

    def test_text_comes_back_as_it_was_written(self, workspace: Workspace):
        text = "## Projekt\r\n- naïve 東京 👩‍💻\n\n{data_dir} $& %s"
        workspace.write(NOTES, text)
        assert workspace.read_text(NOTES) == text

    def test_a_mark_that_an_editor_put_first_is_dropped(self, workspace: Workspace, folder: Path):
        folder.mkdir()
        (folder / NOTES).write_bytes(b"\xef\xbb\xbfhi")
        assert workspace.read_text(NOTES) == "hi"

    def test_more_than_the_limit_is_refused_and_the_limit_itself_is_not(self, workspace: Workspace):
        workspace.write(NOTES, "x" * 10)
        assert workspace.read_text(NOTES, 10) == "x" * 10
        with pytest.raises(BadInput, match="more than 9 bytes"):
            workspace.read_text(NOTES, 9)

    @pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"a\0b", b"\x89PNG\r\n\x1a\n"])
    def test_a_binary_file_is_refused(self, workspace: Workspace, folder: Path, data: bytes):
        folder.mkdir()
        (folder / NOTES).write_bytes(data)
        with pytest.raises(BadInput, match="text"):
            workspace.read_text(NOTES)

    def test_what_is_not_a_file_is_refused_without_waiting(self, workspace: Workspace, folder: Path):
        (folder / "memory").mkdir(parents=True)
        os.mkfifo(folder / "pipe")
        for name in ("memory", "pipe"):
            assert not workspace.contains(name)
            for use in (
                workspace.read_text,
                lambda name: workspace.write(name, "x"),
                lambda n: workspace.append(n, "x"),
            ):
                with pytest.raises(BadInput):
                    use(name)

    def test_a_file_in_the_place_of_a_folder_is_said(self, workspace: Workspace):
        workspace.write("a", "x")
        for use in (workspace.read_text, lambda name: workspace.write(name, "x"), lambda n: workspace.append(n, "x")):
            with pytest.raises(BadInput):
                use("a/b")

    def test_a_disk_that_fails_is_no_missing_file(self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch):
        workspace.write(NOTES, "x")
        monkeypatch.setattr(os, "read", failing(errno.EIO))
        with pytest.raises(StoreError, match=r"MEMORY\.md"):
            workspace.read_text(NOTES)


def failing(code: int):
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


class TestWriting:
    def test_folders_are_made_and_a_file_is_replaced(self, workspace: Workspace, folder: Path):
        workspace.write("a/b/c.md", "one")
        workspace.write("a/b/c.md", "two")
        assert (workspace.read_text("a/b/c.md"), files(folder)) == ("two", ["a/b/c.md"])

    @pytest.mark.parametrize("step", ["fsync", "replace"])
    def test_a_disk_that_is_full_leaves_the_old_text_and_nothing_else(
        self, workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
    ):
        workspace.write(NOTES, "old")
        monkeypatch.setattr(*((os, step) if step == "fsync" else (Path, step)), failing(errno.ENOSPC))
        with pytest.raises(StoreUnwritable, match=r"MEMORY\.md.*No space"):
            workspace.write(NOTES, "new")
        assert (workspace.read_text(NOTES), files(folder)) == ("old", [NOTES])

    def test_a_reader_sees_one_text_or_the_other(self, workspace: Workspace):
        texts = {letter * 200_000 for letter in "ab"}
        workspace.write(NOTES, min(texts))
        with ThreadPoolExecutor(2) as pool:
            writes = [pool.submit(workspace.write, NOTES, text) for text in sorted(texts) * 10]
            seen = {workspace.read_text(NOTES) for _ in range(100)}
            for write in writes:
                write.result()
        assert seen <= texts

    @pytest.mark.parametrize("write", [Workspace.write, Workspace.append])
    def test_a_file_that_others_may_read_is_closed_to_them_when_it_is_written(
        self, workspace: Workspace, folder: Path, write: Callable[[Workspace, str, str], object]
    ):
        workspace.write(NOTES, "one")
        (folder / NOTES).chmod(0o644)
        write(workspace, NOTES, "two")
        assert (folder / NOTES).stat().st_mode & 0o777 == 0o600

    @pytest.mark.parametrize(
        ("text", "why"), [("a\0b", "binary"), ("\ud800", "not a text"), ("x" * (MAX_FILE_BYTES + 1), "bytes")]
    )
    def test_oversized_or_binary_content_is_refused(self, workspace: Workspace, folder: Path, text: str, why: str):
        for use in (workspace.write, workspace.append):
            with pytest.raises(BadInput, match=why):
                use(NOTES, text)
        with pytest.raises(BadInput, match=why):
            workspace.append_daily(text, NOON)
        assert not folder.exists()


class TestAppending:
    def test_lines_follow_each_other(self, workspace: Workspace):
        for text in ("one", "two\n", "three\nfour\n\n"):
            workspace.append(NOTES, text)
        assert workspace.read_text(NOTES) == "one\ntwo\nthree\nfour\n"

    def test_a_line_that_someone_left_open_is_not_continued(self, workspace: Workspace, folder: Path):
        folder.mkdir()
        (folder / NOTES).write_text("typed by hand")
        workspace.append(NOTES, "added")
        assert workspace.read_text(NOTES) == "typed by hand\nadded\n"

    @pytest.mark.parametrize("text", ["", " \n\t"])
    def test_appending_an_empty_text_is_refused(self, workspace: Workspace, folder: Path, text: str):
        with pytest.raises(BadInput, match="nothing"):
            workspace.append(NOTES, text)
        with pytest.raises(BadInput, match="nothing"):
            workspace.append_daily(text, NOON)
        assert not folder.exists()

    def test_a_full_file_takes_no_more_and_keeps_what_it_has(self, workspace: Workspace):
        workspace.write(NOTES, "x" * (MAX_FILE_BYTES - 2))
        with pytest.raises(BadInput, match="full"):
            workspace.append(NOTES, "yy")
        assert workspace.read_text(NOTES) == "x" * (MAX_FILE_BYTES - 2)

    def test_a_disk_that_took_half_a_line_is_said_and_the_next_line_starts_anew(
        self, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ):
        workspace.append(NOTES, "one")
        whole = os.write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda file, data: whole(file, data[:2]))
            with pytest.raises(StoreUnwritable, match="No space"):
                workspace.append(NOTES, "two")
        workspace.append(NOTES, "three")
        assert workspace.read_text(NOTES) == "one\ntw\nthree\n"


class TestDailyLog:
    def test_a_log_begins_with_its_date_once(self, workspace: Workspace, folder: Path):
        assert workspace.append_daily("Tried Fastify", NOON) == "memory/2025-03-01.md"
        workspace.append_daily("- It works", NOON + timedelta(hours=1))
        assert workspace.read_text("memory/2025-03-01.md") == "# 2025-03-01\n\nTried Fastify\n- It works\n"
        assert files(folder) == ["memory/2025-03-01.md"]

    def test_a_new_day_has_a_new_log(self, workspace: Workspace, folder: Path):
        workspace.append_daily("late", NOON.replace(hour=23, minute=59, second=59))
        workspace.append_daily("early", NOON.replace(day=2, hour=0))
        assert files(folder) == ["memory/2025-03-01.md", "memory/2025-03-02.md"]

    @pytest.mark.parametrize(
        ("at", "name"),
        [
            (datetime(2025, 3, 1, 23, tzinfo=timezone(timedelta(hours=-5))), "memory/2025-03-02.md"),
            (datetime(2025, 3, 1, 3, tzinfo=timezone(timedelta(hours=9))), "memory/2025-02-28.md"),
            (datetime(2025, 3, 1, 23), "memory/2025-03-01.md"),  # taken as UTC
            (datetime(33, 4, 3, tzinfo=UTC), "memory/0033-04-03.md"),
        ],
    )
    def test_the_day_is_that_of_the_moment_in_utc(self, at: datetime, name: str):
        assert daily(at) == name

    @pytest.mark.parametrize("can_link", [True, False])
    def test_threads_lose_no_line_and_the_date_stands_once(
        self, workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch, can_link: bool
    ):
        if not can_link:  # as on FAT
            monkeypatch.setattr(Path, "hardlink_to", failing(errno.EPERM))
        lines = [f"- {number} " + "x" * 300 for number in range(100)]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda line: workspace.append_daily(line, NOON), lines))
        found = (workspace.read_text(daily(NOON)) or "").split("\n")
        assert sorted(line for line in found if line) == sorted([*lines, "# 2025-03-01"])
        assert files(folder) == ["memory/2025-03-01.md"]
        assert not can_link or found[0] == "# 2025-03-01"

    @pytest.mark.slow
    def test_processes_lose_no_line(self, workspace: Workspace, folder: Path):
        program = (
            "import sys; from datetime import datetime; from pathlib import Path\n"
            "from recollect.workspace import Workspace\n"
            "for number in range(40):\n"
            "    Workspace(Path(sys.argv[1])).append_daily(f'{sys.argv[2]} {number}', datetime(2025, 3, 1))\n"
        )
        running = [subprocess.Popen([sys.executable, "-c", program, str(folder), name]) for name in "abc"]
        assert [process.wait(60) for process in running] == [0, 0, 0]
        header, _, *found = (workspace.read_text(daily(NOON)) or "").splitlines()
        assert header == "# 2025-03-01"
        assert sorted(found) == sorted(f"{name} {number}" for name in "abc" for number in range(40))
