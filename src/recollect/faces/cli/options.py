"""The options that every command takes, before the command or after it, and the arguments that several share."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect.core.types import Kind, Status

COMMON = "Common options"
WHO_AND_WHERE = frozenset({"speaker", "place", "restricted"})


def flag(name: str, *short: str, meaning: str, panel: str | None = None) -> Any:
    """A switch; it takes no value, and its help shows none."""
    return typer.Option(name, *short, metavar="", help=meaning, show_default=False, rich_help_panel=panel)


def _option(name: str, metavar: str, meaning: str) -> Any:
    return typer.Option(name, metavar=metavar, help=meaning, rich_help_panel=COMMON, show_default=False)


_WHERE = "Where: dm (unless said), '#dev', 'guild/#dev', 'guild/#dev/thread'."
_RESTRICTED = "Not everyone in the guild can read that channel."


@dataclass(frozen=True, slots=True)
class Options:
    """What was said on the command line; None and False are "not said"."""

    speaker: Annotated[str | None, _option("--as", "USER", "Who speaks; 'me' unless said.")] = None
    place: Annotated[str | None, _option("--in", "PLACE", _WHERE)] = None
    restricted: Annotated[bool, flag("--restricted", meaning=_RESTRICTED, panel=COMMON)] = False
    json: Annotated[bool, flag("--json", meaning="Print one JSON document.", panel=COMMON)] = False
    store: Annotated[str | None, _option("--store", "STORE", "Path or address of the store.")] = None
    data_dir: Annotated[Path | None, _option("--data-dir", "DIR", "Folder of everything stored.")] = None
    profile: Annotated[str | None, _option("--profile", "NAME", "Set of defaults.")] = None
    config: Annotated[Path | None, _option("--config", "FILE", "YAML file with settings.")] = None
    debug: Annotated[bool, flag("--debug", meaning="Show tracebacks and the whole log.", panel=COMMON)] = False

    def over(self, before: "Options") -> "Options":
        """These options; what they leave unsaid, as it was said before the command."""
        pairs = ((getattr(self, field.name), getattr(before, field.name)) for field in fields(self))
        return Options(*(earlier if own is None or own is False else own for own, earlier in pairs))


Texts = Annotated[list[str], typer.Argument(metavar="TEXT", help="The words; - reads them from standard input.")]
MemoRef = Annotated[str, typer.Argument(metavar="ID", help="A memory's id, or its number in 'recollect show'.")]
Limit = Annotated[
    int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="How many at the most.", show_default=False)
]
Offset = Annotated[int, typer.Option("--offset", metavar="N", min=0, help="How many to pass over.", show_default=False)]
OnlyKinds = Annotated[
    list[Kind] | None,
    typer.Option("--kind", metavar="KIND", help=f"Only of this kind; may be repeated. Kinds: {', '.join(Kind)}."),
]
STATUSES = ", ".join(Status)
