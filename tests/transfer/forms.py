"""The formats, as the import command finds them."""

from pathlib import Path

from recollect import plugins
from recollect.core.ports.format import Format
from recollect.transfer.importing import detect

FORMATS: list[Format] = plugins.load_all("formats")
NAMES = [form.name for form in FORMATS]


def named(name: str) -> Format:
    return detect.format_by_name(name, FORMATS)


def recognise(path: Path) -> Format:
    return detect.detect(path, FORMATS)


ANTHROPIC, CLANKER, DEVCLAW, DISCOCLAW = map(named, ("anthropic", "clanker", "devclaw", "discoclaw"))
MEM0, OPENCLAW, RECOLLECT = map(named, ("mem0", "openclaw", "recollect"))
