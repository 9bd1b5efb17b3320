"""Whose traces are meant: a person's, a guild's, or a person's in one guild; and what in the store belongs to them."""

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
        """Under whom the log says that something was erased."""
        return Subject.lore(self.guild or "") if self.user is None else Subject(self.user)

    @property
    def whole_user(self) -> bool:
        return self.user is not None and self.guild is None

    def owns(self, memo: Memo) -> bool:
        """Lore belongs to its guild, and so does what was learned there; everything else to whom it is about."""
        if self.user is None:
            return memo.subject == self.subject or memo.source.guild == self.guild
        return memo.subject == self.subject and self.guild in (None, memo.source.guild)

    def alone_in(self, session: str) -> bool:
        """Whether a conversation is theirs and nobody else's, so that its summary goes as a whole."""
        if self.user is None:
            return self._in_guild(session)
        name = escape(self.user, ":")
        share = session.endswith(f":user:{name}")
        if self.guild is not None:
            return share and self._in_guild(session)
        return share or session.split(":", 2)[1:] == ["dm", name]

    def works_in(self, queue: str) -> bool:
        """Whether all jobs of a queue are about them."""
        if queue.startswith("session:"):
            return self.alone_in(queue.removeprefix("session:"))
        if self._learns_in(queue):
            return True
        return (
            self.user is not None and self.whole_user and queue in (f"user:{self.user}", consolidation_queue(self.user))
        )

    def counts_in(self, name: str) -> bool:
        """Whether a list of what has come up is all about them."""
        kind, _, rest = name.partition(":")
        if kind in ("turns", "late"):
            return self.alone_in(rest)
        if kind == "speakers":
            return self.user is None and self._in_guild(rest)
        if kind == "discord":
            return self._is_noted(rest)
        if kind == "retired":
            return rest in (f"guild:{self.guild}", f"lore:{self.guild}") if self.user is None else self._is_own(rest)
        if kind == "file":
            what, _, whose = rest.partition(" ")
            return self.alone_in(whose) if what == "rolling" else self.whole_user and rest == f"durable {self.user}"
        return self._learns_in(name) or (self.whole_user and name == f"learn:user:{self.user}")

    def stands_in(self, name: str, item: str) -> bool:
        """Whether an item of a list that others share is about them."""
        kind, _, rest = name.partition(":")
        if kind == "retired":
            return self._forgot(item)
        if name == "files:sessions":
            return self.alone_in(item)
        if kind == "files" and rest.endswith(":owed"):
            return self.counts_in(f"file:{item}")
        if self.user is None:
            return False
        if kind == "speakers":
            return item == self.user and (self.guild is None or self._in_guild(rest))
        if not self.whole_user:
            return False
        if name in ("pages owner", "pages scopes"):
            return item in (self.user, self.subject.scope)
        if name == "discord:owed":
            return item.split(" ")[0] == self.user
        return name.startswith("discord:showing:") and item == self.user

    def _forgot(self, item: str) -> bool:
        """Whether it is a statement that they forgot or took back: there, where that matters."""
        retired = withheld.read(item)
        if self.user is None:
            return self.guild in retired.realms
        return retired.scope == self.subject.scope and self.guild in (None, *retired.realms)

    def _is_own(self, scope: str) -> bool:
        return self.whole_user and scope == self.subject.scope

    def _is_noted(self, name: str) -> bool:
        """What the Discord bot notes for itself: who was told, whose message shows which talk, where it listens."""
        what, _, whose = name.partition(":")
        if what == "heard":
            return self.alone_in(whose)
        return self.whole_user and what in ("told", "mirrored") and whose == self.user

    def _learns_in(self, name: str) -> bool:
        """`learn:<session>:<user>` is what a user said in a session and is still to be learned from."""
        if not name.startswith("learn:"):
            return False
        rest = name.removeprefix("learn:")
        theirs = self.user is None or rest.endswith(f":{escape(self.user, ':')}")
        return theirs and (self.guild is None or self._in_guild(rest))

    def _in_guild(self, session: str) -> bool:
        _, _, rest = session.partition(":")
        guild = escape(self.guild or "", ":")
        return rest.startswith((f"{guild}:channel:", f"{guild}:thread:"))
