"""The numbered list that was shown last: `/forget 3` means number 3 of that list, whatever was learned since."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.commands.parse import parse

LISTING_VERBS = frozenset({"show", "list", "search", "forget", "edit", "why"})
"""Commands that may answer with numbered memories; the other lists have numbers of their own."""
_TAKES_NUMBER = frozenset({"forget", "edit", "why", "pin", "unpin", "share", "private"})
_NUMBERED = re.compile(r"^\d+\. ", re.MULTILINE)
_REFERENCE = re.compile(r"#?(\d{1,4})(?=\s|$)")


@dataclass(frozen=True, slots=True)
class ShownList:
    speaker: ChatSpeaker
    ids: Sequence[str]

    def by_id(self, line: str, speaker: ChatSpeaker) -> tuple[str, str, str]:
        """The command with the id in place of the number, the id, and the number; unchanged if it has none."""
        command = parse(line)
        number = _REFERENCE.match(command.words) if command is not None else None
        if command is None or number is None or command.verb not in _TAKES_NUMBER or speaker != self.speaker:
            return line, "", ""
        index = int(number[1])
        if not 1 <= index <= len(self.ids):
            return line, "", ""
        memo_id = self.ids[index - 1]
        return f"!memory {command.verb} {memo_id}{command.words[number.end() :]}", memo_id, number[1]


def is_listing(line: str, reply: str) -> bool:
    """Whether the answer to a command numbers memories."""
    command = parse(line)
    return command is not None and command.verb in LISTING_VERBS and _NUMBERED.search(reply) is not None
