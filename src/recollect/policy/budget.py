"""Lines that fit limits of characters, tokens and items; the tightest limit wins."""

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.core.ports.layer import Overflow

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one section; None means no limit."""

    chars: int | None = None
    tokens: int | None = None
    items: int | None = None

    def allows(self, chars: int, items: int) -> bool:
        return (
            (self.chars is None or chars <= self.chars)
            and (self.tokens is None or tokens(chars) <= self.tokens)
            and (self.items is None or items <= self.items)
        )

    @property
    def characters(self) -> int | None:
        """The number of characters that all limits allow; None when unlimited."""
        limits = [self.chars, None if self.tokens is None else self.tokens * CHARS_PER_TOKEN]
        return min((limit for limit in limits if limit is not None), default=None)


@dataclass(frozen=True, slots=True)
class FitResult:
    """Indexes of the lines that fit, and the lines that say how many did not."""

    places: tuple[int, ...]
    notice: tuple[str, ...] = ()


def tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def size(lines: Sequence[str]) -> int:
    """Number of characters of lines joined by line breaks."""
    return sum(map(len, lines)) + max(0, len(lines) - 1)


def fit_lines(
    lines: Sequence[str], budget: Budget, overflow: Overflow = Overflow.SKIP, noun: str = "memories", omitted: int = 0
) -> FitResult:
    """Take lines in order while they fit. `overflow` says what happens at one that doesn't.

    The notice counts the skipped lines, plus those `omitted` before.
    """
    places = _take(lines, budget, stop=overflow == Overflow.STOP)
    skipped = len(lines) - len(places) + omitted
    if not skipped or overflow != Overflow.NOTICE:
        return FitResult(tuple(places))
    while True:  # the notice has to fit too
        notice = ("...", f"[truncated - {skipped} more {noun} available]")
        chosen = [lines[place] for place in places]
        if not places or budget.allows(size([*chosen, *notice]), len(places)):
            return FitResult(tuple(places), notice)
        places.pop()
        skipped += 1


def _take(lines: Sequence[str], budget: Budget, stop: bool) -> list[int]:
    places: list[int] = []
    used = 0
    for place, line in enumerate(lines):
        size_with_line = used + len(line) + (1 if places else 0)
        if budget.allows(size_with_line, len(places) + 1):
            places.append(place)
            used = size_with_line
        # Without `stop` a shorter line further down may still fit.
        elif stop:
            break
    return places
