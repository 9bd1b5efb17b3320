"""Whether the store takes what is written: known from writes that failed, and tried again until it does."""

from collections.abc import Callable
from time import monotonic

from recollect.app import WriteMonitor
from recollect.core.errors import RecollectError, StoreUnwritable
from recollect.core.ports import Tx

PAUSE = 5.0
"""Seconds between two tries."""
_NAME = "web.ready"
_LINES, _LINE = 100, 400
"""About as much as a few memos, so that the last free page does not count as space."""


class WriteHealth:
    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._told: str | None = None
        self._tried: float | None = None

    def failed(self, error: StoreUnwritable) -> None:
        """Something could not be written: no space, or no right to."""
        self._told, self._tried = str(error), None

    async def problem(self, monitor: WriteMonitor) -> str | None:
        """Why nothing can be written, as far as is known. As long as all goes well, nothing is tried."""
        refusal = monitor.refused()
        if refusal is not None and self._told is None:
            self.failed(refusal)
        if self._told is not None and (self._tried is None or self._clock() - self._tried >= PAUSE):
            self._tried = self._clock()
            try:
                await monitor.write(_try)
            except RecollectError as error:
                self._told = str(error)
            else:
                self._told = None
        return self._told


def _try(tx: Tx) -> None:
    """Write something, and take it away again at once."""
    for number in range(_LINES):
        tx.state.append(_NAME, f"{number} {'.' * _LINE}")
    tx.state.clear(_NAME)
