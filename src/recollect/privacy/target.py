"""The target of an erasure or export: a person, a guild, or a person in one guild; and which rows belong to it."""

from dataclasses import dataclass

from recollect.core.errors import BadInput
from recollect.core.ports.jobs import consolidation_queue
from recollect.core.sessions import parse_learning_queue, parse_summary_queue
from recollect.core.state import Owner
from recollect.core.types import LOCAL, LORE, Memo, Message, Subject, guild_key, person_key, split_person


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """A user (as `person_key`), a guild (as `guild_key`), or what a user left in a guild: by its bare id, one of the
    user's platform.
    """

    user: str | None = None
    guild: str | None = None

    def __post_init__(self) -> None:
        if self.user is None and self.guild is None:
            raise BadInput("say whose: a user, a guild, or a user in a guild")
        if self.user is not None and (not self.user.strip() or self.user == LORE):
            raise BadInput(f"{self.user!r} is not a user")
        if self.guild is not None and not self.guild.strip():
            raise BadInput("a guild needs a name")
        if self.user is not None:
            object.__setattr__(self, "user", person_key(LOCAL, self.user))
        if self.user is not None and self.guild is not None and "~" not in self.guild:
            object.__setattr__(self, "guild", guild_key(split_person(self.user)[0], self.guild))

    def __str__(self) -> str:
        if self.user is None:
            return f"guild {self.guild}"
        return f"user {self.user}" if self.guild is None else f"user {self.user} in guild {self.guild}"

    @property
    def subject(self) -> Subject:
        """The subject under which the log records an erasure."""
        return Subject.lore(self.guild or "") if self.user is None else Subject(self.user)

    @property
    def guild_id(self) -> str | None:
        """The guild's id on its platform."""
        return self.guild and self.guild.rpartition("~")[2]

    def includes(self, message: Message) -> bool:
        """Whether a message was said in the guild, if there is one: another platform may have one of the same id."""
        return self.guild in (None, message.place.guild_key)

    @property
    def is_whole_user(self) -> bool:
        """Whether it is a person everywhere, not only in one guild."""
        return self.user is not None and self.guild is None

    def owns(self, memo: Memo) -> bool:
        """Whether a memo is the target's: lore and what was learned in a guild are also the guild's."""
        if self.user is None:
            return memo.subject == self.subject or _guild_of(memo) == self.guild
        return memo.subject == self.subject and self.guild in (None, _guild_of(memo))

    @property
    def owner(self) -> Owner:
        """The owner whose state goes with the target."""
        return Owner.member(self.user, self.guild)

    def owns_session(self, session: str) -> bool:
        """Whether a session is the target's alone, so that its summary goes as a whole."""
        return self.owner.includes(Owner.of_session(session))

    def owns_queue(self, queue: str) -> bool:
        """Whether all jobs of a queue are about the target."""
        summarized = parse_summary_queue(queue)
        if summarized is not None:
            return self.owns_session(summarized)
        learned = parse_learning_queue(queue)
        if learned is not None:
            return self.owner.includes(Owner.member(learned.person, Owner.of_session(learned.session).guild_id))
        own_queues = (f"user:{self.user}", consolidation_queue(self.user or ""))
        return self.is_whole_user and queue in own_queues


def _guild_of(memo: Memo) -> str | None:
    return None if memo.source.guild is None else guild_key(memo.source.platform, memo.source.guild)
