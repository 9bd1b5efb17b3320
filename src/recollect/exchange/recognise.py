"""Which formats there are, and which of them a file or a folder has."""

from pathlib import Path

from recollect.errors import BadInput
from recollect.exchange import anthropic_folder, clanker, devclaw, discoclaw, jsonl, mem0, openclaw
from recollect.exchange.base import Format

FORMATS: tuple[Format, ...] = (
    jsonl.FORMAT,
    discoclaw.FORMAT,
    clanker.FORMAT,
    devclaw.FORMAT,
    openclaw.FORMAT,
    mem0.FORMAT,
    anthropic_folder.FORMAT,
)
NAMES = tuple(one.name for one in FORMATS)


def recognise(path: Path) -> Format:
    """The one format that fits; raises BadInput when none does, or several do."""
    if not path.exists():
        raise BadInput(f"there is no {path}")
    found = [one for one in FORMATS if one.recognises(path)]
    if not found:
        raise BadInput(f"{path} looks like nothing known here; if it is, say so with --format: {', '.join(NAMES)}")
    if len(found) > 1:
        raise BadInput(f"{path} may be {' or '.join(one.name for one in found)}: say which with --format")
    return found[0]


def named(name: str) -> Format:
    """A format by its name; raises BadInput."""
    wanted = name.strip().lower()
    for one in FORMATS:
        if one.name == wanted:
            return one
    raise BadInput(f"there is no format {name!r}; there are {', '.join(NAMES)}")
