"""Settings as the flows want them: the one place that knows both."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import cache
from typing import Any

from recollect import plugins
from recollect.core.clock import Clock
from recollect.core.errors import BadInput
from recollect.core.ports import Store
from recollect.core.ports.ranker import Ranker
from recollect.jobs.worker import Pace
from recollect.learning import consolidate
from recollect.learning.apply import Caps
from recollect.learning.extract import Rules
from recollect.learning.ingest import NEVER, ShortTerm
from recollect.learning.schedule import Cadence
from recollect.learning.summarize import Form
from recollect.policy.visibility import Policy
from recollect.privacy.erase import House, Privacy
from recollect.recall.display_names import Names
from recollect.settings import Settings
from recollect.transfer.mirror.follower import Folders
from recollect.transfer.mirror.pages.apply import Terms
from recollect.transfer.mirror.pages.paths import Shelves
from recollect.transfer.mirror.purge import FileErasure, Premises


def require_durable(settings: Settings) -> None:
    """Raise BadInput where nothing is to be remembered for long."""
    if not settings.enabled:
        raise BadInput("memory is switched off; switch it on with RECOLLECT_ENABLED=true")
    if not settings.durable.enabled:
        raise BadInput("durable memory is switched off; switch it on with RECOLLECT_DURABLE_ENABLED=true")


def switched_off(settings: Settings) -> tuple[str, ...]:
    """What somebody who looks at their memory has to know about the settings."""
    lines: list[str] = []
    if not settings.durable.enabled:
        lines.append("Durable memory is switched off: nothing is learned, remembered or recalled.")
    if not settings.summary.enabled:
        lines.append("Rolling summaries are switched off.")
    return tuple(lines)


def cadence(settings: Settings) -> Cadence:
    """When something is learned and summarised."""
    learning, summary = settings.extraction, settings.summary
    if not settings.enabled:
        return NEVER
    return Cadence(
        learn=learning.trigger if learning.enabled and settings.durable.enabled else "off",
        learn_every=learning.every_n_turns,
        summarise=summary.trigger if summary.enabled and summary.max_chars else "off",
        summarise_every=summary.every_n_turns,
        silence=timedelta(seconds=learning.idle_after),
        shortest=settings.ingest.min_chars,
        most_waiting=settings.ingest.max_waiting,
        by_user=summary.session_key == "user_channel",
        journal="journal" in kept_files(settings),
        reflect_after=timedelta(seconds=settings.reflection.after) if _reflects(settings) else None,
    )


def reflection(settings: Settings) -> consolidate.Rules:
    """How far a dream may go."""
    bounds = settings.reflection
    return consolidate.Rules(
        enabled=_reflects(settings),
        least=bounds.min_memos,
        max_loss=bounds.max_loss,
        interval=timedelta(seconds=bounds.interval),
        walled=Policy(settings.privacy) is Policy.GUILD_ISOLATED,
        timeout=settings.extraction.timeout,
    )


def _reflects(settings: Settings) -> bool:
    return settings.enabled and settings.durable.enabled and settings.reflection.enabled


def kept_files(settings: Settings) -> frozenset[str]:
    """Which files follow the store; a store that lives in memory only leaves nothing behind."""
    return frozenset() if _passes(settings) or not settings.enabled else frozenset(settings.files)


def _passes(settings: Settings) -> bool:
    return settings.store in ("sqlite://", "sqlite:///", "sqlite:///:memory:")


def folders(settings: Settings) -> Folders:
    """Where they go. The snapshot never takes the place of the notes that people write."""
    kept, memory = kept_files(settings), settings.memory_dir
    return Folders(
        memory=memory,
        durable=settings.durable.dir if "durable" in kept else None,
        rolling=settings.summary.dir if "rolling" in kept else None,
        snapshot="snapshot" in kept and memory.absolute() != settings.workspace_dir.absolute(),
        categories=shelves(settings) if "categories" in kept else None,
    )


def shelves(settings: Settings) -> Shelves:
    """Where each memo has a page of its own."""
    return Shelves(settings.memory_dir, per_user=settings.workspace_per_user)


def premises(settings: Settings) -> Premises:
    """Where files may lie that hold something about people, kept or not; those of a passing store are another's."""
    if _passes(settings):
        return Premises(settings.workspace_dir)
    durable, rolling = settings.durable.dir, settings.summary.dir
    return Premises(settings.workspace_dir, settings.data_dir, settings.memory_dir, durable, rolling, shelves(settings))


def privacy(
    store: Store,
    settings: Settings,
    clock: Clock,
    search: Callable[..., Awaitable[Sequence[Any]]],
    follow: Callable[[], Awaitable[None]],
    renew: Callable[[], None],
) -> Privacy:
    """What erases and exports, with all that has to know of it."""
    house = House(FileErasure(store, premises(settings)), search, follow, renew)
    return Privacy(store, house, cadence(settings), clock)


def taking(settings: Settings, user: str) -> Terms:
    """How pages are taken over that people edited; `user` owns the folder when nobody does yet."""
    return Terms(user, caps(settings), caps(settings, lore=True), Policy(settings.privacy))


def shortterm(settings: Settings, names: Names) -> ShortTerm | None:
    kept = settings.shortterm
    return ShortTerm(kept.max_age_hours, kept.max_entries, names) if kept.enabled else None


def caps(settings: Settings, *, lore: bool = False) -> Caps:
    durable = settings.durable
    if lore:
        return Caps(active=durable.lore_max_items)
    return Caps(durable.max_active, durable.max_items, by_guild=settings.privacy == Policy.GUILD_ISOLATED)


def extraction(settings: Settings) -> Rules:
    learning = settings.extraction
    return Rules(
        caps=caps(settings),
        policy=Policy(settings.privacy),
        most=learning.max_facts,
        longest=settings.ingest.max_chars,
        grounding=learning.grounding,
        timeout=learning.timeout,
        enabled=settings.enabled and settings.durable.enabled and learning.enabled,
    )


def form(settings: Settings) -> Form:
    summary = settings.summary
    enabled = settings.enabled and summary.enabled and bool(summary.max_chars)
    return Form(summary.max_chars, summary.bot_reply_chars, summary.timeout, enabled)


def pace(settings: Settings) -> Pace:
    return Pace(width=settings.ingest.parallel)


@cache
def ranker(name: str) -> Ranker:
    """Looked up once: finding a module costs more than ranking a small pool."""
    return plugins.load("rankers", name)
