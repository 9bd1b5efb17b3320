"""The benchmark of starts: that every program it starts gets where it is measured."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.sqlite
def test_every_program_of_each_version_starts_and_has_its_time(tmp_path: Path):
    target, source = tmp_path / "starts.json", ROOT / "src"
    command = [sys.executable, "-m", "bench.start_up", "--starts", "1", "--json", str(target)]
    done = subprocess.run(
        [*command, "--src", f"one={source}", "--src", f"two={source}"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    programs = json.loads(target.read_text("utf-8"))["programs"]
    assert {"import recollect", "recollect show", "recollect search"} < programs.keys()
    assert all(0 < times[name] < 60 for times in programs.values() for name in ("one", "two"))
    lost = subprocess.run([*command, "--src", f"one={tmp_path}"], cwd=ROOT, capture_output=True, text=True)
    assert "holds no recollect" in lost.stderr
