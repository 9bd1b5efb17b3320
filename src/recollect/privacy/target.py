"""The target of an erasure or export: a person, a guild, or a person in one guild; and which rows belong to it."""

from dataclasses import dataclass

from recollect.core.errors import BadInput
from recollect.core.ports.jobs import consolidation_queue
from recollect.core.text import escape
from recollect.core.types import LORE, Memo, Subject
from recollect.recall import withheld


@dataclass(frozen=True, slots=True)
class ErasureTarget:
    """A user, a guild, or what a user left in a guild."""

    user: str | None = None
    guild: str | None = None

    def __post_init__(self) -> None:
        if self.user is None and self.guild is None:
            raise BadInput("say whose: a user, a guild, or a user in a guild")
        if self.user is not None and (not self.user.strip() or self.user == LORE):
            raise BadInput(f"{self.user!r} is not a user")
        if self.guild is not None and not self.guild.strip():
            raise BadInput("a guild needs a name")

    def __str__(self) -> str:
        if self.user is None:
            return f"guild {self.guild}"
        return f"user {self.user}" if self.guild is None else f"user {self.user} in guild {self.guild}"

    @property
    def subject(self) -> Subject:
        """The subject under which the log records an erasure."""
        return Subject.lore(self.guild or "") if self.user is None else Subject(self.user)

    @property
    def is_whole_user(self) -> bool:
        """Whether it is a person everywhere, not only in one guild."""
        return self.user is not None and self.guild is None

    def owns(self, memo: Memo) -> bool:
        """Whether a memo is the target's: lore and what was learned in a guild are also the guild's."""
        if self.user is None:
            return memo.subject == self.subject or memo.source.guild == self.guild
        return memo.subject == self.subject and self.guild in (None, memo.source.guild)

    def owns_session(self, session: str) -> bool:
        """Whether a session is the target's alone, so that its summary goes as a whole."""
        if self.user is None:
            return self._in_guild(session)
        name = escape(self.user, ":")
        is_own_part = session.endswith(f":user:{name}")
        if self.guild is not None:
            return is_own_part and self._in_guild(session)
        return is_own_part or session.split(":", 2)[1:] == ["dm", name]

    def owns_queue(self, queue: str) -> bool:
        """Whether all jobs of a queue are about the target."""
        if queue.startswith("session:"):
            return self.owns_session(queue.removeprefix("session:"))
        return self._owns_learning(queue) or (
            self.user is not None
            and self.is_whole_user
            and queue in (f"user:{self.user}", consolidation_queue(self.user))
        )

    def owns_state(self, name: str) -> bool:
        """Whether a whole state list is about the target."""
        kind, _, detail = name.partition(":")
        if kind in ("turns", "late"):
            return self.owns_session(detail)
        if kind == "speakers":
            return self.user is None and self._in_guild(detail)
        if kind == "discord":
            return self._owns_discord_state(detail)
        if kind == "retired":
            if self.user is None:
                return detail in (f"guild:{self.guild}", f"lore:{self.guild}")
            return self.is_whole_user and detail == self.subject.scope
        if kind == "file":
            file_kind, _, owner = detail.partition(" ")
            if file_kind == "shortterm":
                return self.user is None and owner == self.guild
            if file_kind == "rolling":
                return self.owns_session(owner)
            return self.is_whole_user and detail == f"durable {self.user}"
        return self._owns_learning(name) or (self.is_whole_user and name == f"learn:user:{self.user}")

    def owns_item(self, name: str, item: str) -> bool:
        """Whether an item of a shared state list is about the target."""
        kind, _, detail = name.partition(":")
        if kind == "retired":
            return self._owns_withheld(item)
        if name == "files:sessions":
            return self.owns_session(item)
        if name == "files:guilds":
            return self.user is None and item == self.guild
        if kind == "files" and detail.endswith(":owed"):
            return self.owns_state(f"file:{item}")
        if self.user is None:
            return False
        if kind == "speakers":
            return item == self.user and (self.guild is None or self._in_guild(detail))
        if not self.is_whole_user:
            return False
        if name in ("pages owner", "pages scopes"):
            return item in (self.user, self.subject.scope)
        if name == "discord:owed":
            return item.split(" ")[0] == self.user
        return name.startswith("discord:showing:") and item == self.user

    def _owns_withheld(self, item: str) -> bool:
        """Whether a withheld statement is one that the target forgot or took back."""
        retired = withheld.unpack(item)
        if self.user is None:
            return self.guild in retired.guilds
        return retired.scope == self.subject.scope and self.guild in (None, *retired.guilds)

    def _owns_discord_state(self, name: str) -> bool:
        """The Discord bot's own state: who was notified, whose memory channel message is where, where it listens."""
        list_kind, _, owner = name.partition(":")
        if list_kind == "heard":
            return self.owns_session(owner)
        return self.is_whole_user and list_kind in ("told", "mirrored") and owner == self.user

    def _owns_learning(self, name: str) -> bool:
        """`learn:<session>:<user>` holds what a user said in a session and is not extracted yet."""
        if not name.startswith("learn:"):
            return False
        detail = name.removeprefix("learn:")
        is_own = self.user is None or detail.endswith(f":{escape(self.user, ':')}")
        return is_own and (self.guild is None or self._in_guild(detail))

    def _in_guild(self, session: str) -> bool:
        _, _, detail = session.partition(":")
        guild = escape(self.guild or "", ":")
        return detail.startswith((f"{guild}:channel:", f"{guild}:thread:"))
