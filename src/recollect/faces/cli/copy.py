"""The command `copy`: copies a whole store into another, such as from a file to a server."""

import asyncio
from typing import Annotated

import typer

from recollect import plugins
from recollect.core.errors import BadInput, StoreError
from recollect.core.ports import Progress, Store
from recollect.faces.cli.doctor import file_of
from recollect.faces.cli.invocation import FAILED, Invocation, warn
from recollect.faces.outcome_text import count_noun
from recollect.settings.values import redacted, store_url
from recollect.transfer import copying
from recollect.transfer.copying import CopyReport
from recollect.workspace.disk import is_missing

Source = Annotated[str, typer.Argument(metavar="FROM", help="Path or address of the store that is there.")]
Target = Annotated[str, typer.Argument(metavar="TO", help="Path or address of an empty store; it is made if need be.")]


def copy(call: Invocation, source: Source, target: Target) -> None:
    """Copy a whole store into another one of any kind; resumable."""
    source_url, target_url = _store_url(source), _store_url(target)
    _check_stores(source_url, target_url)
    with call.screen.progress("copying") as progress:
        report = asyncio.run(_copy(source_url, target_url, progress))
    _print_report(call, report, source_url, target_url)
    if not report.ok:
        raise typer.Exit(FAILED)


def _store_url(text: str) -> str:
    try:
        return store_url(text)
    except ValueError as error:
        raise BadInput(f"{redacted(text)} {error}") from error


def _check_stores(source_url: str, target_url: str) -> None:
    path = file_of(source_url)
    if path is not None and is_missing(path):
        raise StoreError(f"there is no store at {path}")
    if "sqlite://" in (source_url, target_url):
        raise BadInput("sqlite:// lives in memory only; name a file: sqlite:///folder/memory.db")


async def _copy(source_url: str, target_url: str, progress: Progress | None) -> CopyReport:
    source: Store = plugins.load("stores", source_url)
    try:
        target: Store = plugins.load("stores", target_url)
        try:
            return await copying.copy(source, target, progress)
        finally:
            await target.close()
    finally:
        await source.close()


def _print_report(call: Invocation, report: CopyReport, source_url: str, target_url: str) -> None:
    if call.options.json:
        call.screen.data(_to_json(report, source_url, target_url))
    else:
        rows = [
            [
                check.section,
                f"{check.source.count:,}",
                f"{check.target.count:,}",
                "same" if check.agrees else "DIFFERENT",
            ]
            for check in report.sections
        ]
        call.screen.table(["section", "source", "target", "content"], rows, "section")
        call.screen.say(_summary(report, redacted(target_url)))
    if not report.ok and report.disturbed:
        warn("the source was written to meanwhile; run the same again to bring the rest")
    elif not report.ok:
        warn("the target does not hold what was copied; examine it with 'recollect doctor', and copy into an empty one")
    elif report.disturbed:
        warn("the source was written to meanwhile; run the same again before you leave it")


def _summary(report: CopyReport, target_url: str) -> str:
    if not report.ok:
        return f"Not the same: {', '.join(check.section for check in report.sections if not check.agrees)}"
    changes = [f"copied {count_noun(report.written, 'record')}"] if report.written else []
    changes += [f"took out {report.removed}"] if report.removed else []
    summary = ", ".join(changes) or "nothing to do"
    return f"{summary[0].upper()}{summary[1:]}; counts and content agree. To use it: RECOLLECT_STORE={target_url}"


def _to_json(report: CopyReport, source_url: str, target_url: str) -> dict[str, object]:
    return {
        "ok": report.ok,
        "source": redacted(source_url),
        "target": redacted(target_url),
        "written": report.written,
        "removed": report.removed,
        "disturbed": report.disturbed,
        "sections": [
            {
                "section": check.section,
                "source": check.source.count,
                "target": check.target.count,
                "source_checksum": f"{check.source.checksum:032x}",
                "target_checksum": f"{check.target.checksum:032x}",
                "agrees": check.agrees,
            }
            for check in report.sections
        ],
    }
