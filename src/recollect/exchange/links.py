"""Links in a folder that is imported: what they lead to lies elsewhere and is not read, which is told."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from recollect.exchange.base import Problem

MOST = 20
"""Links that are told of."""


def links(path: Path) -> Iterator[Problem]:
    """The links in a folder and in the folders that lie in it."""
    for name in islice(_names(path), MOST):
        yield Problem(name, "it is a link, and what lies elsewhere is not read", broken=False)


def _names(path: Path) -> Iterator[str]:
    for name, is_link in _within(path):
        if is_link:
            yield name
        else:
            yield from (f"{name}/{inner}" for inner, inner_is_link in _within(path / name) if inner_is_link)


def _within(folder: Path) -> list[tuple[str, bool]]:
    """What a folder holds, and whether it is a link; nothing of what is no folder."""
    try:
        with os.scandir(folder) as found:
            return sorted((one.name, one.is_symlink()) for one in found)
    except OSError:
        return []
