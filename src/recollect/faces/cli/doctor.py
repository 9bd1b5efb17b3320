"""The checks of `recollect doctor`; they write nothing, and work whatever is broken."""

import asyncio
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import typer

from recollect import app, plugins
from recollect.app import load_reranker, make_embedder, make_embedders, make_model
from recollect.core import ports
from recollect.core.clock import now
from recollect.core.errors import ConfigError, MissingExtra, RecollectError
from recollect.core.ports.reranker import Reranker
from recollect.core.types import Message, Place
from recollect.faces.assistant.model_turn import price_of
from recollect.faces.cli.invocation import FAILED, Invocation
from recollect.learning.token_usage import total_usage
from recollect.policy.guard import verdicts
from recollect.policy.visibility import VisibilityPolicy
from recollect.settings import Settings
from recollect.settings.wiring import file_of
from recollect.workspace.disk import upgrade_copies

_SYMBOLS = {"ok": "✓", "note": "!", "broken": "✗"}
_ADVICE = {
    "schema": "update recollect: pip install --upgrade recollect",
    "file opens": "check the path and its permissions, or restore a backup",
    "file is a recollect store": "choose another file with --store or RECOLLECT_STORE, or restore a backup",
    "file holds a store": "restore a backup, or start with an empty memory on purpose, as above",
    "file is sound": "keep a copy of the file, then restore a backup",
    "jobs": "see 'recollect log'",
    "server answers": "start the server, or set RECOLLECT_STORE",
    "extension vector": "then run 'recollect doctor' again",
    "locks": "find out whose they are, and end them",
}

_ONLINE = "'recollect doctor --online' makes one or two tiny calls to it"
_EMBEDDER_ADVICE = "set RECOLLECT_EMBEDDER; null searches by words only"
_RERANKER_ADVICE = "set RECOLLECT_RERANK; off keeps the order of search"
_MODEL_ADVICE = "check key, name and address of the model; RECOLLECT_MODEL=local works without"
_OFFLINE = ("local", "null")
CALL_TIMEOUT_SECONDS = 30.0
_TEST_SENTENCE = "I live in Lisbon and I have two cats."


@dataclass(frozen=True, slots=True)
class Finding:
    """One result; a note is worth knowing but breaks nothing."""

    check: str
    state: Literal["ok", "note", "broken"]
    detail: str = ""
    advice: str = ""

    @property
    def text(self) -> str:
        line = f"{_SYMBOLS[self.state]} {self.check}" + (f": {self.detail}" if self.detail else "")
        return f"{line}\n    → {self.advice}" if self.advice else line


def report(call: Invocation, findings: Sequence[Finding]) -> None:
    """Show the findings; exits with an error if something is broken."""
    broken = any(finding.state == "broken" for finding in findings)
    if call.options.json:
        call.screen.data({"ok": not broken, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            call.screen.say(finding.text)
    if broken:
        raise typer.Exit(FAILED)


def examine(call: Invocation, *, online: bool = False) -> list[Finding]:
    """All findings; with `online`, remote models and embedders get one or two tiny calls each."""
    try:
        loaded = call.load()
    except ConfigError as error:
        return [Finding("settings", "broken", "; ".join(str(error).splitlines()), "correct the value, or take it out")]
    settings = loaded.settings
    return [
        Finding("settings", "ok", f"profile {settings.profile}"),
        *_audience(settings),
        *(Finding("settings", "note", warning) for warning in loaded.warnings if warning not in loaded.missing_keys),
        _data_dir(settings.data_dir),
        *_store(settings.store),
        *_embedders(settings, online),
        *_reranker(settings),
        *_models(settings, loaded.missing_keys, online),
    ]


def _audience(settings: Settings) -> Iterator[Finding]:
    """Where remembered statements may be recalled, if that is more than the place where they were said."""
    if settings.visibility == VisibilityPolicy.USER_GLOBAL:
        detail = "each person has one memory for all places: what is remembered in a DM is recalled wherever they speak"
        yield Finding("settings", "note", detail, "visibility: by_audience keeps it where it was said")


def _data_dir(folder: Path) -> Finding:
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return Finding(
            "data folder",
            "broken",
            f"{existing} cannot be written",
            "change its permissions, or set RECOLLECT_DATA_DIR",
        )
    return Finding(
        "data folder", "ok", str(folder) if folder.exists() else f"{folder} will be created with the first memory"
    )


def _store(spec: str) -> Iterator[Finding]:
    path = file_of(spec)
    try:
        examine_store: Callable[[str], list[ports.HealthCheck]] = getattr(
            plugins.find("stores", spec), "examine", lambda _: []
        )
        checks = examine_store(spec)
    except RecollectError as error:
        yield Finding("store", "broken", str(error), "set RECOLLECT_STORE, or use --store")
        return
    if [check.check for check in checks] == ["file exists"]:
        advice = "the first memory creates it: recollect remember I like tea"
        yield Finding("store", "note", f"{path} is not there yet", advice)
        return
    for check in checks:
        if check.check == "learning paused":
            yield Finding(check.check, "note", check.detail, "extraction.daily_tokens is the budget of a day")
            continue
        advice = "" if check.ok or check.can_rebuild else _ADVICE.get(check.check, "restore a backup")
        yield Finding(f"store, {check.check}", "ok" if check.ok else "broken", check.detail, advice)
    for copy in upgrade_copies(path) if path is not None else ():
        detail = f"{copy} holds what the store held before an upgrade, also what was erased since"
        yield Finding(
            "store, earlier copy", "note", detail, f"when all is well, delete it: rm {shlex.quote(str(copy))}"
        )


def _embedders(settings: Settings, online: bool) -> Iterator[Finding]:
    if settings.embedder == "null":
        yield Finding("embedder", "ok", "null: searching by words only")
        return
    try:
        chain = [embedder for embedder in make_embedders(settings) if embedder.name != "null"]
    except RecollectError as error:
        yield Finding("embedder", "broken", f"{settings.embedder}: {error}", _EMBEDDER_ADVICE)
        return
    if not chain:
        detail = f"{settings.embedder} is not installed: searching by words only"
        yield Finding("embedder", "note", detail, _missing_embedder_advice(settings))
    for embedder in chain:
        yield asyncio.run(_try_embedder(embedder, online))


def _missing_embedder_advice(settings: Settings) -> str:
    try:
        make_embedder(settings.embedder.partition(",")[0].strip(), settings)
    except MissingExtra as error:
        return f"pip install 'recollect[{error.extra}]', or set RECOLLECT_EMBEDDER=null"
    return _EMBEDDER_ADVICE


async def _try_embedder(embedder: ports.Embedder, online: bool) -> Finding:
    try:
        if not (embedder.local or online):
            return Finding("embedder", "note", f"{embedder.name} was not tried", _ONLINE)
        async with asyncio.timeout(CALL_TIMEOUT_SECONDS):
            await embedder.embed(["hello"])
    except (RecollectError, TimeoutError) as error:
        return Finding("embedder", "broken", f"{embedder.name}: {_reason(error)}", _EMBEDDER_ADVICE)
    finally:
        await embedder.close()
    if embedder.local:
        return Finding("embedder", "ok", embedder.name)
    price = price_of(embedder.name, 1, 0)
    return Finding(
        "embedder",
        "ok",
        f"{embedder.name} answered: one word embedded{'' if price is None else f', {_dollars(price)}'}",
    )


def _reranker(settings: Settings) -> Iterator[Finding]:
    try:
        reranker = load_reranker(settings)
        if reranker is None:
            return
        logits = asyncio.run(_rate_one(reranker))
    except MissingExtra as error:
        detail = f"{settings.rerank} is not installed: results keep their order"
        yield Finding("reranker", "note", detail, f"pip install 'recollect[{error.extra}]'")
    except (RecollectError, TimeoutError) as error:
        yield Finding("reranker", "broken", _reason(error), _RERANKER_ADVICE)
    else:
        yield Finding("reranker", "ok", f"{reranker.name} rated {len(logits)} text")


async def _rate_one(reranker: Reranker) -> list[float]:
    try:
        async with asyncio.timeout(CALL_TIMEOUT_SECONDS):
            return await reranker.score("Who is there?", ["It's me"])
    finally:
        await reranker.close()


def _models(settings: Settings, missing_keys: Sequence[str], online: bool) -> Iterator[Finding]:
    for warning in missing_keys:
        yield Finding("key", "broken", warning, "set it, or choose what works offline: RECOLLECT_MODEL=local")
    if missing_keys:
        return
    roles: dict[tuple[str, str], list[str]] = {}
    for role, spec, base_url in (
        ("model", settings.model, settings.model_base_url),
        ("extraction.model", settings.extraction.model, settings.extraction.base_url),
        ("summary.model", settings.summary.model, settings.summary.base_url),
    ):
        roles.setdefault((spec, base_url), []).append(role)
    for (spec, base_url), names in roles.items():
        check = "model" if len(roles) == 1 else ", ".join(names)
        try:
            model = make_model(spec, base_url)  # opens and contacts nothing
        except RecollectError as error:
            advice = "name one as provider:model, or use RECOLLECT_MODEL=local"
            yield Finding("model", "broken", f"{', '.join(names)}: {error}", advice)
        else:
            is_learner = settings.extraction.enabled and "extraction.model" in names
            yield asyncio.run(_try_model(model, spec, check, online, is_learner))


async def _try_model(model: ports.Model, spec: str, check: str, online: bool, is_learner: bool) -> Finding:
    """Let a local model, or with `online` any, summarize one word, and the extraction model learn from a sentence."""
    is_ours = model.name in _OFFLINE
    try:
        if is_ours and spec not in _OFFLINE:
            advice = "pip install 'recollect[llm]'"
            return Finding(check, "broken", f"{spec} is not installed: {model.name} is used instead", advice)
        if not (is_ours or online):
            return Finding(check, "note", f"{spec} was not tried", _ONLINE)
        async with asyncio.timeout(CALL_TIMEOUT_SECONDS):
            usage = (await model.summarize(None, "[Ann]: hello", 40)).usage
        if is_learner and not is_ours:
            learns, extraction_usage = await _learns(model)
            usage = total_usage(usage, extraction_usage)
            if not learns:
                doubt = f"{spec} answers, but learns nothing from a plain sentence: {app.FALLBACK_MODEL} does instead"
                advice = "name a larger model with RECOLLECT_EXTRACTION_MODEL"
                return Finding(check, "note", f"{doubt} ({_cost(spec, usage)})", advice)
    except (RecollectError, TimeoutError) as error:
        return Finding(check, "broken", f"{spec}: {_reason(error)}", _MODEL_ADVICE)
    finally:
        await model.close()
    if is_ours:
        languages = f"; reads {', '.join(model.languages)}" if isinstance(model, ports.KnowsLanguages) else ""
        return Finding(check, "ok", f"{spec}: works offline, at lower quality{languages}" if spec == "local" else spec)
    return Finding(check, "ok", f"{spec} answered: {_cost(spec, usage)}")


async def _learns(model: ports.Model) -> tuple[bool, ports.Usage]:
    """Whether a model learns what a plain sentence says, and what it took to ask."""
    message = Message("1", "ann", Place(dm="ann"), _TEST_SENTENCE, now(), name="Ann")
    async with asyncio.timeout(CALL_TIMEOUT_SECONDS):
        result = await model.extract(ports.ExtractionInput([message], max_proposals=2))
    checked = (verdicts.check(proposal, [message], []) for proposal in result.proposals)
    return any(isinstance(verdict, verdicts.Accepted) for verdict in checked), result.usage


def _cost(spec: str, usage: ports.Usage) -> str:
    """`95 tokens in, 4 out, about $0.00012`; without a price if the model's is not known."""
    counts = f"{usage.input:,} tokens in, {usage.output:,} out"
    price = price_of(spec, usage.input, usage.output)
    return counts if price is None else f"{counts}, {_dollars(price)}"


def _dollars(price: float) -> str:
    return "less than $0.00001" if 0 < price < 0.00001 else f"about ${price:.5f}"


def _reason(error: Exception) -> str:
    return str(error) or f"no answer within {CALL_TIMEOUT_SECONDS:.0f} s"
