"""Kinds of events and of jobs, and parts of a prompt, in plain words; the page keeps the stored name in a tooltip."""

from recollect.core.events import EventKind as K
from recollect.core.ports.jobs import ACKNOWLEDGE, CONSOLIDATE, DAILY_LOG, EXTRACT, RELEARN, SUMMARIZE
from recollect.privacy.planned_erasures import ERASE
from recollect.privacy.retention import RETAIN

EVENTS: dict[str, str] = {
    K.MEMO_ADDED: "added",
    K.MEMO_REVISED: "changed",
    K.MEMO_RETIRED: "retired",
    K.MEMO_UNDONE: "undone",
    K.MEMO_REDONE: "redone",
    K.MEMO_DROPPED: "dropped",
    K.MEMO_REFUSED: "refused",
    K.MEMO_ERASED: "erased",
    K.MEMORY_IMPORTED: "imported",
    K.MEMORY_NARROWED: "audiences narrowed",
    K.MEMORY_SPLIT: "people told apart",
    K.SUMMARY_SAVED: "summary saved",
    K.SUMMARY_RESET: "summary cleared",
    K.SUMMARY_CALL: "model summarized",
    K.MESSAGE_EDITED: "message edited",
    K.MESSAGE_DELETED: "message deleted",
    K.EXTRACT_CALL: "model read",
    K.EXTRACT_DEGRADED: "learned less",
    K.EXTRACT_ERROR: "learning failed",
    K.SUMMARIZE_ERROR: "summary failed",
    K.CONSOLIDATE_ERROR: "tidying failed",
    K.DAILY_LOG_ERROR: "daily log failed",
    K.ERASE_ERROR: "erasure failed",
    K.JOB_ERROR: "job failed",
    K.JOB_FAILED: "job given up",
    K.JOB_DROPPED: "job dropped",
    K.EMBEDDING_CALL: "model embedded",
    K.EMBEDDING_ERROR: "embedding failed",
    K.CONSOLIDATION_DONE: "tidied",
    K.CONSOLIDATION_ABORTED: "tidying stopped",
    K.RELEARN_STARTED: "learning again",
    K.RELEARN_DONE: "learned again",
    K.RELEARN_ERROR: "learning again failed",
    K.LEARNING_PAUSED: "learning paused",
    K.LEARNING_RESUMED: "learning resumed",
    K.LEARNING_SKIPPED: "not learned",
    K.MEMBER_LEFT: "member left",
    K.GUILD_LEFT: "server left",
    K.GUILD_CHANGED: "server changed",
    K.ERASURE_PLANNED: "erasure planned",
    K.ERASURE_CALLED_OFF: "erasure called off",
    K.ERASURE_CHECKED: "erasure checked",
}
JOBS: dict[str, str] = {
    EXTRACT: "Learn",
    SUMMARIZE: "Summarize",
    CONSOLIDATE: "Tidy memories",
    DAILY_LOG: "Write the daily log",
    ACKNOWLEDGE: "Confirm what was learned",
    RELEARN: "Learn again",
    ERASE: "Erase",
    RETAIN: "Delete what is too old",
}
SECTIONS: dict[str, str] = {
    "durable": "What is known about the speaker",
    "lore": "Lore of the server",
    "people": "Other people who are mentioned",
    "rolling": "Summary of the conversation",
    "history": "Recent conversation",
    "past": "Earlier messages that fit",
    "shortterm": "Recent exchanges on the server",
    "context": "Files of the workspace",
    "workspace": "Notes of the workspace",
    "message": "The message itself",
    "persona": "Who the assistant is",
    "rules": "Rules of the assistant",
    "tools": "Tools",
    "tool use": "How it uses its tools",
    "skill": "How it uses its memory",
    "memory_source": "How it says where it knows something from",
    "memory_line": "How it suggests lore",
}


def event_label(kind: object) -> str:
    return EVENTS.get(str(kind), str(kind))


def job_label(kind: str) -> str:
    return JOBS.get(kind, kind)


def section_label(name: str) -> str:
    """The name of a part of a request to a model; a tool's begins with `tool `."""
    return SECTIONS.get(name) or (f"Tool: {name.removeprefix('tool ')}" if name.startswith("tool ") else name)
