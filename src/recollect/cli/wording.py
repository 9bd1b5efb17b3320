"""Records in a few words, for people."""

from recollect.cli.output import cell, when
from recollect.recall import Found
from recollect.types import Memo, Message


def audience(memo: Memo) -> str:
    """Where a memory may be heard."""
    match memo.audience.level:
        case "dm":
            return "privately"
        case "channel":
            return f"in #{memo.audience.id.rpartition('#')[2]}"
        case "guild":
            return f"in {memo.audience.id}"
        case _:
            return "everywhere"


def described(what: Memo | Message) -> str:
    if isinstance(what, Message):
        return cell(f"[{when(what.at)}] {what.name or what.author}: {what.text}")
    return cell(f"[{what.kind}] {what.text}")


def explained(found: Found) -> tuple[str, str]:
    """What a score is made of, and the names of these parts, in columns that stand under each other."""
    parts = {"score": found.score, **found.parts}
    widths = {name: max(5, len(name)) for name in parts}
    names = "  ".join(f"{name:>{widths[name]}}" for name in parts)
    return names, "  ".join(f"{value:>{widths[name]}.3f}" for name, value in parts.items())
