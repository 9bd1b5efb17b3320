"""Whether the store accepts writes: after a failed write it is probed until one succeeds."""

from collections.abc import Callable
from time import monotonic

from recollect.app import WriteMonitor
from recollect.core.errors import RecollectError, StoreUnwritable
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind

PROBE_INTERVAL_SECONDS = 5.0
"""Between two probes."""
PROBE_LINES, PROBE_LINE_CHARS = 100, 400
"""About as much as a few memos, so that the last free page of a disk does not count as space."""


class WriteHealth:
    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._problem: str | None = None
        self._probed_at: float | None = None

    def record_failure(self, error: StoreUnwritable) -> None:
        """A write failed for lack of space or permission."""
        self._problem, self._probed_at = str(error), None

    async def problem(self, monitor: WriteMonitor) -> str | None:
        """Why nothing can be written, if so. As long as no write fails, nothing is probed."""
        refusal = monitor.refused()
        if refusal is not None and self._problem is None:
            self.record_failure(refusal)
        if self._problem is not None and (
            self._probed_at is None or self._clock() - self._probed_at >= PROBE_INTERVAL_SECONDS
        ):
            self._probed_at = self._clock()
            try:
                await monitor.write(_probe)
            except RecollectError as error:
                self._problem = str(error)
            else:
                self._problem = None
        return self._problem


def _probe(tx: Tx) -> None:
    """Write something and remove it again."""
    for index in range(PROBE_LINES):
        tx.state.append(StateKind.WRITE_PROBE, "", f"{index} {'.' * PROBE_LINE_CHARS}", Owner.nobody())
    tx.state.clear(StateKind.WRITE_PROBE)
