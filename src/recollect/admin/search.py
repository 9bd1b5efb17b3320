"""The operator's search in a guild: everything that was learned there, whomever it is about."""

from datetime import datetime

from recollect.admin.base import AdminBase
from recollect.core.ports import Filters, Tx
from recollect.core.ports.ranker import RankQuery
from recollect.core.types import Memo, Subject, guild_key
from recollect.recall import search
from recollect.recall.query import Hit, Query
from recollect.recall.rankers import unified
from recollect.settings import wiring


class SearchAdmin(AdminBase):
    async def search_guild(
        self, query: str, guild: str, ranker: str, *, channel: str | None = None, limit: int = 10
    ) -> list[Hit]:
        """Active memos of a guild that are relevant, best first; the channel is a hint, not a filter."""
        now = self._clock()
        question = RankQuery(query, now, channel)
        vector = await self.memory.vectors.embed_query(unified.parse_query(question, ()).topic, "memos")

        def work(tx: Tx) -> list[Hit]:
            ask = Query(
                question=question,
                corpus="memos",
                scopes=_scopes(tx, guild),
                ranker=wiring.ranker(ranker),
                limit=limit,
                strict=True,
                filters=Filters(guild=_platform_id(guild)),
                vector=vector,
            )
            return search.search(tx, ask, lambda memo: _is_of(memo, guild, now)) if ask.scopes else []

        return await self._read(work)


def _scopes(tx: Tx, guild: str) -> list[str]:
    """Of everyone of whom something was learned there, and of the guild's lore."""
    scopes = (memo.subject.scope for memo in tx.memos.stated_by(guild=_platform_id(guild)) if memo.active)
    return [*dict.fromkeys([*scopes, Subject.lore(guild).scope])]


def _is_of(memo: Memo, guild: str, now: datetime) -> bool:
    source = memo.source
    if memo.expires is not None and memo.expires <= now:
        return False
    if memo.subject.is_lore:
        return memo.subject.guild == guild
    return source.guild is not None and guild_key(source.platform, source.guild) == guild


def _platform_id(guild: str) -> str:
    """The guild's id on its own platform, as sources have it."""
    return guild.partition("~")[2] or guild
