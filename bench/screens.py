"""`make screens`: the terminal screens of the docs, from real runs, light and dark; needs tmux.

Each screen is a few lines typed into a terminal with an empty store. What the terminal then shows is written as SVG
into docs/images, once in the colors of a light and once of a dark terminal.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI, TerminalTheme
from rich.text import Text

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
COLUMNS, LINES = 96, 60
SOCKET = "recollect-screens"
QUIET_SECONDS, TIMEOUT_SECONDS = 2.0, 30.0
"""A screen that stays the same for so long is complete."""
LIGHT = TerminalTheme(
    (255, 255, 255),
    (36, 41, 47),
    [
        (36, 41, 47),
        (207, 34, 46),
        (17, 99, 41),
        (125, 78, 0),
        (9, 105, 218),
        (130, 80, 223),
        (27, 124, 131),
        (110, 119, 129),
    ],
    [
        (87, 96, 106),
        (164, 14, 38),
        (26, 127, 55),
        (99, 60, 1),
        (33, 139, 255),
        (164, 117, 249),
        (49, 146, 170),
        (140, 149, 159),
    ],
)
_LOADS = re.compile(r"@font-face \{.*?\}|<!--.*?-->", re.DOTALL)
"""What a picture would load from elsewhere: fonts, for which any monospaced one will do."""
THEMES = {"light": LIGHT, "dark": DIMMED_MONOKAI}


@dataclass(frozen=True, slots=True)
class Screen:
    name: str
    title: str
    typed: Sequence[str]
    """Lines for a shell, and for what they start."""


RECOLLECT = "recollect"
SCREENS = (
    Screen(
        "chat",
        "recollect chat",
        (
            f"{RECOLLECT} chat --no-demo",
            "I live in Lisbon and I'm a nurse",
            "my sister Nora lives in Porto",
            "what do I do for a living?",
            "where does my sister live?",
            "am I allergic to anything?",
            "/why 1",
        ),
    ),
    Screen("help", "recollect help all", (f"{RECOLLECT} help all",)),
    Screen(
        "commands",
        "recollect",
        (
            f"{RECOLLECT} remember I prefer tea over coffee",
            f"{RECOLLECT} remember I live in Lisbon",
            f"{RECOLLECT} search what do I drink",
            f"{RECOLLECT} forget Lisbon",
            f"{RECOLLECT} undo",
            f"{RECOLLECT} show",
        ),
    ),
)


def tmux(*args: str) -> str:
    return subprocess.run(["tmux", "-L", SOCKET, *args], check=True, capture_output=True, text=True).stdout


def play(screen: Screen) -> str:
    """What the terminal shows in the end, with its colors."""
    with tempfile.TemporaryDirectory() as folder:
        start = Path(folder) / ".start"
        program = f"{shlex.quote(sys.executable)} -m recollect"
        start.write_text(f"PS1='$ '\nunset PROMPT_COMMAND\n{RECOLLECT}() {{ {program} \"$@\"; }}\nclear\n")
        shell = f"bash --noprofile --rcfile {start}"
        tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(LINES), "-c", folder, shell)
        try:
            _settled()
            for line in screen.typed:
                tmux("send-keys", "-l", line)
                tmux("send-keys", "Enter")
                _settled()
            return tmux("capture-pane", "-p", "-e", "-S", "-200")
        finally:
            tmux("kill-server")


def _settled() -> None:
    """Wait until the screen stays the same, after it has changed or time is up."""
    shown, since, start = "", time.monotonic(), time.monotonic()
    while time.monotonic() - start < TIMEOUT_SECONDS:
        time.sleep(0.25)
        current = tmux("capture-pane", "-p")
        if current != shown:
            shown, since = current, time.monotonic()
        elif time.monotonic() - since > QUIET_SECONDS and current.rstrip().endswith(("$", "›")):
            return


def draw(screen: Screen, ansi: str) -> list[Path]:
    """The screen as pictures; the prompt at the end is left out."""
    lines = ansi.rstrip().splitlines()[:-1]
    written: list[Path] = []
    for theme, colors in THEMES.items():
        with Path(os.devnull).open("w") as nowhere:
            console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
            for line in lines:
                console.print(Text.from_ansi(line), soft_wrap=True)
            path = IMAGES / f"screen-{screen.name}-{theme}.svg"
            svg = console.export_svg(title=screen.title, theme=colors)
            path.write_text(_LOADS.sub("", svg), encoding="utf-8")
            written.append(path)
    return written


def main() -> int:
    if shutil.which("tmux") is None:
        print("bench.screens needs tmux", file=sys.stderr)
        return 1
    for screen in SCREENS:
        for path in draw(screen, play(screen)):
            print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
