"""Commands that maintain the installation: `config`, `doctor`, `backup`, `reindex`, `version`."""

import platform
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from recollect.core.version import __version__
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail, warn
from recollect.faces.cli.options import flag
from recollect.faces.cli.output import cell
from recollect.faces.outcome_text import count_noun

if TYPE_CHECKING:
    from recollect.settings import Row


def config(
    call: Invocation,
    part: Annotated[str, typer.Argument(metavar="PART", help="Only settings whose name contains this.")] = "",
) -> None:
    """Show every setting, its value and where that came from."""
    from recollect.settings import rows

    loaded = call.load()
    selected = [row for row in rows(loaded) if part.lower() in row.name or part.upper() in row.env]
    if call.options.json:
        call.screen.data({"settings": [asdict(row) for row in selected], "warnings": loaded.warnings})
        return
    if not selected:
        fail(f"no setting has {part!r} in its name", NO_MATCH)
    if call.screen.is_terminal:
        _print_settings(call, selected)
    else:
        call.screen.table([], [[row.name, row.value, row.origin, row.description] for row in selected], wide="")
    for warning in loaded.warnings:
        warn(warning)


def _print_settings(call: Invocation, selected: "list[Row]") -> None:
    from rich.padding import Padding
    from rich.text import Text

    console = call.screen.console
    for row in selected:
        changed = row.origin != "default"
        value = Text(cell(row.value), style="bold green" if changed else "bold")
        console.print(Text.assemble(row.name, " = ", value, (f"   ({cell(row.origin)})", "" if changed else "dim")))
        console.print(Padding(row.description, (0, 0, 0, 4), style="dim"))


def doctor(
    call: Invocation,
    online: Annotated[
        bool, flag("--online", meaning="Make one or two tiny calls to each remote model and embedder.")
    ] = False,
) -> None:
    """Check settings, store, embedder and model."""
    from recollect.faces.cli.doctor import examine, report

    report(call, examine(call, online=online))


def backup(
    call: Invocation,
    target: Annotated[
        Path | None, typer.Argument(metavar="TARGET", help="A file or folder; else backups/ in the data folder.")
    ] = None,
) -> None:
    """Copy the store while it is in use; never overwrites."""
    path = _backup_path(call, target)
    call.require_store()
    with call.screen.progress("copying") as progress:
        call.run(lambda memory: memory.backup(path, progress))
    size = path.stat().st_size
    if call.options.json:
        call.screen.data({"path": str(path), "bytes": size})
    else:
        call.screen.say(str(path))
        call.screen.aside(f"  {size:,} bytes; {_restore_hint(call, path)}")


def _is_on_a_server(spec: str) -> bool:
    return not spec.startswith("sqlite:")


def _restore_hint(call: Invocation, path: Path) -> str:
    if _is_on_a_server(call.load("null").settings.store):
        return f"to restore: pg_restore --dbname=<an empty database> {path}"
    return f"to restore, use it as the store: recollect --store {path} show"


def _backup_path(call: Invocation, target: Path | None) -> Path:
    settings = call.load("null").settings
    folder = settings.data_dir / "backups"
    kind = "dump" if _is_on_a_server(settings.store) else "db"
    name = f"memory-{datetime.now():%Y-%m-%d-%H%M%S}.{kind}"
    if target is None:
        return folder / name
    return target / name if target.is_dir() else target


def reindex(call: Invocation) -> None:
    """Rebuild the word index and missing vectors; resumable."""
    call.require_store()
    with call.screen.progress("indexing") as progress:
        row_count = call.run(lambda memory: memory.reindex(progress), embeds=True)
    if call.options.json:
        call.screen.data({"rows": row_count})
    else:
        call.screen.say(f"Indexed {count_noun(row_count, 'row')}")


def version(call: Invocation) -> None:
    """Print the version."""
    if call.options.json:
        call.screen.data({"version": __version__, "python": platform.python_version()})
    else:
        call.screen.say(f"recollect {__version__}")
