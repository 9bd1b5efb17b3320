"""What memory answers, in plain words: the same text in every face. Faces escape it for where they show it."""

from collections.abc import Collection

from recollect.core.errors import RecollectError
from recollect.core.outcomes import Listing, Remembered, Undone
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import EVERYWHERE, Memo, Origin, Place
from recollect.learning.ingest import LearnedOutcome
from recollect.policy.visibility import VisibilityPolicy, is_source_visible

NOTHING_TO_UNDO = "There is nothing to undo"
NOTHING_YET = 'Nothing yet; "!memory remember <text>" adds something, "!memory help" lists what else there is.'
PAUSED = 'Learning is paused: nothing that you say is learned as a fact until "!memory resume".'
RESUMED = "Learning goes on: what you say from now on may be remembered."
NOT_PAUSED = "Learning was not paused."
NO_SUMMARIES = "Rolling summaries are switched off."
OUT_OF_REACH = "Memory can't be reached at the moment. Please try again in a while."


HEARD = {
    "dm": "in your direct messages only",
    "channel": "in the channel where it was said",
    "guild": "on the server where it was said",
    "everywhere": "wherever you speak",
}

_UNDID = {
    "added": "Removed",
    "retired": "Restored",
    "brought back": "Retired again",
    "reworded": "Changed back to",
    "pinned": "Undid pinning",
    "unpinned": "Undid unpinning",
    "shared": "Undid the change of who may hear it",
    "changed": "Undid the change of",
}
"""What undoing did to a memo, by what the change had done to it."""


def remembered(done: Remembered) -> str:
    return f'Remembered: "{done.memo.text}"'


def hearing(memo: Memo, policy: str, how: str = '"!memory {} <a part of it>"') -> str:
    """Who will hear a memo, and how that is changed, for its owner; `how` is the command of the face, less its verb.

    Nothing where each person has one memory for all places: there is nothing to know about it.
    """
    if policy == VisibilityPolicy.USER_GLOBAL:
        return ""
    if memo.subject.is_lore:
        return "It may be recalled in all channels of its server."
    verb, effect = (
        ("private", "keeps it to you") if memo.audience == EVERYWHERE else ("share", "lets more people hear it")
    )
    return f"It may be recalled {HEARD[memo.audience.level]}; {how.format(verb)} {effect}."


def forgotten(memos: Collection[Memo], what: str) -> str:
    return f'Deprecated {counted(len(memos))} matching "{what}"'


def nothing_matched(what: str) -> str:
    return f'Nothing matches "{what}"'


def undone(done: Undone) -> str:
    """One line for each memo that changed back, which says how."""
    lines = [f'{_UNDID[one.change]}: "{one.current.text}"' for one in done.reversals]
    if done.hidden:
        lines.append(f"Changed back {counted(done.hidden)} that may not be told here")
    return "\n".join(lines) or "Nothing is left of what that changed"


def shown(what: Listing, here: Place | None = None) -> str:
    """A person's memory: the facts, and the summary of the conversation when there is one."""
    lines = [f"Durable memory ({counted(what.total)}):", *(line(memo, here) for memo in what.memos)]
    if what.summary is not None and what.summary.text:
        lines += ["", "Rolling summary:", what.summary.text]
    return "\n".join([*lines, *(["", *what.off] if what.off else [])])


def line(memo: Memo, here: Place | None = None) -> str:
    return f"- [{memo.kind}] {memo.text} (src: {source(memo, here)})"


def source(memo: Memo, here: Place | None = None) -> str:
    """Where a memo came from: `manual`, or origin, channel and message as far as they are known.

    Channel and message are told `here` only where they may be known, and nowhere when it is not said where that is.
    """
    if memo.source.origin is Origin.MANUAL:
        return "manual"
    told = here is not None and is_source_visible(memo, here)
    where = "/".join(filter(None, (memo.source.channel, memo.source.message))) if told else ""
    return f"{memo.source.origin}:{where}" if where else memo.source.origin.value


def numbered(number: int, memo: Memo) -> str:
    """A memo under its number in the list, which means the same wherever it is said."""
    return f"{number}. [{memo.kind}] {memo.text}"


def changed(done: str, memo: Memo) -> str:
    return f'{done}: "{memo.text}"'


def replaced(memo: Memo) -> str:
    return f'It takes the place of: "{memo.text}"'


def cleared(was_there: bool) -> str:
    return "Cleared the rolling summary of this session" if was_there else "There is no rolling summary here to clear"


def problem(error: RecollectError) -> str:
    """An error as one line that starts like a sentence."""
    return sentence(clip(collapse_spaces(str(error)), 500) or "That did not work")


def sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def echo(words: str) -> str:
    """What someone said, short enough to be repeated to them."""
    return clip(collapse_spaces(words), 200)


def counted(count: int, noun: str = "item") -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


_DONE = {"memo.added": "learned", "memo.revised": "revised", "memo.retired": "no longer so"}


def learned(found: LearnedOutcome) -> list[str]:
    """What came of a message, a short line each: learned, revised, retired or refused."""
    lines: list[str] = []
    for event in found.events:
        memo = found.memos.get(event.memo or "")
        if event.kind in _DONE and memo is not None:
            lines.append(f"{_DONE[event.kind]}: [{memo.kind}] {memo.text}")
        elif event.kind == "memo.refused":
            lines.append(f"not learned: {event.reason}")
        elif event.kind == "extract.degraded":
            lines.append(f"the model's answer could not be used; {event.reason}")
    return lines
