"""Settings: what each document's variables and keys do, who wins over whom, and what a mistake says."""

import json
import os
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from recollect.core.errors import ConfigError
from recollect.settings import PROFILES, Loaded, known_variables, load, markdown, rows, secret
from recollect.settings.catalog import ALIASES, ENTRIES
from recollect.settings.catalog import VARIABLES as VARIABLES_BY_NAME
from recollect.settings.table import format_value

ROOT = Path(__file__).parents[2]
HAIKU = "anthropic:claude-haiku-4-5"
SMALL = "openai:text-embedding-3-small"
KEYS = {"ANTHROPIC_API_KEY": "sk-ant-value", "OPENAI_API_KEY": "sk-oai-value"}


def value(loaded: Loaded, name: str) -> Any:
    found: Any = loaded.settings
    for part in name.split("."):
        found = getattr(found, part)
    return found


def shows(item: str, *row: Any) -> Any:
    return pytest.param(*row, id=item, marks=pytest.mark.acceptance(item))


def written(path: Path, content: str) -> Path:
    path.write_text(content, "utf-8")
    return path


VARIABLES = [
    # item, profile, variable, setting, documented default, a value given, what becomes of it
    shows("A57", "discoclaw", "MESSAGE_HISTORY_BUDGET", "history.inject_max_chars", 3000, "500", 500),
    shows("A58", "discoclaw", "SUMMARY_ENABLED", "summary.enabled", True, "false", False),
    shows("A59", "discoclaw", "SUMMARY_MODEL", "summary.model", HAIKU, "openai:gpt-x", "openai:gpt-x"),
    shows("A60", "discoclaw", "SUMMARY_MAX_CHARS", "summary.max_chars", 2000, "900", 900),
    shows("A61", "discoclaw", "SUMMARY_EVERY_N_TURNS", "summary.every_n_turns", 5, "7", 7),
    shows("A62", "discoclaw", "DURABLE_MEMORY_ENABLED", "memos.enabled", True, "off", False),
    shows("A63", "discoclaw", "DURABLE_INJECT_MAX_CHARS", "memos.inject_max_chars", 2000, "1", 1),
    shows("A64", "discoclaw", "DURABLE_MAX_ITEMS", "memos.max_items", 200, "50", 50),
    shows("A65", "discoclaw", "MEMORY_COMMANDS_ENABLED", "chat_commands.enabled", True, "no", False),
    shows("A66", "discoclaw", "SUMMARY_TO_DURABLE_ENABLED", "extraction.enabled", False, "true", True),
    shows("A67", "discoclaw", "SHORTTERM_MEMORY_ENABLED", "exchanges.enabled", False, "true", True),
    shows("A68", "discoclaw", "SHORTTERM_MAX_ENTRIES", "exchanges.max_entries", 20, "3", 3),
    shows("A69", "discoclaw", "SHORTTERM_MAX_AGE_HOURS", "exchanges.max_age_hours", 6, "1.5", 1.5),
    shows("A70", "discoclaw", "SHORTTERM_INJECT_MAX_CHARS", "exchanges.inject_max_chars", 1000, "10", 10),
    shows("B57", "dnam", "SUMMARY_ENABLED", "summary.enabled", True, "0", False),
    shows("B58", "dnam", "SUMMARY_MODEL", "summary.model", HAIKU, "local", "local"),
    shows("B59", "dnam", "SUMMARY_MAX_CHARS", "summary.max_chars", 2000, "900", 900),
    shows("B60", "dnam", "SUMMARY_EVERY_N_TURNS", "summary.every_n_turns", 5, "7", 7),
    shows("B61", "dnam", "SUMMARY_DATA_DIR", "summary.dir", Path("data/memory/rolling"), "s", Path("s")),
    shows("B62", "dnam", "DURABLE_MEMORY_ENABLED", "memos.enabled", True, "0", False),
    shows("B63", "dnam", "DURABLE_MODEL", "extraction.model", HAIKU, "local", "local"),
    shows("B64", "dnam", "DURABLE_EVERY_N_TURNS", "extraction.every_n_turns", 10, "4", 4),
    shows("B65", "dnam", "DURABLE_DATA_DIR", "memos.dir", Path("data/memory/durable"), "/d", Path("/d")),
    shows("B66", "dnam", "DURABLE_INJECT_MAX_CHARS", "memos.inject_max_chars", 2000, "800", 800),
    shows("B67", "dnam", "DURABLE_MAX_ITEMS", "memos.max_items", 200, "50", 50),
    shows("B68", "dnam", "MEMORY_CHANNEL_ID", "discord.memory_channel", "", "1234", "1234"),
    shows("B69", "dnam", "MEMORY_COMMANDS_ENABLED", "chat_commands.enabled", True, "0", False),
]


@pytest.mark.parametrize(("profile", "variable", "name", "default", "given", "result"), VARIABLES)
def test_variable_of_discoclaw_has_its_documented_default_and_takes_effect(
    profile: str, variable: str, name: str, default: Any, given: str, result: Any
):
    variable = f"DISCOCLAW_{variable}"
    assert value(load(KEYS, profile=profile), name) == default
    changed = load({**KEYS, variable: given}, profile=profile)
    assert value(changed, name) == result
    assert changed.origins[name] == f"env {variable}"


@pytest.mark.acceptance("A71")
@pytest.mark.parametrize("name", ["store", "mirror.dir", "workspace.dir", "memos.dir", "summary.dir", "exchanges.dir"])
def test_storage_lies_under_the_data_directory_by_default(name: str):
    loaded = load({"DISCOCLAW_DATA_DIR": "/srv/bot"}, profile="discoclaw")
    assert str(value(loaded, name)).removeprefix("sqlite:///").startswith("/srv/bot/")


@pytest.mark.acceptance("A71")
@pytest.mark.parametrize("ending", ["DATA_DIR", "DIR"])
@pytest.mark.parametrize(("layer", "group"), [("SUMMARY", "summary"), ("DURABLE", "memos"), ("SHORTTERM", "exchanges")])
def test_storage_directory_of_a_layer_can_be_set_apart(layer: str, group: str, ending: str):
    loaded = load({"DISCOCLAW_DATA_DIR": "/srv/bot", f"DISCOCLAW_{layer}_{ending}": "/elsewhere"})
    assert value(loaded, f"{group}.dir") == Path("/elsewhere")


@pytest.mark.acceptance("C22")
@pytest.mark.parametrize(
    ("variable", "given", "name", "result"),
    [
        ("ENABLED", "1", "summary.enabled", True),
        ("ENABLED", "0", "summary.enabled", False),
        ("ENABLED", "", "summary.enabled", True),
        ("MODEL", "  haiku ", "summary.model", HAIKU),
        ("MODEL", "   ", "summary.model", HAIKU),
        ("MAX_CHARS", "-5", "summary.max_chars", 0),
        ("EVERY_N_TURNS", "0", "summary.every_n_turns", 1),
        ("EVERY_N_TURNS", "-3", "summary.every_n_turns", 1),
    ],
)
def test_summary_variables_are_trimmed_and_clamped(variable: str, given: str, name: str, result: Any):
    for profile in ("discoclaw", "rolling"):
        assert value(load({**KEYS, f"DISCOCLAW_SUMMARY_{variable}": given}, profile=profile), name) == result


@pytest.mark.acceptance("C23")
def test_summaries_lie_in_the_data_directory_or_in_data():
    assert load({}, profile="discoclaw").settings.summary.dir == Path("data/summaries")
    moved = load({"DISCOCLAW_DATA_DIR": "/srv"}, profile="discoclaw")
    assert moved.settings.summary.dir == Path("/srv/summaries")


FILE_KEYS = [
    # item, profile, setting, documented default, file, what becomes of it
    shows("D57", "clanker", "enabled", True, "memory: {enabled: false}", False),
    shows("D58", "clanker", "history.max_messages", 35, "memory: {maxRecentMessages: 50}", 50),
    shows("D59", "clanker", "embedder", SMALL, "memory: {embeddingModel: openai:big}", "openai:big"),
    shows("E31", "devclaw", "enabled", True, "memory: {enabled: false}", False),
    shows("E32", "devclaw", "mirror.dir", Path("data/memory"), 'memory: {storage_dir: "m"}', Path("m")),
    shows(
        "E33",
        "devclaw",
        "store",
        "sqlite:///data/memory.db",
        "memory: {database_path: x/y.db}",
        "sqlite:///x/y.db",
    ),
    shows(
        "E34",
        "devclaw",
        "embedder",
        SMALL,
        "memory: {embedding_model: text-embedding-9}",
        "openai:text-embedding-9",
    ),
    shows("E35", "devclaw", "search.max_results", 20, "memory: {max_results: 5}", 5),
    shows("E36", "devclaw", "search.cache_ttl", 30, "memory: {cache_ttl: 2m}", 120),
    shows("E37", "devclaw", "memos.inject_max_tokens", 2000, "token_budget: {memory: 300}", 300),
]


@pytest.mark.parametrize(("profile", "name", "default", "content", "result"), FILE_KEYS)
def test_key_of_the_file_has_its_documented_default_and_takes_effect(
    profile: str, name: str, default: Any, content: str, result: Any, tmp_path: Path
):
    assert value(load(KEYS, profile=profile), name) == default
    path = written(tmp_path / "bot.yaml", content)
    changed = load(KEYS, path, profile=profile)
    assert value(changed, name) == result
    assert changed.origins[name] == f"file {path}"


@pytest.mark.acceptance("D58")
@pytest.mark.parametrize(("given", "result"), [(9, 10), (10, 10), (120, 120), (121, 120), (-4, 10)])
def test_recent_messages_are_clamped(given: int, result: int, tmp_path: Path):
    path = written(tmp_path / "bot.yaml", f"memory: {{maxRecentMessages: {given}}}")
    assert load({}, path, profile="clanker").settings.history.max_messages == result


@pytest.mark.acceptance("D60")
def test_memory_llm_selects_the_model_that_learns_and_no_other(tmp_path: Path):
    path = written(tmp_path / "bot.yaml", "memoryLlm: {provider: openai, model: gpt-x}")
    settings = load(KEYS, path, profile="clanker").settings
    assert (settings.extraction.model, settings.summary.model) == ("openai:gpt-x", HAIKU)


def test_memory_llm_with_a_provider_alone_is_refused(tmp_path: Path):
    path = written(tmp_path / "bot.yaml", "memoryLlm: {provider: openai}")
    with pytest.raises(ConfigError, match="no model"):
        load({}, path)


@pytest.mark.acceptance("D36")
def test_embedding_model_comes_from_the_setting_then_the_variable_then_the_fallback(tmp_path: Path):
    path = written(tmp_path / "bot.yaml", "memory: {embeddingModel: text-embedding-file}")
    env = {**KEYS, "DEFAULT_MEMORY_EMBEDDING_MODEL": "text-embedding-env"}
    assert load(env, path, profile="clanker").settings.embedder == "openai:text-embedding-file"
    assert load(env, profile="clanker").settings.embedder == "openai:text-embedding-env"
    assert load(KEYS, profile="clanker").settings.embedder == SMALL


@pytest.mark.parametrize(
    ("variable", "name", "default", "result"),
    [
        shows("E38", "DEVCLAW_MEMORY_DIR", "mirror.dir", Path("data/memory"), Path("x/y")),
        shows("E39", "DEVCLAW_MEMORY_DB", "store", "sqlite:///data/memory.db", "sqlite:///x/y"),
    ],
)
def test_variable_of_devclaw_takes_effect(variable: str, name: str, default: Any, result: Any):
    assert value(load({}, profile="devclaw"), name) == default
    assert value(load({variable: "x/y"}, profile="devclaw"), name) == result


SAMPLES: dict[str, Any] = {"mirror.files": "journal", "discord.shard": "0/2", "memos.ranker": "rrf"}
"""Values for settings whose default can't be told from an unset one."""

PRESETS = {
    "unified": {
        "memos.ranker": "unified",
        "visibility": "by_audience",
        "embedder": "static",
        "memos.overflow": "notice",
    },
    "discoclaw": {
        "memos.ranker": "recency",
        "memos.overflow": "stop",
        "extraction.trigger": "per_turn",
        "extraction.max_facts": 3,
        "forget_mode": "substring",
        "layout": "discoclaw",
        "summary.session_key": "user_channel",
        "history.max_messages": 10,
        "embedder": "null",
    },
    "dnam": {
        "memos.ranker": "overlap",
        "memos.inject_max_items": 12,
        "extraction.enabled": True,
        "extraction.trigger": "every_n_turns",
        "forget_mode": "coverage60",
        "layout": "dnam",
        "chat_commands.show": "injected",
    },
    "rolling": {
        "layout": "rolling",
        "layers": ("workspace", "rolling", "history"),
        "memos.enabled": False,
        "extraction.enabled": False,
        "summary.session_key": "place",
        "summary.dir": Path("data/summaries"),
        "history.max_messages": 10,
        "mirror.files": ("rolling",),
    },
    "clanker": {
        "memos.ranker": "hybrid",
        "memos.inject_own_items": 8,
        "memos.inject_max_items": 10,
        "past.max_messages": 8,
        "memos.max_active": 80,
        "lore.max_active": 120,
        "extraction.trigger": "on_ingest",
        "extraction.max_facts": 4,
        "visibility": "guild_isolated",
        "jobs.max_queued": 400,
        "extraction.max_chars": 320,
        "search.max_limit": 24,
    },
    "devclaw": {
        "memos.ranker": "rrf",
        "memos.inject_max_chars": None,
        "memos.inject_max_items": 20,
        "memos.overflow": "notice",
        "extraction.trigger": "pre_compaction",
        "layout": "devclaw",
        "search.max_limit": 100,
    },
}


@pytest.mark.parametrize("profile", PROFILES)
def test_profile_presets_what_its_document_says(profile: str):
    loaded = load({}, profile=profile)
    assert {name: value(loaded, name) for name in PRESETS[profile]} == PRESETS[profile]
    assert loaded.settings.profile == profile


def test_argument_wins_over_environment_over_file_over_profile_over_default(tmp_path: Path):
    profile = written(tmp_path / "custom.yaml", "summary: {max_chars: 2}")
    path = written(tmp_path / "r.yaml", f"summary: {{max_chars: 3}}\nprofile: {profile}")
    env = {"RECOLLECT_SUMMARY_MAX_CHARS": "4"}
    chain = [
        (load({}), 2000, "default"),
        (load({}, profile=str(profile)), 2, f"profile {profile}"),
        (load({}, path), 3, f"file {path}"),
        (load(env, path), 4, "env RECOLLECT_SUMMARY_MAX_CHARS"),
        (load(env, path, summary={"max_chars": 5}), 5, "argument"),
    ]
    for loaded, number, origin in chain:
        assert (loaded.settings.summary.max_chars, loaded.origins["summary.max_chars"]) == (number, origin)


@pytest.mark.parametrize("overrides", [{"summary": {"enabled": False}}, {"summary__enabled": False}])
def test_argument_names_a_setting_of_a_group_either_way(overrides: dict[str, Any]):
    assert load({"RECOLLECT_SUMMARY_ENABLED": "1"}, **overrides).settings.summary.enabled is False


def test_argument_given_as_none_counts_as_unset():
    assert load({"RECOLLECT_MODEL": "local"}, model=None).origins["model"] == "env RECOLLECT_MODEL"


def test_unknown_argument_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"'sumary\.enabled'.*'summary\.enabled'"):
        load({}, sumary__enabled=True)


def test_own_variable_wins_over_an_older_name():
    env = {"DISCOCLAW_SUMMARY_MAX_CHARS": "1", "RECOLLECT_SUMMARY_MAX_CHARS": "2"}
    assert load(env).settings.summary.max_chars == 2


@pytest.mark.parametrize("older_last", [True, False])
def test_own_key_wins_over_an_older_one_in_the_same_file(older_last: bool, tmp_path: Path):
    lines = ["search: {max_results: 7}", "memory: {max_results: 9}"]
    path = written(tmp_path / "r.yaml", "\n".join(lines if older_last else reversed(lines)))
    assert load({}, path).settings.search.max_results == 7


def test_file_is_found_by_variable_or_in_the_working_directory(tmp_path: Path):
    written(tmp_path / "recollect.yaml", "forget_mode: coverage60")
    named = written(tmp_path / "named.yaml", "layout: dnam")
    with chdir(tmp_path):
        assert load({}).origins["forget_mode"] == "file recollect.yaml"
        loaded = load({"RECOLLECT_CONFIG": str(named)})
    assert (loaded.settings.layout, loaded.settings.forget_mode) == ("dnam", "substring")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("sumary: {enabled: true}", r"'sumary\.enabled'.*'summary\.enabled'"),
        ("memory: {max_result: 1}", r"'memory\.max_result'.*'memory\.max_results'"),
        ("summary: true", "summary is a group"),
        ("memory: on", "memory is a group"),
        ("- a", "names and values"),
        ("a: [", "not valid YAML"),
        ("model: [a]", "model.* is not a text"),
        ("model:", "model.* is not a text"),
        ("data_dir: [a]", "data_dir.* is not a text"),
        ("data_dir: ~nobody-of-that-name/x", "no such home directory"),
        ("search: {max_results: true}", r"search\.max_results='True' is not a whole number"),
        ("search: {max_results: .inf}", "not a whole number"),
    ],
)
def test_mistake_in_the_file_is_refused_by_name(content: str, complaint: str, tmp_path: Path):
    with pytest.raises(ConfigError, match=complaint):
        load({}, written(tmp_path / "r.yaml", content))


def test_file_that_was_asked_for_and_is_missing_is_an_error(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"gone\.yaml cannot be read"):
        load({"RECOLLECT_CONFIG": str(tmp_path / "gone.yaml")})


def test_empty_file_and_empty_groups_change_nothing(tmp_path: Path):
    assert load({}, written(tmp_path / "a.yaml", "")).settings == load({}).settings
    assert load({}, written(tmp_path / "b.yaml", "memory:\nsummary:\n")).settings == load({}).settings


@pytest.mark.parametrize(
    ("content", "name", "result"),
    [
        ("extraction: {trigger: off}", "extraction.trigger", "off"),
        ("embedder: null", "embedder", "null"),
        ("discord: {memory_channel: 123456789012345678}", "discord.memory_channel", "123456789012345678"),
        ("memos: {max_items: null}", "memos.max_items", None),
        ("mirror: {files: [journal, snapshot]}", "mirror.files", ("journal", "snapshot")),
    ],
)
def test_words_that_yaml_reads_in_its_own_way_mean_what_they_say(content: str, name: str, result: Any, tmp_path: Path):
    assert value(load({}, written(tmp_path / "r.yaml", content)), name) == result


@pytest.mark.parametrize("word", ["1", "true", "yes", "on", "TRUE", "Yes", " On "])
def test_yes_is_understood_in_any_case(word: str):
    assert load({"RECOLLECT_EXCHANGES_ENABLED": word}, profile="dnam").settings.exchanges.enabled is True


@pytest.mark.parametrize("word", ["0", "false", "no", "off", "FALSE", "No"])
def test_no_is_understood_in_any_case(word: str):
    assert load({"RECOLLECT_SUMMARY_ENABLED": word}).settings.summary.enabled is False


@pytest.mark.parametrize(
    ("variable", "given", "complaint"),
    [
        ("DISCOCLAW_SUMMARY_ENABLED", "maybe", "neither yes nor no; accepted are 1, true"),
        ("DISCOCLAW_SUMMARY_MAX_CHARS", "many", "not a whole number"),
        ("DISCOCLAW_DURABLE_MAX_ITEMS", "-1", "below zero"),
        ("RECOLLECT_SEARCH_MAX_RESULTS", "0", "greater than or equal to 1"),
        ("RECOLLECT_SUMMARY_TIMEOUT", "0", "greater than 0"),
        (
            "RECOLLECT_SEARCH_CACHE_TTL",
            "soon",
            "not a duration; accepted are numbers such as 30, 30s, 5m and 6h",
        ),
        ("RECOLLECT_SEARCH_CACHE_TTL", "-5", "not a duration"),
        ("RECOLLECT_MEMOS_RANKER", "magic", "'recency'"),
        ("RECOLLECT_MIRROR_FILES", "journal,novel", "'snapshot'"),
        (
            "RECOLLECT_LAYOUT",
            "Q",
            "it should be 'devclaw', 'discoclaw', 'dnam', 'rolling' or 'unified'",
        ),
    ],
)
def test_bad_value_is_refused_with_variable_value_and_what_is_accepted(variable: str, given: str, complaint: str):
    with pytest.raises(ConfigError) as caught:
        load({variable: given})
    assert str(caught.value).startswith(f"{variable}={given!r} ")
    assert complaint in str(caught.value)


def test_all_bad_values_are_reported_at_once():
    with pytest.raises(ConfigError) as caught:
        load({"RECOLLECT_ENABLED": "perhaps", "RECOLLECT_LAYOUT": "Z"})
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("given", "result"),
    [("30", 30), ("30s", 30), ("5m", 300), ("6h", 21600), ("1.5h", 5400), ("250ms", 0.25)],
)
def test_durations_carry_units(given: str, result: float):
    assert load({"RECOLLECT_SEARCH_CACHE_TTL": given}).settings.search.cache_ttl == result


@pytest.mark.parametrize(("given", "result"), [("6", 6), ("6h", 6), ("90m", 1.5), ("1d", 24)])
def test_hours_may_carry_another_unit(given: str, result: float):
    assert load({"DISCOCLAW_SHORTTERM_MAX_AGE_HOURS": given}).settings.exchanges.max_age_hours == result


def test_limit_can_be_lifted_by_a_variable():
    loaded = load({"DISCOCLAW_DURABLE_MAX_ITEMS": "none"}, profile="discoclaw")
    assert loaded.settings.memos.max_items is None


def test_mistyped_variable_is_reported_with_the_nearest_name():
    loaded = load({"RECOLLECT_SUMARY_MODEL": "haiku", "DISCOCLAW_SOMETHING_ELSE": "1", "PATH": "/bin"})
    assert loaded.warnings == ("RECOLLECT_SUMARY_MODEL is not a setting; did you mean RECOLLECT_SUMMARY_MODEL?",)


@pytest.mark.parametrize("name", ["model", "summary.model", "extraction.model"])
def test_model_is_haiku_with_a_key_and_local_without(name: str):
    assert value(load(KEYS), name) == HAIKU
    assert value(load({}), name) == "local"


def test_model_of_a_layer_follows_the_main_model_of_a_provider_without_a_known_cheap_one():
    settings = load({"RECOLLECT_MODEL": "ollama:llama", "RECOLLECT_SUMMARY_MODEL": "local"}).settings
    assert (settings.extraction.model, settings.summary.model) == ("ollama:llama", "local")


def test_model_that_was_named_is_kept_without_its_key_but_reported():
    loaded = load({"RECOLLECT_SUMMARY_MODEL": HAIKU})
    assert loaded.settings.summary.model == HAIKU
    assert loaded.warnings == (f"summary.model is {HAIKU}, but ANTHROPIC_API_KEY is not set.",)


def test_server_of_ones_own_needs_no_key():
    env = {"RECOLLECT_MODEL": "openai:llama", "RECOLLECT_MODEL_BASE_URL": "http://localhost:11434/v1"}
    assert load(env).warnings == ()


@pytest.mark.parametrize("profile", ["clanker", "devclaw"])
def test_profile_that_wants_a_paid_embedder_still_starts_offline_and_says_so(profile: str):
    loaded = load({}, profile=profile)
    assert loaded.settings.embedder == "static"
    assert loaded.origins["embedder"] == f"profile {profile}, without OPENAI_API_KEY"
    assert "static is used" in loaded.warnings[0]


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("notes.db", "sqlite:///notes.db"),
        ("/var/notes.db", "sqlite:////var/notes.db"),
        (":memory:", "sqlite:///:memory:"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("sqlite:///~/n.db", f"sqlite:///{Path.home()}/n.db"),
        ("~/n.db", f"sqlite:///{Path.home()}/n.db"),
        ("{data_dir}/n.db", "sqlite:///data/n.db"),
    ],
)
def test_store_is_an_address_or_a_path(given: str, result: str):
    assert load({"RECOLLECT_STORE": given}).settings.store == result


def test_home_directory_is_expanded_everywhere():
    settings = load({"RECOLLECT_DATA_DIR": "~/bot"}).settings
    assert settings.data_dir == Path.home() / "bot"
    assert settings.mirror.dir == Path.home() / "bot" / "memory"
    assert settings.store == f"sqlite:///{Path.home()}/bot/memory.db"


def test_unknown_profile_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="'discoclow'; did you mean discoclaw"):
        load({"RECOLLECT_PROFILE": "discoclow"})


def test_profile_of_ones_own_knows_no_other_profile(tmp_path: Path):
    path = written(tmp_path / "my.yaml", "profile: dnam")
    with pytest.raises(ConfigError, match="no setting 'profile'"):
        load({"RECOLLECT_PROFILE": str(path)})


def test_keys_and_passwords_are_nowhere_to_be_read():
    env = {**KEYS, "RECOLLECT_STORE": "postgresql://bot:hunter2/@x@host/db?sslpassword=hunter3"}
    loaded = load(env)
    told = f"{loaded!r} {rows(loaded)!r}"
    assert loaded.settings.keys == set(KEYS)
    assert not re.search(r"sk-ant|sk-oai|hunter", told)
    assert "postgresql://bot:***@host/db" in told


def test_bad_value_with_a_password_is_reported_without_it():
    with pytest.raises(ConfigError) as caught:
        load({"RECOLLECT_SEARCH_CACHE_TTL": "http://me:hunter2@host"})
    assert "hunter2" not in str(caught.value)


def test_key_is_read_when_it_is_needed():
    assert secret("OPENAI_API_KEY", KEYS) == "sk-oai-value"
    assert secret("DISCORD_TOKEN", KEYS) is None
    with pytest.raises(ConfigError, match="DISCORD_TOKEN"):
        secret("DISCORD_TOKN", KEYS)


def test_settings_cannot_be_changed():
    with pytest.raises(AttributeError, match="max_chars"):
        load({}).settings.summary.max_chars = 1  # pyright: ignore[reportAttributeAccessIssue] the point of the test


def test_environment_of_the_process_is_read_when_none_is_given():
    script = "from recollect.settings import load; print(load().origins['layout'])"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "RECOLLECT_LAYOUT": "B"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "env RECOLLECT_LAYOUT"


def test_every_setting_has_a_row_with_a_sentence_and_names_of_its_own():
    listed = rows(load({}))
    names = [name for row in listed for name in (row.name, row.env, *row.aliases)]
    assert len(names) == len(set(names))
    assert all(row.description.endswith(".") and row.origin == "default" for row in listed)
    assert {"RECOLLECT_DATA_DIR", "RECOLLECT_STORE", "RECOLLECT_MODEL", "RECOLLECT_EMBEDDER"} < set(names)


def test_value_in_a_row_can_be_given_back_as_a_variable():
    for profile in PROFILES:
        listed = rows(load({}, profile=profile))
        env = {row.env: row.value for row in listed if row.value}
        assert load(env).settings == load({}, profile=profile).settings


def test_settings_page_is_current():
    assert (ROOT / "docs" / "settings.md").read_text("utf-8") == markdown()


def test_env_example_names_known_variables_with_their_defaults():
    content = (ROOT / ".env.example").read_text("utf-8")
    lines = re.findall(r"^(?:# )?([A-Z][A-Z_]+)=(\S*)", content, re.MULTILINE)
    given = {name: text for name, text in lines if name != "RECOLLECT_CONFIG"}
    assert set(given) <= known_variables()
    assert load(given).settings == load({}).settings
    assert len(given) > len(ENTRIES) / 3


def test_a_person_meets_at_most_35_settings():
    """The rest is in the appendix; the documents' variables don't count."""
    assert len([entry for entry in ENTRIES.values() if not entry.advanced]) <= 35


@pytest.mark.parametrize(("old", "new"), sorted((old, new) for old, new in ALIASES.renamed.items() if old.isupper()))
def test_a_variable_of_the_first_edition_works_and_says_its_new_name(old: str, new: str):
    name = VARIABLES_BY_NAME[new]
    choices = ENTRIES[name].choices
    text = choices[0] if choices else str(SAMPLES.get(name, format_value(ENTRIES[name].default) or "x"))
    loaded = load({old: text})
    assert loaded.origins[name] == f"env {old}"
    assert f"{old} is now called {new}; the old name still works." in loaded.warnings
    assert load({old: text, new: text}).origins[name] == f"env {new}"


@pytest.mark.parametrize(
    ("old", "new"), sorted((old, new) for old, new in ALIASES.renamed.items() if not old.isupper())
)
def test_a_key_of_the_first_edition_works_in_the_file_and_says_its_new_name(old: str, new: str, tmp_path: Path):
    value_ = ENTRIES[new].choices[0] if ENTRIES[new].choices else SAMPLES.get(new, ENTRIES[new].default)
    group, dot, leaf = old.partition(".")
    content = {group: {leaf: value_}} if dot else {old: value_}
    loaded = load({}, written(tmp_path / "r.yaml", json.dumps(content)))
    assert loaded.origins[new].startswith("file ")
    assert f"{old} is now called {new}; the old name still works." in loaded.warnings


@pytest.mark.parametrize(
    ("variable", "old", "name", "new"),
    [
        ("RECOLLECT_PRIVACY", "dual", "visibility", "by_audience"),
        ("RECOLLECT_LAYOUT", "A", "layout", "discoclaw"),
        ("RECOLLECT_LAYOUT", "B", "layout", "dnam"),
        ("RECOLLECT_LAYOUT", "C", "layout", "rolling"),
        ("RECOLLECT_LAYOUT", "layered", "layout", "devclaw"),
        ("RECOLLECT_EXTRACTION_TRIGGER", "every_m", "extraction.trigger", "every_n_turns"),
        ("RECOLLECT_SUMMARY_TRIGGER", "every_n", "summary.trigger", "every_n_turns"),
    ],
)
def test_a_value_of_the_first_edition_means_the_same(variable: str, old: str, name: str, new: str):
    assert value(load({variable: old}), name) == new


def test_the_former_variable_of_the_token_still_opens_the_page():
    assert secret("RECOLLECT_HTTP_TOKEN", {"RECOLLECT_WEB_TOKEN": "abc"}) == "abc"
    assert secret("RECOLLECT_HTTP_TOKEN", {"RECOLLECT_WEB_TOKEN": "abc", "RECOLLECT_HTTP_TOKEN": "def"}) == "def"
    assert not load({"RECOLLECT_WEB_TOKEN": "abc"}).warnings


def test_a_profile_of_the_first_edition_by_path_still_works(tmp_path: Path):
    path = written(tmp_path / "mine.yaml", "privacy: dual\ndurable: {ranker: rrf}\nlayout: A")
    loaded = load({}, profile=str(path))
    assert value(loaded, "memos.ranker") == "rrf"
    assert value(loaded, "layout") == "discoclaw"
    assert value(loaded, "visibility") == "by_audience"


def test_a_profile_that_another_package_registers_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "theirs-1.dist-info"
    folder.mkdir()
    written(folder / "METADATA", "Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    written(folder / "entry_points.txt", "[recollect.profiles]\ncalm = theirs_profile:create\n")
    written(tmp_path / "theirs_profile.py", "def create():\n    return {'memos': {'max_active': 7}}\n")
    monkeypatch.syspath_prepend(tmp_path)
    loaded = load({}, profile="calm")
    assert value(loaded, "memos.max_active") == 7
    assert loaded.origins["memos.max_active"] == "profile calm"
    with pytest.raises(ConfigError, match="did you mean calm"):
        load({}, profile="clam")
