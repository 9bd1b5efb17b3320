"""Rules about who can read a channel, against everyone there could be."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.policy.readers import Clause, between, includes, rule_of

ROLES, MEMBERS = ("1", "2", "3"), ("7", "8", "9")
PEOPLE = [
    (frozenset(roles), member)
    for count in range(len(ROLES) + 1)
    for roles in itertools.combinations(ROLES, count)
    for member in MEMBERS
]
"""Everyone there could be: each member with each set of roles."""


def passes(clause: Clause, roles: frozenset[str], member: str) -> bool:
    """As Discord counts it: the base, then roles that are denied, then allowed, then the member."""
    may = clause.everyone or bool(roles & clause.base)
    may = may and not roles & clause.denied
    may = may or bool(roles & clause.allowed)
    may = may and member not in clause.members_denied
    return may or member in clause.members_allowed


def people_of(*clauses: Clause) -> set[tuple[frozenset[str], str]]:
    return {person for person in PEOPLE if all(passes(clause, *person) for clause in clauses)}


IDS = st.frozensets(st.sampled_from(ROLES))
SOME_MEMBERS = st.frozensets(st.sampled_from(MEMBERS[:2]))  # one is never named: they stand for everybody else
CLAUSES = st.builds(Clause, st.booleans(), IDS, IDS, IDS, SOME_MEMBERS, SOME_MEMBERS)


@settings(max_examples=2000, deadline=None)
@given(CLAUSES, CLAUSES)
def test_a_rule_includes_another_exactly_if_everyone_who_passes_it_passes_the_other(one: Clause, other: Clause):
    wide, narrow = rule_of([one]), rule_of([other])
    assert includes(wide, narrow) == (people_of(other) <= people_of(one))
    assert (wide == narrow) == (people_of(one) == people_of(other)), "equal rules are equal people"


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(st.lists(CLAUSES, min_size=1, max_size=3), st.lists(CLAUSES, min_size=1, max_size=3))
def test_a_rule_of_several_permissions_never_includes_too_much(some: list[Clause], others: list[Clause]):
    if includes(rule_of(some), rule_of(others)):
        assert people_of(*others) <= people_of(*some)
    assert includes(rule_of(some[:1]), rule_of(some))


def test_who_may_read_along_counts_for_what_is_told_and_who_surely_reads_for_what_was_said():
    members_without_history = between("*,-5", "")
    assert members_without_history == "*,-5<"
    assert not includes("*,-5", members_without_history), "role 5 would read along"
    assert includes(members_without_history, "*,-5")
    assert not includes(members_without_history, members_without_history), "they need not have been there"
    assert between("*,-5", "*,-5") == "*,-5"
    assert not includes("of a later edition", "*")
    assert includes("*,-5", "none")
