"""What people order their memory to do in a chat, `!memory …`: understood, done and answered, for any face."""

from recollect.orders.ask import File
from recollect.orders.desk import Answer, Orders

__all__ = ["Answer", "File", "Orders"]
