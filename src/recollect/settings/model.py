"""Every setting, with its default in the profile `unified`, its old names and one sentence on what it does.

An upper-case alias is an environment variable, any other a key of the YAML file. `{data_dir}` in a default is
replaced when settings are loaded; `Settings` is made by `load`, not by hand.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from recollect.settings.values import (
    Address,
    Count,
    Directory,
    Embedder,
    Flag,
    Hours,
    Limit,
    Model,
    Off,
    Patience,
    Seconds,
    Shard,
    Store,
    Text,
    Words,
    clamp,
)

Privacy = Literal["dual", "user_global", "guild_isolated"]
Ranker = Literal["unified", "recency", "overlap", "hybrid", "rrf"]
Overflow = Literal["stop", "skip", "notice"]
Trigger = Literal["per_turn", "every_m", "on_ingest", "pre_compaction", "idle", "end_of_day", "off"]
Grounding = Literal["quote", "overlap"]
Layout = Literal["A", "B", "C", "layered", "unified"]
File = Literal["durable", "rolling", "journal", "snapshot", "categories"]


def setting(default: Any, description: str, *aliases: str, **bounds: Any) -> Any:
    return Field(default, description=description, json_schema_extra={"aliases": list(aliases)}, **bounds)


class Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # built by the first load


class Durable(Group):
    enabled: Flag = setting(
        True, "Keep and recall long-term facts about each user.", "DISCOCLAW_DURABLE_MEMORY_ENABLED"
    )
    dir: Directory = setting(
        "{data_dir}/memory/durable",
        "Folder of the exported facts, one JSON file a user.",
        "DISCOCLAW_DURABLE_DATA_DIR",
        "DISCOCLAW_DURABLE_DIR",
    )
    inject_max_chars: Limit = setting(
        2000, "Characters that facts may take in a prompt.", "DISCOCLAW_DURABLE_INJECT_MAX_CHARS"
    )
    inject_max_tokens: Limit = setting(
        None, "Tokens that facts may take in a prompt, four characters each.", "token_budget.memory"
    )
    inject_max_items: Limit = setting(None, "Facts that a prompt may carry.")
    user_items: Count = setting(
        0, "Facts about the speaker alone, listed before the relevant ones; 0 leaves that list out.", ge=0
    )
    max_active: Limit = setting(200, "Active facts kept per user; beyond it older ones are archived.")
    max_items: Limit = setting(
        None,
        "Facts kept per user, retired ones included; beyond it the oldest retired ones go first.",
        "DISCOCLAW_DURABLE_MAX_ITEMS",
    )
    lore_max_items: Limit = setting(120, "Active lore lines kept per guild; beyond it older ones are archived.")
    ranker: Ranker = setting("unified", "How facts are ordered for a prompt.")
    overflow: Overflow = setting(
        "notice", "At a line that does not fit: stop, skip it, or skip it and say how many were left out."
    )


class Extraction(Group):
    enabled: Flag = setting(True, "Learn facts from what users write.", "DISCOCLAW_SUMMARY_TO_DURABLE_ENABLED")
    trigger: Annotated[Trigger, Off] = setting("on_ingest", "What sets off learning.")
    every_n_turns: Annotated[Count, clamp(1)] = setting(
        10, "Turns of a user between two rounds of the trigger every_m.", "DISCOCLAW_DURABLE_EVERY_N_TURNS"
    )
    idle_after: Seconds = setting(
        "10m", "Silence in a session that sets off the trigger idle, of learning and of summaries.", gt=0
    )
    max_facts: Limit = setting(4, "Facts that one round may add.")
    model: Model = setting(
        "auto",
        "Model that learns facts; auto is the main model.",
        "DISCOCLAW_DURABLE_MODEL",
        "memoryLlm.model",
    )
    base_url: Address = setting(
        "auto", "Address of the server of that model; auto is model_base_url, none the provider's own.", repr=False
    )
    timeout: Seconds = setting("30s", "Time that one round may take.", gt=0)
    grounding: Grounding = setting(
        "quote", "Proof a fact needs: a verbatim quote of its speaker, or 45 % of its words in the message."
    )


class Reflection(Group):
    enabled: Flag = setting(True, "Tidy each user's memory while they are away: merge, retire, trust what recurs.")
    after: Seconds = setting("6h", "Silence of a user that sets it off.", gt=0)
    interval: Seconds = setting("1d", "Time between two rounds for one user, at least.")
    min_memos: Count = setting(5, "Facts below which there is nothing to tidy.", ge=0)
    max_loss: float = setting(
        0.2,
        "Share of a user's facts that one round may take out of use; one that would take more does nothing.",
        ge=0,
        le=1,
    )


class Summary(Group):
    enabled: Flag = setting(True, "Keep a rolling summary of each session.", "DISCOCLAW_SUMMARY_ENABLED")
    model: Model = setting("auto", "Model that summarises; auto is the main model.", "DISCOCLAW_SUMMARY_MODEL")
    base_url: Address = setting(
        "auto", "Address of the server of that model; auto is model_base_url, none the provider's own.", repr=False
    )
    max_chars: Annotated[Count, clamp(0)] = setting(
        2000, "Characters that a summary may have.", "DISCOCLAW_SUMMARY_MAX_CHARS"
    )
    every_n_turns: Annotated[Count, clamp(1)] = setting(
        5, "Turns of a session between two summaries.", "DISCOCLAW_SUMMARY_EVERY_N_TURNS"
    )
    trigger: Literal["every_n", "idle", "end_of_day"] = setting(
        "every_n", "What sets off a summary: a number of turns, silence in the session, or the end of the day (UTC)."
    )
    dir: Directory = setting(
        "{data_dir}/summaries",
        "Folder of the exported summaries, one JSON file a session.",
        "DISCOCLAW_SUMMARY_DATA_DIR",
        "DISCOCLAW_SUMMARY_DIR",
    )
    session_key: Literal["place", "user_channel"] = setting(
        "place", "What a session is: a place (channel, thread or DM), or a user in a channel."
    )
    timeout: Seconds = setting("30s", "Time that one summary may take.", gt=0)
    bot_reply_chars: Count = setting(500, "Characters of the reply that the summariser sees.", ge=0)


class ShortTerm(Group):
    enabled: Flag = setting(
        True,
        "Remember recent exchanges in public channels for a while.",
        "DISCOCLAW_SHORTTERM_MEMORY_ENABLED",
    )
    max_entries: Count = setting(20, "Exchanges kept per guild.", "DISCOCLAW_SHORTTERM_MAX_ENTRIES", ge=0)
    max_age_hours: Hours = setting(
        6, "Hours after which an exchange expires.", "DISCOCLAW_SHORTTERM_MAX_AGE_HOURS", gt=0
    )
    inject_max_chars: Limit = setting(
        1000, "Characters that exchanges may take in a prompt.", "DISCOCLAW_SHORTTERM_INJECT_MAX_CHARS"
    )
    dir: Directory = setting(
        "{data_dir}/memory/shortterm",
        "Folder of the exported exchanges.",
        "DISCOCLAW_SHORTTERM_DATA_DIR",
        "DISCOCLAW_SHORTTERM_DIR",
    )


class History(Group):
    inject_max_chars: Limit = setting(
        3000, "Characters that recent messages may take in a prompt.", "DISCOCLAW_MESSAGE_HISTORY_BUDGET"
    )
    max_messages: Annotated[Count, clamp(10, 120)] = setting(
        35, "Recent messages considered for a prompt, from 10 to 120.", "memory.maxRecentMessages"
    )
    relevant_messages: Count = setting(
        8, "Older messages of the channel that a prompt may quote because they fit the question.", ge=0
    )


class Ingest(Group):
    max_waiting: Limit = setting(None, "Messages that may wait for learning; beyond it the oldest is given up.")
    parallel: Annotated[Count, clamp(1, 64)] = setting(8, "Calls of a model in the background at the same time.")
    min_chars: Count = setting(4, "Shorter messages are not learned from.", ge=0)
    max_chars: Limit = setting(None, "Characters of a message that are learned from.")


class Commands(Group):
    enabled: Flag = setting(True, "Answer the !memory commands.", "DISCOCLAW_MEMORY_COMMANDS_ENABLED")
    show: Literal["all", "injected"] = setting(
        "all", "What !memory show lists: all facts, or those that the next prompt would carry."
    )


class Search(Group):
    max_results: Count = setting(20, "Results of a search that names no limit.", "memory.max_results", ge=1)
    max_limit: Count = setting(100, "Highest limit that a search may ask for.", ge=1)
    mirror_words: Flag = setting(
        False, "Keep the SQL table memories_fts in an SQLite file, for other programs that search it."
    )
    cache_ttl: Seconds = setting("30s", "Time that the results for one prompt stay fresh.", "memory.cache_ttl")


class Bot(Group):
    allowed_users: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the users whom the Discord bot answers, * for all; nobody, while all three lists are empty."
    )
    allowed_roles: Annotated[tuple[str, ...], Words] = setting((), "Ids of the roles whose members the bot answers.")
    allowed_guilds: Annotated[tuple[str, ...], Words] = setting((), "Ids of the guilds whose members the bot answers.")
    channels: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the channels in which the bot answers everything; elsewhere it is mentioned or replied to."
    )
    excluded_channels: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the channels and categories in which the bot neither listens nor answers."
    )
    excluded_roles: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the roles to whose members the bot neither listens nor answers."
    )
    announce: Annotated[Literal["dm", "reply", "off"], Off] = setting(
        "dm", "How people are told, once, that the bot remembers; nothing of a person is kept before that."
    )
    learned_lines: Annotated[Literal["off", "here", "mirror"], Off] = setting(
        "off", "Where a line is posted for each learned fact: where it was said, or in the memory channel."
    )
    message_content: Flag = setting(True, "Ask Discord for the text of messages that don't mention the bot.")
    members: Flag = setting(False, "Ask Discord to be told when a member leaves a guild.")
    erase_on_leave: Patience = setting(
        "7d",
        "Time after the bot left a guild until all that was learned there is erased, unless it is let in again; "
        "0 is at once, never keeps it.",
    )
    recheck: Annotated[Count, clamp(0, 100)] = setting(
        100,
        "Messages of each recent channel that are compared with Discord at the start, to notice what was edited or "
        "deleted meanwhile; 0 for none.",
    )
    sync: Flag = setting(True, "Register the slash commands with Discord when they have changed.")
    shard: Shard = setting(
        "", "Which of a large bot's shards this process is, as 0/4, or 0-1/4 for several; empty for all of them."
    )
    name: Text = setting("recollect", "The name by which the bot calls itself.")
    api_base_url: Text = setting("", "Address of Discord's HTTP API; empty for Discord's own.")
    gateway_url: Text = setting("", "Address of Discord's gateway; empty for Discord's own.")


class Web(Group):
    host: Text = setting("127.0.0.1", "Address at which page and API listen.")
    port: Count = setting(8420, "Port at which page and API listen; 0 takes a free one.", ge=0, le=65_535)
    token_file: Directory = setting(
        "{data_dir}/tokens.json",
        "File with the tokens of operator and reader, made at the first start; RECOLLECT_WEB_TOKEN replaces the first.",
    )
    names: Annotated[tuple[str, ...], Words] = setting((), "Host names, besides the address, by which it is reached.")
    session: Seconds = setting("12h", "Time after which a browser has to sign in again.", gt=0)


class Settings(Group):
    """All settings of one memory; `keys` names the API keys that are present, never their values."""

    profile: Text = setting("unified", "Set of defaults: a name, or the path of a YAML file.")
    enabled: Flag = setting(True, "Remember and recall at all.", "memory.enabled")
    data_dir: Directory = setting("data", "Folder for everything that is stored.", "DISCOCLAW_DATA_DIR")
    store: Store = setting(
        "sqlite:///{data_dir}/memory.db",
        "Address of the database, or the path of an SQLite file.",
        "DEVCLAW_MEMORY_DB",
        "memory.database_path",
        repr=False,
    )
    memory_dir: Directory = setting(
        "{data_dir}/memory", "Folder of the Markdown files.", "DEVCLAW_MEMORY_DIR", "memory.storage_dir"
    )
    workspace_dir: Directory = setting(
        "{data_dir}/workspace", "Folder of the notes that people write.", "DISCOCLAW_WORKSPACE_DIR"
    )
    workspace_per_user: Flag = setting(
        True, "Give each user notes of their own; otherwise one owner's notes are listed in every DM."
    )
    context_dir: Directory = setting(
        "{data_dir}/context", "Folder of the files to read before responding: base/*.md and channels/<channel>.md."
    )
    model: Model = setting(
        "auto",
        "Main model as provider:model, or haiku, sonnet, opus; auto is Claude Haiku with an Anthropic key, else local.",
    )
    model_base_url: Address = setting("", "Address of an OpenAI-compatible server for models.", repr=False)
    embedder: Embedder = setting(
        "static",
        "Embedder as name or provider:model, or several by preference with commas; null searches by words only.",
        "DEFAULT_MEMORY_EMBEDDING_MODEL",
        "memory.embedding_model",
        "memory.embeddingModel",
    )
    embed_evidence: Flag = setting(
        False, "Embed a fact together with its type and the words it came from, rather than alone."
    )
    embedder_base_url: Text = setting("", "Address of an OpenAI-compatible server for embeddings.", repr=False)
    privacy: Privacy = setting(
        "dual", "Where facts may surface: by audience, everywhere their user speaks, or in their guild only."
    )
    forget_mode: Literal["substring", "coverage60"] = setting(
        "substring", "What !memory forget matches: any part of a fact, or at least 60 % of it."
    )
    layout: Layout = setting("unified", "Order and headers of the prompt's sections.")
    layers: Annotated[tuple[str, ...], Words] = setting(
        ("workspace", "durable", "lore", "rolling", "shortterm", "history", "past", "people"),
        "Kinds of memory that a prompt draws on, by the name of their plug-in.",
    )
    files: Annotated[tuple[File, ...], Words] = setting(
        (), "Derived files kept up to date on disk: durable, rolling, journal, snapshot, categories."
    )
    memory_channel_id: Text = setting(
        "", "Discord channel that mirrors each user's memory; empty for none.", "DISCOCLAW_MEMORY_CHANNEL_ID"
    )
    durable: Durable
    extraction: Extraction
    reflection: Reflection
    summary: Summary
    shortterm: ShortTerm
    history: History
    ingest: Ingest
    commands: Commands
    search: Search
    bot: Bot
    web: Web
    keys: frozenset[str] = frozenset()
