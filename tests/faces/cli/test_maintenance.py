"""config, doctor, backup, reindex, version, and the welcome."""

import asyncio
import gzip
import hashlib
import json
import re
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import apsw
import pytest

import recollect
from recollect.core.clock import now
from recollect.core.ports import Usage
from recollect.core.version import __version__
from recollect.faces.cli.main import COMMANDS, FIRST
from recollect.learning.budget import TokenBudget
from recollect.settings import PROFILES
from recollect.stores.sqlite.schema import MIGRATIONS
from recollect.testing.embedding_server import EmbeddingServer
from recollect.testing.model_server import ModelServer, Says, Status
from tests.faces.cli.conftest import Run

ROOT = Path(__file__).parents[3]
DATA = ROOT / "tests" / "data"


@pytest.fixture
def store(cli: Run, folder: Path) -> Path:
    cli("remember", "I like tea")
    return folder / "data" / "memory.db"


def fingerprints(folder: Path) -> dict[str, str]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def states(findings: list[dict[str, str]], state: str) -> list[str]:
    return [finding["check"] for finding in findings if finding["state"] == state]


def test_welcome_tells_where_things_are_and_what_to_try_and_makes_no_file(cli: Run, folder: Path):
    done = cli()
    assert "data/memory.db" in done.out
    assert done.out.count("  recollect ") == 5
    assert list(folder.iterdir()) == []
    assert cli("--json").json["memories"] == 0


def test_welcome_counts_memories(cli: Run, store: Path):
    assert cli("--json").json["memories"] == 1
    assert "1 memory about me" in cli().out


def test_version(cli: Run):
    assert cli("version").out == cli("--version").out == f"recollect {__version__}\n"
    assert cli("version", "--json").json["version"] == __version__


def test_config_tells_where_each_value_came_from(cli: Run, folder: Path):
    (folder / "my.yaml").write_text("search:\n  max_results: 7\n")
    done = cli("config", "--config", "my.yaml", "--profile", "dnam", "--json", RECOLLECT_LAYOUT="B").json
    rows = {row["name"]: row for row in done["settings"]}
    assert (rows["search.max_results"]["value"], rows["search.max_results"]["origin"]) == ("7", "file my.yaml")
    assert (rows["layout"]["value"], rows["layout"]["origin"]) == ("dnam", "env RECOLLECT_LAYOUT")
    assert rows["profile"]["origin"] == "argument"
    assert "profile dnam" in {row["origin"] for row in rows.values()}
    assert rows["mirror.files"].keys() == rows["layout"].keys() >= {"env", "aliases", "description"}


@pytest.mark.acceptance("W20")
@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_is_selected_by_one_variable_and_config_says_which_document_it_follows(cli: Run, profile: str):
    _, value, origin, description = cli("config", "profile", RECOLLECT_PROFILE=profile).out.splitlines()[0].split("\t")
    assert (value, origin) == (profile, "env RECOLLECT_PROFILE")
    (page,) = re.findall(r"docs/from/[\w-]+\.md", description)
    assert (ROOT / page).exists()
    (line,) = [line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if page in line]
    assert f"`{profile}`" in line


def test_config_in_a_pipe_is_one_line_a_setting(cli: Run):
    lines = [line.split("\t") for line in cli("config").out.splitlines()]
    assert {len(line) for line in lines} == {4}
    assert ["layout", "unified", "default"] in [line[:3] for line in lines]
    assert {line.split("\t")[0] for line in cli("config", "search").out.splitlines()} >= {"search.max_limit"}
    cli("config", "nonsense", code=3)


def test_config_hides_secrets_and_shows_warnings(cli: Run):
    env = {
        "RECOLLECT_STORE": "postgresql://me:hunter2@db/x",
        "ANTHROPIC_API_KEY": "sk-hunter3",
        "RECOLLECT_LAYUOT": "B",
    }
    for args in (["config"], ["config", "--json"]):
        done = cli(*args, **env)
        assert "hunter" not in done.out + done.err
        assert "RECOLLECT_LAYOUT?" in done.out + done.err


def test_a_wrong_setting_is_one_line_that_names_it(cli: Run):
    done = cli("show", RECOLLECT_VISIBILITY="maybe", code=1)
    assert (done.out, done.err.count("\n")) == ("", 1)
    assert done.err.startswith("recollect: RECOLLECT_VISIBILITY='maybe'")
    assert "missing.yaml" in cli("show", "--config", "missing.yaml", code=1).err
    assert "unified" in cli("show", "--profile", "unifid", code=1).err


def test_doctor_is_content_with_a_healthy_store_and_leaves_it_as_it_is(cli: Run, store: Path):
    before = store.read_bytes()
    done = cli("doctor", "--json").json
    assert done["ok"] is True
    assert states(done["findings"], "broken") == []
    assert "store, file is sound" in states(done["findings"], "ok")
    assert store.read_bytes() == before
    assert all(line[0] in "✓!" for line in cli("doctor").out.splitlines() if not line.startswith(" "))


def test_doctor_and_show_say_that_the_budget_of_today_is_spent(cli: Run, store: Path):
    async def spend() -> None:
        async with recollect.AsyncMemory(store, embedder="null", model="null", run_worker=False) as memory:
            limit = TokenBudget(memory.settings.extraction.daily_tokens)
            await memory.store.write(lambda tx: limit.spend(tx, "local:me", Usage(1, 3_000_000, 5), now()))

    asyncio.run(spend())
    assert "! learning paused: budget of 1 server or DM" in cli("doctor").out
    assert "Learning paused: budget" in cli("show").out


@pytest.mark.parametrize("profile", ["unified", "discoclaw"])
def test_doctor_says_where_what_is_remembered_in_private_is_recalled_everywhere(
    cli: Run, monkeypatch: pytest.MonkeyPatch, profile: str
):
    monkeypatch.setenv("RECOLLECT_PROFILE", profile)
    said = "one memory for all places: what is remembered in a DM is recalled wherever they speak"
    assert (said in cli("doctor").out) is (profile == "discoclaw")


def test_doctor_tells_of_a_store_that_is_not_there_yet_and_makes_none(cli: Run, folder: Path):
    done = cli("doctor").out
    assert "! store: data/memory.db is not there yet" in done
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("damage", ["text", "middle", "empty"])
def test_doctor_finds_damage_says_what_to_do_and_leaves_the_file(cli: Run, store: Path, folder: Path, damage: str):
    content = store.read_bytes()
    match damage:
        case "text":
            store.write_bytes(b"this is no database, but it is long enough to look like one" * 40)
        case "middle":
            store.write_bytes(content[:5000] + b"\xff" * (len(content) - 9000) + content[-4000:])
        case _:
            store.write_bytes(b"")
    before = fingerprints(folder)
    done = cli("doctor", code=1)
    assert "✗ store" in done.out
    assert "→" in done.out
    assert cli("doctor", "--json", code=1).json["ok"] is False
    assert fingerprints(folder) == before


def test_doctor_tells_of_a_newer_store(cli: Run, store: Path):
    with apsw.Connection(str(store)) as db:
        db.pragma("user_version", 99)
    assert "pip install --upgrade" in cli("doctor", code=1).out
    assert "newer recollect" in cli("show", code=1).err


def test_an_upgrade_is_told_once_and_doctor_names_the_copy_until_it_is_deleted(process: Run, cli: Run, folder: Path):
    store, upgraded = folder / "data" / "memory.db", len(MIGRATIONS)
    store.parent.mkdir()
    store.write_bytes(gzip.decompress((DATA / "second_edition_start" / "memory.db.gz").read_bytes()))
    first, second = (process("show", "--as", "discord:1001") for _ in range(2))
    copy = Path("data", f"memory.db.before-schema-{upgraded}")
    assert f"recollect: warning: {store} is brought from schema 6 to {upgraded}" in first.err
    assert first.err.count("brought") == 1
    assert f"rm {folder / copy}" in first.err
    assert second.err == ""
    told = cli("doctor", code=1).out  # a job was given up
    assert f"! store, earlier copy: {copy} holds what the store held before an upgrade" in told
    assert f"delete it: rm {copy}" in told
    copy.unlink()
    assert "earlier copy" not in cli("doctor", code=1).out


def test_doctor_tells_of_wrong_settings_and_missing_keys(cli: Run):
    assert "✗ settings: RECOLLECT_VISIBILITY='maybe'" in cli("doctor", RECOLLECT_VISIBILITY="maybe", code=1).out
    assert "✗ key: model is openai:x" in cli("doctor", RECOLLECT_MODEL="openai:x", code=1).out
    cli("doctor", RECOLLECT_MODEL="openai:x", OPENAI_API_KEY="sk-1")
    assert "✗ embedder" in cli("doctor", RECOLLECT_EMBEDDER="nonsense", code=1).out
    assert "✗ store" in cli("doctor", "--store", "nonsense:///x", code=1).out


def test_doctor_tells_of_a_reranker_that_is_not_there(cli: Run, store: Path):
    pytest.importorskip("onnxruntime")
    found = cli("doctor", RECOLLECT_RERANK="no/model.onnx", code=1).out
    assert "✗ reranker: the reranker no/model.onnx needs the file no/model.onnx, which is not there" in found
    assert "set RECOLLECT_RERANK; off keeps the order of search" in found


@pytest.mark.skipif(find_spec("fastembed") is not None, reason="the package is there")
def test_doctor_names_the_extra_of_what_is_not_installed(cli: Run):
    found = cli("doctor", RECOLLECT_RERANK="fastembed:a/b", RECOLLECT_EMBEDDER="fastembed:a/b").out
    assert "! reranker: fastembed:a/b is not installed: results keep their order" in found
    assert "! embedder: fastembed:a/b is not installed: searching by words only" in found
    assert found.count("pip install 'recollect[fastembed]'") == 2
    assert "recollect[rerank]" not in found


def test_doctor_tells_of_a_data_folder_that_is_a_file(cli: Run, folder: Path):
    (folder / "data").write_text("x")
    assert "✗ data folder" in cli("doctor", code=1).out


def test_a_corrupt_store_is_one_line_without_a_traceback(cli: Run, store: Path):
    store.write_bytes(b"no database " * 500)
    for command in (["show"], ["remember", "I like cake"], ["search", "tea"], ["backup"], ["reindex"]):
        done = cli(*command, code=1)
        assert (done.out, done.err.count("\n")) == ("", 1)
        assert "recollect doctor" in done.err
    assert store.read_bytes() == b"no database " * 500


def test_a_backup_is_a_store_like_the_first(cli: Run, store: Path, folder: Path):
    done = cli("backup", "--json").json
    path = folder / done["path"]
    assert path.parent == folder / "data" / "backups"
    assert done["bytes"] == path.stat().st_size
    cli("forget", "tea")
    assert "I like tea" in cli("show", "--store", str(path)).out
    store.unlink()
    for extra in store.parent.glob("memory.db-*"):
        extra.unlink()
    path.rename(store)
    assert cli("show").out == "What I remember (1 memory):\n1. I like tea\n"
    assert cli("doctor", "--json").json["ok"] is True


def test_a_backup_goes_where_it_is_told_and_never_overwrites(cli: Run, store: Path, folder: Path):
    assert cli("backup", "copy.db").out == "copy.db\n"
    assert "exists already" in cli("backup", "copy.db", code=2).err
    (folder / "backups").mkdir()
    assert cli("backup", "backups").out.startswith("backups/memory-")


def test_there_is_nothing_to_back_up_or_index_before_the_first_memory(cli: Run, folder: Path):
    assert "no store" in cli("backup", code=1).err
    assert "no store" in cli("reindex", code=1).err
    assert list(folder.iterdir()) == []


def test_reindex_repairs_what_doctor_complains_of(cli: Run, store: Path):
    with apsw.Connection(str(store)) as db:
        db.execute("UPDATE scopes SET size = size + 5")
    assert "recollect rebuild-index" in cli("doctor", code=1).out
    assert cli("reindex").out == "Indexed 1 row\n"
    cli("doctor")
    assert cli("reindex", "--json").json == {"rows": 1}


def test_help_names_ten_commands_first_and_all_of_them_by_what_they_are_for(cli: Run):
    done = cli("--help").out
    assert all(option in done for option in ("--install-completion", "--as", "--in", "recollect help all"))
    listed = done.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[0] for line in listed if line[2] != " "] == list(FIRST)
    everything = cli("help", "all").out.splitlines()
    assert [line for line in everything if line in COMMANDS] == ["Talk", "Look", "Change", "Move", "Run", "Check"]
    named = {line.split()[0] for line in everything if line.startswith("  ")}
    assert named == {name for commands in COMMANDS.values() for name in commands}
    assert cli("help", "forget").out == cli("forget", "--help").out
    assert "'recollect help all'" in cli("help", "frob", code=2).err
    assert "--profile" not in cli("remember", "--help").out, "the options of the installation are shown once"
    assert "--as" not in cli("doctor", "--help").out
    assert "╭" not in done
    assert "╭" not in cli("frob", code=2).err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("RECOLLECT_MODEL", "gpt-4o"),
        ("RECOLLECT_EXTRACTION_MODEL", "Sonet"),
        ("RECOLLECT_SUMMARY_MODEL", "openai:"),
    ],
)
def test_a_model_that_chat_refuses_is_refused_by_doctor_too(process: Run, setting: str, name: str):
    keys = {"ANTHROPIC_API_KEY": "sk-1", "OPENAI_API_KEY": "sk-2", setting: name}
    why = f"a model is named provider:model, as in anthropic:claude-haiku-4-5; not {name!r}"
    assert why in process("doctor", code=1, **keys).out
    assert why in process("chat", "--no-demo", code=1, stdin=b"hello\n", **keys).err


@pytest.mark.slow
@pytest.mark.parametrize("alias", ["sonnet", "Opus"])
async def test_a_model_with_a_short_name_passes_the_doctor_and_answers_in_chat(process: Run, alias: str):
    async with ModelServer(Says("Hello from afar.")) as server:
        model = {"RECOLLECT_MODEL": alias, "RECOLLECT_MODEL_BASE_URL": server.url, "RECOLLECT_EXTRACTION_ENABLED": "0"}
        checked = await asyncio.to_thread(partial(process, "doctor", "--online", **model))
        talked = await asyncio.to_thread(partial(process, "chat", "--no-demo", stdin=b"hello\n", **model))
    assert f"✓ model: anthropic:claude-{alias.lower()}-" in checked.out
    assert "Hello from afar." in talked.out
    assert {request.model.split("-")[1] for request in server.requests} == {alias.lower()}


async def test_doctor_says_what_trying_an_embedder_costs(process: Run) -> None:
    async with EmbeddingServer() as server:
        keys = {"OPENAI_API_KEY": "sk-1", "RECOLLECT_EMBEDDER_BASE_URL": server.url}
        names = ("openai:text-embedding-3-small", "openai:of-our-own")
        known, unknown = [
            await asyncio.to_thread(partial(process, "doctor", "--online", RECOLLECT_EMBEDDER=name, **keys))
            for name in names
        ]
    assert "text-embedding-3-small answered: one word embedded, less than $0.00001\n" in known.out
    assert "of-our-own answered: one word embedded\n" in unknown.out


async def test_doctor_ticks_only_what_it_tried(process: Run) -> None:
    async with ModelServer(Says("Ann says hello.")) as server:
        model = {"RECOLLECT_MODEL": "openai:some", "RECOLLECT_MODEL_BASE_URL": server.url}
        offline = await asyncio.to_thread(partial(process, "doctor", **model))
        assert server.requests == []
        assert "! model: openai:some was not tried\n    → 'recollect doctor --online'" in offline.out
        babbling = await asyncio.to_thread(partial(process, "doctor", "--online", **model))
        assert len(server.requests) == 2
        assert "! model: openai:some answers, but learns nothing from a plain sentence" in babbling.out
        assert " tokens in, " in babbling.out
        fact = {"evidence": "I live in Lisbon", "source": "m1", "text": "Lives in Lisbon.", "kind": "fact"}
        learned = json.dumps({"upserts": [fact], "deprecations": []})
        server.next(Says("Ann says hello.", input=100, output=7), Says(learned, input=1_000, output=50))
        online = await asyncio.to_thread(partial(process, "doctor", "--online", **model))
        assert "✓ model: openai:some answered: 1,100 tokens in, 57 out" in online.out, "of both calls"
        server.always(Status(401, "no such key"))
        refused = await asyncio.to_thread(partial(process, "doctor", "--online", code=1, **model))
    assert "✗ model: openai:some: " in refused.out
    assert "→ check key, name and address of the model" in refused.out
    assert "✓ model: local" in (await asyncio.to_thread(partial(process, "doctor"))).out
