"""Memories and messages that may answer a question, before it is known whether they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Unpack

from recollect.core.types import Memo, Message
from recollect.language import corrections, question_tables, questions, word_forms
from recollect.language.requests import RequestKind, is_question, recognize
from recollect.memory import AsyncMemory
from recollect.recall.query import Hit
from recollect.recall.search import SearchOptions

MAX_CANDIDATES = 20
MIN_MORE_WORDS = 1
MAX_KNOWN = 100
"""Newest memories and messages that are looked at even if a search by words and meaning misses them."""


def is_statement(text: str) -> bool:
    """Whether a message states something, as opposed to a question or a greeting."""
    return not is_question(text) and recognize(text) is None


def ids_corrected(people: Sequence[Message]) -> set[str]:
    """Messages that "no, I meant hazelnuts" right after them has put right: what was meant is in a memory."""
    return {
        before.id
        for before, after in pairwise(people)
        if before.author == after.author
        and (request := recognize(after.text)) is not None
        and request.kind is RequestKind.MEANT
        and corrections.splice(before.text, request.topic)
    }


def _adds_to_memo(said: str, memo: str) -> bool:
    memo_words = set(word_forms.tokens(memo))
    more = [word for word in word_forms.content_words(said) if not word_forms.has_form(word, memo_words)]
    return len(more) >= MIN_MORE_WORDS


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """Looks for what someone may be answered with."""

    memory: AsyncMemory
    message: Message
    own_only: bool = True

    async def memos(self, query: str) -> tuple[list[Memo], list[Hit]]:
        """Memories that may answer, best first, and the hits of the search."""
        if not self.memory.settings.memos.enabled:
            return [], []
        hits = [hit for hit in await self._hits(query) if not self._is_from_question(hit.item)]
        memos = [hit.item for hit in hits if isinstance(hit.item, Memo)]
        listing = await self.memory.show(user=self.message.author, place=self.message.place, limit=MAX_KNOWN)
        ids = {memo.id for memo in memos}
        rest = [memo for memo in listing.memos if memo.id not in ids and not self._is_from_question(memo)]
        return [*memos, *rest], hits

    async def statements(self, query: str) -> tuple[list[tuple[Message, str]], list[Hit]]:
        """Messages that may answer, best first, each with what it refers back to; and the hits of the search."""
        hits = await self._hits(query, over="messages")
        recent = await self.memory.timeline.recent(self.message.place, 2 * MAX_KNOWN)
        people = [said for said in recent if not said.bot]
        messages = [hit.item for hit in hits if isinstance(hit.item, Message)]
        meant = ids_corrected(people)
        statements = {
            said.id: said for said in (*messages, *people[::-1]) if self.is_statement(said) and said.id not in meant
        }
        before = {said.id: people[:at] for at, said in enumerate(people)}
        pairs = [(said, self._context(said, before.get(said.id, []))) for said in statements.values()]
        return pairs, [hit for hit in hits if hit.item.id in statements]

    def _context(self, said: Message, before: Sequence[Message]) -> str:
        """What a statement refers back to: what was said right before it or, if it corrects that by name, earlier."""
        languages = question_tables.languages()
        if not any(questions.refers_back(said.text, language) for language in languages):
            return ""
        if any(questions.is_correction(said.text, language) for language in languages):
            named = word_forms.content_words(said.text)
            for earlier in reversed(before):
                tokens = set(word_forms.tokens(earlier.text))
                if earlier.author == said.author and self.is_statement(earlier) and not tokens.isdisjoint(named):
                    return earlier.text
        previous = before[-1] if before else None
        is_own = previous is not None and previous.author == said.author and self.is_statement(previous)
        return previous.text if is_own and previous is not None else ""

    def is_statement(self, said: Message) -> bool:
        if said.bot or said.id == self.message.id or (self.own_only and said.author != self.message.author):
            return False
        return is_statement(said.text)

    async def quotable(self, items: Sequence[Memo | Message]) -> list[Memo | Message]:
        """The items without messages that may not be quoted here, or of which something was forgotten."""
        said = [item for item in items if isinstance(item, Message)]
        timeline, here = self.memory.timeline, self.message.place
        quotable = {item.id: item for item in await timeline.quotable(said, len(said), here)} if said else {}
        return [quotable.get(item.id, item) for item in items if isinstance(item, Memo) or item.id in quotable]

    async def sources(self, memos: Sequence[Memo], said: Sequence[Message]) -> dict[str, Message]:
        """Source messages of memories, if they were said here and say more than the memory."""
        by_id = {message.id: message for message in said}
        pairs = [(memo, by_id[memo.source.message]) for memo in memos if memo.source.message in by_id]
        fuller = {memo.id: message for memo, message in pairs if _adds_to_memo(message.text, memo.text)}
        quotable = {item.id for item in await self.quotable(list(fuller.values()))}
        return {memo_id: message for memo_id, message in fuller.items() if message.id in quotable}

    def _is_from_question(self, item: Memo | Message) -> bool:
        return isinstance(item, Memo) and item.source.message == self.message.id

    async def _hits(self, query: str, **options: Unpack[SearchOptions]) -> list[Hit]:
        options["limit"] = MAX_CANDIDATES
        return await self.memory.search(query, user=self.message.author, place=self.message.place, **options)
