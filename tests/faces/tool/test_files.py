"""A model's own files under /memories: Anthropic's memory tool on a real file system, through Anthropic's classes."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.adapters.anthropic import AnthropicMemory, AsyncAnthropicMemory
from recollect.faces.tool.files import MAX_FILE_BYTES, MAX_FILES, MemoryFiles
from recollect.workspace import Workspace

NOTE = "/memories/notes/tea.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def tool(folder: Path) -> AnthropicMemory:
    return AnthropicMemory(folder, user="ann")


def do(tool: AnthropicMemory, command: str, **given: Any) -> str:
    return tool.call({"command": command, **given})


def error(tool: AnthropicMemory, command: str, **given: Any) -> str:
    with pytest.raises(ToolError) as raised:
        do(tool, command, **given)
    return str(raised.value)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_the_definition_is_anthropics_memory_tool(tool: AnthropicMemory):
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}


class TestCommands:
    def test_a_file_is_created_and_viewed_with_line_numbers(self, tool: AnthropicMemory, folder: Path):
        assert do(tool, "create", path=NOTE, file_text="one\ntwo\nthree") == f"File created successfully at: {NOTE}"
        assert do(tool, "view", path=NOTE) == (
            f"Here's the content of {NOTE} with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree"
        )
        assert files(folder) == ["users/ann/memories/notes/tea.md"]

    @pytest.mark.parametrize(
        ("lines", "seen"),
        [
            ([2, 3], "     2\ttwo\n     3\tthree"),
            ([3, -1], "     3\tthree"),
            ([-4, 1], "     1\tone"),
            ([3, 99], "     3\tthree"),
        ],
    )
    def test_a_range_of_lines_is_viewed(self, tool: AnthropicMemory, lines: list[int], seen: str):
        do(tool, "create", path=NOTE, file_text="one\ntwo\nthree")
        assert do(tool, "view", path=NOTE, view_range=lines).partition("\n")[2] == seen

    @pytest.mark.parametrize("lines", [[3, 2], [4, 5], [1], [1, 2, 3]])
    def test_a_range_that_holds_no_line_is_refused(self, tool: AnthropicMemory, lines: list[int]):
        do(tool, "create", path=NOTE, file_text="one\ntwo\nthree")
        assert "The file has 3 lines." in error(tool, "view", path=NOTE, view_range=lines)

    def test_a_folder_is_listed_two_levels_deep_with_sizes(self, tool: AnthropicMemory, folder: Path):
        assert do(tool, "view", path="/memories").endswith("excluding hidden items:\n0B\t/memories")
        do(tool, "create", path="/memories/b.md", file_text="x" * 1536)
        do(tool, "create", path="/memories/a/deep/c.md", file_text="cc")
        (folder / "users/ann/memories/.hidden").write_text("h")
        assert do(tool, "view", path="/memories") == (
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
            "1.5K\t/memories\n2B\t/memories/a/\n2B\t/memories/a/deep/\n1.5K\t/memories/b.md"
        )
        assert do(tool, "view", path="/memories/a/").splitlines()[1:] == [
            "2B\t/memories/a",
            "2B\t/memories/a/deep/",
            "2B\t/memories/a/deep/c.md",
        ]

    def test_creating_an_existing_file_is_refused(self, tool: AnthropicMemory):
        do(tool, "create", path=NOTE, file_text="one")
        assert error(tool, "create", path=NOTE, file_text="two") == f"File {NOTE} already exists"
        assert "already exists" in error(tool, "create", path="/memories/notes", file_text="two")
        assert do(tool, "view", path=NOTE).endswith("\tone")

    def test_a_text_is_replaced_where_it_occurs_once(self, tool: AnthropicMemory):
        do(tool, "create", path=NOTE, file_text="\n".join("abcdefg"))
        assert do(tool, "str_replace", path=NOTE, old_str="d", new_str="D1\nD2") == (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            "     2\tb\n     3\tc\n     4\tD1\n     5\tD2\n     6\te"
        )

    def test_a_text_that_is_not_there_or_there_twice_is_not_replaced(self, tool: AnthropicMemory):
        do(tool, "create", path=NOTE, file_text="tea\nmilk\ntea and tea")
        assert error(tool, "str_replace", path=NOTE, old_str="tea", new_str="x") == (
            "No replacement was performed. Multiple occurrences of old_str `tea` in lines: 1, 3, 3. "
            "Please ensure it is unique"
        )
        assert error(tool, "str_replace", path=NOTE, old_str="rum", new_str="x") == (
            f"No replacement was performed, old_str `rum` did not appear verbatim in {NOTE}."
        )
        assert "did not appear" in error(tool, "str_replace", path=NOTE, old_str="", new_str="x")

    @pytest.mark.parametrize(("at", "after"), [(0, "new\none\ntwo\n"), (1, "one\nnew\ntwo\n"), (2, "one\ntwo\nnew\n")])
    def test_lines_are_inserted(self, tool: AnthropicMemory, folder: Path, at: int, after: str):
        do(tool, "create", path=NOTE, file_text="one\ntwo\n")
        assert do(tool, "insert", path=NOTE, insert_line=at, insert_text="new\n") == f"The file {NOTE} has been edited."
        assert Workspace(folder, "ann").read_text("memories/notes/tea.md") == after

    def test_lines_can_not_be_inserted_beyond_the_end(self, tool: AnthropicMemory):
        do(tool, "create", path=NOTE, file_text="one\ntwo\n")
        for at in (-1, 3):
            assert error(tool, "insert", path=NOTE, insert_line=at, insert_text="new") == (
                f"Invalid `insert_line` parameter: {at}. It should be within the range [0, 2]."
            )
        do(tool, "create", path="/memories/empty.md", file_text="")
        do(tool, "insert", path="/memories/empty.md", insert_line=0, insert_text="new")
        assert do(tool, "view", path="/memories/empty.md", view_range=[1, 1]).endswith("     1\tnew")

    def test_files_and_folders_are_deleted(self, tool: AnthropicMemory, folder: Path):
        for name in ("a/1.md", "a/b/2.md", "c.md"):
            do(tool, "create", path=f"/memories/{name}", file_text="x")
        assert do(tool, "delete", path="/memories/a") == "Successfully deleted /memories/a"
        assert do(tool, "delete", path="/memories/c.md") == "Successfully deleted /memories/c.md"
        assert files(folder) == []
        assert error(tool, "delete", path="/memories/c.md") == "The path /memories/c.md does not exist"
        assert error(tool, "delete", path="/memories/") == "Cannot delete the /memories directory itself"

    def test_files_and_folders_are_renamed_but_never_onto_others(self, tool: AnthropicMemory, folder: Path):
        do(tool, "create", path=NOTE, file_text="tea")
        do(tool, "create", path="/memories/b.md", file_text="b")
        moved = do(tool, "rename", old_path=NOTE, new_path="/memories/new/place.md")
        assert moved == f"Successfully renamed {NOTE} to /memories/new/place.md"
        do(tool, "rename", old_path="/memories/new", new_path="/memories/newer")
        assert files(folder) == ["users/ann/memories/b.md", "users/ann/memories/newer/place.md"]
        for target in ("/memories/newer/place.md", "/memories/newer"):
            assert error(tool, "rename", old_path="/memories/b.md", new_path=target) == (
                f"The destination {target} already exists"
            )
        assert "does not exist" in error(tool, "rename", old_path=NOTE, new_path="/memories/x.md")
        assert "itself" in error(tool, "rename", old_path="/memories", new_path="/memories/x")
        assert error(tool, "rename", old_path="/memories/newer", new_path="/memories/newer/inside")
        assert do(tool, "view", path="/memories/b.md").endswith("\tb")

    def test_everything_is_cleared_but_what_the_model_did_not_write(self, tool: AnthropicMemory, folder: Path):
        Workspace(folder, "ann").write("MEMORY.md", "hers")
        do(tool, "create", path=NOTE, file_text="tea")
        assert tool.clear_all_memory() == "All memory cleared"
        assert files(folder) == ["users/ann/MEMORY.md"]
        assert tool.clear_all_memory() == "All memory cleared"

    def test_a_missing_path_or_a_folder_is_reported(self, tool: AnthropicMemory):
        do(tool, "create", path=NOTE, file_text="tea")
        for command, more in (("view", {}), ("insert", {"insert_line": 0, "insert_text": "x"})):
            assert error(tool, command, path="/memories/no.md", **more) == (
                "The path /memories/no.md does not exist. Please provide a valid path."
            )
        assert error(tool, "str_replace", path="/memories/notes", old_str="a", new_str="b") == (
            "The path /memories/notes is not a file."
        )
        assert error(tool, "create", path="/memories", file_text="x") == "The path /memories is not a file."

    @pytest.mark.parametrize(
        "given",
        [
            {},
            None,
            "view",
            [],
            {"command": "zap"},
            {"command": "view"},
            {"command": "view", "path": 3},
            {"path": "/memories"},
        ],
    )
    def test_an_invalid_command_raises_a_tool_error(self, tool: AnthropicMemory, given: object):
        with pytest.raises(ToolError, match="This is no memory command"):
            tool.call(given)


class TestSafety:
    @pytest.mark.parametrize(
        "path",
        [
            *("/etc/passwd", "memories/x", "/memoriesx", "/memories/../MEMORY.md", "/memories/a/../../../x", "", "/"),
            *(
                "/memories/..",
                "/memories//x",
                "/memories/./x",
                "/memories/.ssh",
                "/memories/a\\..\\x",
                "/memories/a\0b",
            ),
            *("/memories/../../bob/memories/x.md", "/memories/C:/x", "../memories/x", "/memories/" + "a" * 300),
        ],
    )
    def test_paths_outside_the_users_folder_are_refused(self, tool: AnthropicMemory, folder: Path, path: str):
        AnthropicMemory(folder, user="bob").call({"command": "create", "path": "/memories/x.md", "file_text": "bob's"})
        Workspace(folder, "ann").write("MEMORY.md", "hers")
        do(tool, "create", path="/memories/ok.md", file_text="ok")
        before = files(folder)
        assert error(tool, "view", path=path)
        assert error(tool, "create", path=path, file_text="x")
        assert error(tool, "delete", path=path)
        assert error(tool, "str_replace", path=path, old_str="h", new_str="x")
        assert error(tool, "insert", path=path, insert_line=0, insert_text="x")
        assert error(tool, "rename", old_path=path, new_path="/memories/stolen.md")
        assert error(tool, "rename", old_path="/memories/ok.md", new_path=path)
        assert files(folder) == before

    @given(st.text(max_size=40))
    @example("/../../x")
    @example("/%2e%2e/x")
    def test_whatever_is_asked_for_stays_inside(self, tmp_path_factory: pytest.TempPathFactory, rest: str):
        folder = tmp_path_factory.mktemp("any")
        tool = AnthropicMemory(folder / "workspace", user="ann")
        try:
            do(tool, "create", path=f"/memories{rest}", file_text="x")
        except ToolError:
            assert files(folder) == []
        else:
            assert all(name.startswith("workspace/users/ann/memories/") for name in files(folder))

    def test_links_lead_nowhere(self, tool: AnthropicMemory, folder: Path, tmp_path: Path):
        (tmp_path / "secret.md").write_text("secret")
        do(tool, "create", path="/memories/ok.md", file_text="ok")
        inside = folder / "users/ann/memories"
        (inside / "link.md").symlink_to(tmp_path / "secret.md")
        (inside / "away").symlink_to(tmp_path)
        for path in ("/memories/link.md", "/memories/away", "/memories/away/secret.md"):
            assert "secret" not in error(tool, "view", path=path).replace("secret.md", "")
            assert error(tool, "str_replace", path=path, old_str="secret", new_str="x")
        assert error(tool, "delete", path="/memories/away/secret.md")
        assert error(tool, "rename", old_path="/memories/link.md", new_path="/memories/mine.md")
        assert "link" not in do(tool, "view", path="/memories")
        do(tool, "delete", path="/memories/away")
        do(tool, "delete", path="/memories/link.md")
        assert (tmp_path / "secret.md").read_text() == "secret"

    def test_users_have_files_of_their_own(self, tool: AnthropicMemory, folder: Path):
        do(tool, "create", path=NOTE, file_text="hers")
        assert "does not exist" in error(AnthropicMemory(folder, user="bob"), "view", path=NOTE)
        assert "does not exist" in error(AnthropicMemory(folder, user="Ann"), "view", path=NOTE)

    def test_secrets_are_not_written(self, tool: AnthropicMemory, folder: Path):
        key = "AKIA" + "IOSFODNN7EXAMPLE"
        assert "\nNot stored: " in do(tool, "create", path=NOTE, file_text=f"key {key}\n")
        assert "\nNot stored: " in do(tool, "insert", path=NOTE, insert_line=0, insert_text=key)
        do(tool, "insert", path=NOTE, insert_line=0, insert_text="here")
        assert "\nNot stored: " in do(tool, "str_replace", path=NOTE, old_str="here", new_str=key)
        assert key not in (Workspace(folder, "ann").read_text("memories/notes/tea.md") or "")


class TestLimits:
    def test_a_file_may_be_large_but_not_too_large(self, tool: AnthropicMemory, folder: Path):
        do(tool, "create", path=NOTE, file_text="word " * (MAX_FILE_BYTES // 5))
        assert "Use several files" in error(tool, "insert", path=NOTE, insert_line=0, insert_text="x")
        assert "Use several files" in error(
            tool, "create", path="/memories/b.md", file_text="é" * (MAX_FILE_BYTES // 2 + 1)
        )
        assert files(folder) == ["users/ann/memories/notes/tea.md"]

    def test_there_may_be_many_files_but_not_too_many(self, tool: AnthropicMemory, folder: Path):
        inside = folder / "users/ann/memories"
        inside.mkdir(parents=True)
        for number in range(MAX_FILES):
            (inside / f"{number}.md").touch()
        assert "delete some" in error(tool, "create", path=NOTE, file_text="x")
        do(tool, "delete", path="/memories/7.md")
        do(tool, "create", path=NOTE, file_text="x")

    def test_binary_content_is_refused(self, tool: AnthropicMemory, folder: Path):
        assert error(tool, "create", path=NOTE, file_text="a\0b")
        do(tool, "create", path=NOTE, file_text="x")
        (folder / "users/ann/memories/picture.png").write_bytes(b"\x89PNG\xff")
        assert "not a text" in error(tool, "view", path="/memories/picture.png")
        os.mkfifo(folder / "users/ann/memories/pipe")
        assert error(tool, "view", path="/memories/pipe")


class TestTogether:
    def test_edits_at_the_same_time_are_all_kept(self, folder: Path):
        kept = MemoryFiles(folder, "ann")
        kept.create(NOTE, "")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: kept.insert(NOTE, 0, f"line {number}"), range(40)))
        text = Workspace(folder, "ann").read_text("memories/notes/tea.md") or ""
        assert sorted(text.split("\n")[:-1]) == sorted(f"line {number}" for number in range(40))

    def test_of_those_who_create_a_file_one_wins(self, folder: Path):
        def attempt(number: int) -> bool:
            try:
                MemoryFiles(folder, "ann").create(NOTE, str(number))
            except ValueError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(attempt, range(16))) == 1

    async def test_the_asynchronous_tool_does_the_same(self, folder: Path):
        tool = AsyncAnthropicMemory(folder, user="ann")
        assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
        calls = (
            {"command": "create", "path": f"/memories/{number}.md", "file_text": str(number)} for number in range(8)
        )
        await asyncio.gather(*map(tool.call, calls))
        assert len(files(folder)) == 8
        assert (await tool.call({"command": "view", "path": "/memories/3.md"})).endswith("     1\t3")
        with pytest.raises(ToolError, match="does not exist"):
            await tool.call({"command": "delete", "path": "/memories/x.md"})
        assert await tool.clear_all_memory() == "All memory cleared"
        assert files(folder) == []
