"""The documentation keeps up: links lead somewhere, commands exist, figures are measured; `test_docs_code` runs it."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect import plugins
from recollect.core.events import EventKind
from recollect.core.ports.format import Owner
from recollect.core.ports.layer import Block, Line
from recollect.core.ports.ranker import RankItem, RankPool, RankQuery
from recollect.faces.cli.main import build
from recollect.prompting.assemble import assemble
from recollect.prompting.instructions import INSTRUCTIONS
from recollect.transfer.importing.detect import detect
from tests.test_architecture import TIERS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "recollect"
README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GUIDES = [README, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs").glob("[gh]*/*.md"))]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATH_PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "concepts" / "glossary.md"]
PATH = re.compile(r"\.?\w[\w.-]*(?:/[\w.-]+)+/?|\w+/|\w+\.(?:py|yaml|toml|txt|md)")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
COMMON = CliRunner().invoke(build(colors=False), ["--help"]).stdout
NO_NETWORK = """
import socket
def refuse(*_): raise OSError("this example needs no network")
socket.socket.connect = socket.getaddrinfo = refuse
"""


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[str]:
    """The fenced blocks of a page in one of these languages."""
    return [body for language, body in FENCE.findall(page.read_text("utf-8")) if language in languages]


def links(page: Path) -> list[str]:
    """Where a page links to inside the project; code is no link."""
    prose = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text("utf-8")))
    return [target for target in LINK.findall(prose) if "://" not in target and not target.startswith("mailto:")]


def anchors(page: Path) -> set[str]:
    """The anchors that a page's headings make."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def command_lines(page: Path) -> Iterator[list[str]]:
    """Every call of recollect in a page's shell blocks, as words behind `recollect`."""
    for language, body in FENCE.findall(page.read_text("utf-8")):
        lines = body.splitlines()
        if language == "console":  # the rest is output
            lines = [line[2:] for line in lines if line.startswith("$ ")]
        elif language not in ("sh", "bash"):
            continue
        for line in lines:
            for part in re.split(r"\s\|\s|&&|;", line):
                if "recollect" in part:
                    yield from calls(part)


def calls(text: str) -> Iterator[list[str]]:
    words = shlex.split(text, comments=True)
    while words and "=" in words[0]:
        words = words[1:]
    if words[:1] == ["recollect"]:
        yield words[1:]


def test_the_readme_is_short():
    assert len(README.read_text("utf-8").splitlines()) <= 150


def test_the_readme_says_what_a_profile_is_before_its_numbers():
    text = README.read_text("utf-8")
    assert text.index("A *profile* is") < text.index("## Numbers")


def test_the_readme_has_something_to_run_on_its_first_screen():
    first_screen = "\n".join(README.read_text("utf-8").splitlines()[:35])
    assert "from recollect import Memory" in first_screen
    assert "make run" in first_screen
    assert "Noted: lives in Lisbon" in first_screen


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "README.md"], ids=name)
def test_earlier_designs_are_introduced_before_they_are_named(page: Path):
    text = page.read_text("utf-8")
    introduction = re.search(r"five\s+(?:earlier )?designs of a", text)
    assert introduction is not None
    first = min(text.index(design) for design in ("DiscoClaw", "SIMPLE", "ClankerBot", "DevClaw", "devclaw"))
    assert introduction.start() < first


def test_the_costs_are_those_of_the_last_measurement():
    chats = json.loads((ROOT / "bench" / "results" / "cost.json").read_text("utf-8"))["chats"]
    kinds = {"in batches (default)": "batches", "each message": "each message"}
    rows = "".join(_cost_row(name, kind, chat[key]) for name, chat in chats.items() for kind, key in kinds.items())
    assert rows in (ROOT / "docs" / "models-and-cost.md").read_text("utf-8"), f"the table has to be\n{rows}"


def _cost_row(name: str, kind: str, cost: dict[str, Any]) -> str:
    counts = f"{cost['calls']:,.0f} | {cost['tokens_in']:,} | {cost['tokens_out']:,}"
    dollars = " | ".join(f"{cost['dollars'][price]:.2f}" for price in ("small", "middle", "large"))
    return f"| {name} | {kind} | {counts} | {dollars} |\n"


def test_the_overview_for_language_models_names_pages_that_exist():
    overview = (ROOT / "docs" / "llms.txt").read_text("utf-8")
    assert overview.startswith("# recollect\n\n> ")
    assert len(LINK.findall(overview)) > 20
    assert [link for link in LINK.findall(overview) if not (ROOT / "docs" / link).exists()] == []


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_site_builds_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path):
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        loaded = re.findall(
            r"<(?:script|img|link|iframe)\b[^>]*?(?:src|href)=\"?(https?:[^\">\s]+)", page.read_text("utf-8")
        )
        assert loaded == [], page
    assert "AsyncMemory.context" in (tmp_path / "reference" / "memory.html").read_text("utf-8")
    assert (tmp_path / "project" / "deploy" / "compose.yaml").exists()
    for link in LINK.findall((tmp_path / "llms.txt").read_text("utf-8")):
        assert (tmp_path / link).exists(), link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{name(page)} links to {link}: no such heading"


def paths(page: Path) -> list[str]:
    """Files and folders that a page names in backticks, outside its fenced blocks."""
    quoted = re.findall(r"`([^`\n]+)`", FENCE.sub("", page.read_text("utf-8")))
    return [text for text in quoted if PATH.fullmatch(text)]


def exists(path: str) -> bool:
    """Whether a path is there, seen from the project or from the package; a module may be named without its ending."""
    return any((base / path).exists() or (base / f"{path}.py").exists() for base in (ROOT, SRC))


@pytest.mark.parametrize("page", PATH_PAGES, ids=name)
def test_paths_that_are_named_exist(page: Path):
    named = paths(page)
    assert len(named) > 10
    assert [path for path in named if not exists(path)] == []


def test_a_path_that_does_not_exist_is_noticed(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("`learning/ingest`, `core/ports/store.py`, `stores/`, `gone/nowhere.py`, `sqlite:///a.db`, `a.b`\n")
    assert paths(page) == ["learning/ingest", "core/ports/store.py", "stores/", "gone/nowhere.py"]
    assert [path for path in paths(page) if not exists(path)] == ["gone/nowhere.py"]


def test_the_table_of_tiers_is_the_one_that_is_checked():
    rows = re.findall(r"^\| \d+ \| ([^|]+) \|", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == TIERS


def tree(page: Path) -> Iterator[str]:
    """The folders and modules in the picture of the tree, as paths below the package."""
    (picture,) = [body for body in blocks(page, "") if body.startswith("src/recollect/\n")]
    folder = ""
    for line in picture.splitlines()[1:]:
        depth = (len(line) - len(line.lstrip())) // 2
        entries = re.findall(r"\w+(?:/|\.py)(?=  |$)", line[:17])
        folder = entries[0] if depth == 1 else folder
        yield from entries if depth == 1 else (folder + entry for entry in entries)


def test_the_picture_of_the_tree_shows_what_is_there():
    shown = set(tree(ROOT / "ARCHITECTURE.md"))
    assert [path for path in shown if not (SRC / path).exists()] == []
    folders = {f"{path.name}/" for path in SRC.iterdir() if (path / "__init__.py").exists()}
    modules = {path.name for path in SRC.glob("*.py")} - {"__main__.py"}
    assert (folders | modules) - shown == set()


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_commands_are_real(page: Path):
    """What stands in the docs is understood by the command line, up to the point where it would do something."""
    for words in command_lines(page):
        done = CliRunner().invoke(build(colors=False), [*words, "--help"])
        assert done.exit_code == 0, f"{name(page)}: recollect {shlex.join(words)}\n{done.output}"
        unknown = [word for word in words if word.startswith("--") and word not in done.stdout + COMMON]
        assert not unknown, f"{name(page)}: recollect {shlex.join(words)} has no {unknown}"


def test_every_command_is_named_in_the_guides():
    guides = "\n".join(page.read_text("utf-8") for page in GUIDES)
    named = set(re.findall(r"recollect\s(?:--\S+\s)*(\w+)", guides)) | set(re.findall(r"`(\w+)`", guides))
    commands = re.findall(r"^  (\w+)  ", COMMON.partition("Commands:")[2], re.MULTILINE)
    assert commands
    assert set(commands) - named == set()


def example(page: str, number: int) -> dict[str, Any]:
    """What an example of a guide defines."""
    namespace: dict[str, Any] = {}
    exec(blocks(ROOT / "docs" / "guide" / page, "python")[number], namespace)
    return namespace


async def test_the_example_of_a_layer_has_a_section_right_before_the_message():
    layer = example("writing-a-layer.md", 0)["create"]("weather", None)
    offered = await layer.blocks(SimpleNamespace(text="how is the weather?"))
    message = Block("message", (Line("how is the weather?"),))
    prompt = assemble([*offered, Block("history", (Line("Ann: hi"),)), message], plugins.load("layouts", "unified"))
    assert [section.name for section in prompt.sections] == ["history", "weather", "message"]
    assert "Weather:\nIt is raining in Bergen." in prompt.text
    assert not await layer.blocks(SimpleNamespace(text="how are you?"))


def test_the_example_of_a_layout_has_its_order_and_headers():
    layout = example("writing-a-layout.md", 0)["create"]("terse")
    offered = [Block(section, (Line("a line"),)) for section in ("message", "weather", "rolling", "durable")]
    prompt = assemble(offered, layout)
    assert [section.name for section in prompt.sections] == ["durable", "rolling", "weather", "message"]
    assert prompt.text.startswith("Known facts:\na line")


def test_the_example_of_a_ranker_ranks():
    ranker = example("writing-a-layout.md", 1)["create"]("shared_words")
    when = datetime(2026, 5, 1, tzinfo=UTC)
    shared = ({"tea": 1}, {}, {"tea": 1, "green": 2})
    items = [RankItem(key, "a text", when, shared=words) for key, words in enumerate(shared, 1)]
    ranked = ranker.rank(RankQuery("tea", when), RankPool(items))
    assert [(one.item.key, dict(one.parts)) for one in ranked] == [(3, {"shared words": 2}), (1, {"shared words": 1})]


def test_the_example_of_a_format_reads(tmp_path: Path):
    file = tmp_path / "notes.list"
    file.write_text("I like tea\n\nI live in Lyon\n")
    reader = example("writing-a-layout.md", 2)["create"]("plain_list")
    assert detect(file, [reader]) is reader
    items = list(reader.read(file, Owner("ann")))
    assert [(type(item).__name__, item.location) for item in items] == [
        ("Entry", "notes.list line 1"),
        ("Problem", "notes.list line 2"),
        ("Entry", "notes.list line 3"),
    ]


def test_the_readmes_example_prints_what_it_says(tmp_path: Path):
    (source,) = blocks(README, "python")
    (expected,) = blocks(README, "text")
    done = subprocess.run(
        [sys.executable, "-c", NO_NETWORK + source], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


def test_the_readmes_chat_is_a_real_one(tmp_path: Path):
    block = (
        (ROOT / "README.md")
        .read_text("utf-8")
        .partition("Play a one-minute demo first? [Y/n] n\n")[2]
        .partition("```")[0]
    )
    said = [line.removeprefix("you › ") for line in block.splitlines() if line.startswith("you › ")]
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT", "ANTHROPIC", "OPENAI"))
    }
    chat = [sys.executable, "-m", "recollect", "chat"]
    done = subprocess.run(
        chat,
        input="\n".join(said),
        cwd=tmp_path,
        env=env | {"RECOLLECT_EMBEDDER": "null"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(said) == 2
    replies = "".join(line for line in block.splitlines(keepends=True) if not line.startswith("you › "))
    assert replies in done.stdout


@pytest.mark.parametrize("image", sorted((ROOT / "docs" / "images").glob("*.svg")), ids=name)
def test_pictures_are_small_and_load_nothing(image: Path):
    source = image.read_text("utf-8")
    assert len(source) < 150_000
    assert set(re.findall(r"https?://[^\s\"']+", source)) <= {"http://www.w3.org/2000/svg"}


def test_command_lines_are_found_in_shell_and_console_blocks(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ recollect show\nrecollect: output\n```\n```sh\necho a | X=1 recollect remember -\n```\n"
    )
    assert list(command_lines(page)) == [["show"], ["remember", "-"]]


@pytest.mark.acceptance("B89")
def test_the_docs_have_a_table_of_variables_the_state_on_disk_the_history_and_an_example_with_comments():
    example = (ROOT / ".env.example").read_text("utf-8").splitlines()
    set_by = [number for number, line in enumerate(example) if re.match(r"(?:# )?[A-Z][A-Z_]+=", line)]
    assert len(set_by) >= 20
    assert [example[number] for number in set_by if not _is_explained(example, number)] == []
    table = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert "`DISCOCLAW_SUMMARY_EVERY_N_TURNS`" in table
    assert "## State on disk" in (ROOT / "docs" / "guide" / "operating.md").read_text("utf-8")
    learning = (ROOT / "docs" / "guide" / "learning.md").read_text("utf-8")
    assert "## Conversation history" in learning
    assert all(word in INSTRUCTIONS for word in ("lossy", "trust it", "acknowledge", "cite", "unless asked"))


def _is_explained(lines: list[str], number: int) -> bool:
    """Whether a comment stands above a variable; behind it other programs take it for a part of the value."""
    above = re.match(r"#   \S|# [A-Z][a-z]", lines[number - 1])
    return above is not None and "#" not in lines[number].removeprefix("# ")


def test_messages_and_events_in_the_troubleshooting_are_those_of_the_program():
    text = (ROOT / "docs" / "troubleshooting.md").read_text("utf-8")
    errors = text.split("## Errors")[1].split("## ")[0]
    sources = "\n".join(path.read_text("utf-8") for path in SRC.rglob("*.py"))
    quoted = [cell for cell in re.findall(r"^\| `([^`]+ [^`]+)` \|", errors, re.MULTILINE) if "…" not in cell]
    assert len(quoted) >= 4
    assert [message for message in quoted if message not in sources] == []
    events = re.findall(r"`((?:memo|extract|message|job)\.\w+)`", text)
    assert events
    assert {*events} <= {kind.value for kind in EventKind}
