"""How the background work goes: problems by their cause, and what each model costs and how fast it answers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median

from recollect.admin.base import AdminBase
from recollect.admin.log import LogEntry, describe_events, describe_queue
from recollect.admin.names import Names
from recollect.admin.overview import PROBLEM_KINDS, model_calls
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.recall import sent_prompts
from recollect.recall.sent_prompts import SentPrompt

PERIOD = timedelta(days=1)
_MAX_PROBLEMS = 300


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """Problems with the same cause."""

    count: int
    last: LogEntry
    """The newest of them."""
    messages: tuple[str, ...]
    """References of messages that they concern, newest first."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The calls of one model within a day."""

    model: str
    calls: int
    input: int
    output: int
    typical_seconds: float | None
    """Median time of a request; None where it is not known."""
    longest_seconds: float | None
    dollars: float | None
    """Approximate cost; None where the model's price is not known."""


class OperationsAdmin(AdminBase):
    async def sent_prompts(self, limit: int = 200) -> list[SentPrompt]:
        """The last requests to the chat model, newest first, where `keep_prompts` asks for them."""
        return await self._read(lambda tx: sent_prompts.newest(tx, limit))

    async def sent_prompt(self, prompt_id: str) -> SentPrompt | None:
        """One of these requests; None if it is no longer stored."""
        return await self._read(lambda tx: sent_prompts.read(tx, prompt_id))

    async def problems(self, limit: int = 10) -> list[ProblemGroup]:
        """Problems of the last days, grouped by kind and cause, newest first.

        An error after which the local model took over is listed once, as that fallback.
        """

        def work(tx: Tx) -> list[ProblemGroup]:
            groups: dict[tuple[str, str], list[Event]] = {}
            events = tx.events.list(kinds=PROBLEM_KINDS, limit=_MAX_PROBLEMS)
            degraded = {(event.scope, event.at) for event in events if event.kind == EventKind.EXTRACT_DEGRADED}
            for event in events:
                if event.kind != EventKind.EXTRACT_ERROR or (event.scope, event.at) not in degraded:
                    groups.setdefault((event.kind, event.text), []).append(event)
            shown = list(groups.values())[:limit]
            newest = describe_events(tx, [group[0] for group in shown])
            return [
                ProblemGroup(len(group), entry, tuple(dict.fromkeys(_messages(group)))[:3])
                for group, entry in zip(shown, newest, strict=True)
            ]

        return await self._read(work)

    async def queue_names(self, queues: Collection[str]) -> dict[str, str]:
        """Whom or what queues of jobs are about, by name where known."""

        def work(tx: Tx) -> dict[str, str]:
            names = Names(tx)
            return {queue: describe_queue(tx, queue, names) for queue in queues}

        return await self._read(work)

    async def model_use(self) -> list[ModelUse]:
        """Usage of each model within a day, the busiest first."""
        since = self._clock() - PERIOD

        def work(tx: Tx) -> list[ModelUse]:
            calls: dict[str, list[Event]] = {}
            for event in model_calls(tx, since):
                if event.data.get("requests") or event.data.get("input"):
                    calls.setdefault(str(event.data.get("model") or event.actor), []).append(event)
            return sorted((_use(model, events) for model, events in calls.items()), key=lambda use: -use.calls)

        return await self._read(work)


def _messages(events: Sequence[Event]) -> list[str]:
    """References of the messages that events are about."""
    references: list[str] = []
    for event in events:
        message, several = event.data.get("message"), event.data.get("messages")
        if isinstance(message, str) and message:
            references.append(message)
        elif isinstance(several, list):
            references += [str(reference) for reference in several]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - JSON
    return references


def _use(model: str, events: Sequence[Event]) -> ModelUse:
    read, written = (sum(int(event.data.get(name, 0)) for event in events) for name in ("input", "output"))
    timed = [event.data for event in events if event.data.get("seconds")]
    seconds = [float(data["seconds"]) / max(1, int(data.get("requests", 1))) for data in timed]
    return ModelUse(
        model,
        sum(int(event.data.get("requests", 1)) for event in events),
        read,
        written,
        median(seconds) if seconds else None,
        max(seconds) if seconds else None,
        _price(model, read, written),
    )


def _price(spec: str, read: int, written: int) -> float | None:
    provider, _, name = spec.partition(":")
    try:
        from genai_prices import Usage, calc_price

        price = calc_price(Usage(input_tokens=read, output_tokens=written), name, provider_id=provider)
    except (ImportError, LookupError, ValueError):
        return None
    return float(price.total_price)
