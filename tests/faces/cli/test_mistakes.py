"""What people type who know other programs, or mistype: it names what is meant, and changes nothing."""

from pathlib import Path

import pytest
import typer

from recollect.faces.cli.invocation import FAILED, run_reporting_errors
from recollect.faces.cli.options import Options
from tests.faces.cli.conftest import Run


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (["remember", "I like tea", "--user", "bob"], "--as"),
        (["show", "-u", "bob"], "--as"),
        (["search", "tea", "--top-k", "3"], "--limit"),
        (["export", "-o", "mine.json"], "--to"),
        (["export", "mine.json"], "--to mine.json"),
        (["delete", "1"], "use forget"),
        (["save", "I like tea"], "use remember"),
        (["stats"], "use doctor"),
        (["reset"], "use erase"),
    ],
)
def test_the_name_of_another_program_is_answered_with_ours(cli: Run, args: list[str], hint: str):
    cli("remember", "I like tea")
    assert hint in cli(*args, code=2).err


@pytest.mark.parametrize("command", ["forget", "remember", "edit", "export", "import"])
def test_help_has_no_types_of_python(cli: Run, command: str):
    told = cli("help", command).out
    assert "Arguments:" in told
    assert not any(word in told for word in ("<list", "<str", "str]", "<path"))


@pytest.mark.parametrize("args", [["show"], ["list"], ["search", "tea"], ["log"], ["forget", "tea"], ["undo"]])
def test_a_store_that_is_named_and_does_not_exist_is_not_made_by_looking_into_it(
    cli: Run, folder: Path, args: list[str]
):
    missing = folder / "nosuch.db"
    assert "there is no store at" in cli(*args, "--store", str(missing), code=1).err
    assert not missing.exists()
    cli("remember", "I like tea", "--store", str(missing))
    assert missing.exists()


def test_a_file_that_cannot_be_used_is_named_in_one_line(capsys: pytest.CaptureFixture[str], folder: Path):
    with pytest.raises(typer.Exit) as ended:
        run_reporting_errors(Options(), lambda: (folder / "missing" / "tokens.json").write_text("{}"))
    assert ended.value.exit_code == FAILED
    assert capsys.readouterr().err == f"recollect: cannot use {folder}/missing/tokens.json: No such file or directory\n"
