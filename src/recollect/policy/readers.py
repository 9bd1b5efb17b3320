"""Who of a guild can read a channel, as a rule over roles and members in normal form: equal rules are equal people.

A rule is text, so that it can be stored with what was said. It has clauses, joined by `&`, that all have to hold; no
clause means everyone. A clause lists who passes: `*` everyone, `~5` those with role 5, unless a role is denied (`-5`);
then those whose role is allowed (`+5`); at last members by id (`-@7`, `+@7`). `none` is nobody.

Which member has which role changes and may be unknown, so one rule includes another only if that holds for every
assignment of roles. Where more people may be reading than can certainly read everything, as when the history is hidden,
both rules are given: `sure<possible`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

EVERYONE = ""
NOBODY = "none"
_NO_IDS: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Clause:
    """Who has one permission in a channel. `normal` makes clauses for the same people equal."""

    everyone: bool = False
    base: frozenset[str] = _NO_IDS
    """Roles that have it unless another role is denied it."""
    allowed: frozenset[str] = _NO_IDS
    denied: frozenset[str] = _NO_IDS
    members_allowed: frozenset[str] = _NO_IDS
    members_denied: frozenset[str] = _NO_IDS

    def normal(self) -> "Clause":
        everyone, denied = self.everyone, self.denied - self.allowed
        base = _NO_IDS if everyone else self.base - self.allowed - denied
        allowed = self.allowed
        if not everyone and not base:
            denied = _NO_IDS  # nobody is left to deny it to
        if not denied:
            base, allowed = _NO_IDS, _NO_IDS if everyone else allowed | base
        members_allowed = self.members_allowed
        members_denied = self.members_denied - members_allowed
        if everyone and not denied:
            members_allowed = _NO_IDS
        if not everyone and not base and not allowed:
            members_denied = _NO_IDS
        return Clause(everyone, base, allowed, denied, members_allowed, members_denied)

    @property
    def is_everyone(self) -> bool:
        return self.everyone and not self.denied and not self.members_denied

    def includes(self, other: "Clause") -> bool:
        """Whether whoever passes the other clause passes this one; both are normal."""
        all_roles_pass = self.everyone and not self.denied
        for member in other.members_allowed:
            if member not in self.members_allowed and not (all_roles_pass and member not in self.members_denied):
                return False
        other_has_roles = other.everyone or bool(other.base) or bool(other.allowed)
        # Someone denied by name may still have any role of the other clause.
        if other_has_roles and not self.members_denied <= other.members_denied | other.members_allowed:
            return False
        return self._includes_roles(other)

    def _includes_roles(self, other: "Clause") -> bool:
        def passes(role: str, rivals: frozenset[str]) -> bool:
            """Whether people with a role pass, though they may have these denied roles too."""
            # Discord applies all denials of roles first, then all allowances: an allowance wins.
            return role in self.allowed or (not rivals and (self.everyone or role in self.base))

        if not all(passes(role, self.denied) for role in other.allowed):
            return False
        unshared = self.denied - other.denied
        if other.everyone:
            return self.everyone and not unshared
        return all(passes(role, unshared) for role in other.base)

    def __str__(self) -> str:
        signs = {"~": self.base, "+": self.allowed, "-": self.denied}
        signs |= {"+@": self.members_allowed, "-@": self.members_denied}
        parts = [f"{sign}{name}" for sign, names in signs.items() for name in sorted(names)]
        return ",".join((["*"] if self.everyone else []) + parts) or NOBODY


def rule_of(clauses: Iterable[Clause]) -> str:
    """The people who pass all clauses."""
    normal = {clause.normal() for clause in clauses}
    narrow = [
        clause
        for clause in normal
        if not clause.is_everyone and not any(clause.includes(other) for other in normal if other != clause)
    ]
    return "&".join(sorted(map(str, narrow)))


def is_sure(readers: str) -> bool:
    return "<" not in readers


def between(sure: str, possible: str) -> str:
    """The readers of a channel, of whom only those of the first rule are known to read everything."""
    return sure if includes(sure, possible) else f"{sure}<{possible}"


def both(first: str, second: str) -> str:
    """The readers by both rules."""
    sure, possible = (
        rule_of([*_parse(rule), *_parse(other)])
        for rule, other in (
            (first.partition("<")[0], second.partition("<")[0]),
            (first.rpartition("<")[2], second.rpartition("<")[2]),
        )
    )
    return between(sure, possible)


@lru_cache(maxsize=4096)
def includes(wide: str, narrow: str) -> bool:
    """Whether everyone in `narrow` is known to be in `wide`; False when that is undecided. Who is not sure to read
    everything in one channel need not have been there when it was said, though the rule of another channel is equal.
    """
    if wide == narrow and is_sure(wide):
        return True
    others = _parse(narrow.rpartition("<")[2])
    return all(any(clause.includes(other) for other in others) for clause in _parse(wide.partition("<")[0]))


def _parse(rule: str) -> list[Clause]:
    return [Clause(everyone=True)] if rule == EVERYONE else [_parse_clause(text) for text in rule.split("&")]


def _parse_clause(text: str) -> Clause:
    ids: dict[str, set[str]] = {"~": set(), "+": set(), "-": set(), "+@": set(), "-@": set()}
    parts = set(text.split(","))
    for part in parts - {"*", NOBODY}:
        sign = part[:2] if part[1:2] == "@" else part[:1]
        if sign not in ids:
            return Clause()  # of another edition: nobody is known to pass it
        ids[sign].add(part[len(sign) :])
    return Clause("*" in parts, *map(frozenset, ids.values()))
