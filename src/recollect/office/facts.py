"""All that is known within one guild, searched as a whole: whoever it is about, and no other guild's."""

from datetime import datetime

from recollect import rank, recall
from recollect.memory import PATIENCE, Memory
from recollect.ports import Filters, Tx
from recollect.rank import unified
from recollect.rank.base import Question
from recollect.recall import Found, Search
from recollect.types import Memo, Subject, realm_of

MOST = 24
"""Facts of one answer at the most."""


async def facts(
    memory: Memory, query: str, guild: str, now: datetime, channel: str | None = None, limit: int = 10
) -> list[Found]:
    """Active facts of a guild that are relevant, best first; the channel is a hint, not a filter."""
    question = Question(query, now, channel)
    vector = await memory.vectors.of_query(unified.understand(question, ()).topic, "memos", PATIENCE)

    def work(tx: Tx) -> list[Found]:
        ask = Search(
            question=question,
            corpus="memos",
            scopes=_scopes(tx, guild),
            ranker=rank.named("hybrid"),
            limit=clamped(limit),
            strict=True,
            filters=Filters(guild=_bare(guild)),
            vector=vector,
        )
        return recall.search(tx, ask, lambda memo: _is_of(memo, guild, now)) if ask.scopes else []

    return await memory.store.read(work)


def clamped(limit: int) -> int:
    return max(1, min(limit, MOST))


def _scopes(tx: Tx, guild: str) -> list[str]:
    """Of everyone of whom something was learned there, and of the guild's lore."""
    known = (memo.subject.scope for memo in tx.memos.traced(guild=_bare(guild)) if memo.active)
    return [*dict.fromkeys([*known, Subject.lore(guild).scope])]


def _is_of(memo: Memo, guild: str, now: datetime) -> bool:
    source = memo.source
    if memo.expires is not None and memo.expires <= now:
        return False
    if memo.subject.is_lore:
        return memo.subject.guild == guild
    return source.guild is not None and realm_of(source.platform, source.guild) == guild


def _bare(guild: str) -> str:
    """The guild's id on its own platform, as sources have it."""
    return guild.partition("~")[2] or guild
