"""The benchmark of the public calls with a handful of memos: what it measures, not how long that takes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.baseline import Row, Script, terms_of
from bench.public.contenders.base import Said
from bench.public.contenders.script import Contender
from bench.public.measure import Figures, Run, Size, Work
from bench.public.sides import Side, started
from bench.public.vectors import vector

ROOT = Path(__file__).parents[2]
SMALL = ["--sizes", "20", "--large", "20", "--users", "2", "--rounds", "1", "--saves", "3", "--concurrent", "8"]
SMALL += ["--questions", "3", "--messages", "2", "--starts", "1", "--kills", "0"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.public", *words], cwd=ROOT, capture_output=True, text=True, timeout=110
    )


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str, Path]:
    """One run of two versions of the source, which are the same one here."""
    folder = tmp_path_factory.mktemp("public")
    versions = ["--src", f"before={ROOT / 'src'}", "--src", f"after={ROOT / 'src'}", "--base", "before"]
    done = run(*SMALL, *versions, "--without", "langgraph", "--without", "mem0", "--json", str(folder / "figures.json"),
               "--plot", str(folder / "public.png"))  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "figures.json").read_text("utf-8")), done.stdout, folder / "public.png"


@pytest.mark.slow
def test_every_public_call_is_measured_on_all_sides(result: tuple[dict[str, Any], str, Path]):
    figures, table, picture = result
    assert figures["sides"] == ["script", "before", "after"]
    assert list(figures["works"]) == [
        "save, 1,000 at once, up to 20 there",
        "save, one at a time, 20 there",
        "save, 64 at a time, 20 there",
        "search, one of 2 people, 20 memos",
        "memory with 20 memos",
        "add a message, learning on",
        "messages added at once and learned",
        "context",
        "search, 20 memos of one person",
        "context, 20 memos of one person",
        "bytes on disk per memo",
        "import, new process",
        "import, open, first save and search",
    ]
    for work in figures["works"].values():
        assert all(value > 0 for value in work["values"].values())
        assert work["ratios"]["before"] == 1, "it is the base"
    assert "ratio to before" in table
    assert picture.stat().st_size > 1000


@pytest.mark.slow
def test_a_version_of_the_source_is_taken_from_the_folder_that_is_named(result: tuple[dict[str, Any], str, Path]):
    figures, _, _ = result
    assert figures["sources"] == dict.fromkeys(("before", "after"), str(ROOT / "src" / "recollect"))


def test_a_base_that_does_not_take_part_is_refused():
    done = run("--base", "nobody", "--without", "langgraph", "--without", "mem0")
    assert done.returncode != 0
    assert "nobody is not among the sides: script, recollect" in done.stderr


def test_a_side_that_is_not_installed_says_why():
    assert Side("script", "script").missing() is None
    reason = Side("mem0", "mem0", python="/usr/bin/env").missing()
    assert reason


def test_a_version_that_is_not_there_is_noticed(tmp_path: Path):
    (tmp_path / "recollect").mkdir()
    (tmp_path / "recollect" / "__init__.py").write_text("raise ImportError('an empty version')\n", "utf-8")
    assert Side("before", "recollect", source=tmp_path).missing() == "ImportError: an empty version"


def test_saves_that_a_kill_loses_are_counted(tmp_path: Path):
    class Forgetful(Side):
        """It does not find the first one again that it has acknowledged."""

        def ask(self, task: str, **details: Any) -> dict[str, Any]:
            answer = super().ask(task, **details)
            return {"texts": answer["texts"][1:]} if task == "texts" else answer

    measured = Run([Side("script", "script"), Forgetful("forgetful", "script")], Size(kills=1), lambda _: None)
    measured.kills(tmp_path)
    work = Work("acknowledged saves lost by 1 kill -9", "")
    assert measured.figures.median(work, "script") == 0
    assert measured.figures.median(work, "forgetful") == 1


def test_a_ratio_is_taken_within_each_round():
    figures, work = Figures(), Work("search", "ms")
    for base, other in ((1.0, 2.0), (10.0, 20.0), (100.0, 200.0)):
        figures.add(work, Side("script", "script"), base)
        figures.add(work, Side("recollect", "recollect"), other)
    assert figures.ratio(work, "recollect", "script") == 2.0
    assert figures.ratio(work, "somebody", "script") is None


async def test_the_scripts_search_never_leaves_the_persons_rows(tmp_path: Path):
    script = Script(tmp_path / "script.db", 256)
    for user, text in (("u1", "I like green tea"), ("u2", "I like black tea"), ("u1", "I play chess")):
        script.save(Row(user, text, text, 1), vector(text))
    texts = [text for _, text in script.search("u1", terms_of("which tea"), vector("which tea"))]
    assert texts[0] == "I like green tea"
    assert set(texts) == {"I like green tea", "I play chess"}
    assert {text for _, text in script.search(None, terms_of("tea"), vector("tea"))} >= {"I like black tea"}
    script.close()


def test_a_child_keeps_what_it_saved_for_the_next_one(tmp_path: Path):
    side = Side("recollect", "recollect")
    for animal in ("cat", "dog"):
        with started([side], tmp_path):
            side.ask("save", pairs=[("u1", f"I own a {animal}")])
            texts = side.ask("texts", user="u1")["texts"]
            side.close()
    assert sorted(texts) == ["I own a cat", "I own a dog"]


async def test_the_scripts_prompt_holds_what_is_known_and_what_was_said(tmp_path: Path):
    contender = Contender()
    await contender.open(tmp_path)
    await contender.remember("u1", "I like green tea")
    await contender.add(Said("m1", "u2", "hello there"))
    said = Said("m2", "u1", "which tea?")
    prompt = contender.script.context("general", said.user, terms_of(said.text), vector(said.text))
    assert await contender.context(said) == len(prompt)
    assert "- I like green tea" in prompt
    assert "u2: hello there" in prompt
    await contender.close()
