"""The mutants that `make mutants` tries: what they change, which tests are near, and what is known to be the same."""

import ast
import operator
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bench.mutants import PACKAGE, ROOT, Mutant, Trial, mutants_of, nearest_tests, reviewed, sample
from bench.planting import QUESTION, Change, plant

SOURCE = '''
"""A module."""
LIMIT: int = 3


@cached(7)
def keeps(texts: list[str], strict: bool = True) -> bool:
    """Not 1 < 2."""
    log.info("seen %d", 5)
    texts.sort()
    if len(texts) < LIMIT and not strict:
        return any(zip(texts, texts, strict=False))
    return LIMIT + 1 > 4 if strict else False
'''


def test_a_mutant_changes_what_runs_and_nothing_else():
    found = {(mutant.old, mutant.new) for mutant in mutants_of("policy/x.py", SOURCE)}
    assert ("len(texts) < LIMIT", "(len(texts) <= LIMIT)") in found
    assert ("not strict", "(strict)") in found
    assert ("any", "all") in found
    assert ("3", "4") in found
    assert ("LIMIT + 1", "(LIMIT - 1)") in found
    assert ("texts.sort()", "None") in found
    assert [mutant.old for mutant in mutants_of("policy/x.py", SOURCE)].count("False") == 1, "that of zip is no mutant"
    assert not {old for old, _ in found} & {"7", "5", '"""A module."""', "1 < 2"}


@pytest.mark.slow
def test_every_mutant_of_a_sample_is_a_module_again_and_the_same_next_time():
    chosen = sample(40, seed=3)
    assert chosen == sample(40, seed=3) != sample(40, seed=4)
    for mutant in chosen:
        source = (PACKAGE / mutant.module).read_bytes()
        changed = source[: mutant.start] + mutant.new.encode() + source[mutant.end :]
        assert source[mutant.start : mutant.end].decode() == mutant.old
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant


def test_the_nearest_tests_of_a_module_are_its_own_and_those_that_import_it():
    near, far = nearest_tests("policy/merge.py")
    assert "tests/policy/test_merge.py" in near
    assert "tests/policy/test_budget.py" in far
    assert not set(near) & set(far)
    assert all((ROOT / test).is_file() for test in (*near, *far))


def test_every_mutant_is_planted_and_one_at_a_time_is_in_effect():
    source = "def f(x, y):\n    if x and not y:\n        y.append(1)\n    return x + 1"
    mutants = list(mutants_of("policy/x.py", source))
    changes = [Change(number, each.start, each.end, each.new) for number, each in enumerate(mutants)]
    code = compile(plant(source, changes), "x.py", "exec")
    for number in (-1, *range(len(mutants))):
        planted: dict[str, Any] = {QUESTION: partial(operator.eq, number)}
        written: dict[str, Any] = {}
        exec(code, planted)
        exec(source if number < 0 else _changed(source, mutants[number]), written)
        for x, y in ((0, [1]), (2, []), (3, [1])):
            here, there = list[int](y), list[int](y)
            assert (planted["f"](x, here), here) == (written["f"](x, there), there), number


def _changed(source: str, mutant: Mutant) -> str:
    encoded = source.encode()
    return (encoded[: mutant.start] + mutant.new.encode() + encoded[mutant.end :]).decode()


@pytest.mark.slow
def test_every_mutant_of_the_package_can_be_planted():
    everything = sample(10**9, seed=0)
    for module in {mutant.module for mutant in everything}:
        mine = [mutant for mutant in everything if mutant.module == module]
        changes = [Change(number, each.start, each.end, each.new) for number, each in enumerate(mine)]
        compile(plant((PACKAGE / module).read_text("utf-8"), changes), module, "exec", dont_inherit=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_trial_says_which_test_notices_a_mutant_and_what_no_test_reaches(tmp_path: Path):
    fits = next(
        each for each in sample(10**9, seed=0) if each.key.endswith("chars <= self.chars -> (chars < self.chars)")
    )
    elsewhere = next(each for each in sample(10**9, seed=0) if each.module == "learning/undo.py")
    trial = Trial([fits, elsewhere], tmp_path)
    trial.run(["tests/policy/test_budget.py"], 1, time.monotonic() + 500)
    assert {*trial.noticed()} == trial.reached() == {0}
    assert trial.noticed()[0].startswith("tests/policy/test_budget.py::")


def test_every_reviewed_mutant_exists_and_has_a_reason():
    known = {mutant.key for mutant in sample(10**9, seed=0)}
    assert [key for key, reason in reviewed().items() if not reason or key not in known] == []
