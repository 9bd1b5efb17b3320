"""The documentation keeps up: links resolve, commands exist, examples compile, and the README's one runs."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.faces.cli.main import build
from recollect.prompting.layouts import INSTRUCTIONS

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
GUIDES = [README, *sorted((ROOT / "docs" / "guide").glob("*.md"))]
RUNNABLE = [README, ROOT / "docs" / "guide" / "getting-started.md"]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
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


def test_the_readme_has_something_to_run_on_its_first_screen():
    first_screen = "\n".join(README.read_text("utf-8").splitlines()[:30])
    assert "make run" in first_screen
    assert "learned:" in first_screen


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path):
    for link in links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name(page)} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{name(page)} links to {link}: no such heading"


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


@pytest.mark.parametrize("page", RUNNABLE, ids=name)
def test_python_examples_compile(page: Path):
    found = blocks(page, "python")
    assert found
    for source in found:
        compile(source, name(page), "exec")


def test_the_readmes_example_prints_what_it_says(tmp_path: Path):
    (source,) = blocks(README, "python")
    (expected,) = blocks(README, "text")
    done = subprocess.run(
        [sys.executable, "-c", NO_NETWORK + source], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected


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
