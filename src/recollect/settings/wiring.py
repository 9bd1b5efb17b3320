"""Translates settings into the options of each component, which is loaded when its options are asked for."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect import learning, plugins
from recollect.core.errors import BadInput
from recollect.core.types import Origin
from recollect.jobs.options import WorkerOptions
from recollect.policy.visibility import VisibilityPolicy
from recollect.transfer.mirror.follower import MirrorTargets
from recollect.transfer.mirror.pages.paths import PagePaths

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from recollect.core.clock import Clock
    from recollect.core.ports import Store
    from recollect.core.ports.ranker import Ranker
    from recollect.learning.apply import MemoLimits
    from recollect.learning.budget import TokenBudget
    from recollect.learning.consolidate import ConsolidationOptions
    from recollect.learning.extraction_records import ExtractionOptions
    from recollect.learning.ingest import ExchangeLimits
    from recollect.learning.recently_removed import RecentlyRemoved
    from recollect.learning.schedule import Schedule
    from recollect.learning.summarize import SummaryOptions
    from recollect.privacy.erase import PrivacyService
    from recollect.prompting.compose import ComposerOptions
    from recollect.recall.display_names import Names
    from recollect.settings import Settings
    from recollect.transfer.mirror.pages.apply import PageSyncOptions
    from recollect.transfer.mirror.purge import MirrorFolders

OFFLINE_MODELS = ("local", "null")
"""The model that extracts where the chosen one gives no usable answer, and the one that never learns."""


def require_durable(settings: Settings) -> None:
    """Raise BadInput if durable memory is switched off."""
    if not settings.enabled:
        raise BadInput("memory is switched off; switch it on with RECOLLECT_ENABLED=true")
    if not settings.memos.enabled:
        raise BadInput("durable memory is switched off; switch it on with RECOLLECT_MEMOS_ENABLED=true")


def switched_off(settings: Settings) -> tuple[str, ...]:
    """One sentence for each feature that is switched off, for people who view their memory."""
    lines: list[str] = []
    if not settings.memos.enabled:
        lines.append("Durable memory is switched off: nothing is learned, remembered or recalled.")
    if not settings.summary.enabled or not settings.summary.max_chars:
        lines.append("Rolling summaries are switched off.")
    return tuple(lines)


def forget_match_options(settings: Settings) -> tuple[float, bool]:
    """How much of a memo a text has to cover to select it, and whether it has to occur in the memo verbatim."""
    from recollect.policy.merge import COVERAGE  # for this mode only

    return COVERAGE if settings.forget_mode == "coverage60" else 0.0, not settings.chat_commands.forget_asks


def describe_models(settings: Settings) -> str:
    """Which model does what, in a line."""
    learner, summaries = settings.extraction.model, settings.summary.model
    if settings.model == learner == summaries:
        return settings.model
    return f"{settings.model}; {learner} learns, {summaries} summarizes"


def recalls_lore(settings: Settings) -> bool:
    """Whether prompts contain lore: in a section of its own, or among what the profile `clanker` finds relevant."""
    memos = settings.memos
    with_facts = "durable" in settings.layers and memos.inject_own_items > 0 and memos.ranker != "recency"
    return settings.enabled and memos.enabled and ("lore" in settings.layers or with_facts)


def composer_options(settings: Settings) -> ComposerOptions:
    """Limits of a prompt."""
    from recollect.prompting.compose import ComposerOptions

    history = settings.history
    return ComposerOptions(history.max_messages, history.inject_max_chars, settings.memos.query_recent)


def schedule(settings: Settings, learner: str = "") -> Schedule:
    """When to learn, summarize and consolidate; a `learner` that costs nothing learns at once, not in batches."""
    extraction, summary = settings.extraction, settings.summary
    if not settings.enabled:
        return learning.schedule.Schedule()
    trigger = "on_ingest" if extraction.trigger == "batch" and learner in OFFLINE_MODELS else extraction.trigger
    return learning.schedule.Schedule(
        learn=trigger if extraction.enabled and settings.memos.enabled else "off",
        learn_every_turns=extraction.every_n_turns,
        summarize=summary.trigger if summary.enabled and summary.max_chars else "off",
        summarize_every_turns=summary.every_n_turns,
        count_unanswered=summary.count_unanswered,
        idle_after=timedelta(seconds=extraction.idle_after),
        min_chars=settings.extraction.min_chars,
        max_queued=settings.jobs.max_queued,
        per_user_sessions=summary.session_key == "user_channel",
        guilds_only=settings.visibility == VisibilityPolicy.GUILD_ISOLATED,
        daily_log="journal" in mirrored_files(settings),
        consolidate_after=timedelta(seconds=settings.consolidation.after) if _consolidates(settings) else None,
    )


def consolidation_options(settings: Settings) -> ConsolidationOptions:
    """Limits of a consolidation."""
    limits = settings.consolidation
    return learning.consolidate.ConsolidationOptions(
        enabled=_consolidates(settings),
        min_memos=limits.min_memos,
        max_loss=limits.max_loss,
        interval=timedelta(seconds=limits.interval),
        per_guild=VisibilityPolicy(settings.visibility) is VisibilityPolicy.GUILD_ISOLATED,
        timeout=settings.extraction.timeout,
    )


def _consolidates(settings: Settings) -> bool:
    return settings.enabled and settings.memos.enabled and settings.consolidation.enabled


def mirrored_files(settings: Settings) -> frozenset[str]:
    """The files that mirror the store; none for a store in memory, which must leave nothing behind."""
    return frozenset() if _is_in_memory(settings) or not settings.enabled else frozenset(settings.mirror.files)


def _is_in_memory(settings: Settings) -> bool:
    return settings.store in ("sqlite://", "sqlite:///", "sqlite:///:memory:")


def mirror_targets(settings: Settings) -> MirrorTargets:
    """Where mirrored files are written. The snapshot must not overwrite the notes that people write."""
    files, memory = mirrored_files(settings), settings.mirror.dir
    return MirrorTargets(
        memory=memory,
        durable=settings.memos.dir if "durable" in files else None,
        rolling=settings.summary.dir if "rolling" in files else None,
        shortterm=settings.exchanges.dir if "shortterm" in files else None,
        snapshot="snapshot" in files and memory.absolute() != settings.workspace.dir.absolute(),
        categories=page_paths(settings) if "categories" in files else None,
    )


def page_paths(settings: Settings) -> PagePaths:
    """The paths of the pages, one per memo."""
    return PagePaths(settings.mirror.dir, per_user=settings.workspace.per_user)


def mirror_folders(settings: Settings) -> MirrorFolders:
    """The folders that may hold files about people, mirrored now or not; with a store in memory only the workspace."""
    from recollect.transfer.mirror.purge import MirrorFolders

    if _is_in_memory(settings):
        return MirrorFolders(settings.workspace.dir)
    return MirrorFolders(
        workspace=settings.workspace.dir,
        data=settings.data_dir,
        memory=settings.mirror.dir,
        durable=settings.memos.dir,
        rolling=settings.summary.dir,
        shortterm=settings.exchanges.dir,
        pages=page_paths(settings),
        store=file_of(settings.store),
    )


def file_of(spec: str) -> Path | None:
    """The file of an SQLite store; None for any other."""
    scheme, separator, path = spec.partition(":///")
    return Path(path).expanduser() if separator and scheme == "sqlite" and path else None


def privacy_service(
    store: Store,
    settings: Settings,
    clock: Clock,
    search: Callable[..., Awaitable[Sequence[Any]]],
    follow: Callable[[], Awaitable[None]],
    renew: Callable[[], None],
    removed: RecentlyRemoved | None = None,
) -> PrivacyService:
    """The service that erases and exports, with the hooks that an erasure calls."""
    from recollect.learning.recently_removed import RecentlyRemoved
    from recollect.privacy.erase import ErasureHooks, PrivacyService
    from recollect.transfer.mirror.purge import MirrorPurge

    hooks = ErasureHooks(
        MirrorPurge(store, mirror_folders(settings)), search, follow, renew, removed or RecentlyRemoved(clock)
    )
    return PrivacyService(store, hooks, schedule(settings), clock)


def page_sync_options(settings: Settings, user: str) -> PageSyncOptions:
    """How edited pages are imported; `user` owns a folder without an owner."""
    from recollect.transfer.mirror.pages.apply import PageSyncOptions

    return PageSyncOptions(
        user, memo_limits(settings), memo_limits(settings, lore=True), VisibilityPolicy(settings.visibility)
    )


def exchange_limits(settings: Settings, names: Names) -> ExchangeLimits | None:
    """Limits of short-term exchanges; None if they are switched off."""
    exchanges = settings.exchanges
    if not exchanges.enabled:
        return None
    return learning.ingest.ExchangeLimits(exchanges.max_age_hours, exchanges.max_entries, names)


def memo_limits(settings: Settings, *, lore: bool = False) -> MemoLimits:
    """Limits of a person's memos, or of a guild's lore."""
    memos = settings.memos
    if lore:
        return learning.apply.MemoLimits(active=settings.lore.max_active)
    return learning.apply.MemoLimits(
        memos.max_active, memos.max_items, by_guild=settings.visibility == VisibilityPolicy.GUILD_ISOLATED
    )


def extraction_options(settings: Settings) -> ExtractionOptions:
    extraction = settings.extraction
    return learning.extraction_records.ExtractionOptions(
        limits=memo_limits(settings),
        policy=VisibilityPolicy(settings.visibility),
        max_proposals=extraction.max_facts,
        max_message_chars=extraction.max_chars,
        grounding=extraction.grounding,
        timeout=extraction.timeout,
        origin=Origin(settings.compat.learned_source),
        enabled=settings.enabled and settings.memos.enabled and extraction.enabled,
        batches=extraction.trigger == "batch",
        budget=budget(settings),
    )


def budget(settings: Settings) -> TokenBudget:
    """What models may cost per day."""
    return learning.budget.TokenBudget(settings.extraction.daily_tokens, settings.discord.daily_tokens or None)


def summary_options(settings: Settings) -> SummaryOptions:
    summary = settings.summary
    enabled = settings.enabled and summary.enabled and bool(summary.max_chars)
    return learning.summarize.SummaryOptions(
        summary.max_chars,
        summary.bot_reply_chars,
        summary.timeout,
        enabled,
        budget(settings),
        settings.discord.name or "Bot",
    )


def worker_options(settings: Settings) -> WorkerOptions:
    return WorkerOptions(max_model_calls=settings.jobs.max_model_calls)


@cache
def ranker(name: str) -> Ranker:
    """The ranker of this name; cached, because finding its module costs more than ranking a small pool."""
    return plugins.load("rankers", name)
