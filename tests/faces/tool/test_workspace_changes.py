"""Files of a workspace that are made, listed, moved and deleted: never half, never another's, never elsewhere."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from recollect.core.errors import BadInput, StoreUnwritable
from recollect.workspace import Workspace
from recollect.workspace.disk import MAX_FILE_BYTES, Entry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def workspace(folder: Path) -> Workspace:
    return Workspace(folder)


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class TestCreate:
    def test_a_file_is_made_once(self, workspace: Workspace, folder: Path):
        workspace.create("a/b.md", "one")
        with pytest.raises(BadInput, match="already exists"):
            workspace.create("a/b.md", "two")
        assert workspace.read_text("a/b.md") == "one"
        assert everything(folder) == ["a", "a/b.md"]

    def test_of_many_at_the_same_time_one_makes_it_whole(self, workspace: Workspace, folder: Path):
        def attempt(number: int) -> str | None:
            text = str(number) * 50_000
            try:
                workspace.create("a.md", text)
            except BadInput:
                return None
            return text

        with ThreadPoolExecutor(8) as pool:
            (made,) = filter(None, pool.map(attempt, range(9)))
        assert workspace.read_text("a.md") == made
        assert everything(folder) == ["a.md"]

    def test_an_oversized_file_leaves_no_folder_behind(self, workspace: Workspace, folder: Path):
        with pytest.raises(BadInput):
            workspace.create("a.md", "x" * (MAX_FILE_BYTES + 1))
        assert not folder.exists()


class TestEntries:
    def test_a_folder_that_is_none_has_no_list(self, workspace: Workspace):
        workspace.write("a.md", "x")
        assert (workspace.entries("none"), workspace.entries("a.md")) == (None, None)

    def test_files_come_in_order_and_folders_with_the_size_of_their_files(self, workspace: Workspace, folder: Path):
        for name in ("n/b.md", "n/a/2.md", "n/a/1.md", "n/a-b.md", "other.md"):
            workspace.write(name, "xy")
        (folder / "n/.secret").write_text("hidden")
        (folder / "n/link").symlink_to(folder / "other.md")
        (folder / "n/empty").mkdir()
        assert workspace.entries("n") == [
            Entry("a", 4, True),
            Entry("a/1.md", 2, False),
            Entry("a/2.md", 2, False),
            Entry("a-b.md", 2, False),
            Entry("b.md", 2, False),
            Entry("empty", 0, True),
        ]
        assert workspace.entries("n/empty") == []


class TestRemove:
    def test_a_file_or_a_folder_goes_with_all_that_is_in_it(self, workspace: Workspace, folder: Path):
        for name in ("a/b/c.md", "a/d.md", "e.md"):
            workspace.write(name, "x")
        assert [workspace.remove(name) for name in ("a", "e.md", "a", "e.md")] == [True, True, False, False]
        assert everything(folder) == []

    def test_a_link_goes_and_not_what_it_leads_to(self, workspace: Workspace, folder: Path, tmp_path: Path):
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "x.md").write_text("x")
        workspace.write("a/b.md", "b")
        (folder / "a/link").symlink_to(tmp_path / "outside")
        with pytest.raises(BadInput, match="out of the workspace"):
            workspace.remove("a/link/x.md")
        assert workspace.remove("a")
        assert (tmp_path / "outside" / "x.md").read_text() == "x"

    @pytest.mark.parametrize("name", ["", ".", "..", "/", "../x", "a/..", "/etc"])
    def test_a_name_that_could_lead_elsewhere_is_refused(self, workspace: Workspace, name: str):
        workspace.write("a.md", "x")
        for use in (
            workspace.remove,
            lambda name: workspace.move(name, "b.md"),
            lambda name: workspace.move("a.md", name),
        ):
            with pytest.raises(BadInput):
                use(name)
        assert workspace.read_text("a.md") == "x"


class TestMove:
    def test_files_and_folders_get_other_names(self, workspace: Workspace, folder: Path):
        workspace.write("a/b.md", "b")
        assert workspace.move("a/b.md", "new/c.md")
        assert workspace.move("new", "newer/deep")
        assert everything(folder) == ["a", "newer", "newer/deep", "newer/deep/c.md"]
        assert not workspace.move("none", "x")

    def test_moving_onto_an_existing_path_is_refused(self, workspace: Workspace):
        workspace.write("a.md", "a")
        workspace.write("b/c.md", "c")
        for target in ("b/c.md", "b"):
            with pytest.raises(BadInput, match="already exists"):
                workspace.move("a.md", target)
        assert (workspace.read_text("a.md"), workspace.read_text("b/c.md")) == ("a", "c")

    def test_of_many_files_that_take_a_name_at_the_same_time_none_is_lost(self, workspace: Workspace):
        names = [f"{number}.md" for number in range(12)]
        for name in names:
            workspace.write(name, name)

        def attempt(name: str) -> bool:
            try:
                return workspace.move(name, "target.md")
            except BadInput:
                return False

        with ThreadPoolExecutor(8) as pool:
            won = [name for name, moved in zip(names, pool.map(attempt, names), strict=True) if moved]
        texts = {workspace.read_text(name) for name in [*names, "target.md"]} - {None}
        assert (len(won), workspace.read_text("target.md"), texts) == (1, won[0], set(names))

    def test_a_folder_can_not_be_moved_into_itself(self, workspace: Workspace):
        workspace.write("a/b.md", "b")
        with pytest.raises((BadInput, StoreUnwritable)):
            workspace.move("a", "a/inside")
        assert workspace.read_text("a/b.md") == "b"

    def test_a_link_is_not_moved(self, workspace: Workspace, folder: Path, tmp_path: Path):
        workspace.write("a.md", "a")
        (folder / "link.md").symlink_to(tmp_path)
        with pytest.raises(BadInput, match="is a link"):
            workspace.move("link.md", "b.md")
