"""The extractor's English: expressions and rules, in `english.toml`."""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from recollect.language import lexicon
from recollect.language.lexicon import Patterns, read_tables


@cache
def grammar() -> dict[str, Any]:
    return read_tables(Path(__file__).with_name("english.toml"))


@cache
def _expressions(section: str) -> dict[str, str]:
    lists = {"nationality": "nationalities", "faith": "faiths"}
    alternatives = {name: "|".join(sorted(lexicon.words(words, lexicon.ENGLISH))) for name, words in lists.items()}
    return alternatives | grammar()["fragments"] | grammar()[section]


def expressions(section: str) -> Patterns:
    """The expressions of a section, compiled on first use; case is ignored."""
    return Patterns(re.IGNORECASE, partial(_expressions, section))
