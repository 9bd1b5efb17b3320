"""`python docs/images/terminal.py` regenerates terminal.svg: the commands below, run as they are in a terminal.

The output is what `recollect` really prints; only the prompt and the window around it are drawn.
"""

import os
import pty
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

COLUMNS = 84
BEFORE = [
    ["remember", "I prefer tea over coffee"],
    ["remember", "Never suggest peanuts: I am allergic"],
    ["remember", "I work at Acme Corp"],
    ["remember", "I work at Globex now"],
    ["remember", "--private", "I am looking for a new job"],
]
SHOWN = [
    (["remember", "My sister Nora lives in Lyon"], "recollect remember 'My sister Nora lives in Lyon'"),
    (
        ["search", "where does my family live?", "--explain", "-n", "3"],
        "recollect search 'where does my family live?' --explain -n 3",
    ),
    (["show", "--in", "#dev"], "recollect show --in '#dev'"),
]
THEME = TerminalTheme((16, 20, 30), (226, 231, 240), [(16, 20, 30)] * 8, [(226, 231, 240)] * 8)
# Rich's own frame loads a font from the net; a picture in a README can't, and any monospaced font will do.
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def run(arguments: list[str], folder: str) -> str:
    """What a command prints on a terminal, colours included."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(COLUMNS), "TERM": "xterm-256color", "RECOLLECT_DATA_DIR": folder}
    command = [sys.executable, "-m", "recollect", *arguments]
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:  # noqa: S603 - our own
        os.close(theirs)
        printed = b""
        try:
            while chunk := os.read(ours, 4096):
                printed += chunk
        except OSError:  # the other end is closed: that is all
            pass
        if process.wait():
            raise SystemExit(printed.decode())
    return printed.decode().replace("\r\n", "\n")


def main() -> None:
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder:
        for arguments in BEFORE:
            run(arguments, folder)
        for number, (arguments, typed) in enumerate(SHOWN):
            if number:
                console.print()
            console.print(Text.assemble(("$ ", "bold #7dd3a8"), (typed, "bold")))
            console.print(Text.from_ansi(run(arguments, folder).rstrip("\n")))
    console.print()
    target = Path(__file__).with_name("terminal.svg")
    svg = console.export_svg(title="recollect", theme=THEME, code_format=FRAME, unique_id="recollect")
    target.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
