"""Chat commands, `!memory …`: parsed, run and answered for any face."""

from recollect.faces.commands.dispatcher import Answer, ChatCommands
from recollect.faces.commands.request import File

__all__ = ["Answer", "ChatCommands", "File"]
