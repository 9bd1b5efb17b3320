"""What the checks look at: a proposed fact, and the quote on which it is based. Parts are computed on first use."""

from dataclasses import dataclass
from functools import cached_property

from recollect.core.types import Message
from recollect.policy.guard.clauses import QuoteContext, lower, quote_context, source_clauses
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import QuoteMatch


@dataclass(frozen=True, eq=False)
class Claim:
    """A fact with its evidence, before that is looked up in a message."""

    fact: str
    evidence: str

    @property
    def texts(self) -> tuple[str, ...]:
        return self.fact, self.evidence

    @cached_property
    def lower_fact(self) -> str:
        return lower(self.fact)


@dataclass(frozen=True, eq=False)
class Case(Claim):
    """A fact with the quote that its evidence is, in the message of its speaker."""

    quote: QuoteMatch
    message: Message
    about: str | None = None
    """The person whom the proposal says it is about."""
    revised: str = ""
    """The text of the memo that the fact restates: what it says counts as said."""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.quote.sentence,)

    @cached_property
    def own_text(self) -> str:
        """The speaker's own words in the whole message."""
        return own_words(self.message.text, self.message.name)

    @property
    def speaker(self) -> str:
        return f"{self.message.name} {self.message.author}"

    @cached_property
    def context(self) -> QuoteContext:
        return quote_context(self.quote)

    @cached_property
    def clauses(self) -> list[str]:
        """The clauses from which the fact was derived."""
        return source_clauses(self.context, self.fact)

    @cached_property
    def known(self) -> str:
        return lower(self.revised)
