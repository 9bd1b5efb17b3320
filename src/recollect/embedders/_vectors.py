"""Rows of numbers to vectors as the ports want them: unit length, little-endian 32-bit floats.

A vector of zeros stays one: it is like nothing, so its text is found by words alone.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recollect.core.ports import Vector


class NotFinite(ValueError):
    """A row holds infinities or no numbers at all: what some models make of a text they can't take."""


def packed(rows: Sequence[Any]) -> list[Vector]:
    """Each row at unit length. Raises NotFinite, or ValueError when these are not rows of equally many numbers."""
    matrix = np.asarray(rows, np.float64)
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError("rows without numbers")
    if not np.isfinite(matrix).all():
        raise NotFinite("numbers that are not finite")
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(lengths > 0, lengths, 1)
    return [row.tobytes() for row in matrix.astype("<f4")]


def zeros(dims: int) -> Vector:
    return bytes(4 * dims)
