"""Packs rows of numbers into vectors as the port defines them: unit length, little-endian 32-bit floats.

A zero vector stays zero: it is similar to nothing, so its text is found by word search only.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recollect.core.ports import Vector
from recollect.core.text import OPENING_WORDS, clean

MAX_TEXT_CHARS = 20_000
"""Characters read of one text: more would not move the mean."""


class NotFinite(ValueError):
    """A row contains infinities or NaN, which some models return for a text that they can't handle."""


def pack_vectors(rows: Sequence[Any]) -> list[Vector]:
    """Each row at unit length. Raises NotFinite, or ValueError when the rows are not equally long rows of numbers."""
    matrix = np.asarray(rows, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError("rows without numbers")
    if not np.isfinite(matrix).all():
        raise NotFinite("numbers that are not finite")
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(norms > 0, norms, 1)
    return [row.tobytes() for row in matrix.astype("<f4")]


def zero_vector(dims: int) -> Vector:
    """The vector of a text that can't be embedded."""
    return bytes(4 * dims)


def to_unit_length(vector: Any) -> Any:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector


def with_opening(text: str, mean_vector: Callable[[str], Any]) -> Vector:
    """The vector of a text, of which a long one's opening is half: its mean would be blurred."""
    text = clean(text)[:MAX_TEXT_CHARS]
    opening = " ".join(text.split(" ", OPENING_WORDS)[:OPENING_WORDS])
    vector = mean_vector(text)
    if len(opening) < len(text):
        vector = to_unit_length(vector + mean_vector(opening))
    return vector.astype("<f4").tobytes()
