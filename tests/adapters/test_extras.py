"""Without its framework, an adapter says which extra to install."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
sys.modules[{library!r}] = None
from recollect.core.errors import MissingExtra
try:
    import recollect.adapters.{adapter}
except MissingExtra as error:
    print(error)
"""


@pytest.mark.parametrize(("adapter", "extra"), [("pydantic_ai", "llm"), ("langgraph", "langgraph")])
def test_a_framework_that_is_not_installed_is_named_with_its_extra(adapter: str, extra: str):
    program = PROGRAM.format(library=adapter, adapter=adapter)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert f"pip install 'recollect[{extra}]'" in done.stdout
