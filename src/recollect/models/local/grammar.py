"""The extractor's English: expressions and rules, in `english.toml` and the files beside it."""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from recollect.language import lexicon
from recollect.language.lexicon import Patterns, read_tables

_FILES = ("english", "work", "biography", "ellipses", "belongings")


@cache
def grammar() -> dict[str, Any]:
    """All files; where several have the same list of rules, those of `english.toml` come first."""
    merged: dict[str, Any] = {"fragments": {}, "rules": {}}
    for table in (read_tables(Path(__file__).with_name(f"{name}.toml")) for name in _FILES):
        for group, rules in table.pop("rules", {}).items():
            merged["rules"].setdefault(group, []).extend(rules)
        merged["fragments"] |= table.pop("fragments", {})
        merged |= table
    return merged


@cache
def _expressions(section: str) -> dict[str, str]:
    lists = {"nationality": "nationalities", "faith": "faiths", "opening_relatives": "opening_relatives"}
    alternatives = {name: "|".join(sorted(lexicon.words(words, lexicon.ENGLISH))) for name, words in lists.items()}
    return alternatives | grammar()["fragments"] | grammar()[section]


def expressions(section: str) -> Patterns:
    """The expressions of a section, compiled on first use; case is ignored."""
    return Patterns(re.IGNORECASE, partial(_expressions, section))
