"""`recollect setup`: a model is chosen, tried with one call, and written down where nobody else can read it."""

import asyncio
import stat
from pathlib import Path

import pytest
import yaml

from recollect.testing.model_server import ModelServer, Says
from tests.faces.cli.conftest import Run
from tests.journeys.terminal import Terminal


async def test_a_server_of_ones_own_is_tried_and_written_beside_what_the_file_has(cli: Run, folder: Path):
    path = folder / "recollect.yaml"
    path.write_text("# mine\nsearch:\n  max_results: 7\nmodel: anthropic:old\n# the end\n")
    async with ModelServer(Says("a greeting")) as server:
        arguments = ("setup", "--provider", "local", "--model", "tiny", "--url", server.url)
        done = await asyncio.to_thread(cli, *arguments)
        assert len(server.requests) == 1
    assert "openai-chat:tiny answers." in done.out
    text = path.read_text()
    assert text.startswith("# mine\nsearch:\n  max_results: 7\n# the end\n")
    assert yaml.safe_load(text)["model"] == "openai-chat:tiny"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert cli("config", "model", "--json").json["settings"][0]["value"] == "openai-chat:tiny"
    cli("setup", "--provider", "none")
    assert yaml.safe_load(path.read_text()) == {"search": {"max_results": 7}, "model": "local"}


def test_the_folder_of_a_file_that_may_hold_keys_is_for_its_owner_alone(cli: Run, folder: Path):
    cli("--config", "new/recollect.yaml", "setup", "--provider", "none")
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "new" / "recollect.yaml").stat().st_mode) == 0o600


def test_setup_writes_no_model_that_does_not_answer(cli: Run, folder: Path):
    done = cli("setup", "--provider", "local", "--url", "http://127.0.0.1:9/v1", code=1)
    assert "did not answer" in done.err
    assert "nothing was written" in done.err
    assert not (folder / "recollect.yaml").exists()
    assert "--provider" in cli("setup", code=2).err
    assert "there is no provider" in cli("setup", "--provider", "frob", code=2).err
    assert "set ANTHROPIC_API_KEY first" in cli("setup", "--provider", "anthropic", code=2).err


@pytest.mark.slow
async def test_a_key_is_asked_for_unseen_and_found_again(folder: Path):
    async with ModelServer(Says("a greeting")) as server:

        def choose() -> None:
            with Terminal(folder, "setup") as terminal:
                for asked, reply in (
                    ("Number: ", "4"),
                    ("Address", server.url),
                    ("Model", "tiny"),
                    ("Key (it is not shown): ", "sk-very-secret"),
                ):
                    terminal.shows(asked)
                    terminal.write(f"{reply}\r")
                terminal.shows("Written to recollect.yaml")
                assert terminal.end() == 0
                assert "sk-very-secret" not in terminal.raw

        await asyncio.to_thread(choose)
        assert "authorization" in {name.lower() for name in server.requests[-1].headers}
    path = folder / "recollect.yaml"
    assert yaml.safe_load(path.read_text())["keys"] == {"OPENAI_API_KEY": "sk-very-secret"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
