"""The extractor's English: expressions and rules, in `english.toml`, and what is said of work in `work.toml`."""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

from recollect.language import lexicon
from recollect.language.lexicon import Patterns, read_tables


@cache
def grammar() -> dict[str, Any]:
    """Both files; where they have the same list of rules, those of `work.toml` come last."""
    english, work = (read_tables(Path(__file__).with_name(name)) for name in ("english.toml", "work.toml"))
    for group, rules in work.pop("rules").items():
        english["rules"][group] += rules
    return english | work | {"fragments": english["fragments"] | work["fragments"]}


@cache
def _expressions(section: str) -> dict[str, str]:
    lists = {"nationality": "nationalities", "faith": "faiths"}
    alternatives = {name: "|".join(sorted(lexicon.words(words, lexicon.ENGLISH))) for name, words in lists.items()}
    return alternatives | grammar()["fragments"] | grammar()[section]


def expressions(section: str) -> Patterns:
    """The expressions of a section, compiled on first use; case is ignored."""
    return Patterns(re.IGNORECASE, partial(_expressions, section))
