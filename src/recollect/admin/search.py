"""The operator's search: in one guild, and for everything at once: people, servers, memories and messages."""

import re
from dataclasses import dataclass
from datetime import datetime

from recollect.admin.messages import find_message
from recollect.admin.names import Names
from recollect.admin.people import Owner, PeopleAdmin, describe_owner
from recollect.admin.places import conversation_streams
from recollect.core.ports import Corpus, Filters, Tx
from recollect.core.ports.ranker import RankQuery
from recollect.core.text import fold, query_words, words
from recollect.core.types import LOCAL, Memo, Message, Status, Subject, guild_key
from recollect.recall import search
from recollect.recall.query import EMPTY_SAMPLE, Hit, MemoSet, Query
from recollect.recall.rankers import unified
from recollect.settings import wiring

MAX_SCOPES = 2_000
"""People, servers and conversations that a search looks through."""

MAX_MENTIONED = 10
"""People whose names may stand in a question."""
_WORD = re.compile(r"\w+")
SIMILAR = 0.5
"""A message that shares no word with the question is listed from this similarity on; the nearest one always is."""
STEM_CHARS = 5
"""Words that begin with the same letters count as forms of one."""


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What fits a question, each group best first."""

    people: tuple[Owner, ...]
    guilds: tuple[Owner, ...]
    message: Message | None
    """The message whose id or link was typed."""
    memos: tuple[tuple[Hit, str], ...]
    """Each with the name of the person or server that it is about."""
    messages: tuple[tuple[Hit, str], ...]
    """Each with the name of its author."""
    is_partial: bool = False
    """Whether there are more people or conversations than were searched."""

    @property
    def is_empty(self) -> bool:
        return not (self.people or self.guilds or self.message or self.memos or self.messages)


class SearchAdmin(PeopleAdmin):
    async def search_everything(self, query: str, limit: int = 10) -> SearchResults:
        """Whatever an operator may look for by one text: a name, an id, a link, or words."""
        question = RankQuery(query, self._clock())
        topic = unified.parse_query(question, ()).topic
        vectors = {corpus: await self.memory.vectors.embed_query(topic, corpus) for corpus in ("memos", "messages")}
        people = await self.owner_page(query, limit=limit)
        guilds = await self.owner_page(query, limit=limit, lore=True)

        def work(tx: Tx) -> SearchResults:
            names = Names(tx)
            owners = [
                subject.scope for lore in (False, True) for subject, _ in tx.memos.owners(limit=MAX_SCOPES, lore=lore)
            ]
            streams = conversation_streams(tx)[:MAX_SCOPES]

            def hits(corpus: Corpus, scopes: list[str], about: RankQuery = question) -> list[Hit]:
                ask = Query(
                    question=about,
                    corpus=corpus,
                    scopes=scopes,
                    sample=search.corpus_sample(tx, corpus, scopes) if corpus == "messages" else EMPTY_SAMPLE,
                    ranker=wiring.ranker("unified"),
                    limit=limit,
                    strict=True,
                    vector=vectors[corpus] if about is question else None,
                )
                return search.search(tx, ask, lambda _: True) if scopes else []

            named, rest = _mentioned(tx, query)
            own = hits("memos", [subject.scope for subject in named], RankQuery(rest, question.now)) if rest else []
            by_key = {
                (hit.item.subject, hit.item.id): (hit, names.of(hit.item.subject))
                for hit in (*own, *hits("memos", owners))
                if isinstance(hit.item, Memo)
            }
            messages = [
                (hit, hit.item.name or names(hit.item.person) or hit.item.author)
                for hit in hits("messages", streams)
                if isinstance(hit.item, Message) and _is_about(hit.item, hit, topic)
            ]
            message = find_message(tx, query, ("discord", LOCAL))
            is_partial = len(owners) >= MAX_SCOPES or len(streams) >= MAX_SCOPES
            known = {owner.subject for owner in people.owners}
            mentioned = [describe_owner(tx, subject) for subject in named if subject not in known]
            return SearchResults(
                (*people.owners, *mentioned),
                guilds.owners,
                message,
                tuple(by_key.values())[:limit],
                tuple(messages),
                is_partial,
            )

        return await self._read(work)

    async def search_memos(
        self,
        query: str,
        among: MemoSet,
        *,
        limit: int,
        min_score: float | None = None,
        status: Status = Status.ACTIVE,
    ) -> list[Hit]:
        """The best of these memos, best first."""
        if not among.scopes:
            return []
        return await self.memory.engine.search(
            query, user=self.name, among=among, limit=limit, min_score=min_score, status=status
        )

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


def _mentioned(tx: Tx, query: str) -> tuple[list[Subject], str]:
    """People whose names stand in a question, and the question without these names."""
    asked = _words(query)
    named = [
        (Subject(person), spelled) for person, name in tx.messages.speakers() if (spelled := _words(name)) in asked
    ]
    mentioned = [pair for pair in named if pair[1].strip()][:MAX_MENTIONED]
    for _, spelled in mentioned:
        asked = asked.replace(spelled, " ")
    return [subject for subject, _ in mentioned], asked.strip()


def _words(text: str) -> str:
    """The words of a text, as they are compared, with a space before and after each."""
    return f" {' '.join(_WORD.findall(fold(text)))} "


def _is_about(message: Message, hit: Hit, topic: str) -> bool:
    """Whether the message itself matches the question: its neighbors count towards its score, too."""
    beginnings = tuple(word[:STEM_CHARS] for word in query_words(topic))
    return hit.parts.get("vector", 0.0) >= SIMILAR or any(word.startswith(beginnings) for word in words(message.text))


def _scopes(tx: Tx, guild: str) -> list[str]:
    """The scopes of people with memos from this guild, and that of its lore."""
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
