"""The program at a real terminal: typed to by keys, and read as it is drawn."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import TracebackType

from tests import ground

ENVIRONMENT = {
    "RECOLLECT_EMBEDDER": "null",
    "RECOLLECT_DATA_DIR": "data",
    "PATH": os.environ["PATH"],
    "TERM": "xterm-256color",
}
_AS_ITS_OWN = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""So that the keys for signals reach the program."""
PROGRAM = [sys.executable, "-c", _AS_ITS_OWN, sys.executable, "-m", "recollect"]
CTRL_C, CTRL_D, ENTER, TAB = "\x03", "\x04", "\r", "\t"
_PROMPT = re.compile(r"\x1b\[\?2004h.*?› ", re.DOTALL)
"""A line to edit begins: bracketed paste is switched on, and the prompt drawn."""
_CONTROL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()=>].?)")
_WHERE_IS_THE_CURSOR, _THERE = "\x1b[6n", b"\x1b[40;1R"


class Terminal:
    """A process at a terminal of 100 columns and 40 lines, which answers where its cursor is as terminals do."""

    def __init__(self, folder: Path, *args: str, **env: str) -> None:
        self.here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.process = subprocess.Popen(
            [*PROGRAM, *args],
            stdin=there,
            stdout=there,
            stderr=there,
            env=ENVIRONMENT | ground.environment() | env,
            cwd=folder,
            start_new_session=True,
        )
        os.close(there)
        self.raw = ""
        """Everything that was drawn."""
        self._read = 0

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.here)

    def prompt(self, seconds: float = 30) -> str:
        """What was drawn until the next line to edit."""
        return self._until(_PROMPT, seconds)

    def shows(self, text: str, seconds: float = 30) -> str:
        """What was drawn until this text."""
        return self._until(re.compile(re.escape(text)), seconds)

    def write(self, keys: str) -> None:
        os.write(self.here, keys.encode())

    def say(self, text: str) -> str:
        """Type a line; what comes of it, until the next line to edit."""
        self.write(text + ENTER)
        return self.prompt()

    def end(self) -> int:
        """Read on until the program has ended; how it ended."""
        while self._more(30):
            pass
        return self.process.wait(30)

    def _until(self, pattern: re.Pattern[str], seconds: float) -> str:
        limit = time.monotonic() + seconds
        while (found := pattern.search(self.raw, self._read)) is None:
            left = limit - time.monotonic()
            if left <= 0 or not self._more(left):
                raise AssertionError(f"{pattern.pattern!r} does not come:\n{plain(self.raw[self._read :])}")
        seen, self._read = self.raw[self._read : found.end()], found.end()
        return plain(seen)

    def _more(self, seconds: float) -> bool:
        """Whether more was drawn; False when the program has ended, or draws nothing."""
        if not select.select([self.here], [], [], seconds)[0]:
            return False
        try:
            part = os.read(self.here, 65536).decode("utf-8", "replace")
        except OSError:  # the other end is closed
            return False
        self.raw += part
        for _ in range(part.count(_WHERE_IS_THE_CURSOR)):
            os.write(self.here, _THERE)
        return bool(part)


def plain(drawn: str) -> str:
    """What was drawn, without colours and the movements of the cursor."""
    return _CONTROL.sub("", drawn).replace("\r", "")


def without_ids(text: str) -> str:
    """Output without ids of memories, which differ from store to store."""
    return re.sub(r"durable-[0-9a-f]{8}", "durable-…", text)
