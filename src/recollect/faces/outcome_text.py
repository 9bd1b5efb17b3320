"""Outcomes as text, the same in every face; faces escape it for where they show it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from recollect.core.changes import Revise, Step
from recollect.core.errors import RecollectError, VersionConflict
from recollect.core.events import EventKind
from recollect.core.outcomes import (
    AlreadyActive,
    AlreadyKnown,
    CannotRestore,
    CannotUndo,
    Explanation,
    Forgotten,
    Listing,
    NotFound,
    Redone,
    RedoOutcome,
    Refused,
    RelearnPreview,
    RelearnRun,
    Remembered,
    Restored,
    Undoable,
    Undone,
    UndoOutcome,
)
from recollect.core.reasons import Reason, render_reason
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import EVERYWHERE, Audience, AudienceLevel, Memo, Origin
from recollect.faces.wording import say, translate_text
from recollect.policy.rendering import discord_url
from recollect.policy.visibility import VisibilityPolicy

if TYPE_CHECKING:
    from recollect.learning.ingest import LearnedOutcome
    from recollect.settings import Settings

PREFIX = "!memory "
"""Prefix of memory commands in every chat."""
SLASH = "/"
"""Prefix in the terminal chat, which has a /help of its own."""
NOTHING_TO_UNDO = "There is nothing to undo"
NOTHING_TO_REDO = "There is nothing to redo"
CANNOT_RESTORE = "It can't be restored: the message that it comes from was deleted, or no longer says so"
NOTHING_YET = 'Nothing yet; "!memory remember <text>" adds something, "!memory help" lists what else there is.'
PAUSED = 'Learning is paused: nothing that you say is learned as a fact until "!memory resume".'
RESUMED = "Learning goes on: what you say from now on may be remembered."
NOT_PAUSED = "Learning was not paused."
NO_SUMMARIES = "Rolling summaries are switched off."
NOTHING_LEFT_TO_UNDO = "Nothing is left of what that changed"
CHANGED_MEANWHILE = 'It was changed meanwhile, and now says: "{}". Nothing was done.'
OUT_OF_REACH = "Memory can't be reached at the moment. Please try again in a while."

ERRORS = (
    "{} characters are too long; the limit is {}",
    "{} characters are too long to remember; the limit is {}",
    "there is no memory {}",
    "memory {} is no longer in use",
)
"""Templates of errors that members may cause, with values in them."""

AUDIENCE_TEXTS = {
    "dm": "in your direct messages only",
    "channel": "in the channel where it was said",
    "guild": "on the server where it was said",
    "everywhere": "wherever you speak",
}

_ELSEWHERE = {
    "channel": ", and in other channels that nobody else can read",
    "guild": ", in channels that nobody else can read",
}
"""Texts for audiences that are known by their readers."""

_UNDO_LABELS = {
    "added": "Removed",
    "hidden": "No longer hidden",
    "shown": "Hidden again",
    "retired": "Restored",
    "brought back": "Retired again",
    "reworded": "Changed back to",
    "pinned": "Undid pinning",
    "unpinned": "Undid unpinning",
    "shared": "Undid the change of who may hear it",
    "changed": "Undid the change of",
}
"""What undo did to a memo, by the change that it reverted."""


def typed(text: str, prefix: str) -> str:
    """One of our texts, with its commands as they are typed in a face."""
    text = say(text)
    if prefix == SLASH:
        text = text.replace(f"{PREFIX}help", "/memory help")
    return text.replace(PREFIX, prefix)


def is_literal(settings: "Settings") -> bool:
    """Whether replies use the literal words of the profile's document."""
    return settings.chat_commands.wording == "document"


def render_remembered(outcome: Remembered, *, literal: bool = False) -> str:
    label = "I knew that already" if not literal and is_known(outcome) else "Remembered"
    return changed(label, outcome.memo)


def is_known(outcome: Remembered) -> bool:
    """Whether a memory said the same before, in these words."""
    first = next(iter(outcome.changes), None)
    is_repeated = isinstance(first, Revise) and first.before.active and first.before.text == first.after.text
    return isinstance(outcome, AlreadyKnown) or is_repeated


def describe_audience(audience: Audience, texts: Mapping[str, str] = AUDIENCE_TEXTS) -> str:
    """Where a memo with this audience may be recalled; `texts` names the levels. Without a known one: privately."""
    is_by_readers = bool(audience.readers) and audience.channel is None
    elsewhere = _ELSEWHERE.get(audience.level, "") if is_by_readers else ""
    return say(texts.get(audience.level, texts["dm"])) + (say(elsewhere) if elsewhere else "")


_REFUSALS = {
    Reason.EMPTY: "There is nothing to remember: the text is empty",
    Reason.SECRET: "That looks like a secret, so it was not remembered",
    Reason.INSTRUCTIONS: "That tells the assistant what to do instead of stating something, so it was not remembered",
    Reason.FORGOTTEN_BY_OWNER: "That was forgotten since, so it was not remembered again",
}


def render_refused(outcome: Refused) -> str:
    """Why a statement was not remembered."""
    if refusal := _REFUSALS.get(outcome.reason):
        return say(refusal)
    return say("That was not remembered: it {}", say(render_reason(outcome.reason)))


def render_audience(memo: Memo, policy: str, how: str = '"!memory {} <a part of it>"') -> str:
    """Where a memo may be recalled, and how its owner changes that; `how` is a template for the face's command.

    Empty with the policy `user_global`, where every memo is recalled everywhere.
    """
    if policy == VisibilityPolicy.USER_GLOBAL:
        return ""
    if memo.subject.is_lore:
        is_for_all = memo.audience.level == AudienceLevel.GUILD and not memo.audience.readers
        where = say("in all channels of its server") if is_for_all else describe_audience(memo.audience)
        return say("It may be recalled {}.", where)
    where = describe_audience(memo.audience)
    if memo.audience == EVERYWHERE:
        return say("It may be recalled {}; {} keeps it to you.", where, say(how).format("private"))
    return say("It may be recalled {}; {} lets more people hear it.", where, say(how).format("share"))


def render_forgotten(outcome: Forgotten, query: str, *, literal: bool = False, undo: str = "") -> str:
    """What was forgotten, what was hidden with it, and the command that reverts it."""
    count, hidden = len(outcome.memos), render_hidden(outcome)
    if literal:
        return f'Deprecated {count_noun(count)} matching "{query}"{hidden}'
    forgotten = say('Forgot {} matching "{}"{}', count_memories(count), query, hidden)
    return say("{}. Undo: {}", forgotten, undo) if undo else forgotten


def render_hidden(outcome: Forgotten) -> str:
    """What else is hidden, as the end of a sentence; empty if nothing is."""
    lines = outcome.summary_lines
    parts = [say("{:,} of my replies", outcome.replies)] if outcome.replies else []
    if lines:
        parts.append(say("a line of the summary") if lines == 1 else say("{:,} lines of summaries", lines))
    return say(" (also hides {})", say(" and ").join(parts)) if parts else ""


def render_no_match(query: str) -> str:
    return say('Nothing matches "{}"', query)


_UNDO_INTENTS = {
    "added": "Would remove",
    "retired": "Would restore",
    "brought back": "Would retire again",
    "reworded": "Would change back to",
    "pinned": "Would undo pinning",
    "unpinned": "Would undo unpinning",
    "shared": "Would undo the change of who may hear it",
    "changed": "Would undo the change of",
}


def render_undoable(offer: Undoable) -> str:
    """One line per memo that undo would change back."""
    lines = [changed(_UNDO_INTENTS[reversal.change], reversal.after or reversal.before) for reversal in offer.reversals]
    if offer.hidden:
        lines.append(say("Would change back {} that may not be told here", count_noun(offer.hidden)))
    return "\n".join(lines) or say(NOTHING_LEFT_TO_UNDO)


def render_undone(outcome: Undone | Redone) -> str:
    """One line per memo that was changed back, with what was done to it."""
    lines = [changed(_UNDO_LABELS[reversal.change], reversal.current) for reversal in outcome.reversals]
    if outcome.hidden:
        lines.append(say("Changed back {} that may not be told here", count_noun(outcome.hidden)))
    return "\n".join(lines) or say(NOTHING_LEFT_TO_UNDO)


def render_undo(outcome: UndoOutcome | RedoOutcome, nothing: str = NOTHING_TO_UNDO) -> str:
    """What `undo` or `redo` did, or why it did nothing."""
    match outcome:
        case Undone() | Redone():
            return render_undone(outcome)
        case CannotUndo():
            return sentence(say(outcome.text))
        case None:
            return say(nothing)


def render_restored(outcome: Restored | AlreadyActive | CannotRestore | NotFound) -> str:
    """What `restore` did, or why it did nothing."""
    match outcome:
        case Restored(memo, replaced_memos, archived):
            room = [changed("Archived to make room", other) for other in archived]
            return "\n".join([changed("Restored", memo), *map(render_replaced, replaced_memos), *room])
        case AlreadyActive(memo):
            return changed("It is in use already", memo)
        case CannotRestore():
            return say(CANNOT_RESTORE)
        case NotFound(query):
            return say('Nothing that was forgotten matches "{}"', quote_input(query))


def render_listing(listing: Listing, *, literal: bool = False, offset: int = 0) -> str:
    """A person's memos with their numbers, and the summary of the conversation if there is one."""
    if literal:
        lines = [listing_header(listing.total, literal=True), *(line(memo, literal=True) for memo in listing.memos)]
    else:
        memos = enumerate(listing.memos, offset + 1)
        lines = [listing_header(listing.total), *(f"{number}. {in_second_person(memo.text)}" for number, memo in memos)]
    if listing.summary is not None and listing.summary.text:
        lines += ["", summary_header(literal=literal), listing.summary.text]
    return "\n".join([*lines, *(["", *map(say, listing.off)] if listing.off else [])])


def in_second_person(text: str) -> str:
    """A memory worded for its subject: "Their sister" becomes "Your sister"."""
    return f"Your {text[6:]}" if text.startswith("Their ") else text


def actor_name(actor: str) -> str:
    """The name of an actor as people read it: `local` is no model to them."""
    return say("the built-in patterns, without a model") if actor == "local" else actor


def render_origin(origin: str) -> str:
    """How a memory came about, in plain words."""
    return say("kept as you asked" if origin == Origin.MANUAL else "learned")


def listing_header(count: int, *, literal: bool = False) -> str:
    return f"Durable memory ({count_noun(count)}):" if literal else say("What I remember ({}):", count_memories(count))


def summary_header(*, literal: bool = False) -> str:
    return "Rolling summary:" if literal else say("Summary of this conversation:")


def line(memo: Memo, *, literal: bool = False) -> str:
    """`- Works at Acme Corp`; in the words of the documents `- [fact] Works at Acme Corp (src: manual)`."""
    return f"- [{memo.kind}] {memo.text} (src: {memo.source.origin})" if literal else f"- {in_second_person(memo.text)}"


def numbered(number: int, memo: Memo) -> str:
    """A memo with its number in the list, which is the same in every place."""
    return f"{number}. [{say(memo.kind.value)}] {in_second_person(memo.text)}"


def citation(explanation: Explanation) -> str:
    """`#dev ↗ https://discord.com/channels/…`, where the message can be read by everyone who reads this."""
    source = explanation.memo.source
    url = discord_url(source) if explanation.is_source_visible else None
    label = f"#{source.channel_name} ↗" if source.channel_name else "↗"
    return f"{label} {url}" if url else ""


def changed(label: str, memo: Memo) -> str:
    return f'{say(label)}: "{in_second_person(memo.text)}"'


def render_replaced(memo: Memo) -> str:
    return changed("It takes the place of", memo)


def render_reset(existed: bool) -> str:
    return say(
        "Cleared the rolling summary of this session" if existed else "There is no rolling summary here to clear"
    )


def problem(error: RecollectError) -> str:
    """An error as one line that starts like a sentence."""
    if isinstance(error, VersionConflict):
        return say(CHANGED_MEANWHILE, quote_input(error.text))
    text = collapse_spaces(str(error))
    return sentence(clip(translate_text(text, ERRORS), 500) or say("That did not work"))


def sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def quote_input(words: str) -> str:
    """The user's own words, clipped, for an answer."""
    return clip(collapse_spaces(words), 200)


def count_noun(count: int, noun: str = "item") -> str:
    return say(f"{{:,}} {noun}" if count == 1 else f"{{:,}} {noun}s", count)


_ERASED_LABELS = {
    "memos": ("memory", "memories"),
    "messages": ("message", "messages"),
    "replies": ("reply to them", "replies to them"),
    "exchanges": ("short-term entry", "short-term entries"),
    "summaries": ("summary", "summaries"),
    "jobs": ("job", "jobs"),
    "counters": ("other record", "other records"),
    "unsigned": ("lore entry without its author", "lore entries without their author"),
    "events": ("line of the log", "lines of the log"),
    "files": ("file or line of a journal", "files and lines of journals"),
}


def label_erased(kind: str, count: int) -> str:
    """What an erasure counts, as `memories` for several memos."""
    one, many = _ERASED_LABELS.get(kind, (kind, kind))
    return one if count == 1 else many


def count_memories(count: int) -> str:
    return say("{:,} memory" if count == 1 else "{:,} memories", count)


_CHANGE_LABELS: dict[str, str] = {
    EventKind.MEMO_ADDED: "learned",
    EventKind.MEMO_REVISED: "revised",
    EventKind.MEMO_RETIRED: "no longer so",
}


def render_step(step: Step) -> str:
    """One step of a change, done or previewed."""
    memo = step.after or step.before
    if memo is None:
        return ""
    if step.before is None:
        return say("learned: [{}] {}", say(memo.kind), memo.text)
    if not memo.active:
        return say("no longer so: [{}] {}", say(memo.kind), memo.text)
    return say("revised: [{}] {} (so far: {})", say(memo.kind), memo.text, step.before.text)


def render_relearning(outcome: RelearnPreview | RelearnRun) -> list[str]:
    """What learning again would change, or how far it is; one line each, the changes of a preview not included."""
    left_alone = [
        say("{} left alone: {}", count_noun(count, "message"), say(render_reason(reason)))
        for reason, count in outcome.skipped.items()
    ]
    if isinstance(outcome, RelearnRun):
        return [*_render_progress(outcome), *left_alone]
    tried = "" if outcome.tried == outcome.messages else say(", from the first {:,}", outcome.tried)
    messages, unusable = count_noun(outcome.messages, "message"), count_noun(outcome.degraded, "answer")
    degraded = [say("{} could not be used; the local model's count instead", unusable)] if outcome.degraded else []
    changes = count_noun(len(outcome.changes), "change") if outcome.changes else say("no change")
    would = say("{} to learn from again with {}{}: {}", messages, outcome.model, tried, changes)
    return [would, *degraded, *left_alone]


def _render_progress(run: RelearnRun) -> list[str]:
    failed = [f"{count_noun(run.failed, 'message')} failed"] if run.failed else []
    waiting = run.messages - run.done - run.failed
    stuck = [f"{count_noun(waiting, 'message')} waiting: {run.problem}"] if waiting and run.problem else []
    done = f"Learned again from {run.done:,} of {count_noun(run.messages, 'message')}"
    return [f"{done}: {count_noun(run.changed, 'change')}", *failed, *stuck]


def render_learned(learned_outcome: "LearnedOutcome", *, changes_only: bool = False) -> list[str]:
    """What was learned from a message, one line each: learned, revised, retired or, unless left out, refused."""
    lines: list[str] = []
    for event in learned_outcome.events:
        memo = learned_outcome.memos.get(event.memo or "")
        if event.kind in _CHANGE_LABELS and memo is not None:
            lines.append(f"{_CHANGE_LABELS[event.kind]}: [{memo.kind}] {memo.text}")
        elif changes_only:
            continue
        elif event.kind == EventKind.MEMO_REFUSED:
            doubt = f"; perhaps no longer so: [{memo.kind}] {memo.text}" if memo is not None else ""
            lines.append(f"not learned: {event.text}{doubt}")
        elif event.kind == EventKind.EXTRACT_DEGRADED:
            lines.append(f"the model's answer could not be used; {event.text}")
    return lines
