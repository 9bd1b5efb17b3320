"""Every name of the five documents is on the page of its document, and what is ours on a page exists."""

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from recollect.faces.cli.main import build
from recollect.faces.commands.dispatcher import _HANDLERS
from recollect.faces.commands.parse import parse
from recollect.faces.tool.actions import ACTIONS
from recollect.settings import PROFILES, known_variables
from recollect.settings.catalog import ENTRIES, KEYS

ROOT = Path(__file__).parents[1]
NAMES: dict[str, dict[str, list[str]]] = yaml.safe_load((ROOT / "tests/data/documents.yaml").read_text("utf-8"))
PAGES = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs" / "from").glob("*.md"))}
EACH = [(page, kind, name) for page, kinds in NAMES.items() for kind, names in kinds.items() for name in names]
SETTINGS = {variable: entry.name for entry in ENTRIES.values() for variable in entry.variables} | dict(KEYS)


def flat(text: str) -> str:
    """A page in one line, without the marks of Markdown."""
    return re.sub(r"\s+", " ", text.replace("`", "").replace("\\|", "|"))


BEGIN_A_ROW = ("settings", "commands", "files", "tables", "endpoints", "flows")
"""Kinds of names that have a row, so that one that is removed is missed."""


def rows(page: str) -> list[str]:
    return [line for line in PAGES[page].splitlines() if line.startswith("| ")]


def beginnings(page: str) -> list[str]:
    """What each row is about; the head of a table is none."""
    lines = PAGES[page].splitlines()
    body = [line for line, after in zip(lines, [*lines[1:], ""], strict=True) if not after.startswith("|--")]
    return [flat(line.removeprefix("| ").partition(" | ")[0]) for line in body if line.startswith("| ")]


def names(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w/]){re.escape(flat(name))}(?![\w/])", text))


@pytest.mark.acceptance("W19")
@pytest.mark.parametrize(("page", "kind", "name"), EACH, ids=lambda value: str(value)[:40])
def test_a_name_of_a_document_is_on_its_page(page: str, kind: str, name: str) -> None:
    if kind in BEGIN_A_ROW:
        assert any(names(beginning, name) for beginning in beginnings(page))
    else:
        assert names(flat(PAGES[page]), name)


@pytest.mark.acceptance("W19")
@pytest.mark.parametrize("page", NAMES)
def test_no_row_of_a_page_can_be_removed_unnoticed(page: str) -> None:
    expected = [name for kind in BEGIN_A_ROW for name in NAMES[page].get(kind, ())]
    expected += NAMES[page]["headers"]
    begun = beginnings(page)
    sole = {found[0] for name in expected if len(found := [row for row in begun if names(row, name)]) == 1}
    assert [row for row in begun if row not in sole] == []


ALIASES = [(page, name) for page, kinds in NAMES.items() for name in kinds["settings"] if name in SETTINGS]


@pytest.mark.acceptance("W19")
@pytest.mark.parametrize(("page", "name"), ALIASES)
def test_a_setting_of_a_document_stands_beside_ours_that_it_sets(page: str, name: str) -> None:
    (row,) = [row for row in rows(page) if f"`{name}`" in row.partition(" | ")[0]]
    assert f"`{SETTINGS[name]}`" in row, f"{name} sets {SETTINGS[name]}"


def test_most_settings_of_the_documents_work_here_as_they_are() -> None:
    of_documents = {(page, name) for page, kinds in NAMES.items() for name in kinds["settings"]}
    parameters = {name for _, name in of_documents if re.fullmatch(r"summary[A-Z]\w+", name)}
    assert {name for page, name in of_documents - set(ALIASES)} == parameters | {"memoryLlm"}


@pytest.mark.parametrize("page", PAGES)
def test_settings_commands_and_actions_named_on_a_page_exist(page: str) -> None:
    text = PAGES[page]
    ours = {
        name for row in rows(page) for name in re.findall(r"`([a-z_]+\.[a-z_]+)(?:=\w+)?`", row.partition(" | ")[2])
    }
    groups = {name.partition(".")[0] for name in ENTRIES}
    assert {name for name in ours if name.partition(".")[0] in groups - {"memory"}} - ENTRIES.keys() == set()
    assert set(re.findall(r"RECOLLECT_\w+", text)) <= known_variables()
    assert set(re.findall(r"RECOLLECT_PROFILE=(\w+)", text)) <= PROFILES.keys()
    commands = set(re.findall(r"(?:^|`)recollect ([\w-]+)", text, re.MULTILINE))
    for command in commands:
        assert CliRunner().invoke(build(colors=False), [command, "--help"]).exit_code == 0, command
    chat = [parse(command) for command in re.findall(r"!memory \w+", text)]
    assert {command.verb for command in chat if command} <= {*_HANDLERS, "help"}
    assert set(re.findall(r'memory\(action="(\w+)"\)', text)) <= ACTIONS.keys()


def test_all_twenty_nine_conflicts_are_explained() -> None:
    numbers = [int(number) for number in re.findall(r"^\| (\d+) \|", PAGES["conflicts"], re.MULTILINE)]
    assert numbers == list(range(1, 30))


def test_each_document_has_its_page_and_its_profile() -> None:
    assert PAGES.keys() == {*NAMES, "conflicts"}
    assert {re.findall(r"RECOLLECT_PROFILE=(\w+)", PAGES[page])[0] for page in NAMES} == PROFILES.keys() - {"unified"}
