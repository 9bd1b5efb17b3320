"""Logistic regression over the features of `policy/guard/learned`: full batches, Adam, from a fixed start."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from recollect.policy.guard.instructions import capitals_of, forms_of
from recollect.policy.guard.learned import features
from recollect.policy.guard.sorts import read

MIN_COUNT = 2
"""Occurrences without which a feature is not learned."""
MAX_FEATURES = 22_000
EPOCHS, RATE, DECAY = 120, 0.05, 0.003
THRESHOLD = 2.5
"""Above it a sentence counts as an order; chosen so that of first-person lines of real chats one in a thousand does."""
SCALE = 100
"""Weights are kept as whole hundredths."""
Floats = npt.NDArray[np.float64]


def features_of(text: str) -> list[list[str]]:
    """Those of each of its forms: accents are left out in one, as they often are in chats."""
    capitals = capitals_of(text)
    return [list(features(form, list(read(form, capitals=capitals)))) for form in forms_of(text)]


def train(orders: Sequence[list[str]], harmless: Sequence[list[str]]) -> dict[str, float]:
    """Weights by feature; that of the empty one is added to every sentence."""
    rows = [*orders, *harmless]
    counts = Counter(feature for row in rows for feature in set(row))
    known = sorted(feature for feature, count in counts.items() if count >= MIN_COUNT)
    is_order = np.repeat([1.0, 0.0], [len(orders), len(harmless)])
    weights = _fit(rows, known, is_order)
    if len(known) > MAX_FEATURES:  # the ones that decide most are fitted again, without the others
        ranked = sorted(known, key=lambda feature: abs(weights[feature]) * counts[feature] ** 0.5, reverse=True)
        known = sorted(ranked[:MAX_FEATURES])
        weights = _fit(rows, known, is_order)
    return weights


def _fit(rows: Sequence[list[str]], known: Sequence[str], is_order: Floats) -> dict[str, float]:
    numbers = {feature: number for number, feature in enumerate(known)}
    columns = [[numbers[feature] for feature in row if feature in numbers] for row in rows]
    sizes = np.array([len(each) for each in columns])
    column = np.concatenate([np.array(each, np.int64) for each in columns])
    row = np.repeat(np.arange(len(rows)), sizes)
    share = (1 / np.sqrt(np.maximum(sizes, 1)))[row]
    # The last one is the weight that every sentence has.
    weights, mean, square = np.zeros((3, len(known) + 1))
    for step in range(1, EPOCHS + 1):
        sums = np.bincount(row, weights[column] * share, len(rows)) + weights[-1]
        error = (1 / (1 + np.exp(-sums)) - is_order) / len(rows)
        slope = np.append(np.bincount(column, error[row] * share, len(known)), error.sum())
        slope[:-1] += DECAY / len(rows) * weights[:-1]
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        weights = weights - RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return dict(zip([*known, ""], weights.tolist(), strict=True))


def score(weights: dict[str, float], row: Sequence[str]) -> float:
    known = [weights[feature] for feature in row if feature in weights]
    return weights[""] + sum(known) / max(1, len(known)) ** 0.5
