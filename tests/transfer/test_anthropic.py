"""The folder of Anthropic's memory tool."""

from pathlib import Path

import pytest

from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, PageEntry, Problem
from recollect.faces.tool.files import MemoryFiles
from tests.transfer.forms import ANTHROPIC as FORMAT
from tests.transfer.moving import ANN, import_, memos_of, opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a model made with the tool itself."""
    files = MemoryFiles(tmp_path / "agent", "model")
    files.create("/memories/preferences.md", "# Preferences\n- I prefer tea\n- I play chess\n")
    files.create("/memories/projects/shop.txt", "The shop runs on Django.\n")
    files.create("/memories/progress.xml", "<progress>half done</progress>\n")
    return tmp_path / "agent" / "users" / "model" / "memories"


@pytest.mark.parametrize("up", [False, True])
def test_files_are_pages_and_what_texts_say_are_entries(folder: Path, up: bool):
    items = list(FORMAT.read(folder.parent if up else folder, ANN))
    pages = [(item.name, item.user) for item in items if isinstance(item, PageEntry)]
    assert pages == [
        ("memories/preferences.md", "ann"),
        ("memories/progress.xml", "ann"),
        ("memories/projects/shop.txt", "ann"),
    ]
    assert [item.text for item in items if isinstance(item, Entry)] == [
        "I prefer tea",
        "I play chess",
        "The shop runs on Django.",
    ]


async def test_the_memory_tool_here_has_the_same_files_and_memories_are_found(folder: Path, tmp_path: Path):
    async with opened(tmp_path / "store") as memory:
        report, again = await import_(memory, folder, at=now()), await import_(memory, folder, at=now())
        tool = MemoryFiles(memory.settings.workspace.dir, "ann")
        assert "I prefer tea" in tool.view("/memories/preferences.md")
        assert "half done" in tool.view("/memories/progress.xml")
        assert {*await memos_of(memory)} == {"I prefer tea", "I play chess", "The shop runs on Django."}
    assert report.counts["new"] == {"memory": 3, "page": 3}
    assert (again.new, again.same) == (0, 6)


def test_a_file_that_is_no_text_is_named(folder: Path):
    (folder / "picture.md").write_bytes(b"\x89PNG\x00")
    problems = [item for item in FORMAT.read(folder, ANN) if isinstance(item, Problem)]
    assert [one.location for one in problems] == ["picture.md"]


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path):
    (tmp_path / "x").write_text("hello")
    with pytest.raises(BadInput, match="is not a folder"):
        list(FORMAT.read(tmp_path / "x", ANN))
