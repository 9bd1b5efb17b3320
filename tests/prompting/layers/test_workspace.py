"""The layer of files: which paths a prompt lists in which place, through `Memory.context`."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import Place
from recollect.core.errors import BadInput
from recollect.core.types import Message
from recollect.prompting.assemble import Prompt, Section
from recollect.prompting.layers.workspace import WorkspaceLayer
from recollect.settings import load
from recollect.testing.clock import START, FakeClock
from recollect.workspace import Workspace
from tests import ground

DEV = Place("discord", "g1", "c-dev", name="dev", public=True)
STAFF = Place("discord", "g1", "c-staff", name="staff")
ALONE = ("discoclaw", "dnam")
HEADER = "Context files (read with Read tool before responding, in order):"
TODAY, YESTERDAY, OLDER = "memory/2025-03-01.md", "memory/2025-02-28.md", "memory/2025-02-27.md"


def dm(user: str) -> Place:
    return Place("discord", dm=user, channel=f"dm-{user}")


def made(folder: Path, *names: str) -> list[Path]:
    paths = [folder / name for name in names]
    for name, path in zip(names, paths, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}", "utf-8")
    return paths


async def prompt(folder: Path, place: Place, user: str = "ann", **settings: Any) -> Prompt:
    settings = {"profile": "unified", "embedder": "null", "data_dir": str(folder), **settings}
    async with recollect.AsyncMemory(ground.new(), clock=settings.pop("clock", FakeClock()), **settings) as memory:
        return await memory.context(Message("m1", user, place, "hello", START))


async def section(folder: Path, place: Place, user: str = "ann", **settings: Any) -> Section | None:
    found = await prompt(folder, place, user, **settings)
    return next((one for one in found.sections if one.name == "context"), None)


async def listed(folder: Path, place: Place, user: str = "ann", **settings: Any) -> list[str]:
    """The paths in the prompt, from the data folder on."""
    found = await section(folder, place, user, **settings)
    return [line.text.removeprefix(f"- {folder}/") for line in found.lines] if found else []


class TestNotes:
    @pytest.mark.acceptance("A34", "A35")
    @pytest.mark.parametrize("profile", ALONE)
    async def test_notes_and_daily_logs_are_listed_in_dms_only(self, profile: str, tmp_path: Path):
        made(tmp_path / "workspace", "MEMORY.md", TODAY, YESTERDAY, OLDER)
        notes = [f"workspace/{name}" for name in ("MEMORY.md", TODAY, YESTERDAY)]
        assert await listed(tmp_path, dm("ann"), profile=profile) == notes
        for place in (DEV, STAFF, replace(DEV, thread="t1"), Place(channel="dm-ann")):
            assert await listed(tmp_path, place, profile=profile) == []

    @pytest.mark.acceptance("A35")
    async def test_each_user_has_notes_that_no_other_dm_lists(self, tmp_path: Path):
        made(tmp_path / "workspace", "MEMORY.md", "users/ann/MEMORY.md", f"users/bob/{TODAY}")
        assert await listed(tmp_path, dm("ann")) == ["workspace/users/ann/MEMORY.md"]
        assert await listed(tmp_path, dm("bob"), "bob") == [f"workspace/users/bob/{TODAY}"]
        assert await listed(tmp_path, dm("eve"), "eve") == []
        assert await listed(tmp_path, DEV) == []

    @pytest.mark.acceptance("A35")
    @pytest.mark.parametrize("per_user", [True, False])
    async def test_someone_else_in_a_persons_dm_sees_no_notes(self, per_user: bool, tmp_path: Path):
        made(tmp_path / "workspace", "MEMORY.md", "users/ann/MEMORY.md", "users/eve/MEMORY.md")
        with pytest.raises(BadInput, match="can't speak in the DM of 'ann'"):
            await listed(tmp_path, dm("ann"), "eve", workspace__per_user=per_user)
        settings = load(env={}, data_dir=str(tmp_path), workspace__per_user=per_user).settings
        scene: Any = type("Seen", (), {"user": "discord:eve", "place": dm("ann"), "now": START})
        assert not [line for block in await WorkspaceLayer(settings).blocks(scene) for line in block.lines]

    @pytest.mark.parametrize("user", ["..", "../ann", "ann/", "./ann", "ANN"])
    async def test_no_id_leads_to_the_notes_of_another(self, user: str, tmp_path: Path):
        made(tmp_path / "workspace", "MEMORY.md", "users/MEMORY.md", "users/ann/MEMORY.md")
        assert await listed(tmp_path, dm(user), user) == []

    async def test_notes_that_are_a_link_out_of_the_workspace_are_not_listed(self, tmp_path: Path):
        made(tmp_path, "secret.md")
        made(tmp_path / "workspace/users", "bob/MEMORY.md", f"ann/{TODAY}")
        (tmp_path / "workspace/users/ann/MEMORY.md").symlink_to(tmp_path / "secret.md")
        (tmp_path / f"workspace/users/ann/{YESTERDAY}").symlink_to(tmp_path / "workspace/users/bob/MEMORY.md")
        assert await listed(tmp_path, dm("ann")) == [f"workspace/users/ann/{TODAY}"]

    async def test_logs_follow_the_day(self, tmp_path: Path):
        workspace = Workspace(tmp_path / "workspace", "ann")
        clock = FakeClock()
        seen: list[list[str]] = []
        for _ in range(3):
            name = workspace.append_daily("a note", clock())
            found = await listed(tmp_path, dm("ann"), clock=clock)
            seen.append([path.rpartition("/")[2] for path in found])
            assert found[0].endswith(name)
            clock.advance(days=1)
        assert seen == [
            ["2025-03-01.md"],
            ["2025-03-02.md", "2025-03-01.md"],
            ["2025-03-03.md", "2025-03-02.md"],
        ]

    async def test_what_the_assistant_writes_is_listed_in_the_next_prompt(self, tmp_path: Path):
        assert await listed(tmp_path, dm("ann")) == []
        Workspace(tmp_path / "workspace", "ann").write("MEMORY.md", "## Project")
        assert await listed(tmp_path, dm("ann")) == ["workspace/users/ann/MEMORY.md"]


class TestContextFiles:
    async def test_base_files_are_listed_everywhere_in_order(self, tmp_path: Path):
        made(tmp_path / "context/base", "20-rules.md", "10-core.md", "notes.txt", "deeper/more.md", "bad\nname.md")
        base = ["context/base/10-core.md", "context/base/20-rules.md"]
        for place in (DEV, STAFF, dm("ann")):
            assert await listed(tmp_path, place) == base

    async def test_a_channels_file_is_listed_in_it_and_in_its_threads(self, tmp_path: Path):
        made(tmp_path / "context", "base/core.md", "channels/c-dev.md", "channels/dm-ann.md")
        both = ["context/base/core.md", "context/channels/c-dev.md"]
        assert await listed(tmp_path, DEV) == both
        assert await listed(tmp_path, replace(DEV, thread="t1", name="my thread")) == both
        assert await listed(tmp_path, STAFF) == both[:1]
        assert await listed(tmp_path, dm("ann")) == both[:1]

    @pytest.mark.parametrize("profile", ALONE)
    async def test_a_single_owner_may_name_the_file_after_the_channel(self, profile: str, tmp_path: Path):
        made(tmp_path / "context", "channels/dev.md")
        assert await listed(tmp_path, DEV, profile=profile) == ["context/channels/dev.md"]
        made(tmp_path / "context", "channels/c-dev.md")
        assert await listed(tmp_path, DEV, profile=profile) == ["context/channels/c-dev.md"]

    @pytest.mark.parametrize("profile", ["unified", *ALONE])
    async def test_a_name_that_anyone_may_choose_leads_to_no_file(self, profile: str, tmp_path: Path):
        made(tmp_path / "context", "channels/staff.md", "base/core.md")
        thread = replace(DEV, thread="t1", name="staff")
        assert await listed(tmp_path, thread, profile=profile) == ["context/base/core.md"]
        foreign = Place("discord", "g2", "c9", name="staff")
        found = await listed(tmp_path, foreign, profile=profile)
        assert ("context/channels/staff.md" in found) == (profile in ALONE)

    @pytest.mark.parametrize("name", ["../base/core", "..", "/etc/passwd", "a\0b", "x" * 5000, "\ud800"])
    async def test_no_channel_leads_out_of_its_folder(self, name: str, tmp_path: Path):
        made(tmp_path / "context", "secret.md", "channels/ok.md")
        place = Place("discord", "g1", name, name=name)
        assert await listed(tmp_path, place, profile="discoclaw") == []


class TestSection:
    @pytest.mark.acceptance("A36")
    @pytest.mark.parametrize("profile", ["unified", *ALONE])
    async def test_paths_not_contents_without_a_budget(self, profile: str, tmp_path: Path):
        written = made(tmp_path / "context/base", *(f"{number:03}-{'x' * 100}.md" for number in range(300)))
        mine = "users/ann/MEMORY.md" if profile == "unified" else "MEMORY.md"
        written += made(tmp_path / "workspace", mine)
        found = await section(tmp_path, dm("ann"), profile=profile)
        assert found is not None
        assert (len(found.lines), found.limit, found.left_out) == (301, None, 0)
        header, *lines = found.text.splitlines()
        assert header == HEADER
        assert set(lines) == {f"- {path}" for path in written}
        assert "content of" not in found.text

    @pytest.mark.parametrize("profile", ["unified", *ALONE])
    async def test_files_come_before_all_that_is_remembered(self, profile: str, tmp_path: Path):
        made(tmp_path / "context/base", "core.md")
        settings: dict[str, Any] = {"profile": profile, "embedder": "null", "data_dir": str(tmp_path)}
        async with recollect.AsyncMemory(ground.new(), **settings) as memory:
            await memory.remember("Prefers Rust", user="ann", place=DEV)
            found = await memory.context(Message("m1", "ann", DEV, "hello", START))
        names = [one.name for one in found.sections if one.name != "instructions"]
        assert names[:2] == ["context", "durable"]

    async def test_without_files_there_is_no_section(self, tmp_path: Path):
        assert await section(tmp_path, dm("ann")) is None
        assert await section(tmp_path, DEV) is None

    async def test_paths_are_as_configured(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.chdir(tmp_path)
        made(tmp_path, "notes/users/ann/MEMORY.md", "content/base/core.md")
        found = await section(
            tmp_path, dm("ann"), workspace__dir="notes", workspace__context_dir=str(tmp_path / "content")
        )
        assert found is not None
        assert found.text.splitlines()[1:] == [f"- {tmp_path}/content/base/core.md", "- notes/users/ann/MEMORY.md"]

    async def test_the_disk_is_not_touched_on_the_event_loop(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        made(tmp_path / "workspace/users/ann", "MEMORY.md")
        made(tmp_path / "context", "base/core.md", "channels/c-dev.md")
        threads: set[int] = set()

        def noting(real: Callable[..., Any]) -> Callable[..., Any]:
            return lambda *given, **named: (threads.add(threading.get_ident()), real(*given, **named))[1]

        for name in ("is_file", "glob", "resolve"):
            monkeypatch.setattr(Path, name, noting(getattr(Path, name)))

        settings = load(env={}, data_dir=str(tmp_path)).settings
        layer = WorkspaceLayer(settings)
        for place in (dm("ann"), DEV):
            scene: Any = type("Seen", (), {"user": "discord:ann", "place": place, "now": START})
            assert len((await layer.blocks(scene))[0].lines) == 2
        assert threads
        assert threading.get_ident() not in threads
