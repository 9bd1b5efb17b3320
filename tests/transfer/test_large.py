"""Files far larger than memory should grow: read piece by piece, imported unit by unit."""

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect.core.ports.format import Format
from tests.faces.cli.conftest import ENVIRONMENT
from tests.transfer.forms import MEM0, RECOLLECT
from tests.transfer.moving import ANN

MEGABYTE = 1_000_000
SENTENCE = "We met at the harbour and talked about boats, tea and the weather of the week. "
MEASURED = r"""
import pathlib, re, sys
from recollect.faces.cli.main import main
try:
    main()
finally:  # of this process alone: getrusage begins with what the one had that started it
    status = pathlib.Path("/proc/self/status").read_text()
    print("PEAK", int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024, file=sys.stderr)
"""


def lines(size: int) -> Iterator[str]:
    """Our own format with messages, and every tenth record a memo."""
    yield '{"format":"recollect","version":1}\n'
    written = number = 0
    while written < size:
        number += 1
        if number % 10:
            place = {"platform": "discord", "guild": "g1", "channel": f"c{number % 7}"}
            text = f"{number} " + SENTENCE * 60
            record = {"type": "message", "id": f"m{number}", "author": f"u{number % 90}", "place": place, "text": text}
            line = json.dumps(record | {"at": "2024-01-01T00:00:00Z"}) + "\n"
        else:
            line = json.dumps({"type": "memo", "user": f"u{number % 90}", "text": f"I own boat {number}"}) + "\n"
        written += len(line)
        yield line


def document(size: int) -> Iterator[str]:
    """One JSON document without a line break."""
    yield '{"results":['
    written = number = 0
    while written < size:
        number += 1
        memory = {"id": f"id-{number:08}", "memory": f"{number} " + SENTENCE * 20, "user_id": "alice"}
        piece = json.dumps(memory | {"metadata": {"context": SENTENCE * 20}})
        written += len(piece)
        yield piece + ("," if written < size else "")
    yield "]}"


def write(path: Path, pieces: Iterator[str]) -> Path:
    with path.open("w") as file:
        file.writelines(pieces)
    return path


@pytest.mark.parametrize(("form", "made"), [(RECOLLECT, lines), (MEM0, document)], ids=["recollect", "mem0"])
@pytest.mark.parametrize("size", [20 * MEGABYTE, pytest.param(200 * MEGABYTE, marks=[pytest.mark.slow])])
def test_reading_takes_memory_for_an_entry_not_for_the_file(
    tmp_path: Path, form: Format, made: Callable[[int], Iterator[str]], size: int
):
    path = write(tmp_path / "large", made(size))
    assert path.stat().st_size >= size
    assert form.matches(path)
    tracemalloc.start()
    count = sum(1 for _ in form.read(path, ANN))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count > size / 10_000
    assert peak < 4 * MEGABYTE


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured through /proc")
def test_a_file_of_80_megabytes_is_imported_in_bounded_memory(tmp_path: Path):
    write(tmp_path / "large.jsonl", lines(80 * MEGABYTE))
    command = [sys.executable, "-c", MEASURED, "import", "large.jsonl", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=ENVIRONMENT, check=True, text=True)
    report = json.loads(done.stdout)
    assert report["ok"]
    assert report["counts"]["new"]["message"] > 12_000
    assert report["counts"]["new"]["memory"] > 1_300
    peak = int(done.stderr.split("PEAK ")[1].split()[0])
    assert peak < 300
