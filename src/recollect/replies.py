"""What memory answers, in plain words: the same text in every face. Faces escape it for where they show it."""

from collections.abc import Collection

from recollect.commands import Undone
from recollect.memory import Remembered, Shown
from recollect.types import Memo, Origin


def remembered(done: Remembered) -> str:
    return f'Remembered: "{done.memo.text}"'


def forgotten(memos: Collection[Memo], what: str) -> str:
    return f'Deprecated {counted(len(memos))} matching "{what}"'


def nothing_matched(what: str) -> str:
    return f'Nothing matches "{what}"'


def undone(done: Undone) -> str:
    """One line for each memo that changed back."""
    lines = [f'Restored: "{memo.text}"' for memo in done.restored]
    lines += [f'Removed: "{memo.text}"' for memo in done.removed]
    if done.hidden:
        lines.append(f"Changed back {counted(done.hidden)} that may not be told here")
    return "\n".join(lines) or "Nothing is left of what that changed"


def shown(what: Shown) -> str:
    """A person's memory: the facts, and the summary of the conversation when there is one."""
    lines = [f"Durable memory ({counted(what.total)}):", *map(line, what.memos)]
    if what.summary is not None and what.summary.text:
        lines += ["", "Rolling summary:", what.summary.text]
    return "\n".join(lines)


def line(memo: Memo) -> str:
    return f"- [{memo.kind}] {memo.text} (src: {source(memo)})"


def source(memo: Memo) -> str:
    """Where a memo came from: `manual`, or origin, channel and message as far as they are known."""
    if memo.source.origin is Origin.MANUAL:
        return "manual"
    where = "/".join(filter(None, (memo.source.channel, memo.source.message)))
    return f"{memo.source.origin}:{where}" if where else memo.source.origin.value


def counted(count: int, noun: str = "item") -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
