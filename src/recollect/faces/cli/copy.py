"""The command that copies everything from one store to another, such as from a file to a server."""

import asyncio
from typing import Annotated

import typer

from recollect import plugins
from recollect.core.errors import BadInput, StoreError
from recollect.core.ports import Progress, Store
from recollect.faces.cli.doctor import file_of
from recollect.faces.cli.invocation import BROKEN, Invocation, warn
from recollect.faces.outcome_text import counted
from recollect.settings.values import redacted, store_url
from recollect.transfer import copying
from recollect.transfer.copying import CopyReport

Source = Annotated[str, typer.Argument(metavar="FROM", help="Path or address of the store that is there.")]
Target = Annotated[str, typer.Argument(metavar="TO", help="Path or address of an empty store; it is made if need be.")]


def copy(call: Invocation, source: Source, target: Target) -> None:
    """Copy a whole store into another, of whichever kind; resumable."""
    origin, goal = _address(source), _address(target)
    _require(origin, goal)
    with call.screen.progress("copying") as progress:
        done = asyncio.run(_copy(origin, goal, progress))
    _tell(call, done, origin, goal)
    if not done.ok:
        raise typer.Exit(BROKEN)


def _address(said: str) -> str:
    try:
        return store_url(said)
    except ValueError as error:
        raise BadInput(f"{redacted(said)} {error}") from error


def _require(origin: str, goal: str) -> None:
    path = file_of(origin)
    if path is not None and not path.exists():
        raise StoreError(f"there is no store at {path}")
    if "sqlite://" in (origin, goal):
        raise BadInput("sqlite:// lives in memory only; name a file: sqlite:///folder/memory.db")


async def _copy(origin: str, goal: str, progress: Progress | None) -> CopyReport:
    source: Store = plugins.load("stores", origin)
    try:
        target: Store = plugins.load("stores", goal)
        try:
            return await copying.copy(source, target, progress)
        finally:
            await target.close()
    finally:
        await source.close()


def _tell(call: Invocation, done: CopyReport, origin: str, goal: str) -> None:
    if call.options.json:
        call.screen.data(_shape(done, origin, goal))
    else:
        rows = [
            [each.section, f"{each.source.count:,}", f"{each.target.count:,}", "same" if each.agrees else "DIFFERENT"]
            for each in done.sections
        ]
        call.screen.table(["section", "source", "target", "content"], rows, "section")
        call.screen.say(_summary(done, redacted(goal)))
    if not done.ok and done.disturbed:
        warn("the source was written to meanwhile; run the same again to bring the rest")
    elif not done.ok:
        warn("the target does not hold what was copied; examine it with 'recollect doctor', and copy into an empty one")
    elif done.disturbed:
        warn("the source was written to meanwhile; run the same again before you leave it")


def _summary(done: CopyReport, goal: str) -> str:
    if not done.ok:
        return f"Not the same: {', '.join(each.section for each in done.sections if not each.agrees)}"
    changes = [f"copied {counted(done.written, 'record')}"] if done.written else []
    changes += [f"took out {done.removed}"] if done.removed else []
    said = ", ".join(changes) or "nothing to do"
    return f"{said[0].upper()}{said[1:]}; counts and content agree. To use it: RECOLLECT_STORE={goal}"


def _shape(done: CopyReport, origin: str, goal: str) -> dict[str, object]:
    return {
        "ok": done.ok,
        "source": redacted(origin),
        "target": redacted(goal),
        "written": done.written,
        "removed": done.removed,
        "disturbed": done.disturbed,
        "sections": [
            {
                "section": each.section,
                "source": each.source.count,
                "target": each.target.count,
                "source_checksum": f"{each.source.checksum:032x}",
                "target_checksum": f"{each.target.checksum:032x}",
                "agrees": each.agrees,
            }
            for each in done.sections
        ],
    }
