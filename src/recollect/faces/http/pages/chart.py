"""Geometry of the overview's chart: changes per day as stacked bars, drawn by the template."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.admin.overview import Day

HEIGHT = 100.0
WIDTH = 10.0
"""Width of one day in units of the SVG, which is stretched to the available width."""
_BAR_WIDTH = 6.0
_STEPS = (1, 2, 3, 4, 5, 6, 8)


@dataclass(frozen=True, slots=True)
class Bar:
    sort: str
    x: float
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Chart:
    bars: Sequence[Bar]
    width: float
    top: int
    """The value at the top of the scale."""
    lines: Sequence[tuple[int, float]]
    """Values of the grid lines, each with its y."""


def draw(days: Sequence[Day]) -> Chart:
    top = _round_up(max((day.learned + day.revised + day.refused for day in days), default=0))
    bars = [bar for index, day in enumerate(days) for bar in _stack(day, index, top)]
    values = (0, top // 2, top) if top % 2 == 0 else (0, top)
    return Chart(bars, WIDTH * len(days), top, [(value, _y(value, top)) for value in values])


def _stack(day: Day, index: int, top: int) -> list[Bar]:
    bars: list[Bar] = []
    base = 0
    for sort, count in (("learned", day.learned), ("revised", day.revised), ("refused", day.refused)):
        if count:
            x = index * WIDTH + (WIDTH - _BAR_WIDTH) / 2
            bars.append(Bar(sort, x, _y(base + count, top), HEIGHT * count / top))
            base += count
    return bars


def _y(value: int, top: int) -> float:
    return round(HEIGHT * (1 - value / top), 2)


def _round_up(highest: int) -> int:
    """The smallest of 2, 4, 6, 8, 10, 12, 16, 20, 40, 60 … that is at least `highest`."""
    size = 1
    while True:
        for step in _STEPS:
            if 2 * step * size >= highest:
                return 2 * step * size
        size *= 10
