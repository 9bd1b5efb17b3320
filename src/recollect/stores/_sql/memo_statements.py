"""The statements that read memos, on top of the expressions of each store."""

from dataclasses import dataclass
from typing import LiteralString

_NEWEST: LiteralString = "ORDER BY memos.updated DESC, memos.key DESC"
_ACTIVE: LiteralString = "memos.status = 'active'"


@dataclass(frozen=True, slots=True)
class MemoColumns:
    any_subject: LiteralString
    """Selects memos of any subject."""
    one_subject: LiteralString
    """Selects memos of one subject."""
    own: LiteralString
    """The condition that a memo is of the scope `$1`, for an index that begins with it."""
    all_own: LiteralString
    """The same condition, where all of them are read."""
    statuses: LiteralString
    """The condition that the status is among `$2`."""
    keys: LiteralString
    """The condition that the key is among `$1`."""
    message: LiteralString
    platform: LiteralString
    actor: LiteralString
    thread: LiteralString
    metadata: LiteralString
    scope: LiteralString
    in_scope: LiteralString
    """The condition that a memo is of the scope of a row of `scopes`."""
    has_bare_id: LiteralString
    """The condition that a scope is that of somebody with the id `$1` on a platform."""
    mark: LiteralString
    """The name of a scope as it is indexed."""
    find: LiteralString
    """The function that searches a text in a text."""


class MemoStatements:
    """Those about one subject have its scope at `$1`."""

    def __init__(self, say: MemoColumns) -> None:
        own: LiteralString = f"{say.one_subject} WHERE {say.own}"
        all_own: LiteralString = f"{say.one_subject} WHERE {say.all_own}"
        count: LiteralString = "SELECT count(*) FROM memos WHERE"
        person: LiteralString = "SELECT name FROM scopes WHERE substr(name, 1, 5) = 'user:' AND"
        self.by_id: LiteralString = f"{own} AND memos.id = $2"
        self.by_text: LiteralString = f"{own} AND memos.content = $2 ORDER BY memos.key"
        self.standing: LiteralString = f"{own} AND {_ACTIVE} AND (memos.pinned OR memos.kind = 'constraint') {_NEWEST}"
        self.page: LiteralString = f"{all_own} {_NEWEST} LIMIT $2 OFFSET $3"
        self.page_of_active: LiteralString = f"{own} AND {_ACTIVE} {_NEWEST} LIMIT $2 OFFSET $3"
        self.page_of_statuses: LiteralString = f"{all_own} AND {say.statuses} {_NEWEST} LIMIT $3 OFFSET $4"
        self.count_all: LiteralString = f"{count} {say.all_own}"
        self.count_of_active: LiteralString = f"{count} {say.own} AND {_ACTIVE}"
        self.count_of_statuses: LiteralString = f"{count} {say.all_own} AND {say.statuses}"
        self.by_keys: LiteralString = f"{say.any_subject} WHERE {say.keys}"
        self.of_message: LiteralString = (
            f"{say.any_subject} WHERE {say.message} = $1 AND {say.platform} = $2 ORDER BY memos.key"
        )
        # By an actor, in a guild, and not changed since a time, where these are given.
        self.of_speaker: LiteralString = (
            f"{say.any_subject} WHERE (CAST($1 AS text) IS NULL OR {say.actor} = $1) "
            "AND (CAST($2 AS text) IS NULL OR memos.guild = $2) "
            "AND (CAST($3 AS bigint) IS NULL OR memos.updated < $3) ORDER BY memos.key"
        )
        # The scopes with memos; the people with memos who have this id on some platform.
        self.names: LiteralString = f"""
        SELECT name FROM scopes WHERE substr(name, 1, 5) IN ('user:', 'lore:')
        AND EXISTS (SELECT 1 FROM memos WHERE {say.in_scope})
        """
        self.same_ids: LiteralString = (
            f"{person} {say.has_bare_id} AND EXISTS (SELECT 1 FROM memos WHERE {say.in_scope})"
        )
        # Those with memos from a channel or a thread, or with a text in their metadata.
        self.in_places: LiteralString = f"""
        {person} id IN (SELECT {say.scope} FROM memos WHERE guild IS NULL AND (channel = CAST($1 AS text)
        OR {say.thread} = CAST($2 AS text) OR {say.find}({say.metadata}, CAST($3 AS text)) > 0))
        """
        # A page of scopes with their sizes, between two names and with a part in their name.
        self.sizes: LiteralString = f"""
        SELECT name, size FROM scopes WHERE {say.mark} > $1 AND {say.mark} < $2 AND size > 0
        AND {say.find}(lower(substr(name, 6)), lower($3)) > 0 ORDER BY {say.mark} LIMIT $4
        """
