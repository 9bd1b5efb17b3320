"""`python -m bench.start_up [--src NAME=PATH …]`: processor time until a program, a command or the chat is there.

Processor time (user and system, of the whole process), because on a busy machine the wall time says more about the
others. Versions of the source take turns, and each program runs on a folder of its own that holds a few memos.
"""

import argparse
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from math import isfinite
from pathlib import Path

from rich.console import Console
from rich.table import Table

CHAT_PROMPT = "›".encode()
FIRST_SEARCH = """
from recollect import Memory
with Memory("new.db") as memory:
    memory.search("tea", user="ada")
"""
PROGRAMS: dict[str, list[str]] = {
    "python, nothing imported": ["-c", ""],
    "import recollect": ["-c", "import recollect"],
    "from recollect import Memory": ["-c", "from recollect import Memory"],
    "recollect version": ["-m", "recollect", "version"],
    "recollect show": ["-m", "recollect", "show"],
    "recollect search": ["-m", "recollect", "search", "tea"],
    "open a memory and search it while it is empty": ["-c", FIRST_SEARCH],
}
CHAT = "recollect chat, to its first question"
MEMOS = ("I like green tea", "I live in Lisbon", "my sister Nora plays chess")


def environment(source: Path, folder: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
    folders = {"PYTHONPATH": str(source), "HOME": str(folder), "RECOLLECT_DATA_DIR": str(folder), "TERM": "xterm"}
    return own | folders | {"PYTHONDONTWRITEBYTECODE": ""}  # compiled once, as an installation is


def run(arguments: list[str], source: Path, folder: Path, *, may_fail: bool = False) -> float:
    """Seconds of processor time that a program takes, from its start to its end; infinite if it fails and may."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(source, folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        if may_fail:
            return float("inf")
        sys.exit(f"{' '.join(arguments)} failed with {source}")
    return used.ru_utime + used.ru_stime


def run_chat(source: Path, folder: Path) -> float:
    """The same for the chat in a terminal, until it asks for the first message."""
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover - another process
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "recollect", "chat", "--no-demo"], environment(source, folder))
    seen = b""
    try:
        while CHAT_PROMPT not in seen:
            seen += os.read(terminal, 4096)
    except OSError:
        sys.exit(f"the chat of {source} ended before it asked anything: {seen.decode(errors='replace')}")
    finally:
        os.kill(child, signal.SIGKILL)
        _, _, used = os.wait4(child, 0)
        os.close(terminal)
    return used.ru_utime + used.ru_stime


def measure(sources: dict[str, Path], starts: int, step: Callable[[str], None]) -> dict[str, dict[str, float]]:
    """The least seconds of each program and version, by program; infinite where an earlier version lacks it."""
    *earlier, _ = sources
    least: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(sources, float("inf")))
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as root:
        folders = {name: Path(root) / name for name in sources}
        for name, source in sources.items():
            folders[name].mkdir()
            for text in MEMOS:
                run(["-m", "recollect", "remember", text], source, folders[name])
        for number in range(starts):
            for program in (*PROGRAMS, CHAT):
                step(f"{program}, {number + 1} of {starts}")
                for name, source in sources.items():
                    folder = folders[name]
                    if program == CHAT:
                        took = run_chat(source, folder)
                    else:
                        took = run(PROGRAMS[program], source, folder, may_fail=name in earlier)
                    least[program][name] = min(least[program][name], took)
    return dict(least)


def main() -> int:
    parser = argparse.ArgumentParser("bench.start_up", description=__doc__)
    parser.add_argument("--src", action="append", default=[], metavar="NAME=PATH", help="a version of the source")
    parser.add_argument("--starts", type=int, default=5, help="starts of each program; the least time counts")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    pairs = [source.partition("=") for source in given.src] or [("recollect", "=", "src")]
    sources = {name: Path(path).resolve() for name, _, path in pairs}
    for path in sources.values():
        if not (path / "recollect").is_dir():
            sys.exit(f"{path} holds no recollect: name the folder src of a checkout")
    with Console(stderr=True).status("starting") as status:
        least = measure(sources, given.starts, status.update)
    table = Table(title=f"Processor time to start, ms, the least of {given.starts}", header_style="bold")
    table.add_column("program")
    for name in sources:
        table.add_column(name, justify="right")
    for program, times in least.items():
        table.add_row(program, *(f"{1000 * times[name]:,.0f}" if isfinite(times[name]) else "–" for name in sources))
    Console().print(table)
    if given.json:
        rounded = {
            program: {name: round(took, 4) for name, took in times.items() if isfinite(took)}
            for program, times in least.items()
        }
        given.json.write_text(json.dumps({"unit": "s", "starts": given.starts, "programs": rounded}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
