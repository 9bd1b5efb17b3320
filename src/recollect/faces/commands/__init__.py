"""What people order their memory to do in a chat, `!memory …`: understood, done and answered, for any face."""

from recollect.faces.commands.dispatcher import Answer, Orders
from recollect.faces.commands.request import File

__all__ = ["Answer", "File", "Orders"]
