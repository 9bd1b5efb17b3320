"""Options that every command takes, before or after the command, and arguments that several share."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from recollect.core.types import Kind, Status

COMMON = "Common options"
SPEAKER_OPTIONS = frozenset({"speaker", "place", "restricted"})
INSTALLATION_OPTIONS = frozenset({"restricted", "store", "data_dir", "profile", "config", "debug"})
"""Options that every command takes, and that only the help of the program shows."""


def flag(name: str, *short: str, meaning: str, panel: str | None = None) -> Any:
    """A switch; its help shows no value."""
    return typer.Option(name, *short, metavar="", help=meaning, show_default=False, rich_help_panel=panel)


def _option(name: str, metavar: str, meaning: str) -> Any:
    return typer.Option(name, metavar=metavar, help=meaning, rich_help_panel=COMMON, show_default=False)


_PLACE_HELP = "Where: dm (the default), '#dev', 'guild/#dev', 'guild/#dev/thread'."
_RESTRICTED_HELP = "Not everyone in the guild can read that channel."


@dataclass(frozen=True, slots=True)
class Options:
    """The common options as given; None and False mean "not given"."""

    speaker: Annotated[str | None, _option("--as", "USER", "Who speaks; 'me' by default.")] = None
    place: Annotated[str | None, _option("--in", "PLACE", _PLACE_HELP)] = None
    restricted: Annotated[bool, flag("--restricted", meaning=_RESTRICTED_HELP, panel=COMMON)] = False
    json: Annotated[bool, flag("--json", meaning="Print one JSON document.", panel=COMMON)] = False
    store: Annotated[str | None, _option("--store", "STORE", "Path or address of the store.")] = None
    data_dir: Annotated[Path | None, _option("--data-dir", "DIR", "Folder of everything stored.")] = None
    profile: Annotated[str | None, _option("--profile", "NAME", "Set of defaults.")] = None
    config: Annotated[Path | None, _option("--config", "FILE", "YAML file with settings.")] = None
    debug: Annotated[bool, flag("--debug", meaning="Show tracebacks and the whole log.", panel=COMMON)] = False

    def with_defaults(self, defaults: "Options") -> "Options":
        """These options, with those not given taken from the ones before the command."""
        pairs = ((getattr(self, field.name), getattr(defaults, field.name)) for field in fields(self))
        return Options(*(default if value is None or value is False else value for value, default in pairs))


Texts = Annotated[list[str], typer.Argument(metavar="TEXT", help="The words; - reads them from standard input.")]
WHICH = "A part of its text, its id, or its number in 'show'."
MemoWords = Annotated[list[str], typer.Argument(metavar="WHAT", help=WHICH)]
Limit = Annotated[
    int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="How many at most.", show_default=False)
]
Offset = Annotated[int, typer.Option("--offset", metavar="N", min=0, help="How many to skip.", show_default=False)]
OnlyKinds = Annotated[
    list[Kind] | None,
    typer.Option("--kind", metavar="KIND", help=f"Only of this kind; may be repeated. Kinds: {', '.join(Kind)}."),
]
STATUSES = ", ".join(Status)
