"""One term, one meaning: names that were replaced don't come back. docs/concepts/glossary.md has the terms in use."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "recollect"
FILES = sorted(SRC.rglob("*.py"))

# Whole identifiers that were replaced, and by what. Stored names (columns, keys of JSON) are no identifiers.
RETIRED = {
    "Around": "QuoteContext",
    "Audible": "Viewer",
    "Brain": "Responder",
    "Cadence": "Schedule",
    "Caps": "MemoLimits",
    "Carried": "Entailment",
    "Cause": "ChangeContext",
    "Confirm": "ConfirmDialog",
    "Courtesy": "ForegroundPriority",
    "Crew": "EmbedderChain",
    "Desk": "PageContext",
    "Door": "AccessList",
    "Doors": "SecurityMiddleware",
    "Dream": "ConsolidationReport",
    "Dreams": "Consolidator",
    "Ear": "MessageListener",
    "Erasures": "PlannedErasures",
    "FileErasure": "MirrorPurge",
    "Fitted": "FitResult",
    "Follower": "LogFollower",
    "Forgetting": "ForgetOutcome",
    "Found": "Hit",
    "Guesses": "LoginThrottle",
    "Hearing": "ExtractionInput",
    "Hears": "VisibilityCheck",
    "House": "BotContext, AppState or ErasureHooks",
    "Journal": "Messages",
    "Keeper": "MirrorWriter",
    "Kept": "StoredItem",
    "LONGEST_MEMO": "MAX_MEMO_CHARS",
    "Lanes": "SearchIndex",
    "Leaves": "Pager",
    "Ledger": "MirrorState",
    "Likeness": "Similarity",
    "NO_TEXTURE": "EMPTY_SAMPLE",
    "NoMatch": "NotFound",
    "Office": "Admin",
    "Order": "ParsedCommand",
    "Orders": "ChatCommands",
    "Pace": "WorkerOptions",
    "Paper": "ChatOutput",
    "Parting": "GuildDepartures",
    "Premises": "MirrorFolders",
    "Proposed": "ExtractionResult",
    "Queries": "QueryVectors",
    "Recheck": "Resync",
    "Revision": "MemoEdit",
    "Rewording": "EditForm",
    "Roll": "SnapshotInput",
    "Scene": "PromptRequest",
    "Shelves": "PagePaths",
    "Shown": "Listing or VisibleText",
    "Spoken": "ModelReply",
    "Stale": "StaleResult",
    "Standing": "WorkerStatus",
    "Survey": "ErasurePreview",
    "Texture": "CorpusSample",
    "Toolbox": "AssistantTools",
    "Understood": "ParsedQuery",
    "Unsaid": "NeedsOwner",
    "Veil": "MemoryLineFilter",
    "Visits": "ReadBatcher",
    "Watched": "WriteMonitor",
    "Written": "GeneratedText",
    "asks_whether": "is_yes_no_question",
    "befell": "life_event",
    "bring": "run_import",
    "bury": "add_tombstone",
    "can_hold_facts": "may_contain_facts",
    "categorised": "render_with_category",
    "cited": "render_with_source",
    "counters": "state",
    "dereference": "parse_message_ref",
    "disagreement": "count_inconsistencies",
    "documented": "render_plain",
    "find_doomed": "collect_obsolete",
    "foretell": "preview_archived",
    "forget_results": "clear_function_caches",
    "forget_said": "forget_messages",
    "gives_orders": "contains_instructions",
    "heard_by_both": "common_audience",
    "inert": "escape_comment",
    "is_alone": "is_owner_dm",
    "is_deaf": "is_paused",
    "is_heard_in": "covers_audience_of",
    "is_told": "was_notified",
    "is_worded_from": "has_words_of",
    "journalise": "queue_daily_log",
    "kept_as": "render_origin",
    "known_row": "cached_row",
    "known_user": "valid_user",
    "last_said": "last_message_time",
    "leads_to": "matches_start",
    "leans": "depends_on_context",
    "learning_key": "extraction_key",
    "let_go": "release",
    "lies_in": "is_inside",
    "lift": "release_restored",
    "lift_stated": "release_stated",
    "may_be_overheard": "may_store_unaddressed",
    "may_be_told": "may_be_shown",
    "may_hear": "is_visible",
    "may_lead_to": "may_match_below",
    "may_tell_source": "is_source_visible",
    "may_yield": "may_be_replaced",
    "memorable": "valid_memo_text",
    "nests": "is_nested_deeper",
    "not_allowed_here": "render_not_served",
    "nudge": "wake",
    "outdates": "may_outdate",
    "owe": "add_pending",
    "park": "fail",
    "pend": "put_in_batch",
    "rarity": "inverse_frequency",
    "realm_of": "guild_key",
    "recheck": "resync",
    "reflect": "consolidate",
    "reflection": "consolidation",
    "remakes_assistant": "redefines_assistant",
    "remove_doomed": "remove_obsolete",
    "require_own": "refuse_inherited",
    "resting_on": "from_message",
    "revisit": "rollback_message",
    "said_again": "messages_repeating",
    "said_between": "between",
    "say_again": "translate_text",
    "scopes_of": "search_scopes",
    "screen_again": "rescreen_reply",
    "scrub": "redact",
    "sent_words": "attached_texts",
    "speak_as": "use_language_of",
    "speaks_of_a_third": "mentions_third_person",
    "squeeze": "collapse_spaces",
    "take_on": "add_handler",
    "takes_along": "removes_reply",
    "tell_expired": "report_expired",
    "tell_when": "describe_time",
    "unbury": "remove_tombstone",
    "understand": "parse_query",
    "unpark": "requeue",
    "unsee": "forget_message",
    "whole_guild": "guild_audience",
    "with_past": "with_predecessors",
}

# Words that no identifier, file or folder contains any more, in whatever form.
WORDS = {
    "audible": "viewer or is_visible",
    "brain": "responder",
    "cadence": "schedule",
    "courtesy": "priority",
    "crew": "chain",
    "desk": "page context",
    "dream": "consolidation",
    "hearing": "extraction input",
    "lane": "queue for jobs, index for search",
    "ledger": "mirror state",
    "office": "admin",
    "premises": "mirror folders",
    "realm": "tenant for jobs, guild_key for places",
    "recognise": "recognize, or detect",
    "shelf": "item store, or archive section",
    "summarise": "summarize",
    "toolbox": "tools",
    "veil": "filter",
}

# Modules and folders that used to be at the top level.
MODULES = frozenset(
    "anthropic_memory assistant audience bot cadence calls cli commands compose copying courtesy directives dream "
    "exchange extraction files guard layers learn likeness lines listening mcp_server office orders pausing plain "
    "profiles prompt rank reading redact replies revisit revision rules skills speaking summaries tool triggers uses "
    "vectors visits web wording".split()
)

# Fields of a wire format keep the names that clients know: (module, name).
WIRE_FIELDS = {("faces/http/api/records.py", "lane")}


def identifiers(source: str) -> Iterator[str]:
    """Everything that a module defines, binds or imports under a name."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.alias(asname=str(name)):
                yield name
            case _:
                pass


def words(identifier: str) -> list[str]:
    """The words of an identifier in whatever case: `_FIRST_OF_LANE` and `PageDesk` have lane and desk in them."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", identifier).lower().split("_")


def replacement(identifier: str) -> str | None:
    """What an identifier should be called instead, if its name or a word of it is retired."""
    if identifier in RETIRED:
        return RETIRED[identifier]
    singular = {form for word in words(identifier) for form in (word, word.removesuffix("s"))}
    return next((WORDS[word] for word in sorted(singular & WORDS.keys())), None)


def offenses(source: str) -> dict[str, str]:
    """Identifiers of a module that should be called something else, and what."""
    return {name: better for name in identifiers(source) if (better := replacement(name)) is not None}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SRC)))
def test_a_retired_name_does_not_come_back(path: Path):
    module = path.relative_to(SRC).as_posix()
    names = {name for name in offenses(path.read_text("utf-8")) if (module, name) not in WIRE_FIELDS}
    assert names == set(), "these names were replaced; see docs/concepts/glossary.md"


def test_a_retired_name_does_not_come_back_as_a_module_or_folder():
    parts = {part.removesuffix(".py") for path in FILES for part in path.relative_to(SRC).parts}
    assert {part for part in parts if set(words(part)) & WORDS.keys()} == set()


def test_a_retired_module_does_not_come_back():
    top_level = {path.stem for path in SRC.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert top_level & MODULES == set()


@pytest.mark.parametrize(("module", "name"), sorted(WIRE_FIELDS))
def test_an_exception_is_still_needed(module: str, name: str):
    assert name in offenses((SRC / module).read_text("utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "class Visits: ...",
        "class Reader:\n    def may_hear(self): ...",
        "def f(text, nudge): ...",
        "self.counters = 1",
        "import x as Office",
        "from x import y as Lanes",
        "squeeze = 1",
        "for bury in x: ...",
        "async def unpark(): ...",
    ],
)
def test_the_check_sees_what_a_module_defines_or_binds(source: str):
    assert offenses(source)


def test_the_check_sees_words_inside_identifiers():
    source = "def first_of_lane(): ...\nclass PageDesk: ...\n_REALMS = 1\nself._dreams = 1\nimport a as summarise_all"
    assert set(offenses(source)) == {"first_of_lane", "PageDesk", "_REALMS", "_dreams", "summarise_all"}


def test_the_check_leaves_uses_strings_and_other_words_alone():
    assert offenses("x = y.counters\nprint('lane', plane, border)\ndef airplane(): ...\nplanes = 1") == {}
