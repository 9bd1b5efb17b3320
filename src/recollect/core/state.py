"""Small persisted records: every kind of them, by name, and whose a record is.

A record is an item of a list, which its kind and a key name. Each item has an owner, and erasing a person or a guild
deletes what they own, whatever its kind. A new kind is a member of `StateKind`, and nothing else.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from recollect.core.sessions import parse_session
from recollect.core.types import Subject, person_key


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose a record is: a person's, a guild's, a person's in a guild, or nobody's.

    A person is written as `person_key`, a guild as `guild_key`; earlier versions wrote some guilds as in a place.
    """

    person_id: str | None
    guild_id: str | None

    @classmethod
    def person(cls, person: str) -> "Owner":
        return cls(person, None)

    @classmethod
    def guild(cls, guild: str) -> "Owner":
        return cls(None, guild)

    @classmethod
    def member(cls, person: str | None, guild: str | None) -> "Owner":
        """A person in a guild: the record goes with either. Without a guild, the person alone, and vice versa."""
        return cls(person, guild)

    @classmethod
    def nobody(cls) -> "Owner":
        """Records about the program itself, such as its position in the log."""
        return cls(None, None)

    @classmethod
    def of_subject(cls, subject: Subject) -> "Owner":
        """The person, or the guild whose lore it is."""
        return cls.guild(subject.guild or "") if subject.is_lore else cls.person(subject.id)

    @classmethod
    def of_session(cls, session: str) -> "Owner":
        """The person of a DM; else the guild, and the person whose share of a conversation it is."""
        parsed = parse_session(session)
        if parsed is None:
            return cls.nobody()
        place = parsed.place
        user = None if parsed.user is None else person_key(place.platform, parsed.user)
        return cls(place.person or user, place.guild_key)

    def includes(self, other: "Owner") -> bool:
        """Whether a record of another owner goes with this one: a person's in a guild goes with both."""
        if self == Owner.nobody():
            return False
        return self.person_id in (None, other.person_id) and self.guild_id in (None, other.guild_id)


class StateKind(StrEnum):
    """Every kind of record; the values are what stores write. The comment says what the key is, and the items are."""

    # Learning
    TURNS = "turns"  # session: replies since its last summary
    LATE_MESSAGES = "late_messages"  # session: messages older than the end of its summary
    SPEAKERS = "speakers"  # session: people whose messages wait to be learned from
    UNLEARNED_MESSAGES = "unlearned_messages"  # session and person: messages to learn from
    OPEN_BATCHES = "open_batches"  # person: sessions in which messages of theirs wait for a model
    BATCH_ASKED = "batch_asked"  # session and person: when a model last read messages of theirs
    MODEL_USAGE = "model_usage"  # tenant: day, tokens and requests of its model calls
    REPLY_USAGE = "reply_usage"  # tenant: the same of replies to its people
    TOKEN_LIMIT = "token_limit"  # noqa: S105 - tenant: tokens per day, for learning and replies, if less than for others
    BUDGET_SPENT = "budget_spent"  # day: tenants that have spent its budget
    UNLEARNED_TURNS = "unlearned_turns"  # person: questions since the last extraction
    DAILY_LOG = "daily_log"  # messages that the daily log has yet to take in, or out
    PAUSED = "paused"  # person: since when learning from them is paused
    PAUSED_PLACES = "paused_places"  # channels and guilds in which learning is paused
    UNREAD_LANGUAGES = "unread_languages"  # person and session: languages that they were told are not supported
    UNSEEN_DELETION = "unseen_deletion"  # message: when it was deleted, if that was reported before the message itself
    UNSEEN_DELETIONS = "unseen_deletions"  # these messages, oldest first

    # Recall
    WITHHELD = "withheld"  # scope: statements that were forgotten or taken back
    WITHHELD_IN_GUILD = "withheld_in_guild"  # guild: those that were visible there
    GUILD_NAME = "guild_name"  # guild: what it is called
    DISPLAY_NAME = "display_name"  # guild and digest of a name: whose it is
    AUDIENCES_NARROWED = "audiences_narrowed"  # the last event before the migration
    IDENTITIES_SPLIT = "identities_split"  # person: marks that their memos are still stored under a bare id

    # Privacy
    PLANNED_ERASURE = "planned_erasure"  # target: the plan
    RUNNING_ERASURE = "running_erasure"  # target: what an interrupted erasure needs in order to resume
    RETENTION = "retention"  # guild: days after which what was said there is forgotten

    # Mirrored files
    MIRROR_POSITION = "mirror_position"  # folders: the last processed event
    MIRROR_PENDING = "mirror_pending"  # folders: files that are still to be written
    MIRROR_SESSIONS = "mirror_sessions"  # sessions whose summary was written once
    MIRROR_GUILDS = "mirror_guilds"  # guilds whose short-term entries were written once
    FILE_DIGESTS = "file_digests"  # file: digests of what was written to it
    PAGES_OWNER = "pages_owner"  # whose pages lie in the folder directly
    PAGE_SCOPES = "page_scopes"  # scopes that have pages
    PAGE_MEMOS = "page_memos"  # scope: memos that have a page
    PAGE = "page"  # scope and memo: path, digests and time of its page

    # The servers
    ACCESS_TOKEN = "access_token"  # noqa: S105 - id: what the token opens, until when, and the digest of its secret
    ACCESS_TOKEN_USE = "access_token_use"  # noqa: S105 - id: when the token was last used
    SENT_PROMPT = "sent_prompt"  # time and number: a request to a chat model, in pieces
    WRITE_PROBE = "write_probe"  # written and removed, to see whether the store accepts writes

    # The Discord bot
    NOTIFIED = "discord_notified"  # person: when they got the privacy notice
    SWITCHED_OFF = "discord_switched_off"  # guild: when its administrators switched memory off
    BOT_GUILDS = "discord_bot_guilds"  # bot: guilds that it is in
    LISTENED_CHANNEL = "discord_listened_channel"  # session: its channel
    ROLE_GUILD = "discord_role_guild"  # role: its guild
    BOT_POSITION = "discord_position"  # shards: the last event that was followed
    SNAPSHOT_MESSAGE = "discord_snapshot_message"  # person: their message in the memory channel
    SNAPSHOT_SESSION = "discord_snapshot_session"  # person: the conversation whose summary it shows
    SUMMARY_VIEWERS = "discord_summary_viewers"  # session: people whose snapshot shows its summary
    PENDING_SNAPSHOTS = "discord_pending_snapshots"  # snapshots that are still to be updated
    NOTICE_MESSAGE = "discord_notice_message"  # scope and memo: the message that announced it
    MISSED_NOTICE = "discord_missed_notice"  # scope and memo: the event that Discord did not let the bot show yet
    COMMANDS = "discord_commands"  # digest of the registered slash commands
    GUILD_SETTINGS = "discord_guild_settings"  # guild: settings made by those who manage it
    CONSENT = "discord_consent"  # guild and person: whether they agreed to be remembered there
    OPT_OUTS = "discord_opt_outs"  # person: features that they opted out of
    DAILY_REPLIES = "discord_daily_replies"  # guild: day, and number of replies
    LAST_ONLINE = "discord_last_online"  # shards: when the bot was last online
    RESYNCED_PLACES = "discord_resynced_places"  # shards: conversations that a resync has compared so far
    SWEPT = "discord_swept"  # shards: marks that no message shows erased memories
    PERMISSIONS_CHANGED = "discord_permissions_changed"  # guild: when its permissions were last seen to change
    UNREAD_SINCE = "discord_unread_since"  # guild and channel: since when the bot can't read it
    WELCOMED = "discord_welcomed"  # guild: when whoever invited the bot was welcomed
    PANEL_MESSAGE = "discord_panel_message"  # guild: the panel in its memory channel

    OTHER = "other"  # of plug-ins, and of earlier versions under names that this one doesn't know


OUTLASTING = {
    StateKind.PAUSED: "who was erased is still not to be learned from",
    StateKind.PAUSED_PLACES: "nor is a channel or a guild that was paused",
    StateKind.SWITCHED_OFF: "nor is a guild that was switched off",
    StateKind.PLANNED_ERASURE: "the erasure itself, which removes its plan",
    StateKind.RUNNING_ERASURE: "the erasure itself, until it is complete",
    StateKind.SNAPSHOT_MESSAGE: "the bot deletes the message that it finds by this",
    StateKind.NOTICE_MESSAGE: "the bot deletes the message that it finds by this",
    StateKind.BOT_GUILDS: "the bot is still in the guild, and has to notice when it leaves",
    StateKind.ROLE_GUILD: "configuration: whom the bot deals with",
    StateKind.GUILD_SETTINGS: "configuration: a guild that was erased must not fall back to laxer rules",
    StateKind.RETENTION: "configuration, likewise",
    StateKind.TOKEN_LIMIT: "configuration, likewise",
    StateKind.OPT_OUTS: "who was erased still does not want it",
    StateKind.PANEL_MESSAGE: "the bot finds its panel by this",
}
"""Kinds that stay when their owner is erased, and why. All others are erased."""


class StateRow(NamedTuple):
    """A record with its list and its owner."""

    kind: str
    key: str
    item: str
    owner: Owner
