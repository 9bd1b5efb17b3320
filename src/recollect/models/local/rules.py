"""The rules, in `english.toml` and beside it: each names a builder of this folder, or has a template for the fact."""

import re
from functools import cache
from typing import Any

from recollect.core.types import Kind
from recollect.models.local import (
    about_mine,
    belongings,
    biography,
    events,
    habits,
    life,
    persona,
    presence,
    requests,
    setups,
    statements,
    tastes,
    work,
    workplace,
)
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions, grammar
from recollect.models.local.rule import LIKELY, SURE, Build, Finding, Reading, Rule, template

_MODULES = {
    "about_mine": about_mine, "belongings": belongings, "biography": biography, "events": events, "habits": habits,
    "life": life, "persona": persona, "presence": presence, "requests": requests, "setups": setups,
    "statements": statements, "tastes": tastes, "work": work, "workplace": workplace,
}  # fmt: skip


def first_finding(group: str, text: str, clause: Clause) -> Finding | None:
    """The finding of the first rule of a group that has one."""
    for rule in _rules(group):
        match = rule.pattern.match(text)
        finding = rule.build(Reading(match, clause, rule)) if match else None
        if finding is not None:
            return finding
    return None


@cache
def _rules(group: str) -> list[Rule]:
    return [_rule(entry) for entry in grammar()["rules"][group]]


def _rule(entry: dict[str, Any]) -> Rule:
    return Rule(
        re.compile(expressions("fragments").expand(entry["when"]), re.IGNORECASE),
        _builder(entry["build"]) if "build" in entry else template,
        entry.get("fact", "{}"),
        Kind(entry.get("kind", "fact")),
        LIKELY if entry.get("likely") else SURE,
    )


def _builder(name: str) -> Build:
    module, _, function = name.partition(".")
    return getattr(_MODULES[module], function)
