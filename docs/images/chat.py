"""`python docs/images/chat.py` regenerates chat.svg: the lines below, typed into `recollect chat` at a terminal.

What it answers is what it really prints; only the prompt and the window around it are drawn.
"""

import re
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text
from terminal import COLUMNS, FRAME, THEME

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.journeys.terminal import Terminal

TYPED = [
    "I live in Lisbon, and I'm allergic to peanuts.",
    "/in #general",
    "what am I allergic to?",
    "/dm",
    "what am I allergic to?",
    "I moved to Porto!",
    "/why Porto",
    "the wifi password is swordfish-77, by the way",
]
_TYPING = re.compile(r".*\x1b\[\?2004l", re.DOTALL)
"""While a line is typed, it is drawn again and again."""
_NEXT = re.compile(r"\r\n(?:\x1b\[6n)?\x1b\[\?2004h.*", re.DOTALL)


def main() -> None:
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory() as folder, Terminal(Path(folder), "chat", "--no-demo") as chat:
        label = chat.prompt().splitlines()[-1]
        for number, typed in enumerate(TYPED):
            before = len(chat.raw)
            following = chat.say(typed).splitlines()[-1]
            printed = _NEXT.sub("", _TYPING.sub("", chat.raw[before:], count=1)).replace("\r\n", "\n")
            if number:
                console.print()
            console.print(Text.assemble((label, "bold #7dd3a8"), (typed, "bold")))
            console.print(Text.from_ansi(printed.rstrip("\n")))
            label = following
    console.print()
    target = Path(__file__).with_name("chat.svg")
    svg = console.export_svg(title="recollect chat", theme=THEME, code_format=FRAME, unique_id="chat")
    target.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", "utf-8")


if __name__ == "__main__":
    main()
