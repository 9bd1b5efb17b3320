"""Parts that not every machine has. Where one is missing, its tests are skipped with a reason; in CI (`CI` is set) they
fail, so that nobody takes a suite for passed that did not run.
"""

import importlib
import os
from typing import Any, NoReturn

import pytest


def missing(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; in CI this has to be there", pytrace=False)
    pytest.skip(reason)


def module(name: str, reason: str) -> Any:
    """An optional module, or else a skipped test."""
    try:
        return importlib.import_module(name)
    except ImportError:
        missing(reason)
