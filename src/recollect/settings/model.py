"""Every setting: its default in the profile `unified`, its type, and one sentence on what it does.

`setting` marks those that a person may want to change, `detail` those of the appendix, which exist for profiles and
rare cases. Older names are in `compat/aliases.yaml`. `load` creates `Settings`, and replaces `{data_dir}` in defaults.
"""

from typing import Annotated, Any, Literal

from recollect.core.ports.layer import Overflow
from recollect.settings.tree import Field, Group
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
    OptionalSeconds,
    Plugin,
    Reranker,
    Seconds,
    Shard,
    Store,
    Text,
    Words,
    clamp,
)

Visibility = Literal["by_audience", "user_global", "guild_isolated"]
Trigger = Literal["batch", "per_turn", "every_n_turns", "on_ingest", "pre_compaction", "idle", "end_of_day", "off"]
Grounding = Literal["quote", "found_quote", "overlap"]
File = Literal["durable", "rolling", "shortterm", "journal", "snapshot", "categories"]


def setting(default: Any, description: str, **bounds: Any) -> Any:
    return Field(default, description, advanced=False, **bounds)


def detail(default: Any, description: str, **bounds: Any) -> Any:
    return Field(default, description, advanced=True, **bounds)


class Memos(Group):
    enabled: Flag = setting(True, "Keep and recall long-term memories about each person.")
    max_active: Limit = setting(200, "Active memories kept per person; beyond that, older ones are archived.")
    dir: Directory = detail("{data_dir}/memory/durable", "Folder of the mirrored memories, one JSON file per person.")
    inject_max_chars: Limit = detail(2000, "Characters that memories may take up in a prompt.")
    inject_max_tokens: Limit = detail(
        None, "Tokens that memories may take up in a prompt, counted as four characters each."
    )
    inject_max_items: Limit = detail(None, "Memories that a prompt may contain.")
    inject_own_items: Count = detail(
        0, "Memories about the speaker listed before the relevant ones; 0 leaves that list out.", ge=0
    )
    max_items: Limit = detail(
        None, "Memories kept per person, retired ones included; beyond that, the oldest retired ones are removed first."
    )
    ranker: Annotated[str, Plugin("rankers")] = detail("unified", "How memories are ordered for a prompt.")
    query_recent: Flag = detail(
        True, "Let the last messages help to find memories for a message that says little by itself."
    )
    cite: Flag = detail(
        True, "Link memories to the messages they come from: in replies to how something is known, and in mirrors."
    )
    overflow: Overflow = detail(
        Overflow.NOTICE, "At a line that does not fit: stop, skip it, or skip it and say how many were left out."
    )


class Lore(Group):
    max_active: Limit = detail(120, "Active lore entries kept per server; beyond that, older ones are archived.")


class Extraction(Group):
    enabled: Flag = setting(True, "Learn from what people write.")
    model: Model = setting(
        "auto",
        "Model that learns; auto is the cheap model of the main model's provider, or the main model with a server of "
        "your own.",
    )
    base_url: Address = detail(
        "auto", "Address of that model's server; auto is model_base_url, none the provider's own.", repr=False
    )
    trigger: Annotated[Trigger, Off] = detail(
        "batch", "What starts learning; with batch, a model reads several messages of a person at a time."
    )
    every_n_turns: Annotated[Count, clamp(1)] = detail(
        10, "Turns of a person between two extractions, with the trigger every_n_turns."
    )
    idle_after: Seconds = detail(
        "10m", "Silence in a session that fires the trigger idle, for learning and for summaries.", gt=0
    )
    min_chars: Count = detail(4, "Shorter messages are not learned from.", ge=0)
    max_chars: Limit = detail(None, "Characters of a message that are learned from.")
    max_facts: Limit = detail(4, "Memories that one extraction may add; with the trigger batch, each message of it.")
    daily_tokens: Limit = detail(
        2_000_000,
        "Tokens that models may read and write per day (UTC) for learning and summaries of one server or DM; then they "
        "wait for the next day, and simple patterns go on learning.",
    )
    timeout: Seconds = detail("30s", "Time limit of one extraction.", gt=0)
    grounding: Grounding = detail(
        "quote",
        "Proof that a memory needs: a verbatim quote of its speaker; the same, but searched for in the message if the "
        "model gives none; or 45 % of its words in the message.",
    )


class Consolidation(Group):
    enabled: Flag = setting(
        True, "Consolidate each person's memories while they are away: merge duplicates, retire what no longer holds."
    )
    after: Seconds = detail("6h", "Silence of a person after which their memories are consolidated.", gt=0)
    interval: Seconds = detail("1d", "Minimum time between two consolidations of one person.")
    min_memos: Count = detail(5, "With fewer memories than this there is nothing to consolidate.", ge=0)
    max_loss: float = detail(
        0.2,
        "Share of a person's memories that one consolidation may retire; one that would retire more changes nothing.",
        ge=0,
        le=1,
    )


class Summary(Group):
    enabled: Flag = setting(True, "Keep a rolling summary of each conversation.")
    model: Model = setting("auto", "Model that summarizes; auto as in extraction.model.")
    base_url: Address = detail(
        "auto", "Address of that model's server; auto is model_base_url, none the provider's own.", repr=False
    )
    max_chars: Annotated[Count, clamp(0)] = detail(2000, "Maximum length of a summary, in characters.")
    trigger: Literal["every_n_turns", "idle", "end_of_day"] = detail(
        "every_n_turns",
        "What starts a summary: a number of turns, silence in the session, or the end of the day (UTC).",
    )
    every_n_turns: Annotated[Count, clamp(1)] = detail(5, "Turns of a session between two summaries.")
    count_unanswered: Flag = detail(
        True, "Count messages without an answer as turns, so that a channel where only people talk has a summary, too."
    )
    dir: Directory = detail("{data_dir}/summaries", "Folder of the mirrored summaries, one JSON file per session.")
    session_key: Literal["place", "user_channel"] = detail(
        "place", "What a session is: a place (channel, thread or DM), or one person in a channel."
    )
    timeout: Seconds = detail("30s", "Time limit of one summary.", gt=0)
    wait: Flag = detail(
        False, "Let a prompt wait for a summary of its session that is being written, at most for summary.timeout."
    )
    bot_reply_chars: Count = detail(500, "Characters of the assistant's reply that the summarizer sees.", ge=0)


class Exchanges(Group):
    enabled: Flag = setting(True, "Remember recent exchanges in public channels for a few hours.")
    max_entries: Count = detail(20, "Exchanges kept per person on a server.", ge=0)
    max_age_hours: Hours = detail(6, "Hours after which an exchange expires.", gt=0)
    inject_max_chars: Limit = detail(1000, "Characters that exchanges may take up in a prompt.")
    dir: Directory = detail(
        "{data_dir}/memory/shortterm", "Folder of the mirrored exchanges, one JSON file per server."
    )


class History(Group):
    max_messages: Annotated[Count, clamp(10, 120)] = setting(
        35, "Recent messages considered for a prompt, from 10 to 120."
    )
    inject_max_chars: Limit = detail(3000, "Characters that recent messages may take up in a prompt.")


class Past(Group):
    max_messages: Count = detail(8, "Older messages of the channel that a prompt may quote if they are relevant.", ge=0)
    inject_max_chars: Limit = detail(400, "Characters that older messages may take up in a prompt.")


class Jobs(Group):
    max_model_calls: Annotated[Count, clamp(1, 64)] = setting(8, "Model calls in the background at the same time.")
    max_queued: Limit = detail(None, "Messages that may be queued for learning; beyond that, the oldest is discarded.")


class ChatCommands(Group):
    enabled: Flag = detail(True, "Answer !memory commands.")
    forget_asks: Flag = detail(
        True, "Ask which one is meant where !memory forget matches several; otherwise all of them are forgotten."
    )
    wording: Literal["plain", "document"] = detail(
        "plain", "Words of the replies: plain, or literally those of the document that a profile follows."
    )
    show: Literal["all", "injected"] = detail(
        "all", "What !memory show lists: all memories, or those that the next prompt would contain."
    )


DEFAULT_MAX_RESULTS = 20


class Search(Group):
    max_results: Limit = detail(
        None, "Results of a search without a limit (20 unless set), and memories in a prompt.", ge=1
    )
    max_limit: Count = detail(100, "Highest limit that a search accepts.", ge=1)
    cache_ttl: Seconds = detail("30s", "How long the search results for one prompt stay fresh.")

    @property
    def default_limit(self) -> int:
        """Results of a search without a limit."""
        return min(self.max_results or DEFAULT_MAX_RESULTS, self.max_limit)


class Mirror(Group):
    files: Annotated[tuple[File, ...], Words] = setting(
        (), "Files kept up to date on disk: durable, rolling, shortterm, journal, snapshot, categories."
    )
    dir: Directory = detail("{data_dir}/memory", "Folder of the Markdown files.")


class Workspace(Group):
    dir: Directory = setting("{data_dir}/workspace", "Folder of the notes that people write.")
    per_user: Flag = detail(
        True, "Give each person their own notes; otherwise the notes of one owner are listed in every DM."
    )
    context_dir: Directory = detail(
        "{data_dir}/context", "Folder of files to read before responding: base/*.md and channels/<channel>.md."
    )


class Discord(Group):
    allowed_users: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the users whom the bot answers, * for all; nobody while all three lists are empty."
    )
    allowed_roles: Annotated[tuple[str, ...], Words] = setting((), "Ids of the roles whose members the bot answers.")
    allowed_guilds: Annotated[tuple[str, ...], Words] = setting((), "Ids of the servers whose members the bot answers.")
    channels: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the channels in which the bot answers every message; elsewhere it answers mentions and replies."
    )
    excluded_channels: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the channels and categories in which the bot neither listens nor answers."
    )
    excluded_roles: Annotated[tuple[str, ...], Words] = setting(
        (), "Ids of the roles whose members the bot neither listens to nor answers."
    )
    memory_channel: Text = setting("", "Id of the channel that shows each person's memory; empty for none.")
    name: Text = setting("recollect", "The name by which the bot calls itself.")
    privacy_notice: Annotated[Literal["dm", "reply", "off"], Off] = setting(
        "reply",
        "How people are told, once, that the bot remembers: in the channel, else by direct message, or the other way "
        "round; nothing about a person is kept before that.",
    )
    learned_notices: Annotated[Literal["off", "here", "mirror"], Off] = setting(
        "off", "Where a line is posted for each learned memory: where it was said, or in the memory channel."
    )
    erase_on_leave: OptionalSeconds = setting(
        "7d",
        "Time after the bot left a server until everything learned there is erased, unless it is invited again; "
        "0 is at once, never keeps it.",
    )
    operator: Text = detail("", "Who runs the bot, as the privacy notice names them.")
    privacy_policy: Text = detail("", "Address of the privacy policy that the privacy notice refers to.")
    consent: Literal["notice", "opt_in"] = detail(
        "notice", "Whether people are remembered once they were told, or once they agreed by a button or a role."
    )
    memory_channel_style: Literal["panel", "members"] = detail(
        "panel", "What the memory channel shows: one panel with buttons, or a pinned message per member."
    )
    replies_per_minute: Annotated[Count, clamp(0, 1000)] = detail(
        20,
        "Replies per person and minute; a channel gets three times as many, a server ten times; 0 for no limit.",
    )
    daily_replies: Annotated[Count, clamp(0, 1_000_000)] = detail(
        0, "Replies per server and day (UTC), to limit what the model costs; 0 for no limit."
    )
    daily_tokens: Annotated[Count, clamp(0, 1_000_000_000)] = detail(
        0, "Tokens per server or DM and day (UTC), for learning and replies; a server may set less. 0 for no limit."
    )
    catch_up: OptionalSeconds = detail(
        "24h", "How old a message may be that was sent while the bot was offline, to be answered; never for not at all."
    )
    message_content: Flag = detail(True, "Ask Discord for the text of messages that don't mention the bot.")
    members: Flag = detail(False, "Ask Discord to report when a member leaves a server.")
    resync_messages: Annotated[Count, clamp(0, 100)] = detail(
        100,
        "Messages per recent channel that are compared with Discord at start-up, to notice edits and deletions made "
        "meanwhile; 0 for none.",
    )
    register_commands: Flag = detail(True, "Register the slash commands with Discord when they have changed.")
    shard: Shard = detail(
        "", "Which shards of a large bot this process runs, as 0/4, or 0-1/4 for several; empty for all of them."
    )
    api_base_url: Text = detail("", "Address of Discord's HTTP API; empty for Discord's own.")
    gateway_url: Text = detail("", "Address of Discord's gateway; empty for Discord's own.")


class Http(Group):
    host: Text = setting("127.0.0.1", "Address on which page and API listen.")
    port: Count = setting(8420, "Port on which page and API listen; 0 picks a free one.", ge=0, le=65_535)
    host_names: Annotated[tuple[str, ...], Words] = setting(
        (), "Host names, besides the address, under which it is reached."
    )
    token_file: Directory = detail(
        "{data_dir}/tokens.json",
        "File with the operator's, the reader's and the metrics token, created at the first start; "
        "RECOLLECT_HTTP_TOKEN replaces the operator's.",
    )
    trusted_proxies: Annotated[tuple[str, ...], Words] = detail(
        (),
        "Addresses or networks of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto count; "
        "others' are ignored.",
    )
    session_lifetime: Seconds = detail("12h", "Time after which a browser has to sign in again.", gt=0)


class Compat(Group):
    learned_source: Literal["summary", "discord"] = detail(
        "summary", "What a memory that was learned from a message names as its source, in files and lists."
    )
    memories_fts: Flag = detail(
        False, "Maintain the SQL table memories_fts in an SQLite file, for other programs that search it."
    )


class Settings(Group):
    """All settings of one memory; `keys` names the API keys that are present, never their values."""

    profile: Text = setting("unified", "Set of defaults: a name, or the path of a YAML file.")
    enabled: Flag = setting(True, "Remember and recall at all.")
    data_dir: Directory = setting("data", "Folder for everything that is stored.")
    store: Store = setting(
        "sqlite:///{data_dir}/memory.db", "Address of the database, or the path of an SQLite file.", repr=False
    )
    model: Model = setting(
        "auto",
        "Main model as provider:model, or haiku, sonnet, opus; auto is Claude Haiku with an Anthropic key, else local.",
    )
    model_base_url: Address = setting("", "Address of an OpenAI-compatible server for models.", repr=False)
    embedder: Embedder = setting(
        "static",
        "Embedder as name or provider:model, or several in order of preference, separated by commas; null searches by "
        "words only.",
    )
    embedder_base_url: Text = setting("", "Address of an OpenAI-compatible server for embeddings.", repr=False)
    embed_evidence: Flag = detail(
        False, "Embed a memory together with its kind and the words it came from, rather than alone."
    )
    embed_messages: Flag = detail(True, "Embed messages too; without, they are searched by words only.")
    rerank: Reranker = detail(
        "",
        "Reranker of search results: the path of an ONNX model, fastembed:model, or on for reranker/model.onnx in the "
        "data folder; off for none.",
    )
    rerank_timeout: Seconds = detail("1s", "How long a search waits for the reranker, then keeps its order.", gt=0)
    visibility: Visibility = setting(
        "by_audience",
        "Where memories may surface: where everyone present could have heard them, wherever their person speaks, or in "
        "their server only.",
    )
    forget_mode: Literal["substring", "coverage60"] = detail(
        "substring", "What !memory forget matches: any part of a memory, or at least 60 % of it."
    )
    layout: Annotated[str, Plugin("layouts")] = detail("unified", "Order and headers of the prompt's sections.")
    layers: Annotated[tuple[str, ...], Words] = detail(
        ("workspace", "durable", "lore", "rolling", "shortterm", "history", "past", "people"),
        "Kinds of memory that a prompt draws on, by the names of their plug-ins.",
    )
    keep_prompts: Annotated[Count, clamp(0, 200)] = detail(
        0, "Last requests to the chat model that are kept as sent, redacted, for the operator's page; 0 keeps none."
    )
    memos: Memos
    lore: Lore
    extraction: Extraction
    consolidation: Consolidation
    summary: Summary
    exchanges: Exchanges
    history: History
    past: Past
    jobs: Jobs
    chat_commands: ChatCommands
    search: Search
    mirror: Mirror
    workspace: Workspace
    discord: Discord
    http: Http
    compat: Compat
    keys: frozenset[str]
