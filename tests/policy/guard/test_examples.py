"""Each check of the guard accepts and refuses the examples beside it."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import recollect
from recollect.core.ports.model import Proposal
from recollect.core.types import Message, Place
from recollect.policy.guard import checks
from recollect.policy.guard.verdicts import Accepted, Refused, check

AT = datetime(2026, 11, 15, 12, tzinfo=UTC)
FOLDER = Path(checks.__file__).parent
NAMES = sorted({checks.name_of(module) for module in (*checks.FACT_CHECKS, *checks.QUOTE_CHECKS)})


def judged(said: str, fact: str, evidence: str = "", about: str | None = None) -> Accepted | Refused:
    message = Message("m1", "u1", Place(guild="g", channel="c"), said, AT, "Ann")
    return check(Proposal(fact, "fact", evidence or said, about=about), [message], [])


def examples(verdict: str) -> Iterator[tuple[str, list[str]]]:
    for name in NAMES:
        for example in tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))[verdict]:
            yield name, example


@pytest.mark.parametrize(("name", "example"), [*examples("accepted")])
def test_a_check_accepts_its_examples(name: str, example: list[str]):
    assert isinstance(judged(*example), Accepted), judged(*example)


@pytest.mark.parametrize(("name", "example"), [*examples("refused")])
def test_a_check_refuses_its_examples(name: str, example: list[str]):
    verdict = judged(*example)
    assert isinstance(verdict, Refused)
    assert verdict.check == name, verdict


def test_every_module_is_a_check():
    assert sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__") == NAMES


HAIKU = """
from recollect.core.reasons import Reason


def refuse(case):
    return Reason.NO_PROSE if "haiku" in case.fact else None
"""
JUDGE = """
from tests.policy.guard.test_examples import judged

print(judged("I wrote a haiku for Mia", "Wrote a haiku for Mia").check)
"""


@pytest.mark.slow
def test_a_new_check_is_one_file(tmp_path: Path):
    package = Path(recollect.__file__).parent
    shutil.copytree(package, tmp_path / "recollect", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "recollect/policy/guard/checks/haiku.py").write_text(HAIKU)
    (tmp_path / "recollect/policy/guard/checks/haiku.toml").write_text("accepted = []\nrefused = []\n")
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[3])])
    done = subprocess.run(
        [sys.executable, "-c", JUDGE],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "haiku\n"
