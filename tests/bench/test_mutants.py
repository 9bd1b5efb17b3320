"""The mutants that `make mutants` tries: what they change, which tests are near, and what is known to be the same."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.called import FILE
from bench.mutants import PACKAGE, ROOT, function_lines, mutants_of, nearest_tests, reviewed, sample

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


def test_a_line_belongs_to_its_outermost_function_with_decorators_or_to_the_module():
    assert function_lines(SOURCE, 11) == (6, 13)
    assert function_lines(SOURCE, 3) == (1, len(SOURCE.splitlines()))


@pytest.mark.slow
def test_the_recorder_lists_functions_called_by_a_test(tmp_path: Path):
    notes, test = tmp_path / "called.jsonl", "tests/policy/test_budget.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "bench.called", "-n", "0", test]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | {FILE: str(notes)}
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    lines = list(map(json.loads, notes.read_text("utf-8").splitlines()))
    assert all(line["passed"] and line["id"].startswith(f"{test}::") for line in lines)
    assert any(name.startswith("policy/budget.py:") for line in lines for name in line["called"])


def test_every_reviewed_mutant_exists_and_has_a_reason():
    known = {mutant.key for mutant in sample(10**9, seed=0)}
    assert [key for key, reason in reviewed().items() if not reason or key not in known] == []
