"""Why something happened: the codes that the log stores, and the words in which people read them.

A code's value is words, so that a reader of the table or the SQL view `action_log` needs no legend. It is still an
identifier: never change one that was released. To reword a reason, give it an entry in `_TEXT`.
"""

import re
from enum import StrEnum


class Reason(StrEnum):
    """Why a memo was added, revised, retired, refused or rolled back, or why something is not done."""

    # A statement was merged with what is known.
    NEW = "new"
    TAKES_PLACE = "takes the place of an older fact"
    UPDATED_BY_ID = "updated by id"
    STATED_AGAIN = "stated again"
    REMEMBERED_AGAIN = "remembered again"
    REWORDED = "other words for the same fact"
    SUPERSEDED = "superseded"
    OVER_LIMIT = "over the limit"
    RETRACTED = "retracted"
    IMPORTED = "imported"
    # A statement changed nothing.
    EMPTY = "empty"
    FORGOTTEN_BY_OWNER = "forgotten by its owner"
    OUTDATED = "older than what is known"
    ALREADY_KNOWN = "already known"
    KNOWN_IN_DETAIL = "known in more detail"
    # A person changed a memo, or a summary.
    FORGOTTEN = "forgotten"
    RESTORED = "restored"
    REPLACED_WAS_RESTORED = "what it replaced was restored"
    PINNED = "pinned"
    UNPINNED = "unpinned"
    AUDIENCE_SET = "audience"
    AUDIENCE_NARROWED = "audience narrowed"
    NEVER_SHARED = "heard only where it was said, as it was never shared"
    OTHER_TAGS = "other tags"
    OTHER_DETAILS = "other details"
    MERGED_BY_HAND = "merged by hand"
    PUT_AGAIN = "put again"
    FRONT_MATTER_EDITED = "front matter edited in its file"
    FILE_EDITED_BEFORE = "edited in its file, before memory changed"
    NEWER_COUNTS = "the newer version counts"
    FILE_DELETED = "its file was deleted"
    UNDID = "undid"
    REDID = "redid"
    RESET = "reset"
    SAID_WAS_FORGOTTEN = "what a message said was forgotten"
    SAID_COUNTS_AGAIN = "what a message said counts again"
    ERASED = "erased"
    ERASED_ALONG = "erased along"
    SOURCE_ERASED = "what it rests on was erased"
    CLEAN = "clean"
    NOT_CLEAN = "something was found"
    # A message was edited or deleted.
    SOURCE_DELETED = "its message was deleted"
    SOURCE_EDITED = "its message was edited"
    PINNED_SOURCE_DELETED = "its message was deleted; it was pinned, but nothing else said so"
    PINNED_SOURCE_EDITED = "its message was edited; it was pinned, but nothing else said so"
    MESSAGE_DELETED = "a message was deleted"
    MESSAGE_EDITED = "a message was edited"
    NO_LONGER_ENDED = "what ended it is no longer said"
    SUCCESSOR_GONE = "what took its place is gone"
    FIRST_SUCCESSOR_GONE = "what took its place first is gone"
    # Memory was consolidated.
    SEVERAL_SAID_SO = "several said this"
    MERGED = "another memory says it"
    CONTRADICTED = "a newer memory says otherwise"
    EXPIRED = "expired"
    STATED_OFTEN = "stated again and again"
    USED_OFTEN = "used often"
    # Nothing, or less than possible, was learned from a message.
    SWITCHED_OFF = "learning is switched off"
    PAUSED = "learning is paused"
    BUDGET_SPENT = "the budget of the day is spent"
    TOO_MANY_WAITING = "too many were waiting"
    LEARNED_IN_PART = "learned from a part of the answer"
    LEARNED_BY_FALLBACK = "learned by the fallback instead"
    UNREAD_LANGUAGE = "the local model does not read this language"
    NO_SUMMARY = "the model wrote no summary; the last one stays"
    # A proposal was refused by the guard.
    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    QUESTION = "is a question"
    GREETING = "is a greeting"
    SECRET = "holds a secret"  # noqa: S105 - a reason, not a password
    INSTRUCTIONS = "gives instructions"
    NO_SUCH_MESSAGE = "no such message"
    NO_EVIDENCE = "evidence says too little"
    NO_QUOTE = "evidence is no quote"
    NOT_OWN_WORDS = "evidence is not the speaker's own words"
    NOT_MEANT = "is not meant"
    ASKED = "is asked, not stated"
    NEGATION_DROPPED = "leaves out a negation"
    NUMBER_NOT_SAID = "a number was not said"
    NAME_NOT_SAID = "a name was not said"
    TOO_FEW_WORDS = "too few of its words were said"
    DOES_NOT_FOLLOW = "does not follow"
    SOMEBODY_ELSE = "is about somebody else"
    PERSON_NOT_MENTIONED = "the person was not mentioned"
    SAYS_MORE = "says more than was said"
    OPPOSITE = "says the opposite"
    NO_LONGER_SO = "is no longer so"
    TOO_MANY_TODAY = "enough was noted today"
    NOT_SAID = "rests on nothing that was said"
    REPETITION = "repeats itself"
    NO_PROSE = "is data, not text"
    # A change can't be undone.
    WAS_ERASURE = "the last change can't be undone: it was an erasure"
    MESSAGE_GONE = "the last change can't be undone: it came with a message that was deleted or edited"
    UNSUPPORTED = "the last change can't be undone: what it changed rests on a message that no longer says so"
    NO_SUCH_CHANGE = "there is no such change that could be undone"
    CHANGED_SINCE = "something else was changed in the meantime, so nothing was undone"


_TEXT = {
    Reason.IMPORTED: "imported from {}",
    Reason.FORGOTTEN: "forgotten by {}",
    Reason.RESTORED: "restored by {}",
    Reason.AUDIENCE_SET: "audience {}",
    Reason.AUDIENCE_NARROWED: "audience {}: it is changed where no others hear it",
    Reason.NEVER_SHARED: f"audience {{}}: {Reason.NEVER_SHARED}",
    Reason.MERGED_BY_HAND: "merged into {}",
    Reason.RESET: "reset by {}",
    Reason.RETRACTED: "{}",
    Reason.ERASED_ALONG: "erased with {}",
    **{
        reason: reason.replace("the last change", "that change", 1)
        for reason in (Reason.WAS_ERASURE, Reason.MESSAGE_GONE, Reason.UNSUPPORTED)
    },
    Reason.LEARNED_BY_FALLBACK: "learned by the local model instead",
}
"""Texts that differ from the code; `{}` is where the detail goes, which else follows after a colon."""

_NARROWED_TEXT = "heard only where it was said: it was never shared"
_EARLIER = (
    (re.compile(r"forgotten by (.*)", re.DOTALL), Reason.FORGOTTEN),
    (re.compile(rf"(){re.escape(_NARROWED_TEXT)}"), Reason.NEVER_SHARED),
    (re.compile(rf"audience (.*): {re.escape(_NARROWED_TEXT)}"), Reason.NEVER_SHARED),
    (re.compile(r"audience (.*): it is changed where no others hear it"), Reason.AUDIENCE_NARROWED),
    (re.compile(r"audience (\S+)"), Reason.AUDIENCE_SET),
    (re.compile(r"(?:imported )?from (\S+)"), Reason.IMPORTED),
    (re.compile(r"merged into (\S+)"), Reason.MERGED_BY_HAND),
    (re.compile(r"reset by (.*)", re.DOTALL), Reason.RESET),
    (re.compile(r"erased with (.*)", re.DOTALL), Reason.ERASED_ALONG),
    (re.compile(r"learned by \S+ instead: (.*)", re.DOTALL), Reason.LEARNED_BY_FALLBACK),
)
"""How editions before the codes wrote reasons that have a detail."""
_BY_VALUE = {reason.value: reason for reason in Reason}


def render_reason(reason: Reason | None, detail: str = "") -> str:
    """A reason in words; a detail without a reason, such as an error message, stands for itself."""
    if reason is None:
        return detail
    if reason in (Reason.UNDID, Reason.REDID):
        return f"{reason}: {render_reason(*decode_reason(detail))}" if detail else reason.value
    text = _TEXT.get(reason, reason.value)
    if "{}" in text:
        return text.replace("{}", detail) if detail else reason.value
    return f"{text}: {detail}" if detail else text


def encode_reason(reason: Reason | None, detail: str = "") -> str:
    """What the log stores: `code`, `code: detail`, or a detail alone."""
    return ": ".join(part for part in (reason, detail) if part)


def decode_reason(stored: str) -> tuple[Reason | None, str]:
    """The reason and its detail; words that are no code, of earlier or later editions, are a detail."""
    code, _, detail = stored.partition(": ")
    if stored in _BY_VALUE or code in _BY_VALUE:
        return (_BY_VALUE[stored], "") if stored in _BY_VALUE else (_BY_VALUE[code], detail)
    for pattern, reason in _EARLIER:
        if match := pattern.fullmatch(stored):
            return reason, match[1]
    return None, stored
