"""What is computed when it is first needed."""

import importlib
import pkgutil
import re

import pytest

from recollect.core.lazy import lazy_pattern
from recollect.policy import redaction

LAZY = type(lazy_pattern(""))
SEARCHES = [module.name for module in pkgutil.iter_modules(redaction.__path__, f"{redaction.__name__}.")]


def test_a_lazy_pattern_matches_like_a_compiled_one():
    lazy, compiled = lazy_pattern("T(E)A", re.IGNORECASE), re.compile("T(E)A", re.IGNORECASE)
    text = "tea, Tea and coffee"
    assert lazy.pattern == compiled.pattern
    assert [match.span(1) for match in lazy.finditer(text)] == [match.span(1) for match in compiled.finditer(text)]
    assert lazy.sub("milk", text) == "milk, milk and coffee"
    assert lazy.groups == compiled.groups
    assert lazy.fullmatch(text) is None


def test_a_lazy_pattern_is_compiled_on_first_use():
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.search("tea")


@pytest.mark.parametrize("name", SEARCHES)
def test_every_pattern_of_a_search_for_secrets_can_be_compiled(name: str):
    for value in vars(importlib.import_module(name)).values():
        for pattern in value if isinstance(value, tuple | list) else [value]:
            if isinstance(pattern, LAZY):
                re.compile(pattern.pattern)
